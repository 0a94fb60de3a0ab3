"""A round of Up-Down, dealt, bet and played at random, beside OpenSpiel's oh_hell: three players, five cards each.

Every contestant plays whole rounds and asks for the legal actions before each choice. That both know the same rules is
shown elsewhere, card by card: tests/test_openspiel.py.
"""

from collections.abc import Callable, Iterator
from random import Random

from msgspec.structs import replace

from bench.harness import Absent, Aim, Contest, Contestant, Run
from bench.openspiel import oh_hell
from turnstile.games.updown.moves import StartGame
from turnstile.games.updown.rules import new, outcome, updown
from turnstile.games.updown.sight import actions
from turnstile.games.updown.state import Options, State
from turnstile.kernel import PlayerId, Rejection, Seed

PLAYERS = (PlayerId("ana"), PlayerId("bo"), PlayerId("cy"))
CARDS = 5
ROUNDS = 50
CHOICES = len(PLAYERS) * (1 + CARDS)

Round = Callable[[Random, int], int]
"""Plays one round with these choices; tells how many were made."""


def contest() -> Contest:
    present, absent = peers()
    return Contest(
        name="up-down",
        title=f"Up-Down, a random round with its deal ({len(PLAYERS)} players, {CARDS} cards)",
        unit="round",
        units=ROUNDS,
        baseline="apply",
        contestants=(_contestant("apply", "Up-Down through apply and actions", our_round), *present),
        absent=absent,
        aims=(Aim(contestant="openspiel", sentence="a round is at least twice as fast as OpenSpiel's", at_least=2),),
    )


def peers() -> tuple[tuple[Contestant, ...], tuple[Absent, ...]]:
    try:
        oh_hell(len(PLAYERS), CARDS)
    except ImportError:
        return (), (Absent("openspiel", "OpenSpiel is not installed; pip install 'turnstile[bench]' brings it."),)
    return (
        _contestant(
            "openspiel", "oh_hell as OpenSpiel's examples play it: chance_outcomes, numpy's choice", their_round
        ),
        _contestant(
            "openspiel, lean", "oh_hell with a plain choice among legal actions, the deal included", lean_round
        ),
    ), ()


# The ways to play


def our_round(rng: Random, number: int) -> int:
    state = one_round(number)
    for choice in range(CHOICES):
        current = state.current_round
        assert current is not None
        hand = current.current_hand
        who = current.betting_order[choice] if hand is None else hand.hand_order[hand.current_player_index]
        state = _sure(updown.apply(state, rng.choice(actions(state, who))))
    assert outcome(state) is not None
    return CHOICES


def one_round(number: int) -> State:
    """A match of a single round, dealt."""
    opened = _sure(new(PLAYERS, Options(), Seed(f"bench {number}")))
    return _sure(updown.apply(replace(opened, round_sequence=(CARDS,)), StartGame(PLAYERS[0])))


def their_round(rng: Random, number: int) -> int:
    import numpy as np

    state, chosen = oh_hell(len(PLAYERS), CARDS).new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            what, how_likely = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(np.random.choice(what, p=how_likely))
        else:
            state.apply_action(rng.choice(state.legal_actions()))
            chosen += 1
    return chosen


def lean_round(rng: Random, number: int) -> int:
    state, chosen = oh_hell(len(PLAYERS), CARDS).new_initial_state(), 0
    while not state.is_terminal():
        chosen += not state.is_chance_node()
        state.apply_action(rng.choice(state.legal_actions()))
    return chosen


def _contestant(name: str, about: str, play: Round) -> Contestant:
    def trail() -> Iterator[int]:
        rng = Random(7)
        for number in range(ROUNDS):
            yield play(rng, number)

    def prepare() -> Run:
        return lambda: sum(trail())

    return Contestant(name=name, about=about, trail=trail, prepare=prepare)


def _sure(answer: State | Rejection) -> State:
    assert type(answer) is State, answer
    return answer
