"""One match between choosers, in this process, without a store."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from turnstile.bots import Bot
from turnstile.kernel import AnyGame, Event, Move, PlayerId, Players, Rejection, Seed

Chooser = Callable[[Any, Sequence[Move]], Move]
"""A participant: given a view and the actions, it chooses one."""


def seated(bot: Bot[Any], rng: Random) -> Chooser:
    """A bot with its own random generator, as a chooser."""
    return lambda view, actions: bot(view, actions, rng)


def next_event(game: AnyGame, state: Any, choosers: Mapping[PlayerId, Chooser]) -> Event:
    """The next event: the dealer's if there is one, else a move of the first player, in seat order, who may move."""
    due = game.dealer(state)
    if due is not None:
        return due
    player, actions = game.next_to_act(state)
    return choosers[player](game.view(state, player), actions)


def play_out(game: AnyGame, options: Any, seed: Seed, choosers: Mapping[PlayerId, Chooser]) -> tuple[Any, list[Event]]:
    """Play a whole match. Returns its last state and all its events."""
    players: Players = tuple(choosers)
    state = game.new(players, options, seed)
    events: list[Event] = []
    while not isinstance(state, Rejection) and game.outcome(state) is None:
        event = next_event(game, state, choosers)
        events.append(event)
        state = game.machine.apply(state, event)
    assert not isinstance(state, Rejection), state.sentence
    return state, events
