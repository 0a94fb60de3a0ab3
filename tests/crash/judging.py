"""What must be found after a crash: everything that was answered, and of what was not, all or nothing.

The store in memory says what is right: it does the same steps, and every state it passes through is written down.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from tests.crash.scenarios import Step
from tests.store.people import ANA, BO, hashed
from tests.store.places import START
from turnstile.kernel.values import Instant, LogId, PlayerId
from turnstile.store.directory import Directory, DirectoryStore
from turnstile.store.log import BEFORE_FIRST, Entry, Snapshot, verify
from turnstile.store.memory import MemoryStore
from turnstile.store.protocol import Commit, Outage, Row
from turnstile.store.sqlite import SqliteStore

STEP_TAKES = 1_000

Kind = TypeVar("Kind")


class Wrong(Exception):
    """A promise that was not kept."""


class Time:
    """Every step begins a second after the one before, whoever does it, and however often."""

    def __init__(self) -> None:
        self.milliseconds = START

    def step(self, number: int) -> None:
        self.milliseconds = START + number * STEP_TAKES

    def nanoseconds(self) -> int:
        return self.milliseconds * 1_000_000


class Kept(msgspec.Struct, frozen=True):
    """All that is stored of a table."""

    entries: tuple[Entry, ...]
    snapshot: Snapshot | None
    row: Row | None
    cursors: tuple[tuple[str, int], ...]


Contents = tuple[tuple[tuple[LogId, Kept], ...], tuple[Outage, ...], str]


async def contents(store: DirectoryStore) -> Contents:
    """All that is in a store, verified."""
    tables = []
    for table, row in await store.logs(limit=1_000):
        saved = await store.load(table)
        assert saved is not None
        entries = await store.entries(table, -1)
        verify(table, BEFORE_FIRST, -1, entries)
        cursors = tuple(sorted((await store.cursors(table)).items()))
        tables.append((table, Kept(entries, saved.snapshot, row, cursors)))
    return tuple(tables), tuple(await store.outages(Instant(0))), repr(await _people(store.directory))


async def _people(directory: Directory) -> list[object]:
    """What the directory knows of the players and the tables of the scenarios."""
    players = [PlayerId(player) for player in ("alice", "bob", ANA, BO)]
    return [
        await directory.players(players),
        [await directory.player_by_token(hashed(token)) for token in ("ana", "bo", "new", "phone", "tablet")],
        [await directory.tables_of(player, is_open=is_open) for player in players for is_open in (True, False)],
        [(await directory.results_of(player), await directory.ratings_of(player)) for player in players],
        (await directory.listed(), await directory.unbooked(), await directory.count_open(ANA)),
        await directory.invitation(LogId("a")),
    ]


class Right(msgspec.Struct):
    """What each step is answered, and all that a store may hold on the way."""

    answers: list[str]
    passed: list[Contents]
    ends: list[int]
    """After so many steps: which of the contents passed is the last."""


async def right(steps: Sequence[Step]) -> Right:
    time = Time()
    store = _Recording(lambda: time.milliseconds)
    told = Right(answers=[], passed=[await contents(store)], ends=[0])
    for number, step in enumerate(steps):
        time.step(number)
        told.answers.append(repr(await step(store)))
        told.passed += store.passed or [await contents(store)]  # the directory's changes are steps of one change
        store.passed.clear()
        told.ends.append(len(told.passed) - 1)
    return told


async def judge(steps: Sequence[Step], told: Right, answers: Sequence[str], path: Path) -> None:
    """Raises `Wrong` unless the file holds what was answered and can go on from there to the end."""
    if list(answers) != told.answers[: len(answers)]:
        raise Wrong(f"the answers were {answers}, and should be {told.answers}")
    time = Time()
    time.step(len(answers))
    store = await SqliteStore.open(path, wall=time.nanoseconds, monotonic=time.nanoseconds)
    try:
        found = await contents(store)
        first, last = told.ends[len(answers)], told.ends[min(len(answers) + 1, len(steps))]
        if found not in told.passed[first : last + 1]:
            raise Wrong(f"after {len(answers)} answers the store holds {found}")
        for number, step in list(enumerate(steps))[len(answers) :]:
            time.step(number)
            await step(store)
        if await contents(store) != told.passed[-1]:
            raise Wrong("the scenario ended otherwise than it should")
    finally:
        await store.close()


class _Recording(MemoryStore):
    """A store in memory that writes down what it holds after each change."""

    def __init__(self, clock: Callable[[], int]) -> None:
        super().__init__(clock)
        self.passed: list[Contents] = []

    async def create(self, table: LogId, header: Entry, row: Row) -> bool:
        return await self._recorded(super().create(table, header, row))

    async def commit(self, commit: Commit) -> bool:
        return await self._recorded(super().commit(commit))

    async def acknowledge(self, table: LogId, cursors: Mapping[str, int]) -> dict[str, int]:
        return await self._recorded(super().acknowledge(table, cursors))

    async def put_aside(self, table: LogId, why: str) -> None:
        await self._recorded(super().put_aside(table, why))

    async def prune(self, table: LogId) -> bool:
        return await self._recorded(super().prune(table))

    async def beat(self) -> Outage | None:
        return await self._recorded(super().beat())

    async def rebuild(self, rows: Sequence[tuple[LogId, Row]]) -> None:
        await self._recorded(super().rebuild(rows))

    async def _recorded(self, change: Awaitable[Kind]) -> Kind:
        answer = await change
        self.passed.append(await contents(self))
        return answer
