"""Let a process die at one moment after the other, until it gets through, and look at what is left."""

import argparse
import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from signal import SIGKILL
from tempfile import TemporaryDirectory

from tests.crash.dying import DONE, STOPPED, run
from tests.crash.judging import Right, Wrong, judge, right
from tests.crash.scenarios import SCENARIOS, Step
from tests.crash.shim import Mode
from turnstile.store.sqlite import FULL

NORMAL = 1


def main() -> int:
    asked = _arguments()
    modes = list(Mode) if asked.mode is None else [Mode(asked.mode)]
    synchronous = NORMAL if asked.normal else FULL
    failures = 0
    for name, scenario in SCENARIOS.items():
        for mode in modes:
            tried = wrong = 0
            for at, failure in _moments(scenario(), mode, asked, synchronous):
                tried += 1
                if failure is not None:
                    wrong += 1
                    print(f"{failure}\n    again: python -m tests.crash {mode} --at {at}", flush=True)
            print(f"{name}, {mode}: {tried} moments tried, {wrong} wrong", flush=True)
            failures += wrong
    return 1 if failures else 0


def _moments(
    steps: list[Step], mode: Mode, asked: argparse.Namespace, synchronous: int
) -> Iterator[tuple[int, Wrong | None]]:
    told = asyncio.run(right(steps))
    at, is_through = asked.at or 1, False
    while not is_through:
        with TemporaryDirectory(prefix="crash-") as folder:
            is_through, failure = _moment(steps, told, Path(folder) / "tables.db", mode, at, synchronous)
        yield at, failure
        is_through = is_through or bool(asked.at)
        at += asked.every


def _moment(
    steps: list[Step], told: Right, path: Path, mode: Mode, at: int, synchronous: int
) -> tuple[bool, Wrong | None]:
    """Whether the scenario got through to its end before that moment came, and what was wrong, if anything."""
    answers, ended, moments = run(steps, path, mode, at, synchronous)
    try:
        if ended not in (DONE, STOPPED, -SIGKILL):
            raise Wrong(f"the process ended with {ended}")
        asyncio.run(judge(steps, told, answers, path))
    except Exception as failure:
        return False, failure if isinstance(failure, Wrong) else Wrong(repr(failure))
    return ended == DONE and moments < at, None


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    parser.add_argument("mode", nargs="?", choices=[str(mode) for mode in Mode], help="all of them, if none is named")
    parser.add_argument("--every", type=int, default=1, help="try every so-manieth moment")
    parser.add_argument("--at", type=int, help="try this moment only")
    parser.add_argument("--normal", action="store_true", help="sync less than we do: something must then be lost")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
