"""The small worlds of the league manager, walked completely, and what must be so in every state of it."""

from functools import cache
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from tests.league.manager import managed
from turnstile.kernel import Event, Refusal, Rejection, Send, encode
from turnstile.kernel.check import MOST_STATES, Finding, Verdict, Walk
from turnstile.league.manager.machine import manager
from turnstile.league.manager.state import IN_ROUND, Code, Options, Phase, State
from turnstile.league.proofs.inspect import manager_inspectable
from turnstile.league.proofs.manager import HAPPENINGS, state_key, worlds
from turnstile.league.proofs.manager_invariants import violation
from turnstile.league.protocol.messages import RoundAnnouncement
from turnstile.league.protocol.values import Tally

STATES = (3_862, 1_978, 733)


# worlds


@cache
def walked(number: int) -> tuple[Walk[State], list[Finding]]:
    walk = Walk(list(worlds())[number], MOST_STATES)
    return walk, walk.findings()


@pytest.mark.uncounted
@pytest.mark.parametrize(("number", "states"), list(enumerate(STATES)))
def test_every_order_of_all_that_can_happen_leads_to_sound_states_and_to_an_end(number: int, states: int) -> None:
    walk, findings = walked(number)
    assert all(finding.verdict is not Verdict.FAILED for finding in findings), findings
    told = [finding.sentence for finding in findings]
    assert any("were walked" in sentence for sentence in told), "the world is small enough to be walked completely"
    assert "timers alone bring every state to rest" in told
    assert len(walk.nodes) == states


@pytest.mark.uncounted
def test_every_row_is_taken_and_every_code_is_met() -> None:
    rows, codes = set(), set()
    for number in range(len(STATES)):
        nodes = walked(number)[0].nodes
        for state, event in [(node.state, event) for node in nodes for event, _ in node.next]:
            step = manager.step(state, event)
            assert not isinstance(step, Rejection)
            rows |= {(hop.source, hop.cause, hop.target) for hop in step.trace}
        for node in nodes[::10]:
            answers = [manager.step(node.state, event) for event in HAPPENINGS]
            codes |= {answer.code for answer in answers if isinstance(answer, Rejection)}
            rows |= {hop for answer in answers if not isinstance(answer, Rejection) for hop in _hops(answer.trace)}
    assert rows == {hop for row in manager.rows for hop in _hops(row.hops.values())}
    assert codes == {*Code}


@pytest.mark.uncounted
def test_every_change_of_referees_has_a_number_of_its_own() -> None:
    for number in range(len(STATES)):
        for node in walked(number)[0].nodes[::3]:
            for event, _ in node.next:
                _judge_revision(node.state, event)


def _judge_revision(before: State, event: Event) -> None:
    step = manager.step(before, event)
    assert not isinstance(step, Rejection)
    after = step.state
    told = [effect.message for effect in step.effects if isinstance(effect, Send)]
    revisions = {message.revision for message in told if isinstance(message, RoundAnnouncement)}
    assert revisions <= {after.revision or UNSET}
    if after.phase not in IN_ROUND or after.round_id != before.round_id or before.phase not in IN_ROUND:
        assert after.revision == 0
    elif after.phase is Phase.ANNOUNCING_ROUND and before.phase is not Phase.ANNOUNCING_ROUND:
        assert after.revision == before.revision + 1
    else:
        assert after.revision == before.revision
        assert _referees(after) == _referees(before)


def _referees(state: State) -> list[str | None]:
    return [match.referee_id for match in state.matches]


def _hops(trace: Any) -> set[tuple[str, str, str]]:
    return {(hop.source, hop.cause, hop.target) for hop in trace}


# what must be so

JOINED, ANNOUNCED, PLAYING = managed.joined().state, managed.announced().state, managed.playing().state
WAITING, COMPLETE = managed.waiting().state, managed.complete().state
RON, SUE = PLAYING.referees
LIES: list[tuple[Any, dict[str, Any]]] = [
    (JOINED, {"round_id": 1}),
    (JOINED, {"referees": (replace(RON, load=1),)}),
    (JOINED, {"players": JOINED.players * 2}),
    (JOINED, {"players": tuple(replace(player, contact_endpoint="http://one") for player in JOINED.players)}),
    (JOINED, {"options": Options(most_players=2)}),
    (JOINED, {"referees": (replace(RON, referee_id="REF02", load=0, unanswered=0),)}),
    (JOINED, {"referees": (replace(JOINED.referees[0], capacity=0),)}),
    (PLAYING, {"players": PLAYING.players[:1]}),
    (PLAYING, {"referees": ()}),
    (PLAYING, {"finished": ("A",)}),
    (PLAYING, {"finished": ("AY",), "round_id": 2}),
    (PLAYING, {"round_id": 2}),
    (PLAYING, {"matches": PLAYING.matches[::-1]}),
    (PLAYING, {"phase": Phase.COMPLETING_ROUND}),
    (COMPLETE, {"round_id": 2}),
    (COMPLETE, {"finished": COMPLETE.finished[:-1], "round_id": 2}),
    (COMPLETE, {"finished_by": COMPLETE.finished_by[:-1]}),
    (COMPLETE, {"finished_by": (*COMPLETE.finished_by[:-1], "A")}),
    (COMPLETE, {"finished_by": (*COMPLETE.finished_by[:-1], "AC")}),
    (COMPLETE, {"matches": PLAYING.matches}),
    (PLAYING, {"remaining": 1}),
    (PLAYING, {"revision": -1}),
    (COMPLETE, {"revision": 1}),
    (PLAYING, {"matches": tuple(replace(match, reassignments=1) for match in PLAYING.matches)}),
    (ANNOUNCED, {"unheard": ("P02", "P01")}),
    (ANNOUNCED, {"unheard": ("P09",)}),
    (ANNOUNCED, {"unheard": ()}),
    (PLAYING, {"unheard": ("P01",)}),
    (PLAYING, {"untold": ("player:P01",)}),
    (PLAYING, {"matches": tuple(replace(match, referee_id=None) for match in PLAYING.matches)}),
    (PLAYING, {"referees": (replace(RON, load=2), SUE)}),
    (COMPLETE, {"referees": (replace(COMPLETE.referees[0], periods=1), *COMPLETE.referees[1:])}),
    (PLAYING, {"referees": (replace(RON, unanswered=6), SUE)}),
    (PLAYING, {"referees": (replace(RON, periods=25), SUE)}),
    (PLAYING, {"referees": (replace(RON, is_up=False), SUE)}),
    (WAITING, {"referees": (replace(WAITING.referees[0], is_up=True), WAITING.referees[1])}),
    (PLAYING, {"tallies": (Tally(wins=1, points=3), *PLAYING.tallies[1:])}),
    (PLAYING, {"ladder": PLAYING.ladder[::-1]}),
]


def test_who_registered_first_makes_no_other_state_of_the_small_world() -> None:
    assert state_key(replace(JOINED, players=JOINED.players[::-1])) == state_key(JOINED)
    assert state_key(WAITING) != state_key(PLAYING)


@pytest.mark.parametrize(("state", "lie"), LIES)
def test_a_league_that_contradicts_itself_is_not_sound_and_not_read(state: State, lie: dict[str, Any]) -> None:
    assert violation(state) is None
    assert violation(replace(state, **lie)) is not None
    assert manager_inspectable.read(encode(state)) == state
    answer = manager_inspectable.read(encode(replace(state, **lie)))
    assert isinstance(answer, Rejection)
    assert answer.code == Refusal.INVALID_STATE
