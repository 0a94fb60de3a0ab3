"""The words of league.v2: who takes part, how a match can end, which errors there are, how long everyone waits."""

from enum import StrEnum
from typing import Annotated, NewType

from msgspec import Meta

from turnstile.kernel.values import Event, PlayerId, Timeout, Value

LeagueId = NewType("LeagueId", str)
MatchId = NewType("MatchId", str)
RefereeId = NewType("RefereeId", str)
Address = NewType("Address", str)
"""Who a message is for or from, as league.v2 writes it: `league_manager`, `referee:REF01`, `player:P01`."""

Number = Annotated[int, Meta(ge=0, le=10**9)]
"""What is counted in a league, as others tell it: rounds, moves, revisions."""
Text = Annotated[str, Meta(max_length=200)]
"""What somebody says of itself: its name, its version."""
Url = Annotated[str, Meta(max_length=512)]

GAME_TYPE = "even_odd"
DEFAULT_LEAGUE = LeagueId("league_2025_even_odd")  # which managers that name none mean
LEAGUE_MANAGER = Address("league_manager")

MAX_RETRIES = 3  # after the first call: a fourth expiry is the end of it
MOST_MOVES = 500  # of one player in one match: some games would let two players go on for ever

JOIN_SECONDS = 5.0
CHOICE_SECONDS = 30.0
MANAGER_SECONDS = 10.0  # for an answer of the league manager
NOTIFICATION_SECONDS = 10.0  # for both players together
RETRY_PAUSE_SECONDS = 2.0  # before somebody who could not be reached is tried again, where no other timer runs
BACKOFF_SECONDS = 1.0  # before a player first tries again to reach the manager; doubled each time
OWN_MARGIN_SECONDS = 1.0  # by which a player's own countdown ends before the referee's


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
    """The message that somebody waits for."""

    LEAGUE_REGISTER_RESPONSE = "LEAGUE_REGISTER_RESPONSE"
    GAME_JOIN_ACK = "GAME_JOIN_ACK"
    CHOOSE_PARITY_RESPONSE = "CHOOSE_PARITY_RESPONSE"
    GAME_MOVE_RESPONSE = "GAME_MOVE_RESPONSE"
    GAME_OVER_ACK = "GAME_OVER_ACK"
    LEAGUE_QUERY_RESPONSE = "LEAGUE_QUERY_RESPONSE"
    MATCH_RESULT_ACK = "MATCH_RESULT_ACK"


class ErrorName(StrEnum):
    """What went wrong, in a GAME_ERROR. The name decides: E004 has two."""

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
"""How a referee's host answers a post that led to a GAME_ERROR; one with another name it answers ACK, IGNORED."""


# what everything here is made of


def wire(name: str) -> str:
    """The name of a field on the wire: snake_case as in Python, but for the names of the two players."""
    return name.replace("player_a_", "player_A_").replace("player_b_", "player_B_")


class LeagueValue(Value, frozen=True, rename=wire, forbid_unknown_fields=False, kw_only=True):
    """A value of league.v2. Fields that nobody here knows are ignored, as the protocol wants it."""


class Internal(Event, frozen=True, rename=wire, tag_field="message_type", tag=True, kw_only=True):
    """An event that is no message: the host of a machine brings it about."""


class LeagueTimeout(Timeout, frozen=True, rename=wire, tag_field="message_type", tag=True, kw_only=True):
    """A timer ran out. It says which call it belongs to, so that one that comes too late is known as such."""

    match_id: MatchId | None
    waiting_for: Awaited
    retry_count: int


class DeliveryFailed(Internal, frozen=True, tag="delivery_failed", kw_only=True):
    """A call could not be delivered: refused, reset, or answered with something that is no answer at all."""

    to: Address
    match_id: MatchId | None
    waiting_for: Awaited
    retry_count: int
