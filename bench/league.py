"""`python -m bench.league PLAYERS`: a whole league within this process; how fast it is played, and what it keeps.

Players choose at random. Memory is what the process has in use, at a tenth of the matches and at the end.
"""

import sys
from pathlib import Path
from time import process_time

from turnstile.kernel.chance import Seed, draw
from turnstile.league import schedule
from turnstile.league.local import Entrant, LocalLeague
from turnstile.league.local_player import Strategy

MEGABYTE = 1024 * 1024
PAGE = 4096


def main(players: int) -> None:
    league = LocalLeague([Entrant(f"Player {number}", strategy(number)) for number in range(players)], Seed("bench"))
    total, played, start = schedule.matches(players), 0, process_time()
    at_a_tenth: float | None = None
    for each in league.run():
        played += len(each.results)
        if at_a_tenth is None and played * 10 >= total:
            at_a_tenth = resident()
    spent = process_time() - start
    print(f"{players:,} players, {played:,} matches: {spent:.1f} s of processor time, {played / spent:,.0f} matches/s")
    print(f"{at_a_tenth:.1f} MB in use at a tenth of the matches, {resident():.1f} MB at the end")


def strategy(number: int) -> Strategy:
    seed = Seed(f"player {number}")
    return lambda question: ("even", "odd")[draw(seed, "choice", question.round_id, 2)]


def resident() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE / MEGABYTE


if __name__ == "__main__":
    main(int(sys.argv[1]))
