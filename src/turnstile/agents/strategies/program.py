"""Asks a program for a choice: a line of JSON in, a line with the choice out.

The program runs in a session of its own and is killed with all processes that it has started, as soon as it has
answered or is too late. A thread could not be stopped when it hangs, and a crash of compiled code would end the player.
What the program prints on standard error goes to the log, up to a limit.
"""

import asyncio
import contextlib
import os
import signal
import tempfile
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

LONGEST_ANSWER = 4096  # bytes
ENDING_SECONDS = 1.0  # for a program that has closed its output
MOST_BYTES = 16_384  # of the output of one choice
MOST_LINES = 100
CUT = f"[cut here: the first {MOST_BYTES // 1024} kB and {MOST_LINES} lines of a choice are kept]"


class Failed(Exception):
    """A strategy has given no choice: it crashed, or its answer is invalid."""


async def answer_of_program(name: str, command: Sequence[str], line: bytes, hear: Callable[[str], None]) -> bytes:
    """The first line that a program prints. The program and its children are gone when this returns or is cancelled."""
    with _pipes(name) as (answers, errors):
        process = await _start_surely(_start(name, command, line, answers.writing, errors.writing))
        printed = bytearray()
        collecting = asyncio.ensure_future(_collect(errors.reading, printed))
        try:
            return await _first_line(answers.reading) or await _fail_silent(name, process)
        finally:
            await _kill(process)
            await _finish(asyncio.ensure_future(_drain(collecting)))
            hear(kept_output(bytes(printed)))


class _Pipe(NamedTuple):
    reading: int
    writing: int


@contextlib.contextmanager
def _pipes(name: str) -> Iterator[tuple[_Pipe, _Pipe]]:
    """Two pipes for the output of a program. Their reading ends are closed here, even if a process still writes."""
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


async def _start_surely(starting: Coroutine[Any, Any, asyncio.subprocess.Process]) -> asyncio.subprocess.Process:
    """A started program. If the caller is cancelled meanwhile, the program is killed first, so that it is not lost."""
    task = asyncio.ensure_future(starting)
    try:
        await _finish(task)
    except asyncio.CancelledError:
        if task.exception() is None:
            await _kill(task.result())
        raise
    return task.result()


async def _finish(task: asyncio.Future[Any]) -> None:
    """Wait for a task that is soon done. A cancellation takes effect only then."""
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


async def _start(
    name: str, command: Sequence[str], line: bytes, answers: int, errors: int
) -> asyncio.subprocess.Process:
    """Start a program in its own session. It reads the question and owns the writing ends of the pipes."""
    try:
        with tempfile.TemporaryFile() as question:
            question.write(line)
            question.seek(0)
            return await asyncio.create_subprocess_exec(
                *command, stdin=question, stdout=answers, stderr=errors, start_new_session=True
            )
    except OSError as fault:
        raise _not_started(name, fault) from None
    finally:
        os.close(answers)
        os.close(errors)


async def _first_line(reading: int) -> bytes:
    """The output up to the end of the first line, or to the end of the output."""
    said = b""
    while b"\n" not in said and (more := await _read_some(reading)):
        said += more
        if len(said) > LONGEST_ANSWER:
            raise Failed(f"A strategy may answer with at most {LONGEST_ANSWER} bytes.")
    return said.partition(b"\n")[0]


async def _collect(reading: int, printed: bytearray) -> None:
    """Read all that a program prints, or it would block. Keep one byte more than the limit, to notice a cut."""
    while more := await _read_some(reading):
        printed += more[: MOST_BYTES + 1 - len(printed)]


async def _drain(collecting: asyncio.Future[None]) -> None:
    """Wait for what is still in the pipe, but not for ever: a process that escaped may hold it open."""
    await asyncio.wait([collecting], timeout=ENDING_SECONDS)
    collecting.cancel()
    await asyncio.wait([collecting])


async def _read_some(reading: int) -> bytes:
    """The next bytes; none at the end of the output."""
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


async def _fail_silent(name: str, process: asyncio.subprocess.Process) -> NoReturn:
    """Fail because a program has printed nothing. Mostly it has ended, or is about to."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(ENDING_SECONDS):
            status = await process.wait()
            how = f"was ended by signal {-status}" if status < 0 else f"ended with exit status {status}"
            raise Failed(f"{name} {how}, and said nothing.")
    raise Failed(f"{name} said nothing.")


async def _kill(process: asyncio.subprocess.Process) -> None:
    """Kill a program with its process group, and wait until it is gone."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await _finish(asyncio.ensure_future(process.wait()))


def kept_output(printed: bytes) -> str:
    """The output of a program within the limits, without empty lines. A last line marks a cut.

    The caller reads at least `MOST_BYTES + 1` bytes, so that a cut can be noticed.
    """
    lines = [line for line in printed[:MOST_BYTES].decode(errors="replace").splitlines() if line.strip()]
    is_cut = len(printed) > MOST_BYTES or len(lines) > MOST_LINES
    return "".join(f"{line}\n" for line in [*lines[:MOST_LINES], *([CUT] if is_cut else [])])
