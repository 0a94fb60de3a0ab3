"""The same simulation with one process and with two: how throughput grows with processes.

Time on the wall counts, from the first chunk of matches to the last: starting processes takes a second, once, however
many matches follow. The figure needs two idle cores.
"""

from collections.abc import Iterator

from bench.gauges import WALL
from bench.harness import Aim, Contest, Contestant, Run
from turnstile.kernel import Seed
from turnstile.lab import Plan, Totals, simulate
from turnstile.lab.jobs import LARGEST_CHUNK, Crew

BOTS = ("random", "random", "random")
PLAN = Plan("up-down", BOTS, b"{}", Seed("bench"))
MATCHES_OF_TABLE = 5  # so that the 10,000 tables of other contests become 2,000 matches


def contest(tables: int) -> Contest:
    matches = max(4, tables // MATCHES_OF_TABLE)
    return Contest(
        name="processes",
        title=f"{matches:,} matches of Up-Down with three random bots",
        unit="match",
        units=matches,
        baseline="1 process",
        contestants=tuple(_contestant(processes, matches) for processes in (1, 2)),
        aims=(
            Aim(
                contestant="2 processes",
                sentence="two processes take at most 1 / 1.8 = 0.56 of the time of one",
                at_most=1 / 1.8,
            ),
        ),
        gauge=WALL,
        rounds=5,
    )


def _contestant(processes: int, matches: int) -> Contestant:
    name = "1 process" if processes == 1 else f"{processes} processes"

    def trail() -> Iterator[object]:
        totals = Totals()
        for part in simulate(PLAN, matches, Crew(processes)):
            totals.add(part)
        yield sorted(totals.wins.items())

    def prepare() -> Run:
        """All processes are at work before the clock starts: each has played a chunk that does not count."""
        warm_up = LARGEST_CHUNK * processes
        parts = simulate(PLAN, matches + warm_up, Crew(processes))
        played = 0
        while played < warm_up:
            played += next(parts).matches

        def run() -> int:
            return played + sum(part.matches for part in parts) - warm_up

        return run

    return Contestant(name=name, about="turnstile simulate", trail=trail, prepare=prepare)
