"""Strategies choose for a player: "even" or "odd" in Even/Odd, one of the offered moves in any other game.

Built-in strategies are functions. A user-supplied strategy runs in a new process for each choice (`program.py`). If a
strategy fails, the player answers "even" or takes the first move; the failure never stops the player.
"""

import asyncio
import contextlib
import os
import shlex
import sys
from collections.abc import Awaitable, Callable, Sequence

import msgspec
from msgspec import Raw

from turnstile.agents.strategies.bots import RANDOM, bot_strategies, find_mover
from turnstile.agents.strategies.program import Failed, answer_of_program
from turnstile.agents.strategies.worker import REASON
from turnstile.games.evenodd import Parity
from turnstile.kernel.chance import Seed, draw
from turnstile.kernel.values import encode
from turnstile.league.player.match import FALLBACK
from turnstile.league.player.state import AskedMove, Question
from turnstile.league.protocol.values import option_meant
from turnstile.league.protocol.words import GAME_TYPE

LONGEST_QUOTE = 40  # characters of an invalid answer
CHOICE_KEYS = ("choice", "parity_choice")
SIDES = (Parity.EVEN, Parity.ODD)
Side = Callable[[Question, Seed], Parity]


Choice = Parity | Raw
"""A side in Even/Odd, one of the offered moves in any other game."""

Strategy = Callable[[Question], Awaitable[Choice]]
"""Chooses for a player. It is cancelled when it is too late, and raises `Failed`."""

Hear = Callable[[str, Question], None]
"""Receives the output of a program, within the limits, and the question."""


class UnknownStrategy(ValueError):
    """The name of a strategy is invalid, or the strategy cannot run; the text says why."""


def default_of(question: Question) -> Choice:
    """The answer of a player whose strategy has failed."""
    return FALLBACK if question.move is None else question.move.request.valid_options[0]


def find_strategy(text: str, seed: Seed, hear: Hear = lambda printed, question: None) -> Strategy:
    """The strategy with this name. Its random choices are derived from the seed and the match."""
    if function := custom_function(text):
        worker = [sys.executable, "-m", "turnstile.agents.strategies.worker", str(os.getpid()), *function]
        return in_process(text, worker, hear)
    if program := custom_program(text):
        return in_process(program[0], program, hear)
    if form := FORMS.get(text.partition(":")[0]):
        raise UnknownStrategy(f"{text!r} is incomplete: give {form}.")
    built_in = find_function(text, seed)
    if built_in is None:
        names = ", ".join((*SIDES_OF, "bot", "bot:NAME", *FORMS.values()))
        raise UnknownStrategy(f"There is no strategy {text!r}; there are: {names}.")
    return in_thread(built_in)


def find_function(text: str, seed: Seed) -> Callable[[Question], Choice] | None:
    """A built-in strategy as a plain function; `None` for any other name."""
    side = at_random if text.partition(":")[0] == "bot" else SIDES_OF.get(text)
    mover = find_mover(text, seed) or find_mover(RANDOM, seed)
    if side is None or mover is None:
        return None
    return lambda asked: side(asked, seed) if asked.move is None else mover(asked.move, asked.match_id)


def custom_function(text: str) -> tuple[str, str] | None:
    """The module and the function of `python:MODULE:FUNCTION`; `None` for any other name."""
    kind, _, rest = text.partition(":")
    module, _, function = rest.partition(":")
    return (module, function) if kind == "python" and module and function and ":" not in function else None


def custom_program(text: str) -> list[str] | None:
    """The words of `command:PROGRAM`; `None` for any other name. Raises `UnknownStrategy`."""
    kind, _, rest = text.partition(":")
    if kind != "command" or not rest.strip():
        return None
    try:
        return shlex.split(rest)
    except ValueError as fault:
        raise UnknownStrategy(f"The command {rest!r} is invalid: {fault}.") from None


# built-in strategies


def in_thread(function: Callable[[Question], Choice]) -> Strategy:
    """A built-in strategy. A bot computes its move in a thread."""

    async def strategy(question: Question) -> Choice:
        if question.move is None:
            return function(question)
        try:
            return await asyncio.to_thread(function, question)
        except Failed:
            raise
        except Exception as bug:  # an invalid view may lead a bot anywhere
            raise Failed(f"The bot has failed: {type(bug).__name__}: {bug}") from bug

    return strategy


def at_random(question: Question, seed: Seed) -> Parity:
    """Either side with equal chance. The same seed makes the same choice in the same match, even after a restart."""
    return SIDES[draw(seed, f"choice {question.match_id}", 0, len(SIDES))]


def alternating(question: Question, seed: Seed) -> Parity:
    """Even and odd in turn, match by match."""
    return SIDES[question.statistics.played % len(SIDES)]


def by_history(question: Question, seed: Seed) -> Parity:
    """The side that the opponent has chosen less often: only a choice unlike the opponent's can win."""
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
"""The built-in strategies for Even/Odd. In other games they move at random; a `bot` chooses at random in Even/Odd."""


def strategies_for(game_type: str) -> tuple[str, ...]:
    """The built-in strategies for a game."""
    return tuple(SIDES_OF) if game_type == GAME_TYPE else bot_strategies(game_type)


FORMS = {"python": "python:MODULE:FUNCTION", "command": "command:PROGRAM"}
"""The names of user-supplied strategies."""


# user-supplied strategies


def in_process(name: str, command: Sequence[str], hear: Hear) -> Strategy:
    """A strategy that asks a program: a line of JSON in, a line with the choice out."""

    async def strategy(question: Question) -> Choice:
        line = encode(question) + b"\n"
        answer = await answer_of_program(name, command, line, lambda printed: hear(printed, question))
        return read_answer(answer, question)

    return strategy


def read_answer(answer: bytes, question: Question) -> Choice:
    """The choice in the answer of a program, which may instead say why there is none. Raises `Failed`."""
    if answer.startswith(REASON.encode()):
        raise Failed(answer.decode(errors="replace").removeprefix(REASON))
    return read_choice(answer) if question.move is None else read_move(answer, question.move)


def read_choice(answer: bytes) -> Parity:
    """A choice in Even/Odd: the bare word or a JSON object with a `choice`, in upper or lower case."""
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
    """The part of an error that quotes an invalid answer."""
    if text == "null":
        return "this one returned None: is there a return missing?"
    return f"this one said {text[:LONGEST_QUOTE]!r}."


def read_move(answer: bytes, asked: AskedMove) -> Raw:
    """A move: one of the options as JSON, or its number in the list, from 0."""
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
