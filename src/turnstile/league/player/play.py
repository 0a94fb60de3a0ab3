"""How a player goes on: what it asks and answers, and whom it believes.

The steps that several transitions of the player have in common.
"""

from msgspec import Raw
from msgspec.structs import replace

from turnstile.games.evenodd import Parity
from turnstile.kernel.effects import Arm, Disarm, Effect, Send
from turnstile.kernel.machine import Next, Rejection
from turnstile.league.player.record import recorded, recorded_unheard, taken_back
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
    GameResult,
    LeagueRegisterRequest,
    RoundAnnouncement,
    RoundAnnouncementAck,
)
from turnstile.league.protocol.questions import ChoiceContext
from turnstile.league.protocol.words import (
    CHOICE_SECONDS,
    JOIN_SECONDS,
    LEAGUE_MANAGER,
    MANAGER_SECONDS,
    OWN_MARGIN_SECONDS,
    Awaited,
    DeliveryFailed,
    LeagueId,
    MatchId,
)
from turnstile.league.registering import attempt, is_refusal, pause, with_suffix
from turnstile.league.trust import opens_match

REGISTER_TIMER = "register"
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


def requested(state: State) -> Next[State]:
    """The league manager is asked for a place, and has 10 seconds."""
    request = Send(LEAGUE_MANAGER, LeagueRegisterRequest(player_meta=state.meta))
    after = replace(state, phase=Phase.REGISTERING, is_unreached=False)
    return Next(after, request, Arm(REGISTER_TIMER, MANAGER_SECONDS, registration_expiry(after)))


def registration_expiry(state: State) -> PlayerTimeout:
    """The timer of the latest request."""
    count = attempt(state.names_tried, state.retry_count)
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
        your_standings=match.your_standings,
        deadline=match.deadline,
        move=match.asked,
    )


def backed_off(state: State) -> Arm:
    """Before the next attempt there is a pause."""
    return Arm(REGISTER_TIMER, pause(state.retry_count), registration_expiry(state))


def given_up(state: State, failure: str) -> Next[State]:
    """The player cannot register; whoever runs it exits with this error."""
    return Next(replace(state, phase=Phase.UNREGISTERED, failure=failure), Disarm(REGISTER_TIMER))


def renamed(state: State) -> State:
    """The same player, with another suffix to its name."""
    number = state.suffixes_drawn + 1
    meta = replace(state.meta, display_name=with_suffix(state.name, state.seed, number))
    return replace(state, names_tried=state.names_tried + 1, suffixes_drawn=number, meta=meta)


def restarted(state: State) -> State:
    """A player that is started: after a rejection it begins anew, with its own name."""
    if is_refusal(state.failure):
        state = replace(state, meta=replace(state.meta, display_name=state.name))
    tried = 0 if state.failure else state.names_tried
    return replace(state, retry_count=0, names_tried=tried, failure=None)


def decided(question: Question, choice: str | Raw) -> ChoiceMade | MoveMade:
    """For hosts: what a strategy has said to a question, as the player wants to hear it."""
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
    void = _void(state, announced) if is_anew(state, event) else ()
    return replace(taken_back(state, void) if void else state, round=announced)


def _void(state: State, announced: Round) -> list[MatchId]:
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


def dequeued(state: State) -> State:
    """The round that was announced too early is now the one to be played."""
    queued = state.queued
    return state if queued is None else with_round(replace(state, queued=None), queued)


def between_matches(state: State) -> State:
    """Transition 3. A player with a match due waits for its invitation; one without is registered."""
    return replace(state, phase=Phase.WAITING_FOR_ROUND if is_to_play(state) else Phase.REGISTERED)


def acknowledged_round(state: State, event: RoundAnnouncement) -> Send:
    return Send(LEAGUE_MANAGER, RoundAnnouncementAck(player_id=state.me, round_id=event.round_id))


# a match


def is_believed(state: State, event: FromReferee, shown: str | None) -> bool:
    """For hosts: whether a referee is one, by the token that it shows; who is none is not to be heard at all.

    A match that was announced with a key is spoken of with that key. Without one anybody is believed.
    """
    queued = () if state.queued is None or state.player_id is None else my_matches(state, state.queued)
    known = (*(() if state.round is None else state.round.matches), *queued)
    keys = [match.key for match in known if match.match_id == event.match_id and match.key is not None]
    return opens_match(keys, shown)


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
        known = Round(round_id=event.round_id, matches=())  # nobody announced it
    expected = next((each for each in known.matches if each.match_id == event.match_id), None)
    match = match if expected is None else replace(match, reassignments=expected.reassignments)
    after = replace(state, phase=Phase.INVITED_TO_MATCH, match=match, round=known)
    return Next(after, Arm(JOIN_TIMER, JOIN_SECONDS - OWN_MARGIN_SECONDS, join_expiry(after)))


def join_expiry(state: State) -> PlayerTimeout:
    return PlayerTimeout(match_id=state.playing.match_id, waiting_for=Awaited.GAME_JOIN_ACK, retry_count=0)


def called(state: State, event: Call, context: ChoiceContext) -> Next[State]:
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
    """Why a call is none for this player now: another match, another player, or a match of another game."""
    if refused := refuse_match(state, event):
        return refused
    if event.player_id != state.me:
        return WRONG_PLAYER
    return None if state.playing.asked is None else IGNORED


def _no_such_match(match: MatchId) -> Rejection:
    return Rejection(Code.MATCH_NOT_FOUND, f"{match} is not the match that this player is waiting for.")


# the end of a match


def match_timers_stopped() -> list[Effect]:
    return [Disarm(JOIN_TIMER), Disarm(CHOICE_TIMER)]


def over(state: State, result: GameResult | None) -> State:
    """The match is part of the history. A round that was announced during the match is now the one to be played."""
    after = recorded(state, result)
    if after.queued is None:
        return replace(after, phase=Phase.MATCH_COMPLETE)
    return between_matches(dequeued(after))


def over_unheard(state: State) -> State:
    """The match is over, and nobody has said how it ended."""
    return dequeued(recorded_unheard(state))
