"""What is known of 66 beyond its rules: which states can be, what is hidden from a player, what is counted."""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import fields, replace

from tests.rules.sixtysix.matches import (
    ALICE,
    BOB,
    CAROL,
    PLAYERS,
    RESTING,
    act,
    in_phase,
    lobby,
    play,
    turn,
    values,
)
from turnstile.games.sixtysix.cards import Card, Seat, hand
from turnstile.games.sixtysix.rules import game, sixtysix
from turnstile.games.sixtysix.sight import view
from turnstile.games.sixtysix.state import Phase, Place, Round, State
from turnstile.kernel import ByPlayer, Commitment, Outcome, PlayerId, Rejection, Seed
from turnstile.studies.sixtysix import imagine, redraw, study, tally, violation
from turnstile.testing.strategies import NAMES, RandomMatch, events, matches

DREAMS = [Seed(f"dream {number}") for number in range(25)]
MATCHES = {phase: in_phase(phase) for phase in RESTING}

# Sound


@pytest.mark.parametrize("match", MATCHES.values(), ids=MATCHES.keys())
def test_a_state_that_was_played_is_sound(match: State) -> None:
    assert violation(match) is None


Spoil = Callable[[State], State]
PLACE = Place(Seat(0), 0)

BROKEN: dict[str, tuple[Phase, Spoil]] = {
    "This game takes 2 to 5 players, not 1.": (Phase.READY_FOR_TURN, lambda it: replace(it, players=(ALICE,))),
    "A seed must have 1 to 1024 printable characters": (Phase.READY_FOR_TURN, lambda it: replace(it, seed=Seed(""))),
    "Before the match has started": (Phase.NOT_STARTED, lambda it: replace(it, turn=Seat(1))),
    "No match rests in turn_done": (Phase.DISCARDING, lambda it: replace(it, phase=Phase.TURN_DONE)),
    "Every player holds 1 to 4 cards": (Phase.READY_FOR_TURN, lambda it: replace(it, hands=it.hands[:2])),
    "The 52 cards are not all there": (Phase.READY_FOR_TURN, lambda it: replace(it, deck=it.deck[1:])),
    "`seenBy` must name players": (
        Phase.READY_FOR_TURN,
        lambda it: replace(it, hands=((Card(12, (Seat(1), Seat(0))), *it.hands[0][1:]), *it.hands[1:])),
    ),
    "The turn, the starter or the stopper": (Phase.READY_FOR_TURN, lambda it: replace(it, stopper=Seat(3))),
    "No round has so many turns.": (Phase.READY_FOR_TURN, lambda it: replace(it, turn_count=3 * 2**60)),
    "A round on the score sheet has another": (
        Phase.READY_FOR_TURN,
        lambda it: replace(it, rounds=(Round(3, None, (0, 0)),)),
    ),
    "A round brings each player 0 to 60": (
        Phase.READY_FOR_TURN,
        lambda it: replace(it, rounds=(Round(3, None, (0, 0, 61)),), totals=(0, 0, 61)),
    ),
    "No round has so many": (
        Phase.READY_FOR_TURN,
        lambda it: replace(it, rounds=(Round(0, None, (0, 0, 0)),)),
    ),
    "The totals are not": (Phase.READY_FOR_TURN, lambda it: replace(it, totals=(1, 0, 0))),
    "A match ends with the first total over 66": (
        Phase.READY_FOR_TURN,
        lambda it: replace(it, rounds=(Round(3, None, (40, 0, 0)),) * 2, totals=(80, 0, 0)),
    ),
    "A match ends with": (
        Phase.GAME_FINISHED,
        lambda it: replace(it, rounds=(*it.rounds[:1] * 3, *it.rounds[1:]), totals=(it.totals[0] + 66, *it.totals[1:])),
    ),
    "The seat after the starter": (Phase.ROUND_FINISHED, lambda it: replace(it, turn=Seat(0))),
    "A round ends when": (Phase.ROUND_FINISHED, lambda it: replace(it, stopper=Seat(0))),
    "The last round on the score sheet": (
        Phase.ROUND_FINISHED,
        lambda it: replace(it, rounds=(), totals=(0, 0, 0)),
    ),
    "The turn goes round": (Phase.READY_FOR_TURN, lambda it: replace(it, turn=Seat(1))),
    "To stop the round": (Phase.READY_FOR_TURN, lambda it: replace(it, stopper=Seat(0))),
    "The round was stopped before": (Phase.READY_FOR_TURN, lambda it: replace(it, stopper=Seat(1))),
    "The discard pile is never empty": (
        Phase.READY_FOR_TURN,
        lambda it: replace(it, discarded=(), deck=(*it.deck, *it.discarded)),
    ),
    "A card is taken in DECK_CARD_TAKEN": (
        Phase.DECK_CARD_TAKEN,
        lambda it: replace(it, phase=Phase.READY_FOR_TURN),
    ),
    "No turn begins with an empty deck": (
        Phase.READY_FOR_TURN,
        lambda it: replace(it, deck=(), discarded=(*it.deck, *it.discarded)),
    ),
    "The card on top": (Phase.DISCARDING, lambda it: replace(it, phase=Phase.DISCARDED)),
    "The card on": (Phase.PEEKING_OWN_CARD, lambda it: replace(it, phase=Phase.PEEKING_ANOTHERS_CARD)),
    "A round starts with full hands": (
        Phase.ROUND_STARTING,
        lambda it: replace(it, deck=it.deck[1:], discarded=(*it.discarded, it.deck[0])),
    ),
    "The last action was not one that leads to READY_FOR_TURN": (
        Phase.READY_FOR_TURN,
        lambda it: replace(it, touched=(PLACE,)),
    ),
    "The last action was not one that leads to PEEKING_OWN_CARD": (
        Phase.PEEKING_OWN_CARD,
        lambda it: replace(it, touched=(Place(Seat(1), 0),)),
    ),
    "The last action was not one that leads to PEEKING_ANOTHERS_CARD": (
        Phase.PEEKING_ANOTHERS_CARD,
        lambda it: replace(it, touched=(Place(Seat(9), 0),)),
    ),
    "The last action was not one that leads to EXCHANGING_CARDS": (
        Phase.EXCHANGING_CARDS,
        lambda it: replace(it, touched=it.touched[::-1]),
    ),
    "The last action was not one that leads to SHOWING_CARDS": (
        Phase.SHOWING_CARDS,
        lambda it: replace(it, touched=(PLACE, Place(Seat(0), 4))),
    ),
    "The last action was not one that leads to replacing_cards": (
        Phase.REPLACING_CARDS,
        lambda it: replace(it, touched=(PLACE, Place(Seat(0), 3))),
    ),
    "The last action was not one that leads to REPLACING_MULTIPLE": (
        Phase.REPLACING_MULTIPLE_CARDS_FROM_DECK,
        lambda it: replace(it, touched=(PLACE,) * 2),
    ),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_state_whose_fields_contradict_each_other_is_not_sound(fault: str) -> None:
    phase, spoil = BROKEN[fault]
    said = violation(spoil(in_phase(phase)))
    assert said is not None
    assert said.startswith(fault)


def test_a_finished_round_in_which_the_stopper_had_no_turn_is_not_sound() -> None:
    over = in_phase(Phase.ROUND_FINISHED)
    sheet = (replace(over.rounds[0], turn_count=1),)
    early = replace(over, starter=Seat(0), turn=Seat(1), turn_count=1, rounds=sheet)
    assert (over.stopper, violation(over)) == (1, None)
    assert violation(early) == "The round was stopped before it began."


# Standing


def test_a_round_that_is_over_is_in_the_totals_and_counts_once() -> None:
    over = in_phase(Phase.ROUND_FINISHED)
    assert study.standing(over) == Outcome(
        tuple(who for who, points in zip(PLAYERS, over.totals, strict=True) if points == min(over.totals)),
        ByPlayer(zip(PLAYERS, over.totals, strict=True)),
    )


def test_a_round_that_is_played_counts_as_it_lies() -> None:
    playing = in_phase(Phase.READY_FOR_TURN)
    stands = study.standing(playing)
    assert stands is not None
    assert stands.scores == {
        who: points + sum(card.value for card in held)
        for who, points, held in zip(PLAYERS, playing.totals, playing.hands, strict=True)
    }


OTHERS = [RandomMatch(game, NAMES[:3], Seed(str(n)), 20 + 7 * n, Random(n), {}).state for n in range(12)]
ODD: dict[str, list[Any]] = {
    "touched": [(), (PLACE,), (PLACE, Place(Seat(1), 3)), (PLACE, Place(Seat(0), 1)), (Place(Seat(-1), -1),)],
    "hands": [(), ((),) * 3, (hand("1"),) * 3],
    "turn": [-1, 0, 1, 2, 3],
    "starter": [-1, 0, 1, 2, 3],
    "stopper": [None, -1, 0, 1, 2, 3],
    "taken": [None, 0, 13, 14],
    "totals": [(), (0, 0, 0), (67, 0, 0)],
    "rounds": [(), (Round(1, None, ()),), (Round(1, Seat(7), (0, 0, 0)),)],
    "turn_count": [-1, 0, 1, 2, 3, 2**70],
}


@settings(max_examples=300, deadline=None)
@given(st.data(), matches(game, longest=80, seats=range(3, 4)))
def test_no_event_raises_in_a_state_that_is_found_sound(data: st.DataObject, match: RandomMatch) -> None:
    """States are spoiled with fields of other matches and with odd values: refused, or playable like any other."""
    names = data.draw(st.lists(st.sampled_from([field.name for field in fields(State)]), min_size=1, max_size=3))
    state = match.state
    for name in names:
        foreign = st.sampled_from([getattr(other, name) for other in OTHERS])
        value = data.draw(foreign | st.sampled_from(ODD[name]) if name in ODD else foreign)
        state = replace(state, **{name: value})
    if violation(state) is None:
        sixtysix.step(state, data.draw(events(game, match.players)))
        for happens in game.offered(state):
            after = sixtysix.apply(state, happens)
            assert not isinstance(after, Rejection)
            assert violation(after) is None
        assert [view(state, player) for player in match.players]


# Imagine


@pytest.mark.parametrize("match", MATCHES.values(), ids=MATCHES.keys())
@pytest.mark.parametrize("eyes", [*PLAYERS, None])
def test_what_a_player_imagines_looks_to_it_as_what_it_sees_and_could_really_be(
    match: State, eyes: PlayerId | None
) -> None:
    for dream in DREAMS[:8]:
        imagined = imagine(view(match, eyes), eyes, dream)
        assert view(imagined, eyes) == view(match, eyes)
        assert violation(imagined) is None
        assert imagined.seed != match.seed


@settings(max_examples=40, deadline=None)
@given(matches(game))
def test_so_it_is_anywhere_in_any_match(match: RandomMatch) -> None:
    for eyes in (*match.players, None):
        imagined = imagine(view(match.state, eyes), eyes, DREAMS[0])
        assert view(imagined, eyes) == view(match.state, eyes)
        assert violation(imagined) is None
        if eyes is not None:
            assert game.actions(imagined, eyes) == game.actions(match.state, eyes)


def test_cards_that_were_seen_are_kept_and_all_others_are_drawn_anew() -> None:
    match = act(turn(draws="10"), "alice take", "alice discard", "alice peek 1.3")
    dreams = [imagine(view(match, ALICE), ALICE, dream) for dream in DREAMS]
    assert {tuple(values(dream, ALICE)[:2]) for dream in dreams} == {(12, 4)}
    assert {values(dream, BOB)[3] for dream in dreams} == {10}
    assert len({values(dream, ALICE)[2] for dream in dreams}) > 5
    assert len({dream.deck for dream in dreams}) == len(DREAMS)


def test_a_card_that_another_has_taken_could_be_any_and_ones_own_is_known() -> None:
    match = play(turn(draws="3"), "alice take")
    assert len({imagine(view(match, BOB), BOB, dream).taken for dream in DREAMS}) > 5
    assert {imagine(view(match, ALICE), ALICE, dream).taken for dream in DREAMS} == {3}


CLAIM = turn(alice="5 9 5 5", bob="4 8 3 10")


@pytest.mark.parametrize("texts", [["alice show 2 3"], ["alice show 2 3", "acks"]])
def test_identical_cards_that_the_player_has_not_seen_could_have_any_value_but_only_one(texts: list[str]) -> None:
    match = play(CLAIM, *texts)
    for eyes in (ALICE, None):
        dreams = [imagine(view(match, eyes), eyes, dream) for dream in DREAMS]
        assert all(values(dream, ALICE)[2] == values(dream, ALICE)[3] for dream in dreams)
        assert len({values(dream, ALICE)[2] for dream in dreams}) > 5
    assert {values(imagine(view(match, BOB), BOB, dream), ALICE)[2] for dream in DREAMS} == {5}


def test_different_cards_that_the_player_has_not_seen_are_different() -> None:
    match = play(turn(carol="11 2 6 7", pile="0", of=CAROL), "carol show 2 3")
    for dream in (Seed(f"many {number}") for number in range(100)):
        assert len(set(values(imagine(view(match, CAROL), CAROL, dream), CAROL)[2:])) == 2


def test_an_imagined_claim_is_as_likely_as_there_are_ways_to_draw_it() -> None:
    """Of 0 and 13 there are two cards each, of the others four: one way to draw a pair against six."""
    match = play(CLAIM, "alice show 2 3")
    drawn = Counter(values(imagine(view(match, None), None, Seed(f"many {n}")), ALICE)[2] for n in range(1500))
    assert (drawn[0] + drawn[13]) / 2 < 50 < 150 * 0.5 < drawn[1]


def test_the_same_dream_of_the_same_view_is_the_same_state() -> None:
    sight = view(turn(), ALICE)
    assert imagine(sight, ALICE, DREAMS[0]) == imagine(sight, ALICE, DREAMS[0])


def test_the_commitment_is_not_imagined() -> None:
    match = replace(lobby(), commitment=Commitment("c" * 64))
    assert imagine(view(match, ALICE), ALICE, DREAMS[0]).commitment == "c" * 64


# Tally


def test_a_tally_counts_how_rounds_ended_and_whether_it_paid_to_stop() -> None:
    rounds = (Round(9, Seat(0), (0, 9, 9)), Round(9, Seat(1), (5, 30, 9)), Round(40, None, (3, 2, 1)))
    assert tally(replace(in_phase(Phase.GAME_FINISHED), rounds=rounds)) == {
        "a round is stopped": (2, 3),
        "... and its stopper scores 0": (1, 2),
        "a round ends with an empty deck": (1, 3),
    }


def test_the_study_offers_all_of_this() -> None:
    assert (study.violation, study.redraw, study.imagine, study.tally) == (violation, redraw, imagine, tally)
