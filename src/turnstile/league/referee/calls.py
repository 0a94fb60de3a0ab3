"""What a referee says: invitations, calls, errors, results and reports, and the timers that run with them."""

from msgspec import UNSET, Raw, UnsetType
from msgspec.structs import asdict, replace

from turnstile.games.evenodd import POINTS_FOR_A_DRAW, POINTS_FOR_A_WIN, Parity, judge, parity_of
from turnstile.kernel.chance import commit
from turnstile.kernel.effects import Arm, Disarm, Effect, Send
from turnstile.kernel.game import Outcome
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
    NOTIFICATION_SECONDS,
    Awaited,
    DeliveryFailed,
    ErrorName,
    Role,
    Status,
    player_address,
)
from turnstile.league.referee.boards import Board, game_of, kind_of, options_of, view_of
from turnstile.league.referee.state import (
    Phase,
    PlayerTimeout,
    Seat,
    State,
    TimeoutLeagueManager,
    TimeoutNotification,
    TimeoutPlayerA,
    TimeoutPlayerB,
)

PLAYER_TIMERS = ("player_A", "player_B")
MANAGER_TIMER = "league_manager"
NOTIFICATION_TIMER = "notification"

RETRIES_LEFT = "technical loss when the retries are used up"
NOTHING_LOST = "none"


# to a player


def invite(state: State, seat: Seat) -> list[Effect]:
    """A player is called to the match, and has 5 seconds."""
    given = state.given
    invitation = GameInvitation(
        sender=state.address,
        league_id=given.league_id,
        round_id=given.round_id,
        match_id=state.match_id,
        game_type=given.match.game_type,
        role_in_match=list(Role)[_place(state, seat)],
        opponent_id=state.other(seat).player_id,
        player_id=seat.player_id,
    )
    awaited = Awaited.GAME_JOIN_ACK
    return [_to_player(state, seat, invitation, awaited), arm_player_timer(state, seat, awaited, JOIN_SECONDS)]


def call_player(state: State, seat: Seat) -> list[Effect]:
    """A player is asked to choose, or to move, and has 30 seconds."""
    call = _parity_call(state, seat) if state.board is None else _move_call(state, seat, state.board)
    awaited = asked_for(state)
    return [_to_player(state, seat, call, awaited), arm_player_timer(state, seat, awaited, CHOICE_SECONDS)]


def asked_for(state: State) -> Awaited:
    """What the players of this match are asked for, as soon as both have joined."""
    return Awaited.CHOOSE_PARITY_RESPONSE if state.is_even_odd else Awaited.GAME_MOVE_RESPONSE


def _parity_call(state: State, seat: Seat) -> ChooseParityCall:
    given = state.given
    return ChooseParityCall(
        sender=state.address,
        league_id=given.league_id,
        round_id=given.round_id,
        match_id=state.match_id,
        player_id=seat.player_id,
        game_type=given.match.game_type,
        context=_context(state, seat),
    )


def _context(state: State, seat: Seat) -> ChoiceContext:
    """A player is told its standings and shown a commitment to the seed."""
    return ChoiceContext(
        opponent_id=state.other(seat).player_id,
        round_id=state.given.round_id,
        your_standings=(state.standings or ByPlayer()).get(seat.player_id, PlayerStandings()),
        commitment=commit(state.given.seed),
    )


def _move_call(state: State, seat: Seat, board: Board) -> GameMoveCall:
    """A player is shown what it may see of the match and do in it, and nothing else."""
    given, player = state.given, seat.player_id
    request = MoveRequest(
        move_type=kind_of(board, player),
        valid_options=options_of(board, player),
        context=MoveContext(view=view_of(board, player), **asdict(_context(state, seat))),
    )
    return GameMoveCall(
        sender=state.address,
        league_id=given.league_id,
        round_id=given.round_id,
        match_id=state.match_id,
        player_id=player,
        game_type=given.match.game_type,
        move_number=seat.move_number,
        move_request=request,
    )


def notify(state: State, seat: Seat) -> Send:
    """A player is told how the match ended."""
    given = state.given
    over = GameOver(
        sender=state.address,
        league_id=given.league_id,
        round_id=given.round_id,
        match_id=state.match_id,
        game_type=given.match.game_type,
        game_result=state.result,
    )
    return _to_player(state, seat, over, Awaited.GAME_OVER_ACK)


def _to_player(state: State, seat: Seat, message: FromReferee, awaited: Awaited) -> Send:
    """A call to a player, with the event that says that the player could not be reached."""
    to = player_address(seat.player_id)
    failed = DeliveryFailed(to=to, match_id=state.match_id, waiting_for=awaited, retry_count=call_count(seat))
    return Send(to, message, on_failure=failed)


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
    expiry = TimeoutLeagueManager(match_id=state.match_id, waiting_for=awaited, retry_count=0)
    failed = DeliveryFailed(to=LEAGUE_MANAGER, match_id=state.match_id, waiting_for=awaited, retry_count=0)
    return [Send(LEAGUE_MANAGER, query, on_failure=failed), Arm(MANAGER_TIMER, MANAGER_SECONDS, expiry)]


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
    expiry = TimeoutLeagueManager(
        match_id=state.match_id, waiting_for=Awaited.MATCH_RESULT_ACK, retry_count=state.retry_count
    )
    return [report_of(state), Arm(MANAGER_TIMER, MANAGER_SECONDS, expiry)]


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


def arm_notification_timer(state: State) -> Arm:
    return Arm(NOTIFICATION_TIMER, NOTIFICATION_SECONDS, notification_expiry(state))


def disarm_players() -> list[Effect]:
    return [Disarm(timer) for timer in PLAYER_TIMERS]


def _place(state: State, seat: Seat) -> int:
    return 0 if seat.player_id == state.seats[0].player_id else 1


def resumed(state: State) -> list[Send]:
    """For hosts: the calls that still await an answer, to be made again after a restart. Timers come with the log.

    A player that could not be reached is called again by its timer. Players and the manager recognize a repeated call.
    """
    match state.phase:
        case Phase.WAITING_FOR_PLAYERS:
            effects = [effect for seat in _awaited_seats(state) for effect in invite(state, seat)]
        case Phase.COLLECTING_CHOICES if state.standings is None:
            effects = query_standings(state)
        case Phase.COLLECTING_CHOICES:
            effects = [effect for seat in _awaited_seats(state) for effect in call_player(state, seat)]
        case Phase.NOTIFYING_PLAYERS:
            effects = [notify(state, seat) for seat in _awaited_seats(state)]
        case Phase.REPORTING_RESULT:
            effects = report_result(state)
        case _:
            effects = []
    return [effect for effect in effects if isinstance(effect, Send)]


def _awaited_seats(state: State) -> list[Seat]:
    """The players from whom an answer to the latest call may still come."""
    return [seat for seat in state.seats if seat.is_awaited and not seat.is_unreached]


# results


def result_of_number(state: State, number: int) -> GameResult:
    """What a number means for the choices of both players."""
    (one, other), parity = state.seats, parity_of(number)
    assert one.choice is not None
    assert other.choice is not None
    judged = judge(one.choice, other.choice, number)
    if judged.winning_seat is None:
        who = "both" if one.choice is parity else "nobody"
    else:
        who = f"only {state.seats[judged.winning_seat].player_id}"
    return GameResult(
        status=Status(judged.status.value),
        winner_player_id=None if judged.winning_seat is None else state.seats[judged.winning_seat].player_id,
        drawn_number=number,
        number_parity=parity,
        choices=_choices(state),
        reason=f"{number} is {parity}; {who} chose {parity}",
        seed=state.given.seed,
    )


def result_of_outcome(state: State, board: Board, outcome: Outcome) -> GameResult:
    """What the end of a game means for the league."""
    winner = sole_winner(outcome)
    scores = ", ".join(f"{seat.player_id} {outcome.scores[seat.player_id]}" for seat in state.seats)
    how = "it is a draw" if winner is None else f"{winner} wins"
    return replace(
        result_of_broken_off(state, board),
        status=Status.DRAW if winner is None else Status.WIN,
        winner_player_id=winner,
        reason=f"{game_of(board).title}: {how} ({scores})",
        scores=outcome.scores,
    )


def sole_winner(outcome: Outcome) -> PlayerId | None:
    """The winner, if there is only one; otherwise the match is a draw."""
    return outcome.winners[0] if len(outcome.winners) == 1 else None


def result_of_broken_off(state: State, board: Board) -> GameResult:
    """A match that does not come to an end is a draw, without scores."""
    return GameResult(
        status=Status.DRAW,
        winner_player_id=None,
        drawn_number=None,
        number_parity=None,
        choices=_choices(state),
        reason=f"{game_of(board).title}: not over after {MOST_MOVES} moves of a player, and so a draw",
        seed=state.given.seed,
        moves=_moves(board),
    )


def result_of_forfeit(state: State) -> GameResult:
    """A player that is out has the technical loss. The other wins by default; if both are out, neither wins."""
    left = [seat.player_id for seat in state.seats if not seat.is_out]
    return GameResult(
        status=Status.TECHNICAL_LOSS,
        winner_player_id=left[0] if left else None,
        drawn_number=None,
        number_parity=None,
        choices=_choices(state),
        reason="; ".join(f"{seat.player_id} {seat.fault}" for seat in state.seats if seat.is_out),
        seed=state.given.seed,
        moves=UNSET if state.board is None else _moves(state.board),
    )


def _moves(board: Board) -> tuple[Raw, ...] | UnsetType:
    return UNSET if board.moves is None else board.moves


def score_of(result: GameResult) -> ByPlayer[int]:
    """3 points for the winner and 0 for the other; 1 each for a draw; 0 each where both have a technical loss."""
    without = POINTS_FOR_A_DRAW if result.status is Status.DRAW else 0
    return ByPlayer(
        {player: POINTS_FOR_A_WIN if player == result.winner_player_id else without for player in result.choices}
    )


def _choices(state: State) -> ByPlayer[Parity | None]:
    return ByPlayer({seat.player_id: seat.choice for seat in state.seats})
