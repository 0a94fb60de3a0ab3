"""`turnstile step`: the pure function on standard input and output, a line of JSON for each question and answer."""

import sys
from io import BytesIO
from typing import Any, BinaryIO

import click
import msgspec

from turnstile.cli.arguments import machine_argument
from turnstile.kernel import (
    Effect,
    Event,
    Hop,
    Malformed,
    PlayerId,
    Refusal,
    Rejection,
    Seed,
    Step,
    Value,
    decode,
    encode,
)
from turnstile.kernel.stand import AnyStand

LONGEST_LINE = 1 << 20
NULL = b"null"


class Question(Value, frozen=True):
    """A state (`null` for a new match, with who plays, the options and the seed beside it) and an event."""

    event: msgspec.Raw
    state: msgspec.Raw = msgspec.Raw(NULL)
    players: tuple[PlayerId, ...] = ()
    options: msgspec.Raw = msgspec.Raw(b"{}")
    seed: Seed | None = None


class Answer(Value, frozen=True):
    state: Any
    trace: tuple[Hop, ...]
    effects: tuple[Effect, ...]


class Refused(Value, frozen=True):
    error: Rejection


@click.command()
@machine_argument
def step(machine: AnyStand) -> None:
    """Read {"state": ..., "event": {"type": ...}} lines, and answer each with the step or an error.

    The answer is {"state": ..., "trace": [...], "effects": [...]} or {"error": {"code": ..., "message": ...}}. "state":
    null stands for a new match, with "players", "options" and "seed" beside it; for a new table the options name the
    game, and the first player has opened it. A line that cannot be understood is
    answered with an error, and the next one is read.

    \b
    Example:
      echo '{"state":null,"players":["ana","bo"],"event":{"type":"Start","seed":"7"}}' | turnstile step e-card
    """
    stream = sys.stdin.buffer if sys.stdin else BytesIO()
    while line := read_line(stream):
        click.echo(encode(reply(machine, line)).decode())
        sys.stdout.flush()


def read_line(stream: BinaryIO) -> bytes:
    """The next line, its end included; of one that is too long only so much that it is seen to be."""
    line = stream.readline(LONGEST_LINE + 1)
    rest = line
    while rest and not rest.endswith(b"\n") and len(line) > LONGEST_LINE:
        rest = stream.readline(LONGEST_LINE)
    return line


def reply(stand: AnyStand, line: bytes) -> Answer | Refused:
    """What to answer to one line."""
    taken = take(stand, line)
    return Refused(taken) if isinstance(taken, Rejection) else Answer(taken.state, taken.trace, taken.effects)


def take(stand: AnyStand, line: bytes) -> Step[Any] | Rejection:
    """The step that a line asks for: first the line, then the event, then the state, then the rules."""
    if len(line) > LONGEST_LINE:
        return Rejection(Refusal.INVALID_EVENT, f"A line has at most {LONGEST_LINE:,} bytes.")
    try:
        question = decode(line, Question)
    except Malformed as fault:
        return Rejection(Refusal.INVALID_EVENT, f"This line is no question: {fault}.")
    event = stand.machine.read_event(bytes(question.event))
    if isinstance(event, Rejection):
        return event
    if bytes(question.state) == NULL:
        return begin(stand, question, event)
    return go_on(stand, bytes(question.state), event)


def begin(stand: AnyStand, question: Question, event: Event) -> Step[Any] | Rejection:
    """The first step of a new match; not every game says by itself that it needs a seed."""
    try:
        state = stand.new(question.players, bytes(question.options), question.seed)
        return state if isinstance(state, Rejection) else stand.machine.step(state, event)
    except Exception as bug:
        code, without = (
            (Refusal.INVALID_SEED, " without a seed") if question.seed is None else (Refusal.INVALID_STATE, "")
        )
        return Rejection(code, f"{stand.machine.name} cannot open this match{without}: {type(bug).__name__}: {bug}.")


def go_on(stand: AnyStand, written: bytes, event: Event) -> Step[Any] | Rejection:
    """The step from a state that came from outside; not every machine can say of a state that nothing leads there."""
    try:
        state = stand.read(written)
        return state if isinstance(state, Rejection) else stand.machine.step(state, event)
    except Exception as bug:
        why = f"{stand.machine.name} cannot go on from this state: {type(bug).__name__}: {bug}."
        return Rejection(Refusal.INVALID_STATE, why)
