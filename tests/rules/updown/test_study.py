"""What is known of Up-Down beyond its rules: which states can be, what is hidden from a player, what is counted."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.rules.updown.matches import (
    ANA,
    BO,
    COMPANIES,
    CY,
    DI,
    FOUR,
    THREE,
    TWO,
    betted,
    dealt,
    finished,
    held,
    play,
    round_of,
    started,
    through,
    waiting,
    whose_turn,
)
from turnstile.games.updown.cards import DECK, Card, Suit, card, hand
from turnstile.games.updown.hand import HandResult, PlayedCard
from turnstile.games.updown.rounds import largest_round
from turnstile.games.updown.rules import game, updown
from turnstile.games.updown.sight import view
from turnstile.games.updown.state import Options, Phase, State
from turnstile.kernel import Event, PlayerId, Rejection, Seed, Step, encode
from turnstile.kernel.check import Verdict, check, world_of
from turnstile.studies.updown import cards_played, imagine, lacking_suits, redraw, state_key, study, tally, violation
from turnstile.testing.strategies import RandomMatch, events, matches

DREAMS = [Seed(f"dream {number}") for number in range(20)]
CONTRADICTION = "No match of Up-Down can be in this state: its fields contradict each other."


def middle() -> State:
    """Round 3: Bo has led spades, which Cy does not have, and Ana has won the first hand."""
    match = betted("7H", "0 1 1", ana="2C AS 9D", bo="3C KS 10D", cy="4C 5C 6H")
    return play(match, "bo KS", "cy 4C", "ana AS", "ana 9D")


MATCHES = {
    "waiting": waiting(),
    "waiting alone": waiting((ANA,)),
    "first bet": started(),
    "second bet": play(started(), "ana bets 1"),
    "middle": middle(),
    "last round": through(started(THREE, 3), 4),
    "all cards dealt": through(started(COMPANIES[-1]), 4),
    "game complete": finished(),
}
each_match = pytest.mark.parametrize("match", MATCHES.values(), ids=MATCHES.keys())


# Sound


@each_match
def test_a_state_that_was_played_is_sound(match: State) -> None:
    assert violation(match) is None


def with_round(match: State, **changes: Any) -> State:
    return replace(match, current_round=replace(round_of(match), **changes))


def with_hand(match: State, **changes: Any) -> State:
    hand_now = round_of(match).current_hand
    assert hand_now is not None
    return with_round(match, current_hand=replace(hand_now, **changes))


def with_player(match: State, seat: int, **changes: Any) -> State:
    players = list(match.players)
    players[seat] = replace(players[seat], **changes)
    return replace(match, players=tuple(players))


def with_past(match: State, **changes: Any) -> State:
    first, *others = match.completed_rounds
    return replace(match, completed_rounds=(replace(first, **changes), *others))


def first_card(match: State) -> Card:
    """The first card that was played in the match."""
    return match.completed_rounds[0].completed_hands[0].cards_played[0].card


BROKEN: dict[str, Callable[[State], State]] = {
    "a player more": lambda match: replace(match, players=(*match.players, replace(match.players[0], id=DI))),
    "a player less": lambda match: replace(match, players=match.players[:2]),
    "order": lambda match: replace(match, player_order=match.player_order[::-1]),
    "no order": lambda match: replace(match, player_order=()),
    "other seed": lambda match: replace(match, seed=Seed("another one")),
    "sequence": lambda match: replace(match, round_sequence=(1, 2, 3)),
    "no round": lambda match: replace(match, current_round=None),
    "round number": lambda match: with_round(match, round_number=4),
    "round size": lambda match: with_round(match, cards_per_player=4),
    "mesa in a hand": lambda match: with_round(match, mesa=card("6H")),
    "mesa played": lambda match: with_round(match, mesa=card("KS")),
    "starter": lambda match: with_round(match, starting_player_id=BO),
    "betting order": lambda match: with_round(match, betting_order=THREE[::-1]),
    "betting index": lambda match: with_round(match, current_betting_index=2),
    "huge betting index": lambda match: with_round(match, current_betting_index=99),
    "no hand": lambda match: with_round(match, current_hand=None),
    "completed hands": lambda match: with_round(match, completed_hands=()),
    "hand number": lambda match: with_hand(match, hand_number=1),
    "pinta": lambda match: with_hand(match, pinta=Suit.CLUBS),
    "nothing played": lambda match: with_hand(match, cards_played=()),
    "player index": lambda match: with_hand(match, current_player_index=7),
    "hand order": lambda match: with_hand(match, hand_order=()),
    "a card twice": lambda match: with_player(match, 0, hand=hand("3C")),
    "a card too many": lambda match: with_player(match, 0, hand=hand("2C 2D")),
    "an unsorted hand": lambda match: with_player(match, 1, hand=hand("10D 3C")),
    "no bet": lambda match: with_player(match, 0, bet=None),
    "a bet too high": lambda match: with_player(match, 0, bet=9),
    "the sum of bets": lambda match: with_player(match, 2, bet=2),
    "hands won": lambda match: with_player(match, 0, hands_won=0),
    "score": lambda match: with_player(match, 0, score=1000),
    "a round less": lambda match: replace(match, completed_rounds=match.completed_rounds[1:]),
    "no rounds": lambda match: replace(match, completed_rounds=()),
    "a round twice": lambda match: replace(match, completed_rounds=match.completed_rounds[:1] * 2),
    "too many rounds": lambda match: replace(match, completed_rounds=match.completed_rounds * 30),
    "a past mesa": lambda match: with_past(match, mesa=first_card(match)),
    "past results": lambda match: with_past(match, results=()),
    "past hands": lambda match: with_past(match, completed_hands=()),
    "past start": lambda match: with_past(match, starting_player_id=PlayerId("zoe")),
}


@pytest.mark.parametrize("spoil", BROKEN.values(), ids=BROKEN.keys())
def test_a_state_whose_fields_contradict_each_other_is_not_sound(spoil: Callable[[State], State]) -> None:
    assert violation(middle()) is None
    assert violation(spoil(middle())) == CONTRADICTION


@pytest.mark.parametrize("phase", [phase for phase in Phase if phase is not Phase.PLAYING_HAND])
def test_a_state_in_another_phase_is_not_sound(phase: Phase) -> None:
    assert violation(replace(middle(), phase=phase)) == CONTRADICTION


def test_more_rounds_than_a_match_has_are_refused_before_they_are_played_again() -> None:
    match = finished()
    assert violation(replace(match, completed_rounds=match.completed_rounds * 2_000)) == CONTRADICTION


def test_a_card_played_by_a_stranger_is_not_sound() -> None:
    match = middle()
    (first,) = round_of(match).completed_hands
    strange = replace(
        first, cards_played=(replace(first.cards_played[0], player_id=PlayerId("zoe")), *first.cards_played[1:])
    )
    assert violation(with_round(match, completed_hands=(strange,))) == CONTRADICTION


def test_who_cannot_sit_down_cannot_be_in_a_state() -> None:
    assert violation(replace(waiting(), players=())) == "This game takes 2 to 10 players, not 0."
    assert violation(replace(waiting(), round_sequence=())) == "With 3 players maxRoundSize is from 1 to 17."


def mutated(written: Any, data: st.DataObject) -> Any:
    """The same JSON with one thing in it replaced, left out or said twice."""
    if isinstance(written, dict) and written:
        key = data.draw(st.sampled_from(sorted(written)))
        return {**written, key: mutated(written[key], data)}
    if isinstance(written, list) and written and data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(written) - 1))
        return [*written[:place], mutated(written[place], data), *written[place + 1 :]]
    if isinstance(written, list):
        return data.draw(st.sampled_from([[], written[1:], written * 2, written[::-1]]))
    if isinstance(written, int):
        return data.draw(st.integers(-1, 60))
    return data.draw(
        st.sampled_from([None, "ana", "bo", "zoe", "hearts", "spades", "A", "2", "betting", "playing_hand"])
    )


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from([match for match in MATCHES.values() if len(match.players) == 3]), st.data())
def test_no_state_from_outside_makes_the_machine_raise(match: State, data: st.DataObject) -> None:
    spoiled = mutated(msgspec.json.decode(encode(match)), data)
    state = updown.read_state(encode(spoiled))
    if isinstance(state, Rejection) or violation(state) is not None:
        return
    happens: Event = data.draw(events(game, THREE))
    assert isinstance(updown.step(state, happens), Step | Rejection)
    assert all(
        isinstance(updown.apply(state, action), State)
        for action in sum((game.actions(state, who) for who in THREE), ())
    )


# Imagine


@each_match
@pytest.mark.parametrize("seat", [0, -1, None])
def test_what_a_player_imagines_looks_to_it_as_what_it_sees_and_could_really_be(match: State, seat: int | None) -> None:
    eyes = None if seat is None else match.players[seat].id
    for dream in DREAMS:
        imagined = imagine(view(match, eyes), eyes, dream)
        assert view(imagined, eyes) == view(match, eyes)
        assert violation(imagined) is None


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(matches(game, longest=400), st.data())
def test_whatever_was_played_can_be_imagined_and_played_to_the_end(match: RandomMatch, data: st.DataObject) -> None:
    eyes = data.draw(st.sampled_from([*match.players, None]))
    imagined = imagine(view(match.state, eyes), eyes, Seed("a dream"))
    assert view(imagined, eyes) == view(match.state, eyes)
    assert violation(imagined) is None
    while game.outcome(imagined) is None:
        after = updown.apply(imagined, whose_turn(imagined)[0])
        assert isinstance(after, State)
        imagined = after


def test_the_cards_of_the_others_could_be_any_that_are_not_in_sight() -> None:
    match = dealt("7H", ana="2D AS", bo="KS 10C")
    dreams = [imagine(view(match, ANA), ANA, Seed(str(number))) for number in range(300)]
    assert {each for dream in dreams for each in dream.players[1].hand} == set(DECK) - set(hand("7H 2D AS"))
    assert {held(dream, ANA) for dream in dreams} == {"2D AS"}


def test_who_has_not_followed_a_suit_is_imagined_without_it() -> None:
    match = middle()
    assert lacking_suits(round_of(match)) == {ANA: set(), BO: set(), CY: {Suit.SPADES}}
    dreams = [imagine(view(match, ANA), ANA, Seed(str(number))) for number in range(100)]
    suits = [{each.suit for dream in dreams for each in dream.players[seat].hand} for seat in (1, 2)]
    assert suits == [set(Suit), set(Suit) - {Suit.SPADES}]


def test_where_only_one_deal_fits_it_is_found() -> None:
    """Seventeen cards each leave nothing over: who lacks what is known, Ana can tell every card."""
    match = through(started(THREE, largest_round(3)), 16)
    assert round_of(match).cards_per_player == 17
    while len(cards_played(round_of(match))) < 45:
        after = updown.apply(match, whose_turn(match)[-1])
        assert isinstance(after, State)
        match = after
    for eyes in THREE:
        for dream in DREAMS:
            imagined = imagine(view(match, eyes), eyes, dream)
            assert violation(imagined) is None
            lacking = lacking_suits(round_of(match))
            assert all(each.suit not in lacking[player.id] for player in imagined.players for each in player.hand)


def test_places_pass_cards_on_until_everybody_has_one_that_fits() -> None:
    """Three cards are out: only Bo can have the club, only Cy the spade and only Di the heart."""
    out, mesa = hand("2C 2S 2H"), card("7D")
    in_sight = tuple(PlayedCard(ANA, each) for each in DECK if each not in (*out, mesa))
    lacking = {BO: "HD", CY: "CHD", DI: "SD"}
    shown = [
        HandResult(1, (PlayedCard(player, mesa),), card(f"A{suit}").suit, player)
        for player, suits in lacking.items()
        for suit in suits.replace("D", "")
    ]
    seen = view(started(FOUR), None)
    current = replace(
        round_of(started(FOUR)), mesa=mesa, completed_hands=(*shown, HandResult(2, in_sight, Suit.DIAMONDS, ANA))
    )
    players = [replace(player, hand=None, hand_size=int(player.id != ANA)) for player in seen.players]
    seen = replace(seen, players=tuple(players), current_round=current)
    for number in range(200):
        imagined = imagine(seen, None, Seed(str(number)))
        assert [held(imagined, player) for player in (BO, CY, DI)] == ["2C", "2S", "2H"]


@each_match
def test_the_seed_is_imagined_never_known(match: State) -> None:
    assert match.seed not in {imagine(view(match, ANA), ANA, dream).seed for dream in DREAMS}


def test_the_same_dream_of_the_same_view_is_the_same_state() -> None:
    seen = view(middle(), ANA)
    assert imagine(seen, ANA, DREAMS[0]) == imagine(seen, ANA, DREAMS[0])


# Essence


def test_how_the_scores_came_about_does_not_matter() -> None:
    match = dealt("7H", ana="AS", bo="KS")
    one = play(match, "ana bets 0", "bo bets 0", "bo KS", "ana AS")
    other = play(dealt("7H", ana="AS", bo="QS"), "ana bets 0", "bo bets 0", "bo QS", "ana AS")
    assert one != other
    assert state_key(one) == state_key(other)


def test_everything_else_matters() -> None:
    assert len({state_key(match) for match in MATCHES.values()}) == len(MATCHES)
    assert state_key(started(TWO)) != state_key(play(started(TWO), "ana bets 0"))


@pytest.mark.parametrize(("size", "longest"), [(1, 5), (2, 15)])
def test_small_matches_are_walked_completely(size: int, longest: int) -> None:
    """The start, then in each of 2n - 1 rounds a bet and X cards for each of two players."""
    rounds = [*range(1, size), *range(size, 0, -1)]
    assert 1 + sum(2 + 2 * cards for cards in rounds) == longest
    report = check(world_of(game, study, Options(size)))
    assert report.passed
    assert report.findings[-1].sentence == f"no match goes on for ever: the longest has {longest} events"
    assert report.findings[-1].verdict is Verdict.PROVED


# Tally


def test_a_tally_counts_exact_bets_by_the_size_of_the_round_and_what_bets_add_up_to() -> None:
    match = betted("7H", "0 0", ana="AS", bo="KS")
    match = play(match, "bo KS", "ana AS")
    assert tally(match) == {
        "a bet is made exactly": (1, 2),
        "... in rounds of 1": (1, 2),
        "the bets of a round are too many": (0, 1),
        "... too few": (1, 1),
    }


def test_a_tally_of_a_whole_match_counts_every_bet_once() -> None:
    facts = tally(finished(THREE, 3))
    assert facts["a bet is made exactly"][1] == 3 * 5
    assert [facts[f"... in rounds of {size}"][1] for size in (1, 2, 3)] == [6, 6, 3]
    assert facts["the bets of a round are too many"][1] == 5


def test_the_study_offers_all_of_this() -> None:
    assert (study.violation, study.redraw, study.imagine, study.state_key, study.tally) == (
        violation,
        redraw,
        imagine,
        state_key,
        tally,
    )
