"""The suite: a test class for one game, with every property that must hold for all games."""

import os
import subprocess
import sys
from itertools import pairwise
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import json

from turnstile.kernel import AnyGame, AnyStudy, Rejection, Step, Study, decode, digest, encode
from turnstile.kernel.changes import apply_change, change_between
from turnstile.kernel.check import MOST_STATES, Verdict, check, world_of
from turnstile.kernel.record import Record, Replay, load, refuse_deal, replay, save, write
from turnstile.testing.batches import has_later_batches, news_of_later_batches
from turnstile.testing.nets import forward_pairs, redraw_laws, trace_pairs
from turnstile.testing.opening import opening_tests
from turnstile.testing.strategies import RandomMatch, any_event, events, matches, moves, unfinished_matches

SETTINGS = settings(
    max_examples=60,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

CHANCE = "the same event in the same state gives another result; rules may draw from the seed of the match alone"


def suite(game: AnyGame, study: AnyStudy | None = None, most_states: int = MOST_STATES) -> type:
    """A class of tests for pytest to collect: `TestECard = suite(ecard.game, study)`.

    The tests for leaks need the study's `redraw`; without it they are left out. `pytest -s` shows what they compared.
    """
    known: AnyStudy = study or Study()
    leaks = _leak_tests(game, known) if known.redraw else {}
    batches = _batch_tests(game, known) if known.redraw and game.gated else {}
    tests = {**_tests(game, known, most_states), **opening_tests(game, known), **leaks, **batches}
    return type(f"Test {game.title}", (), tests)


def _tests(game: AnyGame, study: AnyStudy, most_states: int) -> dict[str, Any]:
    machine = game.machine

    @SETTINGS
    @given(unfinished_matches(game), st.data())
    def test_any_event_in_any_state_answers_and_leaves_the_state_as_it_was(
        self: Any, match: RandomMatch, data: Any
    ) -> None:
        event = data.draw(any_event(game, match))
        before = digest(match.state)
        answer = machine.step(match.state, event)
        assert digest(match.state) == before, f"{event} changes the state that it is given"
        if isinstance(answer, Rejection):
            assert answer.code in machine.codes, (
                f"{event} is refused with {answer.code}, which is no code of the machine"
            )
            return
        for player, message in [told for batch in answer.batches for told in batch.items()]:
            assert player in match.players, f"{event} tells {player}, who is not in the match: {message}"
            assert type(message) in machine.messages, f"the machine does not name the message of {event}: {message}"

    @SETTINGS
    @given(unfinished_matches(game), st.data())
    def test_what_is_offered_is_accepted_and_what_is_not_is_refused(self: Any, match: RandomMatch, data: Any) -> None:
        for event in data.draw(st.lists(moves(game, match.players), min_size=1, max_size=10)):
            offered = game.actions(match.state, event.player)
            if isinstance(answer := machine.apply(match.state, event), Rejection):
                assert event not in offered, f"{event} is offered and refused: {answer.sentence}"
            else:
                assert event in offered, f"{event} is accepted, but not offered"

    @SETTINGS
    @given(unfinished_matches(game), st.data())
    def test_phases_on_the_way_can_be_looked_at_and_nobody_acts_in_them(
        self: Any, match: RandomMatch, data: Any
    ) -> None:
        offered = game.offered(match.state)
        event = data.draw(st.sampled_from(offered) if offered else events(game, match.players))
        way: list[Any] = []
        machine.apply(match.state, event, way)
        for state in [passed for _, passed, _ in way[:-1]]:
            assert machine.read_state(encode(state)) == state
            assert [encode(game.view(state, player)) for player in (*match.players, None)]
            assert [game.actions(state, player) for player in match.players] == [()] * len(match.players)

    @SETTINGS
    @given(unfinished_matches(game), st.data())
    def test_the_same_step_twice_gives_the_same_to_the_bit(self: Any, match: RandomMatch, data: Any) -> None:
        event = data.draw(any_event(game, match))
        one, two = machine.step(match.state, event), machine.step(match.state, event)
        assert encode(one) == encode(two), f"{event}: {CHANCE}"
        applied = machine.apply(match.state, event)
        assert encode(applied) == encode(one.state if isinstance(one, Step) else one), f"{event}: {CHANCE}"

    def test_another_hash_seed_changes_nothing(self: Any) -> None:
        one, two = _in_another_process(game, "1"), _in_another_process(game, "2")
        assert one, "no match was played"
        assert one == two, f"another process, with another hash seed: {CHANCE}"

    @SETTINGS
    @given(unfinished_matches(game), st.data())
    def test_encode_and_decode_agree(self: Any, match: RandomMatch, data: Any) -> None:
        event = data.draw(events(game, match.players))
        again = machine.read_state(encode(match.state))
        assert again == match.state, f"the state is not what its JSON is read as: {match.state} and {again}"
        assert encode(again) == encode(match.state)
        assert machine.read_event(encode(event)) == event
        for player in (*match.players, None):
            shown = game.view(match.state, player)
            again = decode(encode(shown), type(shown))
            assert again == shown, f"the view is not what its JSON is read as: {shown} and {again}"

    @SETTINGS
    @given(matches(game))
    def test_what_has_changed_makes_each_view_from_the_one_before(self: Any, match: RandomMatch) -> None:
        for player in (*match.players, None):
            views = [game.view(state, player) for state in match.states]
            for before, after in pairwise(views):
                change = json.decode(encode(change_between(before, after)))
                folded = apply_change(json.decode(encode(before)), change)
                assert encode(folded) == encode(json.decode(encode(after)))

    @SETTINGS
    @given(matches(game, longest=2_000))
    def test_a_record_replays_to_the_bit(self: Any, match: RandomMatch) -> None:
        record = write(game, match.players, match.options, match.seed, match.events, match.entropy)
        assert isinstance(record, Record), record
        again = load(save(record))
        assert again == record
        played = replay(record, game)
        assert isinstance(played, Replay), played
        assert [digest(state) for state in played.states] == [digest(state) for state in match.states]
        assert refuse_deal(record, game, played) is None

    @SETTINGS
    @given(matches(game, longest=2_000))
    def test_every_state_is_sound_and_nobody_acts_after_the_end(self: Any, match: RandomMatch) -> None:
        assert [study.violation(state) for state in match.states] == [None] * len(match.states)
        if (outcome := game.outcome(match.state)) is not None:
            offered = [game.dealer(match.state), *(game.actions(match.state, player) for player in match.players)]
            assert not any(offered), f"the match is over, and something is still offered: {offered}"
            assert {*outcome.winners, *outcome.scores} <= {*match.players}, f"a stranger is in the result: {outcome}"

    def test_the_checker_finds_no_fault(self: Any) -> None:
        report = check(world_of(game, study, game.options()), most_states)
        failed = [finding for finding in report.findings if finding.verdict is Verdict.FAILED]
        assert not failed, "\n".join(line for finding in failed for line in (finding.sentence, *finding.path))

    return {name: test for name, test in locals().items() if name.startswith("test_")}


def _leak_tests(game: AnyGame, study: AnyStudy) -> dict[str, Any]:
    def test_what_is_redrawn_depends_on_nothing_hidden(self: Any) -> None:
        redraw_laws(game, study)

    def test_forward_pairs_look_the_same(self: Any) -> None:
        print(f"Forward pairs of {game.title}:\n{forward_pairs(game, study)}")

    def test_trace_pairs_look_the_same(self: Any) -> None:
        print(f"Trace pairs of {game.title}:\n{trace_pairs(game, study)}")

    return {name: test for name, test in locals().items() if name.startswith("test_")}


def _batch_tests(game: AnyGame, study: AnyStudy) -> dict[str, Any]:
    @settings(SETTINGS, max_examples=20)
    @given(matches(game, longest=500), st.data())
    def test_a_view_shows_nothing_that_a_later_batch_of_its_step_tells(
        self: Any, match: RandomMatch, data: Any
    ) -> None:
        player = data.draw(st.sampled_from(match.players), label="player")
        moments = [
            (state, event)
            for state, event in zip(match.states, match.events, strict=False)
            if has_later_batches(game, state, event, player)
        ]
        if moments:
            state, event = data.draw(st.sampled_from(moments), label="moment")
            news_of_later_batches(game, study, state, event, player)

    return {name: test for name, test in locals().items() if name.startswith("test_")}


def _in_another_process(game: AnyGame, hash_seed: str) -> str:
    """The fingerprints of a few random matches, played in a process with another hash seed."""
    module = sys.modules[game.new.__module__]
    name = next(name for name, value in vars(module).items() if value is game)
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "turnstile.testing", module.__name__, name]
    played = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    assert played.returncode == 0, f"the game fails in a process of its own:\n{played.stderr}"
    return played.stdout
