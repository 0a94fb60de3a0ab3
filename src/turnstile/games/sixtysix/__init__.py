"""66. `rules` is the machine, from the deal to the last score; the other modules hold what it works with."""

from turnstile.games.sixtysix.rules import game, new, outcome, sixtysix
from turnstile.games.sixtysix.sight import actions, view
from turnstile.games.sixtysix.state import Code, Options, Phase, State, View

__all__ = ["Code", "Options", "Phase", "State", "View", "actions", "game", "new", "outcome", "sixtysix", "view"]
