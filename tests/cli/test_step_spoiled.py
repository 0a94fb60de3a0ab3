"""Whatever state `turnstile step` is given, it answers: every machine there is, from states with something spoiled.

A state is reached by what can happen in the world of its machine, in the middle of a step too. Then it is spoiled: a
part of it is lost, doubled, put elsewhere or replaced, and now and then a part of the event. Whatever still decodes is
a question that anyone could ask.
"""

import json
from functools import cache
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Raw

from turnstile.cli.step import Answer, answer, read_question, take
from turnstile.kernel import Event, Rejection, encode
from turnstile.kernel.check import World
from turnstile.kernel.inspect import AnyInspectable
from turnstile.registry import find_inspectable, machine_names

Place = tuple[str | int, ...]

SETTINGS = settings(
    max_examples=150,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)
LONGEST_WALK = 30
JUNK: tuple[Any, ...] = (None, -1, 0, 1, 2, 60, 10**30, 1.5, True, False, "", "ana", "zoe", [], {})


def stand_named(name: str) -> AnyInspectable:
    inspectable = find_inspectable(name)
    assert inspectable is not None
    return inspectable


@cache
def worlds_of(name: str) -> list[World[Any]]:
    return list(stand_named(name).worlds())


def walk(world: World[Any], chance: Random) -> list[tuple[Any, list[Event]]]:
    """Every state on a random way, resting or not, each with events that could happen there or led there."""
    state = chance.choice(world.starts)
    met: list[tuple[Any, list[Event]]] = []
    for _ in range(chance.randrange(1, LONGEST_WALK)):
        offered = [] if world.over(state) else list(world.moves(state))
        met.append((state, offered))
        if not offered:
            break
        event, way = chance.choice(offered), list[Any]()
        after = world.machine.apply(state, event, way)
        met += [(passed, [event]) for _, passed, _ in way[:-1]]
        state = state if isinstance(after, Rejection) else after
    return met


# spoiling


def places(value: Any, place: Place = ()) -> list[Place]:
    """Where something stands in a JSON value."""
    inner: Any = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    return [*([place] if place else []), *(found for key, part in inner for found in places(part, (*place, key)))]


def at(value: Any, place: Place) -> Any:
    for key in place:
        value = value[key]
    return value


def copied(value: Any) -> Any:
    return json.loads(json.dumps(value))


@st.composite
def spoiled(draw: st.DrawFn, value: Any, phases: list[str]) -> Any:
    """A JSON object in which one thing is not as it was, unless what was to be spoiled could not be."""
    value = copied(value)
    place = draw(st.sampled_from(places(value)))
    key: Any = place[-1]
    parent = at(value, place[:-1])
    alike = [other for other in places(value) if type(at(value, other)) is type(at(value, place))]
    match draw(st.sampled_from(["junk", "any", "alike", "lost", "doubled", "shuffled", "phase"])):
        case "junk":
            parent[key] = draw(st.sampled_from(JUNK))
        case "any":
            parent[key] = copied(at(value, draw(st.sampled_from(places(value)))))
        case "alike":
            parent[key] = copied(at(value, draw(st.sampled_from(alike))))
        case "lost" if isinstance(parent, list):
            del parent[key]
        case "doubled" if isinstance(parent, list):
            parent[key:key] = [parent[key]]
        case "shuffled" if isinstance(parent[key], list):
            parent[key] = draw(st.permutations(parent[key]))
        case "phase":
            value["status" if "status" in value else "phase"] = draw(st.sampled_from(phases))
    return value


@st.composite
def questions(draw: st.DrawFn, name: str) -> bytes:
    """A line that asks this machine for a step from a state that may be spoiled."""
    machine = stand_named(name).machine
    world = draw(st.sampled_from(worlds_of(name)))
    met = walk(world, Random(draw(st.integers(0, 2**32), label="walk")))
    found, events = draw(st.sampled_from(met))
    state = json.loads(encode(found))
    for _ in range(draw(st.integers(0, 3), label="how much is spoiled")):
        state = draw(spoiled(state, [phase.value for phase in machine.phases]))
    anything: list[Any] = [event for _, offered in met for event in offered] or [{"type": "Nothing"}]
    event = json.loads(encode(draw(st.sampled_from(events or anything) | st.sampled_from(anything))))
    if draw(st.integers(0, 9)) == 0:
        event = draw(spoiled(event, ["Nothing"]))
    return encode({"state": state, "event": event})


def is_answer(written: bytes) -> bool:
    """Whether this is a step, or an error with a code and a sentence."""
    said = json.loads(written)
    if said.keys() == {"error"}:
        return said["error"].keys() == {"code", "message"} and all(said["error"].values())
    return bool(said.keys() == {"state", "trace", "effects"})


@pytest.mark.parametrize("name", machine_names())
def test_every_state_that_decodes_is_answered(name: str) -> None:
    @SETTINGS
    @given(questions(name))
    def answers(line: bytes) -> None:
        assert is_answer(answer(stand_named(name), line))

    answers()


@pytest.mark.parametrize("name", machine_names())
def test_no_machine_in_the_box_fails_for_a_state_that_it_takes_for_its_own(name: str) -> None:
    """What it cannot be in, each machine says itself: nothing has to be caught at the edge."""
    seen = {"refused": 0, "answered": 0}

    @settings(SETTINGS, derandomize=True)
    @given(questions(name))
    def takes(line: bytes) -> None:
        question = read_question(line)
        assert not isinstance(question, Rejection)
        taken = take(stand_named(name), question)
        seen["answered" if isinstance(taken, Answer) else "refused"] += 1

    takes()
    assert min(seen.values()) >= 10, seen


OPTIONS = (b"{}", b"null", b"[]", b"7", b'{"x":1}', b'{"game":"66"}', b'{"game":7}', b'{"maxRoundSize":-3}')
COMPANIES = ((), ("ana",), ("ana", "bo"), ("ana", "ana"), ("",), tuple("abcdefghijklmno"))
SEEDS = (None, "", "7", "\n", "x" * 2_000)


@pytest.mark.parametrize("name", machine_names())
def test_every_way_to_open_a_machine_is_answered_without_a_failure(name: str) -> None:
    inspectable = stand_named(name)
    events = [{"type": event.__struct_config__.tag, "player": "ana"} for event in inspectable.machine.events]
    for options, players, seed, event in product(OPTIONS, COMPANIES, SEEDS, events):
        line = encode({"players": players, "options": Raw(options), "seed": seed, "event": event})
        question = read_question(line)
        assert not isinstance(question, Rejection)
        taken = take(inspectable, question)
        assert isinstance(taken, Answer) or (taken.code and taken.sentence)
