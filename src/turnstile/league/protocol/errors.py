"""The errors of league.v2 by name and by code. The same code may have several names, so the name decides."""

from enum import StrEnum

from turnstile.league.protocol.management import LeagueError


class LeagueErrorName(StrEnum):
    """The error in a LEAGUE_ERROR, in a log, or in a reason."""

    TIMEOUT_ERROR = "TIMEOUT_ERROR"
    MISSING_REQUIRED_FIELD = "MISSING_REQUIRED_FIELD"
    PLAYER_NOT_REGISTERED = "PLAYER_NOT_REGISTERED"
    CONNECTION_ERROR = "CONNECTION_ERROR"
    AUTH_TOKEN_MISSING = "AUTH_TOKEN_MISSING"  # noqa: S105
    AUTH_TOKEN_INVALID = "AUTH_TOKEN_INVALID"  # noqa: S105
    REFEREE_NOT_REGISTERED = "REFEREE_NOT_REGISTERED"
    PROTOCOL_VERSION_MISMATCH = "PROTOCOL_VERSION_MISMATCH"
    INVALID_TIMESTAMP = "INVALID_TIMESTAMP"


LEAGUE_ERROR_CODES = {
    LeagueErrorName.TIMEOUT_ERROR: "E001",
    LeagueErrorName.MISSING_REQUIRED_FIELD: "E003",
    LeagueErrorName.PLAYER_NOT_REGISTERED: "E005",
    LeagueErrorName.CONNECTION_ERROR: "E009",
    LeagueErrorName.AUTH_TOKEN_MISSING: "E011",
    LeagueErrorName.AUTH_TOKEN_INVALID: "E012",
    LeagueErrorName.REFEREE_NOT_REGISTERED: "E013",
    LeagueErrorName.PROTOCOL_VERSION_MISMATCH: "E018",
    LeagueErrorName.INVALID_TIMESTAMP: "E021",
}
"""E002, E004 and another E003 belong to matches: see `ERROR_CODES` of `words`. Other codes are unused."""

RETRYABLE = frozenset({LeagueErrorName.TIMEOUT_ERROR, LeagueErrorName.CONNECTION_ERROR})


def league_error(name: LeagueErrorName, reason: str, original: str | None = None) -> LeagueError:
    """The LEAGUE_ERROR that rejects a message. `reason` is for people and never repeats what was sent."""
    return LeagueError(
        error_code=LEAGUE_ERROR_CODES[name],
        error_name=name,
        error_description=name,
        original_message_type=original,
        context={"reason": reason},
        retryable=name in RETRYABLE,
    )


def written(name: LeagueErrorName) -> str:
    """An error as text for people: `E009 CONNECTION_ERROR`."""
    return f"{LEAGUE_ERROR_CODES[name]} {name}"


def number_of(code: str) -> int:
    """The number of a code in a JSON-RPC error: 12 for E012."""
    return int(code[1:])
