"""Up-Down. `rules` is the machine, from the lobby to the last round; the other modules hold what it works with."""

from turnstile.games.updown.rules import game, new, outcome, updown
from turnstile.games.updown.sight import actions, view
from turnstile.games.updown.state import Code, Options, Phase, State, View

__all__ = ["Code", "Options", "Phase", "State", "View", "actions", "game", "new", "outcome", "updown", "view"]
