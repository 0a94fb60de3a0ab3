"""Effects are values: they say what a host is to do, and a timer that could never run is refused when it is made."""

from math import inf, nan

import pytest

from turnstile.kernel import (
    Arm,
    ByPlayer,
    Disarm,
    Event,
    Malformed,
    Message,
    PlayerId,
    Send,
    Tell,
    Timeout,
    decode,
    encode,
)
from turnstile.kernel.effects import LONGEST_TIMER

ANA, BO = PlayerId("ana"), PlayerId("bo")


class Hello(Message, frozen=True):
    to: str


class Lost(Event, frozen=True):
    pass


class Waited(Timeout, frozen=True):
    pass


def test_tell_all_is_one_batch_with_the_same_message_for_everyone() -> None:
    assert Tell.all([BO, ANA], Hello("all")) == Tell((ByPlayer({ANA: Hello("all"), BO: Hello("all")}),))
    assert list(Tell.all([BO, ANA], Hello("all")).batches[0]) == [BO, ANA]


def test_a_tell_may_have_several_batches_in_order() -> None:
    told = Tell((ByPlayer({ANA: Hello("ana")}), ByPlayer({BO: Hello("bo")})))
    assert encode(told) == (
        b'{"type":"Tell","batches":[{"ana":{"type":"Hello","to":"ana"}},{"bo":{"type":"Hello","to":"bo"}}]}'
    )


def test_effects_are_tagged_by_their_type() -> None:
    assert encode(Send("referee", Hello("you"))) == (
        b'{"type":"Send","to":"referee","message":{"type":"Hello","to":"you"}}'
    )
    assert encode(Send("referee", Hello("you"), on_failure=Lost())) == (
        b'{"type":"Send","to":"referee","message":{"type":"Hello","to":"you"},"onFailure":{"type":"Lost"}}'
    )
    assert encode(Arm("turn", 1.5, Waited())) == (
        b'{"type":"Arm","timer":"turn","seconds":1.5,"event":{"type":"Waited"}}'
    )
    assert encode(Disarm("turn")) == b'{"type":"Disarm","timer":"turn"}'


def test_effects_never_change_and_can_be_compared() -> None:
    armed = Arm("turn", 30, Waited())
    with pytest.raises(AttributeError, match="immutable"):
        armed.seconds = 60  # type: ignore[misc]
    assert {armed, Arm("turn", 30, Waited())} == {armed}


@pytest.mark.parametrize("seconds", [0.001, 1, LONGEST_TIMER])
def test_a_timer_runs_for_some_time_and_a_year_at_most(seconds: float) -> None:
    assert Arm("turn", seconds, Waited()).seconds == seconds
    assert LONGEST_TIMER == 31_622_400  # a leap year


@pytest.mark.parametrize("seconds", [0, -0.0, -1, LONGEST_TIMER + 1, inf, -inf, nan])
def test_a_timer_cannot_run_for_no_time_or_for_ever(seconds: float) -> None:
    with pytest.raises(ValueError, match="The timer 'turn' cannot run for"):
        Arm("turn", seconds, Waited())


@pytest.mark.parametrize("seconds", [b"0", b"-1", b"1e300", b"1e999", b'"1"', b"null"])
def test_a_timer_that_is_read_is_held_to_the_same(seconds: bytes) -> None:
    with pytest.raises(Malformed):
        decode(b'{"type":"Arm","timer":"turn","seconds":%s,"event":{"type":"Timeout"}}' % seconds, Arm)
