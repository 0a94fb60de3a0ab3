"""How a player hears of rounds: early, late, during a match, and again, when a referee was lost.

Of all that is announced of a round the latest counts, in whatever order it arrives: announcements have a `revision`,
which a manager raises when matches are given to other referees. Where it does not, the one that came last counts, and
what is over stays over.
"""

from msgspec.structs import replace

from turnstile.kernel.machine import Next, Rejection
from turnstile.league.player.play import (
    acknowledge_round,
    is_anew,
    is_outdated,
    is_past,
    is_to_play,
    my_matches,
    refuse_league,
    revision_of,
    stop_match_timers,
    wait_between_matches,
    with_round,
)
from turnstile.league.player.state import Phase, State
from turnstile.league.protocol.messages import RoundAnnouncement


def queue_until_registered(state: State, event: RoundAnnouncement) -> State:
    """A round that is announced too early is kept until the player knows who it is."""
    return _queue(state, event)


def hear_of_round(state: State, event: RoundAnnouncement) -> Next[State] | Rejection:
    """Transition 3. The player learns which matches it has in the round; in some rounds it has none.

    A match that was over, but is given to another referee, is to be played once more.
    """
    if refused := refuse_league(state, event.league_id):
        return refused
    ack = acknowledge_round(state, event)
    if is_past(state, event.round_id) or is_outdated(state, event):
        return Next(state, ack)
    is_repeat = state.round is not None and state.round.round_id == event.round_id
    after = with_round(state, event)
    is_done = is_repeat and state.phase is Phase.MATCH_COMPLETE and not is_to_play(after)
    return Next(after if is_done else wait_between_matches(after), ack)


def hear_of_round_in_match(state: State, event: RoundAnnouncement) -> Next[State] | Rejection:
    """A round that is announced during a match is kept until the match is over.

    When the round of the match is announced again, and now with another referee for it, that one begins it anew.
    """
    if refused := refuse_league(state, event.league_id):
        return refused
    ack = acknowledge_round(state, event)
    if event.round_id > state.playing.round_id:
        return Next(_queue(state, event), ack)
    if event.round_id < state.playing.round_id or state.queued is not None or is_outdated(state, event):
        return Next(state, ack)
    if is_given_to_another(state, event):
        without = replace(state, phase=Phase.WAITING_FOR_ROUND, match=None)
        return Next(with_round(without, event), *stop_match_timers(), ack)
    return Next(with_round(state, event) if is_anew(state, event) else state, ack)


def is_given_to_another(state: State, event: RoundAnnouncement) -> bool:
    """Whether the match that is played has another referee now, or has had another meanwhile."""
    match = state.playing
    return any(
        expected.match_id == match.match_id and expected.is_other_than(match.referee, match.reassignments)
        for expected in my_matches(state, event)
    )


def _queue(state: State, event: RoundAnnouncement) -> State:
    """The later of two announcements waits; of two that are alike the one that came last."""
    waiting = state.queued
    if waiting is not None and waiting.league_id == event.league_id:
        event = max(event, waiting, key=lambda each: (each.round_id, revision_of(each)))
    return replace(state, queued=event)
