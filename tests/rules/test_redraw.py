"""What is hidden from whom: `redraw` goes by the seat of a player; `imagine` takes no more than that from a view."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from turnstile.games import ecard, evenodd, updown
from turnstile.games.sixtysix import rules as sixtysix
from turnstile.games.sixtysix.state import Sight
from turnstile.kernel import AnyGame, PlayerId, Rejection, Seed
from turnstile.registry import find_game, names, study_of
from turnstile.testing.moments import moments

SEEDS = [Seed(f"world {number}") for number in range(5)]


def found(name: str) -> AnyGame:
    game = find_game(name)
    assert game is not None
    return game


def hidden_cards_shown(state: Any, seen: Any) -> Any:
    return replace(seen, seen=tuple(tuple(Sight(card.value, card.seen_by) for card in held) for held in state.hands))


def hands_shown(state: Any, seen: Any) -> Any:
    hands = zip(seen.players, state.players, strict=True)
    return replace(seen, players=tuple(replace(each, hand=player.hand) for each, player in hands))


def pick_shown(state: Any, seen: Any) -> Any:
    return replace(seen, pending_pick=next((card for card in state.pending_picks.values() if card), None))


def choice_shown(state: Any, seen: Any) -> Any:
    return replace(seen, choice=next((choice for choice in state.choices.values() if choice), None))


LEAKY: dict[str, tuple[AnyGame, Callable[[Any, Any], Any]]] = {
    "66": (sixtysix.game, hidden_cards_shown),
    "up-down": (updown.game, hands_shown),
    "e-card": (ecard.game, pick_shown),
    "even-odd": (evenodd.game, choice_shown),
}


@pytest.mark.parametrize("name", names())
def test_what_a_view_shows_by_mistake_is_not_taken_into_an_imagined_state(name: str) -> None:
    game, leaky = LEAKY[name]
    study = study_of(game)
    assert study.imagine is not None
    mistakes = 0
    for kept in (kept for spot, kept in moments(game, game.seats).items() if spot.seat is None):
        for moment in kept[:4]:
            seen = game.view(moment.state, None)
            shown = leaky(moment.state, seen)
            mistakes += shown != seen
            assert [study.imagine(shown, None, seed) for seed in SEEDS] == [
                study.imagine(seen, None, seed) for seed in SEEDS
            ]
    assert mistakes > 0


@pytest.mark.parametrize("name", names())
def test_redraw_gives_what_imagine_makes_of_an_honest_view(name: str) -> None:
    game = found(name)
    study = study_of(game)
    assert study.redraw is not None
    assert study.imagine is not None
    for spot, kept in moments(game, game.seats).items():
        for moment in kept[:2]:
            observer = moment.observer(spot)
            redrawn = study.redraw(moment.state, observer, SEEDS[0])
            assert redrawn == study.imagine(game.view(moment.state, observer), observer, SEEDS[0])
            assert game.view(redrawn, observer) == game.view(moment.state, observer)


@pytest.mark.parametrize("game", [ecard.game, evenodd.game], ids=lambda game: game.title)
def test_where_there_is_no_seed_yet_none_is_redrawn(game: AnyGame) -> None:
    players = (PlayerId("ana"), PlayerId("bo"))
    waiting = game.new(players, game.options(), None)
    assert not isinstance(waiting, Rejection)
    redraw = study_of(game).redraw
    assert redraw is not None
    assert redraw(waiting, players[0], SEEDS[0]) == waiting
