"""How players and referees introduce themselves when they register."""

from msgspec import UNSET, UnsetType

from turnstile.league.protocol.words import LeagueValue, Text, Url

PROTOCOL_VERSION = "2.1.0"


class PlayerMeta(LeagueValue, frozen=True, kw_only=True):
    """Who wants to play, and where it can be reached."""

    display_name: Text
    version: Text
    game_types: tuple[Text, ...]
    contact_endpoint: Url
    protocol_version: Text = PROTOCOL_VERSION
    registration_secret: Text | UnsetType = UNSET
    """By which the player is known again, should it register again. Of the manager alone."""


class RefereeMeta(LeagueValue, frozen=True, kw_only=True):
    """Who wants to referee, where it can be reached, and how many matches it takes at a time."""

    display_name: Text
    version: Text
    game_types: tuple[Text, ...]
    contact_endpoint: Url
    max_concurrent_matches: int = 1
    protocol_version: Text = PROTOCOL_VERSION
    registration_secret: Text | UnsetType = UNSET
    """By which the referee is known again, should it register again. Of the manager alone."""
    shows_keys: bool | UnsetType | None = UNSET
    """It shows players the keys of its matches. Only then are they told any: other referees know nothing of keys."""
