"""The tests of how a match is opened can fail: each finds a game that was spoiled for it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

import pytest
from msgspec import Meta

from turnstile.games import updown
from turnstile.kernel import AnyGame, PlayerId, Refusal, Rejection, Seed, Study, Value
from turnstile.kernel.chance import draw
from turnstile.testing.opening import opening_tests

EVERY_COMPANY = "test_a_match_is_opened_by_every_company_that_fits_the_seats"
TOO_MANY = "test_more_players_than_seats_are_refused"
NO_SEED = "test_without_a_seed_a_match_waits_for_one_or_is_refused"
NUMBERS = "test_numbers_among_the_options_have_bounds_that_are_checked_when_a_table_is_opened"


def run(name: str, **spoiled: Any) -> None:
    """This test of Up-Down, with something in its game spoiled."""
    game: AnyGame = replace(updown.game, **spoiled)
    opening_tests(game, Study())[name](None)


def usual(players: Sequence[PlayerId], options: object, seed: Seed | None) -> updown.State | Rejection:
    """Up-Down as it is, whatever the options."""
    return updown.new(players, updown.Options(), seed)


@pytest.mark.parametrize("name", [EVERY_COMPANY, TOO_MANY, NO_SEED, NUMBERS])
def test_up_down_passes_as_it_is(name: str) -> None:
    run(name)


def test_a_company_that_fits_the_seats_and_cannot_play_is_found() -> None:
    with pytest.raises(AssertionError, match="In a new match of up-down nothing can happen"):
        run(EVERY_COMPANY, seats=range(1, 11))


def test_a_company_that_fits_the_seats_and_is_refused_is_found() -> None:
    with pytest.raises(AssertionError, match="This game takes 2 to 10 players, not 11"):
        run(EVERY_COMPANY, seats=range(2, 12))


def test_a_game_that_takes_more_players_than_it_has_seats_is_found() -> None:
    with pytest.raises(AssertionError, match="up-down is opened by 10 players"):
        run(TOO_MANY, seats=range(2, 10))


def test_a_game_that_breaks_down_without_a_seed_is_found() -> None:
    def careless(players: Sequence[PlayerId], options: updown.Options, seed: Any) -> updown.State | Rejection:
        draw(seed, "first player", 0, len(players))
        return updown.new(players, options, seed)

    with pytest.raises(AttributeError):
        run(NO_SEED, new=careless)


def test_a_game_that_gives_another_reason_than_the_missing_seed_is_found() -> None:
    with pytest.raises(AssertionError, match="up-down without a seed: Not today"):
        run(NO_SEED, new=lambda *_: Rejection(Refusal.INVALID_OPTIONS, "Not today."))


def test_a_number_without_an_upper_bound_is_found() -> None:
    class Unbounded(Value, frozen=True):
        rounds: Annotated[int, Meta(ge=1)] | None = None

    with pytest.raises(AssertionError, match=f"up-down has no bound for rounds: {1 << 62} is taken"):
        run(NUMBERS, options=Unbounded, new=usual)


def test_a_number_without_a_lower_bound_is_found_where_it_is_part_of_an_option() -> None:
    class Stakes(Value, frozen=True):
        chips: Annotated[float, Meta(le=9.5)] = 1.0

    class Nested(Value, frozen=True):
        is_strict: bool = True
        stakes: Stakes = Stakes()

    with pytest.raises(AssertionError, match=rf"up-down has no bound for stakes\.chips: -{1 << 62} is taken"):
        run(NUMBERS, options=Nested, new=usual)


def test_a_bound_that_new_alone_knows_is_enough() -> None:
    class Unwritten(Value, frozen=True):
        max_round_size: int | None = None

    run(NUMBERS, options=Unwritten)


def test_a_number_that_is_taken_and_leads_to_a_match_in_which_nothing_can_happen_is_found() -> None:
    class Bounded(Value, frozen=True):
        waiting: Annotated[int, Meta(ge=0, le=1)] = 1

    def alone(players: Sequence[PlayerId], options: Bounded, seed: Seed | None) -> updown.State | Rejection:
        return updown.new(players[: 1 if options.waiting == 0 else None], updown.Options(), seed)

    with pytest.raises(AssertionError, match="In a new match of up-down nothing can happen"):
        run(NUMBERS, options=Bounded, new=alone)


def test_a_number_that_is_refused_for_another_reason_than_the_options_is_found() -> None:
    class Bounded(Value, frozen=True):
        rounds: Annotated[int, Meta(ge=1, le=3)] = 1

    def moody(players: Sequence[PlayerId], options: Bounded, seed: Seed | None) -> updown.State | Rejection:
        return usual(players, options, seed) if options.rounds == 1 else Rejection(Refusal.INVALID_SEED, "No.")

    with pytest.raises(AssertionError):
        run(NUMBERS, options=Bounded, new=moody)
