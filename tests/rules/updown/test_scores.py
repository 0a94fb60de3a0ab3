"""The rules of Up-Down, the last points of its checklist: scores, the order of the rounds, and the end of the game."""

from itertools import product

import pytest

from tests.rules.updown.matches import (
    COMPANIES,
    THREE,
    TWO,
    betted,
    finished,
    held,
    play,
    round_of,
    scores,
    started,
    through,
    waiting,
)
from turnstile.games.updown.rounds import largest_round, points, up_and_down
from turnstile.games.updown.rules import natural_order, outcome
from turnstile.games.updown.state import Phase, State
from turnstile.kernel import Players, Seed

each_company = pytest.mark.parametrize("players", COMPANIES, ids=len)


# Scores calculated correctly (0 or 10 + 2 x wins)


@pytest.mark.parametrize(("bet", "won"), [*product(range(8), range(8))])
def test_scores_are_0_or_10_and_2_for_each_hand_won(bet: int, won: int) -> None:
    assert points(bet, won) == (10 + 2 * won if bet == won else 0)


def test_scores_of_the_rounds_add_up() -> None:
    match = play(betted("7H", "0 0 0", ana="2H", bo="KS", cy="AS"), "bo KS", "cy AS", "ana 2H")
    assert scores(match) == (0, 10, 10)
    for rounds in range(4):
        after = through(match, rounds)
        gained = [sum(done.results[seat].points for done in after.completed_rounds) for seat in range(3)]
        assert scores(after) == tuple(gained)


# Round progression (PG rotation)


@each_company
def test_round_progression_rotates_pg(players: Players) -> None:
    match = started(players, min(5, largest_round(len(players))))
    for number in range(1, len(match.round_sequence) + 1):
        assert round_of(match).round_number == number
        assert round_of(match).starting_player_id == match.player_order[(number - 1) % len(players)]
        match = through(match, 1)


@each_company
def test_pg_is_the_order_of_seats_turned_so_that_pg1_is_drawn_from_the_seed(players: Players) -> None:
    turns = {players[first:] + players[:first] for first in range(len(players))}
    assert {natural_order(players, Seed(str(number))) for number in range(150)} == turns
    assert play(waiting(players), f"{players[0]} starts").player_order == natural_order(players, Seed("7"))


# Game completes after all rounds


@pytest.mark.parametrize("players", [TWO, THREE, COMPANIES[-1]], ids=len)
@pytest.mark.parametrize("size", [1, 2, 4])
def test_game_completes_after_all_rounds(players: Players, size: int) -> None:
    match = finished(players, size)
    assert (match.phase, match.current_round) == (Phase.GAME_COMPLETE, None)
    assert [done.cards_per_player for done in match.completed_rounds] == list(up_and_down(size))
    assert all(len(done.completed_hands) == done.cards_per_player for done in match.completed_rounds)


def test_the_highest_total_wins() -> None:
    match = started(THREE, 1)
    match = play(betted_one_round(match), *plays_of(match))
    ended = outcome(match)
    assert ended is not None
    assert ended.scores == dict(zip(THREE, scores(match), strict=True))
    assert ended.winners == tuple(player.id for player in match.players if player.score == max(scores(match)))


def betted_one_round(match: State) -> State:
    return play(match, *(f"{player} bets 0" for player in round_of(match).betting_order))


def plays_of(match: State) -> list[str]:
    order = round_of(match).betting_order
    return [f"{player} {held(match, player)}" for player in (*order[1:], order[0])]


def test_equal_totals_share_the_win() -> None:
    """In a match of one hand in which everybody bets nothing, all but its winner have ten points."""
    match = started(THREE, 1)
    ended = outcome(play(betted_one_round(match), *plays_of(match)))
    assert ended is not None
    assert sorted(ended.scores.values()) == [0, 10, 10]
    assert len(ended.winners) == 2


def test_there_is_no_outcome_before_the_end() -> None:
    assert [outcome(match) for match in (waiting(), started(), through(started(), 3))] == [None] * 3
