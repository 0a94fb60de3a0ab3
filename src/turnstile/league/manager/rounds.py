"""The course of a round: it begins after the announcement, may change referees, and ends with its last result.

These steps are shared by several transitions of the league manager.
"""

from collections.abc import Collection

from msgspec.structs import replace

from turnstile.kernel.effects import Disarm, Effect, Send
from turnstile.kernel.machine import Deferred, Next, Rejection
from turnstile.kernel.values import PlayerId
from turnstile.league.manager import calls
from turnstile.league.manager.calls import ANNOUNCE_TIMER
from turnstile.league.manager.results import credit, put_match
from turnstile.league.manager.state import (
    AllAreHere,
    Code,
    LeagueMatch,
    MatchOutcome,
    Phase,
    State,
    mark_present,
    update_referee,
)
from turnstile.league.protocol.values import Tally
from turnstile.league.protocol.words import RefereeId

UNAWAITED = Rejection(Code.IGNORED, "The manager does not wait for this acknowledgement.")


# the beginning


def begin_league(state: State) -> State:
    """The league with empty tallies, before the pairing of its first round."""
    count = len(state.players)
    nothing, order = (Tally(),) * count, tuple(range(count))
    return replace(state, phase=Phase.PAIRING_PLAYERS, round_id=1, tallies=nothing, ladder=order)


def wanted(state: State) -> AllAreHere | None:
    """For hosts: the event that a manager wants after any step and after a restart, when its league may begin.

    The last agent may register before it listens. The host waits for that as long as it likes.
    """
    return AllAreHere() if state.phase is Phase.ACCEPTING_REGISTRATIONS and state.is_complete else None


# announcing


def note_heard(state: State, player: PlayerId) -> Next[State] | Rejection:
    """The manager no longer waits for this player. The round begins when it waits for none."""
    if player not in state.unheard:
        return UNAWAITED
    after = replace(state, unheard=tuple(each for each in state.unheard if each != player))
    return Next(after) if after.unheard else begin_round(after)


def begin_round(state: State) -> Next[State]:
    """Tell every referee that has matches which they are."""
    state = replace(state, phase=Phase.PLAYING_ROUND, unheard=())
    effects: list[Effect | Deferred] = [Disarm(ANNOUNCE_TIMER)]
    for at in [at for at, referee in enumerate(state.referees) if referee.load]:
        assigned = calls.assign_matches(state, at)
        state = assigned.state
        effects += assigned.effects
    return Next(state, *effects)


# referees


def give_up(state: State, at: int) -> Next[State]:
    """A referee is lost. Others take over its matches; if none is left, the round waits and all referees are called."""
    after = update_referee(state, at, is_up=False, unanswered=0, periods=0)
    if any(referee.is_up for referee in after.referees):
        return hand_over(after, [state.referees[at].referee_id])
    waiting = replace(after, phase=Phase.WAITING_FOR_REFEREE)
    return Next(waiting, *(calls.watch_referee(waiting, referee) for referee in waiting.referees))


def resume_round(state: State) -> Next[State]:
    """The round has waited for a referee. The referees that are up now take over all its matches."""
    return hand_over(state, [referee.referee_id for referee in state.referees])


def hand_over(state: State, gone: Collection[RefereeId]) -> Next[State]:
    """Other referees take over. The players hear of it first; until then no referee is watched."""
    after = replace(calls.reassign(state, gone), phase=Phase.ANNOUNCING_ROUND)
    return Next(after, *map(calls.unwatch_referee, state.referees), *calls.announce(after))


# results


def book(state: State, match: LeagueMatch, outcome: MatchOutcome, at: int, reply: Send) -> Next[State]:
    """Book a result. Its referee is up, even if it was given up, and is watched further if it has other matches."""
    after = put_match(credit(state, match, outcome), replace(match, outcome=outcome))
    after = update_referee(mark_present(after, at), at, load=state.referees[at].load - 1)
    after = replace(after, remaining=state.remaining - 1)
    if not after.remaining:
        after = replace(after, phase=Phase.COMPLETING_ROUND, unheard=())
        return Next(after, reply, *map(calls.unwatch_referee, state.referees), Disarm(ANNOUNCE_TIMER))
    if state.phase is Phase.WAITING_FOR_REFEREE:
        resumed = resume_round(after)
        return Next(resumed.state, reply, *resumed.effects)
    if state.phase is Phase.ANNOUNCING_ROUND:
        return Next(after, reply)  # referees are watched once the players have heard of the round
    referee = after.referees[at]
    return Next(after, reply, calls.watch_referee(after, referee) if referee.load else calls.unwatch_referee(referee))
