"""A referee's place in the league: how it registers, who it is then, and that the league is over.

The specification says nothing of it; it goes as a player's registration does. The matches of a referee are machines of
their own, one each (`referee`).
"""

from enum import StrEnum

from msgspec.structs import replace

from turnstile.kernel.chance import Seed
from turnstile.kernel.effects import Arm, Disarm, Send
from turnstile.kernel.machine import Machine, Next, Rejection
from turnstile.kernel.values import Timeout
from turnstile.league.protocol.management import RefereeMeta, RefereeRegisterRequest, RefereeRegisterResponse
from turnstile.league.protocol.messages import LeagueCompleted
from turnstile.league.protocol.words import (
    DEFAULT_LEAGUE,
    LEAGUE_MANAGER,
    MANAGER_SECONDS,
    MAX_RETRIES,
    Internal,
    LeagueId,
    LeagueValue,
    RefereeId,
    Registration,
    wire,
)
from turnstile.league.registering import (
    DUPLICATE_NAME,
    EXHAUSTED,
    NOT_REGISTERED,
    RETRY,
    attempt,
    is_refusal,
    pause,
    with_suffix,
)

TIMER = "register"


class Phase(StrEnum):
    UNREGISTERED = "UNREGISTERED"
    REGISTERING = "REGISTERING"
    REGISTERED = "REGISTERED"
    LEAGUE_COMPLETE = "LEAGUE_COMPLETE"


class Code(StrEnum):
    """Why a registrar turns something down. Codes are protocol: add to them, never rename one."""

    IGNORED = "Ignored"
    STALE_TIMER = "StaleTimer"


class State(LeagueValue, frozen=True, kw_only=True):
    """A referee as the league manager knows it."""

    phase: Phase
    name: str
    """What it would like to be called; `meta` has the name it tries."""
    meta: RefereeMeta
    seed: Seed
    """From which the suffixes of its name are drawn, should the name be taken."""
    names_tried: int = 0
    """Since the referee was started, its own name not counted."""
    suffixes_drawn: int = 0
    """Of all time, so that none is drawn twice."""
    retry_count: int = 0
    is_unreached: bool = False
    """The latest request could not be delivered."""
    failure: str | None = None
    """Why it has given up: its process exits with this as the error."""
    referee_id: RefereeId | None = None
    auth_token: str | None = None
    manager_proof: str | None = None
    """What the league manager shows to prove who it is. Managers that are not ours give none."""
    league_id: LeagueId | None = None

    @property
    def attempt(self) -> int:
        """Which request is the latest."""
        return attempt(self.names_tried, self.retry_count)


# events


class RefereeStartup(Internal, frozen=True, tag="referee_startup", kw_only=True):
    """The referee's process has started."""


class RegistrationExpired(Timeout, frozen=True, rename=wire, tag_field="message_type", tag="registration_expired"):
    """The league manager has not answered, or the pause before the next request is over."""

    attempt: int


class RequestLost(Internal, frozen=True, tag="request_lost", kw_only=True):
    """The league manager could not be reached."""

    attempt: int


# start


def new(meta: RefereeMeta, seed: Seed) -> State:
    """A referee that nobody knows yet."""
    return State(phase=Phase.UNREGISTERED, name=meta.display_name, meta=meta, seed=seed)


registrar: Machine[State] = Machine(
    "registrar",
    Phase,
    start=Phase.UNREGISTERED,
    ends=(Phase.LEAGUE_COMPLETE, Phase.UNREGISTERED),
    state=State,
    messages=RefereeRegisterRequest,
    codes=Code,
)
STALE = Rejection(Code.STALE_TIMER, "This is about something that is no longer waited for.")


@registrar.on(Phase.UNREGISTERED, RefereeStartup, to=Phase.REGISTERING)
def start_up(state: State, event: RefereeStartup) -> Next[State]:
    """The referee asks the league manager for a place. After a rejection it asks for its own name first."""
    if is_refusal(state.failure):
        state = replace(state, meta=replace(state.meta, display_name=state.name))
    return _requested(replace(state, names_tried=0, retry_count=0, failure=None))


@registrar.on(
    Phase.REGISTERING,
    RefereeRegisterResponse,
    to={"ACCEPTED": Phase.REGISTERED, "REJECTED": Phase.UNREGISTERED},
)
def register(state: State, event: RefereeRegisterResponse) -> Next[State] | Rejection:
    """The referee has an id and a token; or it was rejected.

    If its name is taken it tries three others, after a moment; for any other reason it gives up.
    """
    if event.status is Registration.REJECTED:
        if event.reason != DUPLICATE_NAME or state.names_tried == MAX_RETRIES:
            return _given_up(state, f"Registration was rejected: {event.reason}")
        after = _renamed(replace(state, phase=Phase.UNREGISTERED, retry_count=0))
        return Next(after, _backed_off(after))
    if not event.referee_id:
        return Rejection(Code.IGNORED, "A referee that is accepted is given an id.")
    after = replace(
        state,
        phase=Phase.REGISTERED,
        retry_count=0,
        is_unreached=False,
        referee_id=event.referee_id,
        auth_token=event.auth_token,
        manager_proof=event.manager_proof or None,
        league_id=event.league_id or DEFAULT_LEAGUE,
    )
    return Next(after, Disarm(TIMER))


@registrar.on(Phase.UNREGISTERED, RegistrationExpired, to=Phase.REGISTERING)
def register_renamed(state: State, event: RegistrationExpired) -> Next[State] | Rejection:
    """After a moment the referee asks again, under another name."""
    return _requested(state) if _is_renamed(state) and event.attempt == state.attempt else STALE


@registrar.on(Phase.REGISTERING, RegistrationExpired, to={RETRY: Phase.REGISTERING, EXHAUSTED: Phase.UNREGISTERED})
def register_again(state: State, event: RegistrationExpired) -> Next[State] | Rejection:
    """The league manager does not answer: it is asked again, three times; then the referee gives up."""
    if event.attempt != state.attempt:
        return STALE
    if state.retry_count == MAX_RETRIES:
        return _given_up(state, NOT_REGISTERED)
    return _requested(replace(state, retry_count=state.retry_count + 1))


@registrar.on(Phase.REGISTERING, RequestLost, to={RETRY: Phase.REGISTERING, EXHAUSTED: Phase.UNREGISTERED})
def manager_unreached(state: State, event: RequestLost) -> Next[State] | Rejection:
    """The manager cannot be reached: it is tried again after pauses that double."""
    if state.is_unreached or event.attempt != state.attempt:
        return STALE
    if state.retry_count == MAX_RETRIES:
        return _given_up(state, NOT_REGISTERED)
    after = replace(state, is_unreached=True)
    return Next(after, _backed_off(after))


@registrar.on(Phase.REGISTERED, LeagueCompleted, to=Phase.LEAGUE_COMPLETE)
def end_league(state: State, event: LeagueCompleted) -> State | Rejection:
    """The league is over."""
    if event.league_id != state.league_id:
        return Rejection(Code.IGNORED, "This referee is in another league.")
    return replace(state, phase=Phase.LEAGUE_COMPLETE)


for _phase, _why in {
    Phase.UNREGISTERED: "The referee is not registered.",
    Phase.REGISTERING: "The registration of the referee is not complete.",
    Phase.REGISTERED: "The referee is registered.",
    Phase.LEAGUE_COMPLETE: "The league is over.",
}.items():
    registrar.close([_phase], Rejection(Code.IGNORED, _why))


# for hosts


def resumed(state: State) -> list[Send]:
    """The call that still awaits an answer, to be made again after a restart. Timers come with the log."""
    return [_request(state)] if state.phase is Phase.REGISTERING and not state.is_unreached else []


def wanted(state: State) -> RefereeStartup | None:
    """What a referee wants of its host when that has started: one that has given up begins anew."""
    return RefereeStartup() if state.phase is Phase.UNREGISTERED and not _is_renamed(state) else None


# small things the handlers share


def _requested(state: State) -> Next[State]:
    after = replace(state, phase=Phase.REGISTERING, is_unreached=False)
    return Next(after, _request(after), Arm(TIMER, MANAGER_SECONDS, RegistrationExpired(after.attempt)))


def _request(state: State) -> Send:
    lost = RequestLost(attempt=state.attempt)
    return Send(LEAGUE_MANAGER, RefereeRegisterRequest(referee_meta=state.meta), on_failure=lost)


def _backed_off(state: State) -> Arm:
    """Before the next attempt there is a pause."""
    return Arm(TIMER, pause(state.retry_count), RegistrationExpired(state.attempt))


def _given_up(state: State, failure: str) -> Next[State]:
    return Next(replace(state, phase=Phase.UNREGISTERED, failure=failure), Disarm(TIMER))


def _renamed(state: State) -> State:
    """The same referee, with another suffix to its name."""
    number = state.suffixes_drawn + 1
    meta = replace(state.meta, display_name=with_suffix(state.name, state.seed, number))
    return replace(state, names_tried=state.names_tried + 1, suffixes_drawn=number, meta=meta)


def _is_renamed(state: State) -> bool:
    """Whether a timer runs, after which it tries its next name."""
    return state.names_tried > 0 and state.failure is None
