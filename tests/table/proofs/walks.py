"""Random tables: from one seed, a game, its company, its settings, and whatever can happen to a table, in any order.

`walked(Random(7), 80)` is a table of some game after at most 80 events. Whatever is drawn is drawn from the generator
alone, so the seed repeats it. `happening` can be used by anyone who has a table and wants something to happen to it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from msgspec import Raw

from turnstile.kernel import AnyGame, Event, PlayerId, Rejection, Seed, Step, encode
from turnstile.kernel.values import Instant, LogId
from turnstile.registry import find_game, names
from turnstile.table.machine import Table, open_table, table
from turnstile.table.play import game_of, thinking
from turnstile.table.values import (
    Acknowledge,
    Act,
    AddBot,
    AddWords,
    Clock,
    Close,
    Halt,
    Header,
    Join,
    Leave,
    Per,
    Phase,
    Rematch,
    RematchFailed,
    Remove,
    Resign,
    Resume,
    Return,
    Ring,
    RunOut,
    Settings,
    Start,
    Succeeded,
)
from turnstile.testing.strategies import NAMES

MOST_PLAYERS = 4
Chance = tuple[float, Callable[[], Event]]
"""How likely something is, beside all else that can happen, and what it is."""


LONGEST_REPR = 20_000


@dataclass(slots=True)
class TableWalk:
    """`steps[i]` is what `events[i]` led to from `states[i]`; refused events are among neither."""

    states: list[Table]
    events: list[Event] = field(default_factory=list)
    steps: list[Step[Table]] = field(default_factory=list)

    @property
    def state(self) -> Table:
        return self.states[-1]

    @property
    def game(self) -> AnyGame:
        return game_of(self.state)

    def take(self, event: Event) -> Step[Table] | Rejection:
        """Let this happen, if the table lets it."""
        step = table.step(self.state, event)
        if not isinstance(step, Rejection):
            self.events.append(event)
            self.steps.append(step)
            self.states.append(step.state)
        return step

    def __repr__(self) -> str:
        written = [encode(event).decode() for event in self.events]
        whole = "\n".join([f"A table of {self.game.name}, {encode(self.state.header).decode()}", *written])
        return whole[:LONGEST_REPR]  # Hypothesis warns of a longer one, and the warning hides the failure


def walked(rng: Random, length: int, game: AnyGame | None = None) -> TableWalk:
    """A table after so many events, or after its end."""
    walk = TableWalk([new_table(rng, game or find(rng.choice(names())))])
    while len(walk.events) < length and walk.state.phase is not Phase.CLOSED:
        walk.take(happening(walk.state, rng))
    return walk


def find(name: str) -> AnyGame:
    game = find_game(name)
    assert game is not None
    return game


def new_table(rng: Random, game: AnyGame, **settings: Any) -> Table:
    """A table of this game, with settings of any kind."""
    clock = Clock(rng.choice([1.0, 30.0]), rng.choice(list(Per)), rng.choice(list(RunOut)))
    drawn = {"clock": rng.choice([None, clock]), "ack_seconds": rng.choice([0.5, 30.0]), **settings}
    header = Header(LogId("t1"), game.name, game.version, Raw(b"{}"), NAMES[0], Instant(1_000_000), Settings(**drawn))
    state = open_table(header)
    assert not isinstance(state, Rejection), state
    return state


# what happens


def happening(state: Table, rng: Random) -> Event:
    """Something that can happen now: mostly what brings the match on, now and then anything else."""
    now = Instant(state.now + rng.choice([0, 0, 1, 700, 5_000]))
    weights, events = zip(*_chances(state, now, rng), strict=True)
    make: Callable[[], Event] = rng.choices(events, weights)[0]
    return make()


def _chances(state: Table, now: Instant, rng: Random) -> Iterator[Chance]:
    yield from PARTS[state.phase](state, now, rng)
    if state.phase in (Phase.STARTING, Phase.GATHERING, Phase.PLAYING):
        yield from _troubles(state, now, rng)


def _seating(state: Table, now: Instant, rng: Random) -> Iterator[Chance]:
    seats = game_of(state).seats
    free = [name for name in NAMES if name not in state.players]
    if len(state.seats) < min(seats[-1], MOST_PLAYERS):
        yield 3, lambda: Join(free[0], "join", now)
        yield 1, lambda: AddBot(NAMES[0], "bot", now, free[0], PlayerId("random"))
    if state.seats:
        yield 0.1, lambda: Leave(rng.choice(state.players), "leave", now)
        yield 0.1, lambda: Remove(NAMES[0], "remove", now, rng.choice(state.players))
    if len(state.seats) in seats:
        yield 4, lambda: Start(NAMES[0], "start", now, Seed(f"seed {rng.random()}"))
    yield 0.01, lambda: Close(NAMES[0], "close", now)


def _starting(state: Table, now: Instant, rng: Random) -> Iterator[Chance]:
    yield 10, lambda: Acknowledge(now, state.told)
    yield 4, lambda: AddWords(rng.choice(state.players), "words", now, rng.choice(["luck", "cat", "\u2660"]))


def _gathering(state: Table, now: Instant, rng: Random) -> Iterator[Chance]:
    yield 20, lambda: Acknowledge(now, state.told)


def _playing(state: Table, now: Instant, rng: Random) -> Iterator[Chance]:
    if able := thinking(game_of(state), state):
        yield 20, lambda: act(state, rng.choice(able), now, rng)


def act(state: Table, player: PlayerId, now: Instant, rng: Random) -> Act:
    """Any move that is offered to a player."""
    move = rng.choice(game_of(state).actions(state.match, player))
    return Act(player, "act", now, Raw(encode(move)), rng.choice([None, state.told[player]]))


def _troubles(state: Table, now: Instant, rng: Random) -> Iterator[Chance]:
    """Silence, outages, people who leave and come back."""
    if state.timers:
        timer = rng.choice(state.timers)
        yield 2, lambda: Ring(max(now, timer.due), timer.name, timer.due)
        yield 0.5, lambda: Ring(now, timer.name, timer.due)
    if away := [seat.player for seat in state.seats if seat.is_away]:
        yield 4, lambda: Return(now, rng.choice(away))
    yield 0.5, lambda: Resume(Instant(now + 60_000), 60_000)
    yield 0.2, lambda: Resign(rng.choice(state.players), "resign", now)
    yield 0.2, lambda: Halt(now, "a reason")


def _finished(state: Table, now: Instant, rng: Random) -> Iterator[Chance]:
    yield 1, lambda: Rematch(rng.choice(state.players), "again", now, LogId("t2"))


def _rematched(state: Table, now: Instant, rng: Random) -> Iterator[Chance]:
    yield 1, lambda: Succeeded(now)
    yield 0.2, lambda: RematchFailed(now)


PARTS: dict[Phase, Callable[[Table, Instant, Random], Iterator[Chance]]] = {
    Phase.SEATING: _seating,
    Phase.STARTING: _starting,
    Phase.GATHERING: _gathering,
    Phase.PLAYING: _playing,
    Phase.FINISHED: _finished,
    Phase.REMATCHED: _rematched,
}
