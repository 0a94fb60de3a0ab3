"""The messages of league.v2 by which a league is run: referees register, the league starts, questions are answered.

They are made like those in `messages`, and the league manager takes part in each of them.
"""

from typing import Any

from msgspec import UNSET, UnsetType, field

from turnstile.kernel.values import PlayerId
from turnstile.league.protocol.messages import ACKNOWLEDGED, REPLIES, LeagueMessage, RoundAnnouncementAck
from turnstile.league.protocol.metas import RefereeMeta as RefereeMeta
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
    """A referee wants to take part."""

    referee_meta: RefereeMeta
    known_as: Address | UnsetType = UNSET
    """The agent whose token came with it. Only the manager's host sets it, never the wire."""

    @property
    def meta(self) -> RefereeMeta:
        return self.referee_meta


class RefereeRegisterResponse(LeagueMessage, frozen=True, tag="REFEREE_REGISTER_RESPONSE", kw_only=True):
    """Who the referee is from now on, with a token that proves it; or why it cannot take part."""

    status: Registration
    referee_id: RefereeId | None = None
    auth_token: str | None = None
    league_id: LeagueId | None = None
    reason: str | None = None
    manager_proof: str | UnsetType = UNSET
    """What the manager will show to the referee as its token, in all that it says to it."""


# control


class StartLeague(LeagueMessage, frozen=True, tag="START_LEAGUE", kw_only=True):
    """Whoever runs the league wants it to begin."""

    league_id: LeagueId | None = None


class LeagueStatus(LeagueMessage, frozen=True, tag="LEAGUE_STATUS", kw_only=True):
    """How far the league has got. `status` is `pending`, `running`, `completed` or `error`."""

    league_id: LeagueId
    status: str
    current_round: int
    total_rounds: int
    matches_completed: int


class RunMatch(LeagueMessage, frozen=True, tag="RUN_MATCH", kw_only=True):
    """A match is handed to a referee on its own, as some managers do it; ours announce rounds.

    Without a league it is one of the referee's own. Without the players' addresses it cannot be played.
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
    """Is anybody there? Any answer at all says so; one that does not know the word says so, too."""

    league_id: LeagueId
    round_id: Number


class ShutdownCommand(LeagueMessage, frozen=True, tag="SHUTDOWN_COMMAND", kw_only=True):
    """The league manager wants an agent to end. Agents know it only if they are told to."""

    reason: Text | UnsetType | None = UNSET


class ShutdownAck(LeagueMessage, frozen=True, tag="SHUTDOWN_ACK", kw_only=True):
    """An agent ends."""

    status: str = ACKNOWLEDGED


# errors


class LeagueError(LeagueMessage, frozen=True, tag="LEAGUE_ERROR", kw_only=True):
    """The league manager turns a message down; it travels as `error.data` of the exchange."""

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
"""What answers what, in all of league.v2. A LEAGUE_ERROR may answer anything."""
