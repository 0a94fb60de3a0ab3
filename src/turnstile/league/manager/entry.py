"""How agents enter the league and return to it. The answer travels in the exchange of the request.

An agent that registers again with the same name and endpoint gets the same id and token again, at any time, if it
proves that it is the same agent.
"""

from collections.abc import Callable

from turnstile.kernel.effects import Send
from turnstile.kernel.machine import Next
from turnstile.league.manager import calls, register, rounds
from turnstile.league.manager.register import Request
from turnstile.league.manager.state import Phase, State, mark_present, player_id, update_referee
from turnstile.league.protocol.management import RefereeRegisterRequest
from turnstile.league.protocol.messages import LeagueRegisterRequest
from turnstile.league.protocol.words import Address

UNREGISTERED = Address("unregistered")
"""The receiver of a rejection, which has no address of its own."""


def register_player(state: State, event: LeagueRegisterRequest) -> Next[State]:
    """A player gets an id and a token, or the reason why it cannot take part."""
    return _register(state, event, lambda entered, place: Next(entered))


def register_player_again(state: State, event: LeagueRegisterRequest) -> Next[State]:
    """A player that was away gets its place again, and the announcement of the current round."""
    return _register(
        state, event, lambda entered, place: Next(entered, *calls.announcements(entered, [player_id(place + 1)]))
    )


def register_referee(state: State, event: RefereeRegisterRequest) -> Next[State]:
    """A referee gets an id and a token, or the reason why it cannot take part."""
    return _register(state, event, lambda entered, at: Next(_ready(entered, event, at)))


def register_referee_in_round(state: State, event: RefereeRegisterRequest) -> Next[State]:
    """A new referee gets matches in the next round, or when another is lost. One that returns hears of its own."""

    def tell(entered: State, at: int) -> Next[State]:
        ready = _ready(entered, event, at)
        is_told_later = state.phase is Phase.ANNOUNCING_ROUND or not ready.referees[at].load
        return Next(ready) if is_told_later else calls.call_referee(ready, at)

    return _register(state, event, tell)


def register_awaited_referee(state: State, event: RefereeRegisterRequest) -> Next[State]:
    """The round continues with a referee that is new or has returned."""
    return _register(state, event, lambda entered, at: rounds.resume_round(_ready(entered, event, at)))


def register_after_league(state: State, event: Request) -> Next[State]:
    """An agent that was away hears that the league is over."""

    def tell(entered: State, place: int) -> Next[State]:
        ends = (send for send in calls.league_completed(entered) if send.to == register.address_of(event, place))
        return Next(entered, *ends)

    return _register(state, event, tell)


def _register(state: State, request: Request, tell: Callable[[State, int], Next[State]]) -> Next[State]:
    """Answer a request; `tell` says what else happens when the agent at this place has entered."""
    place = register.repeated_place(state, request)
    reason = register.refuse_new(state, request) if place is None else register.refuse_repeat(state, request, place)
    if reason is not None:
        return Next(state, Send(UNREGISTERED, register.reject(request, reason)))
    if place is None:
        place, state = len(register.members(state, request)), register.add_agent(state, request)
    accepted = Send(register.address_of(request, place), register.accept(state, request, place))
    told = tell(state, place)
    return Next(told.state, accepted, *told.effects)


def _ready(state: State, request: RefereeRegisterRequest, at: int) -> State:
    """The league with this referee ready for matches."""
    return update_referee(mark_present(state, at), at, capacity=register.capacity_of(request))
