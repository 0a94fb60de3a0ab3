"""What is known of Even/Odd beyond its rules: which states can be, what is hidden from a player, what is counted."""

from collections.abc import Callable
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.rules.evenodd.matches import ALICE, BOB, PLAYERS, collecting, finished, idle, play, seed_for
from turnstile.games.evenodd import ChooseParity, Options, Parity, Phase, Start, State, actions, evenodd, game, view
from turnstile.kernel import ByPlayer, Outcome, PlayerId, Seed, encode
from turnstile.kernel.check import SEEDS, Verdict, check, world_of
from turnstile.studies.evenodd import imagine, redraw, standing, state_key, study, tally, violation

DREAMS = [Seed(f"dream {number}") for number in range(40)]
MATCHES = {
    "idle": idle(),
    "idle with a seed": idle(seed=Seed("7")),
    "started": collecting(4),
    "one choice": play(collecting(4), "bob odd"),
    "second draw": play(collecting(4, 7), "bob odd", "alice odd", "alice even"),
    "finished": finished(4, 7, alice="ee", bob="oo"),
}

each_match = pytest.mark.parametrize("match", MATCHES.values(), ids=MATCHES.keys())


# Sound


@each_match
def test_a_state_that_was_played_is_sound(match: State) -> None:
    assert violation(match) is None


BROKEN: dict[str, Callable[[State], State]] = {
    "idle": lambda match: replace(match, phase=Phase.IDLE),
    "phase that never rests": lambda match: replace(match, phase=Phase.DRAWING_NUMBER),
    "finished": lambda match: replace(match, phase=Phase.FINISHED),
    "fewer draws": lambda match: replace(match, draws=1),
    "choices": lambda match: replace(match, choices=ByPlayer({ALICE: Parity.EVEN, BOB: Parity.ODD})),
    "choice of nobody": lambda match: replace(match, choices=ByPlayer({ALICE: None})),
    "stranger": lambda match: replace(match, score=match.score.put(PlayerId("carol"), 0)),
    "score": lambda match: replace(match, score=match.score.put(BOB, 12)),
    "no seed": lambda match: replace(match, seed=None),
    "other seed": lambda match: replace(match, seed=seed_for(7)),
    "results": lambda match: replace(match, results=()),
    "number": lambda match: replace(match, results=(replace(match.results[0], drawn_number=7),)),
    "winner": lambda match: replace(match, results=(replace(match.results[0], winner_player_id=BOB),)),
    "result of strangers": lambda match: replace(match, results=(replace(match.results[0], choices=ByPlayer()),)),
}


@pytest.mark.parametrize("spoil", BROKEN.values(), ids=BROKEN.keys())
def test_a_state_whose_fields_contradict_each_other_is_not_sound(spoil: Callable[[State], State]) -> None:
    match = play(collecting(4), "alice even", "bob odd", "bob odd")
    assert violation(match) is None
    assert violation(spoil(match)) == "No match of Even/Odd can be in this state: its fields contradict each other."


def test_a_state_that_could_not_be_opened_is_not_sound() -> None:
    assert violation(replace(idle(), players=(ALICE,))) == "This game takes 2 players, not 1."
    assert violation(replace(idle(), draws=0)) == "draws must be from 1 to 100."


GARBLE = b'0129aeo{}[]",:-.NO '


@given(
    st.sampled_from(list(MATCHES.values())), st.lists(st.tuples(st.integers(0), st.sampled_from(GARBLE)), max_size=3)
)
def test_no_garbled_state_is_taken_for_a_sound_one_in_which_a_step_fails(
    match: State, changes: list[tuple[int, int]]
) -> None:
    written = bytearray(encode(match))
    for place, byte in changes:
        written[place % len(written)] = byte
    state = evenodd.read_state(bytes(written))
    if isinstance(state, State) and violation(state) is None:
        for event in (Start(Seed("7")), *(ChooseParity(player, "even") for player in state.players)):
            evenodd.step(state, event)


# Imagine


@each_match
@pytest.mark.parametrize("eyes", [ALICE, BOB, None])
def test_what_a_player_imagines_looks_to_it_as_what_it_sees(match: State, eyes: PlayerId | None) -> None:
    for dream in DREAMS:
        imagined = imagine(view(match, eyes), eyes, dream)
        assert view(imagined, eyes) == view(match, eyes)
        assert eyes is None or actions(imagined, eyes) == actions(match, eyes)


@each_match
def test_the_seed_is_imagined_never_known(match: State) -> None:
    assert len({imagine(view(match, ALICE), ALICE, dream).seed for dream in DREAMS} - {match.seed}) == len(DREAMS)


def test_a_hidden_choice_could_be_either() -> None:
    match = play(collecting(), "bob odd")
    for eyes in (ALICE, None):
        assert {imagine(view(match, eyes), eyes, dream).choices[BOB] for dream in DREAMS} == set(Parity)


def test_a_players_own_choice_is_not_imagined() -> None:
    match = play(collecting(), "bob odd")
    assert {imagine(view(match, BOB), BOB, dream).choices[BOB] for dream in DREAMS} == {Parity.ODD}


def test_the_same_dream_of_the_same_view_is_the_same_state() -> None:
    seen = view(play(collecting(), "bob odd"), ALICE)
    assert imagine(seen, ALICE, DREAMS[0]) == imagine(seen, ALICE, DREAMS[0])


# Essence, and the proof for a whole match


def test_which_numbers_were_drawn_does_not_matter_any_more_but_how_many() -> None:
    both_even, both_odd = (play(collecting(4), f"alice {said}", f"bob {said}") for said in ("even", "odd"))
    assert both_even.results != both_odd.results
    assert state_key(both_even) == state_key(both_odd)
    assert len({state_key(match) for match in MATCHES.values()}) == len(MATCHES)


@pytest.mark.parametrize("draws", [1, 2, 5])
def test_every_state_of_a_match_is_walked_and_their_number_explained(draws: int) -> None:
    """After n draws each was won by one, by the other or by nobody: C(n + 2, 2) different totals."""
    report = check(world_of(game, study, Options(draws)))
    assert report.passed, report.findings
    totals = [comb(number + 2, 2) for number in range(draws + 1)]
    waiting = 1 + 2 + 2  # nobody has chosen, or one of the two has, even or odd
    ends = totals.pop()
    assert report.states == len(SEEDS) * (1 + waiting * sum(totals) + ends)
    told = {finding.sentence: finding.verdict for finding in report.findings}
    assert told[f"every state can still reach one of {len(SEEDS) * ends} ends"] is Verdict.PROVED
    assert told[f"no match goes on for ever: the longest has {1 + 2 * draws} events"] is Verdict.PROVED


# Tally


def test_a_tally_counts_how_often_choices_differ_and_who_is_right_then() -> None:
    match = finished(4, 7, 3, alice="eeo", bob="ooo")
    assert match.players == PLAYERS
    assert tally(match) == {
        "the choices differ": (2, 3),
        "... and the first player is right": (1, 2),
        "the number is even": (1, 3),
    }


# Standing


def test_whoever_has_most_points_so_far_would_win() -> None:
    assert standing(play(collecting(4), "alice even", "bob odd")) == Outcome((ALICE,), ByPlayer({ALICE: 3, BOB: 0}))
    assert standing(collecting()) == Outcome(PLAYERS, ByPlayer({ALICE: 0, BOB: 0}))


def test_the_study_offers_all_of_this() -> None:
    assert (study.violation, study.redraw, study.imagine, study.state_key, study.tally) == (
        violation,
        redraw,
        imagine,
        state_key,
        tally,
    )
    assert study.standing is standing
