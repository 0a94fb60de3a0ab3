"""`turnstile step`: the pure function on standard input and output, a line of JSON for each question and answer."""

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
    """Why `step` has no answer of the machine's own. Codes are protocol: add to them, never rename one."""

    MACHINE_FAILED = "MachineFailed"


class Question(Value, frozen=True):
    """A state (`null` for a new match, with who plays, the options and the seed beside it) and an event."""

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
    """Read {"state": ..., "event": {"type": ...}} lines, and answer each with the step or an error.

    The answer is {"state": ..., "trace": [...], "effects": [...]} or {"error": {"code": ..., "message": ...}}. "state":
    null stands for a new match, with "players", "options" and "seed" beside it; for a new table the options name the
    game, and the first player has opened it. Every line is answered: one that cannot be understood, or whose state the
    machine cannot be in, with an error. A machine that fails is answered with an error too, and standard error names
    the exception.

    \b
    Example:
      echo '{"state":null,"players":["ana","bo"],"event":{"type":"Start","seed":"7"}}' | turnstile step e-card
    """
    stream = sys.stdin.buffer if sys.stdin else BytesIO()
    while line := read_line(stream):
        click.echo(answer(machine, line).decode())
        sys.stdout.flush()


def read_line(stream: BinaryIO) -> bytes:
    """The next line, its end included; of one that is too long only so much that it is seen to be."""
    line = stream.readline(LONGEST_LINE + 1)
    rest = line
    while rest and not rest.endswith(b"\n") and len(line) > LONGEST_LINE:
        rest = stream.readline(LONGEST_LINE)
    return line


def answer(inspectable: AnyInspectable, line: bytes) -> bytes:
    """The answer to one line. Whatever is on it, there is one, and the next line can be read."""
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
        return Rejection(Refusal.INVALID_EVENT, f"A line has at most {LONGEST_LINE:,} bytes.")
    try:
        return decode(line, Question)
    except Malformed as fault:
        return Rejection(Refusal.INVALID_EVENT, f"This line is no question: {fault}.")


def take(inspectable: AnyInspectable, question: Question) -> Answer | Rejection:
    """The step that a question asks for: first the event is read, then the state, then the rules decide."""
    event = inspectable.machine.read_event(bytes(question.event))
    if isinstance(event, Rejection):
        return event
    state = _first_state(inspectable, question) if question.is_new else inspectable.read(bytes(question.state))
    taken = state if isinstance(state, Rejection) else inspectable.machine.step(state, event)
    return taken if isinstance(taken, Rejection) else Answer(taken.state, taken.trace, taken.effects)


def _first_state(inspectable: AnyInspectable, question: Question) -> Any:
    return inspectable.new(question.players, bytes(question.options), question.seed)


# a machine that fails


def _failure(inspectable: AnyInspectable, question: Question, bug: Exception) -> Rejection:
    """Why there is no step. Not every machine says itself that it needs a seed, or that nothing leads to a state."""
    name = inspectable.machine.name
    if not question.is_new:
        return Rejection(Refusal.INVALID_STATE, f"{name} cannot go on from this state: {_name(bug)}.")
    if question.seed is None:
        return Rejection(Refusal.INVALID_SEED, f"{name} cannot open this match without a seed: {_name(bug)}.")
    return Rejection(Failure.MACHINE_FAILED, f"{name} cannot open this match: {_name(bug)}.")


def _name(bug: Exception) -> str:
    return f"{type(bug).__name__}: {bug}"


def _place(bug: Exception) -> str:
    """File and line in which an exception was raised."""
    last = traceback.extract_tb(bug.__traceback__)[-1]
    return f"{last.filename}:{last.lineno}"
