"""How a match ends: its result is found, its players are told, and the league manager gets the report.

The handlers of the referee from the end of a match on. The table of their rows is in `machine.py`.
"""

from msgspec.structs import replace

from turnstile.games.evenodd import drawn_number
from turnstile.kernel.effects import Arm, Disarm
from turnstile.kernel.machine import Next, Rejection
from turnstile.league.protocol.errors import LeagueErrorName, written
from turnstile.league.protocol.messages import GameOverAck, MatchResultAck
from turnstile.league.protocol.values import GameResult
from turnstile.league.protocol.words import (
    MAX_RETRIES,
    NOTIFICATION_SECONDS,
    RETRY_PAUSE_SECONDS,
    Awaited,
    DeliveryFailed,
    MatchId,
    Registration,
    player_address,
)
from turnstile.league.referee import calls
from turnstile.league.referee.state import (
    CleanupComplete,
    Code,
    MatchWithdrawn,
    Phase,
    PlayerTimeout,
    State,
    TimeoutLeagueManager,
    TimeoutNotification,
    fresh,
    put,
)

NOT_REACHED = f"could not be reached ({written(LeagueErrorName.CONNECTION_ERROR)})"


# the result


def draw_number(state: State) -> Next[State]:
    """Transition 4. The number comes from the seed that both players were shown a commitment to."""
    return end_match(state, calls.result_of_number(state, drawn_number(state.given.seed, 0)))


def end_by_default(state: State) -> Next[State]:
    return end_match(state, calls.result_of_forfeit(state))


def end_match(state: State, result: GameResult) -> Next[State]:
    """Transition 5. Both players are told how the match ended, and have 10 seconds to acknowledge it."""
    state = replace(fresh(state), phase=Phase.NOTIFYING_PLAYERS, board=None, result=result)
    timer = Arm(calls.NOTIFICATION_TIMER, NOTIFICATION_SECONDS, calls.notification_expiry(state))
    return Next(state, *calls.disarm_players(), *calls.call_players(state), timer)


# telling the players


def acknowledge(state: State, event: GameOverAck) -> Next[State] | Rejection:
    """Transition 5. A player knows how the match ended; when both do, the result is reported."""
    seat = state.seat_of(event.player_id)
    if seat is None or event.match_id != state.match_id or not seat.is_awaited:
        return Rejection(Code.IGNORED, "This acknowledges nothing that is waited for.")
    return report_once_told(put(state, replace(seat, has_answered=True, is_unreached=False)))


def go_on_unacknowledged(state: State, event: TimeoutNotification) -> Next[State] | Rejection:
    """Transition 5. After 10 seconds the result is reported, even if a player has not acknowledged it."""
    return begin_report(state) if event == calls.notification_expiry(state) else calls.STALE


def notification_failed(state: State, event: DeliveryFailed) -> Next[State] | Rejection:
    """Transition 5, error handling. A player that cannot be reached is tried again after a pause, three times."""
    after = calls.mark_unreached(state, event)
    if isinstance(after, Rejection):
        return after
    seat = next(seat for seat in after.seats if player_address(seat.player_id) == event.to)
    if seat.retry_count == MAX_RETRIES:
        return report_once_told(put(after, replace(seat, fault=NOT_REACHED)))
    return Next(after, calls.arm_player_timer(after, seat, Awaited.GAME_OVER_ACK, RETRY_PAUSE_SECONDS))


def notify_again(state: State, event: PlayerTimeout) -> Next[State] | Rejection:
    """Transition 5, error handling. The pause is over, and the player is told once more."""
    seat = calls.seat_of_timer(state, event)
    if not seat.is_unreached or not calls.is_due(state, seat, event):
        return calls.STALE
    again = replace(seat, retry_count=seat.retry_count + 1, is_unreached=False)
    return Next(put(state, again), *calls.call_player(state, again))


# the report


def report_once_told(state: State) -> Next[State]:
    return Next(state) if any(seat.is_awaited for seat in state.seats) else begin_report(state)


def begin_report(state: State) -> Next[State]:
    """Transition 6. The result is reported, and the league manager has 10 seconds to acknowledge it."""
    state = replace(fresh(state), phase=Phase.REPORTING_RESULT)
    return Next(state, *calls.disarm_players(), Disarm(calls.NOTIFICATION_TIMER), *calls.report_result(state))


def accept_acknowledgement(state: State, event: MatchResultAck) -> Next[State] | Rejection:
    """Transition 7. The league manager has the result; the host keeps the match, then says so."""
    if refused := _refuse_other_match(state, event.match_id):
        return refused
    if event.status != Registration.ACCEPTED:
        return Rejection(Code.IGNORED, "The result was not accepted; it will be reported again.")
    return Next(replace(state, phase=Phase.MATCH_COMPLETE, is_reported=True), Disarm(calls.MANAGER_TIMER))


def report_again(state: State, event: TimeoutLeagueManager) -> Next[State] | State | Rejection:
    """Transition 6, error handling. The result is reported again, three times; then the match is over anyway."""
    if not calls.is_from_manager(state, event, Awaited.MATCH_RESULT_ACK):
        return calls.STALE
    if state.retry_count == MAX_RETRIES:
        return replace(state, phase=Phase.MATCH_COMPLETE)
    again = replace(state, retry_count=state.retry_count + 1)
    return Next(again, *calls.report_result(again))


# afterwards


def clean_up(state: State, event: CleanupComplete) -> State:
    """Transition 8. The match is kept, and the referee is free for the next."""
    return State(phase=Phase.IDLE, referee_id=state.referee_id)


def withdraw(state: State, event: MatchWithdrawn) -> Next[State] | Rejection:
    """Another referee has the match. This one is done with it: it tells no player, and forgets what it was told."""
    if refused := _refuse_other_match(state, event.match_id):
        return refused
    timers = (*calls.disarm_players(), Disarm(calls.MANAGER_TIMER), Disarm(calls.NOTIFICATION_TIMER))
    return Next(State(phase=Phase.IDLE, referee_id=state.referee_id), *timers)


def _refuse_other_match(state: State, match: MatchId) -> Rejection | None:
    return None if match == state.match_id else Rejection(Code.IGNORED, f"This is about {match}, not {state.match_id}.")
