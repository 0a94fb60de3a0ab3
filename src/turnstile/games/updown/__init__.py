"""Up-Down. `rules` is the machine, from the lobby to the last round; the other modules are what it is made of."""

from turnstile.games.updown.rules import game

__all__ = ["game"]
