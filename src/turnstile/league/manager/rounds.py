"""How a round goes on: it begins when all players have heard of it, changes referees, and ends with its last result.

The steps that several transitions of the league manager have in common.
"""

from collections.abc import Collection

from msgspec.structs import replace

from turnstile.kernel.effects import Disarm, Effect, Send
from turnstile.kernel.machine import Next, Rejection
from turnstile.kernel.values import PlayerId
from turnstile.league.manager.calls import (
    ANNOUNCE_TIMER,
    all_told,
    announced,
    asked,
    assignment,
    reassigned,
    unwatched,
    watched,
)
from turnstile.league.manager.results import credited
from turnstile.league.manager.state import (
    AllAreHere,
    Code,
    LeagueMatch,
    MatchOutcome,
    Phase,
    State,
    Tally,
    match_of,
    put,
)
from turnstile.league.protocol.words import RefereeId

UNAWAITED = Rejection(Code.IGNORED, "This acknowledges nothing that is waited for.")


# the beginning


def begun(state: State) -> State:
    """The league has begun; the players of its first round are to be paired."""
    count = len(state.players)
    nothing, order = (Tally(),) * count, tuple(range(count))
    return replace(state, phase=Phase.PAIRING_PLAYERS, round_id=1, tallies=nothing, ladder=order)


def wanted(state: State) -> AllAreHere | None:
    """For hosts: what a manager wants to hear after any step, and after a restart: that its league may begin.

    The last agent may not listen yet when it registers. A host waits for that, as long as it likes.
    """
    return AllAreHere() if state.phase is Phase.ACCEPTING_REGISTRATIONS and state.is_complete else None


# announcing


def heard(state: State, player: PlayerId) -> Next[State] | Rejection:
    """One player less is waited for. When all have heard of the round, it begins."""
    if player not in state.unheard:
        return UNAWAITED
    at = state.unheard.index(player)
    after = replace(state, unheard=state.unheard[:at] + state.unheard[at + 1 :])
    return Next(after) if after.unheard else playing(after)


def playing(state: State) -> Next[State]:
    """Whoever referees in this round is told its matches."""
    after, calls = all_told(replace(state, phase=Phase.PLAYING_ROUND, unheard=()))
    return Next(after, Disarm(ANNOUNCE_TIMER), *calls)


# referees


def called(state: State, at: int) -> Next[State]:
    """A referee from which no result comes is called again."""
    after, calls = asked(state, at)
    return Next(after, *calls)


def given_up(state: State, at: int) -> Next[State]:
    """A referee is gone. Its matches go to others; without any they wait, and all referees are called on."""
    gone = replace(state.referees[at], is_up=False, unanswered=0, periods=0)
    after = replace(state, referees=put(state.referees, at, gone))
    if any(referee.is_up for referee in after.referees):
        return handed_over(after, [gone.referee_id])
    waiting = replace(after, phase=Phase.WAITING_FOR_REFEREE)
    return Next(waiting, *(watched(waiting, referee) for referee in waiting.referees))


def called_on(state: State, at: int) -> Next[State]:
    """One of the referees that are gone is called: it may have been out of reach, and not know that it is missed."""
    referee = state.referees[at]
    return Next(state, assignment(state, referee), watched(state, referee))


def back(state: State, at: int) -> Next[State]:
    """A referee that was thought to be gone is there, and the round goes on."""
    here = replace(state.referees[at], is_up=True, unanswered=0, periods=0)
    return taken_up(replace(state, referees=put(state.referees, at, here)))


def taken_up(state: State) -> Next[State]:
    """The round has waited for a referee. Whoever has come, or is back, is given all of its matches."""
    return handed_over(state, [referee.referee_id for referee in state.referees])


def handed_over(state: State, gone: Collection[RefereeId]) -> Next[State]:
    """The round goes on with other referees. Players hear of it before the referees do; nobody is watched till then."""
    after = replace(reassigned(state, gone), phase=Phase.ANNOUNCING_ROUND)
    return Next(after, *map(unwatched, state.referees), *announced(after, after.unheard))


# results


def booked(state: State, match: LeagueMatch, outcome: MatchOutcome, at: int, reply: Send) -> Next[State]:
    """A result counts. Its referee is there, whatever was thought of it, and is watched on if it has other matches."""
    named = match_of(match.match_id)
    assert named is not None, "a match of ours has an id of ours"
    referee = state.referees[at]
    busy = replace(referee, is_up=True, load=referee.load - 1, unanswered=0, periods=0)
    after = replace(
        credited(state, match, outcome),
        matches=put(state.matches, named[1] - 1, replace(match, outcome=outcome)),
        referees=put(state.referees, at, busy),
        remaining=state.remaining - 1,
    )
    if not after.remaining:
        after = replace(after, phase=Phase.COMPLETING_ROUND, unheard=())
        return Next(after, reply, *map(unwatched, state.referees), Disarm(ANNOUNCE_TIMER))
    if state.phase is Phase.WAITING_FOR_REFEREE:
        taken = taken_up(after)
        return Next(taken.state, reply, *taken.effects)
    if state.phase is Phase.ANNOUNCING_ROUND:
        return Next(after, reply)  # who referees is told what there is to do when the players have heard of it
    watch: Effect = watched(after, busy) if busy.load else unwatched(busy)
    return Next(after, reply, watch)
