"""The manager's machine at work: where it calls agents, and how it proves its identity."""

from collections.abc import Callable

from msgspec.structs import replace

from turnstile.agents.process.running import Answer, RunningMachine
from turnstile.agents.wire.envelope import Identity
from turnstile.agents.wire.incoming import error_fault
from turnstile.agents.wire.rpc import Fault
from turnstile.durable.timed_keeper import TimedKeeper
from turnstile.kernel.effects import Send
from turnstile.kernel.machine import Rejection, Step
from turnstile.kernel.values import Event, PlayerId, wire_name
from turnstile.league.manager.state import JSON_RPC_ERRORS, State
from turnstile.league.protocol.management import LeagueError
from turnstile.league.protocol.messages import LeagueMessage
from turnstile.league.protocol.words import LEAGUE_MANAGER, RefereeId


class RunningManager(RunningMachine[State]):
    """The league. It calls each agent in the order of events."""

    errors = JSON_RPC_ERRORS

    def __init__(self, keeper: TimedKeeper[State], happened: Callable[[Event, State], None]) -> None:
        super().__init__(keeper, self._after)
        self._happened = happened

    def endpoint_of(self, to: str) -> str | None:
        state = self.state
        role, _, agent = to.partition(":")
        if role == "player":
            place = state.player_at(PlayerId(agent))
            return None if place is None else state.players[place].contact_endpoint
        place = state.referee_at(RefereeId(agent))
        return None if place is None else state.referees[place].contact_endpoint

    def reply_to(self, message: LeagueMessage, step: Step[State]) -> Answer | None:
        """A LEAGUE_ERROR may answer any message. It travels as the error of the exchange."""
        sent = [effect.message for effect in step.effects if isinstance(effect, Send)]
        error = next((each for each in sent if isinstance(each, LeagueError)), None)
        return super().reply_to(message, step) if error is None else faulted_by(error, message)

    def _after(self, event: Event, result: Step[State] | Rejection) -> None:
        """Report a step that has changed the league. A query or a rejected registration changes nothing."""
        if isinstance(result, Step) and self.keeper.has_changed:
            self._happened(event, result.state)


class ManagerIdentity(Identity):
    """The identity of the manager. To each agent it shows the proof that the agent got; to others, nothing."""

    __slots__ = ("_proof_for",)

    def __init__(self, proof_for: Callable[[str], str | None]) -> None:
        super().__init__(LEAGUE_MANAGER)
        self._proof_for = proof_for

    def token_for(self, to: str | None) -> str | None:
        return None if to is None else self._proof_for(to)


def faulted_by(error: LeagueError, message: LeagueMessage) -> Fault:
    """A LEAGUE_ERROR as the answer to a message."""
    return error_fault(replace(error, original_message_type=wire_name(type(message))))
