"""User-supplied strategies: validated before the league starts, and called directly in a league within one process.

Players in processes of their own run them as programs (`program.py`). A league within one process calls the function
directly: nothing protects it from a function that hangs. A function that raises, or returns an invalid choice, fails.
"""

import shutil
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from turnstile.agents.player.failures import Failing
from turnstile.agents.strategies.program import Failed
from turnstile.agents.strategies.strategies import (
    Choice,
    UnknownStrategy,
    custom_function,
    custom_program,
    default_of,
    find_strategy,
    read_answer,
)
from turnstile.agents.strategies.worker import CHECK, FOUND, answer_of, load_function, reason_of
from turnstile.kernel.chance import Seed
from turnstile.kernel.values import encode
from turnstile.league.player.state import Question
from turnstile.league.protocol.words import CHOICE_SECONDS


def refuse_strategy(text: str) -> None:
    """Raises `UnknownStrategy` if there is no such strategy, module, function or program."""
    find_strategy(text, Seed("any"))
    if function := custom_function(text):
        _refuse_function(text, *function)
    elif (program := custom_program(text)) and shutil.which(program[0]) is None:
        raise UnknownStrategy(f"{text!r} cannot be used: {_why_not_run(program[0])}.")


def _why_not_run(program: str) -> str:
    if "/" in program and Path(program).is_file():
        return f"{program!r} is not executable; use chmod +x, or name its interpreter, as in command:python ..."
    return f"there is no executable program {program!r}"


def _refuse_function(text: str, module: str, function: str) -> None:
    """Import it in a process of its own, as later for a choice: an import may do or print anything."""
    command = [sys.executable, "-m", "turnstile.agents.strategies.worker", CHECK, module, function]
    try:
        ran = subprocess.run(command, capture_output=True, timeout=CHOICE_SECONDS, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise UnknownStrategy(f"{text!r} cannot be used: its import takes longer than a choice may.") from None
    said = ran.stdout.decode(errors="replace").strip()
    if said != FOUND:
        why = said or f"its import ends the program with status {ran.returncode}"
        raise UnknownStrategy(f"{text!r} cannot be used: {why}.")


class CustomFunction:
    """A user-supplied function that is called within this process. It counts the failures of the function."""

    def __init__(self, text: str) -> None:
        """Raises `UnknownStrategy`."""
        parts = custom_function(text)
        if parts is None:
            raise UnknownStrategy(f"{text!r} cannot be used within one process; use a built-in or python:... strategy.")
        try:
            with redirect_stdout(sys.stderr):
                self._choose = load_function(*parts)
        except Exception as fault:  # a module may raise anything
            raise UnknownStrategy(f"{text!r} cannot be used: {reason_of(fault)}.") from None
        self._text = text
        self.failing: Failing | None = None

    def __call__(self, question: Question) -> Choice:
        try:
            return self._answer(question)
        except Exception as fault:  # a failure costs the choice, never the league
            why = str(fault) if isinstance(fault, Failed) else reason_of(fault)
            before = self.failing or Failing(strategy=self._text, failures=0, first=f"{question.match_id}: {why}")
            self.failing = replace(before, failures=before.failures + 1)
            return default_of(question)

    def _answer(self, question: Question) -> Choice:
        """The function gets the same dictionary as in a process, and its answer is read in the same way."""
        known: dict[str, Any] = msgspec.json.decode(encode(question))
        with redirect_stdout(sys.stderr):
            answer = answer_of(self._choose, known)
        return read_answer(answer.encode(), question)
