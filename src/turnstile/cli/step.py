"""`turnstile step`: the pure step function on standard input and output, a line of JSON for each request and answer."""

import sys
import traceback
from enum import StrEnum
from io import BytesIO
from typing import Any, BinaryIO

import click
import msgspec

from turnstile.cli.arguments import machine_argument
from turnstile.kernel import (
    Effect,
    Hop,
    Malformed,
    PlayerId,
    Refusal,
    Rejection,
    Seed,
    Value,
    decode,
    encode,
)
from turnstile.kernel.inspect import AnyInspectable

LONGEST_LINE = 1 << 20
NULL = b"null"


class Failure(StrEnum):
    """Error codes of `step` itself, beside those of the machine. Codes are protocol: add to them, never rename one."""

    MACHINE_FAILED = "MachineFailed"


class Question(Value, frozen=True):
    """A state and an event. For a new match the state is `null`, with players, options and seed beside it."""

    event: msgspec.Raw
    state: msgspec.Raw = msgspec.Raw(NULL)
    players: tuple[PlayerId, ...] = ()
    options: msgspec.Raw = msgspec.Raw(b"{}")
    seed: Seed | None = None

    @property
    def is_new(self) -> bool:
        return bytes(self.state) == NULL


class Answer(Value, frozen=True):
    state: Any
    trace: tuple[Hop, ...]
    effects: tuple[Effect, ...]


class RefusedStep(Value, frozen=True):
    error: Rejection


@click.command()
@machine_argument
def step(machine: AnyInspectable) -> None:
    """Apply events to states, a line of JSON each.

    \b
    Reads lines:    {"state": ..., "event": {"type": ...}}
    Answers each:   {"state": ..., "trace": [...], "effects": [...]}
    or, on error:   {"error": {"code": ..., "message": ...}}

    "state": null starts a new match, with "players", "options" and "seed" beside it. For a new table the options name
    the game, and the first player is the one who opens the table.

    Every line gets an answer. An invalid line or state is answered with an error. If the machine raises an exception,
    the answer is an error too, and standard error names the exception.

    \b
    Example:
      echo '{"state":null,"players":["ana","bo"],"event":{"type":"Start","seed":"7"}}' | turnstile step e-card
    """
    stream = sys.stdin.buffer if sys.stdin else BytesIO()
    while line := read_line(stream):
        click.echo(answer(machine, line).decode())
        sys.stdout.flush()


def read_line(stream: BinaryIO) -> bytes:
    """The next line with its line end. A line that is too long is cut off just above the limit."""
    line = stream.readline(LONGEST_LINE + 1)
    rest = line
    while rest and not rest.endswith(b"\n") and len(line) > LONGEST_LINE:
        rest = stream.readline(LONGEST_LINE)
    return line


def answer(inspectable: AnyInspectable, line: bytes) -> bytes:
    """The answer to one line. Every line gets one, and the next line can be read."""
    question = read_question(line)
    if isinstance(question, Rejection):
        return encode(RefusedStep(question))
    try:
        taken = take(inspectable, question)
        return encode(taken if isinstance(taken, Answer) else RefusedStep(taken))
    except Exception as bug:
        click.echo(f"{inspectable.machine.name} failed at {_place(bug)}: {_name(bug)}", err=True)
        return encode(RefusedStep(_failure(inspectable, question, bug)))


def read_question(line: bytes) -> Question | Rejection:
    if len(line) > LONGEST_LINE:
        return Rejection(Refusal.INVALID_EVENT, f"The line is too long: at most {LONGEST_LINE:,} bytes.")
    try:
        return decode(line, Question)
    except Malformed as fault:
        return Rejection(Refusal.INVALID_EVENT, f"Invalid line: {fault}.")


def take(inspectable: AnyInspectable, question: Question) -> Answer | Rejection:
    """The step that a question asks for. The event is read first, then the state; then the machine decides."""
    event = inspectable.machine.read_event(bytes(question.event))
    if isinstance(event, Rejection):
        return event
    state = _first_state(inspectable, question) if question.is_new else inspectable.read(bytes(question.state))
    taken = state if isinstance(state, Rejection) else inspectable.machine.step(state, event)
    return taken if isinstance(taken, Rejection) else Answer(taken.state, taken.trace, taken.effects)


def _first_state(inspectable: AnyInspectable, question: Question) -> Any:
    return inspectable.new(question.players, bytes(question.options), question.seed)


# a machine that raises an exception


def _failure(inspectable: AnyInspectable, question: Question, bug: Exception) -> Rejection:
    """The likely cause of an exception. Not every machine rejects a missing seed or an unreachable state itself."""
    name = inspectable.machine.name
    if not question.is_new:
        return Rejection(Refusal.INVALID_STATE, f"{name} cannot go on from this state: {_name(bug)}.")
    if question.seed is None:
        return Rejection(Refusal.INVALID_SEED, f"{name} cannot open this match without a seed: {_name(bug)}.")
    return Rejection(Failure.MACHINE_FAILED, f"{name} cannot open this match: {_name(bug)}.")


def _name(bug: Exception) -> str:
    return f"{type(bug).__name__}: {bug}"


def _place(bug: Exception) -> str:
    """The file and line that raised an exception."""
    last = traceback.extract_tb(bug.__traceback__)[-1]
    return f"{last.filename}:{last.lineno}"
