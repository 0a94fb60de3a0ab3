"""Counting: a game without an end, for tables that must be able to take any number of moves.

Two players count up, in any order and as often as they like. A state is as large after ten thousand moves as after ten.
"""

from collections.abc import Sequence
from enum import StrEnum

from msgspec.structs import replace

from turnstile.kernel import (
    Game,
    Machine,
    Message,
    Move,
    Next,
    Outcome,
    PlayerId,
    Players,
    Seed,
    Tell,
    Value,
)


class Phase(StrEnum):
    COUNTING = "Counting"


class Code(StrEnum):
    """Nothing is refused."""


class Options(Value, frozen=True):
    pass


class State(Value, frozen=True):
    phase: Phase
    players: Players
    count: int = 0


class Counted(Message, frozen=True):
    count: int


class Count(Move, frozen=True):
    pass


counting: Machine[State] = Machine(
    "counting", Phase, start=Phase.COUNTING, ends=(), state=State, messages=Counted, codes=Code
)


@counting.on(Phase.COUNTING, Count, to=Phase.COUNTING)
def count(state: State, event: Count) -> Next[State]:
    """The next number."""
    after = replace(state, count=state.count + 1)
    return Next(after, Tell.all(state.players, Counted(after.count)))


def new(players: Sequence[PlayerId], options: Options, seed: Seed | None) -> State:
    return State(Phase.COUNTING, tuple(players))


def view(state: State, player: PlayerId | None) -> State:
    return state


def actions(state: State, player: PlayerId) -> tuple[Move, ...]:
    return (Count(player),)


def dealer(state: State) -> None:
    return None


def outcome(state: State) -> Outcome | None:
    return None


game: Game[State, State, Options] = Game(
    machine=counting,
    title="Counting",
    version=1,
    seats=range(2, 3),
    options=Options,
    new=new,
    view=view,
    actions=actions,
    dealer=dealer,
    outcome=outcome,
)
