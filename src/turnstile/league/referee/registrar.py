"""The registration of a referee: from its first request to the end of the league.

The specification does not describe it; it works like the registration of a player. Each match of a referee has its own
machine (`referee`).
"""

from enum import StrEnum

from msgspec.structs import replace

from turnstile.kernel.chance import Seed
from turnstile.kernel.effects import Disarm, Send
from turnstile.kernel.machine import Machine, Next, Rejection
from turnstile.league.protocol.management import RefereeRegisterRequest, RefereeRegisterResponse
from turnstile.league.protocol.messages import LeagueCompleted
from turnstile.league.protocol.values import RefereeMeta
from turnstile.league.protocol.words import DEFAULT_LEAGUE, Awaited, Internal, LeagueTimeout, RefereeId, Registration
from turnstile.league.registering import REGISTER_TIMER, Registering, Registrant, accepted


class Phase(StrEnum):
    UNREGISTERED = "UNREGISTERED"
    REGISTERING = "REGISTERING"
    REGISTERED = "REGISTERED"
    LEAGUE_COMPLETE = "LEAGUE_COMPLETE"


class Code(StrEnum):
    """Why a registrar turns something down. Codes are protocol: add to them, never rename one."""

    IGNORED = "Ignored"
    STALE_TIMER = "StaleTimer"


class State(Registrant, frozen=True, kw_only=True):
    """A referee as the league manager knows it."""

    phase: Phase
    meta: RefereeMeta
    referee_id: RefereeId | None = None


# events


class RefereeStartup(Internal, frozen=True, tag="referee_startup", kw_only=True):
    """The referee's process has started."""


class RegistrationExpired(LeagueTimeout, frozen=True, tag="registration_expired", kw_only=True):
    """The league manager has not answered, or the pause before the next request is over."""


# start


def new(meta: RefereeMeta, seed: Seed) -> State:
    """A referee that is not registered yet."""
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
_registering: Registering[State] = Registering(
    unregistered=Phase.UNREGISTERED,
    registering=Phase.REGISTERING,
    message=lambda state: RefereeRegisterRequest(referee_meta=state.meta),
    awaited=Awaited.REFEREE_REGISTER_RESPONSE,
    expired=RegistrationExpired,
    stale=Rejection(Code.STALE_TIMER, "This is about something that is no longer waited for."),
)


_registering.add_rows(registrar, RefereeStartup)


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
        return _registering.reject(state, event.reason)
    if not event.referee_id:
        return Rejection(Code.IGNORED, "A referee that is accepted is given an id.")
    after = replace(
        accepted(state, event),
        phase=Phase.REGISTERED,
        referee_id=event.referee_id,
        league_id=event.league_id or DEFAULT_LEAGUE,
    )
    return Next(after, Disarm(REGISTER_TIMER))


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
    return _registering.resumed(state)


def wanted(state: State) -> RefereeStartup | None:
    """What a referee wants of its host when its process has started."""
    return RefereeStartup() if _registering.wants_to_start(state) else None
