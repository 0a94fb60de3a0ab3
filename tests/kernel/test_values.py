"""Values are frozen, look the same on every machine, and what is not a value is refused with its place."""

import copy
import gc
import pickle
from collections.abc import Callable
from enum import StrEnum
from hashlib import sha256

import msgspec
import pytest

from turnstile import registry
from turnstile.games import ecard
from turnstile.kernel import (
    Acks,
    ByPlayer,
    Event,
    Malformed,
    Message,
    Move,
    PlayerId,
    Step,
    Timeout,
    Value,
    decode,
    digest,
    encode,
    wire_name,
)
from turnstile.kernel.values import LONGEST_ID, is_log_id

ANA, BO, CY = (PlayerId(name) for name in ("ana", "bo", "cy"))


class Suit(StrEnum):
    HEARTS = "H"
    SPADES = "S"


class Trick(Value, frozen=True):
    led_suit: Suit
    taken_by: PlayerId | None
    cards_left: ByPlayer[int]


class Lead(Move, frozen=True):
    suit: Suit


class Dealt(Event, frozen=True, tag="DEAL_CARDS"):
    pass


class Waited(Timeout, frozen=True):
    pass


class TrickTaken(Message, frozen=True):
    trick: Trick


TRICK = Trick(Suit.HEARTS, None, ByPlayer({ANA: 1, BO: 2}))
WRITTEN = b'{"ledSuit":"H","takenBy":null,"cardsLeft":{"ana":1,"bo":2}}'


# Values


def test_a_value_never_changes() -> None:
    with pytest.raises(AttributeError, match="immutable"):
        TRICK.led_suit = Suit.SPADES  # type: ignore[misc]


def test_everything_that_the_kernel_and_the_games_are_made_of_is_frozen() -> None:
    """The nets cannot see this: a handler that changes its state in place may do so for years before it matters."""
    for name in registry.names():
        assert registry.find_game(name) is not None
    structs = [kind for kind in descendants(msgspec.Struct) if kind.__module__.startswith("turnstile.")]
    assert {Value, Event, Message, ecard.State, ecard.View, ecard.Pick, Step} <= set(structs)
    assert [kind for kind in structs if not kind.__struct_config__.frozen] == []


def descendants(kind: type[msgspec.Struct]) -> set[type[msgspec.Struct]]:
    """Every class below this one."""
    children: list[type[msgspec.Struct]] = kind.__subclasses__()
    return {below for child in children for below in (child, *descendants(child))}


def test_a_value_is_snake_case_in_python_and_camel_case_on_the_wire() -> None:
    assert encode(TRICK) == WRITTEN
    assert decode(WRITTEN, Trick) == TRICK


def test_a_value_is_read_from_text_as_from_bytes() -> None:
    assert decode(WRITTEN.decode(), Trick) == TRICK


def test_an_event_and_a_message_are_tagged_by_their_type() -> None:
    assert encode(Acks()) == b'{"type":"Acks"}'
    assert encode(Waited()) == b'{"type":"Waited"}'
    assert encode(Lead(ANA, Suit.HEARTS)) == b'{"type":"Lead","player":"ana","suit":"H"}'
    assert msgspec.json.decode(encode(TrickTaken(TRICK)))["type"] == "TrickTaken"


def test_an_event_may_be_called_otherwise_on_the_wire() -> None:
    assert wire_name(Lead) == "Lead"
    assert wire_name(Dealt) == "DEAL_CARDS"
    assert encode(Dealt()) == b'{"type":"DEAL_CARDS"}'


def test_values_are_equal_when_their_fields_are_and_can_be_kept_in_sets() -> None:
    same = decode(WRITTEN, Trick)
    assert {TRICK, same} == {TRICK}
    assert Trick(Suit.SPADES, None, TRICK.cards_left) != TRICK


@pytest.mark.parametrize("length", [1, LONGEST_ID])
def test_the_player_of_a_move_has_an_id(length: int) -> None:
    move = Lead(PlayerId("x" * length), Suit.HEARTS)
    assert decode(encode(move), Lead) == move


@pytest.mark.parametrize("length", [0, LONGEST_ID + 1])
def test_a_move_by_an_id_that_is_empty_or_too_long_is_malformed(length: int) -> None:
    with pytest.raises(Malformed, match=r"\$\.player"):
        decode(encode(Lead(PlayerId("x" * length), Suit.HEARTS)), Lead)


# ByPlayer


def test_by_player_has_one_thing_for_each_player() -> None:
    points = ByPlayer.same([ANA, BO], 0)
    assert points == {ANA: 0, BO: 0}
    assert list(points) == [ANA, BO]


def test_put_gives_a_new_one_and_leaves_the_old_as_it_was() -> None:
    before = ByPlayer({ANA: 0, BO: 0})
    after = before.put(BO, 3)
    assert (before, after) == ({ANA: 0, BO: 0}, {ANA: 0, BO: 3})
    assert isinstance(after, ByPlayer)
    assert list(after) == [ANA, BO], "a seat keeps its place"


CHANGES: dict[str, Callable[[ByPlayer[int]], object]] = {
    "set": lambda points: points.__setitem__(ANA, 1),
    "delete": lambda points: points.__delitem__(ANA),
    "join": lambda points: points.__ior__({CY: 1}),
    "clear": lambda points: points.clear(),
    "pop": lambda points: points.pop(ANA),
    "pop with a default": lambda points: points.pop(CY, 1),
    "popitem": lambda points: points.popitem(),
    "setdefault": lambda points: points.setdefault(CY, 1),
    "update": lambda points: points.update({ANA: 1}),
    "update by name": lambda points: points.update(ana=1),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_by_player_never_changes(change: Callable[[ByPlayer[int]], object]) -> None:
    points = ByPlayer({ANA: 0, BO: 0})
    with pytest.raises(TypeError, match="is immutable"):
        change(points)
    assert points == {ANA: 0, BO: 0}


def test_equal_ones_have_equal_hashes_and_equal_bytes_in_whatever_order_they_were_made() -> None:
    one, other = ByPlayer({ANA: 1, BO: 2}), ByPlayer({BO: 2, ANA: 1})
    assert one == other
    assert hash(one) == hash(other)
    assert encode(one) == encode(other) == b'{"ana":1,"bo":2}'
    assert hash(one) != hash(ByPlayer({ANA: 2, BO: 1}))


def test_by_player_is_read_at_any_depth() -> None:
    nested = ByPlayer({ANA: ByPlayer({BO: TRICK})})
    assert decode(encode(nested), ByPlayer[ByPlayer[Trick]]) == nested
    assert isinstance(decode(encode(nested), ByPlayer[ByPlayer[Trick]])[ANA], ByPlayer)


def pickled(value: object) -> object:
    return pickle.loads(pickle.dumps(value))  # noqa: S301


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickled], ids=["copy", "deepcopy", "pickle"])
def test_by_player_can_be_copied_and_sent_to_another_process(again: Callable[[object], object]) -> None:
    points = ByPlayer({ANA: 0, BO: 0})
    assert again(points) == points
    assert type(again(points)) is ByPlayer
    assert again(TRICK) == TRICK


# Malformed

MALFORMED: dict[str, tuple[bytes | str, str]] = {
    "nothing": (b"", "truncated"),
    "half": (WRITTEN[:-1], "truncated"),
    "more": (WRITTEN + b"1", "trailing characters"),
    "no object": (b"[]", "Expected `object`, got `array`"),
    "field missing": (b'{"ledSuit":"H","takenBy":null}', "missing required field `cardsLeft`"),
    "field unknown": (WRITTEN.replace(b"}}", b'},"x":1}'), "unknown field `x`"),
    "python's name": (WRITTEN.replace(b"ledSuit", b"led_suit"), "unknown field `led_suit`"),
    "wrong type": (WRITTEN.replace(b"null", b"7"), "got `int` - at `$.takenBy`"),
    "no such word": (WRITTEN.replace(b'"H"', b'"D"'), "Invalid enum value 'D' - at `$.ledSuit`"),
    "inside a map": (WRITTEN.replace(b'"bo":2', b'"bo":"2"'), "Expected `int`, got `str`"),
    "no map": (WRITTEN.replace(b'{"ana":1,"bo":2}', b"[1,2]"), "Expected `object`, got `array` - at `$.cardsLeft`"),
    "too large": (WRITTEN.replace(b'"ana":1', b'"ana":1e999'), "Number out of range"),
    "no UTF-8": (WRITTEN.replace(b'"H"', b'"\xff"'), "can't decode byte 0xff"),
    "no UTF-8 key": (WRITTEN.replace(b"takenBy", b"taken\xc3"), "can't decode byte 0xc3"),
    "half a character": (WRITTEN.replace(b"null", b'"\\ud800"'), "surrogate"),
    "NaN": (WRITTEN.replace(b"null", b"NaN"), "malformed"),
    "UTF-16": (WRITTEN.decode().encode("utf-16"), "malformed"),
    "deep": (WRITTEN.replace(b"1,", b"[" * 100_000), "nested too deeply"),
    "deep objects": (WRITTEN.replace(b"null", b'{"a":' * 100_000), "`$.takenBy`"),
}


@pytest.mark.parametrize(("written", "why"), MALFORMED.values(), ids=MALFORMED.keys())
def test_what_is_not_the_value_is_malformed_and_the_text_says_why_and_where(written: bytes, why: str) -> None:
    with pytest.raises(Malformed) as fault:
        decode(written, Trick)
    assert why in str(fault.value)
    assert "\n" not in str(fault.value)


def test_text_with_half_a_character_is_malformed() -> None:
    with pytest.raises(Malformed):
        decode('{"ledSuit":"H","takenBy":"\ud800","cardsLeft":{}}', Trick)


def test_a_type_that_json_has_no_word_for_is_a_bug_not_a_players_mistake() -> None:
    with pytest.raises(NotImplementedError, match="complex"):
        decode(b"1", complex)


# Digest


def test_a_digest_is_the_sha_256_of_the_json() -> None:
    assert digest(TRICK) == sha256(WRITTEN).hexdigest()


def test_the_garbage_collector_need_not_look_at_values() -> None:
    """What is frozen holds only what was there before it, so there are no cycles to be found."""

    class Box(Value, frozen=True):
        held: tuple[object, ...]

    assert not gc.is_tracked(Box(([],)))


def test_the_id_of_a_log_is_short_and_printable() -> None:
    assert all(map(is_log_id, ("t", "table 7", "x" * LONGEST_ID)))
    assert not any(map(is_log_id, ("", "x" * (LONGEST_ID + 1), "two\nlines", "\0")))
