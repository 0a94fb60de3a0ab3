"""The referee: one match of the league, from the invitation of its players to the report of its result.

Messages, silences and failures of the network all come in as events; what is to be sent and which timer is to run goes
out as effects. The machine knows no network, no store and no clock. More about it: docs/league.md.
"""

from msgspec.structs import replace

from turnstile.games.evenodd import Parity, drawn_number
from turnstile.kernel.effects import Disarm
from turnstile.kernel.machine import Machine, Next, Rejection
from turnstile.league.protocol.messages import (
    ChooseParityCall,
    ChooseParityResponse,
    GameError,
    GameInvitation,
    GameJoinAck,
    GameMoveCall,
    GameMoveResponse,
    GameOver,
    GameOverAck,
    LeagueQuery,
    LeagueQueryResponse,
    MatchResultAck,
    MatchResultReport,
)
from turnstile.league.protocol.words import (
    LEAGUE_MANAGER,
    MAX_RETRIES,
    RETRY_PAUSE_SECONDS,
    Awaited,
    DeliveryFailed,
    ErrorName,
    RefereeId,
    Registration,
    player_address,
)
from turnstile.league.referee.calls import (
    MANAGER_TIMER,
    arm_player_timer,
    asked_for,
    call_player,
    error,
    invite,
    notification_expiry,
    query_standings,
    report_result,
    result_of_number,
    timer_of,
)
from turnstile.league.referee.moves import move
from turnstile.league.referee.play import (
    ALREADY_ANSWERED,
    DECLINED,
    DID_NOT_CHOOSE,
    DID_NOT_JOIN,
    DID_NOT_MOVE,
    NOT_REACHED,
    STALE,
    begin_report,
    call_both,
    complain_of_choice,
    complain_of_early_choice,
    end_by_default,
    end_match,
    expected_of,
    is_due,
    is_from_manager,
    known_seat,
    mark_unreached,
    misdirection_error,
    notify_again,
    refuse_assignment,
    report_once_told,
    rule_out,
    seat_of_timer,
    timeout_error,
    warning,
    withdraw,
)
from turnstile.league.referee.state import (
    Assignment,
    CleanupComplete,
    Code,
    MatchAssigned,
    MatchWithdrawn,
    Phase,
    PlayerTimeout,
    Seat,
    State,
    TimeoutLeagueManager,
    TimeoutNotification,
    TimeoutPlayerA,
    TimeoutPlayerB,
    fresh,
    put,
)

PLAYER_TIMEOUTS: tuple[type[PlayerTimeout], ...] = (TimeoutPlayerA, TimeoutPlayerB)
RETRY = "retries are left"
WAITS_ON = "retries are left, or the other may answer"
EXHAUSTED = "exhausted"
IN_MATCH = (Phase.WAITING_FOR_PLAYERS, Phase.COLLECTING_CHOICES, Phase.NOTIFYING_PLAYERS, Phase.REPORTING_RESULT)


# start


def new(referee: RefereeId) -> State:
    """A registered referee without a match."""
    return State(phase=Phase.IDLE, referee_id=referee)


referee: Machine[State] = Machine(
    "referee",
    Phase,
    start=Phase.IDLE,
    ends=(Phase.MATCH_COMPLETE,),
    state=State,
    messages=GameInvitation | ChooseParityCall | GameMoveCall | GameOver | GameError | LeagueQuery | MatchResultReport,
    codes=Code,
)


@referee.on(Phase.IDLE, MatchAssigned, to=Phase.WAITING_FOR_PLAYERS)
def assign(state: State, event: MatchAssigned) -> Next[State] | Rejection:
    """Transition 1. Both players are invited, and have 5 seconds each."""
    match = event.match
    if refused := refuse_assignment(match, event.seed):
        return refused
    given = Assignment(league_id=event.league_id, round_id=event.round_id, match=match, seed=event.seed)
    seats = (Seat(player_id=match.player_a_id), Seat(player_id=match.player_b_id))
    waiting = replace(state, phase=Phase.WAITING_FOR_PLAYERS, assignment=given, seats=seats)
    return Next(waiting, *(effect for seat in seats for effect in invite(waiting, seat)))


# waiting for players


@referee.on(
    Phase.WAITING_FOR_PLAYERS,
    GameJoinAck,
    to={
        "one player": Phase.WAITING_FOR_PLAYERS,
        "both_players_arrived": Phase.COLLECTING_CHOICES,
        "declined, or the other is out": Phase.NOTIFYING_PLAYERS,
    },
)
def join(state: State, event: GameJoinAck) -> Next[State] | Rejection:
    """Transitions 2a and 2b. A player has arrived; when both have, the league manager is asked for their standings.

    Whoever declines has the technical loss at once, and so has whoever is out when the other arrives.
    """
    if wrong := misdirection_error(state, event.player_id, event.match_id, expected_of(state, event.player_id)):
        return Next(state, wrong)
    seat = known_seat(state, event.player_id)
    if not seat.is_awaited:
        return ALREADY_ANSWERED
    if not event.accept:
        return end_by_default(put(state, replace(seat, fault=DECLINED)))
    state = put(state, replace(seat, has_answered=True, is_unreached=False))
    if state.other(seat).is_out:
        return end_by_default(state)
    if state.other(seat).is_awaited:
        return Next(state, Disarm(timer_of(state, seat)))
    collecting = replace(fresh(state), phase=Phase.COLLECTING_CHOICES)
    return Next(collecting, Disarm(timer_of(state, seat)), *query_standings(collecting))


def invite_again(state: State, event: PlayerTimeout) -> Next[State] | Rejection:
    """Transitions 2c and 2d. Who has not joined in time is told so and invited again, three times.

    After that it is out: it has the technical loss as soon as the other has joined, or is out as well.
    """
    seat = seat_of_timer(state, event)
    if not is_due(state, seat, event, Awaited.GAME_JOIN_ACK):
        return STALE
    if seat.retry_count == MAX_RETRIES:
        return rule_out(state, seat, NOT_REACHED if seat.is_unreached else DID_NOT_JOIN)
    again = replace(seat, retry_count=seat.retry_count + 1, is_unreached=False)
    state = put(state, again)
    return Next(state, *timeout_error(state, seat, Awaited.GAME_JOIN_ACK), *invite(state, again))


for _expiry in PLAYER_TIMEOUTS:
    referee.on(
        Phase.WAITING_FOR_PLAYERS, _expiry, to={WAITS_ON: Phase.WAITING_FOR_PLAYERS, EXHAUSTED: Phase.NOTIFYING_PLAYERS}
    )(invite_again)


referee.on(Phase.WAITING_FOR_PLAYERS, ChooseParityResponse, to=Phase.WAITING_FOR_PLAYERS)(complain_of_early_choice)
referee.on(Phase.WAITING_FOR_PLAYERS, GameMoveResponse, to=Phase.WAITING_FOR_PLAYERS)(complain_of_early_choice)


@referee.on(Phase.WAITING_FOR_PLAYERS, DeliveryFailed, to=Phase.WAITING_FOR_PLAYERS)
def invitation_failed(state: State, event: DeliveryFailed) -> State | Rejection:
    """Transition 1, error handling. Who cannot be reached is tried again when its 5 seconds are over."""
    return mark_unreached(state, event, Awaited.GAME_JOIN_ACK)


# collecting choices


@referee.on(Phase.COLLECTING_CHOICES, LeagueQueryResponse, to=Phase.COLLECTING_CHOICES)
def call_players(state: State, event: LeagueQueryResponse) -> Next[State] | Rejection:
    """Transition 2b. The standings are known: both players are asked to choose, and have 30 seconds each."""
    return ALREADY_ANSWERED if state.standings is not None else call_both(state, event.standings)


@referee.on(Phase.COLLECTING_CHOICES, TimeoutLeagueManager, to=Phase.COLLECTING_CHOICES)
def call_without_standings(state: State, event: TimeoutLeagueManager) -> Next[State] | Rejection:
    """Transition 2b. The league manager does not answer: both players are asked to choose, with zeros as standings."""
    if state.standings is not None or not is_from_manager(state, event, Awaited.LEAGUE_QUERY_RESPONSE):
        return STALE
    return call_both(state, ())


@referee.on(
    Phase.COLLECTING_CHOICES,
    ChooseParityResponse,
    to={
        "one player": Phase.COLLECTING_CHOICES,
        "both players": Phase.DRAWING_NUMBER,
        "exhausted, or the other is out": Phase.NOTIFYING_PLAYERS,
    },
)
def choose(state: State, event: ChooseParityResponse) -> Next[State] | Rejection:
    """Transitions 3a and 3b. A player has chosen; when both have, the number is drawn.

    The latest choice counts, and who changes it is warned. A choice that is neither even nor odd may be repeated within
    the retries by either player; the specification allows it to the first who answers alone (docs/departures.md).
    """
    awaited = asked_for(state)
    if wrong := misdirection_error(state, event.player_id, event.match_id, awaited):
        return Next(state, wrong)
    if state.standings is None or state.board is not None:
        return Next(state, error(state, event.player_id, ErrorName.INVALID_STATE, awaited))
    seat = known_seat(state, event.player_id)
    if seat.is_out:
        return ALREADY_ANSWERED
    if event.parity_choice not in list(Parity):
        return complain_of_choice(state, seat)
    choice = Parity(event.parity_choice)
    state = put(state, replace(seat, has_answered=True, is_unreached=False, choice=choice))
    if seat.has_answered:
        return Next(state, warning(state, seat.player_id, f"your latest choice counts: {choice}"))
    if state.other(seat).is_out:
        return end_by_default(state)
    phase = Phase.COLLECTING_CHOICES if state.other(seat).is_awaited else Phase.DRAWING_NUMBER
    return Next(replace(state, phase=phase), Disarm(timer_of(state, seat)))


referee.on(
    Phase.COLLECTING_CHOICES,
    GameMoveResponse,
    to={"the match goes on": Phase.COLLECTING_CHOICES, "it is over": Phase.NOTIFYING_PLAYERS},
)(move)


def call_again(state: State, event: PlayerTimeout) -> Next[State] | Rejection:
    """Transitions 3c and 3d. Who has not chosen in time is told so and asked again, three times.

    After that it is out: it has the technical loss as soon as the other has chosen, or is out as well.
    """
    seat, late = seat_of_timer(state, event), DID_NOT_CHOOSE if state.is_even_odd else DID_NOT_MOVE
    if state.standings is None or not is_due(state, seat, event, asked_for(state)):
        return STALE
    if seat.retry_count == MAX_RETRIES:
        return rule_out(state, seat, NOT_REACHED if seat.is_unreached else late)
    again = replace(seat, retry_count=seat.retry_count + 1, is_unreached=False)
    state = put(state, again)
    return Next(state, *timeout_error(state, seat, asked_for(state)), *call_player(state, again))


for _expiry in PLAYER_TIMEOUTS:
    referee.on(
        Phase.COLLECTING_CHOICES, _expiry, to={WAITS_ON: Phase.COLLECTING_CHOICES, EXHAUSTED: Phase.NOTIFYING_PLAYERS}
    )(call_again)


@referee.on(Phase.COLLECTING_CHOICES, DeliveryFailed, to=Phase.COLLECTING_CHOICES)
def call_failed(state: State, event: DeliveryFailed) -> Next[State] | State | Rejection:
    """A player who cannot be reached is tried again when its 30 seconds are over; the league manager is not."""
    if state.standings is not None:
        return mark_unreached(state, event, asked_for(state))
    if event.to != LEAGUE_MANAGER or not is_from_manager(state, event, Awaited.LEAGUE_QUERY_RESPONSE):
        return STALE
    return call_both(state, ())


# drawing the number


@referee.auto(Phase.DRAWING_NUMBER, to={"number_drawn": Phase.NOTIFYING_PLAYERS})
def draw_number(state: State) -> Next[State]:
    """Transition 4. The number comes from the seed that both players were shown a commitment to."""
    return end_match(state, result_of_number(state, drawn_number(state.given.seed, 0)))


# notifying players


@referee.on(
    Phase.NOTIFYING_PLAYERS,
    GameOverAck,
    to={"one player": Phase.NOTIFYING_PLAYERS, "players_notified": Phase.REPORTING_RESULT},
)
def acknowledge(state: State, event: GameOverAck) -> Next[State] | Rejection:
    """Transition 5. A player knows how the match ended; when both do, the result is reported."""
    seat = state.seat_of(event.player_id)
    if seat is None or event.match_id != state.match_id or not seat.is_awaited:
        return Rejection(Code.IGNORED, "This acknowledges nothing that is waited for.")
    return report_once_told(put(state, replace(seat, has_answered=True, is_unreached=False)))


@referee.on(Phase.NOTIFYING_PLAYERS, TimeoutNotification, to={"players_notified": Phase.REPORTING_RESULT})
def go_on_unacknowledged(state: State, event: TimeoutNotification) -> Next[State] | Rejection:
    """Transition 5. After 10 seconds the result is reported, whoever has not acknowledged it."""
    return begin_report(state) if event == notification_expiry(state) else STALE


@referee.on(
    Phase.NOTIFYING_PLAYERS,
    DeliveryFailed,
    to={RETRY: Phase.NOTIFYING_PLAYERS, "players_notified": Phase.REPORTING_RESULT},
)
def notification_failed(state: State, event: DeliveryFailed) -> Next[State] | Rejection:
    """Transition 5, error handling. Who cannot be reached is tried again after a pause, three times."""
    after = mark_unreached(state, event, Awaited.GAME_OVER_ACK)
    if isinstance(after, Rejection):
        return after
    seat = next(seat for seat in after.seats if player_address(seat.player_id) == event.to)
    if seat.retry_count == MAX_RETRIES:
        return report_once_told(put(after, replace(seat, fault=NOT_REACHED)))
    return Next(after, arm_player_timer(after, seat, Awaited.GAME_OVER_ACK, RETRY_PAUSE_SECONDS))


for _expiry in PLAYER_TIMEOUTS:
    referee.on(Phase.NOTIFYING_PLAYERS, _expiry, to=Phase.NOTIFYING_PLAYERS)(notify_again)


# reporting the result


@referee.on(Phase.REPORTING_RESULT, MatchResultAck, to=Phase.MATCH_COMPLETE)
def accept_acknowledgement(state: State, event: MatchResultAck) -> Next[State] | Rejection:
    """Transition 7. The league manager has the result; the host keeps the match, then says so."""
    if event.match_id != state.match_id:
        return Rejection(Code.IGNORED, f"This is about {event.match_id}, not {state.match_id}.")
    if event.status != Registration.ACCEPTED:
        return Rejection(Code.IGNORED, "The result was not accepted; it will be reported again.")
    return Next(replace(state, phase=Phase.MATCH_COMPLETE, is_reported=True), Disarm(MANAGER_TIMER))


@referee.on(
    Phase.REPORTING_RESULT,
    TimeoutLeagueManager,
    to={RETRY: Phase.REPORTING_RESULT, EXHAUSTED: Phase.MATCH_COMPLETE},
)
def report_again(state: State, event: TimeoutLeagueManager) -> Next[State] | State | Rejection:
    """Transition 6, error handling. The result is reported again, three times; then the match is over anyway."""
    if not is_from_manager(state, event, Awaited.MATCH_RESULT_ACK):
        return STALE
    if state.retry_count == MAX_RETRIES:
        return replace(state, phase=Phase.MATCH_COMPLETE)
    again = replace(state, retry_count=state.retry_count + 1)
    return Next(again, *report_result(again))


# afterwards


@referee.on(Phase.MATCH_COMPLETE, CleanupComplete, to=Phase.IDLE)
def clean_up(state: State, event: CleanupComplete) -> State:
    """Transition 8. The match is kept, and the referee is free for the next."""
    return new(state.referee_id)


for _phase in IN_MATCH:
    referee.on(_phase, MatchWithdrawn, to=Phase.IDLE)(withdraw)


# what is ignored, and why

IGNORED = {
    Phase.IDLE: "There is no match.",
    Phase.WAITING_FOR_PLAYERS: "The referee waits for the players of its match to join.",
    Phase.COLLECTING_CHOICES: "Both players have joined; the referee waits for their choices.",
    Phase.NOTIFYING_PLAYERS: "The match is over; its players are being told.",
    Phase.REPORTING_RESULT: "The match is over; its result is being reported.",
    Phase.MATCH_COMPLETE: "The match is over and reported.",
}
for _phase, _why in IGNORED.items():
    referee.close([_phase], Rejection(Code.IGNORED, _why))
