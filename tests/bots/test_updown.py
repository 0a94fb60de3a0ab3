"""The bot of Up-Down: what it counts, what it chooses, and that it is hard to beat."""

from collections.abc import Sequence
from math import isclose
from random import Random

import pytest

from tests.rules.updown.matches import ANA, BO, CY, betted, dealt, play
from turnstile.bots import bots_of
from turnstile.bots.updown import Action, counter, spread
from turnstile.games.updown.cards import card
from turnstile.games.updown.moves import PlaceBet, PlayCard
from turnstile.games.updown.rules import game
from turnstile.games.updown.sight import actions, view
from turnstile.games.updown.state import State
from turnstile.kernel import PlayerId, Seed
from turnstile.lab import Plan, Totals, simulate
from turnstile.lab.jobs import Crew

RNG = Random(7)


def choice(match: State, player: PlayerId) -> Action:
    return counter(view(match, player), actions(match, player), RNG)


def test_it_is_the_first_bot_of_its_game() -> None:
    assert list(bots_of(game)) == ["counter", "search", "random"]


# Betting


def test_it_bets_on_a_card_that_cannot_be_beaten() -> None:
    assert choice(dealt("7H", ana="AH", bo="2C", cy="3C"), ANA) == PlaceBet(ANA, 1)


def test_it_bets_nothing_on_a_card_that_hardly_wins() -> None:
    assert choice(dealt("7H", ana="2C", bo="KS", cy="3C"), ANA) == PlaceBet(ANA, 0)


def test_it_bets_on_as_many_high_cards_as_it_holds() -> None:
    assert choice(dealt("7H", ana="AH KH 2C", bo="2S 3S 4S", cy="3C 4C 5C"), ANA) == PlaceBet(ANA, 2)


def test_a_bet_that_the_last_player_may_not_make_is_not_made() -> None:
    match = play(dealt("7H", ana="2C", bo="3C", cy="AH"), "ana bets 0", "bo bets 0")
    assert choice(match, CY) == PlaceBet(CY, 0)


# Playing


def test_who_needs_a_hand_takes_it() -> None:
    match = play(betted("7H", "1 0 0", ana="2C AS", bo="KS 3D", cy="QS 4D"), "bo KS", "cy QS")
    assert choice(match, ANA) == PlayCard(ANA, card("AS"))


def test_who_needs_no_hand_ducks_with_the_highest_card_that_loses() -> None:
    match = play(betted("7H", "0 0 0", ana="2S JS AS", bo="KS 3D 4D", cy="QS 4C 5D"), "bo KS", "cy QS")
    assert choice(match, ANA) == PlayCard(ANA, card("JS"))


def test_who_needs_no_hand_and_lacks_the_pinta_gets_rid_of_a_dangerous_card() -> None:
    match = play(betted("7H", "0 0 0", ana="2C AD", bo="KS 3D", cy="QS 4C"), "bo KS", "cy QS")
    assert choice(match, ANA) == PlayCard(ANA, card("AD"))


def test_it_remembers_who_lacks_a_suit() -> None:
    """Ana has shown that she has neither spades nor, when hearts were led, the mesa's suit: Bo's deuce stands."""
    hands = {"ana": "2C 3C 4C 5C", "bo": "2S 3S 4H 5H", "cy": "6S 7S 8H 9H"}
    match = play(betted("10H", "0 2 0", **hands), "bo 5H", "cy 8H", "ana 2C", "cy 7S", "ana 3C", "bo 3S")
    assert choice(play(match, "cy 9H", "ana 4C"), BO) == PlayCard(BO, card("4H"))


# Counting


@pytest.mark.parametrize(
    ("chances", "likely"), [([], [1]), ([1, 1], [0, 0, 1]), ([0.5, 0.5], [0.25, 0.5, 0.25]), ([0.2, 1], [0, 0.8, 0.2])]
)
def test_the_chances_of_cards_give_the_chances_of_so_many_hands(chances: list[float], likely: list[float]) -> None:
    assert all(isclose(one, other) for one, other in zip(spread(chances), likely, strict=True))


# Strength


@pytest.mark.parametrize("rivals", [1, 2, 3])
def test_it_clearly_beats_random(rivals: int) -> None:
    plan = Plan("up-down", ("counter", *["random"] * rivals), b"{}", Seed("strength"))
    totals = Totals()
    for part in simulate(plan, 40, Crew(1)):
        totals.add(part)
    assert totals.wins["counter 1"] > 27, "a match of two equals would be won 20 times of 40; 27 is 2.2 deviations away"


def test_it_chooses_the_same_whoever_asks_again() -> None:
    match = betted("7H", "0 0 0", ana="2S JS AS", bo="KS 3D 4D", cy="QS 4C 5D")
    offered: Sequence[Action] = actions(match, BO)
    assert {counter(view(match, BO), offered, Random(seed)) for seed in range(5)} == {choice(match, BO)}
