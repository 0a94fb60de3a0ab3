"""How players and referees introduce themselves when they register."""

from msgspec import UNSET, UnsetType

from turnstile.league.words import LeagueValue

PROTOCOL_VERSION = "2.1.0"


class PlayerMeta(LeagueValue, frozen=True, kw_only=True):
    """Who wants to play, and where it can be reached."""

    display_name: str
    version: str
    game_types: tuple[str, ...]
    contact_endpoint: str
    protocol_version: str = PROTOCOL_VERSION
    registration_secret: str | UnsetType = UNSET
    """By which the player is known again, should it register again. Of the manager alone."""


class RefereeMeta(LeagueValue, frozen=True, kw_only=True):
    """Who wants to referee, where it can be reached, and how many matches it takes at a time."""

    display_name: str
    version: str
    game_types: tuple[str, ...]
    contact_endpoint: str
    max_concurrent_matches: int = 1
    protocol_version: str = PROTOCOL_VERSION
    registration_secret: str | UnsetType = UNSET
    """By which the referee is known again, should it register again. Of the manager alone."""
    shows_keys: bool | UnsetType | None = UNSET
    """It shows players the keys of its matches. Only then are they told any: other referees know nothing of keys."""
