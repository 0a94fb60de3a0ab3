"""What is installed: games, and what belongs to them, found by the game's name through entry points.

The games in the box are found in the same way as a game that somebody else has packaged: this module keeps no list.
"""

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from turnstile.kernel import AnyGame, AnyStudy, Game, Study

GAMES = "turnstile.games"
STUDIES = "turnstile.studies"


def names() -> tuple[str, ...]:
    """The names of all installed games, in alphabetical order."""
    return tuple(sorted(_entries(GAMES)))


@cache
def find_game(name: str) -> AnyGame | None:
    """The installed game of this name."""
    found = find(GAMES, name)
    return found if isinstance(found, Game) else None


def study_of(game: AnyGame) -> AnyStudy:
    """What is known of a game beyond its rules: nothing, where nobody has studied it."""
    found = find(STUDIES, game.name)
    return found if isinstance(found, Study) else Study()


def find(group: str, name: str) -> object | None:
    """What an installed package offers in `group` for the game called `name`."""
    entry = _entries(group).get(name)
    return entry.load() if entry else None


@cache
def _entries(group: str) -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=group)}
