"""Every code with which a table turns something down, provoked once."""

from collections.abc import Callable

import pytest

from tests.table.tables import (
    MOVES,
    opened,
    play,
    raw_act,
    refused,
    seated,
    started,
    starting,
)
from tests.table.test_seating import header
from turnstile.games.ecard import BeginPicking
from turnstile.kernel import Rejection
from turnstile.table.machine import open_table as opened_state
from turnstile.table.machine import table
from turnstile.table.values import Code, Ring

STARTED = started(clock="60 per move, then wait")
TIMER = STARTED.state.timers[0]

PROVOKED: dict[Code, Callable[[], object]] = {
    Code.UNKNOWN_GAME: lambda: opened_state(header(game="chess")),
    Code.OTHER_VERSION: lambda: opened_state(header(game_version=99)),
    Code.NOT_ADMIN: lambda: refused(seated(), "bo starts"),
    Code.TABLE_FULL: lambda: refused(seated(), "cy joins"),
    Code.ALREADY_SEATED: lambda: refused(seated(), "bo joins"),
    Code.NOT_SEATED: lambda: refused(opened(), "bo leaves"),
    Code.NOT_YOUR_SEAT: lambda: refused(STARTED, raw_act(STARTED, "ana", MOVES["e-card"]("bo C"))),
    Code.NOT_A_MOVE: lambda: refused(STARTED, raw_act(STARTED, "ana", BeginPicking())),
    Code.STALE_VERSION: lambda: refused(STARTED, "ana C!1"),
    Code.FUTURE_VERSION: lambda: refused(STARTED, "ana C!99"),
    Code.ACKS_MISSING: lambda: refused(play(starting(), "acks"), "ana C"),
    Code.FUTURE_ACK: lambda: refused(starting(), "acks ana 99"),
    Code.STALE_TIMER: lambda: refused(STARTED, Ring(TIMER.due, "nobody's", TIMER.due)),
    Code.TOO_EARLY: lambda: refused(STARTED, Ring(STARTED.clock, TIMER.name, TIMER.due)),
    Code.WORDS_GIVEN: lambda: refused(play(starting(), "bo says luck"), "bo says more"),
    Code.ALREADY_AGREED: lambda: refused(play(STARTED, "ana resigns", "bo rematches"), "bo rematches"),
    Code.ALREADY_HERE: lambda: refused(STARTED, "ana returns"),
}


@pytest.mark.parametrize("code", Code)
def test_every_code_can_be_provoked_and_comes_with_a_sentence(code: Code) -> None:
    answer = PROVOKED[code]()
    assert isinstance(answer, Rejection)
    assert answer.code == code
    assert answer.sentence.endswith(".")


def test_every_row_has_a_rule_that_a_person_can_read() -> None:
    assert [row.place for row in table.rows if not row.rule.endswith(".")] == []
