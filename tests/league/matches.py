"""A match of any game in memory: a referee, two players, whoever decides for them, and a network that may be bad.

Time is virtual: when nothing is on its way, the timer that is due first runs out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from msgspec import Raw

from turnstile.kernel import Event, PlayerId, Rejection, Seed, Send, Step, encode
from turnstile.kernel.timers import TimedMachine
from turnstile.kernel.values import Instant, Timeout
from turnstile.league.player import state as player_state
from turnstile.league.player.machine import new as new_player
from turnstile.league.player.machine import player
from turnstile.league.player.state import AskedMove, MoveMade, Options, PlayerStartup, ReadyToJoin
from turnstile.league.protocol.messages import (
    GameMoveCall,
    GameMoveResponse,
    LeagueMessage,
    LeagueQuery,
    LeagueQueryResponse,
    LeagueRegisterResponse,
    MatchResultAck,
    MatchResultReport,
    RoundAnnouncement,
)
from turnstile.league.protocol.values import AnnouncedMatch, GameResult
from turnstile.league.protocol.words import LEAGUE_MANAGER, LeagueId, MatchId, RefereeId, Registration, player_address
from turnstile.league.referee import state as referee_state
from turnstile.league.referee.machine import new as new_referee
from turnstile.league.referee.machine import referee
from turnstile.league.referee.state import MatchAssigned

A, B = PlayerId("P05"), PlayerId("P02")
PLAYERS = (A, B)
MOST_EVENTS = 20_000  # in one match; a longer one does not end
LEAGUE, MATCH, REFEREE = LeagueId("league"), MatchId("R1M1"), RefereeId("REF03")

Chooser = Callable[[AskedMove], Raw | None]
"""Decides on a move, or does not answer."""
Delivery = Callable[[LeagueMessage], int]
"""How often a message arrives: once, twice, never."""


def announced(game: str) -> AnnouncedMatch:
    return AnnouncedMatch(
        match_id=MATCH,
        player_a_id=A,
        player_b_id=B,
        referee_endpoint="http://localhost:8003/mcp",
        game_type=game,
        referee_id=REFEREE,
    )


def assignment(game: str, seed: Seed) -> MatchAssigned:
    return MatchAssigned(league_id=LEAGUE, round_id=1, match=announced(game), seed=seed)


def waiting_player(me: PlayerId, game: str) -> player_state.State:
    """A player that knows of its match."""
    state = new_player(Options(display_name=str(me)), Seed("a name"))
    accepted = LeagueRegisterResponse(status=Registration.ACCEPTED, player_id=me, league_id=LEAGUE)
    round_one = RoundAnnouncement(league_id=LEAGUE, round_id=1, matches=(announced(game),))
    for event in (PlayerStartup(), accepted, round_one):
        after = player.apply(state, event)
        assert not isinstance(after, Rejection), after
        state = after
    return state


def by_random(rng: Random) -> Chooser:
    return lambda asked: rng.choice(asked.request.valid_options)


@dataclass
class Meeting:
    """All who take part in one match, and what was said."""

    game: str
    seed: Seed
    choosers: Mapping[PlayerId, Chooser]
    delivery: Delivery = lambda message: 1
    order: Callable[[Sequence[Any]], int] = lambda waiting: 0
    now: int = 0
    said: list[Send] = field(default_factory=list)
    refused: list[Rejection] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.referee = TimedMachine(referee, new_referee(REFEREE))
        self.players = {me: TimedMachine(player, waiting_player(me, self.game)) for me in PLAYERS}
        self.waiting: list[tuple[str, LeagueMessage]] = []

    def play(self) -> GameResult:
        """The whole match, to its report."""
        self._to_referee(assignment(self.game, self.seed))
        for _ in range(MOST_EVENTS):
            if self.referee.state.phase is referee_state.Phase.MATCH_COMPLETE:
                break
            if self.waiting:
                to, message = self.waiting.pop(self.order(self.waiting))
                self._deliver(to, message)
            else:
                self._wait()
        assert self.referee.state.result is not None
        while self.waiting:
            self._deliver(*self.waiting.pop(0))
        return self.referee.state.result

    def _wait(self) -> None:
        works: list[TimedMachine[Any]] = [self.referee, *self.players.values()]
        due = [(work.next_timer.due, number) for number, work in enumerate(works) if work.next_timer]
        self.now, number = min(due)
        timer = works[number].next_timer
        assert timer is not None
        self._happen(works[number], timer.event)

    def _deliver(self, to: str, message: LeagueMessage) -> None:
        addressees: dict[str, TimedMachine[Any]] = {player_address(me): work for me, work in self.players.items()}
        if to == LEAGUE_MANAGER:
            self._ask_manager(message)
        else:
            self._happen(addressees.get(to, self.referee), message)

    def _ask_manager(self, message: LeagueMessage) -> None:
        if isinstance(message, LeagueQuery):
            self._to_referee(LeagueQueryResponse(success=True))
        if isinstance(message, MatchResultReport):
            self._to_referee(MatchResultAck(status="ACCEPTED", match_id=message.match_id))

    def _to_referee(self, event: Event) -> None:
        self._happen(self.referee, event)

    def _happen(self, work: TimedMachine[Any], event: Event) -> None:
        step = work.take(event, Instant(self.now))
        if isinstance(step, Rejection):
            self.refused.append(step)
            return
        self._carry_out(step)
        if isinstance(work.state, player_state.State) and not isinstance(event, Timeout | MoveMade):
            self._decide(work)

    def _carry_out(self, step: Step[Any]) -> None:
        for effect in step.effects:
            if isinstance(effect, Send):
                assert isinstance(effect.message, LeagueMessage)
                self.said.append(effect)
                self.waiting += [(effect.to, effect.message)] * self.delivery(effect.message)

    def _decide(self, work: TimedMachine[player_state.State]) -> None:
        state = work.state
        if state.phase is player_state.Phase.INVITED_TO_MATCH:
            self._happen(work, ReadyToJoin())
        elif state.phase is player_state.Phase.CHOOSING_PARITY:
            asked = state.playing.asked
            assert asked is not None
            choice = self.choosers[state.me](asked)
            if choice is not None:
                self._happen(work, MoveMade(match_id=MATCH, move_number=asked.number, choice=choice))

    # what was said

    def calls(self, me: PlayerId) -> list[GameMoveCall]:
        """What one player was asked, repeats included."""
        to = [send.message for send in self.said if send.to == player_address(me)]
        return [message for message in to if isinstance(message, GameMoveCall)]

    def answers(self) -> list[GameMoveResponse]:
        return [send.message for send in self.said if isinstance(send.message, GameMoveResponse)]


def same_moves(moves: Sequence[Raw], events: Sequence[Event]) -> bool:
    return [bytes(move) for move in moves] == [encode(event) for event in events]
