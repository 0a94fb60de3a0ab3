"""The solver: trees from the rules, exact equilibria, best responses, and what bots lose."""

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from turnstile.bots import AnyBot, bots_of
from turnstile.games import ecard, evenodd
from turnstile.kernel import AnyGame, AnySubgame, Move
from turnstile.lab.solver import GameTree, TooLarge, build_tree, response_value, solve, strategy_of
from turnstile.lab.solver.strategies import NotEnumerable, exact_chances
from turnstile.registry import study_of

NOTHING, FIFTH = Fraction(0), Fraction(1, 5)


def subgame_of(game: AnyGame) -> AnySubgame:
    subgame = study_of(game).subgame
    assert subgame is not None
    return subgame


@pytest.fixture(scope="module")
def tree() -> GameTree:
    return build_tree(ecard.game, subgame_of(ecard.game))


def losses(tree: GameTree, bot: AnyBot, draws: int = 1) -> tuple[list[Fraction], bool]:
    """What a bot loses on the emperor's side and on the slave's, against the best response to it."""
    found = strategy_of(bot, tree, draws, Random(7))
    first, second = (response_value(tree, player, found.strategy) for player in tree.players)
    return [4 * FIFTH - (1 - second), FIFTH - (1 - first)], found.is_exact


def test_a_decisive_round_of_e_card_is_solved_exactly(tree: GameTree) -> None:
    """The special card is laid with probability 1/n when n cards are left, and the emperor's side wins 4 of 5."""
    *_, found = solve(tree, rounds=2000)
    assert (found.value, found.gap) == (4 * FIFTH, NOTHING)
    for info in tree.infosets:
        cards = len(info.view.hand)
        special = Fraction(1, cards)
        assert list(found.strategy[info]) == ([special, 1 - special] if cards > 1 else [1])


def test_each_situation_is_one_information_set_for_each_side(tree: GameTree) -> None:
    situations = sorted(subgame_of(ecard.game).situation(info.view) for info in tree.infosets)
    assert situations == sorted(side + "C" * citizens for side in "ES" for citizens in range(5))


def test_a_solution_that_is_not_exact_says_what_can_be_gained(tree: GameTree) -> None:
    first, *_ = solve(tree, rounds=2)
    assert first.rounds == 2
    assert first.gap > 0
    assert abs(first.value - 4 * FIFTH) <= first.gap


def test_chance_that_the_players_do_not_know_gives_them_nothing_to_gain() -> None:
    """In one draw of Even/Odd all choices are equal: the tree has an even and an odd root that look alike."""
    tree = build_tree(evenodd.game, subgame_of(evenodd.game))
    assert (len(tree.roots), len(tree.infosets)) == (2, 2)
    *_, found = solve(tree, rounds=100)
    assert (found.value, found.gap) == (NOTHING, NOTHING)
    assert {subgame_of(evenodd.game).situation(info.view) for info in tree.infosets} == {"before the draw"}


def test_a_tree_that_is_too_large_is_refused() -> None:
    with pytest.raises(TooLarge, match="a decisive round has more than 20 nodes"):
        build_tree(ecard.game, subgame_of(ecard.game), largest=20)


# What bots lose


def test_the_equilibrium_loses_nothing_and_random_what_can_be_computed_by_hand(tree: GameTree) -> None:
    """Random lays its special card first one time in two (the slave then wins 1/2, not 1/5), and fourth or last one
    time in 16 (the emperor then wins 15/16, not 4/5)."""
    bots = bots_of(ecard.game)
    assert losses(tree, bots["equilibrium"]) == ([NOTHING, NOTHING], True)
    assert losses(tree, bots["random"]) == ([Fraction(1, 2) - FIFTH, Fraction(15, 16) - 4 * FIFTH], True)


def test_a_bot_that_is_predictable_loses_all(tree: GameTree) -> None:
    def first_card(view: Any, actions: Sequence[Move], rng: Random) -> Move:
        return actions[0]

    assert losses(tree, first_card) == ([4 * FIFTH, FIFTH], True)


def test_a_bot_that_draws_otherwise_is_asked_many_times(tree: GameTree) -> None:
    def coin(view: Any, actions: Sequence[Move], rng: Random) -> Move:
        return actions[rng.random() < 0.5] if len(actions) > 1 else actions[0]

    (emperor, slave), is_exact = losses(tree, coin, draws=400)
    assert not is_exact
    assert abs(emperor - Fraction(3, 10)) < 0.08
    assert abs(slave - Fraction(11, 80)) < 0.08


def test_a_bot_with_too_many_draws_cannot_be_enumerated(tree: GameTree) -> None:
    def dicing(view: Any, actions: Sequence[Move], rng: Random) -> Move:
        for _ in range(10):
            rng.choice(range(10))
        return actions[0]

    with pytest.raises(NotEnumerable):
        exact_chances(dicing, tree.infosets[0])
