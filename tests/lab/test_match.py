"""One match between choosers."""

from collections.abc import Sequence
from dataclasses import replace as with_fields
from random import Random
from typing import Any

from turnstile.bots import random_bot
from turnstile.games.ecard import Options, Pick, View, game
from turnstile.kernel import Move, PlayerId, Seed
from turnstile.lab import play_out
from turnstile.lab.match import Chooser, seated


def test_choosers_are_given_views_and_actions_and_never_a_state() -> None:
    seen: list[type] = []

    def curious(view: Any, actions: Sequence[Move]) -> Move:
        seen.append(type(view))
        assert all(isinstance(action, Pick) for action in actions)
        return actions[0]

    state, events = play_out(game, Options(), Seed("7"), {PlayerId("ana"): curious, PlayerId("bo"): curious})
    assert set(seen) == {View}
    assert game.outcome(state) is not None
    assert len(events) > 24


def test_the_same_seed_and_the_same_choosers_play_the_same_match() -> None:
    def first(view: Any, actions: Sequence[Move]) -> Move:
        return actions[0]

    players = {PlayerId("ana"): first, PlayerId("bo"): first}
    assert play_out(game, Options(), Seed("7"), players) == play_out(game, Options(), Seed("7"), players)


def test_no_view_is_made_for_participants_that_choose_at_random() -> None:
    def unseen(state: Any, player: PlayerId | None) -> View:
        raise AssertionError("no participant looks")

    blind = with_fields(game, view=unseen)
    participants = {PlayerId(name): seated(random_bot, Random(name)) for name in ("ana", "bo")}
    looking = {player: by_chance(Random(player)) for player in participants}
    assert play_out(blind, Options(), Seed("7"), participants) == play_out(game, Options(), Seed("7"), looking)


def by_chance(rng: Random) -> Chooser:
    return lambda view, actions: random_bot(view, actions, rng)
