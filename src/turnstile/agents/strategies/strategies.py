"""Strategies: who chooses for a player, and how a strategy of somebody's own is asked.

In Even/Odd a strategy says "even" or "odd"; in any other game it picks one of the moves that it is offered.

The built-in ones are functions. A strategy of one's own is asked in a process of its own, for each choice anew: it is
given what the player knows as a line of JSON, and its first line is its choice. A thread could not be stopped when it
hangs, and a crash of compiled code would end the player; a process is killed, together with all that it has started,
as soon as it is too late. What it says beside its choice, on standard error, is for the log, as far as it is not too
much. Whatever goes wrong costs the choice, never the player: then it says "even", or takes the
first of the moves.
"""

import asyncio
import contextlib
import os
import shlex
import signal
import sys
import tempfile
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

import msgspec
from msgspec import Raw

from turnstile.agents.strategies.bots import RANDOM, CannotMove, Mover, find_mover, words_for
from turnstile.agents.strategies.output import MOST_BYTES, kept_output
from turnstile.agents.strategies.worker import REASON
from turnstile.games.evenodd import Parity
from turnstile.kernel.chance import Seed, draw
from turnstile.kernel.values import encode
from turnstile.league.player.play import FALLBACK
from turnstile.league.player.state import AskedMove, Question
from turnstile.league.protocol.values import option_meant
from turnstile.league.protocol.words import GAME_TYPE

LONGEST_ANSWER = 4096  # bytes
LONGEST_QUOTE = 40  # characters of an answer that is none
CHOICE_KEYS = ("choice", "parity_choice")
ENDING_SECONDS = 1.0  # for a program that has closed its output
SIDES = (Parity.EVEN, Parity.ODD)
Side = Callable[[Question, Seed], Parity]


class Failed(Exception):
    """A strategy has not given a choice: it crashed, or said something else."""


Choice = Parity | Raw
"""A side in Even/Odd, one of the offered moves in any other game."""

Strategy = Callable[[Question], Awaitable[Choice]]
"""Who chooses. Cancelled when it is too late; raises `Failed`."""

Hear = Callable[[str, Question], None]
"""Who is told what a program has printed beside its choice, as far as it is kept, and to which question."""


class UnknownStrategy(ValueError):
    """There is no such strategy; the text says which there are."""


def default_of(question: Question) -> Choice:
    """What a player says for a strategy that has failed."""
    return FALLBACK if question.move is None else question.move.request.valid_options[0]


def aloud(said: str, question: Question) -> None:
    """For who has no better place for it."""
    sys.stderr.write(said)


def find_strategy(text: str, seed: Seed, hear: Hear = aloud) -> Strategy:
    """The strategy that a word names. What is random in it is drawn from the seed, for each match on its own."""
    if function := own_function(text):
        return in_process(
            text, [sys.executable, "-m", "turnstile.agents.strategies.worker", str(os.getpid()), *function], hear
        )
    if program := own_program(text):
        return in_process(program[0], program, hear)
    if form := FORMS.get(text.partition(":")[0]):
        raise UnknownStrategy(f"{text!r} does not say whom to ask: give {form}.")
    found = find_built_in(text, seed)
    if found is None:
        raise UnknownStrategy(f"There is no strategy {text!r}; there are: {', '.join((*SIDES_OF, *OWN))}.")
    return built_in(*found, seed)


def find_built_in(text: str, seed: Seed) -> tuple[Side, Mover] | None:
    """Who chooses a side, and who moves in other games; `None` where the word names no built-in strategy."""
    side = at_random if text.partition(":")[0] == "bot" else SIDES_OF.get(text)
    mover = find_mover(text, seed) or find_mover(RANDOM, seed)
    return None if side is None or mover is None else (side, mover)


def find_function(text: str, seed: Seed) -> Callable[[Question], Choice] | None:
    """A built-in strategy as a plain function, for leagues within one process."""
    found = find_built_in(text, seed)
    if found is None:
        return None
    side, mover = found
    return lambda asked: side(asked, seed) if asked.move is None else mover(asked.move, asked.match_id)


def own_function(text: str) -> tuple[str, str] | None:
    """The module and the function of `python:MODULE:FUNCTION`; `None` for any other word."""
    kind, _, rest = text.partition(":")
    module, _, function = rest.partition(":")
    return (module, function) if kind == "python" and module and function and ":" not in function else None


def own_program(text: str) -> list[str] | None:
    """The words of `command:PROGRAM`; `None` for any other word. Raises `UnknownStrategy`."""
    kind, _, rest = text.partition(":")
    if kind != "command" or not rest.strip():
        return None
    try:
        return shlex.split(rest)
    except ValueError as fault:
        raise UnknownStrategy(f"The command {rest!r} cannot be understood: {fault}.") from None


# built in


def built_in(side: Side, mover: Mover, seed: Seed) -> Strategy:
    """One way to choose in Even/Odd, and one for the moves of all other games. Bots think in a thread of their own."""

    async def strategy(question: Question) -> Choice:
        if question.move is None:
            return side(question, seed)
        try:
            return await asyncio.to_thread(mover, question.move, question.match_id)
        except CannotMove as fault:
            raise Failed(str(fault)) from None
        except Exception as bug:  # a view that is no view of its game may lead a bot anywhere
            raise Failed(f"The bot has failed: {type(bug).__name__}: {bug}") from bug

    return strategy


def at_random(question: Question, seed: Seed) -> Parity:
    """Either, as likely as the other. The same seed chooses the same in the same match, before and after a restart."""
    return SIDES[draw(seed, f"choice {question.match_id}", 0, len(SIDES))]


def alternating(question: Question, seed: Seed) -> Parity:
    """Even, odd, even, odd: a match after the other."""
    so_far = question.statistics
    return SIDES[so_far.played % len(SIDES)]


def by_history(question: Question, seed: Seed) -> Parity:
    """The other side than the opponent has mostly chosen so far: alone it wins, together it only draws."""
    chosen = [match.opponent_choice for match in question.history if match.opponent_id == question.opponent_id]
    evens, odds = chosen.count(Parity.EVEN), chosen.count(Parity.ODD)
    if evens == odds:
        return at_random(question, seed)
    return Parity.ODD if evens > odds else Parity.EVEN


def always(side: Parity) -> Side:
    return lambda question, seed: side


SIDES_OF: dict[str, Side] = {
    "random": at_random,
    "always:even": always(Parity.EVEN),
    "always:odd": always(Parity.ODD),
    "alternating": alternating,
    "history": by_history,
}
"""The built-in strategies for Even/Odd. In other games all of them move at random; a `bot` does the reverse."""


def strategies_for(game_type: str) -> tuple[str, ...]:
    """The built-in strategies that know how a game is played."""
    return tuple(SIDES_OF) if game_type == GAME_TYPE else words_for(game_type)


FORMS = {"python": "python:MODULE:FUNCTION", "command": "command:PROGRAM"}
"""How a strategy of one's own is named."""

OWN = ("bot", "bot:NAME", *FORMS.values())


# in a process of its own


def in_process(name: str, command: Sequence[str], hear: Hear) -> Strategy:
    """Ask a program: a line of JSON in, a line with the choice out."""

    async def strategy(question: Question) -> Choice:
        line = encode(question) + b"\n"
        return read_answer(await _answer_of(name, command, line, lambda said: hear(said, question)), question)

    return strategy


async def _answer_of(name: str, command: Sequence[str], line: bytes, hear: Callable[[str], None]) -> bytes:
    """The first line that a program says; it and all it has started are gone when this returns or is cancelled."""
    with _pipes(name) as (answers, asides):
        process = await _surely(_started(name, command, line, answers.writing, asides.writing))
        said = bytearray()
        listening = asyncio.ensure_future(_listen(asides.reading, said))
        try:
            return await _first_line(answers.reading) or await _silent(name, process)
        finally:
            await _end(process)
            await _to_its_end(asyncio.ensure_future(_heard_out(listening)))
            hear(kept_output(bytes(said)))


class _Pipe(NamedTuple):
    reading: int
    writing: int


@contextlib.contextmanager
def _pipes(name: str) -> Iterator[tuple[_Pipe, _Pipe]]:
    """Two pipes whose other ends a program is given. They are closed here, whoever may still hold those."""
    ends: list[int] = []
    try:
        for _ in range(2):
            ends += os.pipe()
    except OSError as fault:
        for end in ends:
            os.close(end)
        raise _not_started(name, fault) from None
    pipes = _Pipe(*ends[:2]), _Pipe(*ends[2:])
    try:
        yield pipes
    finally:
        for pipe in pipes:
            os.close(pipe.reading)


async def _surely(starting: Coroutine[Any, Any, asyncio.subprocess.Process]) -> asyncio.subprocess.Process:
    """A program that has been started. Whoever is cancelled meanwhile ends it first: it must not be lost."""
    task = asyncio.ensure_future(starting)
    try:
        await _to_its_end(task)
    except asyncio.CancelledError:
        if task.exception() is None:
            await _end(task.result())
        raise
    return task.result()


async def _to_its_end(task: asyncio.Future[Any]) -> None:
    """Wait for something that is soon done, and be cancelled only then, however often somebody tries."""
    is_cancelled = False
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            is_cancelled = True
    if is_cancelled:
        raise asyncio.CancelledError


def _not_started(name: str, fault: OSError) -> Failed:
    return Failed(f"{name} cannot be started: {fault.strerror}.")


async def _started(
    name: str, command: Sequence[str], line: bytes, answers: int, asides: int
) -> asyncio.subprocess.Process:
    """A program that is asked, in a session of its own, and says what it says into pipes, which are its own now."""
    try:
        with tempfile.TemporaryFile() as question:
            question.write(line)
            question.seek(0)
            return await asyncio.create_subprocess_exec(
                *command, stdin=question, stdout=answers, stderr=asides, start_new_session=True
            )
    except OSError as fault:
        raise _not_started(name, fault) from None
    finally:
        os.close(answers)
        os.close(asides)


async def _first_line(reading: int) -> bytes:
    """What is said up to the end of the line, or to the end of it all."""
    said = b""
    while b"\n" not in said and (more := await _piece(reading)):
        said += more
        if len(said) > LONGEST_ANSWER:
            raise Failed(f"A strategy says no more than {LONGEST_ANSWER} bytes.")
    return said.partition(b"\n")[0]


async def _listen(reading: int, said: bytearray) -> None:
    """Read all that a program prints, or it would wait for us; collect one byte more than is kept, to see a cut."""
    while more := await _piece(reading):
        said += more[: MOST_BYTES + 1 - len(said)]


async def _heard_out(listening: asyncio.Future[None]) -> None:
    """Wait for what is still in the pipe. Somebody who has got away may hold it for ever, and is not waited for."""
    await asyncio.wait([listening], timeout=ENDING_SECONDS)
    listening.cancel()
    await asyncio.wait([listening])


async def _piece(reading: int) -> bytes:
    """What is said next; nothing, when all is said."""
    os.set_blocking(reading, False)
    while True:
        await _readable(reading)
        with contextlib.suppress(BlockingIOError):
            return os.read(reading, LONGEST_ANSWER)


async def _readable(reading: int) -> None:
    loop = asyncio.get_running_loop()
    is_readable = asyncio.Event()
    loop.add_reader(reading, is_readable.set)
    try:
        await is_readable.wait()
    finally:
        loop.remove_reader(reading)


async def _silent(name: str, process: asyncio.subprocess.Process) -> NoReturn:
    """Why a program has said nothing: it has mostly ended, and is given a moment to do so."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(ENDING_SECONDS):
            status = await process.wait()
            how = f"was ended by signal {-status}" if status < 0 else f"ended with exit status {status}"
            raise Failed(f"{name} {how}, and said nothing.")
    raise Failed(f"{name} said nothing.")


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill a program with its whole company, and wait until it is gone: that takes no time, whatever it does."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await _to_its_end(asyncio.ensure_future(process.wait()))


def read_answer(answer: bytes, question: Question) -> Choice:
    """What a strategy has said to a question. It may say why it has no choice. Raises `Failed`."""
    if answer.startswith(REASON.encode()):
        raise Failed(answer.decode(errors="replace").removeprefix(REASON))
    return read_choice(answer) if question.move is None else read_move(answer, question.move)


def read_choice(answer: bytes) -> Parity:
    """A choice: the bare word, or a JSON object with a `choice`, whatever the case of its letters."""
    text = answer.decode(errors="replace").strip()
    said: object = text
    if text.startswith(("{", '"')):
        with contextlib.suppress(msgspec.DecodeError):
            said = msgspec.json.decode(text)
    if isinstance(said, dict):
        said = next((said[key] for key in CHOICE_KEYS if key in said), said)
    word = said.strip().lower() if isinstance(said, str) else ""
    if word not in list(Parity):
        raise Failed(f'A strategy says "even" or "odd", or {{"choice": "even"}}; {_said_instead(text)}')
    return Parity(word)


def _said_instead(text: str) -> str:
    """What a strategy has said that is no choice."""
    if text == "null":
        return "this one returned None: is there a return missing?"
    return f"this one said {text[:LONGEST_QUOTE]!r}."


def read_move(answer: bytes, asked: AskedMove) -> Raw:
    """A move: one of the options, however it is written, or its number in the list, from 0 on."""
    options = asked.request.valid_options
    text = answer.decode(errors="replace").strip()
    try:
        said = msgspec.json.decode(answer)
    except msgspec.DecodeError:
        raise Failed(f"A strategy says a move in JSON; {_said_instead(text)}") from None
    if type(said) is int:
        meant = said if said in range(len(options)) else None
    else:
        meant = option_meant(options, Raw(answer.strip()))
    if meant is None:
        offered = f"one of its {len(options)} move.request.valid_options, or the number of one"
        raise Failed(f"A strategy says {offered}; {_said_instead(text)}")
    return options[meant]
