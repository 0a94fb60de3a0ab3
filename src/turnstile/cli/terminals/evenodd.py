"""Even/Odd in the terminal: pictures of the numbers, and a sentence for each message."""

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from turnstile.cli.terminals import Terminal
from turnstile.cli.terminals.words import points_of
from turnstile.games.evenodd import (
    NUMBERS,
    ChooseParity,
    GameResult,
    MatchFinished,
    MatchStarted,
    NumberDrawn,
    OpponentChose,
    Parity,
    View,
    parity_of,
)
from turnstile.kernel import ByPlayer, Message, Move, PlayerId, Players

COLOURS = {Parity.EVEN: "cyan", Parity.ODD: "yellow"}
MOST_NUMBERS = 7  # as many as fit side by side into 80 columns


def show(view: View, player: PlayerId) -> RenderableType:
    """The score, the number of the draw, the last results, and whether the other player has chosen."""
    opponent = next(other for other in view.players if other != player)
    draw = len(view.results) + 1
    head = f"Draw {draw} of {view.draws}   you {view.score[player]} : {view.score[opponent]} {opponent}"
    numbers = [result_panel(result, player, opponent) for result in view.results[-MOST_NUMBERS:]]
    waiting = [Text(f"{opponent} has chosen.")] if view.has_chosen[opponent] else []
    return Group(Text(head, style="bold"), *([Columns(numbers)] if numbers else []), *waiting)


def result_panel(result: GameResult, player: PlayerId, opponent: PlayerId) -> RenderableType:
    """A drawn number, and below it the choices of this player and of the other; a tick marks a right choice."""
    lines = [Text(f"{result.drawn_number}", style="bold", justify="center")]
    for who in (player, opponent):
        said = result.choices[who]
        lines.append(Text(f"{said} {'✓' if said is result.number_parity else ' '}", style=COLOURS[said]))
    return Panel.fit(Group(*lines), style=COLOURS[result.number_parity])


def tell(message: Message, player: PlayerId) -> str:
    """What happened, in a sentence."""
    match message:
        case MatchStarted(draws=draws):
            return f"The match begins: {_numbers(draws)} from 1 to 10. Say whether the next one is even or odd."
        case OpponentChose():
            return "The other player has chosen."
        case NumberDrawn(result=result, score=score):
            return f"{_choices(result, player)} The number is {result.drawn_number}. {_result(result, score, player)}"
        case MatchFinished(winners=winners, score=score):
            return f"{_winner(winners, player)} {points_of(score, player)}."
    return ""


def name(action: Move) -> str:
    assert isinstance(action, ChooseParity)
    return action.parity_choice


def meaning(action: Move) -> str:
    assert isinstance(action, ChooseParity)
    numbers = ", ".join(str(number) for number in NUMBERS if parity_of(number) == action.parity_choice)
    return f"{action.parity_choice}: right if the number is one of {numbers}"


def _numbers(draws: int) -> str:
    return "one number" if draws == 1 else f"{draws} numbers"


def _choices(result: GameResult, player: PlayerId) -> str:
    opponent = next(other for other in result.choices if other != player)
    mine, other = result.choices[player], result.choices[opponent]
    return f"You both said {mine}." if mine is other else f"You said {mine}, {opponent} said {other}."


def _result(result: GameResult, score: ByPlayer[int], player: PlayerId) -> str:
    winner = result.winner_player_id
    if winner is None:
        return f"A draw, a point each: {points_of(score, player)}."
    return f"{'You are' if winner == player else f'{winner} is'} right: {points_of(score, player)}."


def _winner(winners: Players, player: PlayerId) -> str:
    if len(winners) > 1:
        return "You share the win,"
    return "You win the match" if winners == (player,) else f"{winners[0]} wins the match"


terminal = Terminal(show, tell, name, meaning=meaning)
