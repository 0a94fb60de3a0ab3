"""The bots of E-Card do what their docstrings derive."""

from collections import Counter
from random import Random

import pytest
from msgspec.structs import replace

from turnstile.bots import bots_of, random_bot
from turnstile.bots.ecard import equilibrium
from turnstile.games.ecard import BeginPicking, Card, Options, Pick, Start, State, actions, ecard, game, hand, new, view
from turnstile.kernel import PlayerId, Seed

ANA, BO = PlayerId("ana"), PlayerId("bo")
DRAWS = 10_000


def picking(cards: str) -> State:
    """Ana is to lay one of these cards."""
    state = new((ANA, BO), Options(), None)
    for event in (Start(Seed("7")), BeginPicking()):
        assert isinstance(state, State)
        after = ecard.apply(state, event)
        assert isinstance(after, State)
        state = after
    assert isinstance(state, State)
    return replace(state, hands=state.hands.put(ANA, hand(cards)))


@pytest.mark.parametrize("cards", ["ECCCC", "ECCC", "ECC", "EC", "E", "SCCCC", "SC"])
def test_the_equilibrium_lays_the_special_card_with_probability_one_in_n(cards: str) -> None:
    state, rng = picking(cards), Random(cards)
    laid = Counter(equilibrium(view(state, ANA), actions(state, ANA), rng).card for _ in range(DRAWS))
    expected = DRAWS / len(cards)
    spread = (DRAWS * (1 / len(cards)) * (1 - 1 / len(cards))) ** 0.5
    assert abs(laid[Card(cards[0])] - expected) <= 4 * spread


def test_the_random_bot_takes_every_action_as_often_as_any_other() -> None:
    state, rng = picking("ECCCC"), Random(7)
    laid = Counter(random_bot(view(state, ANA), actions(state, ANA), rng) for _ in range(DRAWS))
    assert abs(laid[Pick(ANA, Card.EMPEROR)] - DRAWS / 2) < 4 * (DRAWS / 4) ** 0.5


def test_the_best_bot_comes_first_and_the_random_one_is_always_there() -> None:
    assert list(bots_of(game)) == ["equilibrium", "search", "random"]
