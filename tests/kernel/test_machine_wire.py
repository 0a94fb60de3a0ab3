"""What comes from outside is an event, a state or a refusal that names the place of the fault, never a traceback."""

from enum import StrEnum
from typing import Annotated

import pytest
from msgspec import Meta

from turnstile.kernel import ByPlayer, Event, Machine, Message, Move, PlayerId, Refusal, Rejection, Value, encode

ANA, BO = PlayerId("ana"), PlayerId("bo")


class Phase(StrEnum):
    BETTING = "Betting"
    OVER = "Over"


class Code(StrEnum):
    TOO_HIGH = "TooHigh"


class Suit(StrEnum):
    HEARTS = "H"
    SPADES = "S"


class Table(Value, frozen=True):
    phase: Phase
    pot: float
    stakes: ByPlayer[int]


class Bet(Move, frozen=True):
    """Coins on the suits of one's choice."""

    amount: Annotated[int, Meta(ge=1, le=10)]
    suits: tuple[Suit, ...]
    note: str | None = None


class Odds(Event, frozen=True):
    value: float


class Raised(Message, frozen=True):
    amount: int


def declare() -> Machine[Table]:
    machine = Machine("bets", Phase, start=Phase.BETTING, ends=(Phase.OVER,), state=Table, messages=Raised, codes=Code)

    @machine.on(Phase.BETTING, Bet, to=Phase.OVER)
    def bet(state: Table, event: Bet) -> Table:
        raise AssertionError("these bets are only read")

    machine.on(Phase.BETTING, Odds, to=Phase.OVER)(lambda state, event: state)
    return machine


bets = declare()
BET = b'{"type":"Bet","player":"ana","amount":3,"suits":["H","S"],"note":null}'
TABLE = b'{"phase":"Betting","pot":1.5,"stakes":{"ana":1,"bo":2}}'


def test_an_event_is_read_from_bytes_or_text() -> None:
    bet = Bet(ANA, 3, (Suit.HEARTS, Suit.SPADES))
    assert bets.read_event(BET) == bets.read_event(BET.decode()) == bet
    assert encode(bet) == BET


def test_the_order_of_fields_and_the_space_between_them_do_not_matter() -> None:
    written = '\n{ "suits": ["H"],\t"amount": 3, "player": "ana", "type": "Bet" }\r\n'
    assert bets.read_event(written) == Bet(ANA, 3, (Suit.HEARTS,))


MALFORMED: dict[str, tuple[bytes | str, str]] = {
    "nothing at all": (b"", "truncated"),
    "only space": (b"  ", "truncated"),
    "text, not JSON": (b"bet 3", "malformed"),
    "half an event": (BET[:40], "truncated"),
    "an event and a half": (BET + BET[:10], "trailing characters"),
    "no object": (b'["Bet"]', "Expected `object`, got `array`"),
    "null": (b"null", "Expected `object`, got `null`"),
    "without a type": (b'{"value":1}', "missing required field `type`"),
    "unknown type": (b'{"type":"Fold"}', "Invalid value 'Fold' - at `$.type`"),
    "type of the wrong type": (b'{"type":7}', "Expected `str` - at `$.type`"),
    "a message is no event": (b'{"type":"Raised","amount":1}', "Invalid value 'Raised' - at `$.type`"),
    "a field missing": (b'{"type":"Bet","player":"ana","amount":3}', "missing required field `suits`"),
    "a field unknown": (BET.replace(b'"note"', b'"hint"'), "unknown field `hint`"),
    "a field unknown, deep": (b'{"type":"Odds","x":' + b"[" * 100_000, "unknown field `x`"),
    "wrong type": (BET.replace(b"3", b'"3"'), "Expected `int`, got `str` - at `$.amount`"),
    "no integer": (BET.replace(b"3", b"3.5"), "Expected `int`, got `float` - at `$.amount`"),
    "a truth is no number": (BET.replace(b"3", b"true"), "Expected `int`, got `bool` - at `$.amount`"),
    "too small": (BET.replace(b"3", b"0"), ">= 1 - at `$.amount`"),
    "too large": (BET.replace(b"3", b"11"), "<= 10 - at `$.amount`"),
    "larger than any number": (BET.replace(b"3", b"9" * 5_000), "out of range - at `$.amount`"),
    "larger than any float": (b'{"type":"Odds","value":1e999}', "out of range - at `$.value`"),
    "not a number": (b'{"type":"Odds","value":NaN}', "malformed"),
    "infinite": (b'{"type":"Odds","value":-Infinity}', "malformed"),
    "no such card": (BET.replace(b'"S"', b'"D"'), "Invalid enum value 'D' - at `$.suits[1]`"),
    "empty id": (BET.replace(b"ana", b""), "length >= 1 - at `$.player`"),
    "long id": (BET.replace(b"ana", b"a" * 65), "length <= 64 - at `$.player`"),
    "100,000 brackets": (b"[" * 100_000, "Expected `object`, got `array`"),
    "100,000 brackets for a type": (b'{"type":' + b"[" * 100_000, "nested too deeply"),
    "100,000 brackets for a text": (BET.replace(b"null", b"[" * 100_000), "Expected `str | null`, got `array`"),
    "100,000 objects for a type": (b'{"type":' * 100_000, "nested too deeply"),
    "no UTF-8 at all": (b"\xff\xfe", "malformed"),
    "no UTF-8 in a text": (BET.replace(b"ana", b"an\xff"), "can't decode byte 0xff"),
    "no UTF-8 in a type": (BET.replace(b"Bet", b"B\x80t"), "can't decode byte 0x80"),
    "no UTF-8 in a name": (BET.replace(b"note", b"n\xc3"), "can't decode byte 0xc3"),
    "UTF-16": (BET.decode().encode("utf-16"), "malformed"),
    "a byte order mark": (b"\xef\xbb\xbf" + BET, "malformed"),
    "the first half of a character": (BET.replace(b"ana", b"\\ud83d"), "surrogate"),
    "the second half of a character": (BET.replace(b"ana", b"\\ude00"), "surrogate"),
    "half a character in a name": (BET.replace(b"note", b"\\ud800"), "surrogate"),
    "a line break in a text": (BET.replace(b"ana", b"a\na"), "malformed"),
}


@pytest.mark.parametrize(("written", "why"), MALFORMED.values(), ids=MALFORMED.keys())
def test_what_is_no_event_is_refused_and_the_sentence_says_why_and_where(written: bytes | str, why: str) -> None:
    answer = bets.read_event(written)
    assert isinstance(answer, Rejection)
    assert answer.code == Refusal.INVALID_EVENT
    assert answer.sentence.startswith("Invalid event for bets: ")
    assert why in answer.sentence
    assert answer.sentence.endswith(".")
    assert encode(answer), "the answer can be sent"


def test_text_with_half_a_character_is_refused_too() -> None:
    answer = bets.read_event(BET.decode().replace("ana", "\ud83d"))
    assert isinstance(answer, Rejection)


def test_a_character_in_two_halves_is_one_character() -> None:
    event = bets.read_event(BET.replace(b"ana", b"\\ud83d\\ude00"))
    assert isinstance(event, Bet)
    assert event.player == "\N{GRINNING FACE}"


# States


def test_a_state_is_read_back_as_it_was_written() -> None:
    table = Table(Phase.BETTING, 1.5, ByPlayer({ANA: 1, BO: 2}))
    assert encode(table) == TABLE
    assert bets.read_state(TABLE) == bets.read_state(TABLE.decode()) == table


BROKEN: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "truncated"),
    "unknown phase": (TABLE.replace(b"Betting", b"Lunch"), "Invalid enum value 'Lunch' - at `$.phase`"),
    "unknown field": (TABLE.replace(b'"pot"', b'"pott"'), "unknown field `pott`"),
    "no map": (TABLE.replace(b'{"ana":1,"bo":2}', b"3"), "Expected `object`, got `int` - at `$.stakes`"),
    "wrong type in a map": (TABLE.replace(b":2", b":null"), "Expected `int`, got `null`"),
    "too deep in a map": (TABLE.replace(b":2", b":" + b"[" * 100_000), "nested too deeply"),
}


@pytest.mark.parametrize(("written", "why"), BROKEN.values(), ids=BROKEN.keys())
def test_what_is_no_state_is_refused_and_the_sentence_says_why_and_where(written: bytes, why: str) -> None:
    answer = bets.read_state(written)
    assert isinstance(answer, Rejection)
    assert answer.code == Refusal.INVALID_STATE
    assert answer.sentence.startswith("Invalid state of bets: ")
    assert why in answer.sentence


# Schema


def test_the_schema_lists_every_event_and_every_message() -> None:
    described = bets.schema()
    assert sorted(described) == ["events", "messages"]
    assert sorted(described["events"]["$defs"]) == ["Bet", "Odds", "Suit"]
    assert sorted(described["messages"]["$defs"]) == ["Raised"]
