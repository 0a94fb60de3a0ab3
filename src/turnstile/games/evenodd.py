"""Even/Odd: two players call a number even or odd before it is drawn. Rules: docs/games/even-odd.md."""

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Literal, NamedTuple, cast

from msgspec import Meta
from msgspec.structs import replace

from turnstile.games.evenodd_text import RULES
from turnstile.kernel.chance import LONGEST_SEED, Commitment, Seed, commit, draw
from turnstile.kernel.effects import Tell
from turnstile.kernel.game import Game, Outcome, Players, refuse_players, refuse_seed
from turnstile.kernel.machine import Machine, Next, Refusal, Rejection
from turnstile.kernel.marks import Among, Within
from turnstile.kernel.values import ByPlayer, Event, Message, Move, PlayerId, Value

# words


class Parity(StrEnum):
    EVEN = "even"
    ODD = "odd"


EVEN, ODD = Parity
PARITIES = {str(parity): parity for parity in Parity}


class Status(StrEnum):
    """How a draw ended: one player was right and the other wrong, or both were right or both wrong."""

    WIN = "WIN"
    DRAW = "DRAW"


class Phase(StrEnum):
    IDLE = "IDLE"
    COLLECTING_CHOICES = "COLLECTING_CHOICES"
    DRAWING_NUMBER = "DRAWING_NUMBER"
    FINISHED = "FINISHED"


# The phases by their names alone: in Python 3.11, looking up `Phase.IDLE` takes as long as a whole `replace`.
IDLE, COLLECTING_CHOICES, DRAWING_NUMBER, FINISHED = Phase


class Code(StrEnum):
    """Why Even/Odd refuses a move. Codes are protocol: add to them, never rename one."""

    UNKNOWN_PLAYER = "UnknownPlayer"
    ALREADY_CHOSEN = "AlreadyChosen"
    INVALID_CHOICE = "E004"


SEATS = range(2, 3)
NUMBERS = range(1, 11)
DRAWS = range(1, 101)
POINTS_FOR_A_WIN = 3
POINTS_FOR_A_DRAW = 1


# values


class Judgement(NamedTuple):
    """What a number means for two choices: the seat that wins (`None` for a draw) and the points of both."""

    status: Status
    winning_seat: Literal[0, 1] | None
    points: tuple[int, int]


FIRST_WINS = Judgement(Status.WIN, 0, (POINTS_FOR_A_WIN, 0))
SECOND_WINS = Judgement(Status.WIN, 1, (0, POINTS_FOR_A_WIN))
BOTH_DRAW = Judgement(Status.DRAW, None, (POINTS_FOR_A_DRAW, POINTS_FOR_A_DRAW))


class GameResult(Value, frozen=True):
    """One drawn number, what both players had chosen, and the result. Without a winner it is a draw."""

    drawn_number: Annotated[int, Within(NUMBERS[0], NUMBERS[-1])]
    number_parity: Parity
    choices: ByPlayer[Parity]
    status: Status
    winner_player_id: PlayerId | None
    points: ByPlayer[Annotated[int, Within(0, POINTS_FOR_A_WIN)]]


class Options(Value, frozen=True):
    """How many numbers are drawn in a match, from 1 to 100."""

    draws: Annotated[int, Meta(ge=DRAWS[0], le=DRAWS[-1])] = 10


class State(Value, frozen=True):
    """The whole match. `results` has every number drawn so far, so its length is the index of the next draw."""

    phase: Phase
    players: Players
    draws: int
    choices: ByPlayer[Parity | None]
    score: ByPlayer[int]
    results: tuple[GameResult, ...]
    seed: Seed | None


class Start(Event, frozen=True):
    """The match begins; every number will be drawn from this seed."""

    seed: Annotated[Seed, Meta(min_length=1, max_length=LONGEST_SEED)]


class ChooseParity(Move, frozen=True, tag="CHOOSE_PARITY_RESPONSE"):
    """A player says "even" or "odd". It is a plain text, so that the rules refuse any other text."""

    parity_choice: Annotated[str, Among([parity.value for parity in Parity])]


class MatchStarted(Message, frozen=True):
    draws: int
    commitment: Commitment


class OpponentChose(Message, frozen=True):
    """The other player has chosen; what, is shown when the number is drawn."""


class NumberDrawn(Message, frozen=True):
    """A number was drawn, the first of the match being draw 1; the score includes it."""

    draw: int
    result: GameResult
    score: ByPlayer[int]


class MatchFinished(Message, frozen=True):
    """The match is over; the seed shows that every number was drawn as promised. Equal scores share the win."""

    winners: Players
    score: ByPlayer[int]
    seed: Seed


class View(Value, frozen=True):
    """The match as one player sees it. A spectator has no choice of its own."""

    phase: Phase
    players: Players
    draws: Annotated[int, Within(DRAWS[0], DRAWS[-1])]
    choice: Parity | None
    has_chosen: ByPlayer[bool]
    score: ByPlayer[Annotated[int, Within(0, DRAWS[-1] * POINTS_FOR_A_WIN)]]
    results: tuple[GameResult, ...]


# start


def new(players: Sequence[PlayerId], options: Options, seed: Seed | None) -> State | Rejection:
    """Two players, idle. A seed given here waits for the table's Start; the seed of the Start counts."""
    if fault := refuse_players(players, SEATS) or refuse_seed(seed):
        return fault
    if options.draws not in DRAWS:
        return Rejection(Refusal.INVALID_OPTIONS, f"draws must be from {DRAWS[0]} to {DRAWS[-1]}.")
    seated = tuple(players)
    return State(
        phase=IDLE,
        players=seated,
        draws=options.draws,
        choices=ByPlayer.same(seated, None),
        score=ByPlayer.same(seated, 0),
        results=(),
        seed=seed,
    )


# news: what both players are told, made from the state that a step has reached


def match_started(state: State) -> list[Tell]:
    return [Tell.all(state.players, MatchStarted(state.draws, commit(_seed_of(state))))]


def number_drawn(state: State) -> list[Tell]:
    """The number that was drawn last; after the last draw of the match also its result."""
    news = [Tell.all(state.players, NumberDrawn(len(state.results), state.results[-1], state.score))]
    if state.phase is FINISHED:
        news.append(Tell.all(state.players, MatchFinished(leaders(state), state.score, _seed_of(state))))
    return news


# play

evenodd: Machine[State] = Machine(
    "even-odd",
    Phase,
    start=IDLE,
    ends=(FINISHED,),
    state=State,
    messages=MatchStarted | OpponentChose | NumberDrawn | MatchFinished,
    codes=Code,
)


@evenodd.on(IDLE, Start, to=COLLECTING_CHOICES, tell=match_started)
def start(state: State, event: Start) -> State:
    """Both players are shown a commitment to the seed, and may choose.

    Inviting the players, waiting for them and telling the league are the referee's part (docs/departures.md).
    """
    return replace(state, phase=COLLECTING_CHOICES, seed=event.seed)


@evenodd.on(
    COLLECTING_CHOICES,
    ChooseParity,
    to={"one choice": COLLECTING_CHOICES, "both choices": DRAWING_NUMBER},
)
def choose(state: State, event: ChooseParity) -> Next[State] | Rejection:
    """A player chooses even or odd in secret. When both have chosen, the number is drawn.

    A choice stands: the specification takes the latest of several, here a second one is refused (docs/departures.md).
    """
    if event.player not in state.players:
        return Rejection(Code.UNKNOWN_PLAYER, f"{event.player} has no seat in this match.")
    if state.choices[event.player] is not None:
        return Rejection(Code.ALREADY_CHOSEN, "You have chosen; wait for the other player.")
    parity = PARITIES.get(event.parity_choice)
    if parity is None:
        return Rejection(Code.INVALID_CHOICE, 'INVALID_CHOICE: say "even" or "odd".')
    choices = state.choices.put(event.player, parity)
    opponent = _other(state.players, event.player)
    phase = COLLECTING_CHOICES if choices[opponent] is None else DRAWING_NUMBER
    return Next(replace(state, choices=choices, phase=phase), lambda: Tell.all([opponent], OpponentChose()))


@evenodd.auto(DRAWING_NUMBER, to={"draws are left": COLLECTING_CHOICES, "the last draw": FINISHED}, tell=number_drawn)
def draw_number(state: State) -> State:
    """A number from 1 to 10 is drawn and judged, and the points are added. After the last one the match is over.

    The specification plays one draw; at a table a match is a series of them (docs/departures.md).
    """
    index = len(state.results)
    result = result_of(state.players, _both_chosen(state), drawn_number(_seed_of(state), index))
    return replace(
        state,
        phase=COLLECTING_CHOICES if index + 1 < state.draws else FINISHED,
        choices=no_choices(state.players),
        score=ByPlayer({player: points + result.points[player] for player, points in state.score.items()}),
        results=(*state.results, result),
    )


@lru_cache(maxsize=4096)
def no_choices(players: Players) -> ByPlayer[Parity | None]:
    """Cached, because it is the same before every draw."""
    return ByPlayer.same(players, None)


def drawn_number(seed: Seed, draw_index: int) -> int:
    """The number of a draw, from 1 to 10, each equally likely; the first draw of a match has index 0."""
    return NUMBERS[draw(seed, "number", draw_index, len(NUMBERS))]


def parity_of(number: int) -> Parity:
    return EVEN if number % 2 == 0 else ODD


def judge(choice_a: Parity, choice_b: Parity, number: int) -> Judgement:
    """If only one player is right, it wins, 3 points to 0. Both right or both wrong is a draw, 1 point each."""
    parity = parity_of(number)
    a_is_right, b_is_right = choice_a == parity, choice_b == parity
    if a_is_right == b_is_right:
        return BOTH_DRAW
    return FIRST_WINS if a_is_right else SECOND_WINS


def result_of(players: Players, choices: ByPlayer[Parity], number: int) -> GameResult:
    """What a number means for the choices of two players."""
    one, other = players
    judged = judge(choices[one], choices[other], number)
    return GameResult(
        drawn_number=number,
        number_parity=parity_of(number),
        choices=choices,
        status=judged.status,
        winner_player_id=None if judged.winning_seat is None else players[judged.winning_seat],
        points=ByPlayer({one: judged.points[0], other: judged.points[1]}),
    )


# sight


def view(state: State, player: PlayerId | None) -> View:
    """The match as `player` sees it; `None` looks on from outside. Never the other's choice, never the seed."""
    return View(
        phase=state.phase,
        players=state.players,
        draws=state.draws,
        choice=state.choices.get(player) if player else None,
        has_chosen=ByPlayer({who: choice is not None for who, choice in state.choices.items()}),  # that, never what
        score=state.score,
        results=state.results,
    )


def actions(state: State, player: PlayerId) -> tuple[ChooseParity, ...]:
    """Even or odd, as long as the player has not chosen."""
    waits = state.phase is COLLECTING_CHOICES and player in state.players and state.choices[player] is None
    return _both_choices(player) if waits else ()


@lru_cache(maxsize=4096)
def _both_choices(player: PlayerId) -> tuple[ChooseParity, ...]:
    """Cached, because they are the same before every draw."""
    return tuple(ChooseParity(player, parity.value) for parity in Parity)


def dealer(state: State) -> Event | None:
    """The table starts the match with the seed it committed to."""
    return Start(state.seed) if state.phase is IDLE and state.seed is not None else None


# end


def outcome(state: State) -> Outcome | None:
    """The highest total wins; equal totals share the win."""
    return Outcome(leaders(state), state.score) if state.phase is FINISHED else None


# helpers


def leaders(state: State) -> Players:
    most = max(state.score.values())
    return tuple(player for player in state.players if state.score[player] == most)


def _other(players: Players, player: PlayerId) -> PlayerId:
    return players[1] if player == players[0] else players[0]


def _both_chosen(state: State) -> ByPlayer[Parity]:
    assert None not in state.choices.values(), "both players have chosen"
    return cast("ByPlayer[Parity]", state.choices)


def _seed_of(state: State) -> Seed:
    assert state.seed is not None, "the seed came with Start"
    return state.seed


game = Game(
    machine=evenodd,
    title="Even/Odd",
    rules=RULES,
    version=1,
    seats=SEATS,
    options=Options,
    new=new,
    view=view,
    actions=actions,
    dealer=dealer,
    outcome=outcome,
)
