"""Between a table and its log: which entry an event makes, and which state a log leads to. No I/O, no waiting."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any, TypeVar

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from turnstile.kernel.machine import Rejection, Step
from turnstile.kernel.values import Instant, LogId, Malformed, PlayerId, decode, encode
from turnstile.registry import find_game
from turnstile.store.log import (
    BEFORE_FIRST,
    Command,
    Damaged,
    Entry,
    Link,
    Position,
    Snapshot,
    entry,
    verify,
    verify_snapshot,
)
from turnstile.store.protocol import Commit, Row, Saved
from turnstile.table.machine import Table, answer_of, open_table, table
from turnstile.table.messages import Told
from turnstile.table.sight import due_of, is_open
from turnstile.table.values import VERSION, Act, Halt, Header, How, Phase, Result, ServerEvent, State
from turnstile.table.values import Command as TableCommand

SNAPSHOT_EVERY = 64  # entries
PATIENCE = 5_000  # milliseconds after which somebody looks whether a table's server has died

TableEvent = TableCommand | ServerEvent
T = TypeVar("T")


class Kept(msgspec.Struct, frozen=True, gc=False):
    """A table as far as its log was read: the state, and the entry that led to it."""

    state: Table
    position: Position
    link: Link


class BadSnapshot(Damaged):
    """A snapshot is not what it should be. It is a cache: the log still has everything."""


class Gone(Exception):
    """The table was pruned, or put aside by another process."""


class Outdated(Exception):
    """A table whose game has changed since: it cannot be played on, and is ended by an entry that says so."""


class Unplayable(Exception):
    """A table of a game that is not installed here, or of a release to come. Others may play it: it is left alone."""

    def __init__(self, refused: Rejection) -> None:
        super().__init__(refused.sentence)
        self.refused = refused


# writing


def first(header: Header) -> tuple[Entry, Row] | Rejection:
    """Entry 0 of a new table, and its row; or why there cannot be such a table."""
    state = open_table(header)
    if isinstance(state, Rejection):
        return state
    return entry(BEFORE_FIRST, 0, header.at, encode(header), _fingerprint(encode(state))), row_of(state)


def drafted(kept: Kept, event: TableEvent, after: Table) -> tuple[Commit, Kept]:
    """What to store when `event` leads from what is kept to `after`, and what is kept then."""
    written, position = encode(after), kept.position + 1
    command, answer = None, None
    if isinstance(event, TableCommand):
        command, answer = command_of(event), encode(answer_of(after, event))
    made = entry(kept.link, position, event.at, encode(event), _fingerprint(written), command, answer)
    is_time = position % SNAPSHOT_EVERY == 0 or (is_open(kept.state) and not is_open(after))
    commit = Commit(after.header.table, made, kept.link, row_of(after), written if is_time else None)
    return commit, Kept(after, position, made.link)


def row_of(state: Table) -> Row:
    """What a list of tables shows."""
    header = state.header
    return Row(
        game=header.game,
        phase=state.phase.value,
        players=state.players,
        is_open=is_open(state),
        is_listed=header.settings.is_listed,
        opened=header.at,
        changed=state.now,
        due=due_of(state, PATIENCE),
    )


def command_of(event: TableCommand) -> Command:
    """What makes a command unique at its table: who sent it, and the id it was given."""
    return Command(encode([event.player, event.id]).decode())


def canonical(state: Table, command: TableCommand) -> TableCommand:
    """The command with its move written in the one way in which it is stored; what is no move stays as it came."""
    game = find_game(state.header.game)
    if (
        type(command) is not Act
        or game is None
        or isinstance(move := game.machine.read_event(bytes(command.move)), Rejection)
    ):
        return command
    return replace(command, move=Raw(encode(move)))


def asked(event: TableEvent) -> TableEvent:
    """The part of a command that its sender chose; the server adds the rest, and adds something else each time."""
    added = {"at": Instant(0), "seed": "-", "successor": "-"}
    return replace(event, **{name: value for name, value in added.items() if name in event.__struct_fields__})


def _fingerprint(written: bytes) -> bytes:
    return sha256(written).digest()


# reading


def read_event(name: LogId, found: Entry) -> TableEvent:
    """The event of an entry."""
    event = table.read_event(found.event)
    if isinstance(event, Rejection):
        raise Damaged(name, f"entry {found.position} is no event of a table: {event.sentence}")
    assert isinstance(event, TableCommand | ServerEvent), "a table has no other events"
    return event


def read_header(name: LogId, found: Entry) -> Header:
    try:
        return decode(found.event, Header)
    except Malformed as fault:
        raise Damaged(name, f"its header cannot be read: {fault}") from None


def replayed(name: LogId, saved: Saved) -> Kept:
    """The table that a log leads to. Every hash on the way is checked, and so is the state at its end."""
    verify(name, BEFORE_FIRST, -1, [saved.header])
    header = read_header(name, saved.header)
    if header.table != name:
        raise Damaged(name, f"it is the log of table {header.table}")
    if saved.entries and (ended := ended_as_outdated(name, header, saved.entries[-1])):
        return ended
    start = open_table(header)
    if isinstance(start, Rejection):
        raise Outdated(start.sentence) if _is_older(header) else Unplayable(start)
    kept = Kept(start, 0, saved.header.link)
    if saved.snapshot is not None:
        state = _read_snapshot(name, header, saved.snapshot)
        kept = Kept(state, saved.snapshot.position, saved.snapshot.link)
    return followed(name, kept, saved.entries)


def _is_older(header: Header) -> bool:
    """Whether a release before this one began the table, so that this one must end it."""
    game = find_game(header.game)
    return header.version < VERSION or (game is not None and header.game_version < game.version)


def followed(name: LogId, kept: Kept, entries: Sequence[Entry]) -> Kept:
    """What is kept after these entries, too."""
    verify(name, kept.link, kept.position, entries)
    state = kept.state
    for found in entries:
        state = _again(name, state, found, table.apply)
    _check_end(name, state, entries)
    return Kept(state, entries[-1].position, entries[-1].link) if entries else kept


def _again(name: LogId, state: Table, found: Entry, decide: Callable[[Table, TableEvent], T | Rejection]) -> T:
    """What was decided once, decided again. A game that fails or refuses now is not the one that was played."""
    event = read_event(name, found)
    try:
        decided = decide(state, event)
    except Exception as bug:
        why = f"entry {found.position} makes {state.header.game} fail: {type(bug).__name__}: {bug}"
        raise Damaged(name, why) from bug
    if isinstance(decided, Rejection):
        raise Damaged(name, f"entry {found.position} is refused: {decided.sentence}")
    return decided


def _check_end(name: LogId, state: Table, entries: Sequence[Entry]) -> None:
    if entries and _again(name, state, entries[-1], lambda state, _: _fingerprint(encode(state))) != entries[-1].state:
        raise Damaged(name, f"it no longer leads to the state it led to at entry {entries[-1].position}")


def _read_snapshot(name: LogId, header: Header, snapshot: Snapshot) -> Table:
    game = find_game(header.game)
    assert game is not None, "the header was opened"
    try:
        verify_snapshot(name, snapshot)
        state: Table = decode(snapshot.state, State[game.machine.state])  # type: ignore[name-defined]
    except (Damaged, Malformed) as fault:
        raise BadSnapshot(name, f"its snapshot at {snapshot.position} cannot be read: {fault}") from None
    return state


def followed_with_news(name: LogId, kept: Kept, entries: Sequence[Entry]) -> tuple[Kept, list[Told]]:
    """What is kept after these entries, and what they told everyone."""
    verify(name, kept.link, kept.position, entries)
    if entries and (ended := ended_as_outdated(name, kept.state.header, entries[-1])):
        return ended, []
    news: list[Told] = []
    for found in entries:
        step = _again(name, kept.state, found, table.step)
        news += news_of(step)
        kept = Kept(step.state, found.position, found.link)
    _check_end(name, kept.state, entries)
    return kept, news


def told_since(
    name: LogId, kept: Kept, entries: Sequence[Entry], stream: PlayerId | None, after: int
) -> tuple[Kept, list[tuple[int, bytes]]]:
    """What these entries told one stream after `after`, and what is kept then."""
    kept, news = followed_with_news(name, kept, entries)
    updates = [update for told in news if told.player == stream for update in told.updates()]
    return kept, [update for update in updates if update[0] > after]


def news_of(step: Step[Any]) -> list[Told]:
    """What a step tells, to whomever."""
    return [effect for effect in step.effects if type(effect) is Told]


# tables of older releases


def outdated(name: LogId, header_entry: Entry, last: Entry | Snapshot, reason: str, at: Instant) -> Commit:
    """The entry that ends a table which this release cannot play on, without having to understand it."""
    header = read_header(name, header_entry)
    state = _halted(header, reason, at)
    event = Halt(at, reason)
    made = entry(last.link, last.position + 1, at, encode(event), _fingerprint(encode(state)))
    return Commit(name, made, last.link, row_of(state))


def _halted(header: Header, reason: str, at: Instant) -> Table:
    return State(phase=Phase.CLOSED, header=header, now=at, result=Result(How.HALTED, (), reason=reason))


def ended_as_outdated(name: LogId, header: Header, last: Entry) -> Kept | None:
    """The table whose last entry ended it in that way: nothing before it is needed, or could be understood."""
    event = table.read_event(last.event)
    if not isinstance(event, Halt):
        return None
    state = _halted(header, event.reason, event.at)
    return Kept(state, last.position, last.link) if _fingerprint(encode(state)) == last.state else None
