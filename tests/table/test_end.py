"""The end of a match, and what may come after it."""

from itertools import permutations

import pytest
from msgspec.structs import replace

from tests.rules.sixtysix.matches import ALICE, BOB, CAROL, turn
from tests.table.tables import (
    ANA,
    BO,
    CY,
    OPENED,
    SEED,
    Sitting,
    around,
    event,
    heard,
    play,
    refusal,
    started,
    starting,
)
from turnstile.kernel import Refusal, Rejection
from turnstile.table.machine import table as machine
from turnstile.table.play import MOST_EVENTS
from turnstile.table.sight import status
from turnstile.table.values import Code, How, Phase, Result


def result(table: Sitting) -> Result:
    assert table.state.result is not None
    return table.state.result


def played_out() -> Sitting:
    return play(started("even-odd", options={"draws": 1}), "ana even", "bo odd")


def test_a_match_that_came_to_its_own_end_has_the_winners_and_scores_of_its_game() -> None:
    table = played_out()
    assert result(table).how is How.PLAYED
    assert result(table).scores == table.match.score
    (winner,) = result(table).winners
    assert table.match.score[winner] == 3


def test_the_last_update_of_every_stream_is_the_end_with_the_seed() -> None:
    table = played_out()
    for eyes in (ANA, BO, None):
        last = table.last(eyes)
        assert last.messages[-1]["type"] == "MatchEnded"
        assert last.messages[-1]["seed"] == SEED
        assert last.actions == []


def test_after_the_end_no_player_moves_or_resigns() -> None:
    for text in ("ana even", "ana resigns", "halt", "acks", "lost 5", "ana returns"):
        assert refusal(played_out(), text) == Refusal.WRONG_PHASE


# resigning


@pytest.mark.parametrize(
    "table", [starting(), play(starting(), "acks"), started()], ids=["starting", "gathering", "playing"]
)
def test_a_player_who_resigns_loses_and_all_others_share_the_win(table: Sitting) -> None:
    ended = play(table, "ana resigns")
    assert result(ended) == Result(How.RESIGNED, (BO,), None, "ana")
    assert ended.last(ANA).actions == ended.last(BO).actions == []


def test_who_has_no_seat_cannot_resign() -> None:
    assert refusal(started(), "cy resigns") == Code.NOT_SEATED


def test_when_a_player_resigns_what_waited_for_acknowledgements_is_told_first() -> None:
    table = play(around(turn(BOB)), "bob stop", "carol resigns")
    assert result(table).winners == (ALICE, BOB)
    for player in (ALICE, BOB, CAROL):
        assert table.stream(player)[-1] == "MatchEnded"
    table = play(around(turn(BOB)), "bob stop", "acks", "alice resigns")
    assert table.stream(CAROL) == ["StopInitiated", "YourTurn", "MatchEnded"]
    assert table.state.pending == ()


# halting


@pytest.mark.parametrize(
    "table", [starting(), play(starting(), "acks"), started()], ids=["starting", "gathering", "playing"]
)
def test_a_match_that_cannot_go_on_is_halted_and_no_player_wins(table: Sitting) -> None:
    ended = play(table, "halt")
    assert result(ended) == Result(How.HALTED, (), None, "the roof came down")


def test_R5_a_match_that_goes_on_for_too_long_is_halted() -> None:
    table = started("even-odd")
    nearly = Sitting(replace(table.state, events=MOST_EVENTS - 1), table.clock, table.streams)
    assert result(play(nearly, "ana even")).how is How.HALTED
    assert f"{MOST_EVENTS:,}" in result(play(nearly, "ana even")).reason


def test_a_match_that_is_won_with_its_last_event_is_won() -> None:
    table = play(started("even-odd", options={"draws": 1}), "ana even")
    nearly = Sitting(replace(table.state, events=MOST_EVENTS - 1), table.clock, table.streams)
    assert result(play(nearly, "bo odd")).how is How.PLAYED


# K3


def test_K3_move_deadline_and_resignation_in_every_order_give_a_legal_history() -> None:
    table = play(started("even-odd", clock="60 per move, then forfeit"), "ana odd", "later 60")
    texts = ("bo odd", "ring clock bo", "ana resigns", "halt")
    events = {text: event(table, text) for text in texts}
    ends = set()
    for order in permutations(texts):
        state = table.state
        for text in order:
            after = machine.apply(state, events[text])
            if isinstance(after, Rejection):
                assert after.code in (Code.STALE_TIMER, Refusal.WRONG_PHASE)
            else:
                assert state.phase is not Phase.FINISHED, "after the end nothing is accepted"
                state = after
        assert state.phase is Phase.FINISHED
        assert state.result is not None
        ends.add((state.result.how, state.result.winners))
    assert ends == {(How.RESIGNED, (BO,)), (How.OUT_OF_TIME, (ANA,)), (How.HALTED, ())}


# rematch


def test_when_all_have_asked_for_a_rematch_there_is_one_at_the_table_that_the_first_had_named() -> None:
    table = play(played_out(), "bo rematches")
    assert table.state.phase is Phase.FINISHED
    table = play(table, "ana rematches")
    assert table.state.phase is Phase.REMATCHED
    assert table.state.agreed == (BO, ANA)
    assert table.state.successor == "a table for bo"


def test_who_has_asked_waits_for_the_others() -> None:
    assert refusal(play(played_out(), "bo rematches"), "bo rematches") == Code.ALREADY_AGREED


def test_only_who_has_played_asks_for_a_rematch() -> None:
    assert refusal(played_out(), "cy rematches") == Code.NOT_SEATED


def test_bots_always_agree() -> None:
    table = heard(starting("even-odd", "ana hal*", options={"draws": 1}))
    table = play(table, "ana resigns", "ana rematches")
    assert table.state.phase is Phase.REMATCHED


def test_a_table_is_done_when_its_successor_exists() -> None:
    table = play(played_out(), "ana rematches", "bo rematches", "succeeded")
    assert table.state.phase is Phase.CLOSED
    assert refusal(table, "ana rematches") == Refusal.WRONG_PHASE


def test_a_table_whose_successor_cannot_be_opened_is_done_and_names_none() -> None:
    table = play(played_out(), "ana rematches", "bo rematches", "rematch failed")
    assert table.state.phase is Phase.CLOSED
    assert table.state.agreed == (ANA, BO)
    assert (table.state.successor, status(table.state).successor) == (None, None)
    assert refusal(table, "succeeded") == Refusal.WRONG_PHASE


def test_no_player_joins_a_match_that_is_over_or_under_way() -> None:
    assert refusal(played_out(), "cy joins") == Refusal.WRONG_PHASE
    assert refusal(started(), "cy joins") == Refusal.WRONG_PHASE
    assert CY not in started().state.players
    assert started().state.header.at == OPENED
