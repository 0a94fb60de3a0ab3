"""The state of a player, with its rounds and matches, and the events of a player that are not messages."""

from enum import StrEnum
from typing import Annotated

from msgspec import UNSET, Meta, Raw, UnsetType

from turnstile.games.evenodd import Parity
from turnstile.kernel.chance import Commitment
from turnstile.kernel.values import LONGEST_ID, PlayerId
from turnstile.league.protocol.messages import RoundAnnouncement
from turnstile.league.protocol.values import (
    AnnouncedMatch,
    MoveRequest,
    PlayerMeta,
    PlayerStandings,
    StandingsRow,
    Tally,
)
from turnstile.league.protocol.words import (
    GAME_TYPE,
    Address,
    Internal,
    LeagueTimeout,
    LeagueValue,
    MatchId,
    Role,
)
from turnstile.league.registering import Registrant


class Phase(StrEnum):
    UNREGISTERED = "UNREGISTERED"
    REGISTERING = "REGISTERING"
    REGISTERED = "REGISTERED"
    WAITING_FOR_ROUND = "WAITING_FOR_ROUND"
    INVITED_TO_MATCH = "INVITED_TO_MATCH"
    WAITING_FOR_CHOICE_REQUEST = "WAITING_FOR_CHOICE_REQUEST"
    CHOOSING_PARITY = "CHOOSING_PARITY"
    WAITING_FOR_RESULT = "WAITING_FOR_RESULT"
    MATCH_COMPLETE = "MATCH_COMPLETE"
    LEAGUE_COMPLETE = "LEAGUE_COMPLETE"


IN_MATCH = (
    Phase.INVITED_TO_MATCH,
    Phase.WAITING_FOR_CHOICE_REQUEST,
    Phase.CHOOSING_PARITY,
    Phase.WAITING_FOR_RESULT,
)
BETWEEN_MATCHES = (Phase.REGISTERED, Phase.WAITING_FOR_ROUND, Phase.MATCH_COMPLETE)


class Code(StrEnum):
    """Why a player turns something down. Codes are protocol: add to them, never rename one.

    A host answers `Ignored` and `StaleTimer` with ACK, IGNORED, and the others as `JSON_RPC_ERRORS` says. `Pending` is
    the exception: the request is a repeat, and the answer to it is still being made; the host keeps the exchange open
    and gives both the same answer.
    """

    IGNORED = "Ignored"
    PENDING = "Pending"
    STALE_TIMER = "StaleTimer"
    MATCH_NOT_FOUND = "MatchNotFound"
    WRONG_LEAGUE = "WrongLeague"
    WRONG_PLAYER = "WrongPlayer"
    WRONG_REFEREE = "WrongReferee"
    INVALID_CHOICE = "InvalidChoice"


JSON_RPC_ERRORS = {
    Code.WRONG_PLAYER: 4002,
    Code.MATCH_NOT_FOUND: 4003,
    Code.WRONG_LEAGUE: 4003,
    Code.WRONG_REFEREE: 4005,
}
"""The errors of an exchange whose message was turned down with these codes."""


MOST_KEPT = 100
"""Matches in a player's history. A league can have thousands, and a state is written with every step."""


class OwnResult(StrEnum):
    WIN = "WIN"
    DRAW = "DRAW"
    LOSS = "LOSS"


# state


class Round(LeagueValue, frozen=True, kw_only=True):
    """The latest round of which the player knows, by an announcement or by its first invitation.

    When it is over it has no matches left. It is kept, so that what comes late is known as such.
    """

    round_id: int
    matches: tuple[AnnouncedMatch, ...]
    """Those of this player alone."""
    revision: int = 0
    """Which of its announcements this is: the latest, and nothing before it counts any more."""


class AskedMove(LeagueValue, frozen=True, kw_only=True):
    """The latest move that this player was asked for, in a match of another game than Even/Odd."""

    number: int
    """Which question of the match it is; `move_made` answers with the same."""
    game_type: str
    request: MoveRequest
    answer: int | None = None
    """Which of its options was chosen."""


class OwnMatch(LeagueValue, frozen=True, kw_only=True):
    """The match that is played, or that was played last."""

    match_id: MatchId
    round_id: int
    opponent_id: PlayerId
    role_in_match: Role
    referee: Address
    game_type: str = GAME_TYPE
    commitment: Commitment | None = None
    your_standings: PlayerStandings | None = None
    """As the latest call has told them."""
    deadline: str | None = None
    """Of the latest call, as the referee has written it."""
    my_choice: Parity | None = None
    asked: AskedMove | None = None
    reassignments: int = 0
    """How often it had been given to another referee when it began, as far as it was announced."""

    @property
    def has_answered(self) -> bool:
        """It has chosen, or made the move that it was asked for last."""
        return self.my_choice is not None if self.asked is None else self.asked.answer is not None


class PlayedMatch(LeagueValue, frozen=True, kw_only=True):
    """A match in a player's history. `result` is missing where it was never told, or could not be read."""

    match_id: MatchId
    round_id: int
    opponent_id: PlayerId
    game_type: str = GAME_TYPE
    referee: Address | None = None
    """Who refereed it; should it be given to another, this result is void."""
    reassignments: int = 0
    """How often it had been given to another before; should it be given away and back, this result is void, too."""
    result: OwnResult | None
    is_technical: bool = False
    my_choice: Parity | None = None
    opponent_choice: Parity | None = None
    is_fair: bool | None = None
    """Whether the number is the one that the referee had committed to; missing where there is nothing to check.

    In another game than Even/Odd, whether its moves lead to the result, played again from the seed committed to.
    """
    is_unreadable: bool | UnsetType = UNSET
    """The result was told, and could not be read."""


class State(Registrant, frozen=True, kw_only=True):
    """The whole player."""

    phase: Phase
    meta: PlayerMeta
    accepts_unannounced: bool = False
    """Take an invitation that no announcement preceded as both; for leagues that announce nothing."""
    player_id: PlayerId | None = None
    queued: RoundAnnouncement | None = None
    """A round that was announced while another one could still be played."""
    round: Round | None = None
    match: OwnMatch | None = None
    standings: tuple[StandingsRow, ...] = ()
    statistics: Tally = Tally()
    history: tuple[PlayedMatch, ...] = ()
    """The latest matches, in the order of their rounds. A host that wants all of them keeps them itself."""
    has_shut_down: bool = False

    @property
    def me(self) -> PlayerId:
        """Who the player is, once it is registered."""
        assert self.player_id is not None, f"a player in {self.phase} is registered"
        return self.player_id

    @property
    def playing(self) -> OwnMatch:
        """The match, in every phase that has one."""
        assert self.match is not None, f"a player in {self.phase} has a match"
        return self.match

    def announcements_of(self, match: MatchId) -> list[AnnouncedMatch]:
        """A match as it was announced: for the round that is played, and in the announcement that is queued."""
        known = self.round.matches if self.round is not None else ()
        queued = self.queued.matches if self.queued is not None else ()
        return [each for each in (*known, *queued) if each.match_id == match]

    def has_played(self, match: MatchId, since: int = 0) -> bool:
        """Whether this is one of the latest matches, those of rounds before `since` left aside."""
        for played in reversed(self.history):
            if played.round_id < since:
                return False
            if played.match_id == match:
                return True
        return False


class Question(LeagueValue, frozen=True, kw_only=True):
    """What a strategy is asked, with all that it may know: `even` or `odd`, or in another game for a `move`.

    `ChoiceMade` brings its choice back, `MoveMade` its move.
    """

    match_id: MatchId
    round_id: int
    player_id: PlayerId
    opponent_id: PlayerId
    standings: tuple[StandingsRow, ...]
    """The latest table of the league."""
    statistics: Tally
    history: tuple[PlayedMatch, ...]
    """Its own matches, the latest last."""
    your_standings: PlayerStandings | None = None
    """What the league manager had told the referee of this player before the call."""
    deadline: str | None = None
    """Until when the referee waits for the answer, in UTC. The player answers by itself a second before."""
    move: AskedMove | None = None


# events


class PlayerStartup(Internal, frozen=True, tag="player_startup", kw_only=True):
    """The player's process has started."""


class PlayerTimeout(LeagueTimeout, frozen=True, tag="timeout", kw_only=True):
    """The league manager has not answered, or the player's own time for an answer is nearly over."""


class ReadyToJoin(Internal, frozen=True, tag="ready_to_join", kw_only=True):
    """The player is ready to take part in the match it is invited to; usually at once."""


class ChoiceMade(Internal, frozen=True, tag="choice_made", kw_only=True):
    """The strategy has chosen."""

    match_id: MatchId
    parity_choice: str


class MoveMade(Internal, frozen=True, tag="move_made", kw_only=True):
    """The strategy has decided on a move, one of the options of the question with this number."""

    match_id: MatchId
    move_number: int
    choice: Raw


class ShutdownInitiated(Internal, frozen=True, tag="shutdown_initiated", kw_only=True):
    """The player's process is about to end."""


class Options(LeagueValue, frozen=True, kw_only=True):
    """How a new player introduces itself, and whether it takes invitations that no announcement preceded."""

    display_name: Annotated[str, Meta(min_length=1, max_length=LONGEST_ID)] = "Player"
    version: str = "1.0.0"
    game_types: tuple[str, ...] = (GAME_TYPE,)
    contact_endpoint: str = "http://localhost:8101/mcp"
    registration_secret: str | None = None
    """The secret by which the league manager recognises it. The host of the player draws it."""
    accepts_unannounced: bool = False
