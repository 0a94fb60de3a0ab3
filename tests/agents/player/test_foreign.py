"""A player of ours among those who leave things out: what is known need not be said, what only informs not at all."""

from pathlib import Path
from typing import Any

import pytest

from tests.agents.agents_in_process import run
from tests.agents.player.stage import Stage, stage
from tests.agents.wire.wired import post
from tests.agents.wire.zoo import Body
from turnstile.agents.wire.lenient import read_message
from turnstile.agents.wire.rpc import Fault
from turnstile.kernel.values import PlayerId
from turnstile.league.player.state import Phase
from turnstile.league.protocol.management import RefereeRegisterRequest
from turnstile.league.protocol.messages import (
    ChooseParityCall,
    GameMoveCall,
    LeagueCompleted,
    LeagueStandingsUpdate,
    RoundAnnouncement,
)
from turnstile.league.protocol.values import PlayerStandings

INVITATION = {
    "league_id": "foreign",
    "round_id": 1,
    "match_id": "R1M1",
    "role_in_match": "PLAYER_A",
    "opponent_id": "P02",
}
CALL = {"match_id": "R1M1", "player_id": "P01", "context": {"opponent_id": "P02", "round_id": 1}}
ERROR = {"match_id": "R1M1", "error_code": "E001", "error_name": "TIMEOUT_ERROR", "affected_player": "P01"}
RESULT = {"status": "DRAW", "winner_player_id": None, "drawn_number": 2, "number_parity": "even"}
OVER = {"match_id": "R1M1", "game_result": {**RESULT, "choices": {"P01": "even", "P02": "even"}}}
MATCH = (
    ("GAME_INVITATION", INVITATION, "GAME_JOIN_ACK"),
    ("GAME_INVITATION", INVITATION, "GAME_JOIN_ACK"),
    ("CHOOSE_PARITY_CALL", CALL, "CHOOSE_PARITY_RESPONSE"),
    ("GAME_ERROR", ERROR, "GAME_ERROR_ACK"),
    ("GAME_OVER", OVER, "GAME_OVER_ACK"),
    ("GAME_OVER", OVER, "GAME_OVER_ACK"),
)


async def say(on: Stage, message_type: str, **fields: Any) -> Body:
    """Say it with no envelope at all."""
    body = {"jsonrpc": "2.0", "id": 7, "method": message_type.lower(), "params": fields}
    said: Body = (await post(on.player.port, body)).json
    answer: Body = said.get("result") or said["error"]
    return answer


def test_who_does_not_say_its_name_is_the_referee_of_the_match(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter()
            await on.announce()
            for kind, fields, answer in MATCH:
                assert (await say(on, kind, **fields))["message_type"] == answer, kind
            assert on.state.match.referee == "referee:REF01"
            assert on.state.history[-1].result is not None

    run(play())


@pytest.mark.parametrize(
    ("code", "name"), [("E009", "CONNECTION_ERROR"), ("E003", "MISSING_REQUIRED_FIELD"), ("E010", "?")]
)
def test_an_error_that_a_player_does_not_know_is_acknowledged_and_changes_nothing(
    tmp_path: Path, code: str, name: str
) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter()
            await on.announce()
            await say(on, "GAME_INVITATION", **INVITATION)
            before = on.state
            told = await say(on, "GAME_ERROR", **{**ERROR, "error_code": code, "error_name": name})
            assert (told["message_type"], on.state) == ("GAME_ERROR_ACK", before)
            assert f"error_code={code}, error_name={name}" in on.here.journal.getvalue()

    run(play())


def test_who_says_another_name_is_still_refused(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter()
            await on.announce()
            for kind, fields, answer in MATCH[:5]:
                refused = await on.say(kind, "referee:REF02", **fields)
                assert refused["code"] == 4005, kind
                assert (await say(on, kind, **fields))["message_type"] == answer, kind

    run(play())


def test_a_match_is_played_though_nobody_was_announced_and_nobody_says_its_name(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter(accepts_unannounced=True)
            for kind, fields, answer in MATCH:
                assert (await say(on, kind, **fields))["message_type"] == answer, kind

    run(play())


@pytest.mark.parametrize(
    "call",
    [
        {},
        {"context": None},
        {"context": {"opponent_id": "P02"}},
        {"context": {"round_id": "1", "your_standings": None, "commitment": 7}},
        {"player_id": "P01", "context": {"opponent_id": 2, "round_id": 1, "your_standings": {"wins": "many"}}},
    ],
)
def test_a_call_need_only_name_the_match(tmp_path: Path, call: Body) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter(strategy="always:odd")
            await on.announce()
            await on.invite()
            answer = await say(on, "CHOOSE_PARITY_CALL", match_id="R1M1", **call)
            assert (answer["parity_choice"], answer["player_id"]) == ("odd", "P01")

    run(play())


def test_a_call_for_another_player_is_refused(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter()
            await on.announce()
            await on.invite()
            assert (await say(on, "CHOOSE_PARITY_CALL", match_id="R1M1", player_id="P02"))["code"] == 4002

    run(play())


def test_the_league_is_over_when_it_is_said_so_and_nothing_else(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter()
            told = await say(on, "LEAGUE_STANDINGS_UPDATE", league_id="foreign", round_id=1, standings=[{"rank": 1}])
            assert told["message_type"] == "STANDINGS_UPDATE_ACK"
            assert (await say(on, "LEAGUE_COMPLETED", league_id="foreign"))["message_type"] == "LEAGUE_COMPLETED_ACK"
            await on.player.ended()
            assert on.state.phase is Phase.LEAGUE_COMPLETE

    run(play())


ENORMOUS = 10**4300 - 1
"""The largest number that is still read; one more can no longer be written."""
QUESTION = {
    "match_id": "R1M1",
    "player_id": "P01",
    "game_type": "e-card",
    "move_request": {"move_type": "any", "valid_options": [1, 2], "context": {"view": {}}},
}


@pytest.mark.parametrize("place", ["move_number", "round_id"])
def test_A16_a_number_that_no_league_has_is_refused_and_the_player_lives_on(tmp_path: Path, place: str) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter()
            await on.announce()
            await say(on, "GAME_INVITATION", **INVITATION)
            refused = await say(on, "GAME_MOVE_CALL", **{**QUESTION, place: ENORMOUS})
            assert refused.get("code") == -32602
            assert place in str(refused["data"]["fields"])
            for number in (1, 2):
                request = {"move_type": "any", "valid_options": [number], "context": {"view": {}}}
                told = await say(on, "GAME_MOVE_CALL", **{**QUESTION, "move_request": request})
                assert (told["move_number"], told["move_data"]["choice"]) == (number, number)

    run(play())


# what is made of it


def test_rows_of_a_table_need_only_name_their_players() -> None:
    rows = [{"player_id": "P02", "points": "4"}, {"player_id": "P01", "wins": None, "losses": "?"}, {"rank": 3}, "P04"]
    told = read_message(LeagueStandingsUpdate, {"league_id": "l", "round_id": 1, "standings": rows})
    assert isinstance(told, LeagueStandingsUpdate)
    assert [(row.rank, row.player_id, row.points, row.wins, row.losses) for row in told.standings] == [
        (1, "P02", 4, None, None),
        (2, "P01", None, None, None),
    ]


@pytest.mark.parametrize(
    ("fields", "champion"),
    [
        ({}, ("", 0)),
        ({"final_standings": [{"player_id": "P07", "points": 9}]}, ("P07", 9)),
        ({"champion": {"player_id": "P05"}, "total_rounds": 3}, ("P05", 0)),
        ({"champion": "P05", "final_standings": None}, ("", 0)),
    ],
)
def test_a_champion_need_not_be_named(fields: Body, champion: tuple[str, int]) -> None:
    told = read_message(LeagueCompleted, {"league_id": "l", **fields})
    assert isinstance(told, LeagueCompleted)
    assert (told.champion.player_id, told.champion.points) == champion


def test_an_entry_that_cannot_be_read_costs_no_other_its_match() -> None:
    good = {"match_id": "R1M2", "player_A_id": "P01", "player_B_id": "P02", "referee_id": "REF01", "game_type": None}
    bad: list[Any] = [7, {"match_id": "R1M1"}, {**good, "match_id": 7}]
    told = read_message(RoundAnnouncement, {"league_id": "l", "round_id": 1, "matches": [*bad, good]})
    assert isinstance(told, RoundAnnouncement)
    assert [(match.match_id, match.referee_id, match.referee_endpoint) for match in told.matches] == [
        ("R1M2", "REF01", "")
    ]
    for matches in (bad, {"R1M1": good}):
        unread = read_message(RoundAnnouncement, {"league_id": "l", "round_id": 1, "matches": matches})
        assert isinstance(unread, Fault)
        assert str(unread.data).startswith("{'fields': ['matches")


def test_the_round_of_a_call_is_that_of_its_match() -> None:
    told = read_message(ChooseParityCall, {"match_id": "R12M3", "context": {"your_standings": {"wins": 2}}})
    assert isinstance(told, ChooseParityCall)
    assert (told.context.round_id, told.context.your_standings) == (12, PlayerStandings(wins=2))
    request = {"move_type": "any", "valid_options": [1, 2], "context": {"view": {}}}
    move = read_message(GameMoveCall, {"match_id": "x", "game_type": "e-card", "move_request": request, "round_id": 4})
    assert isinstance(move, GameMoveCall)
    assert (move.move_request.context.round_id, move.player_id) == (4, PlayerId(""))


def test_what_is_missing_within_a_part_is_named_with_its_place() -> None:
    told = read_message(RefereeRegisterRequest, {"referee_meta": {"display_name": "Whistle"}})
    assert isinstance(told, Fault)
    assert told.data == {"fields": ["referee_meta.contact_endpoint"]}
