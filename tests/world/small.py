"""A world so small that all of it can be tried: one table, two seats, and every order in which things can happen.

The machine and the ledger are real; the host around them is a model that takes its steps one at a time, so that a crash
can come between any two: decide, commit, answer, hand out, acknowledge. What happens is a path through `Small` states;
equal states are visited once.
"""

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Raw
from msgspec.structs import replace

from turnstile.durable.log import begin, draft, replay
from turnstile.host.logs import TABLES, KeptTable, TableEvent, command_of, told_since
from turnstile.kernel.chance import Seed
from turnstile.kernel.machine import Rejection
from turnstile.kernel.timers import next_timer
from turnstile.kernel.values import ByPlayer, Instant, LogId, PlayerId, decode, encode
from turnstile.registry import find_game
from turnstile.store.log import Entry
from turnstile.store.protocol import Saved
from turnstile.table.machine import table
from turnstile.table.values import (
    Acknowledge,
    Act,
    Clock,
    Command,
    Header,
    Join,
    Phase,
    Ring,
    RunOut,
    Settings,
    Start,
)

NAME = LogId("small")
ANN, BOB = PlayerId("ann"), PlayerId("bob")
PLAYERS = (ANN, BOB)
MOVES = 2
"""Moves that each seat makes in the scenario."""


class Seat(NamedTuple):
    """What one player knows, and what it has sent: the position in its own script, its newest update, its answers."""

    have: int = 0
    wants: bytes | None = None
    """The command it repeats until it is answered."""
    moves: int = 0
    answers: tuple[tuple[str, bytes], ...] = ()


class Small(NamedTuple):
    """The whole small world. `log` is what is durable; the server's `memory` is how much of it the server has read."""

    log: tuple[Entry, ...]
    now: int
    seats: tuple[Seat, Seat]
    requests: tuple[bytes, ...] = ()
    """Commands under way to the server."""
    draft: tuple[bytes, bool] | None = None
    """What the server has decided and not written (False), or written and not answered (True)."""
    cursors: tuple[int, int] = (0, 0)
    """What the server knows to be acknowledged: in memory only."""
    crashes: int = 1
    losses: int = 1
    doubles: int = 1


class Broken(AssertionError):
    """A promise that does not hold on some path."""


def kept_of(log: tuple[Entry, ...]) -> KeptTable:
    """What a server that starts now would have."""
    return replay(TABLES, NAME, Saved(log[0], None, log[1:]))


_KEPT: dict[bytes, KeptTable] = {}


def kept(log: tuple[Entry, ...]) -> KeptTable:
    """The same, remembered: a log is named by its last link."""
    found = _KEPT.get(log[-1].link)
    if found is None:
        found = _KEPT[log[-1].link] = kept_of(log)
    return found


def begun(game_name: str) -> Small:
    """The table, with both seated and the match about to start."""
    game = find_game(game_name)
    assert game is not None
    settings = Settings(clock=Clock(1.0, run_out=RunOut.FORFEIT), ack_seconds=1.0)
    header = Header(NAME, game_name, game.version, Raw(b"{}"), ANN, Instant(0), settings)
    log: tuple[Entry, ...] = (begin(TABLES, NAME, encode(header), header.at)[0],)
    at = Instant(0)
    for command in (Join(ANN, "j", at), Join(BOB, "j", at), Start(ANN, "s", at, Seed("7"))):
        log = written(log, command)
    return Small(log, 0, (Seat(), Seat()))


def written(log: tuple[Entry, ...], event: TableEvent) -> tuple[Entry, ...]:
    """The log with this event; it must be accepted."""
    before = kept(log)
    after = table.apply(before.state, event)
    assert not isinstance(after, Rejection), after
    commit, _ = draft(TABLES, NAME, before, event, event.at, after)
    return (*log, commit.entry)


# what can happen next


def following(world: Small) -> Iterator[tuple[str, Small]]:
    """Everything that can happen now, each with the world it leads to."""
    for number in range(2):
        yield from _player(world, number)
    yield from _network(world)
    yield from _server(world)
    if world.crashes:
        yield "crash", world._replace(draft=None, cursors=(0, 0), crashes=world.crashes - 1)


def _player(world: Small, number: int) -> Iterator[tuple[str, Small]]:
    player, seat, state = PLAYERS[number], world.seats[number], kept(world.log).state
    if seat.have < state.told[player]:
        yield f"{player} reads", _with_seat(world, number, seat._replace(have=seat.have + 1))
    if world.cursors[number] < seat.have:
        cursors = (seat.have, world.cursors[1]) if number == 0 else (world.cursors[0], seat.have)
        yield f"{player} acknowledges", world._replace(cursors=cursors)
    if seat.wants is not None:
        if seat.wants not in world.requests and world.draft is None:
            yield f"{player} repeats", world._replace(requests=(*world.requests, seat.wants))
    elif seat.moves < MOVES and state.phase is Phase.PLAYING and seat.have == state.told[player]:
        game = find_game(state.header.game)
        assert game is not None
        for move in game.actions(state.match, player)[:1]:
            command = encode(Act(player, f"{seat.moves}", Instant(0), Raw(encode(move)), seat.have))
            after = seat._replace(wants=command, moves=seat.moves + 1)
            yield f"{player} moves", _with_seat(world, number, after)._replace(requests=(*world.requests, command))


def _network(world: Small) -> Iterator[tuple[str, Small]]:
    for number, request in enumerate(world.requests):
        others = (*world.requests[:number], *world.requests[number + 1 :])
        if world.draft is None:
            yield "arrives", world._replace(requests=others, draft=(request, False))
        if world.losses:
            yield "lost", world._replace(requests=others, losses=world.losses - 1)
        if world.doubles:
            yield "doubled", world._replace(requests=(*world.requests, request), doubles=world.doubles - 1)


def _server(world: Small) -> Iterator[tuple[str, Small]]:
    if world.draft is not None:
        command = decode(world.draft[0], Act)
        yield ("answers", _answered(world, command)) if world.draft[1] else ("commits", _committed(world, command))
    state = kept(world.log).state
    timer = next_timer(state.timers)
    if timer is not None and timer.due > world.now:
        yield "time passes", world._replace(now=timer.due)
    if timer is not None and timer.due <= world.now:
        yield "rings", world._replace(log=written(world.log, Ring(Instant(world.now), timer.name, timer.due)))
    heard = ByPlayer(dict(zip(PLAYERS, world.cursors, strict=True)))
    gate = Acknowledge(Instant(world.now), heard)
    if state.phase in (Phase.STARTING, Phase.GATHERING) and not isinstance(table.apply(state, gate), Rejection):
        yield "gate opens", world._replace(log=written(world.log, gate))


def _committed(world: Small, command: Command) -> Small:
    """The command is decided and, where it is accepted and new, written; both in one piece."""
    event, before = replace(command, at=Instant(world.now)), kept(world.log)
    after = table.apply(before.state, event)
    is_new = all(entry.command != command_of(command) for entry in world.log)
    assert world.draft is not None
    draft = (world.draft[0], True)
    if isinstance(after, Rejection) or not is_new:
        return world._replace(draft=draft)
    return world._replace(log=written(world.log, event), draft=draft)


def _answered(world: Small, command: Command) -> Small:
    """The stored answer, or a refusal."""
    number = PLAYERS.index(command.player)
    seat = world.seats[number]
    found = next((entry for entry in world.log if entry.command == command_of(command)), None)
    answer = b"refused" if found is None or found.answer is None else found.answer
    wants = None if seat.wants is not None and decode(seat.wants, Act).id == command.id else seat.wants
    after = seat._replace(wants=wants, answers=(*seat.answers, (command.id, answer)))
    return _with_seat(world, number, after)._replace(draft=None)


def _with_seat(world: Small, number: int, seat: Seat) -> Small:
    return world._replace(seats=(seat, world.seats[1]) if number == 0 else (world.seats[0], seat))


# what must hold


def check(world: Small) -> None:
    """The promises, in one state of the small world."""
    fresh = kept(world.log)  # replayed from the first entry on, with every hash checked
    commands = [entry.command for entry in world.log if entry.command]
    if len(set(commands)) < len(commands):
        raise Broken("a command has two effects")
    for number, player in enumerate(PLAYERS):
        seat = world.seats[number]
        if seat.have > fresh.state.told[player]:
            raise Broken("a player has what is not durable")
        if world.cursors[number] > seat.have:
            raise Broken("a player is said to have what it has not")
        accepted: dict[str, bytes] = {}
        for command, answer in seat.answers:
            if answer != b"refused" and accepted.setdefault(command, answer) != answer:
                raise Broken("one command has two answers")
            if answer == b"refused" and command in accepted:
                raise Broken("what was accepted is refused when it is repeated")
    _check_streams(world.log)


_STREAMS: dict[tuple[bytes, PlayerId], list[bytes]] = {}


def _check_streams(log: tuple[Entry, ...]) -> None:
    """A stream made anew begins with the stream as it was one entry before."""
    for player in PLAYERS:
        if (log[-1].link, player) in _STREAMS:
            continue
        start = replay(TABLES, NAME, Saved(log[0], None, ()))
        _, updates = told_since(NAME, start, log[1:], player)
        if [told.seq for told in updates] != list(range(1, len(updates) + 1)):
            raise Broken("a stream has a gap")
        bodies = [encode(told) for told in updates]
        before = _STREAMS.get((log[-2].link, player), [])
        if bodies[: len(before)] != before:
            raise Broken("a stream was changed afterwards")
        _STREAMS[log[-1].link, player] = bodies
