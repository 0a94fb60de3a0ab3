"""The messages of league.v2 for running a league: registration of referees, control and errors."""

from typing import Any

from msgspec import UNSET, UnsetType, field

from turnstile.kernel.values import PlayerId
from turnstile.league.protocol.messages import ACKNOWLEDGED, REPLIES, LeagueMessage, RoundAnnouncementAck
from turnstile.league.protocol.values import RefereeMeta
from turnstile.league.protocol.words import (
    GAME_TYPE,
    Address,
    LeagueId,
    MatchId,
    Number,
    RefereeId,
    Registration,
    Text,
    Url,
)

# registration


class RefereeRegisterRequest(LeagueMessage, frozen=True, tag="REFEREE_REGISTER_REQUEST", kw_only=True):
    """A referee registers."""

    referee_meta: RefereeMeta
    known_as: Address | UnsetType = UNSET
    """The agent whose token came with it. Only the manager's host sets it, never the wire."""

    @property
    def meta(self) -> RefereeMeta:
        return self.referee_meta


class RefereeRegisterResponse(LeagueMessage, frozen=True, tag="REFEREE_REGISTER_RESPONSE", kw_only=True):
    """The id and the token of the referee, or the reason why it cannot take part."""

    status: Registration
    referee_id: RefereeId | None = None
    auth_token: str | None = None
    league_id: LeagueId | None = None
    reason: str | None = None
    manager_proof: str | UnsetType = UNSET
    """The token that the manager will send with every message to the referee."""


# control


class StartLeague(LeagueMessage, frozen=True, tag="START_LEAGUE", kw_only=True):
    """The operator starts the league."""

    league_id: LeagueId | None = None


class LeagueStatus(LeagueMessage, frozen=True, tag="LEAGUE_STATUS", kw_only=True):
    """The progress of the league. `status` is `pending`, `running`, `completed` or `error`."""

    league_id: LeagueId
    status: str
    current_round: int
    total_rounds: int
    matches_completed: int


class RunMatch(LeagueMessage, frozen=True, tag="RUN_MATCH", kw_only=True):
    """A manager hands a single match to a referee. Our manager announces rounds instead.

    Without a league it belongs to the referee's own league. Without the players' endpoints it cannot be played.
    """

    league_id: LeagueId | None = None
    round_id: Number
    match_id: MatchId
    game_type: str = GAME_TYPE
    player_a_id: PlayerId
    player_a_endpoint: Url | None = None
    player_b_id: PlayerId
    player_b_endpoint: Url | None = None


class RunMatchAck(LeagueMessage, frozen=True, tag="RUN_MATCH_ACK", kw_only=True):
    match_id: MatchId
    status: str = "acknowledged"


class Ping(LeagueMessage, frozen=True, tag="PING", kw_only=True):
    """The manager asks whether an agent is up. Any answer says so, even an error."""

    league_id: LeagueId
    round_id: Number


class ShutdownCommand(LeagueMessage, frozen=True, tag="SHUTDOWN_COMMAND", kw_only=True):
    """The league manager tells an agent to end. Agents obey it only if they are configured to."""

    reason: Text | UnsetType | None = UNSET


class ShutdownAck(LeagueMessage, frozen=True, tag="SHUTDOWN_ACK", kw_only=True):
    """An agent ends."""

    status: str = ACKNOWLEDGED


# errors


class LeagueError(LeagueMessage, frozen=True, tag="LEAGUE_ERROR", kw_only=True):
    """The league manager rejects a message. It travels as `error.data` of the exchange."""

    error_code: str
    error_name: str
    error_description: str
    original_message_type: str | None = None
    context: dict[str, str] = field(default_factory=dict)
    retryable: bool = False


ALL_REPLIES: dict[type[Any], type[LeagueMessage]] = {
    **REPLIES,
    RefereeRegisterRequest: RefereeRegisterResponse,
    StartLeague: LeagueStatus,
    RunMatch: RunMatchAck,
    Ping: RoundAnnouncementAck,
    ShutdownCommand: ShutdownAck,
}
"""The reply to each message of league.v2. A LEAGUE_ERROR may answer any of them."""
