"""Two ways to run a command: `turnstile` in this process, which is fast, and `program` as users do, in its own process.

`program` is for a smoke test of each command, and for signals, pipes and standard streams.
"""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from turnstile.cli.main import run


class Ran(NamedTuple):
    status: int
    out: str
    err: str


Turnstile = Callable[..., Ran]


@pytest.fixture(scope="session")
def program() -> Turnstile:
    """Runs the program `turnstile` with these arguments, in a process."""

    def run_program(*arguments: object, given: str | bytes = "") -> Ran:
        words = [str(argument) for argument in arguments]
        text = given.encode() if isinstance(given, str) else given
        done = subprocess.run([sys.executable, "-m", "turnstile", *words], input=text, capture_output=True, check=False)
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run_program


@pytest.fixture
def turnstile(monkeypatch: pytest.MonkeyPatch) -> Turnstile:
    """Runs a command with these arguments in this process, with the same status and output as `program`."""
    monkeypatch.setenv("COLUMNS", "80")  # what `rich` assumes where there is no terminal

    def run_here(*arguments: object, given: str | bytes = "") -> Ran:
        with CliRunner().isolation(input=given) as (out, err, _), uncounted():
            try:
                status = run([str(argument) for argument in arguments])
            except SystemExit as leaving:
                status = leaving.code if isinstance(leaving.code, int) else 0
            sys.stdout.flush()
            sys.stderr.flush()
            return Ran(status, out.getvalue().decode(), err.getvalue().decode())

    return run_here


@contextmanager
def uncounted() -> Iterator[None]:
    """Lines that a command runs do not count as covered, just as in a process; counting them would take three times
    as long."""
    counting = sys.gettrace()
    sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(counting)
