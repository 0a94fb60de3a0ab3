"""Failures of strategies: the lines in a player's log, and the summary for the user who has started the league.

A player goes on without its strategy, and logs it. In a league of processes the log is a file, so the launcher reads
it and tells the user.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from turnstile.league.protocol.words import LeagueValue

HAS_FAILED = "The strategy has failed, and a default is taken: "
CRITICAL = re.compile(r"\[[^\]]*\] \[[^\]]*\] \[([^\]]*)\] CRITICAL: (.*)")
LONGEST_LINE = 4096  # bytes


class Failing(LeagueValue, frozen=True, kw_only=True):
    """A strategy that has failed."""

    strategy: str
    failures: int
    first: str
    """In which match, and why."""
    log: str | None = None
    """The log of a player with this strategy."""

    def __str__(self) -> str:
        often = "once" if self.failures == 1 else f"{self.failures} times, first"
        where = "" if self.log is None else f" (see {self.log})"
        return f"{self.strategy} has failed {often} in {self.first}{where}"


def size_of(log: Path) -> int:
    """How far a log has got, if there is one."""
    return log.stat().st_size if log.exists() else 0


def failures_in(log: Path, since: int) -> list[str]:
    """What a player's log says of its strategy from there on: in which match it failed or was late, and why."""
    if size_of(log) == since:
        return []
    found = (CRITICAL.match(line) for line in _lines(log, since))
    return [f"{line[1]}: {line[2].removeprefix(HAS_FAILED)}" for line in found if line is not None]


def _lines(log: Path, since: int) -> Iterator[str]:
    with log.open("rb") as file:
        file.seek(since)
        while line := file.readline(LONGEST_LINE):
            yield line.decode(errors="replace")
