"""How tables are written in logs: header, events, states, and what a log told its streams. No I/O, no waiting."""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Raw
from msgspec.structs import replace

from turnstile.durable.log import Kept, Outdated, Unplayable, fingerprint, follow_steps
from turnstile.kernel.machine import Rejection, Step
from turnstile.kernel.values import Instant, LogId, Malformed, PlayerId, decode, encode
from turnstile.registry import find_game
from turnstile.store.log import Command, Damaged, Entry, Link, Snapshot, entry
from turnstile.store.protocol import Commit, Row
from turnstile.table.machine import Table, open_table, table
from turnstile.table.messages import Told
from turnstile.table.sight import answer_of, delayed_phase, due_of, is_open, is_shown_later
from turnstile.table.values import VERSION, Act, Halt, Header, How, Phase, Result, ServerEvent, State
from turnstile.table.values import Command as TableCommand

SNAPSHOT_EVERY = 64  # entries
LARGEST_STATE = 1_000_000  # bytes; the longest matches of the games in the box have some 30,000
PATIENCE = 5_000  # milliseconds after which another server looks whether a table's server has died

TableEvent = TableCommand | ServerEvent
KeptTable = Kept[Table]


class TableLogs:
    """The kind of log that a table has."""

    tag = "table"
    snapshot_every = SNAPSHOT_EVERY
    largest_state: int | None = LARGEST_STATE

    def open(self, name: LogId, header: bytes, at: Instant) -> Table:
        """The table when it was opened. What an older release began must be ended; the rest is left to others."""
        read = read_header(name, header)
        if read.table != name:
            raise Damaged(name, f"it is the log of table {read.table}")
        state = open_table(read)
        if isinstance(state, Rejection):
            raise Outdated(state) if _is_older(read) else Unplayable(state)
        return state

    def read_event(self, name: LogId, found: Entry) -> TableEvent:
        event = table.read_event(found.event)
        if isinstance(event, Rejection):
            raise Damaged(name, f"entry {found.position} is not an event of a table: {event.sentence}")
        assert isinstance(event, TableCommand | ServerEvent), "a table has no other events"
        return event

    def write_event(self, event: TableEvent) -> bytes:
        return encode(event)

    def apply(self, state: Table, event: TableEvent, at: Instant) -> Table | Rejection:
        return table.apply(state, event)

    def step(self, state: Table, event: TableEvent, at: Instant) -> Step[Table] | Rejection:
        return table.step(state, event)

    def write_state(self, state: Table) -> bytes:
        return encode(state)

    def read_state(self, start: Table, written: bytes) -> Table:
        game = find_game(start.header.game)
        assert game is not None, "the table was opened"
        state: Table = decode(written, State[game.machine.state])  # type: ignore[name-defined]
        return state

    def row(self, state: Table) -> Row:
        """What lists show: no more than a spectator may know. Where spectators see the match later, the times of its
        events and its gates are not shown until it is over."""
        header, is_hidden = state.header, is_shown_later(state) and is_open(state)
        phase, changed = (delayed_phase(state.phase), header.at) if is_hidden else (state.phase, state.now)
        return Row(
            game=header.game,
            phase=phase.value,
            players=state.players,
            is_open=is_open(state),
            is_listed=header.settings.is_listed,
            opened=header.at,
            changed=changed,
            due=due_of(state, PATIENCE),
        )

    def players(self, state: Table) -> tuple[str, ...]:
        return state.players

    def command(self, event: TableEvent) -> Command | None:
        return command_of(event) if isinstance(event, TableCommand) else None

    def answer(self, event: TableEvent, after: Table) -> bytes:
        assert isinstance(event, TableCommand), "only commands are answered"
        return encode(answer_of(after, event))

    def end_without_replay(self, name: LogId, header: bytes, last: Entry) -> Table | None:
        """The table whose last entry ended it as outdated: nothing before it is needed, or could be understood."""
        event = table.read_event(last.event)
        if not isinstance(event, Halt):
            return None
        state = _halted(read_header(name, header), event.reason, event.at)
        return state if fingerprint(encode(state)) == last.state else None


TABLES = TableLogs()


def read_header(name: LogId, written: bytes) -> Header:
    try:
        return decode(written, Header)
    except Malformed as fault:
        raise Damaged(name, f"its header cannot be read: {fault}") from None


def _is_older(header: Header) -> bool:
    """Whether a release before this one began the table, so that this one must end it."""
    game = find_game(header.game)
    return header.version < VERSION or (game is not None and header.game_version < game.version)


# commands


def command_of(event: TableCommand) -> Command:
    """What makes a command unique at its table: who sent it, and the id it was given."""
    return Command(encode([event.player, event.id]).decode())


def canonical(state: Table, command: TableCommand) -> TableCommand:
    """The command with its move written in the one way in which it is stored; what is not a move stays as it came."""
    game = find_game(state.header.game)
    if (
        type(command) is not Act
        or game is None
        or isinstance(move := game.machine.read_event(bytes(command.move)), Rejection)
    ):
        return command
    return replace(command, move=Raw(encode(move)))


def part_of_sender(event: TableEvent) -> TableEvent:
    """The part of a command that its sender chose; the server adds the rest, and adds something else each time."""
    added = {"at": Instant(0), "seed": "-", "successor": "-"}
    return replace(event, **{name: value for name, value in added.items() if name in event.__struct_fields__})


# news


LinkedNews = tuple[Told, Link]
"""An update, and the link of the entry that it comes from."""


def linked_news(steps: Iterable[tuple[Step[Any], Link]]) -> list[LinkedNews]:
    """What these steps tell, in order, to all streams."""
    return [(effect, link) for step, link in steps for effect in step.effects if type(effect) is Told]


def told_since(
    name: LogId, kept: KeptTable, entries: Sequence[Entry], stream: PlayerId | None
) -> tuple[KeptTable, list[Told]]:
    """What these entries told one stream, and what is kept then."""
    after, news = linked_news_since(name, kept, entries, stream)
    return after, [told for told, _ in news]


def linked_news_since(
    name: LogId, kept: KeptTable, entries: Sequence[Entry], stream: PlayerId | None
) -> tuple[KeptTable, list[LinkedNews]]:
    """The same with links."""
    read = list(follow_steps(TABLES, name, kept, entries))
    news = linked_news((step, after.link) for after, _, step in read)
    return read[-1][0] if read else kept, [each for each in news if each[0].player == stream]


# tables of older releases


def outdated(name: LogId, header: Entry, last: Entry | Snapshot, reason: str, at: Instant) -> Commit:
    """The entry that ends a table which this release cannot go on with, without having to understand it."""
    state = _halted(read_header(name, header.event), reason, at)
    made = entry(last.link, last.position + 1, at, encode(Halt(at, reason)), fingerprint(encode(state)))
    return Commit(name, made, last.link, TABLES.row(state))


def _halted(header: Header, reason: str, at: Instant) -> Table:
    return State(phase=Phase.CLOSED, header=header, now=at, result=Result(How.HALTED, (), reason=reason))
