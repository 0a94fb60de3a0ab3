"""The vocabulary of league.v2: ids, addresses, enumerations, errors, timeouts and base classes."""

from enum import StrEnum
from typing import Annotated, NewType

from msgspec import Meta

from turnstile.kernel.values import Event, PlayerId, Timeout, Value

LeagueId = NewType("LeagueId", str)
MatchId = NewType("MatchId", str)
RefereeId = NewType("RefereeId", str)
Address = NewType("Address", str)
"""The sender or receiver of a message: `league_manager`, `referee:REF01`, `player:P01`."""

Number = Annotated[int, Meta(ge=0, le=10**9)]
"""A count that comes from outside: rounds, moves, revisions."""
Text = Annotated[str, Meta(max_length=200)]
"""A text that comes from outside: a name, a version."""
Url = Annotated[str, Meta(max_length=512)]

GAME_TYPE = "even_odd"
DEFAULT_LEAGUE = LeagueId("league_2025_even_odd")  # if a manager names none
LEAGUE_MANAGER = Address("league_manager")

MAX_RETRIES = 3  # after the first call
MOST_MOVES = 500  # of one player in one match: some games could go on for ever

JOIN_SECONDS = 5.0
CHOICE_SECONDS = 30.0
MANAGER_SECONDS = 10.0  # for an answer from the league manager
NOTIFICATION_SECONDS = 10.0  # for both players together
RETRY_PAUSE_SECONDS = 2.0  # before an unreachable agent is tried again, where no other timer runs
BACKOFF_SECONDS = 1.0  # before the first retry to reach the manager; doubled each time
OWN_MARGIN_SECONDS = 1.0  # a player's own countdown ends earlier than the referee's by this much


def referee_address(referee: RefereeId) -> Address:
    return Address(f"referee:{referee}")


def player_address(player: PlayerId) -> Address:
    return Address(f"player:{player}")


class Status(StrEnum):
    """How a match ended."""

    WIN = "WIN"
    DRAW = "DRAW"
    TECHNICAL_LOSS = "TECHNICAL_LOSS"


class Role(StrEnum):
    PLAYER_A = "PLAYER_A"
    PLAYER_B = "PLAYER_B"


class Registration(StrEnum):
    ACCEPTED = "ACCEPTED"
    REJECTED = "REJECTED"


class Awaited(StrEnum):
    """The message that an agent waits for."""

    LEAGUE_REGISTER_RESPONSE = "LEAGUE_REGISTER_RESPONSE"
    REFEREE_REGISTER_RESPONSE = "REFEREE_REGISTER_RESPONSE"
    GAME_JOIN_ACK = "GAME_JOIN_ACK"
    CHOOSE_PARITY_RESPONSE = "CHOOSE_PARITY_RESPONSE"
    GAME_MOVE_RESPONSE = "GAME_MOVE_RESPONSE"
    GAME_OVER_ACK = "GAME_OVER_ACK"
    LEAGUE_QUERY_RESPONSE = "LEAGUE_QUERY_RESPONSE"
    MATCH_RESULT_ACK = "MATCH_RESULT_ACK"


class ErrorName(StrEnum):
    """The error in a GAME_ERROR. The name decides: E004 has two."""

    TIMEOUT_ERROR = "TIMEOUT_ERROR"
    PLAYER_NOT_FOUND = "PLAYER_NOT_FOUND"
    MATCH_NOT_FOUND = "MATCH_NOT_FOUND"
    INVALID_CHOICE = "INVALID_CHOICE"
    INVALID_STATE = "INVALID_STATE"


ERROR_CODES = {
    ErrorName.TIMEOUT_ERROR: "E001",
    ErrorName.PLAYER_NOT_FOUND: "E002",
    ErrorName.MATCH_NOT_FOUND: "E003",
    ErrorName.INVALID_CHOICE: "E004",
    ErrorName.INVALID_STATE: "E004",
}


JSON_RPC_ERRORS = {
    ErrorName.PLAYER_NOT_FOUND: 4002,
    ErrorName.MATCH_NOT_FOUND: 4003,
    ErrorName.INVALID_CHOICE: 4004,
}
"""The error with which a referee's host answers a post that led to a GAME_ERROR; for other names: ACK, IGNORED."""


# base classes


def wire(name: str) -> str:
    """The name of a field on the wire: snake_case as in Python, except for the two players."""
    return name.replace("player_a_", "player_A_").replace("player_b_", "player_B_")


class LeagueValue(Value, frozen=True, rename=wire, forbid_unknown_fields=False, kw_only=True):
    """A value of league.v2. Unknown fields are ignored, as the protocol requires."""


class Internal(Event, frozen=True, rename=wire, tag_field="message_type", tag=True, kw_only=True):
    """An event that is not a message: it comes from the host of a machine."""


class LeagueTimeout(Timeout, frozen=True, rename=wire, tag_field="message_type", tag=True, kw_only=True):
    """A timer ran out. It names its call, so that a machine can tell a stale one."""

    match_id: MatchId | None
    waiting_for: Awaited
    retry_count: int


class DeliveryFailed(Internal, frozen=True, tag="delivery_failed", kw_only=True):
    """A call could not be delivered: the connection was refused or reset, or the answer was unreadable."""

    to: Address
    match_id: MatchId | None
    waiting_for: Awaited
    retry_count: int
