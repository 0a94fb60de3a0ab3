"""The state of a referee and its match, and the events of a referee that are not messages."""

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from turnstile.games.evenodd import Parity
from turnstile.kernel.chance import LONGEST_SEED, Seed
from turnstile.kernel.values import LONGEST_ID, ByPlayer, PlayerId
from turnstile.league.protocol.values import AnnouncedMatch, GameResult, PlayerStandings
from turnstile.league.protocol.words import (
    GAME_TYPE,
    Address,
    Internal,
    LeagueId,
    LeagueTimeout,
    LeagueValue,
    MatchId,
    RefereeId,
    referee_address,
)
from turnstile.league.referee.boards import Board


class Phase(StrEnum):
    IDLE = "IDLE"
    WAITING_FOR_PLAYERS = "WAITING_FOR_PLAYERS"
    COLLECTING_CHOICES = "COLLECTING_CHOICES"
    DRAWING_NUMBER = "DRAWING_NUMBER"
    NOTIFYING_PLAYERS = "NOTIFYING_PLAYERS"
    REPORTING_RESULT = "REPORTING_RESULT"
    MATCH_COMPLETE = "MATCH_COMPLETE"


class Code(StrEnum):
    """Why a referee turns something down. Codes are protocol: add to them, never rename one.

    A host answers a post that is turned down with ACK, IGNORED.
    """

    IGNORED = "Ignored"
    STALE_TIMER = "StaleTimer"
    INVALID_ASSIGNMENT = "InvalidAssignment"


# state


class Seat(LeagueValue, frozen=True, kw_only=True):
    """One player of the match. All but the choice is about the phase of the match, and begins anew with the next."""

    player_id: PlayerId
    has_answered: bool = False
    """It has joined, or chosen, or acknowledged the end: what the phase waits for. Or it is not its turn to move."""
    move_number: int = 0
    """How many moves it was asked for; none in Even/Odd."""
    retry_count: int = 0
    is_unreached: bool = False
    """The latest call could not be delivered."""
    fault: str | None = None
    """Why nothing more is expected of it in this phase: all retries are used up, or it has declined."""
    choice: Parity | None = None

    @property
    def is_out(self) -> bool:
        return self.fault is not None

    @property
    def is_awaited(self) -> bool:
        return not (self.has_answered or self.is_out)


class Assignment(LeagueValue, frozen=True, kw_only=True):
    """The match that a referee has been given, and the seed from which its number is drawn."""

    league_id: LeagueId
    round_id: int
    match: AnnouncedMatch
    seed: Seed


class State(LeagueValue, frozen=True, kw_only=True):
    """The whole referee. Between two matches it has only its id."""

    phase: Phase
    referee_id: RefereeId
    assignment: Assignment | None = None
    seats: tuple[Seat, ...] = ()
    """Player A and Player B."""
    standings: ByPlayer[PlayerStandings] | None = None
    """What the league manager says of both. While it is missing, the players have not been called for choices."""
    board: Board | None = None
    """The match itself, from the first question to the end, where it is of another game than Even/Odd."""
    result: GameResult | None = None
    retry_count: int = 0
    """How often the report was sent again."""
    is_reported: bool = False
    """The league manager has acknowledged the result."""

    @property
    def address(self) -> Address:
        return referee_address(self.referee_id)

    @property
    def given(self) -> Assignment:
        """The assignment, in every phase that has one."""
        assert self.assignment is not None, f"a referee in {self.phase} has a match"
        return self.assignment

    @property
    def is_even_odd(self) -> bool:
        return self.given.match.game_type == GAME_TYPE

    @property
    def match_id(self) -> MatchId:
        return self.given.match.match_id

    def seat_of(self, player: PlayerId) -> Seat | None:
        return next((seat for seat in self.seats if seat.player_id == player), None)

    def other(self, seat: Seat) -> Seat:
        return self.seats[1] if seat.player_id == self.seats[0].player_id else self.seats[0]


def put(state: State, seat: Seat) -> State:
    """The same with what is now known of one player."""
    return with_seats(state, lambda each: seat if each.player_id == seat.player_id else each)


def fresh(state: State) -> State:
    """The same with everything forgotten that concerned the phase that is over."""
    return with_seats(state, lambda seat: Seat(player_id=seat.player_id, choice=seat.choice))


def with_seats(state: State, change: Callable[[Seat], Seat]) -> State:
    return replace(state, seats=tuple(map(change, state.seats)))


# events


class MatchAssigned(Internal, frozen=True, tag="match_assigned", kw_only=True):
    """A round was announced in which this referee has a match. The host adds a secret seed."""

    league_id: LeagueId
    round_id: int
    match: AnnouncedMatch
    seed: Annotated[Seed, Meta(min_length=1, max_length=LONGEST_SEED)]


class PlayerTimeout(LeagueTimeout, frozen=True, kw_only=True):
    """A player has not answered in time."""


class TimeoutPlayerA(PlayerTimeout, frozen=True, tag="timeout_player_A", kw_only=True):
    """Player A has not answered in time."""


class TimeoutPlayerB(PlayerTimeout, frozen=True, tag="timeout_player_B", kw_only=True):
    """Player B has not answered in time."""


class TimeoutLeagueManager(LeagueTimeout, frozen=True, tag="timeout_league_manager", kw_only=True):
    """The league manager has not answered in time."""


class TimeoutNotification(LeagueTimeout, frozen=True, tag="timeout_notification", kw_only=True):
    """The time for telling both players how it ended is over."""


class MatchWithdrawn(Internal, frozen=True, tag="match_withdrawn", kw_only=True):
    """The league manager has given the match to another referee, or has given it back to be begun anew."""

    match_id: MatchId


class CleanupComplete(Internal, frozen=True, tag="cleanup_complete", kw_only=True):
    """The host has kept all there is to keep of the match."""


class Options(LeagueValue, frozen=True, kw_only=True):
    """Who a new referee is, by its registration with the league manager."""

    referee_id: Annotated[RefereeId, Meta(min_length=1, max_length=LONGEST_ID)] = RefereeId("REF01")
