"""Views as tensors and texts: they fit their space, show what the view shows, and nothing that is hidden."""

from dataclasses import replace
from typing import Annotated, Any

import numpy as np
import pytest
from msgspec import Meta

from tests.lab.encoding.test_actions import PLAYERS, named
from tests.lab.situations import COMPANIES, GAMES, situations
from turnstile.games import ecard
from turnstile.kernel import AnyGame, PlayerId, Seed, Value
from turnstile.kernel.marks import Among, AtMost
from turnstile.lab.encoding import Layout, NoTensor, layout_of, view_text
from turnstile.lab.encoding.layout import RECENT
from turnstile.lab.encoding.slots import WrongMark
from turnstile.lab.environment import Moment
from turnstile.registry import study_of

HIDDEN = [Seed("one"), Seed("two")]


@pytest.mark.parametrize(("game", "count"), COMPANIES, ids=map(named, COMPANIES))
def test_no_observation_shows_what_is_hidden(game: AnyGame, count: int) -> None:
    """What every player observes is the same in a state and in states that differ in what it may not know."""
    redraw, layout = study_of(game).redraw, layout_of(game, count)
    assert redraw is not None
    differing = 0
    for situation in situations(game, count)[::9]:
        for player in situation.players:
            worlds = [situation.state, *(redraw(situation.state, player, seed) for seed in HIDDEN)]
            differing += sum(world != situation.state for world in worlds)
            views = [game.view(world, player) for world in worlds]
            tensors = [layout.tensor(view, situation.players, player) for view in views]
            assert all((tensor == tensors[0]).all() for tensor in tensors)
            assert len({view_text(view) for view in views}) == 1
            assert len({Moment(game, world).stream(player) for world in worlds}) == 1
    assert differing > 0


@pytest.mark.parametrize(("game", "count"), COMPANIES, ids=map(named, COMPANIES))
def test_every_slot_stays_within_its_bounds_and_many_change(game: AnyGame, count: int) -> None:
    layout = layout_of(game, count)
    low, high = layout.bounds()
    tensors = [
        layout.tensor(game.view(each.state, each.player), each.players, each.player) for each in situations(game, count)
    ]
    stacked = np.stack(tensors)
    assert stacked.shape == (len(tensors), layout.size)
    assert (stacked >= low).all()
    assert (stacked <= high).all()
    assert (stacked.min(axis=0) != stacked.max(axis=0)).mean() > 0.1


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_slices_name_every_slot_once(game: AnyGame) -> None:
    layout = layout_of(game, game.seats[-1])
    slices = [each for each in layout.slices() if each.size]
    assert [each.start for each in slices] == list(np.cumsum([0, *(each.size for each in slices)])[:-1])
    assert sum(each.size for each in slices) == layout.size
    assert len({each.name for each in slices}) == len(slices)


def part(layout: Layout, tensor: Any, name: str) -> list[float]:
    """The slots of one part of the view."""
    found = next(each for each in layout.slices() if each.name == name)
    return [float(each) for each in tensor[found.start : found.start + found.size]]


def test_a_tensor_shows_a_hand_by_counts_and_players_from_the_observer_on() -> None:
    ana, bo = players = PlayerId("ana"), PlayerId("bo")
    layout = layout_of(ecard.game, 2)
    tensors: dict[PlayerId, Any] = {}
    moment = Moment(ecard.game, ecard.new(players, ecard.Options(), Seed("7"))).settled()
    emperor = moment.state.roles.emperor_player
    for player in players:
        tensors[player] = layout.tensor(ecard.game.view(moment.state, player), players, player)
        is_emperor = player == emperor
        assert part(layout, tensors[player], "hand") == ([0.25, 1, 0] if is_emperor else [0, 1, 0.25])
        assert part(layout, tensors[player], "roles.emperorPlayer") == ([1, 0] if is_emperor else [0, 1])
        assert part(layout, tensors[player], "pendingPick.is there") == [0]
    assert (tensors[ana] != tensors[bo]).any()
    laid = moment.after(ecard.Pick(ana, ecard.Card.CITIZEN))
    after = layout.tensor(ecard.game.view(laid.state, ana), players, ana)
    assert part(layout, after, "pendingPick") == [0, 1, 0]
    assert part(layout, after, "hasPicked[me]") == [1]
    hidden = layout.tensor(ecard.game.view(laid.state, bo), players, bo)
    assert part(layout, hidden, "pendingPick") == [0, 0, 0]
    assert part(layout, hidden, "hasPicked[+1]") == [1]


def test_a_text_has_a_line_for_each_field_and_no_commitment() -> None:
    game = next(game for game in GAMES if game.name == "66")
    situation = situations(game, 2)[0]
    text = view_text(game.view(situation.state, situation.player))
    assert "phase: NOT_STARTED\nplayers: player 0, player 1\n" in text
    assert "commitment" not in text


def test_a_stream_has_perfect_recall_and_shows_only_the_own_moves() -> None:
    ana, bo = players = PlayerId("ana"), PlayerId("bo")
    start = Moment(ecard.game, ecard.new(players, ecard.Options(), Seed("7"))).settled()
    streams = set()
    for card in (ecard.Card.CITIZEN, ecard.actions(start.state, ana)[0].card):
        moment = start.after(ecard.Pick(ana, card))
        assert moment.stream(ana).startswith(start.stream(ana))
        assert f'does {{"card":"{card}","player":"ana","type":"Pick"}}' in moment.stream(ana)
        streams.add(moment.stream(bo))
    assert len(streams) == 1, "bo must not know which card lies face down"
    assert "OpponentPicked" in streams.pop()
    assert "seed" not in start.stream(ana)
    assert "commitment" not in start.stream(ana)


def test_a_view_without_a_fixed_size_is_refused() -> None:
    def view(state: Any, player: PlayerId | None) -> dict[str, int]:
        return {}

    with pytest.raises(NoTensor, match="The view of e-card has no tensor of fixed size"):
        layout_of(replace(ecard.game, view=view), 2)  # type: ignore[arg-type]


class Noted(Value, frozen=True):
    notes: dict[str, int]


class Noting(Value, frozen=True):
    last: Noted | None


def test_the_field_of_a_view_that_has_no_fixed_size_is_named() -> None:
    def view(state: Any, player: PlayerId | None) -> Noting:
        return Noting(None)

    with pytest.raises(
        NoTensor, match=r"in the field last, in the field notes, the type dict\[str, int\] has no fixed size"
    ):
        layout_of(replace(ecard.game, view=view), 2)  # type: ignore[arg-type]


class Stakes(Value, frozen=True):
    bets: tuple[Annotated[int, Meta(ge=0, le=10**12)], ...]


def test_a_list_of_large_quantities_is_a_history() -> None:
    def view(state: Any, player: PlayerId | None) -> Stakes:
        return Stakes(())

    layout = layout_of(replace(ecard.game, view=view), 2)  # type: ignore[arg-type]
    assert layout.size == 1 + RECENT * 2


def test_a_view_that_does_not_say_its_type_is_refused_with_what_to_do() -> None:
    game = replace(ecard.game, view=lambda state, player: ecard.view(state, player))
    with pytest.raises(
        NoTensor, match="e-card has no tensors: annotate its function view with the type that it returns"
    ):
        layout_of(game, 2)


class Row(Value, frozen=True):
    cards: Annotated[tuple[Annotated[int, Among(range(3))], ...], AtMost(2)]


@pytest.mark.parametrize(
    ("cards", "sentence"),
    [
        ((0, 1, 2), "A list has 3 items, and its mark says at most 2."),
        ((7,), "7 is not one of the marked values: 0, 1, 2"),
    ],
)
def test_a_view_that_contradicts_its_marks_is_an_error(cards: tuple[int, ...], sentence: str) -> None:
    def view(state: Any, player: PlayerId | None) -> Row:
        return Row(cards)

    layout = layout_of(replace(ecard.game, view=view), 2)  # type: ignore[arg-type]
    assert layout.size == 2 * (1 + 3)
    with pytest.raises(WrongMark, match=sentence):
        layout.tensor(Row(cards), PLAYERS[:2], PLAYERS[0])


@pytest.mark.parametrize("recent", [0, 1, 100])
def test_a_tensor_has_as_many_items_of_a_history_as_were_asked_for(recent: int) -> None:
    situation = situations(ecard.game, 2)[30]
    view = ecard.game.view(situation.state, situation.player)
    layout = layout_of(ecard.game, 2, recent)
    tensor = layout.tensor(view, situation.players, situation.player)
    there = [
        each for each in layout.slices() if each.name.startswith("revealed.last") and each.name.endswith("].is there")
    ]
    assert len(there) == recent
    assert sum(tensor[each.start] for each in there) == min(recent, len(view.revealed))
