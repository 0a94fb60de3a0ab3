"""What a league manager keeps of its league, and what can happen to it that is no message.

Of a round that is over two letters a match are left: how it ended, and who refereed it. The schedule is not kept at
all: the list of players and the number of the round say who meets whom. So a league of a thousand players is still a
small value.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, TypeVar

from msgspec import Meta

from turnstile.kernel.chance import Commitment, Seed
from turnstile.kernel.values import LONGEST_ID, PlayerId, Timeout
from turnstile.league.manager import schedule
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

ANNOUNCE_SECONDS = 10.0  # for all players together, to hear of a round
WATCH_SECONDS = 10.0  # after which a referee from which nothing is heard is called again
MOST_UNANSWERED = 4  # calls in a row, and the referee is given up
MOST_PERIODS = 25  # of watching without a result: longer than any match of Even/Odd can take
MOST_PERIODS_ELSEWHERE = 2_500  # matches of other games have many moves, and 30 seconds for each
PERIODS_OF_A_MATCH = 18  # of watching: as long as a match may last at most, when nobody answers in time
MOST_PLAYERS = 1_000
MOST_REFEREES = 1_000
MOST_CAPACITY = 10_000  # matches at a time, whatever a referee says of itself
MOST_DIGITS = 9  # of a number in an id
FIRST_LETTER = ord("A")  # which stands for the first referee


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
    """Why a league manager turns something down. Codes are protocol: add to them, never rename one.

    A host answers the first two with ACK, IGNORED, and the others as `JSON_RPC_ERRORS` says. Whoever is not let into
    the league is not turned down in this sense: it is given an answer that says so.
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
"""The errors of an exchange whose message was turned down with these codes."""


class MatchOutcome(StrEnum):
    """How a match ended, in one letter: of who has won, small if the other was at fault."""

    A_WON = "A"
    B_WON = "B"
    DRAW = "D"
    A_BY_DEFAULT = "a"
    B_BY_DEFAULT = "b"
    BOTH_AT_FAULT = "x"


# state


class Options(LeagueValue, frozen=True, kw_only=True):
    """What there is to say about a new league."""

    league_id: Annotated[LeagueId, Meta(min_length=1, max_length=LONGEST_ID)] = DEFAULT_LEAGUE
    game_type: Annotated[str, Meta(min_length=1, max_length=LONGEST_ID)] = GAME_TYPE
    most_players: Annotated[int, Meta(ge=2, le=10_000)] = MOST_PLAYERS
    expected_players: Annotated[int, Meta(ge=2)] | None = None
    """The league begins by itself when so many players and a referee have registered."""
    announce_seconds: Annotated[float, Meta(gt=0, le=3600)] = ANNOUNCE_SECONDS
    trusts_repeats: bool = True
    """Whether an agent without a secret is known again by its name and endpoint alone, which others know, too."""
    watch_seconds: Annotated[float, Meta(gt=0, le=3600)] = WATCH_SECONDS
    most_unanswered: Annotated[int, Meta(ge=1)] = MOST_UNANSWERED
    most_periods: Annotated[int, Meta(ge=1)] | None = None
    """After so many without a result a referee is given up, though it answers; by default it depends on the game."""

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
    """Of the secret by which it is known again; `None` if it has none."""


class Tally(LeagueValue, frozen=True, kw_only=True):
    """What a player has got out of its matches. A technical loss is a loss, too."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    technical_losses: int = 0
    points: int = 0

    @property
    def played(self) -> int:
        return self.wins + self.draws + self.losses


class Referee(LeagueValue, frozen=True, kw_only=True):
    """A registered referee, and how it is getting on with its matches of this round."""

    referee_id: RefereeId
    display_name: str
    contact_endpoint: str
    secret_digest: str | None = None
    capacity: int = 1
    shows_keys: bool = False
    is_up: bool = True
    """It has not been given up."""
    load: int = 0
    """Its matches without a result."""
    unanswered: int = 0
    """Calls in a row that it has not answered."""
    periods: int = 0
    """How often it has been watched for its time since the last result, or since it was given its matches."""

    @property
    def address(self) -> Address:
        return referee_address(self.referee_id)


class LeagueMatch(LeagueValue, frozen=True, kw_only=True):
    """A match of the current round, or of one that is over. Its referee may have been given up."""

    match_id: MatchId
    player_a_id: PlayerId
    player_b_id: PlayerId
    referee_id: RefereeId
    commitment: Commitment | None = None
    """To the seed of its draw, as its referee gave it first, before the players were called."""
    reassignments: int = 0
    """How often it was given to another referee than the one that had it."""
    outcome: MatchOutcome | None = None


class State(LeagueValue, frozen=True, kw_only=True):
    """The whole league."""

    phase: Phase
    options: Options
    secret: Seed
    """From which the tokens of all agents are made."""
    players: tuple[Player, ...] = ()
    referees: tuple[Referee, ...] = ()
    tallies: tuple[Tally, ...] = ()
    """One for each player, once the league has begun."""
    ladder: tuple[int, ...] = ()
    """The places of the players in the order of the table, so that it need not be sorted whenever somebody asks."""
    round_id: int = 0
    matches: tuple[LeagueMatch, ...] = ()
    """Of the current round."""
    remaining: int = 0
    """Matches of the current round without a result."""
    revision: int = 0
    """How often matches of the current round have changed their referee."""
    unheard: tuple[PlayerId, ...] = ()
    """Players that have not answered yet what was announced to them, while a round is announced."""
    untold: tuple[Address, ...] = ()
    """Who has not answered yet that the league is over."""
    finished: tuple[str, ...] = ()
    """For every round that is over, the outcomes of its matches."""
    finished_by: tuple[str, ...] = ()
    """For every round that is over, the referees whose results were booked: a `referee_letter` for each match."""

    @property
    def league_id(self) -> LeagueId:
        return self.options.league_id

    @property
    def is_complete(self) -> bool:
        """Whether as many players as are expected, and a referee, have registered."""
        expected = self.options.expected_players
        return expected is not None and len(self.players) >= expected and bool(self.referees)

    @property
    def player_ids(self) -> list[PlayerId]:
        """The ids of all players, in the order in which they came."""
        return [player_id(number + 1) for number in range(len(self.players))]

    @property
    def total_rounds(self) -> int:
        return schedule.rounds(len(self.players))

    @property
    def matches_completed(self) -> int:
        return sum(map(len, self.finished)) + len(self.matches) - self.remaining

    def player_at(self, player: PlayerId) -> int | None:
        """The place of a player in the list, if it has one."""
        return _place(player, player_id, len(self.players))

    def referee_at(self, referee: RefereeId) -> int | None:
        return _place(referee, referee_id, len(self.referees))


# ids


def player_id(number: int) -> PlayerId:
    return PlayerId(f"P{number:02}")


def referee_id(number: int) -> RefereeId:
    return RefereeId(f"REF{number:02}")


def referee_letter(referee: RefereeId) -> str:
    """A referee of a league as one letter: that of REF01 is A."""
    return chr(FIRST_LETTER + int(referee.removeprefix("REF")) - 1)


def referee_with(letter: str) -> RefereeId:
    return referee_id(ord(letter) - FIRST_LETTER + 1)


def match_id(round_id: int, number: int) -> MatchId:
    return MatchId(f"R{round_id}M{number}")


def match_of(match: MatchId) -> tuple[int, int] | None:
    """The round and the number that a match id speaks of; `None` if it is none of ours."""
    first, _, second = match[1:].partition("M")
    if not (_is_number(first) and _is_number(second)):
        return None
    named = int(first), int(second)
    return named if match_id(*named) == match else None


def _place(agent: str, named: Callable[[int], str], count: int) -> int | None:
    """The place of an agent in a list of so many. An id that is written in another way than ours is nobody's."""
    number = agent.lstrip("PREF")
    if not _is_number(number) or not 0 < int(number) <= count:
        return None
    return int(number) - 1 if named(int(number)) == agent else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < MOST_DIGITS


def put(items: tuple[T, ...], place: int, item: T) -> tuple[T, ...]:
    """The same, but with `item` in one place."""
    return items[:place] + (item,) + items[place + 1 :]  # noqa: RUF005


# events


class AnnouncementExpired(Timeout, frozen=True, rename=wire, tag_field="message_type", tag="announcement_expired"):
    """The time in which the players should have heard of the round is over."""

    round_id: int


class RefereeExpired(Timeout, frozen=True, rename=wire, tag_field="message_type", tag="referee_expired"):
    """Nothing was heard from a referee for a whole period. It says which, so that one that is past is known as such."""

    referee_id: RefereeId
    round_id: int
    periods: int


class AllAreHere(Internal, frozen=True, tag="all_are_here", kw_only=True):
    """Everybody that a league begins with has registered, and the last of them listens, as far as the host knows."""


class AnnouncementLost(Internal, frozen=True, tag="announcement_lost", kw_only=True):
    """A round could not be announced to a player."""

    player_id: PlayerId
    round_id: int
