"""Silence: the deadline for acknowledgements, what becomes of who misses it, and how it comes back."""

from typing import Any

import pytest

from tests.rules.sixtysix.matches import ALICE, BOB, CAROL, turn
from tests.table.tables import ANA, BO, around, heard, play, refusal, started, starting
from turnstile.table.clocks import ACKS, timer_of
from turnstile.table.values import Code, Phase


def due(table: Any) -> int | None:
    timer = timer_of(table.state, ACKS)
    return None if timer is None else timer.due - table.clock


def away(table: Any) -> list[str]:
    return [seat.player for seat in table.state.seats if seat.is_away]


def test_the_deadline_runs_from_the_moment_the_table_waits() -> None:
    assert due(starting(ack_seconds=12.5)) == 12_500
    assert due(started(ack_seconds=12.5)) is None


def test_T14_P5_who_misses_it_is_away_and_the_match_goes_on() -> None:
    table = play(around(turn(BOB)), "bob stop", "ring acks")
    assert away(table) == [ALICE, BOB, CAROL]
    assert table.state.phase is Phase.PLAYING
    assert play(table, "carol take").state.phase is Phase.PLAYING


def test_who_has_acknowledged_everything_before_the_deadline_stays() -> None:
    table = play(around(turn(BOB)), "bob stop", "acks", "ring acks")
    assert away(table) == [ALICE, BOB]
    assert table.state.phase is Phase.GATHERING, "Carol has just been told that it is her turn"


def test_T14_who_has_acknowledged_is_not_away_because_another_is_silent() -> None:
    table = play(around(turn(BOB)), "bob stop")
    told = table.state.told
    table = play(table, f"ring acks alice {told[ALICE]} carol {told[CAROL]}")
    assert away(table) == [BOB]


@pytest.mark.parametrize("older", ["", "bob 0 carol 0"])
def test_N17_an_older_acknowledgement_takes_nothing_back_when_a_gate_opens(older: str) -> None:
    """All have heard that Alice stops; now Alice and Carol, not Bob, are told whose turn it is."""
    table = play(around(turn(ALICE)), "alice stop", "acks")
    assert table.state.acked == {ALICE: 1, BOB: 1, CAROL: 1}
    assert refusal(table, f"acks alice 2 {older}") == Code.ACKS_MISSING
    table = play(table, f"acks alice 2 carol 2 {older.removesuffix('carol 0')}")
    assert table.state.acked == {ALICE: 2, BOB: 1, CAROL: 2}


@pytest.mark.parametrize("older", ["", "bob 0 carol 0"])
def test_N17_an_older_acknowledgement_takes_nothing_back_when_the_deadline_passes(older: str) -> None:
    table = play(around(turn(ALICE)), "alice stop", "acks", f"ring acks {older}")
    assert table.state.acked == {ALICE: 1, BOB: 1, CAROL: 1}
    assert away(table) == [ALICE, CAROL], "Bob had heard everything"


def test_P6_nobody_has_acknowledged_the_future_by_the_deadline_either() -> None:
    table = play(around(turn(BOB)), "bob stop")
    assert refusal(table, f"ring acks alice {table.state.told[ALICE] + 1}") == Code.FUTURE_ACK


def test_every_batch_has_a_deadline_of_its_own() -> None:
    table = play(around(turn(BOB), ack_seconds=30.0), "bob stop", "later 20", "acks")
    assert due(table) == 30_000


def test_nobody_waits_for_who_is_away_but_its_stream_is_kept() -> None:
    table = play(around(turn(BOB)), "bob stop", "ring acks", "carol returns")
    told = table.state.told[ALICE]
    table = play(table, "carol pick 0")
    table = play(table, f"acks carol {table.state.told[CAROL]}")
    assert table.state.told[ALICE] == told + 1
    assert table.stream(ALICE)[-1] == "CardReplacedByDiscarded"
    table = play(table, f"acks carol {table.state.told[CAROL]}")
    assert table.stream(CAROL)[-1] == "NextTurn", "her acknowledgement alone was waited for"


def test_who_returned_acknowledges_what_it_missed_before_it_is_told_more() -> None:
    table = play(around(turn(BOB)), "bob stop", "ring acks", "carol returns")
    before = table.stream(CAROL)
    table = play(table, "carol pick 0")
    assert table.stream(CAROL) == before
    assert play(table, "acks").stream(CAROL) == [*before, "ReplacedCardByDiscarded"]


def test_who_returns_is_waited_for_again() -> None:
    table = play(starting(), "ring acks", "ana returns", "bo returns")
    assert away(table) == []
    emperor = table.match.roles.emperor_player
    slave = BO if emperor == ANA else ANA
    table = play(table, f"{emperor} C", f"{slave} S")
    assert table.state.phase is Phase.GATHERING


def test_who_returns_in_the_middle_of_a_gate_is_waited_for_at_this_gate_and_its_deadline_stays() -> None:
    table = play(around(turn(BOB), ack_seconds=30.0), "bob stop", "acks", "ring acks", "later 10")
    assert away(table) == [ALICE, BOB]
    table = play(table, "alice returns")
    assert due(table) == 20_000
    assert refusal(table, f"acks carol {table.state.told[CAROL]}") == Code.ACKS_MISSING
    assert heard(table).state.phase is Phase.PLAYING


def test_a_move_alone_brings_nobody_back_for_it_may_be_that_of_a_bot() -> None:
    table = play(starting("even-odd"), "ring acks", "ana even")
    assert away(table) == [ANA, BO]


def test_only_who_is_away_can_return() -> None:
    assert refusal(started(), "ana returns") == Code.ALREADY_HERE
    assert refusal(started(), "cy returns") == Code.NOT_SEATED


@pytest.mark.usefixtures("toys")
def test_a_timer_of_the_game_does_not_give_the_silent_more_time() -> None:
    table = play(started("gated-hourglass"), "ana turns sand 10", "ana turns other 20", "ana asks")
    assert due(table) == 30_000
    table = play(table, "ring game sand")
    assert table.state.phase is Phase.GATHERING
    assert due(table) == 20_000
    assert play(table, "ring game other", "ring acks").state.phase is Phase.PLAYING


@pytest.mark.usefixtures("toys")
def test_a_gate_that_the_game_itself_has_opened_leaves_no_deadline_behind() -> None:
    table = play(started("hourglass"), "ana turns sand 10", "ana asks")
    assert table.state.phase is Phase.GATHERING
    table = play(table, "ring game sand")
    assert table.state.phase is Phase.PLAYING
    assert due(table) is None


@pytest.mark.usefixtures("toys")
def test_the_dealer_does_its_part_when_all_have_heard() -> None:
    table = play(started("hourglass"), "ana asks")
    assert table.match.phase == "Dealing"
    assert heard(table).match.phase == "Ready"


@pytest.mark.usefixtures("toys")
def test_a_dealer_that_never_comes_to_an_end_is_a_bug_and_is_seen() -> None:
    table = play(started("hourglass", options={"isEndless": True}), "ana asks")
    with pytest.raises(AssertionError, match="never rests"):
        play(table, "acks")
