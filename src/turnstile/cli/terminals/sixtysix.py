"""66 in the terminal: pictures of the cards, and a sentence for each message.

The messages of 66 name seats; the sentences name the players.
"""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from turnstile.cli.terminals import Terminal
from turnstile.cli.terminals.words import capitalize, join_words, you_or_name
from turnstile.games.sixtysix.cards import Seat
from turnstile.games.sixtysix.messages import (
    AnothersCard,
    AnothersCardPeeked,
    CardDiscarded,
    CardReplacedByDiscarded,
    CardReplacedFromDeck,
    CardsExchanged,
    CardsReplacedByDiscarded,
    CardsReplacedFromDeck,
    DifferentCardsShown,
    DiscardedCard,
    ExchangedCards,
    ExchangingCards,
    FirstTwoCards,
    GameFinished,
    GameState,
    IdenticalCardsShown,
    InitiatedStop,
    OwnCard,
    OwnCardPeeked,
    PeekingAnothersCard,
    PeekingOwnCard,
    ReplacedCardByDiscarded,
    ReplacedCardFromDeck,
    ReplacedCardsByDiscarded,
    ReplacedCardsFromDeck,
    RoundFinished,
    ShowedDifferentCards,
    ShowedIdenticalCards,
    StopInitiated,
    TookDeckCard,
    YourTurn,
)
from turnstile.games.sixtysix.moves import (
    Discard,
    ExchangeCards,
    PeekAnothersCard,
    PeekOwnCard,
    ReplaceCardByDiscarded,
    ReplaceCardFromDeck,
    ReplaceCardsByDiscarded,
    ReplaceCardsFromDeck,
    ShowCards,
    StartGame,
    StartNextRound,
    StopRound,
    TakeCardFromDeck,
)
from turnstile.games.sixtysix.state import Phase, View
from turnstile.kernel import Message, Move, PlayerId, Players

ORDINALS = ("first", "second", "third", "fourth")

HEADINGS: dict[type[Move], str] = {
    ReplaceCardByDiscarded: "take the discarded card for your",
    ShowCards: "show as identical your",
    ReplaceCardFromDeck: "keep it for your",
    PeekOwnCard: "look at your",
    PeekAnothersCard: "look at",
    ExchangeCards: "exchange your",
}
"""The headings of choices that are about different cards."""
MEANINGS: dict[type[Move], str] = {
    StartGame: "the cards are dealt, and you look at your first two",
    StartNextRound: "the cards are dealt anew, and you look at your first two",
    TakeCardFromDeck: "you look at it; then you keep it for one of your cards, or discard it",
    ReplaceCardByDiscarded: "the top of the discard pile takes the place of your card, which is discarded",
    ShowCards: "if they are identical, one card takes the place of all of them; if not, your turn is over",
    StopRound: "each other player has one more turn; you score 0 if nobody holds less, else your sum plus 10",
    ReplaceCardFromDeck: "the card that you took takes the place of your card, which is discarded",
    Discard: "it goes to the discard pile; a 7 to 12 lets you look at a card or exchange one",
    PeekOwnCard: "only you see it",
    PeekAnothersCard: "only you see it; all players are told which card it is",
    ExchangeCards: "the two cards change places, and nobody looks at them",
    ReplaceCardsFromDeck: "nobody sees that card, and you do not either",
    ReplaceCardsByDiscarded: "the card that lay on top of the discard pile takes the place of all of them",
}


def terminal(players: Players) -> Terminal[View]:
    """The terminal of a match with these players."""
    words = Words(players)
    return Terminal(show, words.tell, words.name, heading=heading, label=words.label, meaning=meaning, missing=missing)


def heading(action: Move) -> str:
    return HEADINGS.get(type(action), "")


def meaning(action: Move) -> str:
    return MEANINGS[type(action)]


def missing(view: View, player: PlayerId, actions: Sequence[Move]) -> str:
    """Why the round cannot be stopped again."""
    is_turn = any(isinstance(action, TakeCardFromDeck) for action in actions)
    return "The round is stopped: this is your last turn of it." if is_turn and view.stopper is not None else ""


# the table


def show(view: View, player: PlayerId) -> RenderableType:
    """The piles, and every hand as far as the player knows it."""
    if view.phase is Phase.NOT_STARTED:
        return Text("Four cards each, two of them known to you. The lowest hand wins; over 66 points ends the match.")
    number = len(view.rounds) + (view.phase is not Phase.ROUND_FINISHED)
    head = f"Round {number}, {_stop(view, player)}{view.deck_size} cards in the deck"
    rows = Table.grid(padding=(0, 2))
    rows.add_row("discard pile", card_row([view.discarded_value]))
    if view.taken is not None:
        rows.add_row("you took", card_row([view.taken]))
    for seat, who in enumerate(view.players):
        rows.add_row(
            Text(f"{you_or_name(who, player)}, {view.totals[seat]} points"),
            card_row([sight.value for sight in view.seen[seat]]),
        )
    return Group(Text(head, style="bold"), rows)


def card_row(values: Sequence[int | None]) -> RenderableType:
    """Cards side by side; an unknown card lies face down."""
    row = Table.grid(padding=(0, 1))
    row.add_row(*[Panel.fit(_face(value), style=_colour(value)) for value in values])
    return row


def _face(value: int | None) -> str:
    return " ?" if value is None else f"{value:2}"


def _colour(value: int | None) -> str:
    if value is None:
        return "dim"
    return "green" if value < 5 else "yellow" if value < 9 else "red"


def _stop(view: View, player: PlayerId) -> str:
    if view.stopper is None:
        return ""
    return f"stopped by {you_or_name(view.players[view.stopper], player)}, "


# the words


class Words:
    """Sentences that name the players."""

    def __init__(self, players: Players) -> None:
        self.players = players

    def tell(self, message: Message, player: PlayerId) -> str:
        """What happened, in a sentence."""
        return self._of_turn(message) or self._of_power(message, player) or self._of_round(message, player)

    def _of_turn(self, message: Message) -> str:
        match message:
            case YourTurn():
                return "It is your turn."
            case TookDeckCard(value=value):
                return f"You take a card from the deck: {_a(value)}."
            case CardReplacedByDiscarded(player_index=seat, card_index=index, discarded_value=value):
                return f"{self.players[seat]} takes the discarded card for {_its(index)}, {_a(value)}."
            case ReplacedCardByDiscarded(card_index=index, discarded_value=value):
                return f"You take the discarded card for {_your(index)}, {_a(value)}."
            case CardReplacedFromDeck(player_index=seat, card_index=index, discarded_value=value):
                return f"{self.players[seat]} takes a card from the deck for {_its(index)}, {_a(value)}."
            case ReplacedCardFromDeck(card_index=index, discarded_value=value):
                return f"You keep it for {_your(index)}, {_a(value)}."
            case CardDiscarded(player_index=seat, discarded_value=value):
                return f"{self.players[seat]} takes a card from the deck and discards it: {_a(value)}."
            case DiscardedCard(discarded_value=value):
                return f"You discard the {value}."
            case IdenticalCardsShown(player_index=seat, card_indexes=indexes, value=value):
                return f"{self.players[seat]} shows {_its(*indexes)}: each is {_a(value)}."
            case ShowedIdenticalCards(card_indexes=indexes):
                return f"You show {_your(*indexes)}, and they are identical!"
            case DifferentCardsShown(player_index=seat, card_indexes=indexes, values=values):
                return f"{self.players[seat]} shows {_its(*indexes)}, but they differ: {_list(values)}."
            case ShowedDifferentCards(card_indexes=indexes):
                return f"You show {_your(*indexes)} to the others. They are not identical."
            case CardsReplacedFromDeck(player_index=seat):
                return f"{self.players[seat]} lays them off for one unseen card from the deck."
            case ReplacedCardsFromDeck(discarded_value=value):
                return f"You lay off your {value}s for one card from the deck, which nobody has seen."
            case CardsReplacedByDiscarded(player_index=seat):
                return f"{self.players[seat]} lays them off for the discarded card."
            case ReplacedCardsByDiscarded(discarded_value=value):
                return f"You lay off your {value}s for the discarded card."
        return ""

    def _of_power(self, message: Message, player: PlayerId) -> str:
        match message:
            case PeekingOwnCard(discarded_value=value):
                return f"You discard the {value}: look at a card of your own."
            case PeekingAnothersCard(discarded_value=value):
                return f"You discard the {value}: look at a card of another player."
            case ExchangingCards(discarded_value=value):
                return f"You discard the {value}: exchange a card of yours for one of another player."
            case OwnCardPeeked(player_index=seat, card_index=index):
                return f"{self.players[seat]} looks at {_its(index)}."
            case OwnCard(card_index=index, value=value):
                return f"{capitalize(_your(index))} is {_a(value)}."
            case AnothersCardPeeked(player_index=seat, another_player_index=other, card_index=index):
                return f"{self.players[seat]} looks at {self._whose(other, index, player)}."
            case AnothersCard(another_player_index=other, card_index=index, value=value):
                return f"{capitalize(self._whose(other, index, player))} is {_a(value)}."
            case CardsExchanged(player_index=seat, card_index=mine, another_player_index=other) as exchange:
                theirs = self._whose(other, exchange.another_player_card_index, player)
                return f"{self.players[seat]} exchanges {_its(mine)} for {theirs}."
            case ExchangedCards(card_index=mine, another_player_index=other, another_player_card_index=index):
                return f"You exchange {_your(mine)} for {self._whose(other, index, player)}."
        return ""

    def _of_round(self, message: Message, player: PlayerId) -> str:
        match message:
            case GameState(discarded_value=value):
                return f"The cards are dealt. {capitalize(_a(value))} lies face up."
            case FirstTwoCards(value1=first, value2=second):
                return f"You look at your first two cards: {_a(first)} and {_a(second)}."
            case StopInitiated(player_index=seat):
                return f"{self.players[seat]} stops the round! Everybody else has one more turn."
            case InitiatedStop():
                return "You stop the round. Everybody else has one more turn."
            case RoundFinished(turn_count=turns, scores=scores, total_scores=totals, next_player_index=seat):
                starter = "You start" if self.players[seat] == player else f"{self.players[seat]} starts"
                end = f"The round is over after {turns} turns. {self._score(scores, totals, player)}"
                return f"{end} {starter} the next."
            case GameFinished(round_count=rounds, scores=scores, total_scores=totals):
                end = f"The match is over after {rounds} rounds. {self._score(scores, totals, player)}"
                return f"{end} {self._winners(totals, player)}"
        return ""  # NextTurn: the move of that player is told later

    def name(self, action: Move) -> str:
        """What a choice is called."""
        match action:
            case StartGame():
                return "start the match"
            case StartNextRound():
                return "start the next round"
            case TakeCardFromDeck():
                return "take a card from the deck"
            case ReplaceCardByDiscarded(card_index=index):
                return f"take the discarded card for {_your(index)}"
            case ShowCards(card_indexes=indexes):
                return f"show {_your(*indexes)} as identical"
            case StopRound():
                return "stop the round"
            case ReplaceCardFromDeck(card_index=index):
                return f"keep it for {_your(index)}"
            case Discard():
                return "discard it"
            case PeekOwnCard(card_index=index):
                return f"look at {_your(index)}"
            case PeekAnothersCard(another_player_index=other, card_index=index):
                return f"look at {self._whose(Seat(other), index)}"
            case ExchangeCards(card_index=mine, another_player_index=other, another_player_card_index=theirs):
                return f"give {_your(mine)} for {self._whose(Seat(other), theirs)}"
            case ReplaceCardsFromDeck():
                return "lay them off for an unseen card from the deck"
            case ReplaceCardsByDiscarded():
                return "lay them off for the discarded card"
        raise AssertionError(f"{action} is not a move of 66")

    def label(self, action: Move) -> str:
        """The cards of a choice, short enough for a list under a heading."""
        match action:
            case (
                ReplaceCardByDiscarded(card_index=index)
                | ReplaceCardFromDeck(card_index=index)
                | PeekOwnCard(card_index=index)
            ):
                return f"{ORDINALS[index]} card"
            case ShowCards(card_indexes=indexes):
                return (
                    "all four" if len(indexes) == len(ORDINALS) else join_words([ORDINALS[index] for index in indexes])
                )
            case PeekAnothersCard(another_player_index=other, card_index=index):
                return self._whose(Seat(other), index)
            case ExchangeCards(card_index=mine, another_player_index=other, another_player_card_index=theirs):
                return f"{ORDINALS[mine]} for {self.players[other]}'s {ORDINALS[theirs]}"
        return self.name(action)

    def _whose(self, seat: Seat, index: int, player: PlayerId | None = None) -> str:
        who = self.players[seat]
        return _your(index) if who == player else f"{who}'s {ORDINALS[index]} card"

    def _score(self, scores: Sequence[int], totals: Sequence[int], player: PlayerId) -> str:
        lines = zip(self.players, scores, totals, strict=True)
        return "; ".join(f"{you_or_name(who, player)} +{points} = {sum_}" for who, points, sum_ in lines) + "."

    def _winners(self, totals: Sequence[int], player: PlayerId) -> str:
        winners = [who for who, points in zip(self.players, totals, strict=True) if points == min(totals)]
        names = [you_or_name(who, player) for who in winners]
        verb = "win" if winners == [player] or len(winners) > 1 else "wins"
        return capitalize(f"{join_words(names)} {verb}.")


def _a(value: int) -> str:
    return f"an {value}" if value in (8, 11) else f"a {value}"


def _its(*indexes: int) -> str:
    return f"its {join_words([ORDINALS[index] for index in indexes])} card{'s' * (len(indexes) > 1)}"


def _your(*indexes: int) -> str:
    return f"your {join_words([ORDINALS[index] for index in indexes])} card{'s' * (len(indexes) > 1)}"


def _list(values: Sequence[int]) -> str:
    return join_words([_a(value) for value in values])
