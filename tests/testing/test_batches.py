"""The net under batches can see: a view of 66 that comes too early is caught, and the clean game passes."""

from collections.abc import Callable
from dataclasses import replace as with_fields
from enum import StrEnum
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from turnstile.games.sixtysix import rules as sixtysix
from turnstile.games.sixtysix.cards import Seat
from turnstile.games.sixtysix.messages import SixtySixMessage
from turnstile.games.sixtysix.moves import StartGame, StartNextRound
from turnstile.games.sixtysix.news import game_states
from turnstile.games.sixtysix.sight import view
from turnstile.games.sixtysix.state import Code, Phase, Sight, State, View
from turnstile.kernel import AnyGame, Event, Machine, Next, PlayerId, Rejection, Seed
from turnstile.registry import find_game, names, study_of
from turnstile.studies.sixtysix import study
from turnstile.testing import Leak
from turnstile.testing.batches import has_later_batches, news_of_later_batches
from turnstile.testing.strategies import NAMES, RandomMatch


def with_deal(change: Callable[[Next[State]], Next[State]]) -> AnyGame:
    """66, but with another way to tell of a deal."""
    clean = sixtysix.sixtysix
    machine: Machine[State] = Machine(
        clean.name, Phase, start=clean.start, ends=clean.ends, state=State, messages=SixtySixMessage, codes=Code
    )

    def changed(handler: Callable[..., Any]) -> Callable[..., Any]:
        def deal(state: State, event: Event) -> Any:
            dealt = handler(state, event)
            return dealt if isinstance(dealt, Rejection) else change(dealt)

        return deal

    for row in clean.rows:
        to: dict[str, StrEnum] = {hop.label: target for target, hop in row.hops.items()}
        handler = changed(row.handler) if row.event in (StartGame, StartNextRound) else row.handler
        if row.event is None:
            machine.auto(row.phase, to=to, tell=row.tell)(handler)
        else:
            machine.on(row.phase, row.event, to=to, tell=row.tell)(handler)
    return with_fields(sixtysix.game, machine=machine)


# Deals that show too much


def looked(state: State) -> State:
    return sixtysix.look_at_first_two(state)


def all_at_once(dealt: Next[State]) -> Next[State]:
    """Both batches go with the state in which everybody has looked."""
    known = looked(dealt.state)
    return Next(known, lambda: game_states(known))


def looked_before(dealt: Next[State]) -> Next[State]:
    """There are two states, but in the first of them everybody has looked already."""
    known = looked(dealt.state)
    return Next(known, *dealt.effects, then=lambda state: state)


def one_card_before(dealt: Next[State]) -> Next[State]:
    """One of the two cards was looked at before."""
    first = [(held[0].shown_to((Seat(seat),)), *held[1:]) for seat, held in enumerate(dealt.state.hands)]
    return Next(replace(dealt.state, hands=tuple(first)), *dealt.effects, then=dealt.then)


def nobody_has_looked(state: State) -> bool:
    return state.phase is Phase.ROUND_STARTING and not any(card.seen_by for held in state.hands for card in held)


def shows_second_card(state: State, player: PlayerId | None) -> View:
    """The view has the value of a card that its player has not looked at yet."""
    seen = view(state, player)
    if player is None or not nobody_has_looked(state):
        return seen
    seat = state.players.index(player)
    row = (seen.seen[seat][0], Sight(state.hands[seat][1].value, ()), *seen.seen[seat][2:])
    return replace(seen, seen=(*seen.seen[:seat], row, *seen.seen[seat + 1 :]))


def shows_sum(state: State, player: PlayerId | None) -> View:
    """The view has the sum of the two cards in a field that nobody looks for it."""
    seen = view(state, player)
    if player is None or not nobody_has_looked(state):
        return seen
    one, two, *_ = state.hands[state.players.index(player)]
    return replace(seen, turn_count=one.value + two.value)


PLANTED = {
    "both batches with one state": with_deal(all_at_once),
    "looked before the first batch": with_deal(looked_before),
    "one card looked at before the first batch": with_deal(one_card_before),
    "a value in the view": with_fields(sixtysix.game, view=shows_second_card),
    "a sum in the view": with_fields(sixtysix.game, view=shows_sum),
}


def lobby(game: AnyGame, count: int) -> Any:
    return game.new(NAMES[:count], game.options(), Seed("7"))


def between_rounds(game: AnyGame) -> Any:
    match = RandomMatch(game, NAMES[:3], Seed("7"), 2_000, Random(7), {})
    return next(state for state in match.states if state.phase is Phase.ROUND_FINISHED)


@pytest.mark.parametrize("game", PLANTED.values(), ids=PLANTED)
@pytest.mark.parametrize("player", NAMES[:2])
def test_a_view_of_a_deal_that_comes_too_early_is_seen(game: AnyGame, player: PlayerId) -> None:
    with pytest.raises(Leak):
        news_of_later_batches(game, study, lobby(game, 2), StartGame(NAMES[0]), player)


@pytest.mark.parametrize("game", PLANTED.values(), ids=PLANTED)
def test_a_view_of_a_later_deal_that_comes_too_early_is_seen(game: AnyGame) -> None:
    state = between_rounds(game)
    with pytest.raises(Leak):
        news_of_later_batches(game, study, state, StartNextRound(state.players[state.turn]), NAMES[1])


@pytest.mark.parametrize("count", [2, 5])
def test_in_the_clean_game_both_cards_are_news_to_every_player(count: int) -> None:
    game = sixtysix.game
    for player in NAMES[:count]:
        assert news_of_later_batches(game, study, lobby(game, count), StartGame(NAMES[0]), player) == 2
    state = between_rounds(game)
    again = StartNextRound(state.players[state.turn])
    assert [news_of_later_batches(game, study, state, again, player) for player in NAMES[:3]] == [2, 2, 2]


def test_what_is_refused_or_told_in_one_batch_brings_no_later_news() -> None:
    state = lobby(sixtysix.game, 2)
    assert news_of_later_batches(sixtysix.game, study, state, StartGame(NAMES[1]), NAMES[0]) == 0
    assert not has_later_batches(sixtysix.game, state, StartGame(NAMES[1]), NAMES[0])
    assert has_later_batches(sixtysix.game, state, StartGame(NAMES[0]), NAMES[0])


@pytest.mark.parametrize("name", names())
def test_the_net_hangs_under_every_gated_game_that_tells_one_player_twice_in_a_step(name: str) -> None:
    game = find_game(name)
    assert game is not None
    match = RandomMatch(game, NAMES[:3] if 3 in game.seats else NAMES[:2], Seed("7"), 300, Random(7), {})
    moments = [
        (state, event, player)
        for state, event in zip(match.states, match.events, strict=False)
        for player in match.players
        if has_later_batches(game, state, event, player)
    ]
    assert bool(game.gated) <= bool(moments)
    if game.gated:
        assert all(news_of_later_batches(game, study_of(game), *moment) for moment in moments)
