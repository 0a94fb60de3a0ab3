"""The messages of league.v2 that referees and players send and receive, under their names on the wire.

A message that one machine sends is an event of another, so each type is both a `Message` and an `Event`; its
`message_type` is its tag. The host adds what a machine cannot know to an outgoing message, and removes it from an
incoming one: the rest of the envelope (`protocol`, `timestamp`, `conversation_id`, `auth_token`, and `sender` unless it
is a field here) and all times (`arrival_timestamp`, `next_retry_at`). A player's host also computes the time left until
a `deadline`. The host sets the `player_id` and `match_id` of a reply from its exchange; it trusts those fields only in
messages that are posted on their own.
"""

from typing import Any

from msgspec import UNSET, UnsetType

from turnstile.kernel.values import Event, Message, PlayerId
from turnstile.league.protocol.values import (
    GET_STANDINGS,
    AnnouncedMatch,
    Champion,
    ChoiceContext,
    GameResult,
    MoveData,
    MoveRequest,
    PlayerMeta,
    QueryData,
    QueryError,
    QueryParams,
    ReportedResult,
    RetryInfo,
    RoundSummary,
    StandingsRow,
)
from turnstile.league.protocol.words import (
    GAME_TYPE,
    Address,
    Awaited,
    LeagueId,
    MatchId,
    Number,
    RefereeId,
    Registration,
    Role,
    Text,
    wire,
)

ACKNOWLEDGED = "ACKNOWLEDGED"


class LeagueMessage(
    Message,
    Event,
    frozen=True,
    rename=wire,
    tag_field="message_type",
    tag=True,
    forbid_unknown_fields=False,
    kw_only=True,
):
    """A message of league.v2 without its envelope. Unknown fields are ignored."""


class FromReferee(LeagueMessage, frozen=True, kw_only=True):
    """A message from a referee to a player. `sender` is a field because a player checks its referee."""

    sender: Address
    match_id: MatchId


# registration


class LeagueRegisterRequest(LeagueMessage, frozen=True, tag="LEAGUE_REGISTER_REQUEST", kw_only=True):
    """A player registers."""

    player_meta: PlayerMeta
    known_as: Address | UnsetType = UNSET
    """The agent whose token came with it. Only the manager's host sets it, never the wire."""

    @property
    def meta(self) -> PlayerMeta:
        return self.player_meta


class LeagueRegisterResponse(LeagueMessage, frozen=True, tag="LEAGUE_REGISTER_RESPONSE", kw_only=True):
    """The id and the token of the player, or the reason why it cannot take part."""

    status: Registration
    player_id: PlayerId | None = None
    auth_token: str | None = None
    league_id: LeagueId | None = None
    reason: str | None = None
    manager_proof: str | UnsetType = UNSET
    """The token that the manager will send with every message to the player."""


# a round


class RoundAnnouncement(LeagueMessage, frozen=True, tag="ROUND_ANNOUNCEMENT", kw_only=True):
    """A round begins with these matches. A higher `revision` says that some of them have another referee."""

    league_id: LeagueId
    round_id: Number
    matches: tuple[AnnouncedMatch, ...]
    revision: Number | UnsetType | None = UNSET


class RoundAnnouncementAck(LeagueMessage, frozen=True, tag="ROUND_ANNOUNCEMENT_ACK", kw_only=True):
    """A player or a referee acknowledges the round."""

    status: str = ACKNOWLEDGED
    player_id: PlayerId | UnsetType = UNSET
    referee_id: RefereeId | UnsetType = UNSET
    round_id: Number


class LeagueStandingsUpdate(LeagueMessage, frozen=True, tag="LEAGUE_STANDINGS_UPDATE", kw_only=True):
    """The standings after a round, best first."""

    league_id: LeagueId
    round_id: Number
    standings: tuple[StandingsRow, ...]


class StandingsUpdateAck(LeagueMessage, frozen=True, tag="STANDINGS_UPDATE_ACK", kw_only=True):
    """A player acknowledges the standings."""

    status: str = ACKNOWLEDGED
    player_id: PlayerId
    round_id: Number


class RoundCompleted(LeagueMessage, frozen=True, tag="ROUND_COMPLETED", kw_only=True):
    """A round is over. After the last one LEAGUE_COMPLETED follows."""

    league_id: LeagueId
    round_id: Number
    next_round_id: Number | None
    matches_played: int
    matches_completed: int | UnsetType = UNSET
    """The same number under its other name."""
    summary: RoundSummary | UnsetType = UNSET


class RoundCompletedAck(LeagueMessage, frozen=True, tag="ROUND_COMPLETED_ACK", kw_only=True):
    """A player acknowledges the end of the round."""

    status: str = ACKNOWLEDGED
    player_id: PlayerId
    round_id: Number


class LeagueCompleted(LeagueMessage, frozen=True, tag="LEAGUE_COMPLETED", kw_only=True):
    """The league is over, with these final standings."""

    league_id: LeagueId
    total_rounds: int
    total_matches: int
    champion: Champion
    final_standings: tuple[StandingsRow, ...]


class LeagueCompletedAck(LeagueMessage, frozen=True, tag="LEAGUE_COMPLETED_ACK", kw_only=True):
    """A player or a referee acknowledges the end of the league."""

    status: str = ACKNOWLEDGED
    player_id: PlayerId | UnsetType = UNSET
    referee_id: RefereeId | UnsetType = UNSET


# a match


class GameInvitation(FromReferee, frozen=True, tag="GAME_INVITATION", kw_only=True):
    """A referee invites a player to its match. The player answers within 5 seconds."""

    league_id: LeagueId
    round_id: Number
    game_type: str = GAME_TYPE
    role_in_match: Role
    opponent_id: PlayerId
    player_id: PlayerId | None = None
    """The invited player. Other referees leave it out."""


class GameJoinAck(LeagueMessage, frozen=True, tag="GAME_JOIN_ACK", kw_only=True):
    """A player joins its match, or declines and loses it."""

    match_id: MatchId
    player_id: PlayerId
    accept: bool


class Call(FromReferee, frozen=True, kw_only=True):
    """A referee asks a player for its choice or its move. The player answers within 30 seconds."""

    deadline: Text | UnsetType = UNSET
    """The referee's host adds it when a call goes out. A player gets it as the referee wrote it."""
    milliseconds_left: int | UnsetType = UNSET
    """The time until the deadline when the call came. Only the player's host sets it, never the wire."""


class ChooseParityCall(Call, frozen=True, tag="CHOOSE_PARITY_CALL", kw_only=True):
    """A referee asks a player for its choice in Even/Odd."""

    league_id: LeagueId | None = None
    round_id: Number | None = None
    player_id: PlayerId
    game_type: str = GAME_TYPE
    context: ChoiceContext


class ChooseParityResponse(LeagueMessage, frozen=True, tag="CHOOSE_PARITY_RESPONSE", kw_only=True):
    """A player answers "even" or "odd". Any text is accepted here, so that the referee can reject an invalid one."""

    match_id: MatchId
    player_id: PlayerId
    parity_choice: str


class GameMoveCall(Call, frozen=True, tag="GAME_MOVE_CALL", kw_only=True):
    """A referee asks a player for a move in a game other than Even/Odd.

    `move_number` counts the questions to this player in this match. A repeated question keeps its number.
    """

    league_id: LeagueId | None = None
    round_id: Number | None = None
    player_id: PlayerId
    game_type: str
    move_number: Number | None = None
    move_request: MoveRequest


class GameMoveResponse(LeagueMessage, frozen=True, tag="GAME_MOVE_RESPONSE", kw_only=True):
    """A player moves. The host replaces an unreadable move by `null`, which the referee rejects."""

    match_id: MatchId
    player_id: PlayerId
    move_number: Number | None = None
    move_data: MoveData | None = None


class GameOver(FromReferee, frozen=True, tag="GAME_OVER", kw_only=True):
    """A match is over. The host replaces an unreadable result by `null`."""

    league_id: LeagueId | None = None
    round_id: Number | None = None
    game_type: str = GAME_TYPE
    game_result: GameResult | None


class GameOverAck(LeagueMessage, frozen=True, tag="GAME_OVER_ACK", kw_only=True):
    """A player acknowledges the result of its match."""

    status: str = ACKNOWLEDGED
    player_id: PlayerId
    match_id: MatchId


class GameError(FromReferee, frozen=True, tag="GAME_ERROR", kw_only=True):
    """The fault of a player, and what the referee expects next. The name of the error is in two fields.

    Our referees use the names in `ErrorName`. A player acknowledges any other name.
    """

    error_code: str
    error_name: str
    error_description: str
    affected_player: PlayerId
    action_required: Awaited
    retry_count: int
    max_retries: int
    retry_info: RetryInfo
    consequence: str
    retryable: bool


class GameErrorAck(LeagueMessage, frozen=True, tag="GAME_ERROR_ACK", kw_only=True):
    """A player acknowledges an error."""

    status: str = ACKNOWLEDGED
    player_id: PlayerId
    match_id: MatchId


# a referee and the league manager


class LeagueQuery(LeagueMessage, frozen=True, tag="LEAGUE_QUERY", kw_only=True):
    """A query to the league manager, whose host has authenticated the `sender` by its token."""

    sender: Address | UnsetType = UNSET
    league_id: LeagueId
    query_type: str = GET_STANDINGS
    query_params: QueryParams | UnsetType | None = UNSET


class LeagueQueryResponse(LeagueMessage, frozen=True, tag="LEAGUE_QUERY_RESPONSE", kw_only=True):
    """The answer to a query. Standings are in `data` and beside it; the host copies them if only `data` has them."""

    query_type: str = GET_STANDINGS
    success: bool
    standings: tuple[StandingsRow, ...] = ()
    current_round: int | UnsetType = UNSET
    data: QueryData | UnsetType | None = UNSET
    error: QueryError | UnsetType | None = UNSET


class MatchResultReport(LeagueMessage, frozen=True, tag="MATCH_RESULT_REPORT", kw_only=True):
    """A referee reports a result. The manager's host has authenticated the `sender` by its token."""

    sender: Address | UnsetType = UNSET
    league_id: LeagueId
    round_id: Number
    match_id: MatchId
    game_type: str = GAME_TYPE
    result: ReportedResult


class MatchResultAck(LeagueMessage, frozen=True, tag="MATCH_RESULT_ACK", kw_only=True):
    """The league manager has booked a result. From another manager any answer but an error counts as ACCEPTED."""

    status: str
    match_id: MatchId
    round_id: Number | UnsetType = UNSET


FromPlayer = (
    LeagueRegisterRequest
    | RoundAnnouncementAck
    | GameJoinAck
    | ChooseParityResponse
    | GameMoveResponse
    | GameOverAck
    | GameErrorAck
    | StandingsUpdateAck
    | RoundCompletedAck
    | LeagueCompletedAck
)
"""All messages that a player sends."""

REPLIES: dict[type[Any], type[LeagueMessage]] = {
    LeagueRegisterRequest: LeagueRegisterResponse,
    RoundAnnouncement: RoundAnnouncementAck,
    LeagueStandingsUpdate: StandingsUpdateAck,
    RoundCompleted: RoundCompletedAck,
    LeagueCompleted: LeagueCompletedAck,
    GameInvitation: GameJoinAck,
    ChooseParityCall: ChooseParityResponse,
    GameMoveCall: GameMoveResponse,
    GameOver: GameOverAck,
    GameError: GameErrorAck,
    LeagueQuery: LeagueQueryResponse,
    MatchResultReport: MatchResultAck,
}
"""The reply to each message. A reply travels in the exchange of its request while that is open."""
