"""The steps that several transitions of a player have in common: what it asks and answers, and whom it believes."""

from msgspec import Raw
from msgspec.structs import replace

from turnstile.games.evenodd import Parity
from turnstile.kernel.effects import Arm, Disarm, Effect, Send
from turnstile.kernel.machine import Next, Rejection
from turnstile.league.player.record import record_result, record_unheard, take_back_results
from turnstile.league.player.state import (
    ChoiceMade,
    Code,
    Expected,
    MoveMade,
    OwnMatch,
    Phase,
    PlayerStartup,
    PlayerTimeout,
    Question,
    ReadyToJoin,
    Round,
    State,
)
from turnstile.league.protocol.messages import (
    Call,
    ChooseParityCall,
    ChooseParityResponse,
    FromReferee,
    GameInvitation,
    GameJoinAck,
    LeagueRegisterRequest,
    RoundAnnouncement,
    RoundAnnouncementAck,
)
from turnstile.league.protocol.values import ChoiceContext, GameResult
from turnstile.league.protocol.words import (
    CHOICE_SECONDS,
    JOIN_SECONDS,
    LEAGUE_MANAGER,
    OWN_MARGIN_SECONDS,
    Awaited,
    DeliveryFailed,
    LeagueId,
    MatchId,
)
from turnstile.league.registering import Registering
from turnstile.league.trust import opens_match

JOIN_TIMER = "join"
CHOICE_TIMER = "choice"

FALLBACK = Parity.EVEN

IGNORED = Rejection(Code.IGNORED, "This is about a match that is over, or that this player is not in.")
PENDING = Rejection(Code.PENDING, "The answer to this is on its way.")
STALE = Rejection(Code.STALE_TIMER, "This is about something that is no longer waited for.")
WRONG_LEAGUE = Rejection(Code.WRONG_LEAGUE, "This player plays in another league.")
WRONG_PLAYER = Rejection(Code.WRONG_PLAYER, "This is for another player.")
WRONG_REFEREE = Rejection(Code.WRONG_REFEREE, "Another referee has this match.")


# registration


def registration_expiry(state: State) -> PlayerTimeout:
    """The timer of the latest request."""
    return PlayerTimeout(match_id=None, waiting_for=Awaited.LEAGUE_REGISTER_RESPONSE, retry_count=state.attempt)


def registration_failure(state: State) -> DeliveryFailed:
    """The event that says that the latest request was not delivered."""
    awaited = Awaited.LEAGUE_REGISTER_RESPONSE
    return DeliveryFailed(to=LEAGUE_MANAGER, match_id=None, waiting_for=awaited, retry_count=state.attempt)


registering: Registering[State] = Registering(
    unregistered=Phase.UNREGISTERED,
    registering=Phase.REGISTERING,
    message=lambda state: LeagueRegisterRequest(player_meta=state.meta),
    expiry=registration_expiry,
    failure=registration_failure,
    stale=STALE,
)


def resumed(state: State) -> list[Send]:
    """For hosts: the calls that still await an answer, to be made again after a restart. Timers come with the log."""
    return registering.resumed(state)


def wanted(state: State) -> PlayerStartup | ReadyToJoin | Question | None:
    """For hosts: what a player wants of its host now, after any step and after a restart.

    A player with a `failure` has ended its process. When the process is started again, the player registers again.
    """
    match state.phase:
        case Phase.UNREGISTERED if registering.wants_to_start(state):
            return PlayerStartup()
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
        your_standings=match.your_standings,
        deadline=match.deadline,
        move=match.asked,
    )


def decision_event(question: Question, choice: str | Raw) -> ChoiceMade | MoveMade:
    """For hosts: the answer of a strategy to a question, as an event for the player."""
    if question.move is None:
        return ChoiceMade(match_id=question.match_id, parity_choice=str(choice))
    move = choice if isinstance(choice, Raw) else Raw(choice.encode())
    return MoveMade(match_id=question.match_id, move_number=question.move.number, choice=move)


# rounds


def refuse_league(state: State, league: LeagueId) -> Rejection | None:
    return None if state.league_id in (None, league) else WRONG_LEAGUE


def with_round(state: State, event: RoundAnnouncement) -> State:
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
        and match.is_other_than(played.referee, played.reassignments)
    ]


def revision_of(event: RoundAnnouncement) -> int:
    """Which of the announcements of its round this is. Where a manager does not count, all are alike."""
    return event.revision if isinstance(event.revision, int) else 0


def is_anew(state: State, event: RoundAnnouncement) -> bool:
    """Whether the round is known, and this is a later announcement of it."""
    known = state.round
    return known is not None and event.round_id == known.round_id and revision_of(event) > known.revision


def is_outdated(state: State, event: RoundAnnouncement) -> bool:
    """Whether the round is known from a later announcement, and this one was long on its way."""
    known = state.round
    return known is not None and event.round_id == known.round_id and revision_of(event) < known.revision


def my_matches(state: State, event: RoundAnnouncement) -> tuple[Expected, ...]:
    return tuple(
        Expected(
            match_id=match.match_id,
            opponent_id=match.player_b_id if match.player_a_id == state.me else match.player_a_id,
            referee_endpoint=match.referee_endpoint,
            referee_id=match.referee_id,
            key=match.key_of(state.me),
            reassignments=match.times_reassigned,
        )
        for match in event.matches
        if state.me in (match.player_a_id, match.player_b_id)
    )


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


def acknowledge_round(state: State, event: RoundAnnouncement) -> Send:
    return Send(LEAGUE_MANAGER, RoundAnnouncementAck(player_id=state.me, round_id=event.round_id))


# a match


def is_believed(state: State, event: FromReferee, shown: str | None) -> bool:
    """For hosts: whether a message is from the referee of its match, by the token that it shows.

    If the match was announced with a key, the token must be that key. Without a key every sender is believed.
    """
    queued = () if state.queued is None or state.player_id is None else my_matches(state, state.queued)
    known = (*(() if state.round is None else state.round.matches), *queued)
    keys = [match.key for match in known if match.match_id == event.match_id and match.key is not None]
    return opens_match(keys, shown)


def refuse_invitation(state: State, event: GameInvitation) -> Rejection | None:
    """Why this is not the expected invitation: the league is checked first, then the player, then the match."""
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


def begin_match(state: State, event: GameInvitation) -> Next[State]:
    """The match is remembered, and the player's own countdown runs."""
    match = OwnMatch(
        match_id=event.match_id,
        round_id=event.round_id,
        opponent_id=event.opponent_id,
        role_in_match=event.role_in_match,
        referee=event.sender,
        game_type=event.game_type,
    )
    known = state.round
    if known is None or known.round_id != event.round_id:
        known = Round(round_id=event.round_id, matches=())  # it was not announced
    expected = next((each for each in known.matches if each.match_id == event.match_id), None)
    match = match if expected is None else replace(match, reassignments=expected.reassignments)
    after = replace(state, phase=Phase.INVITED_TO_MATCH, match=match, round=known)
    return Next(after, Arm(JOIN_TIMER, JOIN_SECONDS - OWN_MARGIN_SECONDS, join_expiry(after)))


def join_expiry(state: State) -> PlayerTimeout:
    return PlayerTimeout(match_id=state.playing.match_id, waiting_for=Awaited.GAME_JOIN_ACK, retry_count=0)


def ask_strategy(state: State, event: Call, context: ChoiceContext) -> Next[State]:
    """The strategy is asked, with what the call tells, and the player's own countdown runs."""
    match = replace(
        state.playing,
        commitment=state.playing.commitment or context.commitment,
        your_standings=context.your_standings,
        deadline=event.deadline or None,
    )
    after = replace(state, phase=Phase.CHOOSING_PARITY, match=match)
    return Next(after, Arm(CHOICE_TIMER, _countdown(event), choice_expiry(after)))


def _countdown(event: Call) -> float:
    """Seconds in which the strategy has to choose: the countdown ends before the deadline, and before 30 seconds.

    A deadline that was over when it came is by another clock, and says nothing.
    """
    left = event.milliseconds_left or 0
    limit = min(left / 1000, CHOICE_SECONDS) if left > 0 else CHOICE_SECONDS
    return limit - min(OWN_MARGIN_SECONDS, limit / 2)


def choice_expiry(state: State) -> PlayerTimeout:
    match_id, asked = state.playing.match_id, state.playing.asked
    if asked is None:
        return PlayerTimeout(match_id=match_id, waiting_for=Awaited.CHOOSE_PARITY_RESPONSE, retry_count=0)
    return PlayerTimeout(match_id=match_id, waiting_for=Awaited.GAME_MOVE_RESPONSE, retry_count=asked.number)


def join_ack(state: State) -> Send:
    """The answer to the invitation; the same however often it is asked for."""
    ack = GameJoinAck(match_id=state.playing.match_id, player_id=state.me, accept=True)
    return Send(state.playing.referee, ack)


def take_part(state: State) -> Next[State]:
    after = replace(state, phase=Phase.WAITING_FOR_CHOICE_REQUEST)
    return Next(after, Disarm(JOIN_TIMER), join_ack(after))


def choice_response(state: State) -> Send:
    """The answer to the call; the same however often it is asked for."""
    choice = state.playing.my_choice
    assert choice is not None, "the player has chosen"
    response = ChooseParityResponse(match_id=state.playing.match_id, player_id=state.me, parity_choice=choice.value)
    return Send(state.playing.referee, response)


def make_choice(state: State, choice: Parity) -> Next[State]:
    match = replace(state.playing, my_choice=choice)
    after = replace(state, phase=Phase.WAITING_FOR_RESULT, match=match)
    return Next(after, Disarm(CHOICE_TIMER), choice_response(after))


def refuse_match(state: State, event: FromReferee) -> Rejection | None:
    """Why a message of a referee is not about the match that is played."""
    if event.match_id != state.playing.match_id:
        return IGNORED if state.has_played(event.match_id) else _no_such_match(event.match_id)
    return None if event.sender == state.playing.referee else WRONG_REFEREE


def refuse_call(state: State, event: ChooseParityCall) -> Rejection | None:
    """Why a call is none for this player now: another match, another player, or a match of another game."""
    if refused := refuse_match(state, event):
        return refused
    if event.player_id != state.me:
        return WRONG_PLAYER
    return None if state.playing.asked is None else IGNORED


def _no_such_match(match: MatchId) -> Rejection:
    return Rejection(Code.MATCH_NOT_FOUND, f"{match} is not the match that this player is waiting for.")


# the end of a match


def stop_match_timers() -> list[Effect]:
    return [Disarm(JOIN_TIMER), Disarm(CHOICE_TIMER)]


def close_match(state: State, result: GameResult | None) -> State:
    """The match is part of the history. A round that was announced during the match is now the one to be played."""
    after = record_result(state, result)
    if after.queued is None:
        return replace(after, phase=Phase.MATCH_COMPLETE)
    return wait_between_matches(dequeue_round(after))


def close_match_unheard(state: State) -> State:
    """The match is over, and the player was not told how it ended."""
    return dequeue_round(record_unheard(state))
