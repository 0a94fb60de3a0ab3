"""What a league costs: matches a second within one process and in many, CPU a match, memory, and a referee's return.

python -m bench.league                     # everything but the thousand players, in a few minutes
python -m bench.league within --players 1000 --referees 8
python -m bench.league processes --players 24
python -m bench.league recovery --matches 100
"""

import argparse
import asyncio
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from bench.league_recovery import recovered
from turnstile.agents.launch.league_processes import LeagueProcesses
from turnstile.agents.launch.plan import Plan
from turnstile.agents.page.scoreboard import Progress, Scoreboard
from turnstile.agents.strategies.strategies import find_function
from turnstile.kernel.chance import Seed, derive
from turnstile.league.local.league import Entrant, LocalLeague
from turnstile.league.manager.schedule import matches
from turnstile.league.protocol.words import DEFAULT_LEAGUE

STRATEGIES = ("random", "history", "alternating", "always:even")
SEED = Seed("bench")


# within one process


def within(players: int, referees: int) -> None:
    """A league in virtual time, with the memory it takes on the way."""
    entrants = []
    for number in range(players):
        choose = find_function(STRATEGIES[number % len(STRATEGIES)], derive(SEED, "player", number))
        assert choose is not None
        entrants.append(Entrant(f"player-{number}", choose))
    league = LocalLeague(entrants, SEED, referees=referees)
    began, cpu, done = time.perf_counter(), time.process_time(), 0
    shown = 0
    for played in league.run():
        done += len(played.results)
        tenth = 10 * done // matches(players)
        if tenth > shown:
            shown = tenth
            rate = done / (time.perf_counter() - began)
            print(f"  {10 * tenth:3} %: {done:,} matches, {rate:,.0f} a second, {_megabytes():,.0f} MB", flush=True)
    spent = time.process_time() - cpu
    print(f"within one process: {players:,} players, {done:,} matches, {time.perf_counter() - began:,.1f} s,", end=" ")
    print(f"{done / (time.perf_counter() - began):,.0f} a second, {spent / done * 1e6:,.0f} us CPU a match")


def _megabytes() -> float:
    """What this process has in memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


# of processes


class Clock:
    """Looks at its watch when the league begins, and when it is over."""

    def __init__(self) -> None:
        self.processes: LeagueProcesses | None = None
        self.began = self.cpu = 0.0

    def see(self, board: Scoreboard) -> None:
        assert self.processes is not None
        if not self.began and board.progress is Progress.RUNNING:
            self.began, self.cpu = time.perf_counter(), _seconds_of(self.processes)


def processes(players: int, referees: int) -> None:
    """A league of processes, each with a log of its own on the disk."""
    with tempfile.TemporaryDirectory() as folder:
        clock = Clock()
        plan = Plan(
            league_id=DEFAULT_LEAGUE,
            strategies=[STRATEGIES[number % len(STRATEGIES)] for number in range(players)],
            referees=referees,
            data=Path(folder),
            port=0,
            capacity=64,
            time_scale=1.0,
            seed=SEED,
        )
        ended = cpu = 0.0

        def see(board: Scoreboard) -> None:
            nonlocal ended, cpu
            clock.see(board)
            if board.progress is Progress.COMPLETED and not ended:
                assert clock.processes is not None
                ended, cpu = time.perf_counter(), _seconds_of(clock.processes)

        start = time.perf_counter()
        clock.processes = LeagueProcesses(plan, lambda _: None, see)
        board = asyncio.run(clock.processes.run())
        done, wall = board.matches_completed, ended - clock.began
    print(
        f"of processes: {players} players, {referees} referees: {done} matches: {clock.began - start:.1f} s to start,"
    )
    print(f"{wall:.2f} s to play, {done / wall:,.0f} a second, {(cpu - clock.cpu) / done * 1e3:.1f} ms CPU a match")


def _seconds_of(processes: LeagueProcesses) -> float:
    """The processor time of all processes of a league."""
    total = 0
    for pid in processes.pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


# all


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=("all", "within", "processes", "recovery"), default="all")
    parser.add_argument("--players", type=int)
    parser.add_argument("--referees", type=int, default=2)
    parser.add_argument("--matches", type=int, default=100)
    given = parser.parse_args(arguments)
    if given.what in ("all", "within"):
        within(given.players or 100, given.referees)
    if given.what in ("all", "processes"):
        processes(given.players or 16, given.referees)
    if given.what in ("all", "recovery"):
        recovered(given.matches)


if __name__ == "__main__":
    main(sys.argv[1:])
