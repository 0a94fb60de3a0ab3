"""The bots of a game by name. The name of `search` may carry a budget: `search:500`, `search:0.2s`."""

from collections.abc import Iterator, Mapping

from turnstile.bots.bot import AnyBot, random_bot
from turnstile.bots.guide import GameBots
from turnstile.bots.search import SearchBot, read_budget, search_bot
from turnstile.kernel import AnyGame
from turnstile.registry import BOTS, find, study_of

SEARCH = "search"


class Bots(Mapping[str, AnyBot]):
    """Bots by name. It lists each name once, and finds `search` also with a budget after the name."""

    def __init__(self, listed: Mapping[str, AnyBot]) -> None:
        self.listed = listed

    def __getitem__(self, name: str) -> AnyBot:
        plain, colon, text = name.partition(":")
        bot = self.listed[plain]
        if not colon:
            return bot
        budget = read_budget(text)
        if budget is None or not isinstance(bot, SearchBot):
            raise KeyError(name)
        return bot.with_budget(budget)

    def __iter__(self) -> Iterator[str]:
        return iter(self.listed)

    def __len__(self) -> int:
        return len(self.listed)


def bots_of(game: AnyGame) -> Bots:
    """The bots that can play a game, by name: the game's own first, best first, then those for any game."""
    own, study = game_bots(game), study_of(game)
    search = {SEARCH: search_bot(game, study, own.guide)} if study.imagine else {}
    return Bots({**own.bots, **search, "random": random_bot})


def game_bots(game: AnyGame) -> GameBots:
    """The bots that were written for this game, and what they tell `search`."""
    found = find(BOTS, game.name)
    if isinstance(found, GameBots):
        return found
    return GameBots(found if isinstance(found, dict) else {})
