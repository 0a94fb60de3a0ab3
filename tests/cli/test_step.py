"""`turnstile step` answers every line, whatever is on it."""

import json
import random
import re
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs

from tests.cli.conftest import Turnstile
from turnstile.cli.step import answer
from turnstile.games import ecard
from turnstile.kernel import PlayerId, Refusal, Rejection, Seed, Study, encode
from turnstile.kernel.inspect import inspectable_of
from turnstile.registry import names

FIRST = {
    "66": {"type": "StartGame", "player": "ana"},
    "e-card": {"type": "Pick", "player": "ana", "card": "C"},
    "even-odd": {"type": "CHOOSE_PARITY_RESPONSE", "player": "ana", "parityChoice": "odd"},
    "up-down": {"type": "START_GAME", "player": "ana"},
}
START = '{"state":null,"players":["ana","bo"],"event":{"type":"Start","seed":"7"}}'


def answers(turnstile: Turnstile, *lines: str | bytes) -> list[dict[str, object]]:
    given = b"".join((line.encode() if isinstance(line, str) else line) + b"\n" for line in lines)
    ran = turnstile("step", "e-card", given=given)
    assert ran.status == 0
    assert ran.err == ""
    return [json.loads(line) for line in ran.out.splitlines()]


def code(answer: dict[str, object]) -> object:
    error = answer["error"]
    assert isinstance(error, dict)
    assert isinstance(error["message"], str)
    return error["code"]


def test_a_new_match_starts(turnstile: Turnstile) -> None:
    (answer,) = answers(turnstile, START)
    assert list(answer) == ["state", "trace", "effects"]
    state = answer["state"]
    assert isinstance(state, dict)
    assert state["phase"] == "RoundSetup"
    assert answer["trace"] == [{"from": "Lobby", "to": "RoundSetup", "cause": "Start", "label": ""}]


def test_an_answer_is_the_next_question(turnstile: Turnstile) -> None:
    (first,) = answers(turnstile, START)
    (second,) = answers(turnstile, json.dumps({"state": first["state"], "event": {"type": "BeginPicking"}}))
    pick = {"type": "Pick", "player": "ana", "card": "C"}
    (third,) = answers(turnstile, json.dumps({"state": second["state"], "event": pick}))
    state = third["state"]
    assert isinstance(state, dict)
    assert state["pendingPicks"] == {"ana": "C", "bo": None}


def test_a_line_that_is_malformed_is_answered_with_an_error_and_the_next_one_is_read(turnstile: Turnstile) -> None:
    bad: list[str | bytes] = [
        "",
        "nonsense",
        "[]",
        "null",
        "{}",
        '{"event":{"type":"Start"}}',
        '{"event":{"type":"Fly"},"players":["ana","bo"]}',
        '{"event":{"type":"Start","seed":7},"players":["ana","bo"]}',
        '{"event":{"type":"Start","seed":""},"players":["ana","bo"]}',
        '{"event":{"type":"Start","seed":"7"},"player":"ana"}',
        b'{"event":"\xff\xfe"}',
        "[" * 100_000,
        "9" * 5_000,
        "x" * ((1 << 20) + 5),
    ]
    *refused, good = answers(turnstile, *bad, START)
    assert [code(answer) for answer in refused] == ["InvalidEvent"] * len(bad)
    assert "state" in good


def test_the_event_is_looked_at_before_the_state_and_the_phase_before_the_player(turnstile: Turnstile) -> None:
    pick = '{"type":"Pick","player":"nobody","card":"C"}'
    found = answers(
        turnstile,
        '{"state":{"phase":"Nowhere"},"event":{"type":"Fly"}}',
        f'{{"state":{{"phase":"Nowhere"}},"event":{pick}}}',
        f'{{"state":null,"players":["ana"],"event":{pick}}}',
        f'{{"state":null,"players":["ana","ana"],"event":{pick}}}',
        f'{{"state":null,"players":["ana",""],"event":{pick}}}',
        f'{{"state":null,"players":["ana","bo"],"options":{{"x":1}},"event":{pick}}}',
        f'{{"state":null,"players":["ana","bo"],"event":{pick}}}',
    )
    assert [code(answer) for answer in found] == [
        "InvalidEvent",
        "InvalidState",
        "InvalidPlayers",
        "InvalidPlayers",
        "InvalidPlayers",
        "InvalidOptions",
        "WrongPhase",
    ]


def test_a_state_that_contradicts_itself_is_refused(turnstile: Turnstile) -> None:
    (first,) = answers(turnstile, START)
    state = first["state"]
    assert isinstance(state, dict)
    lies: list[dict[str, object]] = [
        {"players": ["ana", "cy"]},
        {"hands": {}},
        {"hands": {"ana": ["E", "E", "C", "C", "C"], "bo": ["S", "C", "C", "C", "C"]}},
        {"roles": None},
        {"roles": {"emperorPlayer": "bo", "slavePlayer": "ana"}},
        {"score": {"ana": 1, "bo": 0}},
        {"pendingPicks": {"ana": "C", "bo": "C"}},
        {"seed": None},
        {"phase": "Reveal"},
        {"phase": "Finished"},
        {"phase": "Lobby"},
        {"decisiveRoundIndex": 3},
        {"revealed": [{"round": 1, "emperorPlayer": "ana", "cards": {"zoe": "C"}, "winner": None}]},
    ]
    begin = {"type": "BeginPicking"}
    found = answers(turnstile, *(json.dumps({"state": {**state, **lie}, "event": begin}) for lie in lies))
    assert [code(answer) for answer in found] == ["InvalidState"] * len(lies)


def test_no_garbled_question_brings_it_down(turnstile: Turnstile) -> None:
    chance = random.Random(20261115)
    (first,) = answers(turnstile, START)
    question = json.dumps({"state": first["state"], "event": {"type": "BeginPicking"}}).encode()
    garbled = []
    for _ in range(2_000):
        line = bytearray(question)
        for _ in range(chance.randint(1, 3)):
            line[chance.randrange(len(line))] = chance.choice(b'0129aEC{}[]",:-.eux ')
        garbled.append(bytes(line))
    found = answers(turnstile, *garbled)
    assert len(found) == len(garbled)
    assert all("error" in answer or "state" in answer for answer in found)


def test_a_game_that_nobody_has_studied_is_not_brought_down_by_a_bad_state(capsys: pytest.CaptureFixture[str]) -> None:
    machine = copy(ecard.ecard)
    machine.name = "unstudied"
    unstudied = replace(ecard.game, machine=machine)
    state = ecard.new((PlayerId("ana"), PlayerId("bo")), ecard.Options(), None)
    line = encode({"state": {**json.loads(encode(state)), "players": ["zoe"]}, "event": ecard.Start(Seed("7"))})
    error = json.loads(answer(inspectable_of(unstudied, Study()), line))["error"]
    assert error["code"] == Refusal.INVALID_STATE
    assert error["message"].startswith("unstudied cannot go on from this state: IndexError: ")
    said = capsys.readouterr().err
    assert re.search(r"^unstudied failed at .+\.py:\d+: IndexError: ", said)
    assert "Traceback" not in said


def test_an_answer_that_cannot_be_written_is_a_bug_like_any_other(capsys: pytest.CaptureFixture[str]) -> None:
    def unwritable(players: object, options: object, seed: object) -> ecard.State:
        started = ecard.new((PlayerId("ana"), PlayerId("bo")), ecard.Options(), None)
        assert isinstance(started, ecard.State)
        return structs.replace(started, players=(object(),))

    line = encode({"players": ["ana", "bo"], "seed": "7", "event": ecard.Start(Seed("7"))})
    error = json.loads(answer(inspectable_of(replace(ecard.game, new=unwritable), Study()), line))["error"]
    assert error["code"] == "MachineFailed"
    assert "e-card failed at" in capsys.readouterr().err


@pytest.mark.parametrize("name", names())
def test_without_a_seed_every_game_is_opened_or_says_that_it_needs_one(turnstile: Turnstile, name: str) -> None:
    ran = turnstile("step", name, given=encode({"players": ["ana", "bo"], "event": FIRST[name]}))
    assert (ran.status, ran.err) == (0, "")
    said = json.loads(ran.out)
    assert code(said) == ("InvalidSeed" if name in ("66", "up-down") else "WrongPhase"), said


def test_a_game_that_breaks_down_without_a_seed_is_answered_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    def careless(players: Sequence[PlayerId], options: ecard.Options, seed: Any) -> ecard.State | Rejection:
        return ecard.new(players, options, Seed(seed.upper()))

    line = encode({"players": ["ana", "bo"], "event": ecard.Start(Seed("7"))})
    error = json.loads(answer(inspectable_of(replace(ecard.game, new=careless), Study()), line))["error"]
    assert error["code"] == Refusal.INVALID_SEED
    assert error["message"].startswith("e-card cannot open this match without a seed: AttributeError: ")
    assert re.search(r"^e-card failed at .+test_step\.py:\d+: AttributeError: ", capsys.readouterr().err)


def test_a_game_that_breaks_down_with_a_seed_is_answered_in_a_sentence_too(capsys: pytest.CaptureFixture[str]) -> None:
    def broken(players: Sequence[PlayerId], options: ecard.Options, seed: Seed | None) -> ecard.State | Rejection:
        raise ZeroDivisionError("a bug")

    line = encode({"players": ["ana", "bo"], "seed": "7", "event": ecard.Start(Seed("7"))})
    error = json.loads(answer(inspectable_of(replace(ecard.game, new=broken), Study()), line))["error"]
    assert error == {"code": "MachineFailed", "message": "e-card cannot open this match: ZeroDivisionError: a bug."}
    assert re.search(r"^e-card failed at .+test_step\.py:\d+: ZeroDivisionError: a bug$", capsys.readouterr().err)


def test_an_unknown_event_is_told_which_there_are(turnstile: Turnstile) -> None:
    (answer,) = answers(turnstile, '{"players":["ana","bo"],"event":{"type":"Fly"}}')
    assert "Its events: Start, BeginPicking, Pick, Reset." in str(answer["error"])
