"""Tests of how a match is opened: with how many players, with which options, with and without a seed."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.inspect import FloatType, IntType, StructType, Type, UnionType, type_info

from turnstile.kernel import AnyGame, AnyStudy, Event, PlayerId, Refusal, Rejection, Seed, encode

FAR = 1 << 62
"""A number beyond every sensible bound that still fits into 64 bits."""
SEED = Seed("any")

Number = IntType | FloatType


def opening_tests(game: AnyGame, study: AnyStudy) -> dict[str, Any]:
    """The tests of one game, by their names."""

    def test_a_match_is_opened_by_every_company_that_fits_the_seats(self: Any) -> None:
        for count in game.seats:
            can_begin(game, study, game.new(company(count), game.options(), SEED))

    def test_more_players_than_seats_are_refused(self: Any) -> None:
        refused = game.new(company(game.seats[-1] + 1), game.options(), SEED)
        assert isinstance(refused, Rejection), f"{game.name} is opened by {game.seats[-1] + 1} players."
        assert refused.code == Refusal.INVALID_PLAYERS

    def test_without_a_seed_a_match_waits_for_one_or_is_refused(self: Any) -> None:
        for count in game.seats:
            opened = game.new(company(count), game.options(), None)
            if isinstance(opened, Rejection):
                assert opened.code == Refusal.INVALID_SEED, f"{game.name} without a seed: {opened.sentence}"
            else:
                assert study.violation(opened) is None
                assert game.machine.read_state(encode(opened)) == opened

    def test_numbers_among_the_options_have_bounds_that_are_checked_when_a_table_is_opened(self: Any) -> None:
        for path, number in numbers_in(type_info(game.options)):
            for value in (-FAR, FAR):
                refused = open_with(game, path, value)
                assert isinstance(refused, Rejection), (
                    f"{game.name} has no bound for {'.'.join(path)}: {value} is taken."
                )
                assert refused.code == Refusal.INVALID_OPTIONS
            for near in values_near_bounds(number):
                opened = open_with(game, path, near)
                if isinstance(opened, Rejection):
                    assert opened.code == Refusal.INVALID_OPTIONS
                else:
                    can_begin(game, study, opened)

    return {name: test for name, test in locals().items() if name.startswith("test_")}


def company(count: int) -> tuple[PlayerId, ...]:
    return tuple(PlayerId(f"player {number}") for number in range(1, count + 1))


def can_begin(game: AnyGame, study: AnyStudy, opened: Any) -> None:
    """Check that an opened match has no violation, and that the dealer or a player can do something."""
    assert not isinstance(opened, Rejection), opened.sentence
    assert study.violation(opened) is None
    offered: list[Event] = game.offered(opened)
    assert offered or game.outcome(opened) is not None, f"In a new match of {game.name} nothing can happen."


def open_with(game: AnyGame, path: tuple[str, ...], value: float) -> Any:
    """A match with default options except this number, and the first number of players that works; or why none does."""
    written = msgspec.json.decode(encode(game.options()))
    place = written
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    options = game.read_options(encode(written))
    if isinstance(options, Rejection):
        return options
    matches = (game.new(company(count), options, SEED) for count in game.seats)
    return game.refuse_options(options) or next(match for match in matches if not isinstance(match, Rejection))


def numbers_in(kind: Type, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Number]]:
    """Every number among the options, with the names that lead to it on the wire."""
    if isinstance(kind, Number):
        yield path, kind
    elif isinstance(kind, UnionType):
        for each in kind.types:
            yield from numbers_in(each, path)
    elif isinstance(kind, StructType):
        for field in kind.fields:
            yield from numbers_in(field.type, (*path, field.encode_name))


def values_near_bounds(number: Number) -> tuple[float, ...]:
    """Numbers on both sides of the bounds in a type, and numbers around zero, which are most often wrong."""
    bounds = [bound for bound in (number.gt, number.ge, number.lt, number.le) if bound is not None]
    near = [bound + by for bound in bounds for by in (-1, 0, 1)]
    return (*near, -1, 0, 1)
