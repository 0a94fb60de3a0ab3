"""Histories: what clients saw, held against the log. Lost, doubled, skipped, out of order, invented: all of it shows.

The checker knows only what clients were told and what is stored in the end.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.reading import whole_update
from turnstile.durable.log import replay
from turnstile.host.logs import TABLES, KeptTable, command_of, told_since
from turnstile.kernel.values import LogId, PlayerId, decode
from turnstile.store.log import BEFORE_FIRST, Entry, verify
from turnstile.store.protocol import Saved, Store
from turnstile.table.values import Accepted, Command


@dataclass
class History:
    """All that one client has seen of one table."""

    table: LogId
    player: PlayerId
    accepted: list[tuple[str, int]] = field(default_factory=list)
    """Ids of commands that were answered with success, and the answer."""
    refused: list[str] = field(default_factory=list)
    """Ids of commands that were refused at last."""
    updates: list[tuple[int, bytes]] = field(default_factory=list)
    """The updates that were taken in, in the order in which they came, each with its whole view."""


async def check(store: Store, histories: Iterable[History]) -> None:
    """Raises `AssertionError` where a history contradicts the log."""
    for history in histories:
        entries = await store.entries(history.table, -1)
        verify(history.table, BEFORE_FIRST, -1, entries)
        begin = replay(TABLES, history.table, Saved(entries[0], None, ()))
        replay(TABLES, history.table, Saved(entries[0], None, entries[1:]))
        _check_answers(history, entries[1:])
        _check_updates(history, begin, entries[1:])


def _check_answers(history: History, entries: Iterable[Entry]) -> None:
    stored: dict[str, list[Accepted]] = {}
    for entry in entries:
        event = TABLES.read_event(history.table, entry)
        if isinstance(event, Command) and event.player == history.player:
            assert entry.answer is not None
            assert entry.command == command_of(event)
            stored.setdefault(event.id, []).append(decode(entry.answer, Accepted))
    for name, seq in history.accepted:
        assert stored.get(name) == [Accepted(seq)], (
            f"{history.player}'s command {name} was answered {seq}: {stored.get(name)}"
        )
    for name in history.refused:
        assert name not in stored, f"{history.player}'s command {name} was refused, and took effect"
    for name, answers in stored.items():
        assert len(answers) == 1, f"{history.player}'s command {name} took effect {len(answers)} times"


def _check_updates(history: History, begin: KeptTable, entries: tuple[Entry, ...]) -> None:
    _, told = told_since(history.table, begin, entries, history.player)
    numbers = [seq for seq, _ in history.updates]
    assert numbers == list(range(1, len(numbers) + 1)), f"{history.player}'s stream has a gap or is out of order"
    assert history.updates == [(each.seq, whole_update(each)) for each in told[: len(numbers)]], (
        f"{history.player} was told what the log does not say"
    )
