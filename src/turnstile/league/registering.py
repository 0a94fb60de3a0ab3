"""Registration with the league manager: the same for a player and for a referee. Transitions are those of a player.

A request that is not answered within 10 seconds is repeated, three times. If the manager cannot be reached, there is a
pause before each repetition, twice as long each time. An agent whose name is taken tries three other names, also after
a pause. After that, or after a rejection for any other reason, it gives up.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from msgspec.structs import replace

from turnstile.kernel.chance import Seed, draw
from turnstile.kernel.effects import Arm, Disarm, Send
from turnstile.kernel.machine import Machine, Next, Rejection
from turnstile.kernel.values import Event
from turnstile.league.protocol.management import RefereeRegisterResponse
from turnstile.league.protocol.messages import LeagueMessage, LeagueRegisterResponse
from turnstile.league.protocol.values import PlayerMeta, RefereeMeta
from turnstile.league.protocol.words import (
    BACKOFF_SECONDS,
    LEAGUE_MANAGER,
    MANAGER_SECONDS,
    MAX_RETRIES,
    Awaited,
    DeliveryFailed,
    LeagueId,
    LeagueTimeout,
    LeagueValue,
)

DUPLICATE_NAME = "Duplicate name"
"""The reason with which a manager rejects a name that is taken."""
NOT_REGISTERED = "Failed to register with League Manager"
RETRY, EXHAUSTED = "retries are left", "exhausted"
SUFFIXES = 10_000
REGISTER_TIMER = "register"


class Registrant(LeagueValue, frozen=True, kw_only=True):
    """An agent that registers: the part of its state that its registration needs."""

    phase: StrEnum
    name: str
    """The name that it would like to have; `meta` has the name that it asks for now."""
    meta: PlayerMeta | RefereeMeta
    seed: Seed
    """The suffixes of its name are drawn from it, should the name be taken."""
    names_tried: int = 0
    """Since the agent was started, its own name not counted."""
    suffixes_drawn: int = 0
    """Since the agent was first started, so that no suffix is drawn twice."""
    retry_count: int = 0
    is_unreached: bool = False
    """The latest request could not be delivered."""
    failure: str | None = None
    """Why the agent has given up: its process exits with this as the error."""
    auth_token: str | None = None
    manager_proof: str | None = None
    """What the league manager shows to prove who it is. Managers that are not ours give none."""
    league_id: LeagueId | None = None

    @property
    def attempt(self) -> int:
        """The number of the latest request. Every name begins a new count."""
        return self.names_tried * (MAX_RETRIES + 1) + self.retry_count

    @property
    def is_renamed(self) -> bool:
        """Whether its name was taken, and it goes on with another one."""
        return self.names_tried > 0 and self.failure is None


R = TypeVar("R", bound=Registrant)


@dataclass(frozen=True, slots=True)
class Registering(Generic[R]):
    """The steps of a registration. The fields are what differs from one kind of agent to another."""

    unregistered: StrEnum
    registering: StrEnum
    message: Callable[[R], LeagueMessage]
    """The request for a place."""
    awaited: Awaited
    """The answer."""
    expired: type[LeagueTimeout]
    """The event that comes when the time for an answer, or the pause before the next request, is over."""
    stale: Rejection
    """The answer to an event that is about an earlier request."""

    def add_rows(self, machine: Machine[R], started: type[Event]) -> None:
        """Add the rows of a registration to the table of a machine, but for the manager's answer."""
        retries = {RETRY: self.registering, EXHAUSTED: self.unregistered}
        machine.on(self.unregistered, started, to=self.registering)(self.start)
        machine.on(self.unregistered, self.expired, to=self.registering)(self.request_renamed)
        machine.on(self.registering, self.expired, to=retries)(self.request_again)
        machine.on(self.registering, DeliveryFailed, to=retries)(self.back_off)

    def start(self, state: R, event: Event) -> Next[R]:
        """Transition 1. The agent asks for a place. If it was rejected before, it begins again with its own name.

        If it has given up without an answer, the manager may have accepted the last name: it asks for that one again.
        """
        if state.failure not in (None, NOT_REGISTERED):
            state = replace(state, meta=replace(state.meta, display_name=state.name))
        tried = 0 if state.failure else state.names_tried
        return self._request(replace(state, retry_count=0, names_tried=tried, failure=None))

    def reject(self, state: R, reason: str | None) -> Next[R]:
        """The manager has rejected the request. If the name is taken, the agent asks for another one after a pause."""
        if reason != DUPLICATE_NAME or state.names_tried == MAX_RETRIES:
            return self._give_up(state, f"Registration was rejected: {reason}")
        after = rename(replace(state, phase=self.unregistered, retry_count=0))
        return Next(after, self._pause(after))

    def request_renamed(self, state: R, event: Event) -> Next[R] | Rejection:
        """Transition 2b. The pause after a rejection is over: the agent asks again, under another name."""
        is_due = state.is_renamed and event == self.expiry(state)
        return self._request(state) if is_due else self.stale

    def request_again(self, state: R, event: Event) -> Next[R] | Rejection:
        """Transition 2c. The manager has not answered: the agent asks again, three times; then it gives up."""
        if event != self.expiry(state):
            return self.stale
        if state.retry_count == MAX_RETRIES:
            return self._give_up(state, NOT_REGISTERED)
        return self._request(replace(state, retry_count=state.retry_count + 1))

    def back_off(self, state: R, event: Event) -> Next[R] | Rejection:
        """Transition 1, error handling. The manager could not be reached: the agent asks again after a pause."""
        if state.is_unreached or event != self.failure(state):
            return self.stale
        if state.retry_count == MAX_RETRIES:
            return self._give_up(state, NOT_REGISTERED)
        return Next(replace(state, is_unreached=True), self._pause(state))

    def resumed(self, state: R) -> list[Send]:
        """The request that still awaits an answer, to be sent again after a restart. Timers come with the log."""
        return [self._call(state)] if state.phase is self.registering and not state.is_unreached else []

    def wants_to_start(self, state: R) -> bool:
        """Whether the host is to start the registration: one that was given up begins again."""
        return state.phase is self.unregistered and not state.is_renamed

    def expiry(self, state: R) -> LeagueTimeout:
        """The timer of the latest request."""
        return self.expired(match_id=None, waiting_for=self.awaited, retry_count=state.attempt)

    def failure(self, state: R) -> DeliveryFailed:
        """The event that says that the latest request was not delivered."""
        attempt = state.attempt
        return DeliveryFailed(to=LEAGUE_MANAGER, match_id=None, waiting_for=self.awaited, retry_count=attempt)

    def _request(self, state: R) -> Next[R]:
        """The league manager is asked for a place, and has 10 seconds to answer."""
        after = replace(state, phase=self.registering, is_unreached=False)
        return Next(after, self._call(after), Arm(REGISTER_TIMER, MANAGER_SECONDS, self.expiry(after)))

    def _call(self, state: R) -> Send:
        return Send(LEAGUE_MANAGER, self.message(state), on_failure=self.failure(state))

    def _pause(self, state: R) -> Arm:
        return Arm(REGISTER_TIMER, pause(state.retry_count), self.expiry(state))

    def _give_up(self, state: R, failure: str) -> Next[R]:
        return Next(replace(state, phase=self.unregistered, failure=failure), Disarm(REGISTER_TIMER))


def accepted(state: R, event: LeagueRegisterResponse | RefereeRegisterResponse) -> R:
    """The state of an agent that was accepted, with what the manager has given it."""
    return replace(
        state,
        retry_count=0,
        is_unreached=False,
        auth_token=event.auth_token,
        manager_proof=event.manager_proof or None,
        league_id=event.league_id,
    )


def rename(state: R) -> R:
    """The same agent, with another suffix to its name."""
    number = state.suffixes_drawn + 1
    suffix = draw(state.seed, "suffix", number, SUFFIXES)
    meta = replace(state.meta, display_name=f"{state.name}-{suffix:04}")
    return replace(state, names_tried=state.names_tried + 1, suffixes_drawn=number, meta=meta)


def pause(retry_count: int) -> float:
    """Seconds before the next attempt, twice as many each time."""
    return BACKOFF_SECONDS * (1 << retry_count)
