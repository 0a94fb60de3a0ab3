"""What anyone may see of a table, and what a server must do for it."""

from itertools import pairwise
from random import Random

import msgspec
import pytest
from msgspec import Raw
from msgspec.structs import replace

from tests.rules.sixtysix.matches import BOB, turn
from tests.table.proofs.walks import find, walked
from tests.table.tables import (
    ANA,
    BO,
    OPENED,
    SEED,
    around,
    heard,
    opened,
    play,
    refusal,
    refused,
    seated,
    started,
    starting,
)
from turnstile.kernel import PlayerId, Rejection, encode
from turnstile.kernel.timers import next_timer
from turnstile.registry import names
from turnstile.table.machine import table
from turnstile.table.sight import (
    bot_of,
    bots_to_move,
    delayed_status,
    due_of,
    is_open,
    is_shown_later,
    needs_server,
    parts_of_status,
    status,
    without_wait,
)
from turnstile.table.values import Code, Command, Phase, Resign

HAL = PlayerId("hal")


# what anyone may see


def test_a_status_says_who_sits_there_and_what_the_table_waits_for() -> None:
    shown = status(starting(ack_seconds=30.0).state)
    assert [seat.player for seat in shown.seats] == [ANA, BO]
    assert (shown.phase, shown.admin, shown.game) == ("Starting", ANA, "e-card")
    assert shown.acks_due == OPENED + 30_000
    assert status(started().state).acks_due is None


def test_a_status_says_how_much_time_everyone_has() -> None:
    shown = status(play(started("even-odd", clock="60 per match, then wait"), "later 10", "ana even").state)
    assert shown.clocks == {BO: OPENED + 60_000}
    assert shown.left == {ANA: 50_000}


def test_a_status_says_how_the_match_ended_and_where_it_goes_on() -> None:
    ended = play(started(), "ana resigns", "bo rematches")
    shown = status(ended.state)
    assert shown.result is not None
    assert shown.result.winners == (BO,)
    assert (shown.agreed, shown.successor) == ((BO,), None), "nobody can sit down there before all agree"
    agreed = play(ended, "ana rematches")
    assert status(agreed.state).successor is None, "nobody can go there before it exists"
    assert status(play(agreed, "succeeded").state).successor == "a table for bo"


def test_V4_who_is_some_behind_sees_no_clocks_no_gates_and_no_absence() -> None:
    table = play(started("even-odd", clock="60 per match, then wait"), "later 10", "ana even")
    shown = delayed_status(status(table.state))
    assert (shown.clocks, shown.left, shown.acks_due) == ({}, {}, None)
    silent = play(around(turn(BOB)), "bob stop", "acks", "ring acks")
    assert silent.state.phase is Phase.GATHERING
    assert delayed_status(status(silent.state)).phase is Phase.PLAYING
    assert not any(seat.is_away for seat in delayed_status(status(silent.state)).seats)


def test_V4_spectators_are_behind_until_the_match_is_over() -> None:
    assert not is_shown_later(started().state)
    assert is_shown_later(started(delay=1).state)
    assert not is_shown_later(play(started(delay=1), "ana resigns").state)


COMMANDS = [kind for kind in table.events if issubclass(kind, Command)]
FIELDS = {"name": HAL, "bot": "random", "seed": SEED, "words": "luck", "move": Raw(b"{}"), "successor": "t2"}


def test_V4_the_table_refuses_a_stranger_alike_whether_it_waits_or_not() -> None:
    """Also the player who opened the table and has left it. Players with a seat are told to wait."""
    gathering = play(starting(players="bo cy", delay=3), "acks")
    playing = heard(gathering)
    assert (gathering.state.phase, playing.state.phase) == (Phase.GATHERING, Phase.PLAYING)
    for kind in COMMANDS:
        fields = {each.name: FIELDS[each.name] for each in msgspec.structs.fields(kind) if each.name in FIELDS}
        for stranger in (ANA, PlayerId("a stranger")):
            command = kind(stranger, "c1", OPENED, **fields)
            assert refused(gathering, command) == refused(playing, command)
            assert isinstance(table.apply(starting(players="bo cy").state, command), Rejection)
        if kind is not Resign:
            assert refusal(gathering, kind(BO, "c1", OPENED, **fields)) == Code.ACKS_MISSING


def test_without_a_wait_that_has_just_begun_the_match_is_seen_to_go_on() -> None:
    waiting = play(starting(), "acks").state
    shown, as_if = status(waiting), status(without_wait(waiting))
    assert (shown.phase, shown.acks_due is None) == (Phase.GATHERING, False)
    assert (as_if.phase, as_if.acks_due) == (Phase.PLAYING, None)
    assert replace(as_if, phase=shown.phase, acks_due=shown.acks_due) == shown


def test_a_wait_before_the_match_is_always_seen() -> None:
    state = starting().state
    assert without_wait(state) is state
    assert status(state).acks_due is not None


@pytest.mark.parametrize("name", names())
def test_while_its_parts_are_the_same_so_is_a_status(name: str) -> None:
    repeated = 0
    for seed in range(20):
        walk = walked(Random(f"{seed} of {name}"), 100, find(name))
        for before, after in pairwise(walk.states):
            if parts_of_status(before) == parts_of_status(after):
                assert status(before) == status(after)
                repeated += 1
    assert repeated > 20


def test_no_status_holds_the_seed_the_words_or_the_match() -> None:
    table = play(starting(), "ana says luck")
    for state in (table.state, started().state):
        written = encode(status(state)).decode()
        assert SEED not in written
        assert "luck" not in written
        assert "hand" not in written


# what a server must do


def test_a_table_is_open_until_its_match_is_over_and_while_a_rematch_is_to_be_arranged() -> None:
    finished = play(started(), "ana resigns")
    rematched = play(finished, "ana rematches", "bo rematches")
    tables = [opened(), starting(), started(), finished, rematched, play(rematched, "succeeded")]
    assert [is_open(table.state) for table in tables] == [True, True, True, False, True, False]


def test_a_bot_plays_on_its_own_seat() -> None:
    state = started("even-odd", "ana hal*").state
    assert bot_of(state, HAL) == "random"
    assert bot_of(state, ANA) is None
    assert bot_of(state, PlayerId("nobody")) is None
    assert bots_to_move(state) == (HAL,)
    assert bots_to_move(starting("even-odd", "ana hal*").state) == ()


def test_the_table_says_which_bot_stands_in() -> None:
    table = play(started("even-odd", clock="60 per move, then bot", stand_in="reader"), "ring clock ana")
    assert bot_of(table.state, ANA) == "reader"


@pytest.mark.parametrize(
    ("table", "needed"),
    [
        (seated("even-odd", "ana hal*"), False),
        (starting("even-odd", "ana hal*"), False),
        (starting("even-odd", "hal* ida*"), True),
        (started("even-odd", "ana hal*"), True),
        (play(started("even-odd", "ana hal*"), "hal even"), False),
        (started("even-odd"), False),
        (starting("even-odd"), False),
        (play(started(), "ana resigns", "ana rematches", "bo rematches"), True),
    ],
)
def test_C7_a_server_is_needed_where_a_bot_is_to_move_or_to_be_told_or_a_table_to_be_opened(
    table: object, needed: bool
) -> None:
    assert needs_server(table.state) is needed  # type: ignore[attr-defined]


def test_a_gate_that_waits_for_no_bot_needs_no_server() -> None:
    table = play(around(turn(BOB), clock="60 per move, then bot"), "bob stop", "acks", "ring acks", "acks")
    assert bot_of(table.state, BOB) == "random"
    assert not needs_server(table.state)


def test_a_server_must_look_when_a_timer_is_due() -> None:
    assert due_of(seated().state, 5_000) is None
    timer = next_timer(starting(ack_seconds=30.0).state.timers)
    assert timer is not None
    assert due_of(starting(ack_seconds=30.0).state, 5_000) == timer.due == OPENED + 30_000


def test_a_server_must_look_soon_where_only_it_can_go_on() -> None:
    assert due_of(starting("even-odd", "hal* ida*").state, 5_000) == OPENED + 5_000
    assert due_of(starting("even-odd", "ana hal*").state, 5_000) == OPENED + 30_000, "it is ana who is waited for"
    assert due_of(started("even-odd", "ana hal*").state, 5_000) == OPENED + 5_000
    assert due_of(starting("even-odd", "ana hal*", ack_seconds=1.0).state, 5_000) == OPENED + 1_000
