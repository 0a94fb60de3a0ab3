"""How a match goes on: who is told off, reminded, called or out, and what is to be done when it is over.

The steps that several transitions of the referee have in common. A step gives the next state with its effects.
"""

from msgspec.structs import replace

from turnstile.kernel.chance import Seed
from turnstile.kernel.effects import Disarm, Send
from turnstile.kernel.machine import Next, Rejection
from turnstile.kernel.values import ByPlayer, PlayerId
from turnstile.league.protocol.errors import LeagueErrorName, written
from turnstile.league.protocol.messages import ChooseParityResponse, GameMoveResponse
from turnstile.league.protocol.values import AnnouncedMatch, GameResult, PlayerStandings, StandingsRow
from turnstile.league.protocol.words import (
    GAME_TYPE,
    MAX_RETRIES,
    Awaited,
    DeliveryFailed,
    ErrorName,
    LeagueTimeout,
    MatchId,
    player_address,
)
from turnstile.league.referee.boards import Board, open_board, options_of
from turnstile.league.referee.calls import (
    MANAGER_TIMER,
    NOTIFICATION_TIMER,
    RETRIES_LEFT,
    arm_notification_timer,
    asked_for,
    call_count,
    call_player,
    disarm_players,
    error,
    expiry_of,
    notify,
    report_result,
    result_of_forfeit,
    timer_of,
)
from turnstile.league.referee.state import (
    Code,
    MatchWithdrawn,
    Phase,
    PlayerTimeout,
    Seat,
    State,
    TimeoutPlayerA,
    fresh,
    put,
)

DECLINED = "declined the invitation"
DID_NOT_JOIN = "did not join in time"
DID_NOT_CHOOSE = "did not choose in time"
CHOSE_BADLY = "chose neither even nor odd"
DID_NOT_MOVE = "did not move in time"
MOVED_BADLY = "made no legal move"
NOT_REACHED = f"could not be reached ({written(LeagueErrorName.CONNECTION_ERROR)})"

STALE = Rejection(Code.STALE_TIMER, "This is about a call that is no longer waited for.")
ALREADY_ANSWERED = Rejection(Code.IGNORED, "The first answer counts, and nothing more is expected now.")


def refuse_assignment(match: AnnouncedMatch, seed: Seed) -> Rejection | None:
    """Why this is no match that can be refereed here: first who plays it, then what."""
    players = match.player_a_id, match.player_b_id
    if players[0] == players[1] or not (all(players) and seed):
        return Rejection(Code.INVALID_ASSIGNMENT, "A match has two different players and a seed.")
    board = None if match.game_type == GAME_TYPE else open_board(match.game_type, players, seed)
    return Rejection(Code.INVALID_ASSIGNMENT, board.sentence) if isinstance(board, Rejection) else None


def complain_of_early_choice(state: State, event: ChooseParityResponse | GameMoveResponse) -> Next[State]:
    """A choice or a move that nobody has asked for yet is answered with E004 INVALID_STATE."""
    awaited = expected_of(state, event.player_id)
    wrong = misdirection_error(state, event.player_id, event.match_id, awaited)
    return Next(state, wrong or error(state, event.player_id, ErrorName.INVALID_STATE, awaited))


def expected_of(state: State, player: PlayerId) -> Awaited:
    """What a player is to send next, while others may still have to join."""
    seat = state.seat_of(player)
    if seat is None or seat.is_awaited:
        return Awaited.GAME_JOIN_ACK
    return Awaited.GAME_OVER_ACK if seat.is_out else asked_for(state)


def misdirection_error(state: State, player: PlayerId, match: MatchId, awaited: Awaited) -> Send | None:
    """The error for somebody who is not in the match (E002), or who speaks of another one (E003)."""
    if state.seat_of(player) is None:
        return error(state, player, ErrorName.PLAYER_NOT_FOUND, awaited)
    return error(state, player, ErrorName.MATCH_NOT_FOUND, awaited) if match != state.match_id else None


def known_seat(state: State, player: PlayerId) -> Seat:
    seat = state.seat_of(player)
    assert seat is not None, "whoever has no seat was turned away before"
    return seat


def seat_of_timer(state: State, event: PlayerTimeout) -> Seat:
    return state.seats[0 if isinstance(event, TimeoutPlayerA) else 1]


def is_due(state: State, seat: Seat, event: PlayerTimeout, awaited: Awaited) -> bool:
    """Whether this is the timer of the call that is waited for."""
    return seat.is_awaited and event == expiry_of(state, seat, awaited)


def mark_unreached(state: State, event: DeliveryFailed, awaited: Awaited) -> State | Rejection:
    """A call that is waited for did not arrive."""
    seat = next((seat for seat in state.seats if player_address(seat.player_id) == event.to), None)
    if seat is None or not seat.is_awaited or seat.is_unreached:
        return STALE
    if (event.match_id, event.waiting_for, event.retry_count) != (state.match_id, awaited, call_count(seat)):
        return STALE
    return put(state, replace(seat, is_unreached=True))


def is_from_manager(state: State, event: LeagueTimeout | DeliveryFailed, awaited: Awaited) -> bool:
    """Whether this is about what the league manager is waited for now."""
    return (event.match_id, event.waiting_for, event.retry_count) == (state.match_id, awaited, state.retry_count)


def timeout_error(state: State, seat: Seat, awaited: Awaited) -> list[Send]:
    """E001 for a player that has let its time pass; there is no telling one that could not be reached."""
    if seat.is_unreached:
        return []
    return [error(state, seat.player_id, ErrorName.TIMEOUT_ERROR, awaited, seat.retry_count + 1, RETRIES_LEFT)]


def call_both(state: State, rows: tuple[StandingsRow, ...]) -> Next[State]:
    known = {row.player_id: _standings_in(row) for row in rows}
    standings = ByPlayer({seat.player_id: known.get(seat.player_id, PlayerStandings()) for seat in state.seats})
    state = replace(state, standings=standings)
    state = state if state.is_even_odd else set_up_board(state)
    calls = (effect for seat in state.seats if seat.is_awaited for effect in call_player(state, seat))
    return Next(state, Disarm(MANAGER_TIMER), *calls)


def _standings_in(row: StandingsRow) -> PlayerStandings:
    """What a player is told of its standings. A column that the manager has left out is a zero."""
    return PlayerStandings(wins=row.wins or 0, losses=row.losses or 0, draws=row.draws or 0, points=row.points or 0)


def set_up_board(state: State) -> State:
    """The match of another game is on the board, and whoever has a decision to make is asked for it."""
    given = state.given
    board = open_board(given.match.game_type, tuple(seat.player_id for seat in state.seats), given.seed)
    assert isinstance(board, Board), "what cannot be opened is not assigned"
    first = [bool(options_of(board, seat.player_id)) for seat in state.seats]
    seats = (
        replace(seat, has_answered=not asks, move_number=int(asks))
        for seat, asks in zip(state.seats, first, strict=True)
    )
    return replace(state, board=board, seats=tuple(seats))


def warning(state: State, player: PlayerId, consequence: str, name: ErrorName = ErrorName.INVALID_STATE) -> Send:
    return error(state, player, name, Awaited.GAME_OVER_ACK, consequence=consequence)


def complain_of_choice(state: State, seat: Seat, fault: str = CHOSE_BADLY) -> Next[State]:
    """E004 INVALID_CHOICE; within the retries the player is asked again, and has its 30 seconds anew."""
    name = ErrorName.INVALID_CHOICE
    if seat.has_answered:
        return Next(state, warning(state, seat.player_id, f"your earlier choice counts: {seat.choice}", name))
    if seat.retry_count == MAX_RETRIES:
        out = rule_out(state, seat, fault)
        told = error(state, seat.player_id, name, Awaited.GAME_OVER_ACK, seat.retry_count, "technical loss")
        return Next(out.state, told, Disarm(timer_of(state, seat)), *out.effects)
    again = replace(seat, retry_count=seat.retry_count + 1, is_unreached=False)
    state, awaited = put(state, again), asked_for(state)
    told = error(state, seat.player_id, name, awaited, again.retry_count, RETRIES_LEFT)
    return Next(state, told, *call_player(state, again))


def rule_out(state: State, seat: Seat, fault: str) -> Next[State]:
    """A player's retries are used up. As long as the other may still answer, the match is not over."""
    state = put(state, replace(seat, fault=fault))
    return Next(state) if state.other(seat).is_awaited else end_by_default(state)


def end_by_default(state: State) -> Next[State]:
    return end_match(state, result_of_forfeit(state))


def end_match(state: State, result: GameResult) -> Next[State]:
    """Transition 5. Both players are told how the match ended, and have 10 seconds to acknowledge it."""
    state = replace(fresh(state), phase=Phase.NOTIFYING_PLAYERS, board=None, result=result)
    return Next(state, *disarm_players(), *(notify(state, seat) for seat in state.seats), arm_notification_timer(state))


def notify_again(state: State, event: PlayerTimeout) -> Next[State] | Rejection:
    """Transition 5, error handling. The pause is over, and the player is told once more."""
    seat = seat_of_timer(state, event)
    if not seat.is_unreached or not is_due(state, seat, event, Awaited.GAME_OVER_ACK):
        return STALE
    again = replace(seat, retry_count=seat.retry_count + 1, is_unreached=False)
    return Next(put(state, again), notify(state, again))


def report_once_told(state: State) -> Next[State]:
    return Next(state) if any(seat.is_awaited for seat in state.seats) else begin_report(state)


def begin_report(state: State) -> Next[State]:
    """Transition 6. The result is reported, and the league manager has 10 seconds to acknowledge it."""
    state = replace(fresh(state), phase=Phase.REPORTING_RESULT)
    return Next(state, *disarm_players(), Disarm(NOTIFICATION_TIMER), *report_result(state))


def withdraw(state: State, event: MatchWithdrawn) -> Next[State] | Rejection:
    """Another referee has the match. This one is done with it: it tells nobody, and forgets what it was told."""
    if event.match_id != state.match_id:
        return Rejection(Code.IGNORED, f"This is about {event.match_id}, not {state.match_id}.")
    timers = (*disarm_players(), Disarm(MANAGER_TIMER), Disarm(NOTIFICATION_TIMER))
    return Next(State(phase=Phase.IDLE, referee_id=state.referee_id), *timers)
