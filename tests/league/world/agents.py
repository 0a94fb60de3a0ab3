"""The agents of the simulated world: those of the in-process league, under observation, and players with bad habits."""

from random import Random
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from turnstile.kernel import Event, Rejection, Send, Step
from turnstile.kernel.values import Instant, PlayerId
from turnstile.league.local.manager import LocalManager
from turnstile.league.local.network import envelope_of
from turnstile.league.local.player import LocalPlayer
from turnstile.league.local.referee import LocalReferee
from turnstile.league.manager.state import Phase
from turnstile.league.manager.state import State as League
from turnstile.league.player.state import State
from turnstile.league.protocol.messages import ChooseParityResponse, GameJoinAck, GameOverAck, MatchResultReport
from turnstile.league.protocol.words import Address, MatchId, player_address, referee_address

if TYPE_CHECKING:
    from tests.league.world.world import World

ANSWERS = GameJoinAck | ChooseParityResponse


DIES = "dies"
SOON = 30_000
"""Milliseconds after which an agent that has given up is started again."""


class Exit(Exception):
    """The process of an agent ends, here and now: by a crash, or because it has given up."""

    def __init__(self, home: Address, why: str, downtime: int = SOON) -> None:
        super().__init__(f"{home} {why}")
        self.downtime = downtime
        self.home = home
        self.why = why
        self.is_crash = why == DIES


class WatchedManager(LocalManager):
    """A manager whose every booking is looked at, as soon as it is durable."""

    world: "World"

    def _keep_book(self, before: League, event: Event) -> None:
        super()._keep_book(before, event)
        if isinstance(event, MatchResultReport):
            match = next((match for match in before.matches if match.match_id == event.match_id), None)
            assigned = None if match is None else referee_address(match.referee_id)
            self.world.audit.booked(event, assigned, 0 if match is None else match.reassignments)
        if self.state.phase is Phase.LEAGUE_COMPLETE and self.world.ended is None:
            self.world.ended = self.network.now


class WorldReferee(LocalReferee):
    """A referee. When it gives up registering, its process ends, and is started again."""

    def take(self, match: MatchId | None, event: Event) -> None:
        super().take(match, event)
        failure = self.registrar.state.failure
        if failure is not None:
            raise Exit(self.home, f"has given up: {failure}")


class WorldPlayer(LocalPlayer):
    """A player that keeps to the rules. When it gives up registering, its process ends, and is started again."""

    def take(self, event: Event) -> Step[State] | Rejection:
        step = super().take(event)
        if isinstance(step, Step) and self.state.failure is not None:
            raise Exit(self.home, f"has given up: {self.state.failure}")
        return step


class RoguePlayer(WorldPlayer):
    """A player with a habit."""

    habit: str
    rng: Random

    def post(self, send: Send) -> None:
        said: Any = send.message
        if not isinstance(said, ANSWERS | GameOverAck) or self.rng.random() < 0.3:
            super().post(send)
            return
        if self.habit == "silent" and isinstance(said, ANSWERS):
            return
        if self.habit == "mute at the end" and isinstance(said, GameOverAck):
            return
        if self.habit == "slow":
            self._post_later(send)
            return
        for each in self._said(said):
            super().post(Send(send.to, each))

    def _said(self, said: Any) -> list[Any]:
        if self.habit == "declines" and isinstance(said, GameJoinAck):
            return [replace(said, accept=False)]
        if self.habit == "rubbish" and isinstance(said, ChooseParityResponse):
            return [replace(said, parity_choice=self.rng.choice(("seven", "", "EVEN ", "odd?")))]
        if self.habit == "twice":
            other = (
                {"parity_choice": self.rng.choice(("even", "odd"))} if isinstance(said, ChooseParityResponse) else {}
            )
            return [said, replace(said, **other)]
        if self.habit == "wanders":
            elsewhere = MatchId(self.rng.choice(("R1M1", "R1M2", "R2M1", "R9M9")))
            somebody = PlayerId(self.rng.choice(("P08", "P09")))
            return [replace(said, match_id=elsewhere), replace(said, player_id=somebody), said]
        return [said]

    def _post_later(self, send: Send) -> None:
        envelope = envelope_of(player_address(self.state.me), send)
        self.network._remember(Instant(self.network.now + self.rng.choice((2_000, 6_000, 35_000))), envelope)
