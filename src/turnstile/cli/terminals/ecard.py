"""E-Card in the terminal: pictures of the cards, and a sentence for each message."""

from collections.abc import Sequence

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from turnstile.cli.terminals import Terminal
from turnstile.cli.terminals.words import points_of
from turnstile.games.ecard import Card, Pair, Pick, View
from turnstile.games.ecard.messages import (
    MatchFinished,
    MatchStarted,
    OpponentPicked,
    PairRevealed,
    RoundSetUp,
    SideSwitched,
    TieBreak,
)
from turnstile.games.ecard.state import ROUNDS, ROUNDS_IN_SIDE
from turnstile.kernel import ByPlayer, Message, Move, PlayerId

NAMES = {Card.EMPEROR: "Emperor", Card.CITIZEN: "Citizen", Card.SLAVE: "Slave"}
MEANINGS = {
    Card.EMPEROR: "the Emperor: beats a Citizen, loses to the Slave",
    Card.CITIZEN: "a Citizen: beats the Slave, loses to the Emperor; two Citizens are a draw, and both are gone",
    Card.SLAVE: "the Slave: beats the Emperor, loses to a Citizen",
}
COLOURS = {Card.EMPEROR: "yellow", Card.CITIZEN: "cyan", Card.SLAVE: "red"}


def show(view: View, player: PlayerId) -> RenderableType:
    """The score, the round, and both hands: the player's own face up, the other face down."""
    opponent = next(other for other in view.players if other != player)
    number = view.decisive_round_index + 1
    part = "tie break" if view.is_tie_break else f"side {(number - 1) // ROUNDS_IN_SIDE + 1} of 4"
    head = f"Round {number} of {ROUNDS}, {part}   you {view.score[player]} : {view.score[opponent]} {opponent}"
    return Group(
        Text(head, style="bold"),
        Text(f"{opponent} holds"),
        card_row([None] * view.hand_sizes[opponent]),
        Text("you hold"),
        card_row(view.hand),
    )


def card_row(cards: Sequence[Card | None]) -> RenderableType:
    """Cards side by side; an unknown card lies face down."""
    return Columns([Panel.fit(_face(card), style=COLOURS[card] if card else "dim") for card in cards])


def _face(card: Card | None) -> str:
    return NAMES[card] if card else "  ?  "


def tell(message: Message, player: PlayerId) -> str:
    """What happened, in a sentence."""
    match message:
        case MatchStarted(roles=roles):
            return f"The match begins. {_who(roles.emperor_player, player)} the Emperor's side first."
        case RoundSetUp(round=number, roles=roles):
            side = "Emperor" if roles.emperor_player == player else "Slave"
            return f"Decisive round {number}: you hold the {side} and four Citizens."
        case OpponentPicked():
            return "The other player has laid a card face down."
        case PairRevealed(pair=pair, score=score):
            return f"{_meeting(pair, player)} {_result(pair, score, player)}"
        case SideSwitched(side=side, roles=roles):
            return f"Side {side}: the roles switch. {_who(roles.emperor_player, player)} the Emperor's side now."
        case TieBreak():
            return "Six to six! One extra round, in the same roles, decides the match."
        case MatchFinished(winner=winner, score=score):
            return f"{'You win' if winner == player else f'{winner} wins'} the match {points_of(score, player)}."
    return ""


def name(action: Move) -> str:
    assert isinstance(action, Pick)
    return NAMES[action.card]


def meaning(action: Move) -> str:
    assert isinstance(action, Pick)
    return MEANINGS[action.card]


def _who(emperor: PlayerId, player: PlayerId) -> str:
    return "You have" if emperor == player else f"{emperor} has"


def _meeting(pair: Pair, player: PlayerId) -> str:
    opponent = next(other for other in pair.cards if other != player)
    return f"Your {NAMES[pair.cards[player]]} meets {opponent}'s {NAMES[pair.cards[opponent]]}."


def _result(pair: Pair, score: ByPlayer[int], player: PlayerId) -> str:
    if pair.winner is None:
        return "A draw; both cards are gone."
    return f"{'You win' if pair.winner == player else f'{pair.winner} wins'} the round: {points_of(score, player)}."


terminal = Terminal(show, tell, name, meaning=meaning)
