"""How a player hears of rounds, and how a match, a round and the league end for it.

Of all that is announced of a round the latest counts, in whatever order it arrives: announcements have a `revision`,
which a manager raises when matches are given to other referees. Where it does not, the one that came last counts, and
what is over stays over.

The specification lets a round and the league end for a player that waits for them. They also end for one that has
missed how its match ended, or it would wait for ever (docs/departures.md).
"""

from msgspec.structs import replace

from turnstile.kernel.effects import Disarm, Effect, Send
from turnstile.kernel.machine import Next, Rejection
from turnstile.league.player.record import record_unheard, take_back_results
from turnstile.league.player.state import IN_MATCH, Code, Phase, Round, State
from turnstile.league.protocol import messages
from turnstile.league.protocol.values import AnnouncedMatch
from turnstile.league.protocol.words import LEAGUE_MANAGER, Address, LeagueId, MatchId, referee_address

JOIN_TIMER = "join"
CHOICE_TIMER = "choice"

WRONG_LEAGUE = Rejection(Code.WRONG_LEAGUE, "This player plays in another league.")

# announcements


def queue_round(state: State, event: messages.RoundAnnouncement) -> State:
    """A round that is announced too early is kept. The later of two waits; of two alike, the one that came last."""
    waiting = state.queued
    if waiting is not None and waiting.league_id == event.league_id:
        event = max(event, waiting, key=lambda each: (each.round_id, revision_of(each)))
    return replace(state, queued=event)


def hear_of_round(state: State, event: messages.RoundAnnouncement) -> Next[State] | Rejection:
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


def hear_of_round_in_match(state: State, event: messages.RoundAnnouncement) -> Next[State] | Rejection:
    """A round that is announced during a match is kept until the match is over.

    When the round of the match is announced again, and now with another referee for it, that one begins it anew.
    """
    if refused := refuse_league(state, event.league_id):
        return refused
    ack = acknowledge_round(state, event)
    if event.round_id > state.playing.round_id:
        return Next(queue_round(state, event), ack)
    if event.round_id < state.playing.round_id or state.queued is not None or is_outdated(state, event):
        return Next(state, ack)
    if is_given_to_another(state, event):
        without = replace(state, phase=Phase.WAITING_FOR_ROUND, match=None)
        return Next(with_round(without, event), *stop_match_timers(), ack)
    return Next(with_round(state, event) if is_anew(state, event) else state, ack)


def is_given_to_another(state: State, event: messages.RoundAnnouncement) -> bool:
    """Whether the match that is played has another referee now, or has had another meanwhile."""
    match = state.playing
    return any(
        expected.match_id == match.match_id and is_other_than(expected, match.referee, match.reassignments)
        for expected in my_matches(state, event)
    )


# the round that is played


def refuse_league(state: State, league: LeagueId) -> Rejection | None:
    return None if state.league_id in (None, league) else WRONG_LEAGUE


def acknowledge_round(state: State, event: messages.RoundAnnouncement) -> Send:
    return Send(LEAGUE_MANAGER, messages.RoundAnnouncementAck(player_id=state.me, round_id=event.round_id))


def with_round(state: State, event: messages.RoundAnnouncement) -> State:
    """The round that is played next, as far as it concerns this player.

    When it is announced anew, the results of those referees that have been replaced are void.
    """
    announced = Round(round_id=event.round_id, matches=my_matches(state, event), revision=revision_of(event))
    void = _void_matches(state, announced) if is_anew(state, event) else ()
    return replace(take_back_results(state, void) if void else state, round=announced)


def _void_matches(state: State, announced: Round) -> list[MatchId]:
    """The matches of a round that are over, but have been given to another referee since, or away and back."""
    ended = {played.match_id: played for played in state.history if played.round_id == announced.round_id}
    return [
        match.match_id
        for match in announced.matches
        if (played := ended.get(match.match_id)) is not None
        and played.referee is not None
        and is_other_than(match, played.referee, played.reassignments)
    ]


def revision_of(event: messages.RoundAnnouncement) -> int:
    """Which of the announcements of its round this is. Where a manager does not count, all are alike."""
    return event.revision if isinstance(event.revision, int) else 0


def is_anew(state: State, event: messages.RoundAnnouncement) -> bool:
    """Whether the round is known, and this is a later announcement of it."""
    known = state.round
    return known is not None and event.round_id == known.round_id and revision_of(event) > known.revision


def is_outdated(state: State, event: messages.RoundAnnouncement) -> bool:
    """Whether the round is known from a later announcement, and this one was long on its way."""
    known = state.round
    return known is not None and event.round_id == known.round_id and revision_of(event) < known.revision


def my_matches(state: State, event: messages.RoundAnnouncement) -> tuple[AnnouncedMatch, ...]:
    return tuple(match for match in event.matches if state.me in (match.player_a_id, match.player_b_id))


def is_other_than(match: AnnouncedMatch, referee: Address, reassignments: int) -> bool:
    """Whether this is not the match that was begun by that referee: another has it, or has had it meanwhile."""
    return not is_led_by(match, referee) or match.times_reassigned > reassignments


def is_led_by(match: AnnouncedMatch, referee: Address) -> bool:
    """Whether this is the announced referee, as far as the announcement names one."""
    return match.referee_id is None or referee == referee_address(match.referee_id)


def is_to_play(state: State) -> bool:
    """Whether the announced round has a match for this player that it has not played."""
    announced = state.round
    return announced is not None and not all(
        state.has_played(match.match_id, announced.round_id) for match in announced.matches
    )


def is_past(state: State, round_id: int) -> bool:
    """Whether the player knows of a later round: this one is over, and so are all its matches."""
    return state.round is not None and round_id < state.round.round_id


def dequeue_round(state: State) -> State:
    """The round that was announced too early is now the one to be played."""
    queued = state.queued
    return state if queued is None else with_round(replace(state, queued=None), queued)


def wait_between_matches(state: State) -> State:
    """Transition 3. A player with a match due waits for its invitation; one without is registered."""
    return replace(state, phase=Phase.WAITING_FOR_ROUND if is_to_play(state) else Phase.REGISTERED)


# the end of a round and of the league


def hear_of_standings(state: State, event: messages.LeagueStandingsUpdate) -> Next[State] | Rejection:
    """Transition 9b. The player learns the standings."""
    if refused := refuse_league(state, event.league_id):
        return refused
    ack = messages.StandingsUpdateAck(player_id=state.me, round_id=event.round_id)
    return Next(replace(state, standings=event.standings), Send(LEAGUE_MANAGER, ack))


def end_round(state: State, event: messages.RoundCompleted) -> Next[State] | Rejection:
    """Transition 9b. The round is over. The player waits for the next one, or plays in the one that was queued."""
    if refused := refuse_league(state, event.league_id):
        return refused
    ack = Send(LEAGUE_MANAGER, messages.RoundCompletedAck(player_id=state.me, round_id=event.round_id))
    if is_past(state, event.round_id):
        return Next(state, ack)
    left = leave_match(state)
    known = left.state.round
    if known is not None and known.round_id <= event.round_id:
        known = replace(known, matches=())
    return Next(wait_between_matches(replace(left.state, round=known)), *left.effects, ack)


def end_league(state: State, event: messages.LeagueCompleted) -> Next[State] | Rejection:
    """Transition 10. The league is over."""
    if refused := refuse_league(state, event.league_id):
        return refused
    left = leave_match(state)
    after = replace(left.state, phase=Phase.LEAGUE_COMPLETE, standings=event.final_standings)
    return Next(after, *left.effects, Send(LEAGUE_MANAGER, messages.LeagueCompletedAck(player_id=state.me)))


def leave_match(state: State) -> Next[State]:
    """The match that is played is over, and the player was not told how it ended. Between two matches, nothing ends."""
    if state.phase not in IN_MATCH:
        return Next(state)
    return Next(dequeue_round(record_unheard(state)), *stop_match_timers())


def stop_match_timers() -> list[Effect]:
    return [Disarm(JOIN_TIMER), Disarm(CHOICE_TIMER)]
