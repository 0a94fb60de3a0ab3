"""The rules of Up-Down: the testing checklist of its spec, point by point, and its validation rules.

Of the thirteen points the first nine are the headings of this file, the next three those of test_scores.py. The
thirteenth, "concurrent actions handled safely (transactions)", is about tables and where they are stored, not about the
rules: it is tested where tables are.
"""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.updown.matches import (
    ANA,
    BO,
    COMPANIES,
    CY,
    THREE,
    TWO,
    betted,
    dealt,
    held,
    play,
    refusal,
    round_of,
    started,
    through,
    waiting,
    whose_turn,
)
from turnstile.games.updown.cards import DECK, Card, Rank, Suit, card, hand, notation
from turnstile.games.updown.hand import PlayedCard, best_of, playable
from turnstile.games.updown.moves import PlaceBet
from turnstile.games.updown.rounds import largest_round, up_and_down
from turnstile.games.updown.rules import new, updown
from turnstile.games.updown.sight import actions
from turnstile.games.updown.state import Code, Options, Phase, State, player_of
from turnstile.kernel import NEEDS_A_SEED, PlayerId, Players, Refusal, Rejection, Seed

each_company = pytest.mark.parametrize("players", COMPANIES, ids=len)


# Game starts with 2+ players


@each_company
def test_game_starts_with_2_or_more_players(players: Players) -> None:
    match = play(waiting(players), f"{players[0]} starts")
    assert (match.phase, round_of(match).round_number) == (Phase.BETTING, 1)


def test_one_player_alone_may_wait_but_not_start() -> None:
    assert refusal(waiting((ANA,)), "ana starts") == Code.TOO_FEW_PLAYERS


@pytest.mark.parametrize("wrong", [(), tuple("abcdefghijk"), ("ana", "ana"), ("ana", "")])
def test_up_to_10_players_with_different_non_empty_ids_can_wait(wrong: tuple[str, ...]) -> None:
    answer = new([PlayerId(name) for name in wrong], Options(), Seed("7"))
    assert isinstance(answer, Rejection)
    assert answer.code == Refusal.INVALID_PLAYERS


@pytest.mark.parametrize("count", [0, 11])
def test_a_company_of_another_size_is_told_that_2_to_10_may_play(count: int) -> None:
    answer = new([PlayerId(f"{number}") for number in range(count)], Options(), Seed("7"))
    assert answer == Rejection(Refusal.INVALID_PLAYERS, f"This game takes 2 to 10 players, not {count}.")


def test_a_match_needs_a_seed() -> None:
    refused = NEEDS_A_SEED
    assert new(THREE, Options(), None) == refused


# Round sequence generated correctly


@pytest.mark.parametrize(
    ("size", "sizes"), [(1, [1]), (2, [1, 2, 1]), (3, [1, 2, 3, 2, 1]), (7, [1, 2, 3, 4, 5, 6, 7, 6, 5, 4, 3, 2, 1])]
)
def test_round_sequence_goes_from_1_up_to_n_and_down_to_1_again(size: int, sizes: list[int]) -> None:
    assert list(up_and_down(size)) == sizes
    assert list(waiting(THREE, size).round_sequence) == sizes


@pytest.mark.parametrize(
    ("players", "most"), [(2, 25), (3, 17), (4, 12), (5, 10), (6, 8), (7, 7), (8, 6), (9, 5), (10, 5)]
)
def test_the_largest_round_leaves_a_card_for_the_mesa_and_is_7_where_nobody_says_otherwise(
    players: int, most: int
) -> None:
    company = COMPANIES[players - 2]
    assert largest_round(players) == most
    assert max(waiting(company).round_sequence) == min(7, most)
    assert max(waiting(company, most).round_sequence) == most
    assert (round_of(started(company, most)).cards_per_player, len(DECK)) == (1, 52)


@pytest.mark.parametrize("size", [-1, 0, 18, 10**30])
def test_another_largest_round_is_refused(size: int) -> None:
    answer = new(THREE, Options(size), Seed("7"))
    assert answer == Rejection(Refusal.INVALID_OPTIONS, "With 3 players maxRoundSize is from 1 to 17.")


# Cards dealt correctly (X per player + 1 mesa)


@pytest.mark.parametrize("players", [TWO, THREE, COMPANIES[-1]], ids=len)
def test_each_round_deals_x_cards_to_each_player_and_then_the_mesa(players: Players) -> None:
    match = started(players, largest_round(len(players)))
    for size in match.round_sequence:
        assert round_of(match).cards_per_player == size
        assert {len(player.hand) for player in match.players} == {size}
        out = [*(each for player in match.players for each in player.hand), round_of(match).mesa]
        assert len(set(out)) == len(out) == size * len(players) + 1
        match = through(match, 1)


def test_each_round_is_dealt_from_a_freshly_shuffled_deck_that_only_the_seed_and_the_round_decide() -> None:
    match = started(TWO, 3)
    rounds = [through(match, number) for number in range(5)]
    assert len({round_of(each).mesa for each in rounds}) > 1
    other_way = match
    while len(other_way.completed_rounds) < 4:
        other_way = play_last(other_way)
    assert [player.hand for player in other_way.players] == [player.hand for player in rounds[4].players]


def play_last(match: State) -> State:
    """The match after the last of the things that can be done."""
    after = updown.apply(match, whose_turn(match)[-1])
    assert isinstance(after, State)
    return after


# Betting order follows PS1 -> PSL


@each_company
def test_betting_order_follows_ps1_to_psl(players: Players) -> None:
    match = started(players)
    order = round_of(match).betting_order
    assert order[0] == round_of(match).starting_player_id == players[0]
    assert set(order) == set(players)
    for index, bettor in enumerate(order):
        assert round_of(match).current_betting_index == index
        assert [player for player in players if actions(match, player)] == [bettor]
        match = play(match, f"{bettor} bets 0")
    assert match.phase is Phase.PLAYING_HAND


def test_nobody_bets_out_of_turn() -> None:
    match = play(started(), "ana bets 0")
    assert refusal(match, "ana bets 0") == refusal(match, "cy bets 0") == Code.NOT_YOUR_TURN_TO_BET


@pytest.mark.parametrize("bet", [-1, 3, 60])
def test_a_bet_is_from_0_to_x(bet: int) -> None:
    match = dealt("7H", ana="AS 2C", bo="KS 3D", cy="QS 4D")
    assert refusal(match, f"ana bets {bet}") == Code.BET_OUT_OF_RANGE


# Last player constraint enforced


@pytest.mark.parametrize(("first", "second"), [*product(range(4), range(4))])
def test_the_last_player_cannot_make_the_sum_equal_to_the_round_size(first: int, second: int) -> None:
    match = dealt("7H", ana="AS 2C 5C", bo="KS 3D 5D", cy="QS 4D 5S")
    match = play(match, f"ana bets {first}", f"bo bets {second}")
    left = 3 - first - second
    possible = [bet for bet in range(4) if bet != left]
    assert actions(match, CY) == tuple(PlaceBet(CY, bet) for bet in possible)
    if left >= 0:
        assert refusal(match, f"cy bets {left}") == Code.LAST_BET_MAKES_SUM


def test_only_the_last_player_is_bound() -> None:
    match = play(dealt("7H", ana="AS 2C", bo="KS 3D", cy="QS 4D"), "ana bets 2", "bo bets 0")
    assert [player.bet for player in match.players] == [2, 0, None]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(COMPANIES), st.data())
def test_the_last_player_always_has_a_bet_left(players: Players, data: st.DataObject) -> None:
    match = through(started(players, 3), data.draw(st.integers(0, 4)))
    while match.phase is Phase.BETTING:
        offered = whose_turn(match)
        size, is_last = round_of(match).cards_per_player, round_of(match).current_betting_index == len(players) - 1
        assert len(offered) in ({size, size + 1} if is_last else {size + 1})
        after = updown.apply(match, data.draw(st.sampled_from(offered)))
        assert isinstance(after, State)
        match = after
    assert sum(player.bet or 0 for player in match.players) != round_of(match).cards_per_player


# Hand order: PS2 first, then winner of previous hand


def test_hand_order_has_ps2_first_then_the_winner_of_the_previous_hand() -> None:
    match = betted("7H", "0 0 0", ana="2S 3S 9D", bo="4S 5S 8D", cy="6S AS 10D")
    orders = []
    for text in ("bo 4S", "cy 6S", "ana 2S", "cy 10D", "ana 9D", "bo 8D", "cy AS"):
        hand_now = round_of(match).current_hand
        assert hand_now is not None
        orders.append("".join(player[0] for player in hand_now.hand_order))
        match = play(match, text)
    assert orders == ["bca"] * 3 + ["cab"] * 4
    hand_now = round_of(match).current_hand
    assert hand_now is not None
    assert (hand_now.hand_number, hand_now.hand_order[hand_now.current_player_index]) == (3, ANA)


def test_with_two_players_the_one_who_does_not_start_leads() -> None:
    assert refusal(betted("7H", "0 0", ana="AS", bo="KS"), "ana AS") == Code.NOT_YOUR_TURN


def test_nobody_plays_out_of_turn() -> None:
    match = play(betted("7H", "0 0 0", ana="AS", bo="KS", cy="2D"), "bo KS")
    assert refusal(match, "ana AS") == refusal(match, "bo KS") == Code.NOT_YOUR_TURN


# Pinta set from first card


def test_pinta_is_set_from_the_first_card() -> None:
    match = betted("7H", "0 0 0", ana="AS 2C", bo="KD 3S", cy="QS 4D")
    pintas = []
    for text in ("bo KD", "cy 4D", "ana 2C"):
        hand_now = round_of(match).current_hand
        assert hand_now is not None
        pintas.append(hand_now.pinta)
        match = play(match, text)
    assert pintas == [None, Suit.DIAMONDS, Suit.DIAMONDS]
    hand_now = round_of(match).current_hand
    assert hand_now is not None
    assert hand_now.pinta is None, "the next hand has a pinta of its own"


# Suit following enforced


def test_who_holds_the_pinta_must_follow_it() -> None:
    match = play(betted("7H", "0 0 0", ana="AS 2C", bo="KD 3S", cy="QS 4D"), "bo KD")
    assert refusal(match, "cy QS") == Code.MUST_FOLLOW_PINTA
    assert held(play(match, "cy 4D"), CY) == "QS"


def test_the_mesa_suit_is_no_exception() -> None:
    match = play(betted("7H", "0 0 0", ana="AS 2C", bo="KD 3S", cy="QH 4D"), "bo KD")
    assert refusal(match, "cy QH") == Code.MUST_FOLLOW_PINTA


def test_who_has_none_of_the_pinta_can_play_any_card() -> None:
    match = play(betted("7H", "0 0 0", ana="AS 2C", bo="KD 3S", cy="QS 4D"), "bo KD", "cy 4D")
    assert held(play(match, "ana AS"), ANA) == "2C"
    assert held(play(match, "ana 2C"), ANA) == "AS"


def test_the_first_card_can_be_any_card() -> None:
    held_by_bo = hand("KD 3S 9H")
    assert playable(held_by_bo, None) == held_by_bo


def test_a_card_must_be_in_hand() -> None:
    match = betted("7H", "0 0 0", ana="AS 2C", bo="KD 3S", cy="QS 4D")
    assert refusal(match, "bo AS") == refusal(match, "bo 7H") == Code.CARD_NOT_IN_HAND
    match = play(match, "bo KD", "cy 4D", "ana 2C")
    assert refusal(match, "bo KD") == Code.CARD_NOT_IN_HAND


# Hand winner determined correctly (mesa > pinta > other)


def winner(cards: str, mesa: str) -> str:
    """The card that wins when these are played one after the other."""
    played = [PlayedCard(PlayerId(word), card(word)) for word in cards.split()]
    return best_of(played, card(mesa).suit).player_id


@pytest.mark.parametrize(
    ("cards", "best"),
    [
        ("2H AS KS", "2H"),  # the mesa's suit above all
        ("AS 2H 3H", "3H"),  # within it the higher rank
        ("3H 2H AS", "3H"),
        ("2S AD AC", "2S"),  # the pinta above other suits
        ("2S 3S AD", "3S"),  # within it the higher rank
        ("10S 9S JS", "JS"),
        ("KS QS AS", "AS"),
        ("9S 10S 2S", "10S"),
        ("AH KH QH", "AH"),  # the mesa's suit led
    ],
)
def test_hand_winner_is_the_highest_of_mesa_then_of_pinta_then_nobody_else(cards: str, best: str) -> None:
    assert winner(cards, "7H") == best


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(DECK), min_size=2, max_size=10, unique=True), st.sampled_from(Suit))
def test_no_card_of_a_hand_is_above_its_winner(cards: list[Card], mesa: Suit) -> None:
    def worth(each: Card) -> tuple[bool, bool, int]:
        return each.suit is mesa, each.suit is cards[0].suit, list(Rank).index(each.rank)

    played = [PlayedCard(PlayerId(notation([each])), each) for each in cards]
    assert best_of(played, mesa).card == max(cards, key=worth)


def test_the_winner_has_one_hand_more() -> None:
    match = play(betted("7H", "0 0 0", ana="2H", bo="KS", cy="AS"), "bo KS", "cy AS", "ana 2H")
    won = {result.player_id: result.hands_won for result in match.completed_rounds[0].results}
    assert won == {ANA: 1, BO: 0, CY: 0}


def test_a_player_is_found_by_its_id() -> None:
    match = dealt("7H", ana="2H", bo="KS", cy="AS")
    assert [player_of(match, player).id for player in THREE] == list(THREE)
    with pytest.raises(ValueError, match="zed has no seat in this match"):
        player_of(match, PlayerId("zed"))
