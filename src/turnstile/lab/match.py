"""One match between participants, in this process, without a store."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from turnstile.bots import Bot, random_bot
from turnstile.kernel import AnyGame, Event, Move, PlayerId, Players, Rejection, Seed
from turnstile.lab.game_faults import game_faults, refusal_fault

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
    """Play a whole match. Returns its last state and all its events. Raises `PackageFault` if the game fails."""
    players: Players = tuple(participants)
    events: list[Event] = []
    with game_faults(game):
        state = game.new(players, options, seed)
        assert not isinstance(state, Rejection), state.sentence
        while game.outcome(state) is None:
            event = next_event(game, state, participants)
            events.append(event)
            after = game.machine.apply(state, event)
            if type(after) is Rejection:  # faster than isinstance
                raise refusal_fault(game, state, event, after)
            state = after
    return state, events
