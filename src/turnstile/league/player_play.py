"""How a player goes on: what it asks and answers, whom it believes, and what it keeps of a match that is over.

The steps that several transitions of the player have in common.
"""

from msgspec.structs import replace

from turnstile.games.evenodd import POINTS_FOR_A_DRAW, POINTS_FOR_A_WIN, Parity, drawn_number
from turnstile.kernel.chance import draw, verify
from turnstile.kernel.effects import Arm, Disarm, Effect, Send
from turnstile.kernel.machine import Next, Rejection
from turnstile.league.messages import (
    ChooseParityCall,
    ChooseParityResponse,
    FromReferee,
    GameInvitation,
    GameJoinAck,
    GameResult,
    LeagueRegisterRequest,
    RoundAnnouncement,
    RoundAnnouncementAck,
)
from turnstile.league.player_state import (
    MOST_KEPT,
    Code,
    Expected,
    Match,
    Outcome,
    Phase,
    PlayedMatch,
    PlayerStartup,
    PlayerTimeout,
    Question,
    ReadyToJoin,
    Round,
    State,
    Statistics,
)
from turnstile.league.words import (
    BACKOFF_SECONDS,
    CHOICE_SECONDS,
    JOIN_SECONDS,
    LEAGUE_MANAGER,
    MANAGER_SECONDS,
    MAX_RETRIES,
    OWN_MARGIN_SECONDS,
    Awaited,
    DeliveryFailed,
    LeagueId,
    MatchId,
    Status,
)

REGISTER_TIMER = "register"
JOIN_TIMER = "join"
CHOICE_TIMER = "choice"

SUFFIXES = 10_000
FALLBACK = Parity.EVEN

IGNORED = Rejection(Code.IGNORED, "This is about a match that is over, or that this player is not in.")
PENDING = Rejection(Code.PENDING, "The answer to this is on its way.")
STALE = Rejection(Code.STALE_TIMER, "This is about something that is no longer waited for.")
WRONG_LEAGUE = Rejection(Code.WRONG_LEAGUE, "This player plays in another league.")
WRONG_PLAYER = Rejection(Code.WRONG_PLAYER, "This is for another player.")
WRONG_REFEREE = Rejection(Code.WRONG_REFEREE, "Another referee has this match.")


# registration


def requested(state: State) -> Next[State]:
    """The league manager is asked for a place, and has 10 seconds."""
    request = Send(LEAGUE_MANAGER, LeagueRegisterRequest(player_meta=state.meta))
    after = replace(state, phase=Phase.REGISTERING, is_unreached=False)
    return Next(after, request, Arm(REGISTER_TIMER, MANAGER_SECONDS, registration_expiry(after)))


def registration_expiry(state: State) -> PlayerTimeout:
    """The timer of the latest request; every name begins a new count."""
    count = state.names_tried * (MAX_RETRIES + 1) + state.retry_count
    return PlayerTimeout(match_id=None, waiting_for=Awaited.LEAGUE_REGISTER_RESPONSE, retry_count=count)


def failure_of(state: State, call: Send) -> DeliveryFailed | None:
    """For hosts: what to tell a player in this state, when what it has just sent could not be delivered.

    Of replies nothing is told: whoever waits for one asks again.
    """
    if not isinstance(call.message, LeagueRegisterRequest):
        return None
    expiry = registration_expiry(state)
    return DeliveryFailed(
        to=LEAGUE_MANAGER, match_id=None, waiting_for=expiry.waiting_for, retry_count=expiry.retry_count
    )


def resumed(state: State) -> list[Send]:
    """For hosts: the calls that still await an answer, to be made again after a restart. Timers come with the log."""
    is_waiting = state.phase is Phase.REGISTERING and not state.is_unreached
    return [Send(LEAGUE_MANAGER, LeagueRegisterRequest(player_meta=state.meta))] if is_waiting else []


def wanted(state: State) -> PlayerStartup | ReadyToJoin | Question | None:
    """For hosts: what a player now wants of whoever runs it, after any step and after a restart.

    A player with a `failure` has ended its process. If that is started again, it begins anew; so does this.
    """
    match state.phase:
        case Phase.UNREGISTERED if state.names_tried == 0 or state.failure is not None:
            return PlayerStartup()  # otherwise a timer runs, and then it tries its next name
        case Phase.INVITED_TO_MATCH:
            return ReadyToJoin()
        case Phase.CHOOSING_PARITY:
            return _question(state)
        case _:
            return None


def _question(state: State) -> Question:
    match = state.playing
    return Question(
        match_id=match.match_id,
        round_id=match.round_id,
        player_id=state.me,
        opponent_id=match.opponent_id,
        standings=state.standings,
        statistics=state.statistics,
        history=state.history,
    )


def backed_off(state: State) -> Arm:
    """Before the next attempt there is a pause, twice as long each time."""
    return Arm(REGISTER_TIMER, BACKOFF_SECONDS * 2**state.retry_count, registration_expiry(state))


def given_up(state: State, failure: str) -> Next[State]:
    """The player cannot register; whoever runs it exits with this error."""
    return Next(replace(state, phase=Phase.UNREGISTERED, failure=failure), Disarm(REGISTER_TIMER))


def renamed(state: State) -> State:
    """The same player, with another suffix to its name."""
    tried = state.names_tried + 1
    suffix = draw(state.seed, "suffix", tried, SUFFIXES)
    return replace(state, names_tried=tried, meta=replace(state.meta, display_name=f"{state.name}-{suffix:04}"))


# rounds


def refuse_league(state: State, league: LeagueId) -> Rejection | None:
    return None if league == state.league_id else WRONG_LEAGUE


def with_round(state: State, event: RoundAnnouncement) -> State:
    """The round that is played next, as far as it concerns this player."""
    return replace(state, round=Round(round_id=event.round_id, matches=my_matches(state, event)))


def my_matches(state: State, event: RoundAnnouncement) -> tuple[Expected, ...]:
    return tuple(
        Expected(
            match_id=match.match_id,
            opponent_id=match.player_b_id if match.player_a_id == state.me else match.player_a_id,
            referee_endpoint=match.referee_endpoint,
            referee_id=match.referee_id,
        )
        for match in event.matches
        if state.me in (match.player_a_id, match.player_b_id)
    )


def is_to_play(state: State) -> bool:
    """Whether the announced round has a match for this player that it has not played."""
    announced = state.round
    if announced is None:
        return False
    return not all(state.has_played(match.match_id, announced.round_id) for match in announced.matches)


def is_past(state: State, round_id: int) -> bool:
    """Whether a later round has been announced, or played: this one is over, and so are all its matches."""
    is_announced = state.round is not None and round_id < state.round.round_id
    return is_announced or (bool(state.history) and round_id < state.history[-1].round_id)


def given_to_another(state: State, event: RoundAnnouncement) -> State | None:
    """The player without its match, when the round of that is announced again with another referee for it."""
    match = state.playing
    if event.round_id != match.round_id or state.queued is not None:
        return None
    mine = my_matches(state, event)
    if all(expected.is_by(match.referee) for expected in mine if expected.match_id == match.match_id):
        return None
    announced = Round(round_id=event.round_id, matches=mine)
    return replace(state, phase=Phase.WAITING_FOR_ROUND, round=announced, match=None)


def dequeued(state: State) -> State:
    """The round that was announced too early is now the one to be played."""
    queued = state.queued
    state = replace(state, queued=None)
    return state if queued is None or refuse_league(state, queued.league_id) else with_round(state, queued)


def acknowledged_round(state: State, event: RoundAnnouncement) -> Send:
    return Send(LEAGUE_MANAGER, RoundAnnouncementAck(player_id=state.me, round_id=event.round_id))


# a match


def refuse_invitation(state: State, event: GameInvitation) -> Rejection | None:
    """Why this is not the invitation that is expected: first the league, then who, then which match."""
    if refused := refuse_league(state, event.league_id):
        return refused
    if event.player_id not in (None, state.me):
        return WRONG_PLAYER
    if is_past(state, event.round_id) or state.has_played(event.match_id, event.round_id):
        return IGNORED
    matches = state.round.matches if state.round is not None and state.round.round_id == event.round_id else ()
    expected = next((match for match in matches if match.match_id == event.match_id), None)
    if expected is None:
        return None if state.accepts_unannounced else _no_such_match(event.match_id)
    if event.opponent_id != expected.opponent_id:
        return _no_such_match(event.match_id)
    return None if expected.is_by(event.sender) else WRONG_REFEREE


def invited(state: State, event: GameInvitation) -> Next[State]:
    """The match is remembered, and the player's own countdown runs."""
    match = Match(
        match_id=event.match_id,
        round_id=event.round_id,
        opponent_id=event.opponent_id,
        role_in_match=event.role_in_match,
        referee=event.sender,
    )
    after = replace(state, phase=Phase.INVITED_TO_MATCH, match=match)
    return Next(after, Arm(JOIN_TIMER, JOIN_SECONDS - OWN_MARGIN_SECONDS, join_expiry(after)))


def join_expiry(state: State) -> PlayerTimeout:
    return PlayerTimeout(match_id=state.playing.match_id, waiting_for=Awaited.GAME_JOIN_ACK, retry_count=0)


def choice_armed(state: State) -> Arm:
    return Arm(CHOICE_TIMER, CHOICE_SECONDS - OWN_MARGIN_SECONDS, choice_expiry(state))


def choice_expiry(state: State) -> PlayerTimeout:
    return PlayerTimeout(match_id=state.playing.match_id, waiting_for=Awaited.CHOOSE_PARITY_RESPONSE, retry_count=0)


def joined(state: State) -> Send:
    """The answer to the invitation; the same however often it is asked for."""
    ack = GameJoinAck(match_id=state.playing.match_id, player_id=state.me, accept=True)
    return Send(state.playing.referee, ack)


def taking_part(state: State) -> Next[State]:
    after = replace(state, phase=Phase.WAITING_FOR_CHOICE_REQUEST)
    return Next(after, Disarm(JOIN_TIMER), joined(after))


def answered(state: State) -> Send:
    """The answer to the call; the same however often it is asked for."""
    choice = state.playing.my_choice
    assert choice is not None, "the player has chosen"
    response = ChooseParityResponse(match_id=state.playing.match_id, player_id=state.me, parity_choice=choice.value)
    return Send(state.playing.referee, response)


def chosen(state: State, choice: Parity) -> Next[State]:
    match = replace(state.playing, my_choice=choice)
    after = replace(state, phase=Phase.WAITING_FOR_RESULT, match=match)
    return Next(after, Disarm(CHOICE_TIMER), answered(after))


def refuse_match(state: State, event: FromReferee) -> Rejection | None:
    """Why a message of a referee is not about the match that is played."""
    if event.match_id != state.playing.match_id:
        return IGNORED if state.has_played(event.match_id) else _no_such_match(event.match_id)
    return None if event.sender == state.playing.referee else WRONG_REFEREE


def refuse_call(state: State, event: ChooseParityCall) -> Rejection | None:
    return refuse_match(state, event) or (None if event.player_id == state.me else WRONG_PLAYER)


def _no_such_match(match: MatchId) -> Rejection:
    return Rejection(Code.MATCH_NOT_FOUND, f"{match} is not the match that this player is waiting for.")


# the end of a match


def match_timers_stopped() -> list[Effect]:
    return [Disarm(JOIN_TIMER), Disarm(CHOICE_TIMER)]


def over(state: State, result: GameResult | None) -> State:
    """The match is part of the history; a result that is missing or cannot be read counts for nothing."""
    match = state.playing
    played = PlayedMatch(
        match_id=match.match_id,
        round_id=match.round_id,
        opponent_id=match.opponent_id,
        result=None,
        my_choice=match.my_choice,
    )
    if result is not None:
        outcome = _outcome(state, result)
        played = replace(
            played,
            result=outcome,
            is_technical=result.status is Status.TECHNICAL_LOSS,
            opponent_choice=result.choices.get(match.opponent_id),
            is_fair=_is_fair(match, result),
        )
        state = replace(state, statistics=_counted(state.statistics, outcome))
    return dequeued(replace(state, history=(*state.history[1 - MOST_KEPT :], played)))


def _outcome(state: State, result: GameResult) -> Outcome:
    if result.winner_player_id == state.me:
        return Outcome.WIN
    return Outcome.DRAW if result.status is Status.DRAW else Outcome.LOSS


def _counted(before: Statistics, outcome: Outcome) -> Statistics:
    """3 points for a win, 1 for a draw, none for a loss, technical or not."""
    if outcome is Outcome.WIN:
        return replace(before, wins=before.wins + 1, points=before.points + POINTS_FOR_A_WIN)
    if outcome is Outcome.DRAW:
        return replace(before, draws=before.draws + 1, points=before.points + POINTS_FOR_A_DRAW)
    return replace(before, losses=before.losses + 1)


def _is_fair(match: Match, result: GameResult) -> bool | None:
    """Whether the referee kept its word; `None` where it gave none, or nothing was drawn."""
    if match.commitment is None or result.seed is None or result.drawn_number is None:
        return None
    return verify(match.commitment, result.seed) and result.drawn_number == drawn_number(result.seed, 0)
