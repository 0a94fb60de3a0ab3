"""A program as a bot: `cmd:./mybot --fast`. It reads one line of JSON for each decision, and writes one line.

The program runs on over many matches, in a session of its own, until its input ends. Each worker process has a copy of
it. docs/tournaments.md describes the protocol for authors.
"""

import os
import selectors
import shlex
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.util import Finalize
from pathlib import Path
from random import Random
from threading import Thread
from time import monotonic
from typing import IO, Any

from turnstile.kernel import AnyGame, Move, Outcome
from turnstile.kernel.values import encode
from turnstile.lab.own_bots.answers import read_json_action
from turnstile.lab.own_bots.failures import BotFailed, InvalidBot
from turnstile.lab.own_bots.kinds import Kind, OwnBot

LONGEST_ANSWER = 64 * 1024  # bytes
MOST_STDERR = 4096  # bytes that are kept, the last ones
ENDING_SECONDS = 1.0
AT_EXIT = 10  # a priority; any number means that the end of the process calls it


class CommandBot:
    """Asks a program. It is started at the first question."""

    def __init__(self, game: AnyGame, name: str, words: Sequence[str], seconds: float) -> None:
        self.game, self.name, self.words, self.seconds = game, name, words, seconds
        self._program: _Program | None = None
        self._matches = 0

    def __call__(self, view: Any, actions: Sequence[Move], rng: Random) -> Move:
        program = self._program = self._program or _Program(self.name, self.words)
        question = {
            "game": self.game.name,
            "match": self._matches,
            "player": actions[0].player,
            "view": view,
            "actions": actions,
            "random": rng.getrandbits(32),
        }
        line = program.ask(encode(question) + b"\n", self.seconds)
        try:
            return read_json_action(self.name, line, actions)
        except BotFailed as fault:
            raise program.failure(fault.sentence) from None

    def end_match(self, view: Any, outcome: Outcome) -> None:
        """The next question is about another match: its number says so."""
        self._matches += 1

    def close(self) -> None:
        if self._program is not None:
            self._program.close()
            self._program = None


def load_command(game: AnyGame, text: str, seconds: float) -> OwnBot:
    """The bot of `cmd:PROGRAM ARGUMENTS`. Raises `InvalidBot`."""
    name = f"cmd:{text}"
    try:
        words = shlex.split(text)
    except ValueError as fault:
        raise InvalidBot(f"{name} cannot be used: {fault}.") from None
    if not words:
        raise InvalidBot(f"{name!r} is incomplete: give the program and its arguments, as in cmd:./mybot.")
    if shutil.which(words[0]) is None:
        is_file = "/" in words[0] and Path(words[0]).is_file()
        why = f"{words[0]} is not executable; use chmod +x" if is_file else f"there is no program {words[0]!r}"
        raise InvalidBot(f"{name} cannot be used: {why}.")
    return CommandBot(game, name, words, seconds)


class _Program:
    """A running program, and what it has printed on standard error."""

    def __init__(self, name: str, words: Sequence[str]) -> None:
        self.name = name
        try:
            self._process = subprocess.Popen(  # noqa: S603
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # Ctrl-C does not reach it
            )
        except OSError as fault:
            raise BotFailed(f"{name} cannot be started: {fault.strerror}.") from None
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        self._input, self._output = process.stdin.fileno(), process.stdout.fileno()
        for end in (self._input, self._output):
            os.set_blocking(end, False)
        self._printed = bytearray()
        self._listening = Thread(target=_listen, args=(process.stderr, self._printed), daemon=True)
        self._listening.start()
        self._end = Finalize(self, _end, (process,), exitpriority=AT_EXIT)

    def ask(self, line: bytes, seconds: float) -> bytes:
        """The line that the program answers. Raises `BotFailed`."""
        if extra := self._read():
            raise self._failure(f"has said {extra[:40].decode(errors='replace')!r} without being asked")
        answer = self._exchange(line, monotonic() + seconds, seconds)
        first, _, rest = answer.partition(b"\n")
        if rest:
            raise self._failure("has answered with more than one line")
        return first

    def failure(self, sentence: str) -> BotFailed:
        """End the program. Returns the failure, with the end of what it has printed on standard error."""
        self.close()
        return BotFailed(sentence, bytes(self._printed).decode(errors="replace"))

    def close(self) -> None:
        """End the program, and wait for the last that it has printed."""
        self._end()
        self._listening.join(ENDING_SECONDS)

    def _exchange(self, line: bytes, end: float, seconds: float) -> bytes:
        """Write the question while reading the answer: a program may answer before it has read all of it."""
        answer = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._output, selectors.EVENT_READ)
            selector.register(self._input, selectors.EVENT_WRITE)
            while b"\n" not in answer:
                ready = selector.select(max(0.0, end - monotonic()))
                if not ready:
                    raise self._failure(f"has not answered within {seconds:g} seconds")
                for key, _ in ready:
                    if key.fd == self._output:
                        answer += self._more(answer)
                    elif not (line := line[self._write(line) :]):
                        selector.unregister(self._input)
        return answer

    def _write(self, line: bytes) -> int:
        try:
            return os.write(self._input, line)
        except BrokenPipeError:
            raise self._ended() from None

    def _more(self, answer: bytes) -> bytes:
        more = self._read()
        if more is None:
            return b""
        if not more:
            raise self._ended()
        if len(answer) + len(more) > LONGEST_ANSWER:
            raise self._failure(f"has answered with more than {LONGEST_ANSWER} bytes")
        return more

    def _read(self) -> bytes | None:
        """What it has written; nothing at the end of its output, `None` if there is nothing yet."""
        try:
            return os.read(self._output, LONGEST_ANSWER)
        except BlockingIOError:
            return None

    def _ended(self) -> BotFailed:
        with suppress(subprocess.TimeoutExpired):
            status = self._process.wait(ENDING_SECONDS)
            how = f"was ended by signal {-status}" if status < 0 else f"has ended with exit status {status}"
            return self._failure(f"{how} instead of answering")
        return self._failure("has closed its output instead of answering")

    def _failure(self, why: str) -> BotFailed:
        return self.failure(f"{self.name} {why}.")


def _listen(stream: IO[bytes], printed: bytearray) -> None:
    """Read all that a program prints, or it would block. The last bytes are kept."""
    with stream:
        while more := stream.read(MOST_STDERR):
            printed += more
            del printed[:-MOST_STDERR]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program: first its input, then, if that does not end it, the program with all processes it started."""
    assert process.stdin is not None
    process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(ENDING_SECONDS)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


kind = Kind(load_command)
