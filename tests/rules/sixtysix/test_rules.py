"""The rules of 66, sentence by sentence, in the order of a match."""

from collections import Counter

import pytest
from hypothesis import given

from tests.rules.sixtysix.matches import (
    ALICE,
    ALICE_SEAT,
    BOB,
    BOB_SEAT,
    CAROL,
    CAROL_SEAT,
    PLAYERS,
    act,
    lobby,
    play,
    refusal,
    shown,
    turn,
    values,
)
from turnstile.games.sixtysix.cards import DECK, Seat, hand, notation
from turnstile.games.sixtysix.rules import game, new, outcome
from turnstile.games.sixtysix.scores import round_scores
from turnstile.games.sixtysix.state import Code, Options, Phase, Round, State
from turnstile.kernel import ByPlayer, PlayerId, Refusal, Rejection, Seed
from turnstile.testing.strategies import RandomMatch, matches

STARTS = [play(lobby(seed=str(number)), "alice start") for number in range(60)]


# Players and cards


@pytest.mark.parametrize("count", [0, 1, 6])
def test_a_match_has_two_to_five_players(count: int) -> None:
    answer = new([PlayerId(f"p{number}") for number in range(count)], Options(), Seed("7"))
    assert isinstance(answer, Rejection)
    assert answer.code == Refusal.INVALID_PLAYERS


@pytest.mark.parametrize("seed", [None, ""])
def test_a_match_needs_a_seed(seed: Seed | None) -> None:
    answer = new(PLAYERS, Options(), seed)
    assert isinstance(answer, Rejection)
    assert answer.code == Refusal.INVALID_SEED


def test_the_deck_has_52_cards_two_0s_two_13s_and_four_of_every_value_between() -> None:
    assert Counter(DECK) == {0: 2, 13: 2, **dict.fromkeys(range(1, 13), 4)}
    assert len(DECK) == 52
    assert "52 cards: two 0s, two 13s, and four of every value between" in game.rules


@given(matches(game))
def test_all_52_cards_are_always_there(match: RandomMatch) -> None:
    for state in match.states[1:]:
        held = [card.value for cards in state.hands for card in cards]
        taken = [] if state.taken is None else [state.taken]
        assert Counter([*held, *state.deck, *state.discarded, *taken]) == Counter(DECK)


@pytest.mark.parametrize("text", ["", "5", "5:0 0:0 13 7", "12:012 1:2"])
def test_a_hand_reads_and_writes_itself_in_short_notation(text: str) -> None:
    assert notation(hand(text)) == text


# A round starts


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_four_cards_each_and_one_face_up_and_the_rest_is_the_deck(count: int) -> None:
    match = play(lobby([PlayerId(f"p{number}") for number in range(count)]), "p0 start")
    assert match.hand_sizes == (4,) * count
    assert (len(match.discarded), len(match.deck)) == (1, 51 - 4 * count)


def test_each_player_looks_at_its_own_cards_0_and_1() -> None:
    for seat, held in enumerate(STARTS[0].hands):
        assert [card.seen_by for card in held] == [(seat,), (seat,), (), ()]


def test_the_same_seed_deals_the_same_and_another_seed_another() -> None:
    assert play(lobby(), "alice start") == play(lobby(), "alice start")
    assert len({match.hands for match in STARTS}) == len(STARTS)


def test_the_first_player_of_round_one_is_drawn_from_the_seed() -> None:
    assert {match.turn for match in STARTS} == {0, 1, 2}
    assert all(match.turn == match.starter for match in STARTS)


def test_the_starter_has_the_first_turn_when_everybody_knows_its_cards() -> None:
    match = play(STARTS[0], "acks")
    assert (match.phase, match.turn) == (Phase.READY_FOR_TURN, match.starter)


# Taking a card from the deck


def test_the_top_of_the_deck_is_taken() -> None:
    match = play(turn(draws="3 8"), "alice take")
    assert (match.phase, match.taken, len(match.deck)) == (Phase.DECK_CARD_TAKEN, 3, 38)


def test_the_taken_card_replaces_a_card_which_is_discarded() -> None:
    match = play(turn(alice="12 4 9 1", draws="3"), "alice take", "alice keep 2")
    assert shown(match, ALICE) == "12:0 4:0 3:0 1"
    assert (match.discarded[-2:], match.taken) == ((7, 9), None)


@pytest.mark.parametrize("value", [0, 1, 2, 3, 4, 5, 6, 13])
def test_a_plain_card_that_is_discarded_ends_the_turn(value: int) -> None:
    match = turn(alice="12 4 9 1", bob="8 8 3 10", carol="11 2 9 7", draws=str(value))
    match = act(match, "alice take", "alice discard")
    assert (match.phase, match.turn, match.discarded) == (Phase.READY_FOR_TURN, BOB_SEAT, (7, value))
    assert values(match, ALICE) == [12, 4, 9, 1]


@pytest.mark.parametrize("value", [7, 8, 9, 10, 11, 12])
def test_a_7_to_12_that_is_discarded_must_be_used(value: int) -> None:
    match = act(turn(draws=str(value)), "alice take", "alice discard")
    assert (match.phase, match.turn) == (Phase.DISCARDED, ALICE_SEAT)


@pytest.mark.parametrize("value", [7, 9, 11])
def test_the_power_does_not_work_when_the_card_is_kept(value: int) -> None:
    match = act(turn(draws=str(value)), "alice take", "alice keep 0")
    assert (match.phase, match.turn) == (Phase.READY_FOR_TURN, BOB_SEAT)


def test_the_power_does_not_work_when_a_card_of_the_hand_is_discarded() -> None:
    match = act(turn(alice="12 4 9 1", draws="3"), "alice take", "alice keep 0")
    assert (match.discarded[-1], match.phase, match.turn) == (12, Phase.READY_FOR_TURN, BOB_SEAT)


# Powers


@pytest.mark.parametrize("value", [7, 8])
def test_with_a_7_or_8_a_player_looks_at_a_card_of_its_own(value: int) -> None:
    match = act(turn(draws=str(value)), "alice take", "alice discard", "alice peek 3")
    assert shown(match, ALICE) == "12:0 4:0 9 1:0"
    assert match.turn == BOB_SEAT


@pytest.mark.parametrize("value", [9, 10])
def test_with_a_9_or_10_a_player_looks_at_a_card_of_another(value: int) -> None:
    match = act(turn(draws=str(value)), "alice take", "alice discard", "alice peek 2.1")
    assert shown(match, CAROL) == "11:2 2:02 6 6"
    assert match.turn == BOB_SEAT


@pytest.mark.parametrize("value", [11, 12])
def test_with_an_11_or_12_a_player_exchanges_a_card_for_one_of_another(value: int) -> None:
    match = act(turn(draws=str(value)), "alice take", "alice discard", "alice exchange 0 1.2")
    assert (shown(match, ALICE), shown(match, BOB)) == ("3 4:0 9 1", "5:1 8:1 12:0 10")
    assert match.turn == BOB_SEAT


# Taking the discarded card


def test_the_topmost_discarded_card_replaces_a_card_which_is_discarded() -> None:
    match = play(turn(alice="12 4 9 1", pile="7 3"), "alice pick 0")
    assert (shown(match, ALICE), match.discarded) == ("3:012 4:0 9 1", (7, 12))


def test_taking_the_discarded_card_ends_the_turn() -> None:
    match = act(turn(), "alice pick 0")
    assert (match.phase, match.turn, match.turn_count) == (Phase.READY_FOR_TURN, BOB_SEAT, 1)


# Claims

PAIRS = "5 9 5 5"


def test_after_a_successful_claim_the_player_replaces_the_shown_cards() -> None:
    match = act(turn(alice=PAIRS, bob="4 8 3 10"), "alice show 0 2 3")
    assert (match.phase, match.turn) == (Phase.REPLACING_CARDS, ALICE_SEAT)


def test_one_card_from_the_deck_takes_the_lowest_place_and_the_row_closes_up() -> None:
    match = act(turn(alice=PAIRS, bob="4 8 3 10", draws="12"), "alice show 2 3", "alice blind")
    assert (shown(match, ALICE), match.discarded) == ("5:0 9:0 12", (7, 5, 5))
    assert (len(match.deck), match.turn) == (38, BOB_SEAT)


def test_the_discarded_card_takes_the_lowest_place_and_the_row_closes_up() -> None:
    match = act(turn(alice=PAIRS, bob="4 8 3 10", pile="7 1"), "alice show 0 2 3", "alice open")
    assert (shown(match, ALICE), match.discarded) == ("1:012 9:0", (7, 5, 5, 5))
    assert match.turn == BOB_SEAT


def test_four_identical_cards_leave_a_hand_of_one_with_which_no_claim_can_be_made() -> None:
    match = act(turn(alice="5 5 5 5", bob="4 8 3 10", draws="12"), "alice show 0 1 2 3", "alice blind")
    match = act(match, "bob pick 0", "carol pick 0")
    assert shown(match, ALICE) == "12"
    assert refusal(match, "alice show 0 1") == Code.NO_SUCH_CARD


@pytest.mark.parametrize("indexes", ["0 1", "1 2", "0 1 2", "0 1 2 3"])
def test_a_failed_claim_ends_the_turn_and_changes_no_card(indexes: str) -> None:
    before = turn(alice=PAIRS, bob="4 8 3 10")
    match = act(before, f"alice show {indexes}")
    assert (match.phase, match.turn) == (Phase.READY_FOR_TURN, BOB_SEAT)
    assert values(match, ALICE) == values(before, ALICE)
    assert match.discarded == before.discarded


# Stopping


def test_stopping_is_the_stoppers_last_turn_and_every_other_player_has_exactly_one_more() -> None:
    match = act(turn(BOB), "bob stop")
    assert (match.stopper, match.turn) == (BOB_SEAT, CAROL_SEAT)
    match = act(match, "carol pick 0")
    assert (match.phase, match.turn) == (Phase.READY_FOR_TURN, ALICE_SEAT)
    assert act(match, "alice pick 0").phase is Phase.ROUND_FINISHED


LAST_TURNS = {
    "by a discarded card": ["alice pick 0"],
    "by a failed claim": ["alice show 0 1"],
    "by cards for a discarded one": ["alice show 2 3", "alice open"],
    "by cards for one from the deck": ["alice show 2 3", "alice blind"],
    "by a card from the deck": ["alice take", "alice keep 0"],
    "by a plain discard": ["alice take", "alice discard"],
}


@pytest.mark.parametrize("texts", LAST_TURNS.values(), ids=LAST_TURNS.keys())
def test_a_stopped_round_is_over_however_its_last_turn_ends(texts: list[str]) -> None:
    match = act(turn(BOB, alice="12 4 1 1"), "bob stop", "carol pick 0")
    assert act(match, *texts).phase is Phase.ROUND_FINISHED


def test_the_round_also_ends_when_a_turn_is_done_and_the_deck_is_empty() -> None:
    match = act(turn(left=2), "alice take", "alice keep 0")
    assert match.phase is Phase.READY_FOR_TURN
    match = act(match, "bob take", "bob keep 0")
    assert (match.phase, match.deck, match.rounds[-1].stopper) == (Phase.ROUND_FINISHED, (), None)


def test_the_last_card_of_the_deck_may_replace_shown_cards() -> None:
    match = act(turn(alice="5 5 9 1", bob="4 8 3 10", left=1), "alice show 0 1", "alice blind")
    assert match.phase is Phase.ROUND_FINISHED


def test_the_power_of_the_last_card_of_the_deck_is_still_used() -> None:
    match = act(turn(draws="7", left=1), "alice take", "alice discard")
    assert match.phase is Phase.DISCARDED
    assert act(match, "alice peek 2").phase is Phase.ROUND_FINISHED


# Scores


@pytest.mark.parametrize(
    ("hands", "stopper", "scores"),
    [
        (("1 2 3 4", "5 6", "0"), None, (10, 11, 0)),
        (("1 2 3 4", "5 6", "0"), 2, (10, 11, 0)),
        (("1 2 3 4", "5 6", "11"), 0, (0, 11, 11)),
        (("1 2 3 4", "5 5", "12"), 0, (0, 10, 12)),  # nobody holds less
        (("1 2 3 4", "5 5", "12"), 1, (10, 0, 12)),
        (("1 2 3 4", "5 4", "12"), 0, (20, 9, 12)),
        (("0", "0", "13"), 1, (0, 0, 13)),
    ],
)
def test_the_stopper_scores_0_when_no_one_holds_less_and_otherwise_its_sum_plus_10(
    hands: tuple[str, ...], stopper: Seat | None, scores: tuple[int, ...]
) -> None:
    assert round_scores([hand(text) for text in hands], stopper) == scores


def finished(totals: tuple[int, int, int] = (0, 0, 0)) -> State:
    """Alice holds 26, Bob 22 and has stopped, Carol 21."""
    match = turn(BOB, alice="12 4 9 1", bob="5 8 3 6", carol="11 2 2 6", pile="12", totals=totals)
    return act(match, "bob stop", "carol show 0 1", "alice show 0 1")


def test_round_scores_add_to_the_totals() -> None:
    match = finished(totals=(10, 20, 30))
    assert match.rounds[-1] == Round(3, BOB_SEAT, (26, 32, 21))
    assert match.totals == (36, 52, 51)


def test_each_later_round_starts_with_the_seat_after_the_one_that_started_the_round_before() -> None:
    match = finished()
    assert (match.starter, match.turn) == (BOB_SEAT, CAROL_SEAT)
    match = act(match, "carol next")
    assert (match.phase, match.starter, match.turn) == (Phase.READY_FOR_TURN, CAROL_SEAT, CAROL_SEAT)


def test_a_new_round_is_dealt_from_all_cards_and_nothing_of_the_round_before_is_left_but_the_scores() -> None:
    before, match = finished(), play(finished(), "carol next")
    assert (match.phase, match.hand_sizes, len(match.deck)) == (Phase.ROUND_STARTING, (4, 4, 4), 39)
    assert (match.stopper, match.turn_count, match.touched, match.taken) == (None, 0, (), None)
    assert (match.totals, match.rounds) == (before.totals, before.rounds)
    assert match.hands != play(lobby(), "alice start").hands


@pytest.mark.parametrize(("points", "phase"), [(40, Phase.ROUND_FINISHED), (41, Phase.GAME_FINISHED)])
def test_the_game_ends_when_a_total_exceeds_66(points: int, phase: Phase) -> None:
    match = finished(totals=(points, 0, 0))
    assert (match.totals[0], match.phase) == (points + 26, phase)


@pytest.mark.parametrize(
    ("totals", "winners"),
    [((60, 0, 0), (CAROL,)), ((60, 10, 30), (BOB,)), ((60, 0, 11), (BOB, CAROL)), ((60, 50, 66), (BOB,))],
)
def test_the_lowest_total_wins_and_equal_totals_share(totals: tuple[int, int, int], winners: tuple[PlayerId]) -> None:
    match = finished(totals)
    ended = outcome(match)
    assert ended is not None
    assert ended.winners == winners
    assert ended.scores == ByPlayer({ALICE: totals[0] + 26, BOB: totals[1] + 32, CAROL: totals[2] + 21})


def test_there_is_no_outcome_before_the_game_is_finished() -> None:
    assert outcome(finished()) is outcome(lobby()) is None


def test_the_game_says_who_it_is() -> None:
    assert (game.name, game.title, game.version, list(game.seats)) == ("66", "66", 1, [2, 3, 4, 5])
