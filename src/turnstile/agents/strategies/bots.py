"""Bots as strategies for games other than Even/Odd.

A bot sees only the view and the options of a question. Its random numbers are derived from a seed, the match and the
number of the question: the same question gets the same move again, even after a restart.
"""

from collections.abc import Callable
from random import Random
from typing import Any

from msgspec import Raw

from turnstile.agents.strategies.program import Failed
from turnstile.bots import Bot, bots_of
from turnstile.kernel import AnyGame, Move, Rejection, Seed
from turnstile.kernel.chance import derive
from turnstile.kernel.values import Malformed, decode
from turnstile.league.player.state import AskedMove
from turnstile.league.protocol.words import MatchId
from turnstile.registry import find_game

RANDOM = "random"
BOT = "bot"

Mover = Callable[[AskedMove, MatchId], Raw]
"""Chooses one of the options. Raises `Failed` if it cannot read the question."""


def find_mover(text: str, seed: Seed) -> Mover | None:
    """The mover with this name: `random`, `bot` (the best bot of the game) or `bot:NAME`; `None` for any other name.

    If a game has no bot of that name, its best bot plays: a league may have matches of several games.
    """
    word, _, name = text.partition(":")
    if text == RANDOM:
        return lambda asked, match: _rng(seed, match, asked).choice(asked.request.valid_options)
    if word == BOT and (name or text == BOT):
        return lambda asked, match: bot_move(name, asked, _rng(seed, match, asked))
    return None


def bot_strategies(game_type: str) -> tuple[str, ...]:
    """The names of the strategies for a game; none if the game is not installed."""
    game = find_game(game_type)
    return () if game is None else (RANDOM, BOT, *(f"{BOT}:{name}" for name in bots_of(game)))


def _rng(seed: Seed, match: MatchId, asked: AskedMove) -> Random:
    return Random(derive(seed, f"moves of {match}", asked.number))


def bot_move(name: str, asked: AskedMove, rng: Random) -> Raw:
    """The option that the bot with this name chooses, or else the best bot of the game."""
    game = find_game(asked.game_type)
    if game is None:
        raise Failed(f"The game {asked.game_type} is not installed.")
    actions = [_read_action(game, option) for option in asked.request.valid_options]
    try:
        view = decode(bytes(asked.request.context.view), game.view_type)
    except Malformed as fault:
        raise Failed(f"Invalid view of {game.title}: {fault}.") from None
    chosen = _bot_of(game, name)(view, actions, rng)
    return asked.request.valid_options[actions.index(chosen)]


def _read_action(game: AnyGame, option: Raw) -> Move:
    action = game.machine.read_event(bytes(option))
    if isinstance(action, Rejection):
        raise Failed(action.sentence)
    if not isinstance(action, Move):
        raise Failed(f"This is not a player's move of {game.title}.")
    return action


def _bot_of(game: AnyGame, name: str) -> Bot[Any]:
    bots = bots_of(game)
    return bots.get(name) or next(iter(bots.values()))
