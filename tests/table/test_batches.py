"""Batches: each goes with the match as it is shown then. No receiver sees with one what a later one tells."""

from random import Random

import pytest
from msgspec.json import decode as read_json

from tests.rules.sixtysix.matches import BOB, turn
from tests.table.proofs.walks import find, walked
from tests.table.tables import ANA, BO, CY, Eyes, Sitting, Update, around, heard, play, refusal, started
from turnstile.kernel import Step, decode, encode
from turnstile.registry import names
from turnstile.table.machine import table as machine
from turnstile.table.messages import Told
from turnstile.table.values import Code, Phase, State
from turnstile.table.wire import write_whole

pytestmark = pytest.mark.usefixtures("toys")


def counting() -> Sitting:
    """Ana has counted; the second batch waits."""
    return play(started("gated-hourglass", "ana bo cy"), "ana counts")


def seen(update: Update) -> tuple[str, int, bool]:
    """The messages, how often the hourglass ran out by the view, and whether anything may be done."""
    assert update.view is not None
    return update.names, update.view["ran"], bool(update.actions)


def new_in(before: Sitting, after: Sitting, eyes: Eyes) -> list[tuple[str, int, bool]]:
    return [seen(update) for update in after.streams[eyes][len(before.streams[eyes]) :]]


def test_each_batch_shows_the_match_as_it_is_told_and_only_the_last_what_may_be_done() -> None:
    before = started("gated-hourglass", "ana bo cy")
    first = play(before, "ana counts")
    assert new_in(before, first, ANA) == new_in(before, first, BO) == [("Ran", 1, False)]
    assert new_in(first, play(first, "acks"), ANA) == [("Ran", 2, True)]


def test_a_move_that_was_decided_on_an_earlier_batch_than_the_one_that_offers_it_is_stale() -> None:
    table = heard(counting())
    newest = table.state.told[ANA]
    assert [seen(update) for update in table.streams[ANA][-2:]] == [("Ran", 1, False), ("Ran", 2, True)]
    assert refusal(table, f"ana asks!{newest - 1}") == Code.STALE_VERSION
    assert play(table, f"ana asks!{newest}").match.phase == "Dealing"


def test_players_who_were_told_earlier_look_again_when_the_last_batch_is_told() -> None:
    first = counting()
    assert new_in(first, play(first, "acks"), BO) == new_in(first, play(first, "acks"), CY) == [("-", 2, True)]


def test_spectators_look_when_the_last_batch_is_told() -> None:
    before, first = started("gated-hourglass", "ana bo cy"), counting()
    assert new_in(before, first, None) == []
    assert new_in(first, play(first, "acks"), None) == [("-", 2, False)]


def test_in_open_play_nothing_waits_and_all_of_a_step_is_shown_at_once() -> None:
    before = started("hourglass")
    after = play(before, "ana counts")
    assert new_in(before, after, ANA) == [("Ran Ran", 2, True)], "two batches, one update"
    assert new_in(before, after, BO) == [("Ran", 2, True)]
    assert new_in(before, after, None) == [("-", 2, False)]


def test_a_batch_that_waits_while_a_timer_runs_out_shows_the_match_as_it_was() -> None:
    table = play(started("gated-hourglass", "ana bo cy"), "ana turns sand 10", "ana counts", "ring game sand")
    second = play(table, "acks")
    assert new_in(table, second, ANA) == [("Ran", 2, True)]
    assert new_in(table, second, BO) == [("-", 2, True)]
    third = play(second, "acks")
    assert new_in(second, third, ANA) == new_in(second, third, BO) == [("Ran", 3, True)]
    assert heard(third).state.phase is Phase.PLAYING


def test_when_the_match_ends_what_waited_shows_the_match_as_it_was_told() -> None:
    first = counting()
    table = play(first, "bo resigns")
    assert new_in(first, table, ANA) == [("Ran", 2, False), ("MatchEnded", 2, False)]
    with_a_timer = play(started("gated-hourglass", "ana bo"), "ana turns sand 10", "ana counts", "ring game sand")
    table = play(with_a_timer, "bo resigns")
    assert new_in(with_a_timer, table, ANA) == [("Ran", 2, False), ("Ran", 3, False), ("MatchEnded", 3, False)]


@pytest.mark.parametrize("name", names())
def test_a_table_that_is_read_from_a_snapshot_tells_the_same(name: str) -> None:
    """A late reader of a stream, or a server that takes over at a gate, gets what was sent to everyone else."""
    for seed in range(10):
        walk = walked(Random(f"{seed} of {name}"), 40, find(name))
        for state, event, step in zip(walk.states, walk.events, walk.steps, strict=False):
            again = decode(encode(state), State[walk.game.machine.state])  # type: ignore[name-defined]
            assert encode(machine.step(again, event)) == encode(step)


def updates_of(step: Step[State[object]]) -> list[tuple[Told, Update]]:
    effects = [effect for effect in step.effects if isinstance(effect, Told)]
    return [(told, read_json(write_whole(told), type=Update)) for told in effects]


@pytest.mark.parametrize("name", [name for name in names() if find(name).gated])
def test_no_player_is_offered_anything_before_the_last_batch_of_a_step(name: str) -> None:
    offers = 0
    for seed in range(20):
        for step in walked(Random(f"{seed} of {name}"), 60, find(name)).steps:
            waiting = bool(step.state.pending)
            for told, update in updates_of(step):
                offers += bool(update.actions)
                assert not (waiting and update.actions), f"{told.player} is offered moves with {update.names}"
    assert offers > 20


def test_the_first_who_is_told_of_a_stop_does_not_see_whose_turn_it_is_next() -> None:
    """The stop and the next turn are two steps: what the second tells is not in sight of the first."""
    table = play(around(turn(BOB)), "bob stop")
    view = table.last(BOB).view
    assert view is not None
    assert (view["phase"], view["turn"]) == ("ROUND_STOPPING", 1)
