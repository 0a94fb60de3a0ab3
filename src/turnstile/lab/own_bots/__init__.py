"""Bots by name: those of a game, and those that users bring.

| name | bot |
| --- | --- |
| `attentive` | a bot of the game; a text after a colon is a setting of the bot |
| `mine:choose`, `path/to/mine.py:choose` | a Python function; also `python:mine:choose` |
| `cmd:./mybot --fast` | a program; also `command:...` |
| `KIND:...` | any kind that a package offers as an entry point of `turnstile.own_bots` |

An own bot is loaded once in each process, and stays for many matches.
"""

from collections.abc import Sequence
from typing import Any

from turnstile.bots import Bot, bots_of
from turnstile.bots.names import SEARCH
from turnstile.kernel import AnyGame
from turnstile.lab.own_bots import command, function
from turnstile.lab.own_bots.failures import BotFailed, InvalidBot
from turnstile.lab.own_bots.kinds import USUAL_SECONDS, Kind, OwnBot
from turnstile.registry import find

__all__ = ["BotFailed", "InvalidBot", "Kind", "OwnBot", "USUAL_SECONDS", "load_bot"]
__all__ += ["close_bots", "end_match", "is_own", "plays_one_match_at_a_time", "short_name"]

KINDS = "turnstile.own_bots"
BUILT_IN_KINDS = {"python": function.kind, "cmd": command.kind, "command": command.kind}
LONGEST_NAME = 40  # characters of a bot's name in a player's id

_loaded: dict[tuple[str, str, float], OwnBot] = {}
_built_ins: dict[tuple[str, str], tuple[AnyGame, Bot[Any]]] = {}


def load_bot(game: AnyGame, name: str, seconds: float = USUAL_SECONDS) -> Bot[Any]:
    """The bot with this name. A program or an agent may think about a decision for so many seconds.

    Raises `InvalidBot`.
    """
    if not is_own(game, name):
        return _built_in(game, name)
    key = game.name, name, seconds
    if key not in _loaded:
        kind, rest = _kind_of(name)
        _loaded[key] = kind.load(game, rest, seconds)
    return _loaded[key]


def is_own(game: AnyGame, name: str) -> bool:
    """Whether a name is one of a bot that a user brings."""
    word, colon, _ = name.partition(":")
    return bool(colon) and word not in bots_of(game)


def plays_one_match_at_a_time(name: str) -> bool:
    """Whether this bot cannot play in several processes at once."""
    return ":" in name and _kind_of(name)[0].plays_one_match_at_a_time


def short_name(name: str) -> str:
    """A name that fits into a player's id."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..."


def end_match(game: AnyGame, state: Any, bots: Sequence[Bot[Any]]) -> None:
    """Tell own bots that their match is over. `bots` are in the order of the seats."""
    if not _loaded:
        return
    own = {id(bot): bot for bot in _loaded.values()}
    outcome = game.outcome(state)
    assert outcome is not None, "the match is over"
    for player, bot in zip(game.players(state), bots, strict=True):
        if (found := own.pop(id(bot), None)) is not None:
            found.end_match(game.view(state, player), outcome)


def close_bots() -> None:
    """End the programs and connections of this process."""
    while _loaded:
        _loaded.popitem()[1].close()


def _built_in(game: AnyGame, name: str) -> Bot[Any]:
    """A bot of the game. It is looked up for each match, so it is kept."""
    kept = _built_ins.get((game.name, name))
    if kept is None or kept[0] is not game:
        kept = _built_ins[game.name, name] = game, _find_built_in(game, name)
    return kept[1]


def _find_built_in(game: AnyGame, name: str) -> Bot[Any]:
    word, _, setting = name.partition(":")
    bots = bots_of(game)
    if word not in bots:
        raise InvalidBot(f"There is no {game.name} bot {word!r}. Choose one of: {', '.join(bots)}.")
    if name not in bots:
        hint = " Write search:500 for 500 imagined matches, or search:0.2s for a time." if word == SEARCH else ""
        raise InvalidBot(f"The bot {word} has no setting {setting!r}.{hint}")
    return bots[name]


def _kind_of(name: str) -> tuple[Kind, str]:
    """The kind of an own bot, and the text for it. A name without a known kind is that of a function."""
    word, _, rest = name.partition(":")
    found = BUILT_IN_KINDS.get(word) or find(KINDS, word)
    return (found, rest) if isinstance(found, Kind) else (function.kind, name)
