"""Let a process die at one moment after the other, until it gets through, and look at what is left."""

import argparse
import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from signal import SIGKILL
from tempfile import TemporaryDirectory

from tests.crash.dying import DONE, STOPPED, Disk, run
from tests.crash.judging import Right, Wrong, judge, right
from tests.crash.scenarios import SCENARIOS, Step
from tests.crash.shim import Mode
from turnstile.store.sqlite import FULL

NORMAL = 1
"""`synchronous`: a sync at checkpoints only."""

ENDS = dict.fromkeys(Mode, -SIGKILL) | {Mode.EIO: STOPPED, Mode.FULL: DONE}
"""How a process ends whose moment has come."""


def main() -> int:
    asked = _arguments()
    modes = list(Mode) if asked.mode is None else [Mode(asked.mode)]
    failures = 0
    for name, scenario in SCENARIOS.items():
        for mode in modes:
            tried = wrong = 0
            for at, failure in _moments(scenario(), mode, asked):
                tried += 1
                if failure is not None:
                    wrong += 1
                    print(f"{failure}\n    {_again(mode, at, asked)}", flush=True)
            print(f"{name}, {mode}: {tried} moments tried, {wrong} wrong", flush=True)
            failures += wrong
    return 1 if failures else 0


def _again(mode: Mode, at: int, asked: argparse.Namespace) -> str:
    return f"again: python -m tests.crash {mode} --at {at} --times {asked.times} --seed {asked.seed}"


def _moments(steps: list[Step], mode: Mode, asked: argparse.Namespace) -> Iterator[tuple[int, Wrong | None]]:
    told = asyncio.run(right(steps))
    at, is_through = asked.at or 1, False
    while not is_through:
        with TemporaryDirectory(prefix="crash-") as folder:
            disk = Disk(Path(folder) / "tables.db", mode, at, asked.seed + at, NORMAL if asked.normal else FULL)
            is_through, failure = _moment(steps, told, disk, asked.times)
        yield at, failure
        is_through = is_through or bool(asked.at)
        at += asked.every


def _moment(steps: list[Step], told: Right, disk: Disk, times: int) -> tuple[bool, Wrong | None]:
    """Whether the scenario got through to its end before that moment came, and what was wrong, if anything."""
    try:
        answers, is_through = _crash(steps, told, disk, times)
        asyncio.run(judge(steps, told, answers, disk.path))
    except Exception as failure:
        return False, failure if isinstance(failure, Wrong) else Wrong(repr(failure))
    return is_through, None


def _crash(steps: list[Step], told: Right, disk: Disk, times: int) -> tuple[list[str], bool]:
    """Let processes go on with the steps, each where the one before died, and die at the same moment of their lives."""
    answers: list[str] = []
    for time in range(times):
        more, ended, moments = run(steps, len(answers), disk)
        expected = DONE if ended == DONE and moments < disk.at else ENDS[disk.mode]
        if ended != expected:
            raise Wrong(f"the process ended with {ended}, not {expected}")
        if time > 0 and more:  # what the one before was at may have been done: the answer then is another
            more[0] = told.answers[len(answers)]
        answers += more
        if ended == DONE:
            return answers, time == 0 and moments < disk.at
    return answers, False


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    parser.add_argument("mode", nargs="?", choices=[str(mode) for mode in Mode], help="all of them, if none is named")
    parser.add_argument("--every", type=int, default=1, help="try every so-manieth moment")
    parser.add_argument("--at", type=int, help="try this moment only")
    parser.add_argument("--times", type=int, default=1, help="crash so often in a row, at the same moment")
    parser.add_argument("--seed", type=int, default=0, help="which of the unsynced writes survive, in scatter")
    parser.add_argument("--normal", action="store_true", help="sync less than we do: something must then be lost")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
