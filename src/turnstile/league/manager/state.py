"""The state of a league, and the events of a league manager that are not messages.

For each match of a past round the state keeps two letters: its outcome and its referee. It does not keep the schedule:
the list of players and the number of the round determine the pairings. So even a league of a thousand players is small.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, TypeVar

from msgspec import Meta
from msgspec.structs import replace

from turnstile.kernel.chance import Commitment, Seed
from turnstile.kernel.values import LONGEST_ID, PlayerId, Timeout
from turnstile.league.manager import schedule
from turnstile.league.protocol.values import Tally
from turnstile.league.protocol.words import (
    DEFAULT_LEAGUE,
    GAME_TYPE,
    Address,
    Internal,
    LeagueId,
    LeagueValue,
    MatchId,
    RefereeId,
    referee_address,
    wire,
)

T = TypeVar("T")

ANNOUNCE_SECONDS = 10.0  # for all players together to acknowledge a round
WATCH_SECONDS = 10.0  # after which the manager calls a silent referee again
MOST_UNANSWERED = 4  # calls in a row before the manager gives up a referee
MOST_PERIODS = 25  # watch periods without a result: longer than any match of Even/Odd
MOST_PERIODS_ELSEWHERE = 2_500  # matches of other games have many moves, with 30 seconds for each
PERIODS_OF_A_MATCH = 18  # watch periods: the longest match, in which every answer is late
MOST_PLAYERS = 1_000
MOST_REFEREES = 1_000
MOST_CAPACITY = 10_000  # matches at a time, even if a referee claims more
MOST_DIGITS = 9  # in the number of an id
FIRST_LETTER = ord("A")  # stands for the first referee


class Phase(StrEnum):
    ACCEPTING_REGISTRATIONS = "ACCEPTING_REGISTRATIONS"
    PAIRING_PLAYERS = "PAIRING_PLAYERS"
    ANNOUNCING_ROUND = "ANNOUNCING_ROUND"
    PLAYING_ROUND = "PLAYING_ROUND"
    WAITING_FOR_REFEREE = "WAITING_FOR_REFEREE"
    COMPLETING_ROUND = "COMPLETING_ROUND"
    LEAGUE_COMPLETE = "LEAGUE_COMPLETE"


IN_ROUND = (Phase.ANNOUNCING_ROUND, Phase.PLAYING_ROUND, Phase.WAITING_FOR_REFEREE)
RESTING = (Phase.ACCEPTING_REGISTRATIONS, *IN_ROUND, Phase.LEAGUE_COMPLETE)


class Code(StrEnum):
    """Why a league manager rejects an event. Codes are protocol: add to them, never rename one.

    A host answers the first two with ACK, IGNORED, and the others as `JSON_RPC_ERRORS` says. A rejected registration
    is not such a rejection: the agent gets an ordinary answer.
    """

    IGNORED = "Ignored"
    STALE_TIMER = "StaleTimer"
    MATCH_NOT_FOUND = "MatchNotFound"
    WRONG_REFEREE = "WrongReferee"
    ALREADY_REPORTED = "AlreadyReported"
    INVALID_RESULT = "InvalidResult"
    WRONG_LEAGUE = "WrongLeague"


JSON_RPC_ERRORS = {
    Code.MATCH_NOT_FOUND: 5002,
    Code.WRONG_REFEREE: 5002,
    Code.ALREADY_REPORTED: 5003,
    Code.INVALID_RESULT: -32602,
    Code.WRONG_LEAGUE: 6003,
}
"""The JSON-RPC error of an exchange whose message was rejected with this code."""


class MatchOutcome(StrEnum):
    """How a match ended, in one letter: the winner's, in lower case if the opponent lost by default."""

    A_WON = "A"
    B_WON = "B"
    DRAW = "D"
    A_BY_DEFAULT = "a"
    B_BY_DEFAULT = "b"
    BOTH_AT_FAULT = "x"


# state


class Options(LeagueValue, frozen=True, kw_only=True):
    """The options of a new league."""

    league_id: Annotated[LeagueId, Meta(min_length=1, max_length=LONGEST_ID)] = DEFAULT_LEAGUE
    game_type: Annotated[str, Meta(min_length=1, max_length=LONGEST_ID)] = GAME_TYPE
    most_players: Annotated[int, Meta(ge=2, le=10_000)] = MOST_PLAYERS
    expected_players: Annotated[int, Meta(ge=2)] | None = None
    """The league begins by itself when this many players and a referee have registered."""
    announce_seconds: Annotated[float, Meta(gt=0, le=3600)] = ANNOUNCE_SECONDS
    trusts_repeats: bool = True
    """Whether name and endpoint alone, which are public, identify an agent without a secret when it registers again."""
    watch_seconds: Annotated[float, Meta(gt=0, le=3600)] = WATCH_SECONDS
    most_unanswered: Annotated[int, Meta(ge=1)] = MOST_UNANSWERED
    most_periods: Annotated[int, Meta(ge=1)] | None = None
    """Watch periods without a result before the manager gives up a referee. The default depends on the game."""

    @property
    def patience(self) -> int:
        if self.most_periods is not None:
            return self.most_periods
        return MOST_PERIODS if self.game_type == GAME_TYPE else MOST_PERIODS_ELSEWHERE


class Player(LeagueValue, frozen=True, kw_only=True):
    """A registered player. Its id is its place in the list."""

    display_name: str
    contact_endpoint: str
    secret_digest: str | None = None
    """The digest of the secret with which it registered, if any."""


class Referee(LeagueValue, frozen=True, kw_only=True):
    """A registered referee and its progress with the matches of this round."""

    referee_id: RefereeId
    display_name: str
    contact_endpoint: str
    secret_digest: str | None = None
    capacity: int = 1
    shows_keys: bool = False
    is_up: bool = True
    """The manager has not given it up."""
    load: int = 0
    """Its matches without a result."""
    unanswered: int = 0
    """Calls in a row that it has not answered."""
    periods: int = 0
    """Watch periods since its last result, or since it got its matches."""

    @property
    def address(self) -> Address:
        return referee_address(self.referee_id)


class LeagueMatch(LeagueValue, frozen=True, kw_only=True):
    """A match of the current round or of an earlier one. Its referee may have been given up."""

    match_id: MatchId
    player_a_id: PlayerId
    player_b_id: PlayerId
    referee_id: RefereeId
    commitment: Commitment | None = None
    """The referee's first commitment to the seed of the match, made before it calls the players."""
    reassignments: int = 0
    """How often it changed its referee."""
    outcome: MatchOutcome | None = None

    @property
    def players(self) -> tuple[PlayerId, PlayerId]:
        return self.player_a_id, self.player_b_id


class State(LeagueValue, frozen=True, kw_only=True):
    """The whole league."""

    phase: Phase
    options: Options
    secret: Seed
    """The tokens of all agents are derived from it."""
    players: tuple[Player, ...] = ()
    referees: tuple[Referee, ...] = ()
    tallies: tuple[Tally, ...] = ()
    """One for each player, after the league has begun."""
    ladder: tuple[int, ...] = ()
    """The places of the players in the order of the table, so that no query has to sort them."""
    round_id: int = 0
    matches: tuple[LeagueMatch, ...] = ()
    """The matches of the current round."""
    remaining: int = 0
    """Matches of the current round without a result."""
    revision: int = 0
    """How often the manager has reassigned matches of the current round."""
    unheard: tuple[PlayerId, ...] = ()
    """The players that have not yet acknowledged the round, while it is announced."""
    untold: tuple[Address, ...] = ()
    """The agents that have not yet acknowledged the end of the league."""
    finished: tuple[str, ...] = ()
    """For every past round, the outcomes of its matches."""
    finished_by: tuple[str, ...] = ()
    """For every past round, the referees whose results were booked: a `referee_letter` for each match."""

    @property
    def league_id(self) -> LeagueId:
        return self.options.league_id

    @property
    def is_complete(self) -> bool:
        """Whether the expected number of players and a referee have registered."""
        expected = self.options.expected_players
        return expected is not None and len(self.players) >= expected and bool(self.referees)

    @property
    def player_ids(self) -> list[PlayerId]:
        """The ids of all players, in the order of registration."""
        return [player_id(number + 1) for number in range(len(self.players))]

    @property
    def endpoints(self) -> list[str]:
        """The endpoints of all agents."""
        return [agent.contact_endpoint for agent in self.players] + [each.contact_endpoint for each in self.referees]

    @property
    def total_rounds(self) -> int:
        return schedule.rounds(len(self.players))

    @property
    def matches_completed(self) -> int:
        return sum(map(len, self.finished)) + len(self.matches) - self.remaining

    def player_at(self, player: PlayerId) -> int | None:
        """The place of a player in the list; `None` for an unknown id."""
        return _place(player, player_id, len(self.players))

    def referee_at(self, referee: RefereeId) -> int | None:
        return _place(referee, referee_id, len(self.referees))


# ids


def player_id(number: int) -> PlayerId:
    return PlayerId(f"P{number:02}")


def referee_id(number: int) -> RefereeId:
    return RefereeId(f"REF{number:02}")


def referee_letter(referee: RefereeId) -> str:
    """A referee as one letter: A stands for REF01."""
    return chr(FIRST_LETTER + int(referee.removeprefix("REF")) - 1)


def referee_with(letter: str) -> RefereeId:
    return referee_id(ord(letter) - FIRST_LETTER + 1)


def match_id(round_id: int, number: int) -> MatchId:
    return MatchId(f"R{round_id}M{number}")


def match_of(match: MatchId) -> tuple[int, int] | None:
    """The round and the number in a match id; `None` if it is invalid."""
    first, _, second = match[1:].partition("M")
    if not (_is_number(first) and _is_number(second)):
        return None
    named = int(first), int(second)
    return named if match_id(*named) == match else None


def _place(agent: str, named: Callable[[int], str], count: int) -> int | None:
    """The place of an agent in a list of `count`; `None` for an id that is not written exactly as ours."""
    number = agent.lstrip("PREF")
    if not _is_number(number) or not 0 < int(number) <= count:
        return None
    return int(number) - 1 if named(int(number)) == agent else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < MOST_DIGITS


def put(items: tuple[T, ...], place: int, item: T) -> tuple[T, ...]:
    """The items with another `item` in one place."""
    return items[:place] + (item,) + items[place + 1 :]  # noqa: RUF005


def update_referee(state: State, at: int, **changes: object) -> State:
    """The league with some fields of one referee changed."""
    return replace(state, referees=put(state.referees, at, replace(state.referees[at], **changes)))


def mark_present(state: State, at: int) -> State:
    """The league with a referee that is up and owes no answer."""
    return update_referee(state, at, is_up=True, unanswered=0, periods=0)


# events


class AnnouncementExpired(Timeout, frozen=True, rename=wire, tag_field="message_type", tag="announcement_expired"):
    """The time for players to acknowledge the round is over."""

    round_id: int


class RefereeExpired(Timeout, frozen=True, rename=wire, tag_field="message_type", tag="referee_expired"):
    """A referee was silent for a whole period. The event says which, so that the manager can tell a stale one."""

    referee_id: RefereeId
    round_id: int
    periods: int


class AllAreHere(Internal, frozen=True, tag="all_are_here", kw_only=True):
    """All expected agents have registered, and the host has seen the last of them listen."""


class AnnouncementLost(Internal, frozen=True, tag="announcement_lost", kw_only=True):
    """The announcement of a round could not be delivered to a player."""

    player_id: PlayerId
    round_id: int
