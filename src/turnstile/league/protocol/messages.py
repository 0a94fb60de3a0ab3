"""The messages of league.v2 that referees and players send and receive, each under the name it has on the wire.

A message is at once what one machine sends and what happens to another, so the same type is a `Message` here and an
`Event` there; its `message_type` is its tag. What a machine cannot know is added by its host when a message goes out,
and taken off when one comes in: the rest of the envelope (`protocol`, `timestamp`, `conversation_id`, `auth_token`, and
`sender` where it is no field here), and everything that is a time (`arrival_timestamp`, `next_retry_at`). Of a
`deadline` a player's host also says how much time is left.
The host also vouches for the ids: a reply is given the `player_id` and `match_id` of the exchange in which it came,
whatever it says itself; only what is posted on its own is taken at its word.
"""

from typing import Any

from msgspec import UNSET, Raw, UnsetType

from turnstile.games.evenodd import Parity
from turnstile.kernel.chance import Seed
from turnstile.kernel.values import ByPlayer, Event, Message, PlayerId
from turnstile.league.protocol.announced import AnnouncedMatch as AnnouncedMatch
from turnstile.league.protocol.answers import GET_STANDINGS as GET_STANDINGS
from turnstile.league.protocol.answers import Champion as Champion
from turnstile.league.protocol.answers import QueryData, QueryError, QueryParams
from turnstile.league.protocol.answers import RoundSummary as RoundSummary
from turnstile.league.protocol.answers import StandingsRow as StandingsRow
from turnstile.league.protocol.metas import PlayerMeta as PlayerMeta
from turnstile.league.protocol.questions import ChoiceContext as ChoiceContext
from turnstile.league.protocol.questions import MoveData, MoveRequest
from turnstile.league.protocol.words import (
    GAME_TYPE,
    Address,
    Awaited,
    LeagueId,
    LeagueValue,
    MatchId,
    Number,
    RefereeId,
    Registration,
    Role,
    Status,
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
    """A message of league.v2, without its envelope. Fields that nobody here knows are ignored."""


class FromReferee(LeagueMessage, frozen=True, kw_only=True):
    """What a referee says to a player. `sender` is a field, because a player checks that it is the right referee."""

    sender: Address
    match_id: MatchId


# registration


class LeagueRegisterRequest(LeagueMessage, frozen=True, tag="LEAGUE_REGISTER_REQUEST", kw_only=True):
    """A player wants to take part."""

    player_meta: PlayerMeta
    known_as: Address | UnsetType = UNSET
    """The agent whose token came with it. Only the manager's host sets it, never the wire."""

    @property
    def meta(self) -> PlayerMeta:
        return self.player_meta


class LeagueRegisterResponse(LeagueMessage, frozen=True, tag="LEAGUE_REGISTER_RESPONSE", kw_only=True):
    """Who the player is from now on, with a token that proves it; or why it cannot take part."""

    status: Registration
    player_id: PlayerId | None = None
    auth_token: str | None = None
    league_id: LeagueId | None = None
    reason: str | None = None
    manager_proof: str | UnsetType = UNSET
    """What the manager will show to the player as its token, in all that it says to it."""


# a round


class RoundAnnouncement(LeagueMessage, frozen=True, tag="ROUND_ANNOUNCEMENT", kw_only=True):
    """A round begins, with these matches; or, with a higher `revision`, some of them have another referee."""

    league_id: LeagueId
    round_id: Number
    matches: tuple[AnnouncedMatch, ...]
    revision: Number | UnsetType | None = UNSET


class RoundAnnouncementAck(LeagueMessage, frozen=True, tag="ROUND_ANNOUNCEMENT_ACK", kw_only=True):
    """A player or a referee has heard of the round."""

    status: str = ACKNOWLEDGED
    player_id: PlayerId | UnsetType = UNSET
    referee_id: RefereeId | UnsetType = UNSET
    round_id: Number


class LeagueStandingsUpdate(LeagueMessage, frozen=True, tag="LEAGUE_STANDINGS_UPDATE", kw_only=True):
    """The table after a round, best first."""

    league_id: LeagueId
    round_id: Number
    standings: tuple[StandingsRow, ...]


class StandingsUpdateAck(LeagueMessage, frozen=True, tag="STANDINGS_UPDATE_ACK", kw_only=True):
    """A player has heard of the table."""

    status: str = ACKNOWLEDGED
    player_id: PlayerId
    round_id: Number


class RoundCompleted(LeagueMessage, frozen=True, tag="ROUND_COMPLETED", kw_only=True):
    """A round is over; without a next one LEAGUE_COMPLETED follows."""

    league_id: LeagueId
    round_id: Number
    next_round_id: Number | None
    matches_played: int
    matches_completed: int | UnsetType = UNSET
    """The same number under its other name."""
    summary: RoundSummary | UnsetType = UNSET


class RoundCompletedAck(LeagueMessage, frozen=True, tag="ROUND_COMPLETED_ACK", kw_only=True):
    """A player has heard that the round is over."""

    status: str = ACKNOWLEDGED
    player_id: PlayerId
    round_id: Number


class LeagueCompleted(LeagueMessage, frozen=True, tag="LEAGUE_COMPLETED", kw_only=True):
    """The league is over, and this is its table."""

    league_id: LeagueId
    total_rounds: int
    total_matches: int
    champion: Champion
    final_standings: tuple[StandingsRow, ...]


class LeagueCompletedAck(LeagueMessage, frozen=True, tag="LEAGUE_COMPLETED_ACK", kw_only=True):
    """A player or a referee has heard that the league is over."""

    status: str = ACKNOWLEDGED
    player_id: PlayerId | UnsetType = UNSET
    referee_id: RefereeId | UnsetType = UNSET


# a match


class GameInvitation(FromReferee, frozen=True, tag="GAME_INVITATION", kw_only=True):
    """A player is called to its match; it answers within 5 seconds."""

    league_id: LeagueId
    round_id: Number
    game_type: str = GAME_TYPE
    role_in_match: Role
    opponent_id: PlayerId
    player_id: PlayerId | None = None
    """The addressee, which our referees name and others do not."""


class GameJoinAck(LeagueMessage, frozen=True, tag="GAME_JOIN_ACK", kw_only=True):
    """A player takes part in its match, or declines, which costs the match."""

    match_id: MatchId
    player_id: PlayerId
    accept: bool


class Call(FromReferee, frozen=True, kw_only=True):
    """A player is asked for its choice or its move, and answers within 30 seconds, before the deadline."""

    deadline: Text | UnsetType = UNSET
    """As the referee has written it. A referee's host adds it when a call goes out."""
    milliseconds_left: int | UnsetType = UNSET
    """Until the deadline, when the call came. The player's host alone says so, never the wire."""


class ChooseParityCall(Call, frozen=True, tag="CHOOSE_PARITY_CALL", kw_only=True):
    """A player is asked for its choice."""

    league_id: LeagueId | None = None
    round_id: Number | None = None
    player_id: PlayerId
    game_type: str = GAME_TYPE
    context: ChoiceContext


class ChooseParityResponse(LeagueMessage, frozen=True, tag="CHOOSE_PARITY_RESPONSE", kw_only=True):
    """A player says "even" or "odd". It is a plain text, so that another one is refused by the referee."""

    match_id: MatchId
    player_id: PlayerId
    parity_choice: str


class GameMoveCall(Call, frozen=True, tag="GAME_MOVE_CALL", kw_only=True):
    """A player is asked for a move, in a game that is not Even/Odd.

    `move_number` counts the questions to this player in this match; one that is repeated keeps its number.
    """

    league_id: LeagueId | None = None
    round_id: Number | None = None
    player_id: PlayerId
    game_type: str
    move_number: Number | None = None
    move_request: MoveRequest


class GameMoveResponse(LeagueMessage, frozen=True, tag="GAME_MOVE_RESPONSE", kw_only=True):
    """A player moves. A host that cannot read the move gives `null` in its place, and it is refused by the referee."""

    match_id: MatchId
    player_id: PlayerId
    move_number: Number | None = None
    move_data: MoveData | None = None


class GameResult(LeagueValue, frozen=True, kw_only=True):
    """How a match ended. `seed` shows that the number was drawn as promised, whether one was drawn or not.

    Of another game than Even/Odd there are its `scores`, and its `moves` if they fit; there is no number and no choice.
    """

    status: Status
    winner_player_id: PlayerId | None
    drawn_number: int | None
    number_parity: Parity | None
    choices: ByPlayer[Parity | None]
    reason: str
    seed: Seed | None = None
    scores: ByPlayer[int] | UnsetType = UNSET
    moves: tuple[Raw, ...] | UnsetType = UNSET


class GameOver(FromReferee, frozen=True, tag="GAME_OVER", kw_only=True):
    """A match is over. A host that cannot read a foreign referee's result gives `null` in its place."""

    league_id: LeagueId | None = None
    round_id: Number | None = None
    game_type: str = GAME_TYPE
    game_result: GameResult | None


class GameOverAck(LeagueMessage, frozen=True, tag="GAME_OVER_ACK", kw_only=True):
    """A player has heard how its match ended."""

    status: str = ACKNOWLEDGED
    player_id: PlayerId
    match_id: MatchId


class RetryInfo(LeagueValue, frozen=True, kw_only=True):
    retry_count: int
    max_retries: int


class GameError(FromReferee, frozen=True, tag="GAME_ERROR", kw_only=True):
    """What a player did wrong, and what is expected of it now. The name of the error stands in two fields.

    Our referees use the names in `ErrorName`. Others use others, to which a player says that it has heard them.
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
    """A player has heard what it did wrong."""

    status: str = ACKNOWLEDGED
    player_id: PlayerId
    match_id: MatchId


# a referee and the league manager


class LeagueQuery(LeagueMessage, frozen=True, tag="LEAGUE_QUERY", kw_only=True):
    """A question to the league manager, whose host has made sure of the `sender` by its token."""

    sender: Address | UnsetType = UNSET
    league_id: LeagueId
    query_type: str = GET_STANDINGS
    query_params: QueryParams | UnsetType | None = UNSET


class LeagueQueryResponse(LeagueMessage, frozen=True, tag="LEAGUE_QUERY_RESPONSE", kw_only=True):
    """The answer to a question. Standings stand in `data` and beside it; where in `data` alone, a host copies them."""

    query_type: str = GET_STANDINGS
    success: bool
    standings: tuple[StandingsRow, ...] = ()
    current_round: int | UnsetType = UNSET
    data: QueryData | UnsetType | None = UNSET
    error: QueryError | UnsetType | None = UNSET


class ReportDetails(LeagueValue, frozen=True, kw_only=True):
    """What led to a result. Other referees leave out the status, other games the number."""

    drawn_number: int | None = None
    choices: ByPlayer[Parity | None] = ByPlayer()
    status: Status | None = None
    scores: ByPlayer[int] | UnsetType = UNSET
    seed: Seed | UnsetType = UNSET
    """From which the number was drawn: so that anyone can check it. Other referees tell none."""
    reassignments: Number | UnsetType = UNSET
    """How often the match had been given to another referee when it was played. Other referees do not tell it."""


class ReportedResult(LeagueValue, frozen=True, kw_only=True):
    """Who has won. A draw has no winner, and a host takes out whatever word others write in its place."""

    winner: PlayerId | None = None
    score: ByPlayer[int] = ByPlayer()
    details: ReportDetails = ReportDetails()


class MatchResultReport(LeagueMessage, frozen=True, tag="MATCH_RESULT_REPORT", kw_only=True):
    """A referee tells how a match ended. The manager's host has made sure of the `sender` by its token."""

    sender: Address | UnsetType = UNSET
    league_id: LeagueId
    round_id: Number
    match_id: MatchId
    game_type: str = GAME_TYPE
    result: ReportedResult


class MatchResultAck(LeagueMessage, frozen=True, tag="MATCH_RESULT_ACK", kw_only=True):
    """The league manager has booked a result. Of another manager any answer that is no error counts as ACCEPTED."""

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
"""Everything that a player says."""

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
"""What answers what. A reply travels back in the exchange of its request, when that is still open."""
