"""One match between participants, in this process, without a store."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from turnstile.bots import Bot, random_bot
from turnstile.kernel import AnyGame, Event, Move, PlayerId, Players, Rejection, Seed

Chooser = Callable[[Any, Sequence[Move]], Move]
"""Given a view and the actions, it chooses one."""

Participant = Chooser | Random
"""A random generator is a participant that chooses without looking, so that no view is made for it."""


def seated(bot: Bot[Any], rng: Random) -> Participant:
    """A bot with its own random generator, as a participant."""
    return rng if bot is random_bot else lambda view, actions: bot(view, actions, rng)


def next_event(game: AnyGame, state: Any, participants: Mapping[PlayerId, Participant]) -> Event:
    """The next event: the dealer's if there is one, else a move of the first player, in seat order, who may move."""
    due = game.dealer(state)
    if due is not None:
        return due
    player, actions = game.next_to_act(state)
    participant = participants[player]
    if isinstance(participant, Random):
        return participant.choice(actions)
    return participant(game.view(state, player), actions)


def play_out(
    game: AnyGame, options: Any, seed: Seed, participants: Mapping[PlayerId, Participant]
) -> tuple[Any, list[Event]]:
    """Play a whole match. Returns its last state and all its events."""
    players: Players = tuple(participants)
    state = game.new(players, options, seed)
    events: list[Event] = []
    while type(state) is not Rejection and game.outcome(state) is None:  # faster than isinstance
        event = next_event(game, state, participants)
        events.append(event)
        state = game.machine.apply(state, event)
    assert not isinstance(state, Rejection), state.sentence
    return state, events
