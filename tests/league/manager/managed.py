"""A managed league in words: `League.of("Ana", "Bo", "Cy").hears("Ana", "Bo", "Cy").reports("R1M1", "P01")`.

A `League` remembers the state and everything that was said in its last step.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

from turnstile.kernel import Arm, Disarm, Effect, Event, PlayerId, Rejection, Seed, Send, Step
from turnstile.league.manager.calls import expiry_of
from turnstile.league.manager.machine import manager, new
from turnstile.league.manager.results import past_match
from turnstile.league.manager.state import (
    AnnouncementExpired,
    AnnouncementLost,
    LeagueMatch,
    Options,
    Phase,
    Referee,
    State,
    player_id,
)
from turnstile.league.proofs.manager import NAMES, entering, refereeing
from turnstile.league.protocol.management import RefereeRegisterRequest, StartLeague
from turnstile.league.protocol.messages import (
    LeagueMessage,
    LeagueQuery,
    LeagueQueryResponse,
    LeagueRegisterRequest,
    MatchResultReport,
    RoundAnnouncementAck,
)
from turnstile.league.protocol.values import ReportDetails, ReportedResult, Tally
from turnstile.league.protocol.words import Address, MatchId, RefereeId, Status, referee_address

M = TypeVar("M", bound=LeagueMessage)

SECRET = Seed("the secret of this league")
REF01, REF02 = RefereeId("REF01"), RefereeId("REF02")


class League:
    """A league as it goes on. Every word is one event; what is turned down fails the test."""

    def __init__(self, options: Options | None = None) -> None:
        self.state: State = new(options or Options(), SECRET)
        self.effects: tuple[Effect, ...] = ()

    @classmethod
    def of(cls, *names: str, referees: Sequence[str] = ("Ron",), options: Options | None = None) -> "League":
        """A league in which these have registered; its first round is announced."""
        league = cls(options)
        for name in names:
            league.takes(entering(name))
        for name in referees:
            league.takes(refereeing(name))
        return league.takes(StartLeague())

    # what happens

    def takes(self, event: Event) -> "League":
        step = self.tried(event)
        assert isinstance(step, Step), step
        self.state, self.effects = step.state, step.effects
        return self

    def tried(self, event: Event) -> Step[State] | Rejection:
        return manager.step(self.state, event)

    def refusal(self, event: Event) -> str:
        answer = self.tried(event)
        assert isinstance(answer, Rejection), answer
        return answer.code

    def enters(self, name: str, **more: Any) -> "League":
        return self.takes(entering(name, **more))

    def referees(self, name: str, **more: Any) -> "League":
        return self.takes(refereeing(name, **more))

    def asks(self, request: LeagueRegisterRequest | RefereeRegisterRequest) -> LeagueMessage:
        """The answer to a request for a place."""
        self.takes(request)
        reply = self.effects[0]
        assert isinstance(reply, Send)
        assert isinstance(reply.message, LeagueMessage)
        return reply.message

    def heard(self) -> "League":
        """All players acknowledge what was announced."""
        for player in self.state.unheard:
            self.takes(RoundAnnouncementAck(player_id=player, round_id=self.state.round_id))
        return self

    def misses(self, player: str) -> "League":
        return self.takes(AnnouncementLost(player_id=PlayerId(player), round_id=self.state.round_id))

    def waits(self) -> "League":
        """The time for hearing of the round is over."""
        return self.takes(AnnouncementExpired(round_id=self.state.round_id))

    def answers(self, referee: RefereeId) -> "League":
        return self.takes(RoundAnnouncementAck(referee_id=referee, round_id=self.state.round_id))

    def watches(self, referee: RefereeId, times: int = 1) -> "League":
        """A referee says nothing for so many periods."""
        for _ in range(times):
            self.takes(expiry_of(self.state, self.referee(referee)))
        return self

    def reports(self, match: str, winner: str | None, status: Status | None = None) -> "League":
        return self.takes(self.report(match, winner, status))

    def report(
        self, match: str, winner: str | None, status: Status | None = None, by: RefereeId | None = None
    ) -> MatchResultReport:
        """A report by the referee of a match, or by another."""
        return MatchResultReport(
            sender=referee_address(by or self._referee_of(match)),
            league_id=self.state.league_id,
            round_id=int(match[1 : match.index("M")]),
            match_id=MatchId(match),
            result=ReportedResult(
                winner=None if winner is None else PlayerId(winner), details=ReportDetails(status=status)
            ),
        )

    def _referee_of(self, match: str) -> RefereeId:
        """The referee that has a match of this round, or had it in a round that is over."""
        round_id, _, number = match.removeprefix("R").partition("M")
        if int(round_id) <= len(self.state.finished):
            return past_match(self.state, int(round_id), int(number)).referee_id
        return next((each.referee_id for each in self.state.matches if each.match_id == match), REF01)

    def plays_round(self) -> "League":
        """Everybody hears of the round, and Player A wins every match of it."""
        if self.state.phase is Phase.ANNOUNCING_ROUND:
            self.heard()
        for match in self.state.matches:
            self.reports(match.match_id, match.player_a_id)
        return self

    def query(self, kind: str, sender: str = "player:P01", **params: Any) -> LeagueQueryResponse:
        """The answer to a question, which changes nothing."""
        event = LeagueQuery(sender=Address(sender), league_id=self.state.league_id, query_type=kind, **params)
        step = self.tried(event)
        assert isinstance(step, Step), step
        assert step.state == self.state
        (reply,) = step.effects
        assert isinstance(reply, Send)
        assert reply.to == sender
        assert isinstance(reply.message, LeagueQueryResponse)
        return reply.message

    # what is so

    @property
    def phase(self) -> Phase:
        return self.state.phase

    def referee(self, referee: RefereeId) -> Referee:
        at = self.state.referee_at(referee)
        assert at is not None
        return self.state.referees[at]

    def match(self, match: str) -> LeagueMatch:
        return next(each for each in self.state.matches if each.match_id == match)

    def tally(self, player: str) -> Tally:
        at = self.state.player_at(PlayerId(player))
        assert at is not None
        return self.state.tallies[at]

    # what was said in the last step

    def said(self, kind: type[M]) -> dict[str, M]:
        """The messages of one kind, by whom they were for."""
        sends = [effect for effect in self.effects if isinstance(effect, Send)]
        return {send.to: send.message for send in sends if isinstance(send.message, kind)}

    def one(self, kind: type[M]) -> M:
        (message,) = self.said(kind).values()
        return message

    @property
    def armed(self) -> dict[str, float]:
        return {effect.timer: effect.seconds for effect in self.effects if isinstance(effect, Arm)}

    @property
    def disarmed(self) -> set[str]:
        return {effect.timer for effect in self.effects if isinstance(effect, Disarm)}


def ids(count: int) -> list[PlayerId]:
    return [player_id(number + 1) for number in range(count)]


# leagues in every phase


def joined() -> League:
    """Four players and two referees; nothing has begun."""
    league = League()
    for name in NAMES:
        league.enters(name)
    return league.referees("Ron").referees("Sue")


def announced() -> League:
    """R1M1 is P01 against P04 with REF01, R1M2 is P02 against P03 with REF02."""
    return joined().takes(StartLeague())


def playing() -> League:
    return announced().heard()


def waiting() -> League:
    return playing().watches(REF01, 4).heard().watches(REF02, 3)


def complete() -> League:
    return announced().plays_round().plays_round().plays_round()
