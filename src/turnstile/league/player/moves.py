"""How a player takes part in a match of any game but Even/Odd: it is asked for moves, one after the other.

Every question brings the legal moves and what the player sees. The strategy picks one of the moves; if it is late, the
first of them is played. A question that is repeated is given the same answer again, an older one none.
"""

from msgspec.structs import replace

from turnstile.kernel.effects import Disarm, Send
from turnstile.kernel.machine import Next, Rejection
from turnstile.league.player.play import CHOICE_TIMER, IGNORED, PENDING, WRONG_PLAYER, ask_strategy, refuse_match
from turnstile.league.player.state import AskedMove, Code, MoveMade, OwnMatch, Phase, State
from turnstile.league.protocol.messages import GameMoveCall, GameMoveResponse
from turnstile.league.protocol.values import MoveData, option_meant

PAST = Rejection(Code.IGNORED, "A later move was asked for since.")
NOTHING_TO_CHOOSE = Rejection(Code.IGNORED, "Nothing can be chosen where there are no options.")


def be_asked(state: State, event: GameMoveCall) -> Next[State] | Rejection:
    """The player is to move: its strategy is asked, and its own countdown begins."""
    if refused := _refuse_question(state, event):
        return refused
    asked, number = state.playing.asked, _number_of(state.playing, event)
    if asked is not None and number < asked.number:
        return PAST
    if asked is not None and number == asked.number:
        return PENDING if state.phase is Phase.CHOOSING_PARITY else Next(state, move_response(state))
    question = AskedMove(number=number, game_type=event.game_type, request=event.move_request)
    after = replace(state, match=replace(state.playing, asked=question))
    return ask_strategy(after, event, event.move_request.context)


def _refuse_question(state: State, event: GameMoveCall) -> Rejection | None:
    """Why a question is none for this player now: another match, another player, or a match of Even/Odd."""
    if refused := refuse_match(state, event):
        return refused
    if event.player_id != state.me:
        return WRONG_PLAYER
    is_even_odd = state.phase is not Phase.WAITING_FOR_CHOICE_REQUEST and state.playing.asked is None
    return IGNORED if is_even_odd else None if event.move_request.valid_options else NOTHING_TO_CHOOSE


def _number_of(match: OwnMatch, event: GameMoveCall) -> int:
    """Which question of the match this is. Where a referee does not count, another question has the next number."""
    if event.move_number is not None:
        return event.move_number
    if match.asked is None:
        return 1
    return match.asked.number + (event.move_request != match.asked.request)


def move(state: State, event: MoveMade) -> Next[State] | Rejection:
    """The strategy has decided, and the referee is told."""
    asked = state.playing.asked
    if asked is None or (event.match_id, event.move_number) != (state.playing.match_id, asked.number):
        return IGNORED
    option = option_meant(asked.request.valid_options, event.choice)
    if option is None:
        return Rejection(Code.INVALID_CHOICE, "A strategy picks one of the options.")
    return make_move(state, asked, option)


def make_move(state: State, asked: AskedMove, option: int) -> Next[State]:
    match = replace(state.playing, asked=replace(asked, answer=option))
    after = replace(state, phase=Phase.WAITING_FOR_RESULT, match=match)
    return Next(after, Disarm(CHOICE_TIMER), move_response(after))


def move_response(state: State) -> Send:
    """The answer to the question; the same however often it is asked."""
    asked = state.playing.asked
    assert asked is not None, "a player that moves was asked to"
    assert asked.answer is not None, "the player has moved"
    response = GameMoveResponse(
        match_id=state.playing.match_id,
        player_id=state.me,
        move_number=asked.number,
        move_data=MoveData(move_type=asked.request.move_type, choice=asked.request.valid_options[asked.answer]),
    )
    return Send(state.playing.referee, response)
