"""One pure step of Up-Down with its legal actions, beside OpenSpiel's `child()`, which acts on a copy of the state.

Both are given the same card to play in the same situation of the same round, again and again.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

from bench.harness import Absent, Aim, Contest, Contestant
from bench.openspiel import bet, dealt, legal, name
from bench.updown import CARDS, CHOICES, PLAYERS, _sure, one_round
from turnstile.games.updown.moves import PlayCard
from turnstile.games.updown.rules import updown
from turnstile.games.updown.sight import actions
from turnstile.games.updown.state import State
from turnstile.kernel import PlayerId

STEPS = 15  # every card of a round
TIMES = 20


def contest() -> Contest:
    present, absent = peers()
    return Contest(
        name="up-down step",
        title="Up-Down, one pure step and the legal actions",
        unit="step",
        units=STEPS * TIMES,
        baseline="apply",
        contestants=(_ours(), *present),
        absent=absent,
        aims=(
            Aim(
                contestant="openspiel", sentence="a pure step is at least as fast as OpenSpiel's child()", at_least=1.0
            ),
        ),
    )


def peers() -> tuple[tuple[Contestant, ...], tuple[Absent, ...]]:
    try:
        return (_theirs(),), ()
    except ImportError:
        return (), (Absent("openspiel", "OpenSpiel is not installed; pip install 'turnstile[bench]' brings it."),)


def recorded() -> tuple[tuple[State, PlayerId, PlayCard], ...]:
    """Every situation of one round in which a card is played, with the card."""
    state, rng, found = one_round(7), Random(7), []
    for choice in range(CHOICES):
        current = state.current_round
        assert current is not None
        hand = current.current_hand
        who = current.betting_order[choice] if hand is None else hand.hand_order[hand.current_player_index]
        event = rng.choice(actions(state, who))
        if isinstance(event, PlayCard):
            found.append((state, who, event))
        state = _sure(updown.apply(state, event))
    return tuple(found)


def _ours() -> Contestant:
    work = recorded()

    def run() -> int:
        count = 0
        for _ in range(TIMES):
            for state, who, event in work:
                count += len(actions(state, who))
                updown.apply(state, event)
        return count

    return Contestant(name="apply", about="updown.apply and actions", trail=_trail(work), prepare=lambda: run)


def _theirs() -> Contestant:
    work = recorded()
    states = list(_their_states(work))

    def run() -> int:
        count = 0
        for _ in range(TIMES):
            for state, action in states:
                count += len(state.legal_actions())
                state.child(action)
        return count

    def trail() -> Iterator[object]:
        for state, _ in states:
            yield len(state.legal_actions())

    return Contestant(name="openspiel", about="oh_hell's child() and legal_actions()", trail=trail, prepare=lambda: run)


def _trail(work: tuple[tuple[State, PlayerId, PlayCard], ...]) -> Any:
    return lambda: (len(actions(state, who)) for state, who, _ in work)


def _their_states(work: tuple[tuple[State, PlayerId, PlayCard], ...]) -> Iterator[tuple[Any, int]]:
    """The same situations in oh_hell: the first leader is the one after its dealer, the bets do not matter here."""
    first, leader, _ = work[0]
    assert first.current_round is not None
    seats = [player.id for player in first.players]
    last_bettor = (seats.index(leader) - 1) % len(PLAYERS)
    state = dealt(len(PLAYERS), CARDS, [player.hand for player in first.players], first.current_round.mesa, last_bettor)
    for _ in seats:
        bet(state, 0)
    for _, _, event in work:
        action = legal(state)[name(event.card)]
        yield state, action
        state = state.child(action)
