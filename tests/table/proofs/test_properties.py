"""What holds for every table, whatever happens to it: tables of random games under random troubles."""

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Raw

from tests.table.proofs.walks import TableWalk, find, walked
from turnstile.kernel import Event, PlayerId, Rejection, Step, digest, encode
from turnstile.kernel.values import decode
from turnstile.registry import names
from turnstile.table.inspect import read
from turnstile.table.machine import Table, table
from turnstile.table.messages import Told
from turnstile.table.proofs import violation
from turnstile.table.values import Act, Code, Phase, State
from turnstile.testing.strategies import NAMES, events, values

pytestmark = pytest.mark.uncounted

SETTINGS = settings(
    max_examples=60,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@st.composite
def walks(draw: st.DrawFn, longest: int = 120) -> TableWalk:
    game = find(draw(st.sampled_from(names()), label="game"))
    seed = draw(st.integers(0, 2**32), label="seed")
    return walked(Random(seed), draw(st.integers(0, longest), label="events"), game)


def anything(walk: TableWalk) -> st.SearchStrategy[Event]:
    """Any event of a table, in any form that its types allow."""
    players = walk.state.players or NAMES[:2]
    kinds = [values(kind, players) for kind in table.events if kind is not Act]
    moves = events(walk.game, players).map(lambda move: Raw(encode(move)))
    junk = st.sampled_from([Raw(b"null"), Raw(b"{}"), Raw(b'{"type":"Fly"}')])
    who = st.sampled_from([*players, PlayerId("a stranger")])
    act = st.builds(Act, who, st.just("1"), st.integers(0, 2**41), moves | junk, st.none() | st.integers(-1, 40))
    return st.one_of(*kinds, act)


@SETTINGS
@given(walks(), st.data())
def test_any_event_at_any_table_answers_and_leaves_the_table_as_it_was(walk: TableWalk, data: Any) -> None:
    event = data.draw(anything(walk))
    before = digest(walk.state)
    answer = table.step(walk.state, event)
    assert digest(walk.state) == before
    if isinstance(answer, Rejection):
        assert answer.code in {
            *table.codes,
            *walk.game.machine.codes,
            "InvalidPlayers",
            "InvalidOptions",
            "InvalidSeed",
        }
        assert answer.sentence
    else:
        assert violation(answer.state) is None


@SETTINGS
@given(walks(), st.data())
def test_the_same_step_twice_gives_the_same_to_the_bit_and_apply_agrees(walk: TableWalk, data: Any) -> None:
    event = data.draw(anything(walk))
    one, two = table.step(walk.state, event), table.step(walk.state, event)
    assert encode(one) == encode(two)
    assert encode(table.apply(walk.state, event)) == encode(one.state if isinstance(one, Step) else one)


@SETTINGS
@given(walks(), st.data())
def test_S19_encode_and_decode_agree_about_every_table_and_every_event(walk: TableWalk, data: Any) -> None:
    for state in walk.states:
        again = decode(encode(state), State[walk.game.machine.state])  # type: ignore[name-defined]
        assert again == state
        assert encode(again) == encode(state)
    assert read(encode(walk.state)) == walk.state
    for event in (*walk.events, data.draw(anything(walk))):
        assert encode(table.read_event(encode(event))) == encode(event) or isinstance(
            table.read_event(encode(event)), Rejection
        )


@SETTINGS
@given(walks())
def test_a_log_that_is_read_again_leads_to_the_same_table(walk: TableWalk) -> None:
    state = walk.states[0]
    for event in walk.events:
        happened = table.read_event(encode(event))
        assert not isinstance(happened, Rejection)
        after = table.apply(state, happened)
        assert not isinstance(after, Rejection)
        state = after
    assert encode(state) == encode(walk.state)


@SETTINGS
@given(walks())
def test_every_stream_is_gapless_and_as_long_as_the_table_says(walk: TableWalk) -> None:
    counts: Counter[PlayerId | None] = Counter()
    for step in walk.steps:
        for effect in step.effects:
            assert isinstance(effect, Told)
            counts[effect.player] += 1
            assert effect.seq == counts[effect.player]
        assert {player: counts[player] for player in step.state.told} == dict(step.state.told)
        assert counts[None] == step.state.watched


@SETTINGS
@given(walks())
def test_a_player_who_may_move_has_been_told_what_it_sees_and_may_do(walk: TableWalk) -> None:
    newest: dict[PlayerId | None, Told] = {}
    for step in walk.steps:
        newest |= {effect.player: effect for effect in step.effects if isinstance(effect, Told)}
        if step.state.phase is not Phase.PLAYING:
            continue
        for player, told in newest.items():
            match = step.state.match
            assert told.view == walk.game.view(match, player)
            if player is not None:
                assert told.actions == walk.game.actions(match, player)


@SETTINGS
@given(walks())
def test_a_move_is_stale_if_and_only_if_its_player_has_moved_or_may_do_something_else_since(walk: TableWalk) -> None:
    if walk.state.phase is not Phase.PLAYING:
        return
    for player in walk.state.players:
        shown = actions_shown(walk, player)
        for seen in range(walk.state.told[player] + 1):
            if is_stale(walk.state, player, seen):
                has_other = any(actions != shown[seen - 1] for actions in shown[seen:])
                assert has_other or moved_since(walk, player, seen) or began_since(walk, player, seen)
        for moment, state in enumerate(walk.states):
            if state.phase is Phase.PLAYING and may_do_other_later(walk, player, moment):
                assert is_stale(walk.state, player, state.told[player])


@pytest.mark.parametrize(("seed", "events"), [(2, 4), (1, 6)])
def test_what_was_told_before_the_match_began_may_be_stale(seed: int, events: int) -> None:
    every = test_a_move_is_stale_if_and_only_if_its_player_has_moved_or_may_do_something_else_since
    every.hypothesis.inner_test(walked(Random(seed), events, find("up-down")))  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", [52, 117, 294])
def test_the_first_of_several_batches_is_not_stale_while_its_player_may_do_nothing(seed: int) -> None:
    rng = Random(seed)
    length = rng.randrange(60)
    every = test_a_move_is_stale_if_and_only_if_its_player_has_moved_or_may_do_something_else_since
    every.hypothesis.inner_test(walked(rng, length, find("66") if seed % 2 else None))  # type: ignore[attr-defined]


def is_stale(state: Table, player: PlayerId, seen: int) -> bool:
    answer = table.apply(state, Act(player, "1", state.now, Raw(b"null"), seen))
    assert isinstance(answer, Rejection)
    return answer.code == Code.STALE_VERSION


def told_to(walk: TableWalk, player: PlayerId) -> list[Told]:
    """The updates of a player's stream."""
    told = [effect for step in walk.steps for effect in step.effects if isinstance(effect, Told)]
    return [effect for effect in told if effect.player == player]


def actions_shown(walk: TableWalk, player: PlayerId) -> list[object]:
    """What each update of a player's stream has said that it may do."""
    return [effect.actions for effect in told_to(walk, player)]


def began_since(walk: TableWalk, player: PlayerId, seen: int) -> bool:
    """Whether the match has begun since this update. Its game may have made a first move for the player, such as
    `StartGame` of Up-Down, before there was anything to see."""
    return all(effect.view is None for effect in told_to(walk, player)[:seen])


def moved_since(walk: TableWalk, player: PlayerId, seen: int) -> bool:
    """Whether a player has made a move that was not yet made when it was told this update."""
    events = zip(walk.states, walk.events, strict=False)
    return any(
        isinstance(event, Act) and event.player == player and state.told[player] >= seen for state, event in events
    )


def may_do_other_later(walk: TableWalk, player: PlayerId, moment: int) -> bool:
    """Whether a player may do something else at any later moment than at this one."""
    actions = walk.game.actions
    return any(
        actions(state.match, player) != actions(walk.states[moment].match, player) for state in walk.states[moment:]
    )


@SETTINGS
@given(walks())
def test_every_table_on_the_way_is_sound_and_its_time_never_goes_back(walk: TableWalk) -> None:
    assert [violation(state) for state in walk.states] == [None] * len(walk.states)
    assert [state.now for state in walk.states] == sorted(state.now for state in walk.states)


@pytest.mark.parametrize("name", names())
def test_random_tables_reach_every_phase_and_every_row(name: str) -> None:
    rows: set[tuple[str, str, str]] = set()
    for seed in range(400):
        walk = walked(Random(f"{seed} of {name}"), 150, find(name))
        rows |= {(hop.source, hop.cause, hop.target) for step in walk.steps for hop in step.trace}
    known = {(hop.source, hop.cause, hop.target) for row in table.rows for hop in row.hops.values()}
    never = {("Playing", "Ring", "Settling")}  # no game in the box has a timer of its own
    if name not in ("66", "e-card"):
        never |= {hop for hop in known if "Gathering" in hop}  # their dealer acts before anything is told
    assert known - rows - never == set()
