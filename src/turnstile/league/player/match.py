"""How a player takes part in a match: it joins, is asked for its choice or its moves, and hears how the match ended.

In Even/Odd it is asked once. In any other game it is asked for moves, one after the other: every question brings the
legal moves and what the player sees. The strategy decides; if it is late, the player says "even" or makes the first
move. A question that is repeated is given the same answer again, an older one none.
"""

from msgspec.structs import replace

from turnstile.games.evenodd import Parity
from turnstile.kernel.effects import Arm, Disarm, Send
from turnstile.kernel.machine import Next, Rejection
from turnstile.kernel.values import PlayerId
from turnstile.league.player import rounds
from turnstile.league.player.record import record_result
from turnstile.league.player.state import (
    AskedMove,
    ChoiceMade,
    Code,
    MoveMade,
    OwnMatch,
    Phase,
    PlayerTimeout,
    ReadyToJoin,
    Round,
    State,
)
from turnstile.league.protocol import messages
from turnstile.league.protocol.values import AnnouncedMatch, ChoiceContext, MoveData, option_meant
from turnstile.league.protocol.words import CHOICE_SECONDS, JOIN_SECONDS, OWN_MARGIN_SECONDS, Awaited, MatchId

FALLBACK = Parity.EVEN

IGNORED = Rejection(Code.IGNORED, "This is about a match that is over, or that this player is not in.")
PAST = Rejection(Code.IGNORED, "A later move was asked for since.")
NO_OPTIONS = Rejection(Code.IGNORED, "Nothing can be chosen where there are no options.")
PENDING = Rejection(Code.PENDING, "The answer to this is on its way.")
STALE = Rejection(Code.STALE_TIMER, "This is about something that is no longer waited for.")
WRONG_PLAYER = Rejection(Code.WRONG_PLAYER, "This is for another player.")
WRONG_REFEREE = Rejection(Code.WRONG_REFEREE, "Another referee has this match.")


# an invitation


def be_invited(state: State, event: messages.GameInvitation) -> Next[State] | Rejection:
    """Transitions 4 and 9a. The player is invited to a match of the announced round; its own countdown begins.

    A player that takes unannounced invitations takes any (docs/league.md).
    """
    return refuse_invitation(state, event) or _begin_match(state, event)


def be_invited_early(state: State, event: messages.GameInvitation) -> Next[State] | Rejection:
    """Transition 4. An invitation that no announcement preceded is ignored, unless the player takes any."""
    refused = refuse_invitation(state, event)
    if refused is not None and refused.code == Code.MATCH_NOT_FOUND:
        return Rejection(Code.IGNORED, f"Round {event.round_id} was not announced with this match.")
    return refused or _begin_match(state, event)


def be_invited_again(state: State, event: messages.GameInvitation) -> Next[State] | Rejection:
    """A repeated invitation gets the first answer again. An invitation to another match is ignored.

    Unless that match is of a later round: then this one is over, and the player was not told (docs/departures.md).
    """
    if event.match_id == state.playing.match_id:
        if refused := _refuse_match(state, event):
            return refused
        return PENDING if state.phase is Phase.INVITED_TO_MATCH else Next(state, _join_ack(state))
    left = rounds.leave_match(state)
    if event.round_id <= state.playing.round_id or refuse_invitation(left.state, event):
        return Rejection(Code.IGNORED, f"The player is in {state.playing.match_id}.")
    begun = _begin_match(left.state, event)
    return Next(begun.state, *left.effects, *begun.effects)


def refuse_invitation(state: State, event: messages.GameInvitation) -> Rejection | None:
    """Why this is not the expected invitation: the league is checked first, then the player, then the match."""
    if refused := rounds.refuse_league(state, event.league_id):
        return refused
    if event.player_id not in (None, state.me):
        return WRONG_PLAYER
    if rounds.is_past(state, event.round_id) or state.has_played(event.match_id, event.round_id):
        return IGNORED
    expected = _announced_match(state, event)
    if expected is None:
        return None if state.accepts_unannounced else _no_such_match(event.match_id)
    if {event.opponent_id, state.me} != {expected.player_a_id, expected.player_b_id}:
        return _no_such_match(event.match_id)
    return None if rounds.is_led_by(expected, event.sender) else WRONG_REFEREE


def _announced_match(state: State, event: messages.GameInvitation) -> AnnouncedMatch | None:
    matches = state.round.matches if state.round is not None and state.round.round_id == event.round_id else ()
    return next((match for match in matches if match.match_id == event.match_id), None)


def _begin_match(state: State, event: messages.GameInvitation) -> Next[State]:
    """The match is remembered, and the player's own countdown runs."""
    expected = _announced_match(state, event)
    match = OwnMatch(
        match_id=event.match_id,
        round_id=event.round_id,
        opponent_id=event.opponent_id,
        role_in_match=event.role_in_match,
        referee=event.sender,
        game_type=event.game_type,
        reassignments=0 if expected is None else expected.times_reassigned,
    )
    known = state.round
    if known is None or known.round_id != event.round_id:
        known = Round(round_id=event.round_id, matches=())  # it was not announced
    after = replace(state, phase=Phase.INVITED_TO_MATCH, match=match, round=known)
    return Next(after, Arm(rounds.JOIN_TIMER, JOIN_SECONDS - OWN_MARGIN_SECONDS, join_expiry(after)))


def join(state: State, event: ReadyToJoin) -> Next[State]:
    """Transition 5. The player takes part; it always does."""
    return _take_part(state)


def join_late(state: State, event: PlayerTimeout) -> Next[State] | Rejection:
    """Transition 5b. The time to answer is nearly over: the player joins (docs/departures.md)."""
    return _take_part(state) if event == join_expiry(state) else STALE


def join_expiry(state: State) -> PlayerTimeout:
    return PlayerTimeout(match_id=state.playing.match_id, waiting_for=Awaited.GAME_JOIN_ACK, retry_count=0)


def _take_part(state: State) -> Next[State]:
    after = replace(state, phase=Phase.WAITING_FOR_CHOICE_REQUEST)
    return Next(after, Disarm(rounds.JOIN_TIMER), _join_ack(after))


def _join_ack(state: State) -> Send:
    """The answer to the invitation; the same however often it is asked for."""
    ack = messages.GameJoinAck(match_id=state.playing.match_id, player_id=state.me, accept=True)
    return Send(state.playing.referee, ack)


# the call for a choice or a move


def be_called(state: State, event: messages.ChooseParityCall) -> Next[State] | Rejection:
    """Transition 6. The player is to choose: its strategy is asked, and its own countdown begins."""
    if refused := _refuse_call(state, event):
        return refused
    is_new = state.phase is Phase.WAITING_FOR_CHOICE_REQUEST
    return _ask_strategy(state, event, event.context) if is_new else answer_again(state)


def be_asked(state: State, event: messages.GameMoveCall) -> Next[State] | Rejection:
    """The player is to move: its strategy is asked, and its own countdown begins."""
    if refused := _refuse_call(state, event):
        return refused
    asked, number = state.playing.asked, _number_of(state.playing, event)
    if asked is not None and number < asked.number:
        return PAST
    if asked is not None and number == asked.number:
        return answer_again(state)
    question = AskedMove(number=number, game_type=event.game_type, request=event.move_request)
    after = replace(state, match=replace(state.playing, asked=question))
    return _ask_strategy(after, event, event.move_request.context)


def _refuse_call(state: State, event: messages.ChooseParityCall | messages.GameMoveCall) -> Rejection | None:
    """Why a call is not for this player now: it is about another match, player or game, or offers no move."""
    if refused := _refuse_match(state, event):
        return refused
    if event.player_id != state.me:
        return WRONG_PLAYER
    is_first, asks_for_move = state.phase is Phase.WAITING_FOR_CHOICE_REQUEST, isinstance(event, messages.GameMoveCall)
    if not is_first and asks_for_move != (state.playing.asked is not None):
        return IGNORED
    return NO_OPTIONS if isinstance(event, messages.GameMoveCall) and not event.move_request.valid_options else None


def _number_of(match: OwnMatch, event: messages.GameMoveCall) -> int:
    """Which question of the match this is. Where a referee does not count, another question has the next number."""
    if event.move_number is not None:
        return event.move_number
    if match.asked is None:
        return 1
    return match.asked.number + (event.move_request != match.asked.request)


def _ask_strategy(state: State, event: messages.Call, context: ChoiceContext) -> Next[State]:
    """The strategy is asked, with what the call tells, and the player's own countdown runs."""
    match = replace(
        state.playing,
        commitment=state.playing.commitment or context.commitment,
        your_standings=context.your_standings,
        deadline=event.deadline or None,
    )
    after = replace(state, phase=Phase.CHOOSING_PARITY, match=match)
    return Next(after, Arm(rounds.CHOICE_TIMER, _countdown(event), choice_expiry(after)))


def _countdown(event: messages.Call) -> float:
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


# the answer


def choose(state: State, event: ChoiceMade) -> Next[State] | Rejection:
    """Transition 7. The strategy has chosen, and the referee is told."""
    match = state.playing
    if event.match_id != match.match_id or match.asked is not None:
        return IGNORED
    if event.parity_choice not in list(Parity):
        return Rejection(Code.INVALID_CHOICE, 'A strategy says "even" or "odd".')
    return _answer(state, replace(match, my_choice=Parity(event.parity_choice)))


def move(state: State, event: MoveMade) -> Next[State] | Rejection:
    """The strategy has decided on a move, and the referee is told."""
    match, asked = state.playing, state.playing.asked
    if asked is None or (event.match_id, event.move_number) != (match.match_id, asked.number):
        return IGNORED
    option = option_meant(asked.request.valid_options, event.choice)
    if option is None:
        return Rejection(Code.INVALID_CHOICE, "A strategy picks one of the options.")
    return _answer(state, replace(match, asked=replace(asked, answer=option)))


def choose_late(state: State, event: PlayerTimeout) -> Next[State] | Rejection:
    """Transition 7b. The strategy is too slow: the player says "even", or makes its first move (docs/departures.md)."""
    if event != choice_expiry(state):
        return STALE
    match, asked = state.playing, state.playing.asked
    decided = replace(match, my_choice=FALLBACK) if asked is None else replace(match, asked=replace(asked, answer=0))
    return _answer(state, decided)


def _answer(state: State, decided: OwnMatch) -> Next[State]:
    after = replace(state, phase=Phase.WAITING_FOR_RESULT, match=decided)
    return Next(after, Disarm(rounds.CHOICE_TIMER), response_of(decided, state.me))


def answer_again(state: State) -> Next[State] | Rejection:
    """A repeated call gets the same answer again; while the strategy is thinking, it changes nothing."""
    return PENDING if state.phase is Phase.CHOOSING_PARITY else Next(state, response_of(state.playing, state.me))


def response_of(match: OwnMatch, me: PlayerId) -> Send:
    """The answer to the latest call; the same however often it is asked for."""
    if (asked := match.asked) is None:
        assert match.my_choice is not None, "the player has chosen"
        parity = match.my_choice.value
        return Send(
            match.referee, messages.ChooseParityResponse(match_id=match.match_id, player_id=me, parity_choice=parity)
        )
    assert asked.answer is not None, "the player has moved"
    choice = MoveData(move_type=asked.request.move_type, choice=asked.request.valid_options[asked.answer])
    number = asked.number
    response = messages.GameMoveResponse(match_id=match.match_id, player_id=me, move_number=number, move_data=choice)
    return Send(match.referee, response)


# errors, and the end


def hear_of_error(state: State, event: messages.GameError) -> Next[State] | Rejection:
    """The referee complains; what it wants it asks for again, and is then given."""
    if refused := _refuse_match(state, event):
        return refused
    return Next(state, Send(event.sender, messages.GameErrorAck(player_id=state.me, match_id=event.match_id)))


def end_match(state: State, event: messages.GameOver) -> Next[State] | Rejection:
    """Transition 8. The match is over, early or not; the player counts it, keeps it and acknowledges it."""
    if refused := _refuse_match(state, event):
        return refused
    after = record_result(state, event.game_result)
    queued = rounds.wait_between_matches(
        rounds.dequeue_round(after)
    )  # a round that was announced during the match is played now
    after = replace(after, phase=Phase.MATCH_COMPLETE) if after.queued is None else queued
    return Next(after, *rounds.stop_match_timers(), _acknowledge(state, event))


def end_match_again(state: State, event: messages.GameOver) -> Next[State] | Rejection:
    """The first result counts; a repeated one is acknowledged again."""
    return Next(state, _acknowledge(state, event)) if state.has_played(event.match_id) else IGNORED


def _acknowledge(state: State, event: messages.GameOver) -> Send:
    return Send(event.sender, messages.GameOverAck(player_id=state.me, match_id=event.match_id))


def _refuse_match(state: State, event: messages.FromReferee) -> Rejection | None:
    """Why a message of a referee is not about the match that is played."""
    if event.match_id != state.playing.match_id:
        return IGNORED if state.has_played(event.match_id) else _no_such_match(event.match_id)
    return None if event.sender == state.playing.referee else WRONG_REFEREE


def _no_such_match(match: MatchId) -> Rejection:
    return Rejection(Code.MATCH_NOT_FOUND, f"{match} is not the match that this player is waiting for.")
