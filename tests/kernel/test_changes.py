"""Changes: what has changed between two values, and how a reader makes the new value from the old one."""

from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct, json

from turnstile.kernel import ByPlayer, PlayerId, Value, encode
from turnstile.kernel.changes import apply_change, change_between

ANA, BO = PlayerId("ana"), PlayerId("bo")


class Hand(Value, frozen=True):
    cards: tuple[Any, ...] = ()
    is_open: Any = False


class Seen(Value, frozen=True):
    score: Any = 0
    own_hand: Any = None
    history: Any = ()


class Nothing(Value, frozen=True):
    pass


class Mood(StrEnum):
    GLAD = "glad"
    SAD = "sad"


class Typed(Value, frozen=True):
    """Fields of types whose equal values are always written alike, and of types whose are not."""

    count: int = 0
    name: str | None = None
    mood: Mood = Mood.GLAD
    names: tuple[str, ...] = ()
    either: int | bool = 0
    rate: float = 0.0
    rates: tuple[float, ...] = ()
    by_player: ByPlayer[int] = ByPlayer()
    points: tuple[int, str] = (0, "")
    inner: "Typed | None" = None
    hand: Hand = Hand()


class Point(Struct, frozen=True, array_like=True):
    x: Any
    y: Any


class Sparse(Struct, frozen=True, omit_defaults=True):
    a: Any = None
    b: Any = 0


def plain(value: object) -> Any:
    """A value as a reader of its JSON has it."""
    return json.decode(encode(value))


def fold(before: object, after: object) -> Any:
    """What a reader who has the first value makes of the change that it is sent."""
    return apply_change(plain(before), plain(change_between(before, after)))


# what is sent


def test_nothing_is_sent_of_what_is_equal() -> None:
    assert change_between(Seen(1, Hand((1, 2))), Seen(1, Hand((1, 2)))) == {}
    assert change_between(ByPlayer({ANA: (1,)}), ByPlayer({ANA: (1,)})) == {}
    assert change_between((1, (2,)), (1, (2,))) == {}
    assert change_between("a", "a") == change_between(None, None) == change_between(Nothing(), Nothing()) == {}


def test_a_changed_leaf_is_sent() -> None:
    assert change_between(1, 2) == {"set": 2}
    assert change_between("a", None) == {"set": None}


def test_of_a_struct_the_changed_fields_are_sent_by_their_names_on_the_wire() -> None:
    before, after = Seen(1, Hand((1, 2, 3))), Seen(1, Hand((1, 7, 3)))
    assert change_between(before, after) == {"in": {"ownHand": {"in": {"cards": {"in": {"1": {"set": 7}}}}}}}


def test_a_list_that_has_grown_is_sent_what_was_added() -> None:
    assert change_between((1, 2), (1, 2, 3, 4)) == {"add": (3, 4)}
    assert change_between((), (1,)) == {"add": (1,)}


def test_what_was_added_stands_beside_the_items_that_have_changed() -> None:
    assert change_between((1, 2), (5, 2, 3)) == {"in": {"0": {"set": 5}}, "add": (3,)}


def test_a_list_from_which_something_was_taken_or_in_which_most_has_changed_is_sent_whole() -> None:
    assert change_between((1, 2, 3), (2, 3)) == {"set": (2, 3)}
    assert change_between((1, 2, 3), (1, 8, 9)) == {"set": (1, 8, 9)}


def test_keys_of_an_object_come_change_and_go() -> None:
    before, after = {"ana": 1, "bo": 2, "cy": 3}, {"bo": 2, "cy": 4, "di": 5}
    assert change_between(before, after) == {"in": {"ana": {"gone": True}, "cy": {"set": 4}, "di": {"set": 5}}}


def test_a_struct_of_another_type_is_sent_whole() -> None:
    assert change_between(Hand(), Nothing()) == {"set": Nothing()}


@pytest.mark.parametrize("kind", [Point, Sparse])
def test_a_struct_that_is_not_written_field_by_field_is_sent_whole(kind: Any) -> None:
    assert change_between(kind(1, 0), kind(1, 2)) == {"set": kind(1, 2)}
    assert change_between(kind(1, 0), kind(1, 0)) == {}


def test_the_old_value_stays_as_it_is() -> None:
    old = {"a": [1, {"b": 2}], "c": 3}
    new = apply_change(old, {"in": {"a": {"in": {"1": {"in": {"b": {"set": 4}}}}, "add": [5]}, "c": {"gone": True}}})
    assert old == {"a": [1, {"b": 2}], "c": 3}
    assert new == {"a": [1, {"b": 4}, 5]}


def test_fields_with_the_names_of_the_words_of_a_change_are_fields() -> None:
    before = {"set": 1, "in": (1,), "add": {}, "gone": True}
    after = {"set": 2, "in": (1, 2), "add": {"set": 3}, "gone": False}
    assert fold(before, after) == plain(after)


# what looks the same


LOOKALIKES = [0, False, 0.0, -0.0, 1, True, 1.0, "1", "", None, (), {}, Nothing()]


@pytest.mark.parametrize("before", LOOKALIKES, ids=repr)
@pytest.mark.parametrize("after", LOOKALIKES, ids=repr)
def test_values_that_are_equal_but_written_differently_are_told_apart(before: object, after: object) -> None:
    assert encode(fold(before, after)) == encode(after)
    assert encode(fold((1, before), (1, after))) == encode((1, after))
    assert encode(fold(Point(before, 0), Point(after, 0))) == encode(Point(after, 0))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Typed(either=1), Typed(either=True)),
        (Typed(rate=0.0), Typed(rate=-0.0)),
        (Typed(rates=(0.0, 1.0)), Typed(rates=(-0.0, 1.0))),
        (Typed(inner=Typed(either=0)), Typed(inner=Typed(either=False))),
        (Typed(hand=Hand((0,))), Typed(hand=Hand((False,)))),
    ],
    ids=repr,
)
def test_fields_that_are_equal_but_written_differently_are_told_apart(before: Typed, after: Typed) -> None:
    assert before == after
    assert encode(fold(before, after)) == encode(plain(after)) != encode(plain(before))


def test_the_same_instant_in_another_time_zone_is_told_apart() -> None:
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert fold(noon, noon.astimezone(timezone(timedelta(hours=2)))) == "2026-01-01T14:00:00+02:00"


# any two values


LEAVES = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, -0.0, 1.0, 2.5]) | st.text("a1", max_size=2)
)


def _larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(inner, max_size=5)
    return st.one_of(
        lists,
        lists.map(tuple),
        st.dictionaries(st.sampled_from(["ana", "bo", "set", "in", "add", "gone"]), inner),
        st.dictionaries(st.sampled_from([ANA, BO]), inner).map(ByPlayer),
        st.builds(Hand, lists.map(tuple), inner),
        st.builds(Seen, inner, inner, lists.map(tuple)),
        st.builds(Point, inner, inner),
        st.builds(Sparse, inner, inner),
        st.just(Nothing()),
    )


VALUES = st.recursive(LEAVES, _larger, max_leaves=12)


@st.composite
def neighbours(draw: st.DrawFn) -> tuple[Any, Any]:
    """Two views, one after the other: much is the same, and a history has grown."""
    value, history = draw(VALUES), draw(st.lists(VALUES, max_size=4).map(tuple))
    before = Seen(draw(VALUES), Hand((value, draw(VALUES))), history)
    after = Seen(draw(VALUES), Hand((value, draw(VALUES))), (*history, *draw(st.lists(VALUES, max_size=2))))
    return before, after


@given(VALUES, VALUES)
def test_what_has_changed_makes_any_value_from_any_other(before: object, after: object) -> None:
    assert fold(before, after) == plain(after)
    assert encode(fold(before, after)) == encode(plain(after))


@given(neighbours())
def test_what_has_changed_makes_a_value_from_one_that_is_much_like_it(pair: tuple[Any, Any]) -> None:
    before, after = pair
    assert encode(fold(before, after)) == encode(plain(after))


TYPED = st.recursive(
    st.builds(Typed),
    lambda inner: st.builds(
        Typed,
        count=st.integers(0, 2),
        name=st.none() | st.sampled_from("ab"),
        mood=st.sampled_from(Mood),
        names=st.lists(st.sampled_from("ab"), max_size=3).map(tuple),
        either=st.integers(0, 1) | st.booleans(),
        rate=st.sampled_from([0.0, -0.0, 1.0]),
        rates=st.lists(st.sampled_from([0.0, -0.0, 1.0]), max_size=3).map(tuple),
        by_player=st.dictionaries(st.sampled_from([ANA, BO]), st.integers(0, 2)).map(ByPlayer),
        points=st.tuples(st.integers(0, 1), st.sampled_from("ab")),
        inner=st.none() | inner,
        hand=st.builds(Hand, st.lists(LEAVES, max_size=2).map(tuple), LEAVES),
    ),
    max_leaves=4,
)


@given(TYPED, TYPED)
def test_what_has_changed_makes_any_struct_with_types_from_any_other(before: Typed, after: Typed) -> None:
    assert encode(fold(before, after)) == encode(plain(after))


@given(VALUES)
def test_a_value_and_a_copy_of_it_differ_in_nothing(value: object) -> None:
    assert change_between(value, value) == {}
    assert fold(value, value) == plain(value)
