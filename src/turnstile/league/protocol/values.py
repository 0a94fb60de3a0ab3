"""The values inside the messages of league.v2: agents, matches, moves, standings and query answers.

The views and moves of a game are carried as JSON, as the game writes them: only the game knows what they mean.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET, Raw, UnsetType

from turnstile.games.evenodd import Parity
from turnstile.kernel.chance import Commitment, Seed
from turnstile.kernel.values import ByPlayer, Malformed, PlayerId, decode, encode
from turnstile.league.protocol.words import GAME_TYPE, LeagueValue, MatchId, Number, RefereeId, Status, Text, Url

PROTOCOL_VERSION = "2.1.0"

GET_STANDINGS = "GET_STANDINGS"
GET_SCHEDULE = "GET_SCHEDULE"
GET_NEXT_MATCH = "GET_NEXT_MATCH"
GET_PLAYER_STATS = "GET_PLAYER_STATS"
GET_STATUS = "GET_STATUS"


# agents


class PlayerMeta(LeagueValue, frozen=True, kw_only=True):
    """A player that registers, and its endpoint."""

    display_name: Text
    version: Text
    game_types: tuple[Text, ...]
    contact_endpoint: Url
    protocol_version: Text = PROTOCOL_VERSION
    registration_secret: Text | UnsetType = UNSET
    """The secret by which the manager recognises the player when it registers again. Only the manager sees it."""


class RefereeMeta(LeagueValue, frozen=True, kw_only=True):
    """A referee that registers, its endpoint, and the number of matches that it takes at a time."""

    display_name: Text
    version: Text
    game_types: tuple[Text, ...]
    contact_endpoint: Url
    max_concurrent_matches: int = 1
    protocol_version: Text = PROTOCOL_VERSION
    registration_secret: Text | UnsetType = UNSET
    """The secret by which the manager recognises the referee when it registers again. Only the manager sees it."""
    shows_keys: bool | UnsetType | None = UNSET
    """It shows the keys of its matches to players. Only then does the manager give players a key."""


# matches


class AnnouncedMatch(LeagueValue, frozen=True, kw_only=True):
    """A match of a round: its players, its referee and their endpoints.

    The keys are secrets and an extension of ours: a player gets its own key, the referee of the match gets both. A
    referee sends the key of a player with every message to it. Other managers give no keys.

    `reassignments` is an extension, too: how often the match changed its referee, left out if it is 0. An agent that
    knows a lower number forgets what it knows of the match: it begins anew, even with the same referee.
    """

    match_id: MatchId
    player_a_id: PlayerId
    player_b_id: PlayerId
    referee_endpoint: Url
    game_type: str = GAME_TYPE
    referee_id: RefereeId | None = None
    player_a_endpoint: Url | None = None
    player_b_endpoint: Url | None = None
    player_a_key: str | UnsetType | None = UNSET
    player_b_key: str | UnsetType | None = UNSET
    reassignments: Number | UnsetType | None = UNSET

    @property
    def times_reassigned(self) -> int:
        """`reassignments`, or 0 from a manager that does not count them."""
        return self.reassignments or 0

    def key_of(self, player: PlayerId) -> str | None:
        """The key of one of its players, if it is known."""
        return {self.player_a_id: self.player_a_key, self.player_b_id: self.player_b_key}.get(player) or None


# choices and moves


class PlayerStandings(LeagueValue, frozen=True, kw_only=True):
    wins: int = 0
    losses: int = 0
    draws: int = 0
    points: int = 0


class ChoiceContext(LeagueValue, frozen=True, kw_only=True):
    """What a player knows when it chooses. `commitment` binds the referee to the seed of the draw."""

    opponent_id: PlayerId
    round_id: Number
    your_standings: PlayerStandings = PlayerStandings()
    commitment: Commitment | None = None


class MoveContext(ChoiceContext, frozen=True, kw_only=True):
    """What a player knows when it moves: the same, and its view of the match."""

    view: Raw


class MoveRequest(LeagueValue, frozen=True, kw_only=True):
    """A question for a move: all legal moves of this player, and its view."""

    move_type: str
    """The kind of move, as the game names it; `any` if several kinds are legal."""
    valid_options: tuple[Raw, ...]
    context: MoveContext


class MoveData(LeagueValue, frozen=True, kw_only=True):
    """The answer: one of the options."""

    move_type: str | None = None
    choice: Raw


def option_meant(options: Sequence[Raw], choice: Raw) -> int | None:
    """The number of the option that equals this choice as JSON; `None` if there is none."""
    chosen = _canonical(choice)
    if chosen is None:
        return None
    return next((number for number, option in enumerate(options) if _canonical(option) == chosen), None)


def _canonical(text: Raw) -> bytes | None:
    """The canonical JSON text; `None` if it is not valid JSON."""
    try:
        return encode(decode(bytes(text), Any))
    except Malformed:
        return None


# results


class GameResult(LeagueValue, frozen=True, kw_only=True):
    """How a match ended. With the `seed` anyone can check the draw against the commitment.

    A game other than Even/Odd has `scores`, and `moves` if they fit, but no number and no choices.
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


class RetryInfo(LeagueValue, frozen=True, kw_only=True):
    retry_count: int
    max_retries: int


class ReportDetails(LeagueValue, frozen=True, kw_only=True):
    """The details of a result. Other referees may leave out the status; other games have no number."""

    drawn_number: int | None = None
    choices: ByPlayer[Parity | None] = ByPlayer()
    status: Status | None = None
    scores: ByPlayer[int] | UnsetType = UNSET
    seed: Seed | UnsetType = UNSET
    """The seed of the draw, so that anyone can check it. Other referees send none."""
    reassignments: Number | UnsetType = UNSET
    """How often the match had changed its referee when it was played. Other referees do not send it."""


class ReportedResult(LeagueValue, frozen=True, kw_only=True):
    """The winner; a draw has none. The host removes any word that other referees write for a draw."""

    winner: PlayerId | None = None
    score: ByPlayer[int] = ByPlayer()
    details: ReportDetails = ReportDetails()


# queries and standings


class QueryParams(LeagueValue, frozen=True, kw_only=True):
    """The subject of a query. Without `player_id` it is the sender."""

    player_id: PlayerId | UnsetType | None = UNSET
    player_ids: tuple[PlayerId, ...] | UnsetType = UNSET
    """Of the standings, only the rows of these players. Our referees query the players of their match."""
    round_id: Number | UnsetType | None = UNSET
    """Of the schedule, only this round."""
    match_id: MatchId | UnsetType | None = UNSET
    commitment: str | UnsetType | None = UNSET
    """The commitment of a referee to the seed of its match. Our referees send it with their query for standings."""


class StandingsRow(LeagueValue, frozen=True, kw_only=True):
    """A row of the standings. Our manager fills every column; a column that others leave out is `None`."""

    rank: int
    player_id: PlayerId
    display_name: str
    played: int | None = None
    wins: int | None = None
    draws: int | None = None
    losses: int | None = None
    points: int | None = None


class Champion(LeagueValue, frozen=True, kw_only=True):
    """The winner of the league."""

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
    """A match of the schedule. It has a referee once its round has begun."""

    match_id: MatchId
    game_type: str = GAME_TYPE
    player_a_id: PlayerId
    player_b_id: PlayerId
    referee_endpoint: str | None = None
    referee_id: RefereeId | None = None
    reassignments: Number | UnsetType | None = UNSET
    """How often it changed its referee; left out if it is 0. Other managers do not count it."""


class ScheduledRound(LeagueValue, frozen=True, kw_only=True):
    round_id: Number
    matches: tuple[ScheduledMatch, ...]


class NextMatch(LeagueValue, frozen=True, kw_only=True):
    match_id: MatchId
    round_id: Number
    opponent_id: PlayerId
    referee_endpoint: str | None = None


class QueryData(LeagueValue, frozen=True, kw_only=True):
    """The answer to a query: only the fields of its kind are set."""

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
    """Why a query failed."""

    error_code: str
    error_description: str


class Tally(LeagueValue, frozen=True, kw_only=True):
    """The results of a player's matches. A technical loss counts as a loss, too."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    technical_losses: int = 0
    points: int = 0

    @property
    def played(self) -> int:
        return self.wins + self.draws + self.losses
