"""Everybody meets everybody once, in as few rounds as that takes."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnstile.league.manager import schedule
from turnstile.league.manager.schedule import pairings, rounds

PLAYERS = st.integers(2, 40)
UNHURRIED = settings(deadline=None, print_blob=True)


def all_pairs(players: int) -> list[tuple[int, int]]:
    return [pair for round_id in range(1, rounds(players) + 1) for pair in pairings(range(players), round_id)]


@pytest.mark.parametrize(("players", "expected"), [(0, 0), (1, 0), (2, 1), (3, 3), (4, 3), (5, 5), (1000, 999)])
def test_an_even_league_has_one_round_less_than_players_and_an_odd_one_as_many(players: int, expected: int) -> None:
    assert rounds(players) == expected


def test_four_players_meet_in_three_rounds() -> None:
    assert [pairings("abcd", round_id) for round_id in (1, 2, 3)] == [
        (("a", "d"), ("b", "c")),
        (("d", "b"), ("c", "a")),
        (("c", "d"), ("a", "b")),
    ]


@UNHURRIED
@given(PLAYERS)
def test_every_pair_meets_exactly_once(players: int) -> None:
    met = [frozenset(pair) for pair in all_pairs(players)]
    assert len(met) == schedule.matches(players)
    assert set(met) == {frozenset(pair) for pair in combinations(range(players), 2)}


@UNHURRIED
@given(PLAYERS)
def test_nobody_plays_twice_in_a_round_and_at_most_one_sits_out(players: int) -> None:
    for round_id in range(1, rounds(players) + 1):
        playing = [player for pair in pairings(range(players), round_id) for player in pair]
        assert len(playing) == len(set(playing)) == players - players % 2


@UNHURRIED
@given(PLAYERS.filter(lambda players: players % 2 == 1))
def test_in_an_odd_league_everybody_sits_out_once(players: int) -> None:
    out = [
        ({*range(players)} - {player for pair in pairings(range(players), round_id) for player in pair}).pop()
        for round_id in range(1, rounds(players) + 1)
    ]
    assert sorted(out) == [*range(players)]


@UNHURRIED
@given(PLAYERS)
def test_everybody_is_player_a_as_often_as_player_b_but_for_one_match(players: int) -> None:
    a, b = Counter(pair[0] for pair in all_pairs(players)), Counter(pair[1] for pair in all_pairs(players))
    uneven = 1 - players % 2
    assert {abs(a[player] - b[player]) for player in range(players)} == {uneven}


@UNHURRIED
@given(PLAYERS, st.data())
def test_the_match_of_a_player_is_found_without_a_list(players: int, data: st.DataObject) -> None:
    round_id = data.draw(st.integers(1, rounds(players)))
    player = data.draw(st.integers(0, players - 1))
    listed = [number for number, pair in enumerate(pairings(range(players), round_id), 1) if player in pair]
    assert schedule.number_of(players, round_id, player) == (listed[0] if listed else None)
