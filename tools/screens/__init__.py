"""Every screen of the web client and of a league's page, as functions that lead a browser there.

`SCREENS` lists them by name. `python -m tools.screenshots` and `python -m tools.pictures` take pictures of them.
"""

from tools.screens.author import AUTHOR_SCREENS
from tools.screens.games import GAME_SCREENS
from tools.screens.league import LEAGUE_SCREENS
from tools.screens.matches import MATCH_SCREENS
from tools.screens.site import SITE_SCREENS
from tools.screens.stage import Visit

SCREENS: dict[str, Visit] = {**SITE_SCREENS, **MATCH_SCREENS, **GAME_SCREENS, **LEAGUE_SCREENS, **AUTHOR_SCREENS}
