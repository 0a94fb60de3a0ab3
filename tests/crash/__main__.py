"""Let a process die at one moment after the other, until it gets through, and look at what is left."""

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from tests.crash.dying import Disk
from tests.crash.evenings import EVENINGS
from tests.crash.judging import Wrong
from tests.crash.matches import Matches
from tests.crash.scenarios import SCENARIOS
from tests.crash.shim import Mode
from tests.crash.steps import Steps
from turnstile.store.sqlite.store import FULL

NORMAL = 1
"""`synchronous`: a sync at checkpoints only."""

ENOUGH = 5  # that is wrong, to leave it at that


class Trial(Protocol):
    """What is being done when the process dies, and who judges what is left."""

    def crash(self, disk: Disk, times: int) -> bool:
        """Crash so often, and look at what is left; whether the moment came too late. Raises `Wrong`."""


def _store(name: str) -> Trial:
    return Steps(SCENARIOS[name]())


def _host(name: str) -> Trial:
    return Matches(EVENINGS[name])


TRIALS: dict[str, dict[str, Callable[[], Trial]]] = {
    "store": {name: partial(_store, name) for name in SCENARIOS},
    "host": {name: partial(_host, name) for name in EVENINGS},
}


def main() -> int:
    asked = _arguments()
    modes = list(Mode) if asked.mode is None else [Mode(asked.mode)]
    failures = 0
    for what, name in [(kind, name) for kind in asked.what or TRIALS for name in TRIALS[kind]]:
        trial = TRIALS[what][name]()
        for mode in modes:
            tried = wrong = 0
            for at, failure in _moments(trial, mode, asked):
                tried += 1
                if failure is not None:
                    wrong += 1
                    print(f"{failure}\n    {_again(what, mode, at, asked)}", flush=True)
                if wrong == ENOUGH:
                    break
            print(f"{name}, {mode}: {tried} moments tried, {wrong} wrong", flush=True)
            failures += wrong
    return 1 if failures else 0


def _again(what: str, mode: Mode, at: int, asked: argparse.Namespace) -> str:
    return f"again: python -m tests.crash {mode} --what {what} --at {at} --times {asked.times} --seed {asked.seed}"


def _moments(trial: Trial, mode: Mode, asked: argparse.Namespace) -> Iterator[tuple[int, Wrong | None]]:
    at, is_through = asked.at or asked.first, False
    while not is_through:
        with TemporaryDirectory(prefix="crash-") as folder:
            disk = Disk(Path(folder) / "tables.db", mode, at, asked.seed + at, NORMAL if asked.normal else FULL)
            is_through, failure = _moment(trial, disk, asked.times)
        yield at, failure
        is_through = is_through or bool(asked.at)
        at += asked.every


def _moment(trial: Trial, disk: Disk, times: int) -> tuple[bool, Wrong | None]:
    """Whether the trial got through to its end before that moment came, and what was wrong, if anything."""
    try:
        return trial.crash(disk, times), None
    except Exception as failure:
        return False, failure if isinstance(failure, Wrong) else Wrong(repr(failure))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    parser.add_argument("mode", nargs="?", choices=[str(mode) for mode in Mode], help="all of them, if none is named")
    parser.add_argument("--what", choices=list(TRIALS), action="append", help="the store alone, or a host on it")
    parser.add_argument("--every", type=int, default=1, help="try every so-manieth moment")
    parser.add_argument("--first", type=int, default=1, help="begin with this moment")
    parser.add_argument("--at", type=int, help="try this moment only")
    parser.add_argument("--times", type=int, default=1, help="crash so often in a row, at the same moment")
    parser.add_argument("--seed", type=int, default=0, help="which of the unsynced writes survive, in scatter")
    parser.add_argument("--normal", action="store_true", help="sync less than we do: something must then be lost")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
