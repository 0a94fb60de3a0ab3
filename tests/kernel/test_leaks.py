"""The nets against leaks can see: each leak planted in E-Card is caught, and the clean game passes the same runs.

Forward pairs let the same things happen in two worlds that look alike, so they find what a *state* gives away. Trace
pairs let a player do one thing or another, so they find what the *telling of an event* gives away.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, partial
from random import Random
from typing import Any, Union

import pytest
from msgspec import structs

from turnstile.games import ecard
from turnstile.games.ecard import (
    BeginPicking,
    Card,
    Code,
    OpponentPicked,
    Phase,
    Pick,
    Reset,
    Roles,
    Start,
    State,
    View,
)
from turnstile.kernel import (
    AnyGame,
    Event,
    Machine,
    Message,
    Move,
    Next,
    PlayerId,
    Rejection,
    Seed,
    Tell,
)
from turnstile.studies.ecard import study
from turnstile.testing import Leak, forward_pair, trace_pair
from turnstile.testing.strategies import STRANGER, Match

RUNS = 200
LENGTH = 8  # events in which the two worlds of a pair are watched
ANA, BO = PLAYERS = (PlayerId("ana"), PlayerId("bo"))


def other(player: PlayerId) -> PlayerId:
    return BO if player == ANA else ANA


def with_handler(phase: Phase, event: type[Event], handler: Callable[..., Any], *messages: type[Message]) -> AnyGame:
    """E-Card, but with another handler in one of its rows, and perhaps with more messages."""
    clean = ecard.ecard
    machine = Machine(
        clean.name,
        clean.phases,
        start=clean.start,
        ends=clean.ends,
        state=clean.state,
        messages=Union[(*clean.messages, *messages)],
        codes=Code,
    )
    for row in clean.rows:
        to: dict[str, StrEnum] = {hop.label: target for target, hop in row.hops.items()}
        used = handler if (row.phase, row.event) == (phase, event) else row.handler
        machine.auto(row.phase, to=to)(used) if row.event is None else machine.on(row.phase, row.event, to=to)(used)
    return replace(ecard.game, machine=machine)


# The leaks


class OpponentPickedCard(Message, frozen=True):
    """What OpponentPicked must never be."""

    card: Card


def pick_and_tell_the_card(state: State, event: Pick) -> Next[State] | Rejection:
    laid = ecard.pick(state, event)
    if isinstance(laid, Rejection):
        return laid
    assert isinstance(laid, Next)
    return Next(laid.state, Tell.all([other(event.player)], OpponentPickedCard(event.card)))


def pick_and_tell_an_emperor_twice(state: State, event: Pick) -> Next[State] | Rejection:
    laid = ecard.pick(state, event)
    if isinstance(laid, Rejection):
        return laid
    assert isinstance(laid, Next)
    twice = [Tell.all([other(event.player)], OpponentPicked())] if event.card is Card.EMPEROR else []
    return Next(laid.state, *laid.effects, *twice)


def pick_and_refuse_in_other_words(state: State, event: Pick) -> Next[State] | Rejection:
    """A refusal that is longer when the other player's hidden card is no citizen."""
    laid = ecard.pick(state, event)
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
        by_trace_pairs=False,  # nothing is refused in a match that really happened
    ),
    "the seed in a view": Planted(
        replace(ecard.game, view=view_with_the_seed),
        by_forward_pairs=True,
        by_trace_pairs=False,  # both worlds come from one seed
    ),
    "the hidden pick in a view, where imagination does not look": Planted(
        replace(ecard.game, view=view_with_the_card_gone_from_the_hand),
        by_forward_pairs=True,
        by_trace_pairs=True,
    ),
    "the hidden pick in a view, where imagination looks": Planted(
        replace(ecard.game, view=view_with_any_pick),
        by_forward_pairs=True,
        by_trace_pairs=False,  # they believe the view that the observer may know the difference
    ),
    "the hidden pick in the order of the actions": Planted(
        replace(ecard.game, actions=actions_in_an_order_that_tells),
        by_forward_pairs=True,
        by_trace_pairs=True,
    ),
}
each_leak = pytest.mark.parametrize("planted", LEAKS.values(), ids=LEAKS.keys())


# The runs: moments of random matches of the clean game, always the same, seen through the eyes of the given game


@cache
def match_of(run: int) -> Match:
    return Match(ecard.game, PLAYERS, Seed(str(run)), 1_000, Random(f"match {run}"), {})


class Moment:
    """A state of a random match, the events that followed, and what a run needs to choose."""

    def __init__(self, run: int) -> None:
        self.choices = Random(run)
        match = match_of(run)
        number = self.choices.randrange(len(match.events))
        self.state: State = match.states[number]
        self.events = match.events[number : number + LENGTH]

    def any_event(self, state: State, observer: PlayerId | None) -> Event:
        """Something that is possible, something that the observer tries, or just something."""
        possible = ecard.game.offered(state)
        tried = [Pick(observer or STRANGER, card) for card in Card]
        return self.choices.choice([*possible, *tried, BeginPicking(), Reset(), Start(Seed("7"))])


def forward_leaks(game: AnyGame) -> int:
    """How many of the forward pairs could be told apart."""
    leaks = 0
    for run in range(RUNS):
        moment = Moment(run)
        observer = moment.choices.choice([ANA, BO, None])
        next_event = partial(moment.any_event, observer=observer)
        try:
            forward_pair(game, study, moment.state, observer, Seed(f"imagined {run}"), next_event, LENGTH)
        except Leak:
            leaks += 1
    return leaks


def trace_leaks(game: AnyGame) -> int:
    """How many of the trace pairs could be told apart."""
    leaks = 0
    for run in range(RUNS):
        moment = Moment(run)
        event, *rest = moment.events
        if isinstance(event, Move):
            instead = moment.choices.choice(ecard.actions(moment.state, event.player))
            observer = moment.choices.choice([other(event.player), None])
            try:
                trace_pair(game, study, moment.state, observer, (event, instead), rest)
            except Leak:
                leaks += 1
    return leaks


def test_the_clean_game_passes_every_run() -> None:
    assert forward_leaks(ecard.game) == 0
    assert trace_leaks(ecard.game) == 0


def test_a_game_rebuilt_from_its_rows_is_as_clean() -> None:
    rebuilt = with_handler(Phase.PICKING, Pick, ecard.pick)
    assert [(row.phase, row.event, row.hops) for row in rebuilt.machine.rows] == [
        (row.phase, row.event, row.hops) for row in ecard.ecard.rows
    ]
    assert forward_leaks(rebuilt) == trace_leaks(rebuilt) == 0


@each_leak
def test_forward_pairs_catch_what_a_state_gives_away(planted: Planted) -> None:
    assert (forward_leaks(planted.game) > 0) == planted.by_forward_pairs


@each_leak
def test_trace_pairs_catch_what_the_telling_of_an_event_gives_away(planted: Planted) -> None:
    assert (trace_leaks(planted.game) > 0) == planted.by_trace_pairs


# One pair at a time


def laid(card: Card) -> State:
    """Ana, the emperor, has laid this card, and Bo has not."""
    seed = next(seed for seed in map(Seed, "0123456789") if ecard.first_emperor(PLAYERS, seed) == ANA)
    match: Any = ecard.new(PLAYERS, ecard.Options(), None)
    for event in (Start(seed), BeginPicking(), Pick(ANA, card)):
        match = ecard.ecard.apply(match, event)
    assert match.roles == Roles(ANA, BO)
    assert isinstance(match, State)
    return match


def test_a_leak_says_who_learnt_what_and_when() -> None:
    game = LEAKS["the opponent's pick in a message"].game
    before = structs.replace(laid(Card.EMPEROR), pending_picks=laid(Card.EMPEROR).pending_picks.put(ANA, None))
    with pytest.raises(Leak) as caught:
        trace_pair(game, study, before, BO, (Pick(ANA, Card.EMPEROR), Pick(ANA, Card.CITIZEN)), [])
    first, *worlds = str(caught.value).splitlines()
    assert first.startswith("e-card tells bo what it may not know, after Pick(player='ana', card=<Card.EMPEROR: 'E'>)")
    assert ['"card":"E"' in worlds[0], '"card":"C"' in worlds[1]] == [True, True]


def test_a_spectators_leak_names_a_spectator() -> None:
    game = LEAKS["the seed in a view"].game
    with pytest.raises(Leak, match=r"^e-card tells a spectator what it may not know, before anything happened"):
        forward_pair(game, study, laid(Card.CITIZEN), None, Seed("imagined"), lambda state: Reset(), length=1)


def test_pairs_go_on_until_the_observer_may_see_the_difference() -> None:
    before = structs.replace(laid(Card.EMPEROR), pending_picks=laid(Card.EMPEROR).pending_picks.put(ANA, None))
    secret = (Pick(ANA, Card.EMPEROR), Pick(ANA, Card.CITIZEN))
    assert trace_pair(ecard.game, study, before, BO, secret, [Pick(BO, Card.CITIZEN)]) == 1, "the reveal shows it"
    assert trace_pair(ecard.game, study, before, ANA, secret, [Pick(BO, Card.CITIZEN)]) == 0, "Ana knows what she did"
    assert trace_pair(ecard.game, study, before, BO, (secret[0], secret[0]), [Pick(BO, Card.CITIZEN)]) == 2
    assert trace_pair(ecard.game, study, before, BO, secret, [Reset()]) == 1, "a refusal ends the story"


def test_the_seed_that_is_shown_at_the_end_is_no_leak() -> None:
    match = Match(ecard.game, PLAYERS, Seed("7"), 1_000, Random(7), {})
    assert match.state.phase is Phase.FINISHED
    seen = forward_pair(
        ecard.game, study, match.states[-2], ANA, Seed("dream"), lambda state: match.events[-1], length=1
    )
    assert seen == 0


def test_a_refusal_is_compared_only_for_the_player_who_is_refused() -> None:
    game = LEAKS["the words of a refusal depend on the hidden pick"].game
    dream = next(
        seed
        for seed in (Seed(str(number)) for number in range(100))
        if study.imagine is not None
        and study.imagine(ecard.view(laid(Card.EMPEROR), BO), BO, seed).pending_picks[ANA] is Card.CITIZEN
    )
    not_held = Pick(BO, Card.EMPEROR)
    with pytest.raises(Leak, match="when it tried Pick"):
        forward_pair(game, study, laid(Card.EMPEROR), BO, dream, lambda state: not_held, length=1)
    assert forward_pair(game, study, laid(Card.EMPEROR), None, dream, lambda state: not_held, length=3) == 3
