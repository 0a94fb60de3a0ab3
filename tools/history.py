"""Histories: what clients of a server saw, held against the log. Lost, doubled, skipped, invented: all of it shows.

The checker knows only what clients were told and what is stored in the end. A sample says how long the log was when
an update had just arrived: an update that was told before it was durable shows there.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from turnstile.client import Turn
from turnstile.durable.log import follow_steps, replay
from turnstile.host.logs import TABLES, command_of, linked_news
from turnstile.kernel.values import LogId, PlayerId, decode
from turnstile.store.log import BEFORE_FIRST, Entry, Position, verify
from turnstile.store.protocol import Saved, Store
from turnstile.table.messages import Told
from turnstile.table.values import Accepted, Act, Command
from turnstile.table.wire import write_whole


class Contradiction(AssertionError):
    """What a client saw is not what the log says."""


@dataclass
class Sent:
    """A command, when it was sent, and its answer: `seq` if it took effect, `code` if it was refused."""

    id: str
    at: float
    seq: int | None = None
    code: str | None = None


@dataclass
class Sample:
    """An update that had just arrived, and the newest entry that the store had then."""

    seq: int
    newest: Position


@dataclass
class History:
    """All that one client has seen of one table."""

    table: LogId
    player: PlayerId
    sent: list[Sent] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    """The updates that have arrived, in the order in which they came."""
    arrived: list[float] = field(default_factory=list)
    """When each of them came."""
    samples: list[Sample] = field(default_factory=list)


@dataclass
class Moves:
    """What the log says about the moves that were accepted, and how long their updates took, in seconds."""

    accepted: int = 0
    updates: int = 0
    to_mover: list[float] = field(default_factory=list)
    to_others: list[float] = field(default_factory=list)


@dataclass
class _TableLog:
    """A log, read once for all its players."""

    told: dict[tuple[PlayerId, int], tuple[Position, Told]]
    commands: dict[tuple[PlayerId, str], list[tuple[Position, Accepted]]]
    moves: dict[tuple[PlayerId, str], list[tuple[PlayerId, int]]]
    """Every accepted move, and the updates that it caused."""


async def check(store: Store, histories: Iterable[History], measured_since: float = 0.0) -> Moves:
    """Raises `Contradiction` where a history contradicts the log, else returns how long the moves of a time took."""
    moves, by_table = Moves(), dict[LogId, list[History]]()
    for history in histories:
        by_table.setdefault(history.table, []).append(history)
    for table, at_table in by_table.items():
        log = _read(table, await store.entries(table, -1))
        for history in at_table:
            _check_answers(history, log)
            _check_turns(history, log)
        _measure(at_table, log, measured_since, moves)
    return moves


def _read(table: LogId, entries: Sequence[Entry]) -> _TableLog:
    verify(table, BEFORE_FIRST, -1, entries)
    log = _TableLog({}, {}, {})
    begin = replay(TABLES, table, Saved(entries[0], None, ()))
    for entry, (_, event, step) in zip(entries[1:], follow_steps(TABLES, table, begin, entries[1:]), strict=True):
        told = [each for each, _ in linked_news([(step, entry.link)]) if each.player is not None]
        for each in told:
            assert each.player is not None
            log.told[each.player, each.seq] = entry.position, each
        if isinstance(event, Command):
            assert entry.answer is not None
            if entry.command != command_of(event):
                raise Contradiction(f"Entry {entry.position} has a command that is stored under another id")
            found = log.commands.setdefault((event.player, event.id), [])
            found.append((entry.position, decode(entry.answer, Accepted)))
        if isinstance(event, Act):
            log.moves[event.player, event.id] = [(each.player, each.seq) for each in told if each.player is not None]
    return log


def _check_answers(history: History, log: _TableLog) -> None:
    """What was answered is stored, once, with this answer; what was refused is not."""
    player = history.player
    for sent in history.sent:
        stored = log.commands.get((player, sent.id), [])
        if sent.seq is not None and [answer for _, answer in stored] != [Accepted(sent.seq)]:
            raise Contradiction(f"{player}'s command {sent.id} was answered {sent.seq}, and stored as {stored}")
        if sent.code is not None and stored:
            raise Contradiction(f"{player}'s command {sent.id} was refused with {sent.code}, and took effect")
        if len(stored) > 1:
            raise Contradiction(f"{player}'s command {sent.id} took effect {len(stored)} times")


def _check_turns(history: History, log: _TableLog) -> None:
    """Every update came once, in order, as the log gives it, and not before it was stored."""
    player, numbers = history.player, [turn.seq for turn in history.turns]
    if numbers and numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        raise Contradiction(f"{player}'s stream has a gap, or repeats something: {numbers}")
    for turn in history.turns:
        _, told = log.told.get((player, turn.seq), (0, None))
        if told is None:
            raise Contradiction(f"{player} was told update {turn.seq}, which is not stored")
        if plain(turn) != msgspec.json.decode(write_whole(told)):
            raise Contradiction(f"{player}'s update {turn.seq} is not what the log says")
    for sample in history.samples:
        position, _ = log.told[player, sample.seq]
        if position > sample.newest:
            raise Contradiction(f"{player} was told update {sample.seq} before entry {position} was stored")


def plain(turn: Turn) -> dict[str, Any]:
    return {"seq": turn.seq, "messages": turn.messages, "view": turn.view, "actions": turn.actions}


def _measure(histories: Sequence[History], log: _TableLog, since: float, moves: Moves) -> None:
    """How long each update took that a move has caused, since the move was sent."""
    arrived = {
        (history.player, turn.seq): at
        for history in histories
        for turn, at in zip(history.turns, history.arrived, strict=True)
    }
    moves.updates += len(arrived)
    for history in histories:
        for sent in _accepted_moves(history, log):
            moves.accepted += 1
            for player, seq in log.moves[history.player, sent.id]:
                if (player, seq) in arrived and sent.at >= since:
                    delays = moves.to_mover if player == history.player else moves.to_others
                    delays.append(arrived[player, seq] - sent.at)


def _accepted_moves(history: History, log: _TableLog) -> Iterator[Sent]:
    return (sent for sent in history.sent if sent.seq is not None and (history.player, sent.id) in log.moves)
