"""The rules of Even/Odd, sentence by sentence: choices, the number, who wins, and a series of draws."""

from collections import Counter

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.evenodd.matches import (
    ALICE,
    BOB,
    LETTERS,
    PLAYERS,
    collecting,
    finished,
    idle,
    play,
    points,
    refused,
    seed_for,
    step,
)
from turnstile.games.evenodd import (
    Code,
    GameResult,
    Judgement,
    Options,
    Parity,
    Phase,
    State,
    Status,
    drawn_number,
    game,
    judge,
    new,
    outcome,
    parity_of,
)
from turnstile.kernel import ByPlayer, Hop, PlayerId, Refusal, Rejection, Seed, digest, encode

EVEN, ODD = Parity.EVEN, Parity.ODD


# Players and options


def test_a_match_has_exactly_two_players() -> None:
    for wrong in ((), ("alice",), ("alice", "alice"), ("alice", "bob", "carol")):
        answer = new(tuple(PlayerId(name) for name in wrong), Options(), None)
        assert isinstance(answer, Rejection)
        assert answer.code == Refusal.INVALID_PLAYERS


def test_a_match_has_ten_draws_unless_told_otherwise() -> None:
    assert idle().draws == Options().draws == 10


@pytest.mark.parametrize("draws", [1, 2, 100])
def test_a_match_may_have_1_to_100_draws(draws: int) -> None:
    assert game.read_options(f'{{"draws": {draws}}}') == Options(draws)
    assert idle(draws).draws == draws


@pytest.mark.parametrize("draws", [-1, 0, 101])
def test_a_match_has_no_other_number_of_draws(draws: int) -> None:
    for answer in (game.read_options(f'{{"draws": {draws}}}'), new(PLAYERS, Options(draws), None)):
        assert isinstance(answer, Rejection)
        assert answer.code == Refusal.INVALID_OPTIONS


# Choices


@pytest.mark.parametrize(("said", "meant"), [("even", EVEN), ("odd", ODD)])
def test_parity_choice_is_even_or_odd(said: str, meant: Parity) -> None:
    assert play(collecting(), f"alice {said}").choices == ByPlayer({ALICE: meant, BOB: None})


@pytest.mark.parametrize("said", ["purple", "Even", "EVEN", "evenodd", "e", "2", "even "])
def test_anything_else_is_an_invalid_choice_e004(said: str) -> None:
    answer = refused(collecting(), f"alice {said}")
    assert answer == Rejection("E004", 'INVALID_CHOICE: say "even" or "odd".')


def test_a_player_may_resend_an_invalid_choice_whoever_answers_first() -> None:
    for match in (collecting(), play(collecting(), "bob even")):
        before = digest(match)
        assert refused(match, "alice both").code == Code.INVALID_CHOICE
        assert digest(match) == before
        assert play(match, "alice odd").phase is Phase.COLLECTING_CHOICES


@pytest.mark.parametrize("first", PLAYERS)
def test_when_one_player_has_chosen_the_match_waits_for_the_other(first: PlayerId) -> None:
    taken = step(collecting(), f"{first} even")
    assert taken.trace == (Hop("COLLECTING_CHOICES", "COLLECTING_CHOICES", "CHOOSE_PARITY_RESPONSE", "one choice"),)
    assert taken.state.results == ()


@pytest.mark.parametrize("first", PLAYERS)
def test_when_both_have_chosen_the_number_is_drawn_whoever_was_first(first: PlayerId) -> None:
    second = BOB if first == ALICE else ALICE
    taken = step(play(collecting(4), f"{first} even"), f"{second} even")
    assert taken.trace == (
        Hop("COLLECTING_CHOICES", "DRAWING_NUMBER", "CHOOSE_PARITY_RESPONSE", "both choices"),
        Hop("DRAWING_NUMBER", "COLLECTING_CHOICES", "auto", "draws are left"),
    )
    assert [result.choices for result in taken.state.results] == [ByPlayer({ALICE: EVEN, BOB: EVEN})]


@pytest.mark.parametrize("said", ["even", "odd", "purple"])
def test_a_second_choice_by_the_same_player_is_refused(said: str) -> None:
    match = play(collecting(), "alice even")
    assert refused(match, f"alice {said}").code == Code.ALREADY_CHOSEN
    assert match.choices[ALICE] is EVEN


def test_a_choice_of_somebody_without_a_seat_is_refused_before_anything_else() -> None:
    for match in (collecting(), play(collecting(), "alice even")):
        assert refused(match, "carol even").code == refused(match, "carol purple").code == Code.UNKNOWN_PLAYER


@pytest.mark.parametrize("text", ["alice even", "carol purple"])
def test_nobody_chooses_before_the_match_starts_or_after_it_ends(text: str) -> None:
    for match in (idle(), idle(seed=Seed("7")), finished(4, alice="e", bob="o")):
        assert refused(match, text).code == Refusal.WRONG_PHASE


def test_a_match_starts_once() -> None:
    for match in (collecting(), play(collecting(), "bob odd"), finished(4, alice="e", bob="o")):
        assert refused(match, "start 7").code == Refusal.WRONG_PHASE


# The number


def test_the_number_is_from_1_to_10_inclusive_and_each_is_as_likely() -> None:
    drawn = Counter(drawn_number(Seed(str(seed)), index) for seed in range(200) for index in range(20))
    assert sorted(drawn) == list(range(1, 11))
    expected = 200 * 20 / 10
    assert sum((count - expected) ** 2 / expected for count in drawn.values()) < 27.9  # chi-squared, 9 df, p = 0.001


def test_the_number_depends_on_the_seed_and_the_index_of_the_draw_alone() -> None:
    numbers = [drawn_number(Seed("7"), index) for index in range(10)]
    assert numbers == [drawn_number(Seed("7"), index) for index in range(10)]
    assert len(set(numbers)) > 1
    match = play(idle(), "start 7", *["alice even", "bob odd"] * 9, "bob odd", "alice odd")
    assert [result.drawn_number for result in match.results] == numbers


@pytest.mark.parametrize("number", range(1, 11))
def test_number_parity_is_even_if_the_number_divides_by_two_else_odd(number: int) -> None:
    assert parity_of(number) is (EVEN if number in (2, 4, 6, 8, 10) else ODD)


# Who wins


JUDGED = [
    (EVEN, EVEN, 4, Judgement(Status.DRAW, None, (1, 1))),  # both correct
    (ODD, ODD, 7, Judgement(Status.DRAW, None, (1, 1))),
    (EVEN, EVEN, 7, Judgement(Status.DRAW, None, (1, 1))),  # both wrong
    (ODD, ODD, 4, Judgement(Status.DRAW, None, (1, 1))),
    (EVEN, ODD, 4, Judgement(Status.WIN, 0, (3, 0))),  # A correct and B wrong
    (ODD, EVEN, 7, Judgement(Status.WIN, 0, (3, 0))),
    (EVEN, ODD, 7, Judgement(Status.WIN, 1, (0, 3))),  # B correct and A wrong
    (ODD, EVEN, 4, Judgement(Status.WIN, 1, (0, 3))),
]


@pytest.mark.parametrize(("first", "second", "number", "judgement"), JUDGED)
def test_one_correct_wins_3_to_0_and_both_correct_or_both_wrong_is_a_draw_1_each(
    first: Parity, second: Parity, number: int, judgement: Judgement
) -> None:
    assert judge(first, second, number) == judgement
    match = play(collecting(number), f"alice {first}", f"bob {second}")
    assert points(match) == judgement.points


def test_the_result_names_number_parity_choices_status_winner_and_points() -> None:
    match = play(collecting(7, 3), "alice even", "bob odd", "bob odd", "alice odd")
    assert match.results == (
        GameResult(7, ODD, ByPlayer({ALICE: EVEN, BOB: ODD}), Status.WIN, BOB, ByPlayer({ALICE: 0, BOB: 3})),
        GameResult(3, ODD, ByPlayer({ALICE: ODD, BOB: ODD}), Status.DRAW, None, ByPlayer({ALICE: 1, BOB: 1})),
    )
    assert msgspec.json.decode(encode(match.results[0])) == {
        "drawnNumber": 7,
        "numberParity": "odd",
        "choices": {"alice": "even", "bob": "odd"},
        "status": "WIN",
        "winnerPlayerId": "bob",
        "points": {"alice": 0, "bob": 3},
    }


# A series


def test_the_points_of_all_draws_add_up() -> None:
    match = collecting(4, 7, 1)
    seen = []
    for texts in (("alice even", "bob odd"), ("alice odd", "bob odd"), ("alice even", "bob odd")):
        match = play(match, *texts)
        seen.append(points(match))
    assert seen == [(3, 0), (4, 1), (4, 4)]


def test_after_each_draw_both_choose_anew() -> None:
    match = play(collecting(4), "alice even", "bob odd")
    assert (match.phase, match.choices) == (Phase.COLLECTING_CHOICES, ByPlayer({ALICE: None, BOB: None}))


def test_after_the_last_draw_the_match_is_over() -> None:
    taken = step(play(collecting(4, draws=1), "alice even"), "bob odd")
    assert taken.trace[-1] == Hop("DRAWING_NUMBER", "FINISHED", "auto", "the last draw")
    assert taken.state.choices == ByPlayer({ALICE: None, BOB: None})


@pytest.mark.parametrize(
    ("alice", "bob", "winners", "score"),
    [("ee", "eo", (ALICE,), (4, 1)), ("oe", "ee", (BOB,), (1, 4)), ("eo", "oe", (ALICE, BOB), (3, 3))],
)
def test_the_highest_total_wins_and_equal_totals_share(
    alice: str, bob: str, winners: tuple[PlayerId, ...], score: tuple[int, int]
) -> None:
    match = finished(4, 4, alice=alice, bob=bob)
    ended = outcome(match)
    assert ended is not None
    assert (ended.winners, points(match)) == (winners, score)
    assert ended.scores == match.score


def test_while_it_goes_on_there_is_no_outcome() -> None:
    for match in (idle(), collecting(4), play(collecting(4, draws=2), "alice even", "bob odd")):
        assert outcome(match) is None


choices = st.lists(st.tuples(st.sampled_from("eo"), st.sampled_from("eo")), min_size=1, max_size=100)


@given(choices, st.integers(0, 2**32))
def test_every_draw_gives_3_points_to_one_or_1_to_each(made: list[tuple[str, str]], seed: int) -> None:
    match: State = play(idle(len(made)), f"start {seed}")
    for hers, his in made:
        before = points(match)
        match = play(match, f"alice {LETTERS[hers]}", f"bob {LETTERS[his]}")
        gained = tuple(now - then for now, then in zip(points(match), before, strict=True))
        assert gained in ({(1, 1)} if hers == his else {(3, 0), (0, 3)})
    assert match.phase is Phase.FINISHED
    assert len(match.results) == len(made)


def test_the_seed_of_the_start_counts_not_the_one_that_waited() -> None:
    assert play(idle(seed=Seed("8")), "start 7") == play(idle(), "start 7")
    assert seed_for(4) != seed_for(7)
