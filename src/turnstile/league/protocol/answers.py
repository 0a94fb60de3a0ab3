"""What can be asked of a league manager, and what it says: tables, schedules, how far the league is, who has won."""

from msgspec import UNSET, UnsetType

from turnstile.kernel.values import PlayerId
from turnstile.league.protocol.words import GAME_TYPE, LeagueValue, MatchId, Number, RefereeId

GET_STANDINGS = "GET_STANDINGS"
GET_SCHEDULE = "GET_SCHEDULE"
GET_NEXT_MATCH = "GET_NEXT_MATCH"
GET_PLAYER_STATS = "GET_PLAYER_STATS"
GET_STATUS = "GET_STATUS"


class QueryParams(LeagueValue, frozen=True, kw_only=True):
    """What a question is about. Without `player_id` it is about whoever asks."""

    player_id: PlayerId | UnsetType | None = UNSET
    player_ids: tuple[PlayerId, ...] | UnsetType = UNSET
    """Of the standings, only the rows of these players. Our referees ask for those of their match."""
    round_id: Number | UnsetType | None = UNSET
    """Of the schedule, only this round."""
    match_id: MatchId | UnsetType | None = UNSET
    commitment: str | UnsetType | None = UNSET
    """To the seed of a match, by its referee, before it calls the players. Ours ask for the standings with it."""


class StandingsRow(LeagueValue, frozen=True, kw_only=True):
    """One line of the table of the league. Our manager fills every column; one that others leave out is `None`."""

    rank: int
    player_id: PlayerId
    display_name: str
    played: int | None = None
    wins: int | None = None
    draws: int | None = None
    losses: int | None = None
    points: int | None = None


class Champion(LeagueValue, frozen=True, kw_only=True):
    """The first of the table of a league that is over."""

    player_id: PlayerId
    display_name: str
    points: int


class RoundSummary(LeagueValue, frozen=True, kw_only=True):
    """How the matches of a round ended."""

    total_matches: int
    wins: int
    draws: int
    technical_losses: int


class ScheduledMatch(LeagueValue, frozen=True, kw_only=True):
    """A match of the schedule. Who referees it is known once its round has begun."""

    match_id: MatchId
    game_type: str = GAME_TYPE
    player_a_id: PlayerId
    player_b_id: PlayerId
    referee_endpoint: str | None = None
    referee_id: RefereeId | None = None
    reassignments: Number | UnsetType | None = UNSET
    """How often it was given to another referee; left out where it is 0. Ours alone count that."""


class ScheduledRound(LeagueValue, frozen=True, kw_only=True):
    round_id: Number
    matches: tuple[ScheduledMatch, ...]


class NextMatch(LeagueValue, frozen=True, kw_only=True):
    match_id: MatchId
    round_id: Number
    opponent_id: PlayerId
    referee_endpoint: str | None = None


class QueryData(LeagueValue, frozen=True, kw_only=True):
    """The answer to a question: the fields that its kind has, and no others."""

    standings: tuple[StandingsRow, ...] | UnsetType = UNSET
    rounds: tuple[ScheduledRound, ...] | UnsetType = UNSET
    next_match: NextMatch | UnsetType | None = UNSET
    status: str | UnsetType = UNSET
    current_round: int | UnsetType = UNSET
    total_rounds: int | UnsetType = UNSET
    matches_completed: int | UnsetType = UNSET
    rank: int | UnsetType = UNSET
    player_id: PlayerId | UnsetType = UNSET
    display_name: str | UnsetType = UNSET
    played: int | UnsetType = UNSET
    wins: int | UnsetType = UNSET
    draws: int | UnsetType = UNSET
    losses: int | UnsetType = UNSET
    points: int | UnsetType = UNSET


class QueryError(LeagueValue, frozen=True, kw_only=True):
    """Why a question has no answer."""

    error_code: str
    error_description: str
