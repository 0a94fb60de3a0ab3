"""Commits that wait together: a run of plain ones is written by two statements, however many there are.

Around each statement the thread gives up Python's global lock and must get it back. In a busy server it waits for that
longer than it writes.
"""
# ruff: noqa: S608  (statements are built from the constants below, never from input)

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

import apsw

from turnstile.kernel.values import LogId
from turnstile.store.columns import ENTRY, ROW, entry_values, row_values
from turnstile.store.protocol import Commit
from turnstile.store.sqlite import statements
from turnstile.store.sqlite.lanes import Work

MOST_TOGETHER = 16
"""Commits in one statement. More of them would not be faster, and there is a statement for each number."""


@dataclass(frozen=True, slots=True)
class CommitWork:
    """The work of one commit. It returns whether the entry was written."""

    commit: Commit

    def __call__(self, db: apsw.Connection) -> bool:
        return statements.commit(db, self.commit)

    @property
    def is_plain(self) -> bool:
        """Whether it adds an entry to an open log, and changes nothing that is written elsewhere."""
        commit = self.commit
        return commit.seats is None and commit.snapshot is None and commit.row.is_open


def do_together(db: apsw.Connection, works: Sequence[Work[object]]) -> list[object] | None:
    """Do these works in order. Returns their results; `None` if a commit could not be written together with others."""
    results: list[object] = []
    for run in _runs(works):
        if len(run) == 1:
            results.append(run[0](db))
        elif _write_run(db, [work.commit for work in run if isinstance(work, CommitWork)]):
            results += [True] * len(run)
        else:
            return None
    return results


def _runs(works: Sequence[Work[object]]) -> Iterator[Sequence[Work[object]]]:
    """The works in order, with neighbouring plain commits to different logs together."""
    run: dict[LogId, Work[object]] = {}
    for work in works:
        log = work.commit.log if isinstance(work, CommitWork) and work.is_plain else None
        if run and (log is None or log in run or len(run) == MOST_TOGETHER):
            yield tuple(run.values())
            run.clear()
        if log is None:
            yield (work,)
        else:
            run[log] = work
    if run:
        yield tuple(run.values())


def _write_run(db: apsw.Connection, run: Sequence[Commit]) -> bool:
    """Write plain commits to different logs. Returns `False` if not all of them could be written."""
    added = ((*entry_values(each.entry), each.log, each.before) for each in run)
    db.execute(_add_entries(len(run)), tuple(chain.from_iterable(added)))
    if db.changes() < len(run):
        return False
    moved = ((each.log, each.entry.position, *row_values(each.row)) for each in run)
    db.execute(_update_rows(len(run)), tuple(chain.from_iterable(moved)))
    return True


@cache
def _add_entries(count: int) -> str:
    """As `statements.commit` does it: an entry is added if the entry before it is the newest one."""
    return (
        f"INSERT INTO log (table_key, {ENTRY}) SELECT key, {_columns(1, 7)} "
        f"FROM ({_values(count, 9)}) CROSS JOIN tables ON id = column8 WHERE position = column1 - 1 AND note = '' "
        "AND (SELECT link FROM log WHERE table_key = key AND log.position = tables.position) = column9 "
        "ON CONFLICT DO NOTHING"
    )


@cache
def _update_rows(count: int) -> str:
    return (
        f"UPDATE tables SET (position, {ROW}, claimed_until) = ({_columns(2, 11)}, NULL) "
        f"FROM ({_values(count, 11)}) WHERE id = column1"
    )


def _columns(first: int, last: int) -> str:
    """The names that SQLite gives to columns of values."""
    return ", ".join(f"column{number}" for number in range(first, last + 1))


def _values(rows: int, columns: int) -> str:
    row = f"({', '.join('?' * columns)})"
    return f"VALUES {', '.join([row] * rows)}"
