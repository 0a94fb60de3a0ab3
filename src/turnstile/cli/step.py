"""`turnstile step`: the pure function on standard input and output, a line of JSON for each question and answer."""

import sys
from io import BytesIO
from typing import Any, BinaryIO

import click
import msgspec

from turnstile.cli.arguments import game_argument
from turnstile.kernel import (
    AnyGame,
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
from turnstile.registry import study_of

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
@game_argument
def step(game: AnyGame) -> None:
    """Read {"state": ..., "event": {"type": ...}} lines, and answer each with the step or an error.

    The answer is {"state": ..., "trace": [...], "effects": [...]} or {"error": {"code": ..., "message": ...}}. "state":
    null stands for a new match, with "players", "options" and "seed" beside it. A line that cannot be understood is
    answered with an error, and the next one is read.

    \b
    Example:
      echo '{"state":null,"players":["ana","bo"],"event":{"type":"Start","seed":"7"}}' | turnstile step e-card
    """
    stream = sys.stdin.buffer if sys.stdin else BytesIO()
    while line := read_line(stream):
        click.echo(encode(reply(game, line)).decode())
        sys.stdout.flush()


def read_line(stream: BinaryIO) -> bytes:
    """The next line, its end included; of one that is too long only so much that it is seen to be."""
    line = stream.readline(LONGEST_LINE + 1)
    rest = line
    while rest and not rest.endswith(b"\n") and len(line) > LONGEST_LINE:
        rest = stream.readline(LONGEST_LINE)
    return line


def reply(game: AnyGame, line: bytes) -> Answer | Refused:
    """What to answer to one line."""
    taken = take(game, line)
    return Refused(taken) if isinstance(taken, Rejection) else Answer(taken.state, taken.trace, taken.effects)


def take(game: AnyGame, line: bytes) -> Step[Any] | Rejection:
    """The step that a line asks for: first the line, then the event, then the state, then the rules."""
    if len(line) > LONGEST_LINE:
        return Rejection(Refusal.INVALID_EVENT, f"A line has at most {LONGEST_LINE:,} bytes.")
    try:
        question = decode(line, Question)
    except Malformed as fault:
        return Rejection(Refusal.INVALID_EVENT, f"This line is no question: {fault}.")
    event = game.machine.read_event(bytes(question.event))
    if isinstance(event, Rejection):
        return event
    if bytes(question.state) == NULL:
        state = opened(game, question)
        return state if isinstance(state, Rejection) else game.machine.step(state, event)
    state = known(game, question)
    return state if isinstance(state, Rejection) else go_on(game, state, event)


def go_on(game: AnyGame, state: Any, event: Event) -> Step[Any] | Rejection:
    """The step from a state that came from outside; a game without a study cannot say that no match is in it."""
    try:
        return game.machine.step(state, event)
    except Exception as bug:
        why = f"{game.name} cannot go on from this state: {type(bug).__name__}: {bug}."
        return Rejection(Refusal.INVALID_STATE, why)


def opened(game: AnyGame, question: Question) -> Any:
    """A new match, or why there cannot be one."""
    options = game.read_options(bytes(question.options))
    return options if isinstance(options, Rejection) else game.new(question.players, options, question.seed)


def known(game: AnyGame, question: Question) -> Any:
    """The state that was given, or why no match can be in it."""
    state = game.machine.read_state(bytes(question.state))
    fault = None if isinstance(state, Rejection) else study_of(game).sound(state)
    return Rejection(Refusal.INVALID_STATE, fault) if fault else state
