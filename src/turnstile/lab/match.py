"""One match between choosers, in this process, with nothing kept."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from turnstile.kernel import AnyGame, Event, Move, PlayerId, Players, Rejection, Seed

Chooser = Callable[[Any, Sequence[Move]], Move]
"""Someone at the table: given a view and the actions, it chooses one."""


def next_event(game: AnyGame, state: Any, choosers: Mapping[PlayerId, Chooser]) -> Event:
    """What happens next: the table does its part first, then the first player, in seat order, who may do something."""
    due = game.dealer(state)
    if due is not None:
        return due
    for player, choose in choosers.items():
        actions = game.actions(state, player)
        if actions:
            return choose(game.view(state, player), actions)
    raise AssertionError(f"Nobody can do anything in this match of {game.name}, and it is not over.")


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
