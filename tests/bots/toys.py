"""Two small games for bots to be tried in: one of pure skill, and one in which a cheat would give itself away."""

from collections.abc import Sequence
from enum import StrEnum

from msgspec.structs import replace

from turnstile.kernel import (
    ByPlayer,
    Game,
    Machine,
    Message,
    Move,
    Outcome,
    PlayerId,
    Players,
    Rejection,
    Seed,
    Study,
    Value,
)
from turnstile.kernel.chance import draw


class Code(StrEnum):
    NO = "No"


class Phase(StrEnum):
    FIRST = "First"
    SECOND = "Second"
    OVER = "Over"


class Silence(Message, frozen=True):
    pass


class Options(Value, frozen=True):
    sticks: int = 9


# Sticks: take 1, 2 or 3 in turn; who takes the last one wins. Who leaves a multiple of 4 wins.


class Pile(Value, frozen=True):
    phase: Phase
    players: Players
    sticks: int
    turn: int = 0


class Take(Move, frozen=True):
    sticks: int


sticks_machine: Machine[Pile] = Machine(
    "sticks", Phase, start=Phase.FIRST, ends=(Phase.OVER,), state=Pile, messages=Silence, codes=Code
)


@sticks_machine.on(Phase.FIRST, Take, to={"more": Phase.FIRST, "the last one": Phase.OVER})
def take(state: Pile, event: Take) -> Pile | Rejection:
    if event not in sticks_actions(state, event.player):
        return Rejection(Code.NO, "No.")
    left = state.sticks - event.sticks
    return replace(state, sticks=left, turn=1 - state.turn, phase=Phase.FIRST if left else Phase.OVER)


def sticks_actions(state: Pile, player: PlayerId) -> tuple[Take, ...]:
    if player != state.players[state.turn]:
        return ()
    return tuple(Take(player, sticks) for sticks in (1, 2, 3) if sticks <= state.sticks)


def taker_of_the_last(state: Pile) -> Outcome | None:
    if state.sticks:
        return None
    winner = state.players[1 - state.turn]
    return Outcome((winner,), ByPlayer({player: int(player == winner) for player in state.players}))


sticks = Game(
    machine=sticks_machine,
    title="Sticks",
    version=1,
    seats=range(2, 3),
    options=Options,
    new=lambda players, options, seed: Pile(Phase.FIRST, tuple(players), options.sticks),
    view=lambda state, player: state,
    actions=sticks_actions,
    dealer=lambda state: None,
    outcome=taker_of_the_last,
)
sticks_study: Study[Pile, Pile] = Study(imagine=lambda view, player, seed: view)


# Cups: a stone lies under one of three cups. Share the prize, or look under one cup: the prize, or nothing.


class Cups(Value, frozen=True):
    phase: Phase
    players: Players
    stone: int
    winners: Players = ()


class Share(Move, frozen=True):
    pass


class Gamble(Move, frozen=True):
    pass


class Look(Move, frozen=True):
    cup: int


cups_machine: Machine[Cups] = Machine(
    "cups", Phase, start=Phase.FIRST, ends=(Phase.OVER,), state=Cups, messages=Silence, codes=Code
)


@cups_machine.on(Phase.FIRST, Share, to=Phase.OVER)
def share(state: Cups, event: Share) -> Cups:
    return replace(state, phase=Phase.OVER, winners=state.players)


@cups_machine.on(Phase.FIRST, Gamble, to=Phase.SECOND)
def gamble(state: Cups, event: Gamble) -> Cups:
    return replace(state, phase=Phase.SECOND)


@cups_machine.on(Phase.SECOND, Look, to=Phase.OVER)
def look(state: Cups, event: Look) -> Cups:
    winner = state.players[0] if event.cup == state.stone else state.players[1]
    return replace(state, phase=Phase.OVER, winners=(winner,))


class SeenCups(Value, frozen=True):
    phase: Phase
    players: Players


def cups_actions(state: Cups, player: PlayerId) -> tuple[Move, ...]:
    if player != state.players[0] or state.phase is Phase.OVER:
        return ()
    return (
        (Share(player), Gamble(player)) if state.phase is Phase.FIRST else tuple(Look(player, cup) for cup in range(3))
    )


def new_cups(players: Sequence[PlayerId], options: Options, seed: Seed | None) -> Cups:
    return Cups(Phase.FIRST, tuple(players), draw(seed or Seed("0"), "stone", 0, 3))


def imagine_cups(view: SeenCups, player: PlayerId | None, seed: Seed) -> Cups:
    return Cups(view.phase, view.players, draw(seed, "stone", 0, 3))


cups = Game(
    machine=cups_machine,
    title="Cups",
    version=1,
    seats=range(2, 3),
    options=Options,
    new=new_cups,
    view=lambda state, player: SeenCups(state.phase, state.players),
    actions=cups_actions,
    dealer=lambda state: None,
    outcome=lambda state: Outcome(state.winners, ByPlayer()) if state.winners else None,
)
cups_study = Study(imagine=imagine_cups)
