"""Strategies of one's own: whether they can be asked at all, and how they are asked within this very process.

A league of processes asks them in processes of their own (`strategies.py`). Within one process a function is called as
it is, and nothing protects the league from one that hangs. One that raises or answers with rubbish has failed, as
elsewhere: that costs it the choice.
"""

import json
import shutil
import subprocess
import sys
from typing import Any

import msgspec

from turnstile.agents.ask import CHECK, found
from turnstile.agents.strategies import (
    Choice,
    UnknownStrategy,
    default_of,
    find_strategy,
    own_function,
    own_program,
    read_choice,
    read_move,
)
from turnstile.kernel.chance import Seed
from turnstile.kernel.values import encode
from turnstile.league.player_state import Question
from turnstile.league.words import CHOICE_SECONDS


def refuse_strategy(text: str) -> None:
    """Raises `UnknownStrategy` for what plainly cannot choose: no such strategy, module, function or program."""
    find_strategy(text, Seed("any"))
    if function := own_function(text):
        _refuse_function(text, *function)
    elif (program := own_program(text)) and shutil.which(program[0]) is None:
        raise UnknownStrategy(f"{text!r} cannot be asked: there is no program {program[0]!r} that can be run.")


def _refuse_function(text: str, module: str, function: str) -> None:
    """It is looked for where it is asked later: in a process of its own, which may do or print whatever it likes."""
    command = [sys.executable, "-m", "turnstile.agents.ask", CHECK, module, function]
    try:
        ran = subprocess.run(command, capture_output=True, timeout=CHOICE_SECONDS, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise UnknownStrategy(f"{text!r} cannot be asked: to import it takes longer than a choice may.") from None
    why = ran.stdout.decode(errors="replace").strip()
    if why or ran.returncode:
        raise UnknownStrategy(f"{text!r} cannot be asked: {why or f'its import ends with status {ran.returncode}'}.")


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
            self._choose = found(*parts)
        except Exception as fault:  # a module may raise anything
            raise UnknownStrategy(f"{text!r} cannot be asked: {type(fault).__name__}: {fault}.") from None
        self.text = text
        self.failures = 0
        self.first_failure = ""

    def __call__(self, question: Question) -> Choice:
        try:
            return self._answer(question)
        except (Exception, SystemExit) as fault:  # whatever goes wrong costs the choice, never the league
            self.failures += 1
            self.first_failure = self.first_failure or f"{question.match_id}: {type(fault).__name__}: {fault}"
            return default_of(question)

    def _answer(self, question: Question) -> Choice:
        """The same dictionary that a process is given, and the same reading of what it says."""
        known: dict[str, Any] = msgspec.json.decode(encode(question))
        answer = json.dumps(self._choose(known)).encode()
        return read_choice(answer) if question.move is None else read_move(answer, question.move)
