"""What is known of E-Card beyond its rules: which states can be, what is hidden from a player, what is counted."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from tests.rules.ecard.matches import (
    ALICE,
    BOB,
    PLAYERS,
    after_rounds,
    decide,
    lobby,
    picking,
    play,
    seed_for,
    started,
)
from turnstile.games.ecard import Card, Phase, Roles, State, hand, view
from turnstile.games.ecard.rules import first_emperor
from turnstile.kernel import Outcome, PlayerId, Seed
from turnstile.studies.ecard import imagine, redraw, standing, state_key, study, tally, violation

TIE_BREAK = "ABABABABABAB"
DREAMS = [Seed(f"dream {number}") for number in range(40)]

MATCHES = {
    "lobby": lobby(),
    "lobby with a seed": lobby(Seed("7")),
    "set up": started(BOB),
    "one pick": play(picking(), "bob S"),
    "two draws": play(picking(alice="SCC", bob="ECC"), "bob C"),
    **{f"round {number}": after_rounds(TIE_BREAK[: number - 1]) for number in range(2, 13)},
    "last round": play(after_rounds("A" * 11), "begin", "alice C"),
    "tie break": play(after_rounds(TIE_BREAK), "begin", "bob C", "alice C"),
    "finished": after_rounds("A" * 12),
    "finished by tie break": after_rounds(TIE_BREAK + "B"),
}

each_match = pytest.mark.parametrize("match", MATCHES.values(), ids=MATCHES.keys())


# Sound


@each_match
def test_a_state_that_was_played_is_sound(match: State) -> None:
    assert violation(match) is None


BROKEN: dict[str, Callable[[State], State]] = {
    "phase": lambda match: replace(match, phase=Phase.ROUND_SETUP),
    "phase that never rests": lambda match: replace(match, phase=Phase.REVEAL),
    "lobby": lambda match: replace(match, phase=Phase.LOBBY),
    "finished": lambda match: replace(match, phase=Phase.FINISHED),
    "roles": lambda match: replace(match, roles=Roles(BOB, ALICE)),
    "no roles": lambda match: replace(match, roles=None),
    "hands": lambda match: replace(match, hands=match.hands.put(ALICE, hand("ECCC"))),
    "picks": lambda match: replace(match, pending_picks=match.pending_picks.put(ALICE, Card.SLAVE)),
    "score": lambda match: replace(match, score=match.score.put(BOB, 12)),
    "seed": lambda match: replace(match, seed=None),
    "other seed": lambda match: replace(match, seed=seed_for(BOB)),
    "rounds": lambda match: replace(match, decisive_round_index=3),
    "side": lambda match: replace(match, decisive_in_side=1),
    "tie break": lambda match: replace(match, is_tie_break=True),
    "revealed": lambda match: replace(match, revealed=match.revealed[1:]),
    "stranger": lambda match: replace(match, score=match.score.put(PlayerId("carol"), 0)),
}


@pytest.mark.parametrize("spoil", BROKEN.values(), ids=BROKEN.keys())
def test_a_state_whose_fields_contradict_each_other_is_not_sound(spoil: Callable[[State], State]) -> None:
    match = play(after_rounds("AB"), "begin", "bob C")
    fault = "No match of E-Card can be in this state: its fields contradict each other."
    assert violation(match) is None
    assert violation(spoil(match)) == fault


def test_a_state_with_one_player_is_not_sound() -> None:
    assert violation(replace(lobby(), players=(ALICE,))) == "This game takes 2 players, not 1."


# Imagine


@each_match
@pytest.mark.parametrize("eyes", [ALICE, BOB, None])
def test_what_a_player_imagines_looks_to_it_as_what_it_sees_and_could_really_be(
    match: State, eyes: PlayerId | None
) -> None:
    for dream in DREAMS:
        imagined = imagine(view(match, eyes), eyes, dream)
        assert view(imagined, eyes) == view(match, eyes)
        assert violation(imagined) is None


@each_match
def test_the_seed_is_imagined_never_known(match: State) -> None:
    assert match.seed not in {imagine(view(match, ALICE), ALICE, dream).seed for dream in DREAMS}


def test_a_card_that_lies_face_down_could_be_any_of_its_owners_hand() -> None:
    match = play(picking(), "bob S")
    for eyes in (ALICE, None):
        imagined = {imagine(view(match, eyes), eyes, dream).pending_picks[BOB] for dream in DREAMS}
        assert imagined == {Card.SLAVE, Card.CITIZEN}


def test_a_players_own_pick_is_not_imagined() -> None:
    match = play(picking(), "bob S")
    assert {imagine(view(match, BOB), BOB, dream).pending_picks[BOB] for dream in DREAMS} == {Card.SLAVE}


def test_the_same_dream_of_the_same_view_is_the_same_state() -> None:
    seen = view(play(picking(), "bob S"), ALICE)
    assert imagine(seen, ALICE, DREAMS[0]) == imagine(seen, ALICE, DREAMS[0])


# Essence


def test_once_roles_are_drawn_seed_and_history_do_not_matter() -> None:
    seeds = [Seed(str(number)) for number in range(20) if first_emperor(PLAYERS, Seed(str(number))) == ALICE]
    assert len({state_key(play(lobby(), f"start {seed}")) for seed in seeds}) == 1
    assert state_key(play(picking(), "alice E", "bob C")) == state_key(play(picking(), "alice C", "bob S"))


def test_in_the_lobby_the_seed_matters() -> None:
    assert state_key(lobby(Seed("1"))) != state_key(lobby(Seed("2")))


def test_everything_else_matters() -> None:
    assert len({state_key(match) for match in MATCHES.values()}) == len(MATCHES)


# Tally


def test_a_tally_counts_who_won_decisive_rounds_on_each_side() -> None:
    match = after_rounds("AAB" + "AAB" + "AAA" + "BBB")  # Alice rules on sides 1 and 3, Bob on sides 2 and 4
    assert tally(match) == {
        "the slave wins a round": (1 + 2, 12),
        "the emperor wins a round": (2 + 1 + 3 + 3, 12),
        "... on side 1": (2, 3),
        "... on side 2": (1, 3),
        "... on side 3": (3, 3),
        "... on side 4": (3, 3),
        "... in the tie break": (0, 0),
        "the match goes to a tie break": (0, 1),
    }


@pytest.mark.parametrize(("winner", "counted"), [(ALICE, (0, 1)), (BOB, (1, 1))])
def test_a_tally_counts_tie_breaks(winner: PlayerId, counted: tuple[int, int]) -> None:
    facts = tally(decide(after_rounds(TIE_BREAK), winner))
    assert facts["... in the tie break"] == counted
    assert facts["the match goes to a tie break"] == (1, 1)


def test_draws_are_not_counted() -> None:
    match = play(after_rounds("A" * 11), "begin", "alice C", "bob C", "alice S", "bob E")
    assert tally(match)["the emperor wins a round"] == (3 + 3, 12)


# Standing


@pytest.mark.parametrize(("winners", "leading"), [("AAB", (ALICE,)), ("ABB", (BOB,)), ("AB", PLAYERS)])
def test_whoever_has_most_points_so_far_would_win(winners: str, leading: tuple[PlayerId, ...]) -> None:
    match = after_rounds(winners)
    assert standing(match) == Outcome(leading, match.score)


def test_the_study_offers_all_of_this() -> None:
    assert (study.violation, study.redraw, study.imagine, study.state_key, study.tally) == (
        violation,
        redraw,
        imagine,
        state_key,
        tally,
    )
    assert study.standing is standing
