"""Streams: what each seat is told, in which order, with what it sees and may do then."""

import pytest

from tests.table.tables import ANA, BO, MOVES, heard, play, raw_act, refusal, refused, seated, started, starting
from turnstile.games.ecard import BeginPicking
from turnstile.kernel import Refusal
from turnstile.table.sight import answer_of
from turnstile.table.values import Accepted, Code, Join, Phase


def test_every_stream_counts_from_1_without_gaps() -> None:
    table = play(started(), "ana C", "bo C", "bo C", "ana C")
    for eyes in (ANA, BO, None):
        assert [update.seq for update in table.streams[eyes]] == list(range(1, len(table.streams[eyes]) + 1))
    assert table.state.told == {ANA: len(table.streams[ANA]), BO: len(table.streams[BO])}
    assert table.state.watched == len(table.streams[None])


def test_an_update_says_what_happened_what_its_player_sees_and_what_it_may_do() -> None:
    table = started()
    last = table.last(ANA)
    assert last.view is not None
    assert last.view["phase"] == "Picking"
    assert {action["card"] for action in last.actions} == set(last.view["hand"])
    assert all(action["player"] == "ana" for action in last.actions)


def test_a_player_who_is_told_nothing_and_yet_sees_something_else_gets_an_update_without_messages() -> None:
    table = play(started(), "ana C")
    assert table.stream(BO)[-1] == "OpponentPicked"
    assert table.stream(ANA)[-1] == "-"
    seen = table.last(ANA).view
    assert seen is not None
    assert seen["pendingPick"] == "C"
    assert table.last(ANA).actions == []


@pytest.mark.usefixtures("toys")
def test_a_player_who_sees_nothing_else_gets_no_update() -> None:
    before = started("hourglass")
    after = play(before, "ana hides")
    assert after.stream(ANA) == [*before.stream(ANA), "-"]
    assert after.stream(BO) == before.stream(BO)
    assert after.stream(None) == before.stream(None)


@pytest.mark.usefixtures("toys")
def test_in_a_gated_game_the_player_who_has_moved_gets_an_update_even_where_nothing_is_told() -> None:
    table = started("gated-hourglass", "ana bo cy")
    assert play(table, "ana hides").stream(ANA)[-1] == "-"


def test_spectators_have_a_stream_of_what_everyone_may_see() -> None:
    table = play(started(), "ana C")
    view = table.last(None).view
    assert view is not None
    assert (view["hand"], view["pendingPick"], view["hasPicked"]["ana"]) == ([], None, True)
    assert table.last(None).actions == []


def test_where_no_spectators_are_allowed_there_is_no_stream_for_them() -> None:
    table = play(started(spectators=False), "ana C", "bo C", "ana resigns")
    assert set(table.streams) == {ANA, BO}
    assert table.state.watched == 0


def test_what_one_step_tells_one_seat_is_one_update() -> None:
    table = play(started(), "ana C")
    after = play(table, "bo C")
    assert [after.state.told[player] - table.state.told[player] for player in (ANA, BO)] == [1, 1]
    assert (after.stream(ANA)[-1], after.stream(BO)[-1]) == ("OpponentPicked PairRevealed", "PairRevealed")


def test_everyone_sees_the_match_as_it_begins_even_where_nothing_is_told() -> None:
    table = play(starting("66"), "acks")
    assert table.stream(ANA) == table.stream(BO) == table.stream(None) == ["MatchStarting", "-"]
    assert table.last(ANA).actions == [{"type": "StartGame", "player": "ana"}]
    assert table.last(BO).view is not None


def test_E_card_begins_picking_only_when_both_have_acknowledged_the_set_up() -> None:
    table = play(starting(), "acks")
    assert table.state.phase is Phase.GATHERING
    assert table.stream(ANA)[-1] == "MatchStarted RoundSetUp"
    assert refusal(table, "ana C") == Code.ACKS_MISSING
    assert refusal(table, "acks ana 2 bo 1") == Code.ACKS_MISSING
    table = play(table, "acks ana 2 bo 2")
    assert table.state.phase is Phase.PLAYING
    assert table.match.phase == "Picking"


def test_the_next_round_of_e_card_waits_for_the_acknowledgements_of_its_set_up() -> None:
    table = started()
    emperor = table.match.roles.emperor_player
    other = table.state.players[1 - table.state.players.index(emperor)]
    table = play(table, f"{emperor} C", f"{other} S")
    assert table.state.phase is Phase.GATHERING
    assert heard(table).match.phase == "Picking"


def test_in_open_play_no_move_waits_for_acknowledgements() -> None:
    table = play(started("even-odd"), "ana even", "bo odd", "ana odd", "bo odd")
    assert table.state.phase is Phase.PLAYING
    assert len(table.match.results) == 2


def test_P6_N18_no_player_acknowledges_what_was_never_told() -> None:
    table = starting()
    assert refusal(table, "acks ana 2 bo 1") == Code.FUTURE_ACK
    assert refusal(table, "acks ana -1 bo 1") == Code.FUTURE_ACK
    assert refusal(table, "acks cy 1") == Code.NOT_SEATED


def test_N17_acknowledging_once_more_than_needed_is_harmless() -> None:
    table = play(starting(), "acks")
    before = table.state.acked
    assert play(table, "acks").state.acked[ANA] > before[ANA]


def test_acknowledgements_are_no_business_of_a_table_that_waits_for_none() -> None:
    assert refusal(started(), "acks") == Refusal.WRONG_PHASE


# versions


def test_K1_N4_a_move_that_was_decided_before_its_player_could_do_something_else_is_refused_with_the_newest() -> None:
    table = started()
    seen = table.state.told[ANA]
    table = play(table, "ana C", "bo C")
    answer = refused(table, f"ana C!{seen}")
    assert answer.code == Code.STALE_VERSION
    assert f"update {seen}" in answer.sentence
    assert f"update {table.state.told[ANA]}" in answer.sentence


@pytest.mark.parametrize(("game", "one", "other"), [("e-card", "bo C", "ana C"), ("even-odd", "bo odd", "ana even")])
def test_a_move_is_not_stale_because_another_player_was_faster(game: str, one: str, other: str) -> None:
    table = started(game)
    seen = table.state.told[ANA]
    table = play(table, one)
    assert table.state.told[ANA] > seen, "Ana has heard of it."
    assert play(table, f"{other}!{seen}").state.events == table.state.events + 1


def test_a_player_who_has_moved_moves_no_second_time_on_the_same_update() -> None:
    """The last pick of a pair leaves its player the same choice as before, for the next pair."""
    table = play(started(), "ana C")
    seen = table.state.told[BO]
    offered = table.last(BO).actions
    table = play(table, f"bo C!{seen}")
    assert table.last(BO).actions == offered
    assert refusal(table, f"bo C!{seen}") == Code.STALE_VERSION


def test_a_move_that_was_decided_out_of_turn_is_stale_when_the_turn_has_come() -> None:
    table = started("up-down")
    first, second = table.match.current_round.betting_order
    seen = table.state.told[second]
    table = play(table, f"{first} bets 0")
    assert refusal(table, f"{second} bets 0!{seen}") == Code.STALE_VERSION
    assert play(table, f"{second} bets 0!{table.state.told[second]}").match.current_round.current_hand


def test_in_a_gated_game_a_move_is_stale_only_if_its_players_actions_have_changed() -> None:
    table = heard(play(started("66"), "ana start"))
    player = table.match.players[table.match.turn]
    (other,) = table.state.others(player)
    seen, others = table.state.told[player], table.state.told[other]
    table = heard(play(table, f"{player} take"))
    assert refusal(table, f"{player} take!{seen}") == Code.STALE_VERSION
    assert table.state.told[other] > others
    assert refusal(table, f"{other} discard!{others}") == "NotYourTurn", "It could do nothing then, and cannot now."


@pytest.mark.usefixtures("toys")
def test_what_other_players_do_not_see_makes_no_move_of_theirs_stale() -> None:
    table = started("hourglass")
    seen = table.state.told[BO]
    assert play(table, "ana hides", "ana hides", f"bo hides!{seen}").match.hidden[BO] == 1


@pytest.mark.usefixtures("toys")
def test_a_player_who_has_moved_gets_an_update_even_if_it_sees_nothing_else_and_moves_again_on_that_one() -> None:
    table = started("hourglass")
    seen = table.state.told[ANA]
    table = play(table, f"ana covers!{seen}")
    assert table.stream(ANA)[seen:] == ["-"]
    assert table.streams[ANA][-1].view == table.streams[ANA][-2].view
    assert refusal(table, f"ana covers!{seen}") == Code.STALE_VERSION
    assert play(table, f"ana covers!{seen + 1}").state.events == table.state.events + 1


@pytest.mark.usefixtures("toys")
def test_the_timer_of_a_game_makes_no_move_stale_that_its_player_may_still_make() -> None:
    table = play(started("hourglass"), "ana turns sand 10")
    seen = table.state.told[BO]
    table = play(table, "ring game sand")
    assert table.state.told[BO] > seen, "Bo has heard of it."
    assert play(table, f"bo hides!{seen}").match.hidden[BO] == 1


def test_P4_a_move_that_was_decided_on_an_update_of_the_future_is_refused() -> None:
    table = started()
    assert refusal(table, f"ana C!{table.state.told[ANA] + 1}") == Code.FUTURE_VERSION
    assert refusal(table, "ana C!-1") == Code.FUTURE_VERSION


def test_a_move_that_was_decided_on_the_newest_update_is_taken() -> None:
    table = started()
    assert play(table, f"ana C!{table.state.told[ANA]}").match.pending_picks[ANA] == "C"


def test_K2_who_does_not_say_what_it_has_seen_may_move_at_the_same_time_as_another() -> None:
    one, other = play(started(), "ana C", "bo C"), play(started(), "bo C", "ana C")
    assert one.match == other.match


def test_the_answer_to_a_command_is_the_newest_update_of_its_sender() -> None:
    table = play(started(), "ana C")
    command = raw_act(table, "ana", None)
    assert answer_of(table.state, command) == Accepted(table.state.told[ANA])
    assert answer_of(seated().state, Join(BO, "1", table.clock)) == Accepted(0)


# moves


def test_P1_who_has_no_seat_cannot_move() -> None:
    assert refusal(started(), "cy C") == Code.NOT_SEATED


def test_P1_no_player_moves_for_another() -> None:
    table = started()
    assert refusal(table, raw_act(table, "ana", MOVES["e-card"]("bo C"))) == Code.NOT_YOUR_SEAT


def test_what_the_table_does_by_itself_is_no_move_of_a_player() -> None:
    table = started()
    assert refusal(table, raw_act(table, "ana", BeginPicking())) == Code.NOT_A_MOVE


def test_P13_what_is_no_event_of_the_game_is_refused() -> None:
    table = started()
    nonsense: list[object] = [None, 7, "C", [], {}, {"type": "Fly"}, {"type": "Pick", "player": "ana", "card": "Q"}]
    for move in nonsense:
        assert refusal(table, raw_act(table, "ana", move)) == Refusal.INVALID_EVENT


def test_P2_the_refusals_of_the_game_come_through() -> None:
    table = play(started(), "ana C")
    assert refusal(table, "ana C") == "AlreadyPicked"
