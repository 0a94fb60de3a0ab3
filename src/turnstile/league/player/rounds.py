"""How a match, a round and the league end for a player.

The specification lets a round and the league end for a player that waits for them. They also end for one that has
missed how its match ended, or it would wait for ever (docs/departures.md).
"""

from msgspec.structs import replace

from turnstile.kernel.effects import Send
from turnstile.kernel.machine import Next, Rejection
from turnstile.league.player.play import (
    IGNORED,
    close_match,
    close_match_unheard,
    refuse_league,
    refuse_match,
    stop_match_timers,
    wait_between_matches,
)
from turnstile.league.player.state import IN_MATCH, Phase, State
from turnstile.league.protocol.messages import (
    GameOver,
    GameOverAck,
    LeagueCompleted,
    LeagueCompletedAck,
    LeagueStandingsUpdate,
    RoundCompleted,
    RoundCompletedAck,
    StandingsUpdateAck,
)
from turnstile.league.protocol.words import LEAGUE_MANAGER


def end_match(state: State, event: GameOver) -> Next[State] | Rejection:
    """Transition 8. The match is over, early or not; the player counts it, keeps it and acknowledges it."""
    if refused := refuse_match(state, event):
        return refused
    after = close_match(state, event.game_result)
    return Next(after, *stop_match_timers(), _acknowledge(state, event))


def end_match_again(state: State, event: GameOver) -> Next[State] | Rejection:
    """The first result counts; a repeated one is acknowledged again."""
    return Next(state, _acknowledge(state, event)) if state.has_played(event.match_id) else IGNORED


def _acknowledge(state: State, event: GameOver) -> Send:
    return Send(event.sender, GameOverAck(player_id=state.me, match_id=event.match_id))


def hear_of_standings(state: State, event: LeagueStandingsUpdate) -> Next[State] | Rejection:
    """Transition 9b. The player learns the standings."""
    if refused := refuse_league(state, event.league_id):
        return refused
    ack = StandingsUpdateAck(player_id=state.me, round_id=event.round_id)
    return Next(replace(state, standings=event.standings), Send(LEAGUE_MANAGER, ack))


def end_round(state: State, event: RoundCompleted) -> Next[State] | Rejection:
    """Transition 9b. The round is over. The player waits for the next one, or plays in the one that was queued."""
    if refused := refuse_league(state, event.league_id):
        return refused
    ack = Send(LEAGUE_MANAGER, RoundCompletedAck(player_id=state.me, round_id=event.round_id))
    if _goes_on(state, event):
        return Next(state, ack)
    after = close_match_unheard(state) if state.phase in IN_MATCH else state
    known = after.round
    if known is not None and known.round_id <= event.round_id:
        known = replace(known, matches=())
    after = wait_between_matches(replace(after, round=known))
    return Next(after, *(stop_match_timers() if state.phase in IN_MATCH else ()), ack)


def _goes_on(state: State, event: RoundCompleted) -> bool:
    """Whether the player is already in a later round."""
    present = state.round
    return present is not None and event.round_id < present.round_id


def end_league(state: State, event: LeagueCompleted) -> Next[State] | Rejection:
    """Transition 10. The league is over."""
    if refused := refuse_league(state, event.league_id):
        return refused
    after = close_match_unheard(state) if state.phase in IN_MATCH else state
    after = replace(after, phase=Phase.LEAGUE_COMPLETE, standings=event.final_standings)
    ack = Send(LEAGUE_MANAGER, LeagueCompletedAck(player_id=state.me))
    return Next(after, *(stop_match_timers() if state.phase in IN_MATCH else ()), ack)
