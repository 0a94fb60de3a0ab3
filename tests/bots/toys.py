"""Three small games for bots to be tried in: one of pure skill, one in which a cheat would give itself away, and one in
which players choose at the same time from hands that the others do not see."""

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
from turnstile.kernel.chance import draw, shuffle


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


# Hands: each player holds two of the numbers 1 to 6, and both lay one at the same time. The higher one wins.


class Hands(Value, frozen=True):
    phase: Phase
    players: Players
    hands: ByPlayer[tuple[int, ...]]
    laid: ByPlayer[int]


class LayNumber(Move, frozen=True):
    number: int


hands_machine: Machine[Hands] = Machine(
    "hands", Phase, start=Phase.FIRST, ends=(Phase.OVER,), state=Hands, messages=Silence, codes=Code
)


@hands_machine.on(Phase.FIRST, LayNumber, to={"one": Phase.FIRST, "both": Phase.OVER})
def lay_number(state: Hands, event: LayNumber) -> Hands | Rejection:
    if event not in hands_actions(state, event.player):
        return Rejection(Code.NO, "No.")
    laid = ByPlayer({**state.laid, event.player: event.number})
    return replace(state, laid=laid, phase=Phase.OVER if len(laid) == len(state.players) else Phase.FIRST)


def hands_actions(state: Hands, player: PlayerId) -> tuple[LayNumber, ...]:
    return () if player in state.laid else tuple(LayNumber(player, number) for number in state.hands[player])


class SeenHands(Value, frozen=True):
    players: Players
    mine: tuple[int, ...]
    have_laid: Players


def view_hands(state: Hands, player: PlayerId | None) -> SeenHands:
    return SeenHands(state.players, state.hands.get(player, ()) if player else (), tuple(state.laid))


def new_hands(players: Sequence[PlayerId], options: Options, seed: Seed | None) -> Hands:
    one, two, three, four, *_ = shuffle(seed or Seed("0"), "hands", 0, range(1, 7))
    return Hands(
        Phase.FIRST, tuple(players), ByPlayer(zip(players, ((one, two), (three, four)), strict=True)), ByPlayer()
    )


def imagine_hands(view: SeenHands, player: PlayerId | None, seed: Seed) -> Hands:
    """The other player holds any two of the numbers that this one does not hold, and has laid the first if any."""
    assert player is not None
    (other,) = (each for each in view.players if each != player)
    unseen = shuffle(seed, "unseen", 0, [number for number in range(1, 7) if number not in view.mine])
    hands = ByPlayer({each: view.mine if each == player else tuple(unseen[:2]) for each in view.players})
    return Hands(Phase.FIRST, view.players, hands, ByPlayer({other: unseen[0]} if other in view.have_laid else {}))


def layer_of_the_higher(state: Hands) -> Outcome | None:
    if state.phase is not Phase.OVER:
        return None
    return Outcome((max(state.laid, key=lambda player: state.laid[player]),), state.laid)


hands = Game(
    machine=hands_machine,
    title="Hands",
    version=1,
    seats=range(2, 3),
    options=Options,
    new=new_hands,
    view=view_hands,
    actions=hands_actions,
    dealer=lambda state: None,
    outcome=layer_of_the_higher,
)
hands_study: Study[Hands, SeenHands] = Study(imagine=imagine_hands)
