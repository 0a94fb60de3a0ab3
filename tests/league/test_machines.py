"""What holds for all machines of the league: their diagrams, their worlds, their stands, and the nets under each."""

import json
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.conformance import faults
from tests.league.diagrams import SPECS
from tests.league.player import played
from tests.league.referee import refereed
from turnstile.games.evenodd import drawn_number
from turnstile.kernel import ByPlayer, Event, Refusal, Rejection, Send, Step, digest, encode
from turnstile.kernel.check import MOST_STATES, Finding, Verdict, Walk, check_table
from turnstile.kernel.inspect import AnyInspectable
from turnstile.league.manager.machine import manager
from turnstile.league.player.machine import player
from turnstile.league.player.state import PlayerStartup
from turnstile.league.proofs import manager as manager_world
from turnstile.league.proofs import manager_invariants as manager_sound
from turnstile.league.proofs import player as player_world
from turnstile.league.proofs import referee as referee_world
from turnstile.league.proofs.inspect import (
    manager_inspectable,
    player_inspectable,
    referee_inspectable,
)
from turnstile.league.proofs.worlds import accepted_events
from turnstile.league.protocol.management import ALL_REPLIES, LeagueError
from turnstile.league.protocol.messages import GameError, GameOver, MatchResultReport
from turnstile.league.protocol.values import Tally
from turnstile.league.referee import state as referee_state
from turnstile.league.referee.machine import referee
from turnstile.testing.strategies import values

MACHINES: dict[str, AnyInspectable] = {
    "manager": manager_inspectable,
    "referee": referee_inspectable,
    "player": player_inspectable,
}
HAPPENINGS = {
    "manager": manager_world.HAPPENINGS,
    "referee": referee_world.HAPPENINGS,
    "player": player_world.HAPPENINGS,
}
OF_PARITY: dict[str, tuple[Callable[[Any], Iterable[Event]], Callable[[], Any]]] = {
    "manager": (lambda _: manager_world.HAPPENINGS, lambda: manager_world.open_league(3)),
    "referee": (lambda _: referee_world.HAPPENINGS, refereed.idle),
    "player": (lambda _: player_world.HAPPENINGS, played.starting),
}
OF_MOVES: dict[str, tuple[Callable[[Any], Iterable[Event]], Callable[[], Any]]] = {
    "referee": (referee_world.move_happenings, lambda: referee_world.asking("even-odd")),
    "player": (lambda _: player_world.MOVE_HAPPENINGS, player_world.waiting),
}
"""All that may happen to a machine in a state, and where it begins: in Even/Odd, and in another game."""
SOUND: dict[str, Callable[[Any], str | None]] = {
    "manager": manager_sound.violation,
    "referee": referee_world.violation,
    "player": player_world.violation,
}
FIRST = 1_000
RESULT = refereed.notified_result()
SETTINGS = settings(
    max_examples=60,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


# diagrams


@pytest.mark.parametrize("name", SPECS)
def test_every_edge_of_the_spec_exists_or_is_a_named_departure_and_nothing_else_exists(name: str) -> None:
    assert faults(MACHINES[name].machine, SPECS[name]) == []


# worlds


def walk_of(name: str, number: int) -> tuple[Walk[Any], list[Finding]]:
    """One world of a machine, walked, and what was found."""
    walk = Walk(list(MACHINES[name].worlds())[number], MOST_STATES)
    return walk, walk.findings()


walked = cache(walk_of)
"""The same, once for all the tests that look at it."""


@pytest.mark.parametrize(
    ("name", "number", "states"),
    [
        pytest.param("referee", 0, 10_819, marks=pytest.mark.uncounted),
        pytest.param("referee", 1, 10_819, marks=pytest.mark.uncounted),
        pytest.param("player", 0, 4_262, marks=pytest.mark.uncounted),
        pytest.param("player", 1, 7_254, marks=pytest.mark.uncounted),
        pytest.param("referee", 2, 1_816, marks=pytest.mark.uncounted),
        ("player", 2, 66),
    ],
)
def test_every_order_of_all_that_can_happen_leads_to_sound_states_and_to_an_end(
    name: str, number: int, states: int
) -> None:
    is_small = states < 100  # walked anew, for the lines of a cached walk are counted only if this test comes first
    walk, findings = walk_of(name, number) if is_small else walked(name, number)
    assert all(finding.verdict is not Verdict.FAILED for finding in findings), findings
    told = [finding.sentence for finding in findings]
    assert any("were walked" in sentence for sentence in told), "the world is small enough to be walked completely"
    assert "timers alone bring every state to rest" in told
    assert len(walk.nodes) == states


@pytest.mark.parametrize("name", MACHINES)
def test_along_a_random_path_every_offered_event_is_taken_and_every_state_is_sound(name: str) -> None:
    """A part of the walks above that is small enough for its lines to be counted."""
    for world in MACHINES[name].worlds():
        rng, state = Random(world.setting), world.starts[0]
        for _ in range(40):
            steps = [world.machine.apply(state, event) for event in world.moves(state)]
            assert not any(isinstance(step, Rejection) for step in steps)
            others = [step for step in steps if world.state_key(step) != world.state_key(state)]
            if not others or world.over(state):
                break
            state = rng.choice(others)
            assert world.violation(state) is None


@pytest.mark.uncounted
def test_a_match_in_which_nobody_repeats_itself_has_an_end_on_every_path() -> None:
    _, findings = walked("referee", 1)
    assert "no match goes on for ever: the longest has 52 events" in [finding.sentence for finding in findings]


@pytest.mark.parametrize("name", MACHINES)
def test_the_table_of_each_machine_has_no_dead_end(name: str) -> None:
    assert all(finding.verdict is Verdict.PROVED for finding in check_table(MACHINES[name].machine))


def test_the_seeds_of_the_world_give_an_even_number_and_an_odd_one() -> None:
    assert [drawn_number(seed, 0) % 2 for seed in referee_world.SEEDS] == [0, 1]


@pytest.mark.parametrize("seed", range(200))
def test_a_match_has_one_result_and_everybody_is_told_the_same(seed: int) -> None:
    rng, state, told = Random(f"match {seed}"), refereed.idle(), set()
    ends = referee_state.CleanupComplete | referee_state.MatchWithdrawn
    happenings = [event for event in referee_world.HAPPENINGS if not isinstance(event, ends)]
    while state.phase is not referee_state.Phase.MATCH_COMPLETE:
        step = referee.step(state, rng.choice(happenings))
        if isinstance(step, Rejection):
            continue
        for effect in step.effects:
            if isinstance(effect, Send) and isinstance(effect.message, GameOver):
                told.add(digest(effect.message.game_result))
            if isinstance(effect, Send) and isinstance(effect.message, MatchResultReport):
                assert step.state.result is not None
                assert effect.message.result.winner == step.state.result.winner_player_id
                assert effect.message.result.details.status == step.state.result.status
        state = step.state
    assert told == {digest(state.result)}


# what must be so


@pytest.mark.parametrize(
    ("state", "lie"),
    [
        (refereed.idle(), {"retry_count": 1}),
        (refereed.assigned(), {"assignment": None}),
        (refereed.assigned(), {"seats": ()}),
        (refereed.assigned(), {"seats": tuple(replace(seat, retry_count=4) for seat in refereed.assigned().seats)}),
        (
            refereed.assigned(),
            {"seats": tuple(replace(s, has_answered=True, fault="late") for s in refereed.assigned().seats)},
        ),
        (refereed.assigned(), {"seats": tuple(replace(s, has_answered=True) for s in refereed.assigned().seats)}),
        (refereed.assigned(), {"standings": ByPlayer()}),
        (refereed.collecting(), {"seats": tuple(replace(s, choice="odd") for s in refereed.collecting().seats)}),
        (refereed.collecting(), {"phase": referee_state.Phase.DRAWING_NUMBER}),
        (refereed.collecting(), {"result": refereed.complete().result}),
        (refereed.complete(), {"result": None}),
        (refereed.complete(), {"result": replace(RESULT, drawn_number=5)}),
        (refereed.complete(), {"seats": refereed.collecting().seats}),
        (refereed.collecting(), {"retry_count": 1}),
        (refereed.reporting(), {"retry_count": 4}),
        (refereed.reporting(), {"is_reported": True}),
        (
            refereed.complete(),
            {"result": replace(RESULT, status="TECHNICAL_LOSS", winner_player_id="P77")},
        ),
        (
            refereed.assigned(),
            {
                "assignment": replace(
                    refereed.assigned().given, match=replace(refereed.assigned().given.match, player_b_id=refereed.A)
                )
            },
        ),
        (played.registered(), {"player_id": None}),
        (played.invited(), {"match": None}),
        (played.registered(), {"failure": "a reason"}),
        (played.registering(), {"retry_count": 4}),
        (played.registering(), {"names_tried": 4}),
        (played.registered(), {"queued": played.announcement(1)}),
        (played.complete(), {"history": played.complete().history * 2}),
        (played.complete(), {"history": ()}),
        (played.chosen(), {"match": played.choosing().match}),
        (played.complete(), {"statistics": Tally()}),
        (played.complete(), {"statistics": Tally(wins=1, technical_losses=1)}),
        (played.registered(), {"round": played.waiting().round}),
    ],
)
def test_a_state_that_contradicts_itself_is_not_sound_and_not_read(state: Any, lie: dict[str, Any]) -> None:
    name = next(name for name, inspectable in MACHINES.items() if isinstance(state, inspectable.machine.state))
    violation, read = SOUND[name], MACHINES[name].read
    assert violation(state) is None
    assert violation(replace(state, **lie)) is not None
    assert read(encode(state)) == state
    answer = read(encode(replace(state, **lie)))
    assert isinstance(answer, Rejection)
    assert answer.code == Refusal.INVALID_STATE


# nets


@st.composite
def walks(draw: st.DrawFn) -> tuple[str, list[Any]]:
    """A machine, and the states it went through when whatever can happen happened to it."""
    name = draw(st.sampled_from(list(MACHINES)), label="machine")
    rng = Random(draw(st.integers(0, 2**32), label="seed"))
    of_moves = name in OF_MOVES and draw(st.booleans(), label="a match of another game")
    offered, first = (OF_MOVES if of_moves else OF_PARITY)[name]
    machine, states = MACHINES[name].machine, [first()]
    for _ in range(draw(st.integers(0, 60), label="events")):
        able = [event for event in offered(states[-1]) if not isinstance(machine.apply(states[-1], event), Rejection)]
        if not able:
            break
        after = machine.apply(states[-1], rng.choice(able))
        assert not isinstance(after, Rejection)
        states.append(after)
    return name, states


def anything(name: str) -> st.SearchStrategy[Event]:
    """Any event of a machine: one that could have come, or one of any form that its types allow."""
    made = [values(kind, (played.ME, played.OTHER)) for kind in MACHINES[name].machine.events]
    return st.sampled_from(HAPPENINGS[name]) | st.one_of(made)


@pytest.mark.uncounted
@SETTINGS
@given(walks(), st.data())
def test_any_event_in_any_state_answers_and_leaves_the_state_as_it_was(walk: tuple[str, list[Any]], data: Any) -> None:
    name, states = walk
    event = data.draw(anything(name))
    before = digest(states[-1])
    answer = MACHINES[name].machine.step(states[-1], event)
    assert digest(states[-1]) == before
    if isinstance(answer, Rejection):
        assert answer.code in MACHINES[name].machine.codes
        assert answer.sentence
    else:
        assert SOUND[name](answer.state) is None


@pytest.mark.uncounted
@SETTINGS
@given(walks(), st.data())
def test_the_same_step_twice_gives_the_same_to_the_bit_and_apply_agrees(walk: tuple[str, list[Any]], data: Any) -> None:
    name, states = walk
    machine, event = MACHINES[name].machine, data.draw(anything(name))
    one, two = machine.step(states[-1], event), machine.step(states[-1], event)
    assert encode(one) == encode(two)
    assert encode(machine.apply(states[-1], event)) == encode(one.state if isinstance(one, Step) else one)


@pytest.mark.uncounted
@SETTINGS
@given(walks(), st.data())
def test_S19_encode_and_decode_agree_about_every_state_and_every_event(walk: tuple[str, list[Any]], data: Any) -> None:
    name, states = walk
    inspectable, event = MACHINES[name], data.draw(anything(name))
    for state in states:
        assert inspectable.read(encode(state)) == state
        assert encode(inspectable.read(encode(state))) == encode(state)
    assert inspectable.machine.read_event(encode(event)) == event


def tried(name: str, every: int) -> Iterator[tuple[Any, Step[Any] | Rejection]]:
    """States that can be reached, each with all that may happen to it: the first of them, and then every so many."""
    for number, (offered, _) in ((0, OF_PARITY[name]), *((2, cases[name]) for cases in [OF_MOVES] if name in cases)):
        walk, _ = walked(name, number)
        for node in (*walk.nodes[:FIRST], *walk.nodes[FIRST::every]):
            for event in offered(node.state):
                yield node.state, MACHINES[name].machine.step(node.state, event)
    if name == "player":  # one that takes any invitation
        for node in walked(name, 1)[0].nodes[:FIRST]:
            for event in player_world.HAPPENINGS:
                yield node.state, player.step(node.state, event)


@pytest.mark.uncounted
@pytest.mark.parametrize(("name", "every"), [("referee", 10), ("player", 1)])
def test_every_row_is_taken_and_every_code_is_met(name: str, every: int) -> None:
    rows, codes = set(), set()
    for _, answer in tried(name, every):
        if isinstance(answer, Rejection):
            codes.add(answer.code)
        else:
            rows |= {(hop.source, hop.cause, hop.target) for hop in answer.trace}
    known = {(hop.source, hop.cause, hop.target) for row in MACHINES[name].machine.rows for hop in row.hops.values()}
    assert known - rows <= {("CHOOSING_PARITY", "CHOOSE_PARITY_CALL", "CHOOSING_PARITY")}, "which only says: Pending"
    unmet = {"InvalidEvent", "WrongPhase", "InvalidAssignment"}  # WrongPhase: every phase has its own word for it
    assert set(MACHINES[name].machine.codes) - codes - unmet == set()


@pytest.mark.uncounted
def test_without_repeats_and_second_thoughts_nothing_is_walked_that_leads_back() -> None:
    """What is left says how long a match can last at most."""
    everything, shorter = list(referee_world.worlds())[:2]
    walk, _ = walked("referee", 0)
    for node in walk.nodes[:FIRST]:
        state = node.state
        left = list(shorter.moves(state))
        assert set(left) <= set(everything.moves(state))
        assert all(referee.apply(state, event) != state for event in left)
    assert any(len(list(shorter.moves(node.state))) < len(list(everything.moves(node.state))) for node in walk.nodes)


def test_to_a_new_player_nothing_can_happen_but_its_start() -> None:
    assert list(accepted_events(player, player_world.HAPPENINGS)(played.starting())) == [PlayerStartup()]


# failures, for hosts


@pytest.mark.uncounted
def test_whatever_a_referee_sends_its_failure_is_an_event_that_it_takes_or_none_at_all() -> None:
    seen = set()
    for _, step in tried("referee", 20):
        if isinstance(step, Rejection):
            continue
        for call in (effect for effect in step.effects if isinstance(effect, Send)):
            failed = call.on_failure
            assert (failed is None) == isinstance(call.message, GameError | MatchResultReport)
            if failed is not None:
                assert isinstance(referee.step(step.state, failed), Step)
                seen.add(type(call.message))
    assert len(seen) == 5


def test_every_request_has_its_reply() -> None:
    spoken = {*manager.messages, *referee.messages, *player.messages}
    replies = {*ALL_REPLIES.values(), LeagueError}
    assert {kind for kind in spoken if kind not in replies} <= ALL_REPLIES.keys()
    assert json.loads(encode(refereed.assignment()))["message_type"] == "match_assigned"
