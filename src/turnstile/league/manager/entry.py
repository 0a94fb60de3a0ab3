"""How agents enter the league, and come back to it. Each step answers in the exchange of the request.

Who asks again under the same name and the same endpoint is given the same id and token again, at any time, if it shows
that it is the same.
"""

from msgspec.structs import replace

from turnstile.kernel.effects import Effect, Send
from turnstile.kernel.machine import Deferred, Next
from turnstile.league.manager.calls import announced_to, league_completed
from turnstile.league.manager.register import (
    REGISTRATION_CLOSED,
    capacity_of,
    player_accepted,
    player_rejected,
    referee_accepted,
    referee_rejected,
    refuse_player,
    refuse_referee,
    refuse_repeat,
    repeated_player,
    repeated_referee,
    with_player,
    with_referee,
)
from turnstile.league.manager.rounds import called, taken_up
from turnstile.league.manager.state import Phase, State, player_id, put
from turnstile.league.protocol.management import RefereeRegisterRequest, RefereeRegisterResponse
from turnstile.league.protocol.messages import LeagueRegisterRequest, LeagueRegisterResponse
from turnstile.league.protocol.words import Address, player_address

UNREGISTERED = Address("unregistered")
"""Whoever has asked for a place in vain. It has no address; the answer goes back in its exchange."""


# players


def register_player(state: State, event: LeagueRegisterRequest) -> Next[State]:
    """A player is given an id and a token, or told why it cannot take part. Who asks again is given the same again."""
    place = repeated_player(state, event.player_meta)
    if place is not None:
        return _refused_player(state, place, event) or _player_in(state, place)
    if reason := refuse_player(state, event.player_meta):
        return _turned_away(state, player_rejected(reason))
    return _player_in(with_player(state, event.player_meta), len(state.players))


def register_player_again(state: State, event: LeagueRegisterRequest) -> Next[State]:
    """A player that has been away is given its place again, and hears of the round, or of the end, once more."""
    place = repeated_player(state, event.player_meta)
    if place is None:
        return _turned_away(state, player_rejected(REGISTRATION_CLOSED))
    if refused := _refused_player(state, place, event):
        return refused
    player = player_id(place + 1)
    if state.phase is Phase.LEAGUE_COMPLETE:
        return _player_in(state, place, *_completed_for(state, player_address(player)))
    return _player_in(state, place, announced_to(state, player))


def _refused_player(state: State, place: int, event: LeagueRegisterRequest) -> Next[State] | None:
    reason = refuse_repeat(state, state.players[place], event, player_address(player_id(place + 1)))
    return None if reason is None else _turned_away(state, player_rejected(reason))


# referees


def register_referee(state: State, event: RefereeRegisterRequest) -> Next[State]:
    """A referee is given an id and a token, or told why it cannot take part."""
    entered = _entered(state, event)
    if isinstance(entered, str):
        return _turned_away(state, referee_rejected(entered))
    after, at = entered
    return _referee_in(after, at)


def register_referee_in_round(state: State, event: RefereeRegisterRequest) -> Next[State]:
    """A new referee will have matches in the next round, or when another is gone. One that is back is told its own."""
    entered = _entered(state, event)
    if isinstance(entered, str):
        return _turned_away(state, referee_rejected(entered))
    after, at = entered
    if state.phase is Phase.ANNOUNCING_ROUND or not after.referees[at].load:
        return _referee_in(after, at)
    call = called(after, at)
    return _referee_in(call.state, at, *call.effects)


def register_awaited_referee(state: State, event: RefereeRegisterRequest) -> Next[State]:
    """The round goes on, with the referee that has come, or come back."""
    entered = _entered(state, event)
    if isinstance(entered, str):
        return _turned_away(state, referee_rejected(entered))
    after, at = entered
    taken = taken_up(after)
    return _referee_in(taken.state, at, *taken.effects)


def register_referee_again(state: State, event: RefereeRegisterRequest) -> Next[State]:
    """A referee that has been away hears that the league is over."""
    at = repeated_referee(state, event.referee_meta)
    if at is None:
        return _turned_away(state, referee_rejected(REGISTRATION_CLOSED))
    if reason := refuse_repeat(state, state.referees[at], event, state.referees[at].address):
        return _turned_away(state, referee_rejected(reason))
    return _referee_in(state, at, *_completed_for(state, state.referees[at].address))


def _entered(state: State, event: RefereeRegisterRequest) -> tuple[State, int] | str:
    """The league with this referee in it, ready for matches, and its place; or why it cannot take part."""
    at = repeated_referee(state, event.referee_meta)
    if at is not None:
        if reason := refuse_repeat(state, state.referees[at], event, state.referees[at].address):
            return reason
        capacity = capacity_of(event.referee_meta)
        back = replace(state.referees[at], is_up=True, unanswered=0, periods=0, capacity=capacity)
        return replace(state, referees=put(state.referees, at, back)), at
    if reason := refuse_referee(state, event.referee_meta):
        return reason
    return with_referee(state, event.referee_meta), len(state.referees)


# answers


def _turned_away(state: State, rejected: LeagueRegisterResponse | RefereeRegisterResponse) -> Next[State]:
    return Next(state, Send(UNREGISTERED, rejected))


def _player_in(state: State, place: int, *more: Effect | Deferred) -> Next[State]:
    return Next(state, Send(player_address(player_id(place + 1)), player_accepted(state, place)), *more)


def _referee_in(state: State, at: int, *more: Effect | Deferred) -> Next[State]:
    return Next(state, Send(state.referees[at].address, referee_accepted(state, at)), *more)


def _completed_for(state: State, agent: Address) -> list[Send]:
    return [send for send in league_completed(state) if send.to == agent]
