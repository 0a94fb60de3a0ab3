"""Tables opened and read from outside: by players' names and options, and from bytes."""

import json
from typing import Any

import pytest

from tests.table.tables import ANA, BO, play, started, starting
from turnstile.kernel import Refusal, Rejection, Seed, encode
from turnstile.registry import find_inspectable, machine_names
from turnstile.table.inspect import inspectable, new, read
from turnstile.table.values import Code, Phase


def options(**given: object) -> bytes:
    return encode({"game": "e-card", **given})


def code(answer: object) -> str:
    assert isinstance(answer, Rejection), answer
    return answer.code


def test_a_new_table_has_these_players_seated_and_the_first_has_opened_it() -> None:
    table = new((ANA, BO), options(settings={"ackSeconds": 5}), None)
    assert not isinstance(table, Rejection)
    assert (table.phase, table.players, table.header.admin) == (Phase.SEATING, (ANA, BO), ANA)
    assert table.header.settings.ack_seconds == 5


def test_no_table_is_opened_from_nonsense() -> None:
    assert code(new((ANA,), b"{}", None)) == Refusal.INVALID_OPTIONS
    assert code(new((), options(), None)) == Refusal.INVALID_PLAYERS
    assert code(new((ANA,), options(), Seed("7"))) == Refusal.INVALID_SEED
    assert code(new((ANA,), options(game="chess"), None)) == Code.UNKNOWN_GAME
    assert code(new((ANA,), options(gameOptions={"wings": 2}), None)) == Refusal.INVALID_OPTIONS
    assert code(new((ANA, ANA), options(), None)) == Code.ALREADY_SEATED


@pytest.mark.parametrize("table", [starting(), started(), started("66"), play(started(), "ana resigns")])
def test_a_table_that_is_written_is_read_again(table: Any) -> None:
    again = read(encode(table.state))
    assert again == table.state
    assert encode(again) == encode(table.state)


@pytest.mark.parametrize(
    ("lie", "refused"),
    [
        ({"phase": "Nowhere"}, Refusal.INVALID_STATE),
        ({"header": {**json.loads(encode(started().state.header)), "game": "chess"}}, Code.UNKNOWN_GAME),
        ({"header": {**json.loads(encode(started().state.header)), "gameVersion": 99}}, Code.OTHER_VERSION),
        ({"match": {"phase": "Nowhere"}}, Refusal.INVALID_STATE),
        ({"match": {**json.loads(encode(started().match)), "score": {"ana": 5, "bo": 0}}}, Refusal.INVALID_STATE),
        ({"acked": {"ana": 99, "bo": 99}}, Refusal.INVALID_STATE),
    ],
)
def test_a_table_that_cannot_be_is_not_read(lie: dict[str, object], refused: str) -> None:
    written = {**json.loads(encode(started().state)), **lie}
    assert code(read(encode(written))) == refused


def test_the_table_is_found_by_its_name_beside_the_games() -> None:
    assert find_inspectable("table") is inspectable
    assert machine_names()[-1] == "table"
    assert find_inspectable("chess") is None
