"""What each of the nets against leaks can see, with leaks planted in E-Card, and how one pair is followed.

Forward pairs let the same things happen in two worlds that look alike, so they find what a *state* gives away. Trace
pairs let a player do one thing or another, so they find what the *telling of an event* gives away. A leak of every kind
in every phase of every game: tests/testing/test_planted_leaks.py.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import pytest
from msgspec import structs

from tests.testing.leaky import SHOWN_BY_CHANGES
from tests.testing.planter import rebuilt
from turnstile.games import ecard
from turnstile.games.ecard import BeginPicking, Card, Code, Phase, Pick, Reset, Roles, Start, State, View, rules
from turnstile.games.ecard.messages import OpponentPicked
from turnstile.kernel import (
    AnyGame,
    AnyStudy,
    ByPlayer,
    Event,
    Message,
    Next,
    PlayerId,
    Rejection,
    Seed,
    Tell,
)
from turnstile.kernel.chance import shuffle
from turnstile.studies.ecard import redraw, study
from turnstile.testing import Leak, forward_pairs, trace_pairs
from turnstile.testing.draws import another_number, drawn_again, drawn_differently
from turnstile.testing.leaks import eyes_on, forward
from turnstile.testing.strategies import RandomMatch

ANA, BO = PLAYERS = (PlayerId("ana"), PlayerId("bo"))


def other(player: PlayerId) -> PlayerId:
    return BO if player == ANA else ANA


def with_handler(phase: Phase, event: type[Event], handler: Callable[..., Any], *messages: type[Message]) -> AnyGame:
    """E-Card, but with another handler in one of its rows, and perhaps with more messages."""
    row = next(row for row in ecard.ecard.rows if (row.phase, row.event) == (phase, event))
    machine = rebuilt(ecard.ecard, lambda each: handler if each is row else each.handler, *messages)
    return replace(ecard.game, machine=machine)


# The leaks


class OpponentPickedCard(Message, frozen=True):
    """What OpponentPicked must never be."""

    card: Card


def pick_and_tell_the_card(state: State, event: Pick) -> Next[State] | Rejection:
    laid = rules.pick(state, event)
    if isinstance(laid, Rejection):
        return laid
    assert isinstance(laid, Next)
    return Next(laid.state, Tell.all([other(event.player)], OpponentPickedCard(event.card)))


def pick_and_tell_an_emperor_twice(state: State, event: Pick) -> Next[State] | Rejection:
    laid = rules.pick(state, event)
    if isinstance(laid, Rejection):
        return laid
    assert isinstance(laid, Next)
    twice = [Tell.all([other(event.player)], OpponentPicked())] if event.card is Card.EMPEROR else []
    return Next(laid.state, *laid.effects, *twice)


def pick_and_refuse_in_other_words(state: State, event: Pick) -> Next[State] | Rejection:
    """A refusal that is longer when the other player's hidden card is no citizen."""
    laid = rules.pick(state, event)
    if isinstance(laid, Rejection) and laid.code == Code.CARD_NOT_IN_HAND:
        hidden = state.pending_picks[other(event.player)]
        return laid if hidden in (None, Card.CITIZEN) else structs.replace(laid, sentence=laid.sentence + " Beware.")
    assert isinstance(laid, Next | Rejection)
    return laid


class SeedView(View, frozen=True):
    """What a View must never be."""

    seed: Seed | None


def view_with_the_seed(state: State, player: PlayerId | None) -> View:
    return SeedView(**structs.asdict(ecard.view(state, player)), seed=state.seed)


def view_with_the_card_gone_from_the_hand(state: State, player: PlayerId | None) -> View:
    """A citizen that lies face down is already taken off its owner's hand."""
    seen = ecard.view(state, player)
    sizes = seen.hand_sizes
    for who, card in state.pending_picks.items():
        sizes = sizes.put(who, sizes[who] - (card is Card.CITIZEN))
    return structs.replace(seen, hand_sizes=sizes)


def view_with_any_pick(state: State, player: PlayerId | None) -> View:
    """A player who has not picked yet is shown the card of the one who has."""
    seen = ecard.view(state, player)
    if player is None:
        return seen
    hidden = next((card for card in state.pending_picks.values() if card is not None), None)
    return structs.replace(seen, pending_pick=seen.pending_pick or hidden)


def actions_in_an_order_that_tells(state: State, player: PlayerId) -> tuple[Pick, ...]:
    """The same actions, but turned around when the other player has laid no citizen."""
    offered = ecard.actions(state, player)
    hidden = state.pending_picks.get(other(player))
    return offered if hidden in (None, Card.CITIZEN) else offered[::-1]


class Quiet(View, frozen=True):
    """A view that looks the same on the wire whether `padding` is a list or a tuple; two of them are not equal."""

    padding: Any = ()


def view_that_changes_without_showing_it(state: State, player: PlayerId | None) -> View:
    """Nothing is seen of a pick. But a pick that is no citizen makes a view that differs from the one before."""
    seen = structs.replace(ecard.view(state, player), has_picked=ByPlayer())
    is_special = bool({Card.EMPEROR, Card.SLAVE} & {*state.pending_picks.values()})
    return Quiet(**structs.asdict(seen), padding=[] if is_special else ())


def pick_without_a_word(state: State, event: Pick) -> State | Rejection:
    laid = rules.pick(state, event)
    return laid.state if isinstance(laid, Next) else laid


@dataclass(frozen=True)
class Planted:
    """A game with a leak, and which of the two kinds of pairs catch it."""

    game: AnyGame
    by_forward_pairs: bool
    by_trace_pairs: bool


LEAKS = {
    "the opponent's pick in a message": Planted(
        with_handler(Phase.PICKING, Pick, pick_and_tell_the_card, OpponentPickedCard),
        by_forward_pairs=False,  # the same card is laid in both worlds
        by_trace_pairs=True,
    ),
    "the number of messages depends on the pick": Planted(
        with_handler(Phase.PICKING, Pick, pick_and_tell_an_emperor_twice),
        by_forward_pairs=False,  # likewise
        by_trace_pairs=True,
    ),
    "the words of a refusal depend on the hidden pick": Planted(
        with_handler(Phase.PICKING, Pick, pick_and_refuse_in_other_words),
        by_forward_pairs=True,
        by_trace_pairs=True,
    ),
    "the seed in a view": Planted(
        replace(ecard.game, view=view_with_the_seed),
        by_forward_pairs=True,
        by_trace_pairs=False,  # both worlds come from one seed
    ),
    "the hidden pick in a field that nobody reads": Planted(
        replace(ecard.game, view=view_with_the_card_gone_from_the_hand),
        by_forward_pairs=True,
        by_trace_pairs=True,
    ),
    "the hidden pick in a field that is there for one's own": Planted(
        replace(ecard.game, view=view_with_any_pick),
        by_forward_pairs=True,
        by_trace_pairs=True,
    ),
    "the hidden pick in the order of the actions": Planted(
        replace(ecard.game, actions=actions_in_an_order_that_tells),
        by_forward_pairs=True,
        by_trace_pairs=True,
    ),
    "whether an update comes at all": Planted(
        replace(with_handler(Phase.PICKING, Pick, pick_without_a_word), view=view_that_changes_without_showing_it),
        by_forward_pairs=False,  # the same card is laid in both worlds
        by_trace_pairs=True,
    ),
}
each_leak = pytest.mark.parametrize("planted", LEAKS.values(), ids=LEAKS.keys())


def is_caught(net: Callable[[AnyGame, AnyStudy], object], game: AnyGame) -> bool:
    try:
        net(game, study)
    except Leak:
        return True
    return False


def test_a_game_rebuilt_from_its_rows_is_as_clean() -> None:
    game = with_handler(Phase.PICKING, Pick, rules.pick)
    assert [(row.phase, row.event, row.hops) for row in game.machine.rows] == [
        (row.phase, row.event, row.hops) for row in ecard.ecard.rows
    ]
    assert [is_caught(net, game) for net in (forward_pairs, trace_pairs)] == [False, False]


@each_leak
def test_forward_pairs_catch_what_a_state_gives_away(planted: Planted) -> None:
    assert is_caught(forward_pairs, planted.game) == planted.by_forward_pairs


@each_leak
def test_trace_pairs_catch_what_the_telling_of_an_event_gives_away(planted: Planted) -> None:
    assert is_caught(trace_pairs, planted.game) == planted.by_trace_pairs


# One pair at a time


def laid(card: Card) -> State:
    """Ana, the emperor, has laid this card, and Bo has not."""
    seed = next(seed for seed in map(Seed, "0123456789") if rules.first_emperor(PLAYERS, seed) == ANA)
    match: Any = ecard.new(PLAYERS, ecard.Options(), None)
    for event in (Start(seed), BeginPicking(), Pick(ANA, card)):
        match = ecard.ecard.apply(match, event)
    assert match.roles == Roles(ANA, BO)
    assert isinstance(match, State)
    return match


BEFORE = structs.replace(laid(Card.EMPEROR), pending_picks=ByPlayer.same(PLAYERS, None))
SECRET = (Pick(ANA, Card.EMPEROR), Pick(ANA, Card.CITIZEN))
NOT_HELD = Pick(BO, Card.EMPEROR)


def follow(game: AnyGame, observer: PlayerId | None, one: State, two: State, *events: tuple[Event, Event]) -> int:
    """How many steps into different states the observer could not tell apart."""
    happening = iter(events)
    return forward(eyes_on(game, study, observer), one, two, lambda here, there: next(happening, None), len(events))


def test_a_leak_says_who_learnt_what_and_when() -> None:
    game = LEAKS["the opponent's pick in a message"].game
    with pytest.raises(Leak) as caught:
        follow(game, BO, BEFORE, BEFORE, SECRET)
    first, *worlds = str(caught.value).splitlines()
    assert first.startswith("e-card tells bo what it may not know, after Pick(player='ana', card=<Card.EMPEROR: 'E'>)")
    assert ['"card":"E"' in worlds[0], '"card":"C"' in worlds[1]] == [True, True]


def test_a_leak_says_where_it_was_found() -> None:
    with pytest.raises(Leak) as caught:
        forward_pairs(LEAKS["the seed in a view"].game, study)
    (note,) = caught.value.__notes__
    assert re.match(r"Found in a match of 2 players, seed 'match \d+', after 0 events", note)


def test_a_spectators_leak_names_a_spectator() -> None:
    game = LEAKS["the seed in a view"].game
    with pytest.raises(Leak, match=r"^e-card tells a spectator what it may not know, before anything happened"):
        follow(game, None, laid(Card.CITIZEN), redraw(laid(Card.CITIZEN), None, Seed("another")))


def test_pairs_go_on_until_the_observer_may_see_the_difference() -> None:
    answer = (Pick(BO, Card.CITIZEN), Pick(BO, Card.CITIZEN))
    assert follow(ecard.game, BO, BEFORE, BEFORE, SECRET, answer) == 1, "the reveal shows it"
    assert follow(ecard.game, ANA, BEFORE, BEFORE, SECRET, answer) == 0, "Ana knows what she did"
    assert follow(ecard.game, BO, BEFORE, BEFORE, SECRET, (Reset(), Reset())) == 1, "a refusal changes nothing"
    assert follow(ecard.game, BO, BEFORE, BEFORE, (SECRET[0], SECRET[0]), answer) == 0, "these worlds do not differ"


def test_the_seed_that_is_shown_at_the_end_is_no_leak() -> None:
    match = RandomMatch(ecard.game, PLAYERS, Seed("7"), 1_000, Random(7), {})
    assert match.state.phase is Phase.FINISHED
    other = redraw(match.states[-2], ANA, Seed("another"))
    assert follow(ecard.game, ANA, match.states[-2], other, (match.events[-1], match.events[-1])) == 0


def test_a_commitment_differs_as_the_seeds_do_and_is_no_leak() -> None:
    lobbies = [ecard.new(PLAYERS, ecard.Options(), Seed(seed)) for seed in ("one", "two")]
    one, two = (lobby for lobby in lobbies if isinstance(lobby, State))
    assert follow(ecard.game, ANA, one, two, (Start(Seed("one")), Start(Seed("two")))) == 1


def test_a_refusal_is_compared_only_for_the_player_who_is_refused() -> None:
    game = LEAKS["the words of a refusal depend on the hidden pick"].game
    with pytest.raises(Leak, match="when it tried Pick"):
        follow(game, BO, laid(Card.EMPEROR), laid(Card.CITIZEN), (NOT_HELD, NOT_HELD))
    assert follow(game, None, laid(Card.EMPEROR), laid(Card.CITIZEN), (NOT_HELD, NOT_HELD)) == 0


# Draws


def test_a_draw_that_is_made_again_gives_the_same_from_any_seed() -> None:
    with drawn_again() as draws:
        cards = shuffle(Seed("one"), "deal", 1, range(52))
    with drawn_again(draws):
        assert shuffle(Seed("two"), "deal", 1, range(52)) == cards
    assert shuffle(Seed("two"), "deal", 1, range(52)) != cards


def test_a_shuffle_that_is_drawn_differently_moves_three_cards_at_most() -> None:
    rng = Random(1)
    with drawn_again() as draws:
        cards = shuffle(Seed("one"), "deal", 1, range(52))
    for _ in range(50):
        with drawn_again(drawn_differently(draws, rng)):
            others = shuffle(Seed("one"), "deal", 1, range(52))
        assert sorted(others) == sorted(cards)
        assert sum(one != other for one, other in zip(cards, others, strict=True)) in (2, 3)


def test_a_number_that_is_drawn_differently_is_another_one() -> None:
    assert {another_number(4, 6, Random(seed)) for seed in range(50)} == {0, 1, 2, 3, 5}
    assert another_number(0, 1, Random(1)) == 0, "there is no other"


# what has changed


def test_a_change_that_gives_something_away_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Leak):
        trace_pairs(SHOWN_BY_CHANGES, study)
    monkeypatch.setattr("turnstile.testing.leaks.change_between", lambda before, after: {})
    trace_pairs(SHOWN_BY_CHANGES, study)  # nothing else shows it
