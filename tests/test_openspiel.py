"""Up-Down and OpenSpiel's oh_hell agree, over thousands of random rounds: whose turn it is, what is legal, who wins.

Up-Down's first hand is led by the second bettor and oh_hell's by the first, so bets and play are compared in two games,
each dealt the same cards.
"""

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from bench.openspiel import bet, card_named, dealt, legal, play
from turnstile.games.updown.moves import PlaceBet, PlayCard, StartGame
from turnstile.games.updown.rounds import RoundState
from turnstile.games.updown.rules import new, outcome, updown
from turnstile.games.updown.sight import actions
from turnstile.games.updown.state import Options, State
from turnstile.kernel import Event, PlayerId, Seed

pytestmark = pytest.mark.uncounted

ROUNDS = 250  # for each company and size: 4,000 in all
COMPANIES = [3, 4, 5, 6]  # oh_hell takes no fewer
SIZES = [1, 3, 5, 7]


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize("size", SIZES)
def test_the_same_bets_are_legal_for_the_same_player(company: int, size: int) -> None:
    for number in range(ROUNDS):
        state, rng = one_round(company, size, number), Random(number)
        theirs = beside(state, last_bettor=seat(state, current(state).betting_order[-1]))
        for who in current(state).betting_order:
            ours = actions(state, who)
            assert theirs.current_player() == seat(state, who)
            assert {str(each.bet) for each in ours if isinstance(each, PlaceBet)} == set(legal(theirs))
            chosen = rng.choice(ours)
            assert isinstance(chosen, PlaceBet)
            bet(theirs, chosen.bet)
            state = after(state, chosen)


@pytest.mark.parametrize("company", COMPANIES)
@pytest.mark.parametrize("size", SIZES)
def test_the_same_cards_are_legal_for_the_same_player_and_the_same_player_wins(company: int, size: int) -> None:
    for number in range(ROUNDS):
        state, rng = one_round(company, size, number), Random(number)
        theirs = beside(state, last_bettor=seat(state, current(state).betting_order[0]))
        for who in current(state).betting_order:
            state = after(state, rng.choice(actions(state, who)))
            bet(theirs, min(int(each) for each in legal(theirs)))
        while outcome(state) is None:
            hand = current(state).current_hand
            assert hand is not None
            who = hand.hand_order[hand.current_player_index]
            ours = actions(state, who)
            assert theirs.current_player() == seat(state, who)
            assert {each.card for each in ours if isinstance(each, PlayCard)} == set(map(card_named, legal(theirs)))
            chosen = rng.choice(ours)
            assert isinstance(chosen, PlayCard)
            play(theirs, chosen.card)
            state = after(state, chosen)
        assert theirs.is_terminal()
        assert [result.hands_won for result in state.completed_rounds[0].results] == tricks_won(theirs)


def one_round(company: int, size: int, number: int) -> State:
    """A match of a single round, dealt."""
    players = [PlayerId(f"player {each}") for each in range(company)]
    opened = new(players, Options(), Seed(f"{company} {size} {number}"))
    assert isinstance(opened, State)
    return after(replace(opened, round_sequence=(size,)), StartGame(players[0]))


def beside(state: State, last_bettor: int) -> Any:
    """The same round in OpenSpiel."""
    now = current(state)
    hands = [player.hand for player in state.players]
    return dealt(len(hands), now.cards_per_player, hands, now.mesa, last_bettor)


def current(state: State) -> RoundState:
    assert state.current_round is not None
    return state.current_round


def seat(state: State, who: PlayerId) -> int:
    return [player.id for player in state.players].index(who)


def after(state: State, event: Event) -> State:
    reached = updown.apply(state, event)
    assert isinstance(reached, State), reached
    return reached


def tricks_won(theirs: Any) -> list[int]:
    (line,) = [line for line in str(theirs).splitlines() if line.startswith("Tricks Won:")]
    return [int(word) for word in line.split(":")[1].split()]
