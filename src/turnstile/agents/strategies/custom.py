"""Strategies of one's own: whether they can be asked at all, and how they are asked within this very process.

A league of processes asks them in processes of their own (`strategies.py`). Within one process a function is called as
it is, and nothing protects the league from one that hangs. One that raises or answers with rubbish has failed, as
elsewhere: that costs it the choice.
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
from turnstile.agents.strategies.strategies import (
    Choice,
    Failed,
    UnknownStrategy,
    default_of,
    find_strategy,
    own_function,
    own_program,
    read_answer,
)
from turnstile.agents.strategies.worker import CHECK, FOUND, answer_of, found, reason_of
from turnstile.kernel.chance import Seed
from turnstile.kernel.values import encode
from turnstile.league.player.state import Question
from turnstile.league.protocol.words import CHOICE_SECONDS


def refuse_strategy(text: str) -> None:
    """Raises `UnknownStrategy` for what plainly cannot choose: no such strategy, module, function or program."""
    find_strategy(text, Seed("any"))
    if function := own_function(text):
        _refuse_function(text, *function)
    elif (program := own_program(text)) and shutil.which(program[0]) is None:
        raise UnknownStrategy(f"{text!r} cannot be asked: {_why_not_run(program[0])}.")


def _why_not_run(program: str) -> str:
    if "/" in program and Path(program).is_file():
        return (
            f"{program!r} is not executable; make it so with chmod +x, or name who reads it, as in command:python ..."
        )
    return f"there is no program {program!r} that can be run"


def _refuse_function(text: str, module: str, function: str) -> None:
    """It is looked for where it is asked later: in a process of its own, which may do or print whatever it likes."""
    command = [sys.executable, "-m", "turnstile.agents.strategies.worker", CHECK, module, function]
    try:
        ran = subprocess.run(command, capture_output=True, timeout=CHOICE_SECONDS, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise UnknownStrategy(f"{text!r} cannot be asked: to import it takes longer than a choice may.") from None
    said = ran.stdout.decode(errors="replace").strip()
    if said != FOUND:
        why = said or f"its import ends the program with status {ran.returncode}"
        raise UnknownStrategy(f"{text!r} cannot be asked: {why}.")


class Called:
    """A function of somebody's own, asked within this process; what it could not answer is counted."""

    def __init__(self, text: str) -> None:
        """Raises `UnknownStrategy`."""
        parts = own_function(text)
        if parts is None:
            raise UnknownStrategy(
                f"{text!r} cannot be asked within one process; a built-in or python:... strategy can."
            )
        try:
            with redirect_stdout(sys.stderr):
                self._choose = found(*parts)
        except Exception as fault:  # a module may raise anything
            raise UnknownStrategy(f"{text!r} cannot be asked: {reason_of(fault)}.") from None
        self._text = text
        self.failing: Failing | None = None

    def __call__(self, question: Question) -> Choice:
        try:
            return self._answer(question)
        except Exception as fault:  # whatever goes wrong costs the choice, never the league
            why = str(fault) if isinstance(fault, Failed) else reason_of(fault)
            before = self.failing or Failing(strategy=self._text, failures=0, first=f"{question.match_id}: {why}")
            self.failing = replace(before, failures=before.failures + 1)
            return default_of(question)

    def _answer(self, question: Question) -> Choice:
        """The same dictionary that a process is given, and the same reading of what it says. What it prints is none."""
        known: dict[str, Any] = msgspec.json.decode(encode(question))
        with redirect_stdout(sys.stderr):
            answer = answer_of(self._choose, known)
        return read_answer(answer.encode(), question)
