"""The bots of Even/Odd do what their docstrings derive. All chance is seeded: these numbers never change."""

from random import Random

import pytest

from tests.bots.matches import results
from tests.rules.evenodd.matches import ALICE, BOB, collecting, play
from turnstile.bots.evenodd import bots, contrary, forecast, reader
from turnstile.games.evenodd import GameResult, Options, Parity, State, actions, game, result_of, view
from turnstile.kernel import ByPlayer

EVEN, ODD = Parity.EVEN, Parity.ODD
MATCHES = 400


def history(*said: tuple[Parity, Parity, int]) -> list[GameResult]:
    """What Alice and Bob said, and what was drawn."""
    return [result_of((ALICE, BOB), ByPlayer({ALICE: hers, BOB: his}), number) for hers, his, number in said]


def says(match: State, bot: object) -> set[str]:
    """All that Alice's bot says in a situation, whatever the chance."""
    assert callable(bot)
    return {bot(view(match, ALICE), actions(match, ALICE), Random(n)).parity_choice for n in range(30)}


@pytest.mark.parametrize(
    ("results", "foreseen"),
    [
        (history((EVEN, ODD, 4), (ODD, ODD, 3), (EVEN, ODD, 5), (ODD, ODD, 4)), ODD),  # says the same again
        (history((EVEN, ODD, 4), (EVEN, EVEN, 4), (EVEN, ODD, 4), (EVEN, EVEN, 4)), ODD),  # alternates
        (history((EVEN, ODD, 4), (ODD, EVEN, 4), (ODD, ODD, 4), (EVEN, ODD, 4)), EVEN),  # copies Alice
        (history((EVEN, ODD, 4), (EVEN, EVEN, 7), (EVEN, ODD, 7), (EVEN, ODD, 2)), EVEN),  # says what was drawn
    ],
)
def test_habits_are_found(results: list[GameResult], foreseen: Parity) -> None:
    assert {forecast(results, ALICE, BOB, Random(n)) for n in range(30)} == {foreseen}


def test_without_a_history_anything_may_be_foreseen() -> None:
    assert {forecast([], ALICE, BOB, Random(n)) for n in range(30)} == {EVEN, ODD}


def test_who_reads_says_the_opposite_until_ahead_and_the_same_then() -> None:
    level = play(collecting(4, 4, 4), *["alice odd", "bob odd"] * 3)
    behind = play(collecting(7, 4, 4), "alice even", "bob odd", *["alice odd", "bob odd"] * 3)
    ahead = play(collecting(4, 4, 4), "alice even", "bob odd", *["alice odd", "bob odd"] * 3)
    assert [says(match, reader) for match in (level, behind, ahead)] == [{"even"}, {"even"}, {"odd"}]
    assert [says(match, contrary) for match in (level, behind, ahead)] == [{"even"}] * 3


@pytest.mark.parametrize("prey", ["always-even", "alternating"])
def test_who_reads_wins_two_matches_of_three_against_a_habit(prey: str) -> None:
    (won, lost), _ = results(game, "reader", prey, matches=MATCHES)
    assert won > 0.62 * MATCHES
    assert won + lost == MATCHES


def test_nobody_gains_or_loses_against_a_coin() -> None:
    for bot in bots.bots:
        (won, _), (mine, others) = results(game, bot, "random", matches=MATCHES)
        assert abs(won / MATCHES - 0.5) < 3.3 * 0.5 / MATCHES**0.5  # p = 0.001
        assert abs(mine - 12.5) < 1 > abs(others - 12.5)


def test_who_differs_gains_points_and_so_does_the_other() -> None:
    (won, _), points = results(game, "contrary", "always-even", matches=MATCHES, options=Options(30))
    assert all(mean > 1.4 * 30 for mean in points)  # 1.25 against a coin, 1.5 with perfect foresight
    assert abs(won / MATCHES - 0.5) < 3.3 * 0.5 / MATCHES**0.5
