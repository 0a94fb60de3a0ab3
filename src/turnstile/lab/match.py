"""One match between choosers, in this process, with nothing kept."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from turnstile.bots import Bot
from turnstile.kernel import AnyGame, Event, Move, PlayerId, Players, Rejection, Seed

Chooser = Callable[[Any, Sequence[Move]], Move]
"""Someone at the table: given a view and the actions, it chooses one."""


def seated(bot: Bot[Any], rng: Random) -> Chooser:
    """A bot at a table, with a generator of its own."""
    return lambda view, actions: bot(view, actions, rng)


def next_event(game: AnyGame, state: Any, choosers: Mapping[PlayerId, Chooser]) -> Event:
    """What happens next: the table does its part first, then the first player, in seat order, who may do something."""
    due = game.dealer(state)
    if due is not None:
        return due
    player, actions = game.next_to_act(state)
    return choosers[player](game.view(state, player), actions)


def play_out(game: AnyGame, options: Any, seed: Seed, choosers: Mapping[PlayerId, Chooser]) -> tuple[Any, list[Event]]:
    """A whole match: the state it ended in, and everything that happened."""
    players: Players = tuple(choosers)
    state = game.new(players, options, seed)
    events: list[Event] = []
    while not isinstance(state, Rejection) and game.outcome(state) is None:
        event = next_event(game, state, choosers)
        events.append(event)
        state = game.machine.apply(state, event)
    assert not isinstance(state, Rejection), state.sentence
    return state, events
