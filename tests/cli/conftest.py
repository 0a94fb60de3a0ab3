"""Commands are tried as people run them: as a process of their own, with its exit status and what it prints."""

import subprocess
import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest


class Ran(NamedTuple):
    status: int
    out: str
    err: str


Turnstile = Callable[..., Ran]


@pytest.fixture(scope="session")
def turnstile() -> Turnstile:
    def run(*arguments: object, given: str | bytes = "") -> Ran:
        words = [str(argument) for argument in arguments]
        text = given.encode() if isinstance(given, str) else given
        done = subprocess.run([sys.executable, "-m", "turnstile", *words], input=text, capture_output=True, check=False)
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run
