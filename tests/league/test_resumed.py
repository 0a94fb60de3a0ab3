"""After a restart: which calls are made again, and what a player wants of whoever runs it."""

from collections.abc import Iterator

import pytest

from tests.league.player import played
from tests.league.referee import refereed
from turnstile.kernel import Event, Rejection, Send
from turnstile.kernel.check import MOST_STATES, Walk
from turnstile.league.player import machine as player_machine
from turnstile.league.player import state as player_state
from turnstile.league.player.machine import player
from turnstile.league.proofs import player as player_world
from turnstile.league.proofs import referee as referee_world
from turnstile.league.protocol.messages import (
    ChooseParityCall,
    ChooseParityResponse,
    GameError,
    GameInvitation,
    GameJoinAck,
    GameOverAck,
    LeagueQuery,
    LeagueQueryResponse,
    MatchResultAck,
)
from turnstile.league.protocol.words import player_address
from turnstile.league.referee import calls as referee_calls
from turnstile.league.referee import state as referee_state
from turnstile.league.referee.machine import referee


def calls(state: referee_state.State) -> list[str]:
    return [f"{type(send.message).__struct_config__.tag} to {send.to}" for send in referee_calls.resumed(state)]


# the referee


def test_an_idle_referee_and_one_whose_match_is_complete_call_nobody() -> None:
    assert calls(refereed.idle()) == calls(refereed.complete()) == []


def test_whoever_has_not_answered_is_called_again_in_every_phase() -> None:
    one_has_joined = refereed.play(refereed.assigned(), "B joins").state
    one_has_chosen = refereed.play(refereed.collecting(), "A odd").state
    one_has_acknowledged = refereed.play(refereed.notifying(), "A acks").state
    assert calls(refereed.assigned()) == ["GAME_INVITATION to player:P05", "GAME_INVITATION to player:P02"]
    assert calls(one_has_joined) == ["GAME_INVITATION to player:P05"]
    assert calls(one_has_chosen) == ["CHOOSE_PARITY_CALL to player:P02"]
    assert calls(one_has_acknowledged) == ["GAME_OVER to player:P02"]


def test_the_manager_is_asked_again_and_told_again() -> None:
    before_standings = refereed.play(refereed.assigned(), "A joins", "B joins").state
    assert calls(before_standings) == ["LEAGUE_QUERY to league_manager"]
    assert calls(refereed.reporting()) == ["MATCH_RESULT_REPORT to league_manager"]


def test_who_could_not_be_reached_is_left_to_its_timer() -> None:
    unreached = refereed.play(refereed.assigned(), "A is unreached").state
    assert calls(unreached) == ["GAME_INVITATION to player:P02"]


def reached() -> Iterator[referee_state.State]:
    world, *_ = referee_world.worlds()
    return (node.state for node in Walk(world, MOST_STATES).nodes[::7])


def test_what_a_step_asks_is_asked_again_word_for_word_and_every_answer_to_it_is_taken() -> None:
    for state in reached():
        for event in referee_world.HAPPENINGS:
            step = referee.step(state, event)
            if isinstance(step, Rejection):
                continue
            sent = [effect for effect in step.effects if isinstance(effect, Send)]
            again = referee_calls.resumed(step.state)
            asked = [call for call in sent if not isinstance(call.message, GameError)]
            assert asked == [call for call in again if call in asked]
            for call in again:
                assert not isinstance(referee.step(step.state, answer(step.state, call)), Rejection)


def answer(state: referee_state.State, call: Send) -> Event:
    """What whoever is called might say."""
    match, said = state.match_id, call.message
    callee = next((seat.player_id for seat in state.seats if player_address(seat.player_id) == call.to), refereed.A)
    if isinstance(said, GameInvitation):
        return GameJoinAck(match_id=match, player_id=callee, accept=True)
    if isinstance(said, ChooseParityCall):
        return ChooseParityResponse(match_id=match, player_id=callee, parity_choice="odd")
    if isinstance(said, LeagueQuery):
        return LeagueQueryResponse(success=True)
    if call.to == "league_manager":
        return MatchResultAck(status="ACCEPTED", match_id=match)
    return GameOverAck(match_id=match, player_id=callee)


# the player


def test_a_player_asks_for_its_place_again_unless_the_manager_could_not_be_reached() -> None:
    step = played.play(played.starting(), "starts")
    assert player_machine.resumed(step.state) == [effect for effect in step.effects if isinstance(effect, Send)]
    assert player_machine.resumed(played.play(step.state, "manager is unreached").state) == []


@pytest.mark.parametrize(
    "state", [played.starting(), played.registered(), played.waiting(), *(made() for made in played.IN_MATCH.values())]
)
def test_a_player_asks_for_nothing_else(state: player_state.State) -> None:
    assert player_machine.resumed(state) == []


def test_a_new_player_wants_to_be_started_and_one_that_gave_up_wants_it_when_its_process_is_run_again() -> None:
    gave_up = played.play(played.registering(), "rejected: League full").state
    assert gave_up.failure is not None
    for state in (played.starting(), gave_up):
        assert player_machine.wanted(state) == player_state.PlayerStartup()


def test_a_player_that_waits_to_try_another_name_wants_nothing_but_its_timer() -> None:
    assert player_machine.wanted(played.play(played.registering(), "rejected: Duplicate name").state) is None


def test_a_player_that_is_invited_wants_to_join() -> None:
    assert player_machine.wanted(played.invited()) == player_state.ReadyToJoin()


def test_a_player_that_is_called_has_a_question_for_its_strategy() -> None:
    state = played.play(played.complete(), "round 2", "invited R2M2", "ready", "standings", "called R2M2").state
    question = player_machine.wanted(state)
    assert isinstance(question, player_state.Question)
    assert (question.match_id, question.round_id) == ("R2M2", 2)
    assert (question.player_id, question.opponent_id) == (played.ME, played.THIRD)
    assert question.standings == (played.ROW,)
    assert question.statistics.wins == 1
    assert [match.match_id for match in question.history] == ["R1M1"]


@pytest.mark.parametrize(
    "state",
    [
        played.registering(),
        played.registered(),
        played.waiting(),
        played.joined(),
        played.chosen(),
        played.complete(),
        played.finished(),
    ],
)
def test_in_every_other_phase_a_player_wants_nothing(state: player_state.State) -> None:
    assert player_machine.wanted(state) is None


def test_whatever_a_player_wants_it_takes() -> None:
    world, *_ = player_world.worlds()
    for node in Walk(world, MOST_STATES).nodes:
        want = player_machine.wanted(node.state)
        if want is None:
            continue
        event = even(want) if isinstance(want, player_state.Question) else want
        assert not isinstance(player.step(node.state, event), Rejection)


def even(question: player_state.Question) -> Event:
    return player_state.ChoiceMade(match_id=question.match_id, parity_choice="even")
