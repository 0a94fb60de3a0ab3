"""`search`: a bot for any game that imagines what it cannot see, plays on from there many times, and compares.

- `bot` chooses how to search, by what is known about the game.
- `beliefs` draws states that the player's view could belong to.
- `playouts` plays imagined matches on, with the heuristic of the game's guide.
- `race` compares actions over the same imagined states. It is used for a game with a guide.
- `stage` finds mixed strategies where several players choose at the same time.
- `tree` is Monte Carlo tree search over information sets. It is used for a game without a guide.
- `budget` says how long to think.
"""

from turnstile.bots.search.bot import SearchBot, search_bot
from turnstile.bots.search.budget import Budget, iterations, read_budget, seconds
from turnstile.bots.search.playouts import ImpossibleState

__all__ = ["Budget", "ImpossibleState", "SearchBot", "iterations", "read_budget", "search_bot", "seconds"]
