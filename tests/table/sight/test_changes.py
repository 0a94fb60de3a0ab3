"""Changes: a reader who is sent the first view of a stream and then what has changed has every view of the stream."""

from itertools import pairwise
from random import Random
from typing import Any

import pytest
from msgspec import json

from tests.table import toys
from tests.table.proofs.walks import find, walked
from tests.table.tables import ANA, Eyes, Sitting, heard, play, raw_act, started, taken
from turnstile.kernel import AnyGame, encode
from turnstile.kernel.changes import apply_change
from turnstile.registry import names
from turnstile.table.messages import Told
from turnstile.table.wire import write_change, write_whole

WALKS, LENGTH = 25, 120

pytestmark = pytest.mark.usefixtures("toys")


def fold(updates: list[Told]) -> list[Any]:
    """The views that a reader of a stream has, after each update."""
    views = [json.decode(write_whole(updates[0]))["view"]]
    for before, told in pairwise(updates):
        views.append(apply_change(views[-1], json.decode(write_change(told, before.view))["changed"]))
    return views


def streams_of(game: AnyGame, seed: int) -> dict[Eyes, list[Told]]:
    """All streams of a random walk of a table."""
    streams: dict[Eyes, list[Told]] = {}
    for step in walked(Random(f"changes {seed} of {game.name}"), LENGTH, game).steps:
        for told in step.effects:
            assert isinstance(told, Told)
            streams.setdefault(told.player, []).append(told)
    return streams


@pytest.mark.parametrize("name", [*names(), toys.hourglass.name, toys.gated().name])
def test_a_stream_that_is_folded_from_its_changes_shows_every_view_of_it(name: str) -> None:
    compared = 0
    for seed in range(WALKS):
        for updates in streams_of(find(name), seed).values():
            whole = [json.decode(write_whole(told)) for told in updates]
            assert list(map(encode, fold(updates))) == [encode(update["view"]) for update in whole]
            compared += len(updates)
    assert compared > 10 * WALKS


@pytest.mark.parametrize("name", names())
def test_both_forms_of_an_update_differ_in_the_view_alone(name: str) -> None:
    for updates in streams_of(find(name), 0).values():
        for before, told in pairwise(updates):
            whole, change = json.decode(write_whole(told)), json.decode(write_change(told, before.view))
            assert {"view", *change} == {"changed", *whole}
            assert [whole[part] == change[part] for part in ("seq", "messages", "actions")] == [True] * 3


def test_the_first_view_of_a_match_is_a_change_of_nothing() -> None:
    starting, dealt = streams_of(find("up-down"), 1)[ANA][:2]
    assert json.decode(write_whole(starting))["view"] is None
    assert set(json.decode(write_change(dealt, starting.view))["changed"]) == {"set"}


# the size of an update


def test_updates_of_up_down_do_not_grow_with_the_match() -> None:
    sizes = sizes_of_moves(started("up-down", "ana bo cy di", spectators=False), Random("a long match"))
    quarter = len(sizes) // 4
    assert quarter > 20
    first, last = sum(sizes[:quarter]), sum(sizes[-quarter:])
    assert last <= 1.3 * first, f"{first} bytes in the first quarter, {last} in the last"


def sizes_of_moves(table: Sitting, rng: Random) -> list[int]:
    """How many bytes the updates of each move have, in a random match, for readers who stay."""
    game, sizes = find(table.state.header.game), list[int]()
    views: dict[Eyes, Any] = {player: game.view(table.match, player) for player in table.state.players}
    while table.state.result is None:
        player = rng.choice([player for player in table.state.players if game.actions(table.match, player)])
        move = raw_act(table, player, rng.choice(game.actions(table.match, player)))
        told = [effect for effect in taken(table, move).effects if isinstance(effect, Told)]
        sizes.append(sum(len(write_change(each, views[each.player])) for each in told))
        views |= {each.player: each.view for each in told}
        table = heard(play(table, move))
    return sizes
