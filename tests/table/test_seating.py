"""Before the match: who sits down, who may seat and unseat others, and what a table refuses to be opened for."""

from typing import Any

import pytest
from msgspec import Raw
from msgspec.structs import replace

from tests.table.proofs.walks import find
from tests.table.tables import ANA, BO, OPENED, opened, play, refusal, refused, seated
from turnstile.kernel import PlayerId, Refusal, Rejection
from turnstile.kernel.values import LogId
from turnstile.registry import names
from turnstile.table import machine
from turnstile.table.values import AddBot, Code, Header, Join, Kind, Phase, Seat
from turnstile.testing.strategies import NAMES


def header(**changed: Any) -> Header:
    """The header of a table of E-Card, with something changed."""
    return replace(Header(LogId("t1"), "e-card", 1, Raw(b"{}"), ANA, OPENED), **changed)


def code_of(made: object) -> str:
    assert isinstance(made, Rejection)
    return made.code


# opening


def test_the_table_of_a_rematch_has_its_company_from_the_first() -> None:
    company = (Seat(ANA), Seat(BO))
    state = machine.open_table(header(seats=company))
    assert not isinstance(state, Rejection)
    assert state.seats == company
    assert code_of(machine.open_table(header(seats=(Seat(ANA), Seat(ANA))))) == Refusal.INVALID_PLAYERS
    assert code_of(machine.open_table(header(seats=(*company, Seat(PlayerId("cy")))))) == Refusal.INVALID_PLAYERS


def test_a_new_table_has_nobody_seated_and_knows_when_it_was_opened() -> None:
    state = opened().state
    assert (state.phase, state.seats, state.now) == (Phase.SEATING, (), OPENED)


def test_a_table_for_a_game_that_is_not_installed_is_refused() -> None:
    assert code_of(machine.open_table(header(game="chess"))) == Code.UNKNOWN_GAME


def test_U2_a_table_of_another_version_of_its_game_is_refused() -> None:
    assert code_of(machine.open_table(header(game_version=99))) == Code.OTHER_VERSION


def test_U3_a_table_kept_by_another_version_of_tables_is_refused() -> None:
    assert code_of(machine.open_table(header(version=99))) == Code.OTHER_VERSION


def test_options_that_the_game_does_not_know_are_refused() -> None:
    assert code_of(machine.open_table(header(options=Raw(b'{"wings":2}')))) == Refusal.INVALID_OPTIONS


@pytest.mark.parametrize("size", [-3, 0, 26, 10**30])
def test_options_that_no_company_could_play_with_are_refused_when_the_table_is_opened(size: int) -> None:
    answer = machine.open_table(header(game="up-down", options=Raw(b'{"maxRoundSize":%d}' % size)))
    assert code_of(answer) == Refusal.INVALID_OPTIONS


def test_options_that_some_company_could_play_with_are_taken_when_the_table_is_opened() -> None:
    assert not isinstance(machine.open_table(header(game="up-down", options=Raw(b'{"maxRoundSize":25}'))), Rejection)


# sitting down


def test_players_sit_down_in_the_order_in_which_they_come() -> None:
    assert play(opened(), "bo joins", "ana joins").state.players == (BO, ANA)


def test_a_person_an_agent_and_a_bot_may_sit_at_one_table() -> None:
    table = play(opened("66"), "ana joins", "bo joins as agent", "ana adds hal")
    assert table.state.seats == (
        Seat(ANA, Kind.PERSON),
        Seat(BO, Kind.AGENT),
        Seat(PlayerId("hal"), Kind.BOT, "random"),
    )


def test_nobody_joins_as_a_bot() -> None:
    assert refusal(opened(), "bo joins as bot") == Refusal.INVALID_EVENT


def test_only_the_admin_seats_bots() -> None:
    assert refusal(opened(), "bo adds hal") == Code.NOT_ADMIN


def test_two_players_cannot_have_one_name() -> None:
    table = play(opened(), "bo joins")
    assert refusal(table, "bo joins") == Code.ALREADY_SEATED
    assert refusal(table, "ana adds bo") == Code.ALREADY_SEATED


def test_K4_nobody_sits_down_when_every_seat_is_taken() -> None:
    table = seated("e-card", "ana bo")
    assert refusal(table, "cy joins") == Code.TABLE_FULL
    assert refusal(table, "ana adds cy") == Code.TABLE_FULL


def test_P17_a_name_that_cannot_be_printed_is_refused() -> None:
    table = opened()
    assert refusal(table, Join(PlayerId("a\x1b[31m"), "1", OPENED)) == Refusal.INVALID_PLAYERS
    assert refusal(table, AddBot(ANA, "1", OPENED, PlayerId("b\x00"), PlayerId("random"))) == Refusal.INVALID_PLAYERS


# leaving


def test_who_leaves_gives_its_seat_back() -> None:
    table = play(seated(), "bo leaves", "cy joins")
    assert table.state.players == (ANA, PlayerId("cy"))


def test_who_has_no_seat_cannot_leave() -> None:
    assert refusal(opened(), "bo leaves") == Code.NOT_SEATED


def test_the_admin_may_leave_and_is_still_the_admin() -> None:
    table = play(seated(), "ana leaves", "cy joins", "ana starts")
    assert table.state.phase is Phase.STARTING
    assert ANA not in table.state.players


def test_the_admin_frees_a_seat_and_nobody_else_does() -> None:
    assert play(seated(), "ana removes bo").state.players == (ANA,)
    assert refusal(seated(), "bo removes ana") == Code.NOT_ADMIN
    assert refusal(seated(), "ana removes cy") == Code.NOT_SEATED


# closing


def test_the_admin_closes_a_table_that_nobody_played_at() -> None:
    assert play(seated(), "ana closes").state.phase is Phase.CLOSED
    assert refusal(seated(), "bo closes") == Code.NOT_ADMIN


def test_at_a_closed_table_nothing_is_possible_any_more() -> None:
    answer = refused(play(opened(), "ana closes"), "bo joins")
    assert answer.code == Refusal.WRONG_PHASE
    assert "nothing is possible any more" in answer.sentence


# starting


def test_only_the_admin_starts() -> None:
    assert refusal(seated(), "bo starts") == Code.NOT_ADMIN


def test_a_match_is_not_started_with_too_few_players() -> None:
    assert refusal(seated("e-card", "ana"), "ana starts") == Refusal.INVALID_PLAYERS


@pytest.mark.parametrize("name", names())
def test_a_match_starts_with_as_many_players_as_its_game_has_seats_for_and_with_no_fewer(name: str) -> None:
    seats = find(name).seats
    for count in range(1, seats[-1] + 1):
        table = seated(name, " ".join(NAMES[:count]))
        if count in seats:
            assert play(table, "ana starts").state.phase is Phase.STARTING
        else:
            answer = refused(table, "ana starts")
            assert answer.code == Refusal.INVALID_PLAYERS
            assert answer.sentence.endswith(f"players, not {count}.")


def test_a_table_of_up_down_with_one_player_does_not_start() -> None:
    answer = refused(seated("up-down", "ana"), "ana starts")
    assert answer == Rejection(Refusal.INVALID_PLAYERS, "This game takes 2 to 10 players, not 1.")


def test_the_company_of_a_rematch_is_told_how_many_the_game_takes() -> None:
    answer = machine.open_table(
        header(game="up-down", seats=tuple(Seat(PlayerId(f"{number}")) for number in range(11)))
    )
    assert answer == Rejection(Refusal.INVALID_PLAYERS, "This game takes 2 to 10 players, not 11.")


def test_a_match_is_not_started_with_options_that_do_not_fit_the_company() -> None:
    table = seated("up-down", "ana bo cy", options={"maxRoundSize": 25})
    answer = refused(table, "ana starts")
    assert answer == Rejection(Refusal.INVALID_OPTIONS, "With 3 players maxRoundSize is from 1 to 17.")


def test_nobody_moves_or_resigns_before_the_start() -> None:
    assert refusal(seated(), "ana C") == Refusal.WRONG_PHASE
    assert refusal(seated(), "ana resigns") == Refusal.WRONG_PHASE
