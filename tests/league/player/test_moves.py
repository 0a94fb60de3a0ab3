"""The player in a match of another game: it is asked for moves, and answers every question once."""

from random import Random
from typing import Any

import pytest
from msgspec import UNSET, Raw, UnsetType
from msgspec.structs import replace

from tests.league.matches import LEAGUE, MATCH, A, B, Meeting, by_random, waiting_player
from tests.league.player.played import sent, timers
from turnstile.kernel import ByPlayer, PlayerId, Rejection, Seed, Send, Step
from turnstile.kernel.chance import Commitment, commit
from turnstile.league.player.machine import player, wanted
from turnstile.league.player.match import choice_expiry
from turnstile.league.player.state import ChoiceMade, Code, MoveMade, Phase, Question, ReadyToJoin, State
from turnstile.league.protocol.messages import (
    ChooseParityCall,
    GameInvitation,
    GameMoveCall,
    GameMoveResponse,
    GameOver,
)
from turnstile.league.protocol.values import ChoiceContext, GameResult, MoveContext, MoveRequest, PlayerStandings
from turnstile.league.protocol.words import Address, Awaited, Role, Status

REFEREE, ANOTHER = Address("referee:REF03"), Address("referee:REF04")
MOVE = ["GAME_MOVE_RESPONSE to referee:REF03"]
LEFT, RIGHT = Raw(b'{"type":"Turn","where":"left"}'), Raw(b'{"type":"Turn","where":"right"}')
SEED = Seed("1")


def taken(state: State, event: Any) -> Step[State]:
    step = player.step(state, event)
    assert not isinstance(step, Rejection), step
    return step


def refused(state: State, event: Any) -> str:
    answer = player.step(state, event)
    assert isinstance(answer, Rejection), answer
    return answer.code


def joined(game: str = "maze") -> State:
    invitation = GameInvitation(
        sender=REFEREE,
        match_id=MATCH,
        league_id=LEAGUE,
        round_id=1,
        game_type=game,
        role_in_match=Role.PLAYER_A,
        opponent_id=B,
        player_id=A,
    )
    return taken(taken(waiting_player(A, game), invitation).state, ReadyToJoin()).state


def question(
    number: int | None,
    *options: Raw,
    sender: Address = REFEREE,
    addressee: PlayerId = A,
    view: bytes = b"{}",
    commitment: Commitment | None = None,
    game: str = "maze",
) -> GameMoveCall:
    context = MoveContext(opponent_id=B, round_id=1, view=Raw(view), commitment=commitment)
    request = MoveRequest(move_type="Turn", valid_options=options or (LEFT, RIGHT), context=context)
    return GameMoveCall(
        sender=sender, match_id=MATCH, player_id=addressee, game_type=game, move_number=number, move_request=request
    )


def made(number: int, choice: Raw) -> MoveMade:
    return MoveMade(match_id=MATCH, move_number=number, choice=choice)


def asked(number: int | None = 1) -> State:
    return taken(joined(), question(number)).state


def answered() -> State:
    return taken(asked(), made(1, RIGHT)).state


def answer_of(step: Step[State]) -> GameMoveResponse:
    (message,) = [effect.message for effect in step.effects if isinstance(effect, Send)]
    assert isinstance(message, GameMoveResponse)
    return message


# asked


def test_the_countdown_of_a_move_ends_before_its_deadline_of_which_the_strategy_is_told() -> None:
    step = taken(joined(), replace(question(1), deadline="2031-04-02T09:10:34Z", milliseconds_left=8_000))
    assert timers(step) == ["choice 7 s"]
    wants = wanted(step.state)
    assert isinstance(wants, Question)
    assert (wants.deadline, wants.your_standings) == ("2031-04-02T09:10:34Z", PlayerStandings())
    later = wanted(taken(answered(), question(2)).state)
    assert isinstance(later, Question)
    assert later.deadline is None, "of the present question"


def test_a_question_is_put_to_the_strategy_and_the_own_countdown_begins() -> None:
    step = taken(joined(), question(1))
    assert step.state.phase is Phase.CHOOSING_PARITY
    assert (sent(step), timers(step)) == ([], ["choice 29 s"])
    wants = wanted(step.state)
    assert isinstance(wants, Question)
    assert wants.move is not None
    assert (wants.move.number, wants.move.game_type) == (1, "maze")
    assert wants.move.request.valid_options == (LEFT, RIGHT)


def test_the_move_of_the_strategy_is_the_answer() -> None:
    step = taken(asked(), made(1, RIGHT))
    assert step.state.phase is Phase.WAITING_FOR_RESULT
    assert (sent(step), timers(step)) == (MOVE, ["no choice"])
    answer = answer_of(step)
    assert answer.move_data is not None
    assert (answer.player_id, answer.move_number, answer.move_data.move_type) == (A, 1, "Turn")
    assert answer.move_data.choice == RIGHT


def test_an_option_is_known_however_it_is_written_and_sent_as_the_referee_wrote_it() -> None:
    answer = answer_of(taken(asked(), made(1, Raw(b'{ "where": "right", "type": "Turn" }'))))
    assert answer.move_data is not None
    assert answer.move_data.choice == RIGHT


@pytest.mark.parametrize("choice", [b'{"type":"Turn"}', b"null", b"[1e999]", b'{"type":"Turn","where":"left","x":1}'])
def test_a_move_that_is_no_option_is_turned_down(choice: bytes) -> None:
    assert refused(asked(), made(1, Raw(choice))) == Code.INVALID_CHOICE


def test_a_move_for_another_question_or_match_is_ignored() -> None:
    assert refused(asked(), made(2, LEFT)) == Code.IGNORED
    assert refused(asked(), replace(made(1, LEFT), match_id="R7M7")) == Code.IGNORED
    assert refused(asked(), ChoiceMade(match_id=MATCH, parity_choice="even")) == Code.IGNORED


def test_a_strategy_that_is_late_makes_the_first_move() -> None:
    state = asked()
    step = taken(state, choice_expiry(state))
    assert (sent(step), step.state.phase) == (MOVE, Phase.WAITING_FOR_RESULT)
    answer = answer_of(step)
    assert answer.move_data is not None
    assert answer.move_data.choice == LEFT


def test_a_timer_of_an_older_question_is_stale() -> None:
    old = choice_expiry(asked())
    state = taken(answered(), question(2)).state
    assert refused(state, old) == Code.STALE_TIMER
    assert refused(state, replace(old, waiting_for=Awaited.CHOOSE_PARITY_RESPONSE, retry_count=0)) == Code.STALE_TIMER


# asked again


def test_the_next_question_leads_back_to_the_strategy() -> None:
    step = taken(answered(), question(2, RIGHT, LEFT))
    assert (step.state.phase, timers(step)) == (Phase.CHOOSING_PARITY, ["choice 29 s"])
    answer = answer_of(taken(step.state, made(2, LEFT)))
    assert answer.move_number == 2


def test_a_repeated_question_is_pending_and_then_given_the_same_answer() -> None:
    assert refused(asked(), question(1)) == Code.PENDING
    step = taken(answered(), question(1))
    assert step.state == answered()
    assert answer_of(step) == answer_of(taken(asked(), made(1, RIGHT)))


def test_an_older_question_is_ignored() -> None:
    later = taken(answered(), question(2)).state
    assert refused(later, question(1)) == Code.IGNORED
    assert refused(taken(later, made(2, LEFT)).state, question(1)) == Code.IGNORED


def test_a_later_question_takes_the_place_of_one_that_is_still_thought_about() -> None:
    step = taken(asked(), question(2, RIGHT))
    assert (step.state.phase, timers(step)) == (Phase.CHOOSING_PARITY, ["choice 29 s"])
    assert refused(step.state, made(1, LEFT)) == Code.IGNORED


def test_questions_without_numbers_are_told_apart_by_what_they_say() -> None:
    state = asked(None)
    assert refused(state, question(None)) == Code.PENDING
    state = taken(state, made(1, LEFT)).state
    assert taken(state, question(None)).state == state
    step = taken(state, question(None, view=b'{"later":true}'))
    assert step.state.phase is Phase.CHOOSING_PARITY
    assert answer_of(taken(step.state, made(2, LEFT))).move_number == 2


# questions that are none


def test_a_question_for_another_or_by_another_or_without_options_is_turned_down() -> None:
    assert refused(joined(), question(1, addressee=B)) == Code.WRONG_PLAYER
    assert refused(joined(), question(1, sender=ANOTHER)) == Code.WRONG_REFEREE
    assert refused(joined(), replace(question(1), match_id="R7M7")) == Code.MATCH_NOT_FOUND
    empty = replace(question(1), move_request=replace(question(1).move_request, valid_options=()))
    assert refused(joined(), empty) == Code.IGNORED


def test_a_question_before_the_player_has_joined_is_ignored() -> None:
    assert refused(waiting_player(A, "maze"), question(1)) == Code.IGNORED


def test_a_match_is_of_choices_or_of_moves_and_never_both() -> None:
    parity = ChooseParityCall(
        sender=REFEREE, match_id=MATCH, player_id=A, context=ChoiceContext(opponent_id=B, round_id=1)
    )
    choosing = taken(joined("even_odd"), parity).state
    assert refused(choosing, question(1)) == Code.IGNORED
    assert refused(choosing, made(1, LEFT)) == Code.IGNORED
    chosen = taken(choosing, ChoiceMade(match_id=MATCH, parity_choice="odd")).state
    assert refused(chosen, question(1)) == Code.IGNORED
    assert refused(asked(), parity) == Code.IGNORED
    assert refused(answered(), parity) == Code.IGNORED


# the end


def finished(seed: Seed = SEED) -> tuple[State, GameResult]:
    """A player that has answered something in a match of E-Card, and how that match ended."""
    match = Meeting("e-card", seed, {each: by_random(Random(1)) for each in (A, B)})
    result = match.play()
    state = taken(joined("e-card"), question(1, commitment=commit(seed), game="e-card")).state
    return state, result


def is_fair(state: State, result: GameResult) -> bool | None:
    after = taken(state, GameOver(sender=REFEREE, match_id=MATCH, game_result=result)).state
    return after.history[-1].is_fair


def test_a_match_is_fair_when_its_moves_lead_to_its_result_from_the_seed_committed_to() -> None:
    state, result = finished()
    assert is_fair(state, result) is True
    assert is_fair(state, replace(result, scores=ByPlayer({A: 7, B: 0}))) is False
    assert isinstance(result.moves, tuple)
    assert is_fair(state, replace(result, moves=result.moves[:-1])) is False
    assert is_fair(state, replace(result, seed=Seed("another"))) is False


@pytest.mark.parametrize("missing", [{"moves": UNSET}, {"seed": None}, {"status": Status.TECHNICAL_LOSS}])
def test_where_something_is_missing_there_is_nothing_to_check(missing: dict[str, Status | UnsetType | None]) -> None:
    state, result = finished()
    assert is_fair(state, replace(result, **missing)) is None


def test_the_commitment_of_the_first_question_counts() -> None:
    state, result = finished()
    state = taken(state, made(1, LEFT)).state
    later = question(2, commitment=commit(Seed("another")), game="e-card")
    assert is_fair(taken(state, later).state, result) is True
