"""What a referee says: invitations, calls, errors, results and reports, and the timers that run with them."""

from typing import TypedDict

from msgspec import UNSET
from msgspec.structs import asdict, replace

from turnstile.games.evenodd import POINTS_FOR_A_DRAW, POINTS_FOR_A_WIN, judge, parity_of
from turnstile.kernel.chance import commit
from turnstile.kernel.effects import Arm, Disarm, Effect, Send
from turnstile.kernel.game import Outcome
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import ByPlayer, PlayerId
from turnstile.league.protocol.messages import (
    ChooseParityCall,
    FromReferee,
    GameError,
    GameInvitation,
    GameMoveCall,
    GameOver,
    LeagueQuery,
    MatchResultReport,
)
from turnstile.league.protocol.values import (
    ChoiceContext,
    GameResult,
    MoveContext,
    MoveRequest,
    PlayerStandings,
    QueryParams,
    ReportDetails,
    ReportedResult,
    RetryInfo,
)
from turnstile.league.protocol.words import (
    CHOICE_SECONDS,
    ERROR_CODES,
    JOIN_SECONDS,
    LEAGUE_MANAGER,
    MANAGER_SECONDS,
    MAX_RETRIES,
    MOST_MOVES,
    Address,
    Awaited,
    DeliveryFailed,
    ErrorName,
    LeagueId,
    LeagueTimeout,
    MatchId,
    Role,
    Status,
    player_address,
)
from turnstile.league.referee.boards import Board, game_of, kind_of, options_of, view_of
from turnstile.league.referee.state import (
    Code,
    Phase,
    PlayerTimeout,
    Seat,
    State,
    TimeoutLeagueManager,
    TimeoutNotification,
    TimeoutPlayerA,
    TimeoutPlayerB,
    put,
)

PLAYER_TIMERS = ("player_A", "player_B")
MANAGER_TIMER = "league_manager"
NOTIFICATION_TIMER = "notification"

RETRIES_LEFT = "technical loss when the retries are used up"
NOTHING_LOST = "none"

STALE = Rejection(Code.STALE_TIMER, "This is about a call that is no longer waited for.")


# to a player


def call_players(state: State) -> list[Effect]:
    """Every player from whom an answer may still come is called. One that was not reached is called by its timer."""
    awaited = (seat for seat in state.seats if seat.is_awaited and not seat.is_unreached)
    return [effect for seat in awaited for effect in call_player(state, seat)]


def call_player(state: State, seat: Seat) -> list[Effect]:
    """A player is invited and has 5 seconds, or is asked for its choice or its move and has 30 seconds.

    Or it is told how the match ended: for this, both players have one timer.
    """
    awaited, to = awaited_of(state), player_address(seat.player_id)
    assert awaited is not None, f"a referee in {state.phase} waits for its players"
    failed = DeliveryFailed(to=to, match_id=state.match_id, waiting_for=awaited, retry_count=call_count(seat))
    call = Send(to, _message_to(state, seat, awaited), on_failure=failed)
    if awaited is Awaited.GAME_OVER_ACK:
        return [call]
    seconds = JOIN_SECONDS if awaited is Awaited.GAME_JOIN_ACK else CHOICE_SECONDS
    return [call, arm_player_timer(state, seat, awaited, seconds)]


def awaited_of(state: State) -> Awaited | None:
    """What the referee awaits from its players now."""
    match state.phase:
        case Phase.WAITING_FOR_PLAYERS:
            return Awaited.GAME_JOIN_ACK
        case Phase.COLLECTING_CHOICES if state.standings is not None:
            return asked_for(state)
        case Phase.NOTIFYING_PLAYERS:
            return Awaited.GAME_OVER_ACK
        case _:
            return None


def asked_for(state: State) -> Awaited:
    """What the players of this match are asked for, as soon as both have joined."""
    return Awaited.CHOOSE_PARITY_RESPONSE if state.is_even_odd else Awaited.GAME_MOVE_RESPONSE


class _Heading(TypedDict):
    """What all calls to players have in common."""

    sender: Address
    league_id: LeagueId
    round_id: int
    match_id: MatchId
    game_type: str


def _message_to(state: State, seat: Seat, awaited: Awaited) -> FromReferee:
    given, player, opponent = state.given, seat.player_id, state.other(seat).player_id
    heading = _Heading(
        sender=state.address,
        league_id=given.league_id,
        round_id=given.round_id,
        match_id=state.match_id,
        game_type=given.match.game_type,
    )
    if awaited is Awaited.GAME_JOIN_ACK:
        role = list(Role)[_place(state, seat)]
        return GameInvitation(**heading, role_in_match=role, opponent_id=opponent, player_id=player)
    if awaited is Awaited.GAME_OVER_ACK:
        return GameOver(**heading, game_result=state.result)
    context = ChoiceContext(
        opponent_id=opponent,
        round_id=given.round_id,
        your_standings=(state.standings or ByPlayer()).get(player, PlayerStandings()),
        commitment=commit(given.seed),
    )
    if state.board is None:
        return ChooseParityCall(**heading, player_id=player, context=context)
    request = _move_request(state.board, player, context)
    return GameMoveCall(**heading, player_id=player, move_number=seat.move_number, move_request=request)


def _move_request(board: Board, player: PlayerId, context: ChoiceContext) -> MoveRequest:
    """A player is shown what it may see of the match and do in it, and nothing else."""
    return MoveRequest(
        move_type=kind_of(board, player),
        valid_options=options_of(board, player),
        context=MoveContext(view=view_of(board, player), **asdict(context)),
    )


def error(
    state: State,
    player: PlayerId,
    name: ErrorName,
    required: Awaited,
    retry_count: int = 0,
    consequence: str = NOTHING_LOST,
) -> Send:
    """A player is told what is wrong, and what is expected of it. An error that does not arrive is not missed."""
    told = GameError(
        sender=state.address,
        match_id=state.match_id,
        error_code=ERROR_CODES[name],
        error_name=name,
        error_description=name.value,
        affected_player=player,
        action_required=required,
        retry_count=retry_count,
        max_retries=MAX_RETRIES,
        retry_info=RetryInfo(retry_count=retry_count, max_retries=MAX_RETRIES),
        consequence=consequence,
        retryable=name is ErrorName.TIMEOUT_ERROR,
    )
    return Send(player_address(player), told)


# to the league manager


def query_standings(state: State) -> list[Effect]:
    """The league manager is asked for the standings of both players, and has 10 seconds.

    It is shown the commitment as well, before a player chooses: so it can check afterwards that the seed is the same.
    """
    both = tuple(seat.player_id for seat in state.seats)
    params = QueryParams(player_ids=both, match_id=state.match_id, commitment=commit(state.given.seed))
    query = LeagueQuery(league_id=state.given.league_id, query_params=params)
    awaited = Awaited.LEAGUE_QUERY_RESPONSE
    failed = DeliveryFailed(to=LEAGUE_MANAGER, match_id=state.match_id, waiting_for=awaited, retry_count=0)
    return [Send(LEAGUE_MANAGER, query, on_failure=failed), _arm_manager_timer(state, awaited)]


def report_of(state: State) -> Send:
    """The league manager is told how the match ended. A report that does not arrive is repeated by its timer."""
    given, result = state.given, state.result
    assert result is not None, "only what is over is reported"
    details = ReportDetails(
        drawn_number=result.drawn_number,
        choices=result.choices,
        status=result.status,
        scores=result.scores,
        seed=result.seed or UNSET,
        reassignments=given.match.times_reassigned,
    )
    report = MatchResultReport(
        league_id=given.league_id,
        round_id=given.round_id,
        match_id=state.match_id,
        game_type=given.match.game_type,
        result=ReportedResult(winner=result.winner_player_id, score=score_of(result), details=details),
    )
    return Send(LEAGUE_MANAGER, report)


def report_result(state: State) -> list[Effect]:
    """The league manager is told how the match ended, and has 10 seconds to acknowledge it."""
    return [report_of(state), _arm_manager_timer(state, Awaited.MATCH_RESULT_ACK)]


def _arm_manager_timer(state: State, awaited: Awaited) -> Arm:
    expiry = TimeoutLeagueManager(match_id=state.match_id, waiting_for=awaited, retry_count=state.retry_count)
    return Arm(MANAGER_TIMER, MANAGER_SECONDS, expiry)


# timers


def timer_of(state: State, seat: Seat) -> str:
    return PLAYER_TIMERS[_place(state, seat)]


def expiry_of(state: State, seat: Seat, awaited: Awaited) -> PlayerTimeout:
    """What happens when the timer of a player's present call runs out."""
    kind = (TimeoutPlayerA, TimeoutPlayerB)[_place(state, seat)]
    return kind(match_id=state.match_id, waiting_for=awaited, retry_count=call_count(seat))


def call_count(seat: Seat) -> int:
    """How timers and failures tell one call to a player from another: every move begins a new count."""
    return seat.move_number * (MAX_RETRIES + 1) + seat.retry_count


def arm_player_timer(state: State, seat: Seat, awaited: Awaited, seconds: float) -> Arm:
    return Arm(timer_of(state, seat), seconds, expiry_of(state, seat, awaited))


def notification_expiry(state: State) -> TimeoutNotification:
    return TimeoutNotification(match_id=state.match_id, waiting_for=Awaited.GAME_OVER_ACK, retry_count=0)


def disarm_players() -> list[Effect]:
    return [Disarm(timer) for timer in PLAYER_TIMERS]


def _place(state: State, seat: Seat) -> int:
    return 0 if seat.player_id == state.seats[0].player_id else 1


def seat_of_timer(state: State, event: PlayerTimeout) -> Seat:
    return state.seats[0 if isinstance(event, TimeoutPlayerA) else 1]


def is_due(state: State, seat: Seat, event: PlayerTimeout) -> bool:
    """Whether this is the timer of the call that is waited for."""
    awaited = awaited_of(state)
    return awaited is not None and seat.is_awaited and event == expiry_of(state, seat, awaited)


def is_from_manager(state: State, event: LeagueTimeout | DeliveryFailed, awaited: Awaited) -> bool:
    """Whether this is about what the league manager is waited for now."""
    return (event.match_id, event.waiting_for, event.retry_count) == (state.match_id, awaited, state.retry_count)


def mark_unreached(state: State, event: DeliveryFailed) -> State | Rejection:
    """Transition 1, error handling. A player that cannot be reached is called again when its time is over."""
    seat = next((seat for seat in state.seats if player_address(seat.player_id) == event.to), None)
    if seat is None or not seat.is_awaited or seat.is_unreached:
        return STALE
    if (event.match_id, event.waiting_for, event.retry_count) != (state.match_id, awaited_of(state), call_count(seat)):
        return STALE
    return put(state, replace(seat, is_unreached=True))


# after a restart


def resumed(state: State) -> list[Send]:
    """For hosts: the calls that still await an answer, to be made again after a restart. Timers come with the log.

    Players and the manager recognize a repeated call.
    """
    effects: list[Effect] = []
    if awaited_of(state) is not None:
        effects = call_players(state)
    elif state.phase is Phase.COLLECTING_CHOICES:
        effects = query_standings(state)
    elif state.phase is Phase.REPORTING_RESULT:
        effects = report_result(state)
    return [effect for effect in effects if isinstance(effect, Send)]


# results


def result_of_number(state: State, number: int) -> GameResult:
    """What a number means for the choices of both players."""
    (one, other), parity = state.seats, parity_of(number)
    assert one.choice is not None
    assert other.choice is not None
    judged = judge(one.choice, other.choice, number)
    winner = None if judged.winning_seat is None else state.seats[judged.winning_seat].player_id
    who = f"only {winner}" if winner is not None else "both" if one.choice is parity else "nobody"
    result = _result(state, Status(judged.status.value), winner, f"{number} is {parity}; {who} chose {parity}")
    return replace(result, drawn_number=number, number_parity=parity)


def result_of_outcome(state: State, board: Board, outcome: Outcome) -> GameResult:
    """What the end of a game means for the league."""
    winner = sole_winner(outcome)
    status, how = (Status.DRAW, "it is a draw") if winner is None else (Status.WIN, f"{winner} wins")
    scores = ", ".join(f"{seat.player_id} {outcome.scores[seat.player_id]}" for seat in state.seats)
    reason = f"{game_of(board).title}: {how} ({scores})"
    return replace(_result(state, status, winner, reason, board), scores=outcome.scores)


def sole_winner(outcome: Outcome) -> PlayerId | None:
    """The winner, if there is only one; otherwise the match is a draw."""
    return outcome.winners[0] if len(outcome.winners) == 1 else None


def result_of_broken_off(state: State, board: Board) -> GameResult:
    """A match that does not come to an end is a draw, without scores."""
    reason = f"{game_of(board).title}: not over after {MOST_MOVES} moves of a player, and so a draw"
    return _result(state, Status.DRAW, None, reason, board)


def result_of_forfeit(state: State) -> GameResult:
    """A player that is out has the technical loss. The other wins by default; if both are out, neither wins."""
    winner = next((seat.player_id for seat in state.seats if not seat.is_out), None)
    reason = "; ".join(f"{seat.player_id} {seat.fault}" for seat in state.seats if seat.is_out)
    return _result(state, Status.TECHNICAL_LOSS, winner, reason, state.board)


def _result(
    state: State, status: Status, winner: PlayerId | None, reason: str, board: Board | None = None
) -> GameResult:
    """A result without a number, with the moves on the board if they can be told."""
    return GameResult(
        status=status,
        winner_player_id=winner,
        drawn_number=None,
        number_parity=None,
        choices=ByPlayer({seat.player_id: seat.choice for seat in state.seats}),
        reason=reason,
        seed=state.given.seed,
        moves=UNSET if board is None or board.moves is None else board.moves,
    )


def score_of(result: GameResult) -> ByPlayer[int]:
    """3 points for the winner and 0 for the other; 1 each for a draw; 0 each where both have a technical loss."""
    without = POINTS_FOR_A_DRAW if result.status is Status.DRAW else 0
    return ByPlayer(
        {player: POINTS_FOR_A_WIN if player == result.winner_player_id else without for player in result.choices}
    )
