"""Who sits where in a contest."""

from collections import Counter
from itertools import permutations

import pytest

from turnstile.lab.contests.seatings import arena_seatings, seatings_of_company, tournament_seatings


@pytest.mark.parametrize(
    ("bots", "players", "count", "of_company"),
    [
        ("ab", 2, 2, 2),
        ("abcd", 2, 12, 2),
        ("abc", 3, 6, 6),
        ("abcde", 4, 40, 8),
        ("ab", 3, 6, 3),
        ("ab", 4, 4, 4),
        ("abc", 4, 24, 8),
        ("abc", 6, 12, 12),
        ("abcd", 6, 72, 12),
    ],
)
def test_every_bot_sits_on_every_seat_equally_often(bots: str, players: int, count: int, of_company: int) -> None:
    seatings = tournament_seatings(tuple(bots), players)
    assert len(seatings) == len(set(seatings)) == count
    assert seatings_of_company(tuple(bots), players) == of_company
    on_seats = [Counter(seating[seat] for seating in seatings) for seat in range(players)]
    assert all(set(on_seat) == set(bots) and len(set(on_seat.values())) == 1 for on_seat in on_seats)
    assert count % of_company == 0


@pytest.mark.parametrize(("bots", "players"), [("abcd", 2), ("abcd", 3)])
def test_up_to_three_players_sit_in_all_orders(bots: str, players: int) -> None:
    assert set(tournament_seatings(tuple(bots), players)) == set(permutations(bots, players))


def test_in_an_arena_the_first_bot_plays_against_each_other_from_every_seat() -> None:
    assert arena_seatings(("me", "a", "b"), 2) == (("me", "a"), ("a", "me"), ("me", "b"), ("b", "me"))
    assert arena_seatings(("me", "a"), 3) == (("me", "a", "a"), ("a", "me", "a"), ("a", "a", "me"))
