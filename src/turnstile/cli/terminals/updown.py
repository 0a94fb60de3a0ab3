"""Up-Down in the terminal: pictures of the cards, a sentence for each message, and why a choice is missing."""

from collections.abc import Iterable, Sequence

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from turnstile.cli.terminals import Terminal
from turnstile.cli.terminals.words import capitalize, join_words, you_or_name
from turnstile.games.updown.cards import Card, Suit
from turnstile.games.updown.messages import (
    BetPlaced,
    CardPlayed,
    GameCompleted,
    GameStarted,
    HandCompleted,
    RoundCompleted,
    RoundDealt,
)
from turnstile.games.updown.moves import PlaceBet, PlayCard
from turnstile.games.updown.rounds import PlayerResult, PlayerView, RoundState, points
from turnstile.games.updown.state import View
from turnstile.kernel import Message, Move, PlayerId

SIGNS = {Suit.CLUBS: "♣", Suit.DIAMONDS: "♦", Suit.HEARTS: "♥", Suit.SPADES: "♠"}
COLOURS = {Suit.CLUBS: "green", Suit.DIAMONDS: "cyan", Suit.HEARTS: "red", Suit.SPADES: "white"}


def show(view: View, player: PlayerId) -> RenderableType:
    """The round and its mesa, each player's bet, hands and points, the pinta, the cards on the table, and the hand."""
    current = view.current_round
    if current is None:
        return Text("The table waits for its admin to start.")
    head = f"Round {current.round_number} of {len(view.round_sequence)}, {_cards(current.cards_per_player)} each"
    mine = next((each.hand for each in view.players if each.id == player), None)
    return Group(
        Text(f"{head}   mesa {face(current.mesa)}", style="bold"),
        _table_of(view.players, current, player),
        Text(_lead(current, player)),
        *_on_the_table(current),
        Text("you hold"),
        card_row(mine or ()),
    )


def _table_of(players: Iterable[PlayerView], current: RoundState, player: PlayerId) -> RenderableType:
    table = Table("", "bet", "won", "points", box=None, padding=(0, 2))
    seats = {each.id: each for each in players}
    for each in (seats[who] for who in current.betting_order):
        bet = "" if each.bet is None else str(each.bet)
        table.add_row(Text(you_or_name(each.id, player)), bet, str(each.hands_won), str(each.score))
    return table


def _lead(current: RoundState, player: PlayerId) -> str:
    """Who leads the hand, or will lead the first one; and the pinta."""
    hand = current.current_hand
    if hand is None:
        return f"{_says(current.betting_order[1], player, 'lead', 'leads')} the first hand."
    leader = hand.hand_order[0]
    if hand.pinta is None:
        return f"{_says(leader, player, 'lead', 'leads')} hand {hand.hand_number}: the first card sets the pinta."
    return f"The pinta is {hand.pinta} {SIGNS[hand.pinta]}; {you_or_name(leader, player)} led it."


def _on_the_table(current: RoundState) -> list[RenderableType]:
    """The cards of the current hand, each with the name of its player."""
    hand = current.current_hand
    if hand is None or not hand.cards_played:
        return []
    return [
        Text("on the table"),
        Columns([_panel(played.card, played.player_id) for played in hand.cards_played]),
    ]


def card_row(cards: Sequence[Card]) -> RenderableType:
    """Cards side by side."""
    return Columns([_panel(card) for card in cards])


def _panel(card: Card, title: str | None = None) -> Panel:
    return Panel(f"{face(card):^3}", title=title and Text(title), expand=False, style=COLOURS[card.suit])


def face(card: Card) -> str:
    """A card as `10♥`."""
    return f"{card.rank}{SIGNS[card.suit]}"


def tell(message: Message, player: PlayerId) -> str:
    """What happened, in a sentence."""
    match message:
        case GameStarted(player_order=order, round_sequence=sizes):
            first = "You start" if order[0] == player else f"{order[0]} starts"
            return f"The match begins: {len(sizes)} rounds, of 1 card up to {max(sizes)} and down again. {first}."
        case RoundDealt(round_number=number, cards_per_player=size, mesa=mesa):
            return f"\nRound {number}: {_cards(size)} each. The mesa is {face(mesa)}: {mesa.suit} beat everything."
        case BetPlaced(player_id=who, bet=bet):
            return f"{_says(who, player, 'bet', 'bets')} {bet}."
        case CardPlayed(player_id=who, card=card):
            return f"{_says(who, player, 'play', 'plays')} {face(card)}."
        case HandCompleted(result=result):
            best = next(played for played in result.cards_played if played.player_id == result.winner_id)
            return f"{_says(result.winner_id, player, 'win', 'wins')} the hand with {face(best.card)}."
        case RoundCompleted(round_number=number, results=results):
            return "\n".join([f"Round {number} is over.", *(_round_line(result, player) for result in results)])
        case GameCompleted(winners=winners, scores=scores):
            names = join_words([you_or_name(winner, player) for winner in winners])
            wins = "win" if len(winners) > 1 or player in winners else "wins"
            totals = ", ".join(f"{you_or_name(who, player)} {score}" for who, score in scores.items())
            return f"\n{capitalize(names)} {wins} the match ({totals})."
    return ""


def name(action: Move) -> str:
    match action:
        case PlaceBet(bet=bet):
            return f"bet {bet}"
        case PlayCard(card=card):
            return face(card)
    return "start the game"


def heading(action: Move) -> str:
    match action:
        case PlaceBet():
            return "How many hands will you win?"
        case PlayCard():
            return "Which card do you play?"
    return ""


def label(action: Move) -> str:
    """The card; nothing for a bet, whose key says it all."""
    return face(action.card) if isinstance(action, PlayCard) else ""


def key(action: Move) -> str | None:
    """A player types the number of the bet."""
    return str(action.bet) if isinstance(action, PlaceBet) else None


def meaning(action: Move) -> str:
    match action:
        case PlaceBet(bet=bet):
            return f"you will win {_hands(bet)}: {points(bet, bet)} points if it is exactly so, else none"
        case PlayCard():
            return "play this card: the highest card of the mesa's suit wins the hand, else the highest of the pinta"
    return "the cards are dealt"


def missing(view: View, player: PlayerId, actions: Sequence[Move]) -> str:
    """Why a bet or a card in the hand is not among the choices."""
    current = view.current_round
    if current is None or not actions:
        return ""
    bets = {action.bet for action in actions if isinstance(action, PlaceBet)}
    if bets:
        return " ".join(
            f"You cannot bet {bet}: you bet last, and the bets must not add up to {_hands(current.cards_per_player)}."
            for bet in range(current.cards_per_player + 1)
            if bet not in bets
        )
    cards = {action.card for action in actions if isinstance(action, PlayCard)}
    held = next((each.hand for each in view.players if each.id == player), None) or ()
    pinta = current.current_hand.pinta if current.current_hand else None
    others = [face(card) for card in held if card not in cards]
    if not (cards and others and pinta):
        return ""
    return f"You hold {pinta} {SIGNS[pinta]} and must follow the pinta; {', '.join(others)} cannot be played now."


def _hands(number: int) -> str:
    return {0: "no hand", 1: "1 hand"}.get(number, f"{number} hands")


def _cards(number: int) -> str:
    return "1 card" if number == 1 else f"{number} cards"


def _says(who: PlayerId, player: PlayerId, mine: str, theirs: str) -> str:
    return f"You {mine}" if who == player else f"{who} {theirs}"


def _round_line(result: PlayerResult, player: PlayerId) -> str:
    """The line of a player after a round: the bet, the hands won and the points."""
    who, bet, won = you_or_name(result.player_id, player), result.bet, result.hands_won
    return f"  {who}: bet {bet}, won {won}, {result.points:+d} points, {result.score} in all"


terminal = Terminal(show, tell, name, key, heading, label, meaning, missing)
