"""Strategies: who says "even" or "odd" for a player, and how a strategy of somebody's own is asked.

The built-in ones are functions. A strategy of one's own is asked in a process of its own, for each choice anew: it is
given what the player knows as a line of JSON, and its first line is its choice. A thread could not be stopped when it
hangs, and a crash of compiled code would end the player; a process is killed, together with all that it has started,
as soon as it is too late. Whatever goes wrong costs the choice, never the player: then it says "even".
"""

import asyncio
import contextlib
import os
import shlex
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from turnstile.games.evenodd import Parity
from turnstile.kernel.chance import Seed, draw
from turnstile.kernel.values import encode
from turnstile.league.player_state import Question

LONGEST_ANSWER = 4096  # bytes
SIDES = (Parity.EVEN, Parity.ODD)


class Failed(Exception):
    """A strategy has not given a choice: it crashed, or said something else."""


Choice = Callable[[Question], Parity]
"""A built-in strategy: it always answers, and at once."""

Strategy = Callable[[Question], Awaitable[Parity]]
"""Who chooses. Cancelled when it is too late; raises `Failed`."""


class UnknownStrategy(ValueError):
    """There is no such strategy; the text says which there are."""


def find_strategy(text: str, seed: Seed) -> Strategy:
    """The strategy that a word names. What is random in it is drawn from the seed, for each match on its own."""
    if (choose := find_choice(text, seed)) is not None:
        return _immediately(choose)
    name, _, rest = text.partition(":")
    if name == "python" and rest.count(":") == 1 and all(rest.split(":")):
        return in_process([sys.executable, "-m", "turnstile.agents.ask", *rest.split(":")])
    if name == "command" and rest.strip():
        return in_process(_words(rest))
    raise UnknownStrategy(
        f"There is no strategy {text!r}; there are: random, always:even, always:odd, alternating, history, "
        "python:MODULE:FUNCTION and command:PROGRAM."
    )


def find_choice(text: str, seed: Seed) -> Choice | None:
    """A built-in strategy, as the function that it is; `None` where there is none of that name."""
    name, _, rest = text.partition(":")
    if name == "always" and rest in list(Parity):
        return lambda _: Parity(rest)
    if text not in BUILT_IN:
        return None
    return lambda question: BUILT_IN[text](question, seed)


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as fault:
        raise UnknownStrategy(f"The command {command!r} cannot be understood: {fault}.") from None


# built in


def _immediately(choose: Choice) -> Strategy:
    async def strategy(question: Question) -> Parity:
        return choose(question)

    return strategy


def at_random(question: Question, seed: Seed) -> Parity:
    """Either, as likely as the other. The same seed chooses the same in the same match, before and after a restart."""
    return SIDES[draw(seed, f"choice {question.match_id}", 0, len(SIDES))]


def alternating(question: Question, seed: Seed) -> Parity:
    """Even, odd, even, odd: a match after the other."""
    return SIDES[len(question.history) % len(SIDES)]


def by_history(question: Question, seed: Seed) -> Parity:
    """The other side than the opponent has mostly chosen so far: alone it wins, together it only draws."""
    chosen = [match.opponent_choice for match in question.history if match.opponent_id == question.opponent_id]
    evens, odds = chosen.count(Parity.EVEN), chosen.count(Parity.ODD)
    if evens == odds:
        return at_random(question, seed)
    return Parity.ODD if evens > odds else Parity.EVEN


BUILT_IN = {"random": at_random, "alternating": alternating, "history": by_history}


# in a process of its own


def in_process(command: Sequence[str]) -> Strategy:
    """Ask a program: a line of JSON in, a line with the choice out."""

    async def strategy(question: Question) -> Parity:
        return read_choice(await _answer_of(command, encode(question) + b"\n"))

    return strategy


async def _answer_of(command: Sequence[str], line: bytes) -> bytes:
    """The first line that a program says; it and all it has started are gone when this returns or is cancelled."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST_ANSWER,
            start_new_session=True,
        )
    except OSError as fault:
        raise Failed(f"{command[0]} cannot be started: {fault.strerror}.") from None
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it need not listen to answer
            process.stdin.write(line)
            await process.stdin.drain()
            process.stdin.close()
        return await process.stdout.readline()
    except ValueError:
        raise Failed(f"{command[0]} says more than {LONGEST_ANSWER} bytes in one line.") from None
    finally:
        await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill a program with its whole company, and wait until it is gone: that takes no time, whatever it does."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def read_choice(answer: bytes) -> Parity:
    """A choice: the bare word, or a JSON object with a `choice`, whatever the case of its letters."""
    text = answer.decode(errors="replace").strip()
    if text.startswith(("{", '"')):
        with contextlib.suppress(msgspec.DecodeError):
            said = msgspec.json.decode(text)
            text = str(said.get("choice")) if isinstance(said, dict) else str(said)
    word = text.strip().lower()
    if word not in list(Parity):
        raise Failed(f'A strategy says "even" or "odd"; this one said {text[:40]!r}.')
    return Parity(word)
