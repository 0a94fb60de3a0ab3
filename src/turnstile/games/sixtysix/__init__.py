"""66. `rules` is the machine, from the deal to the last score; the other modules are what it is made of."""

from turnstile.games.sixtysix.rules import game

__all__ = ["game"]
