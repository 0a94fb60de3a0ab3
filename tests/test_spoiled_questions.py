"""Whatever somebody does to a state or an event on the wire, `turnstile step` answers: a step, or an error."""

import json
from random import Random
from typing import Any

import pytest

from turnstile.cli.step import Answer, Refused, reply
from turnstile.kernel import Seed, encode
from turnstile.registry import find_game, find_stand, names
from turnstile.testing.strategies import NAMES, Match

QUESTIONS = 600
INSTEAD: dict[type, list[Any]] = {
    int: [0, -1, 1, 99, 10**30],
    str: ["ana", "zoe", "", "C", "clubs", "2", "Lobby", "betting", "READY_FOR_TURN", None, 5],
    type(None): [0, "ana", "C", [], {}],
    bool: [True, False, 1, None],
}


def spoiled(value: Any, rng: Random) -> Any:
    """The same JSON with one thing in it changed, lost, doubled or moved."""
    if isinstance(value, dict) and value:
        key = rng.choice(list(value))
        changed = {**value, key: spoiled(value[key], rng)}
        return changed if rng.random() < 0.9 else {name: kept for name, kept in value.items() if name != key}
    if isinstance(value, list) and value:
        place = rng.randrange(len(value))
        lost, doubled = value[:place] + value[place + 1 :], [*value, value[place]]
        other = [*value[:place], spoiled(value[place], rng), *value[place + 1 :]]
        return rng.choice([lost, doubled, other, other, rng.sample(value, len(value))])
    return rng.choice(INSTEAD.get(type(value), [None]))


@pytest.mark.parametrize("name", names())
def test_a_spoiled_state_or_event_is_answered_and_nothing_escapes(name: str) -> None:
    game, stand, rng = find_game(name), find_stand(name), Random(name)
    assert game is not None
    assert stand is not None
    answers: set[type] = set()
    for number in range(QUESTIONS):
        if number % 100 == 0:
            match = Match(game, NAMES[: game.seats[0]], Seed(str(number)), 120, rng, {})
        moment = rng.randrange(len(match.events))
        state, event = (json.loads(encode(part)) for part in (match.states[moment], match.events[moment]))
        for _ in range(rng.randint(0, 3)):
            state = spoiled(state, rng)
        if rng.random() < 0.3:
            event = spoiled(event, rng)
        answers.add(type(reply(stand, json.dumps({"state": state, "event": event}).encode())))
    assert answers == {Answer, Refused}
