"""What a door understands: shapes, names, ids and envelopes in which messages come; and what it says to the rest."""

import json
from typing import Any

import pytest

from tests.agents.wire.wired import CHOICE, FIELDS, INVITATION, PLAYER, Player, joined, request, said, without
from turnstile.agents.wire.methods import MESSAGE_TYPES, METHODS
from turnstile.agents.wire.remarks import Remarks, remark_context

# shapes


def test_a_request_is_answered_with_a_whole_message() -> None:
    answer = said(request())
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json.keys() == {"jsonrpc", "result", "id"}
    result = answer.json["result"]
    assert (result["sender"], result["conversation_id"]) == (PLAYER, "conv-r2m1")
    assert (result["protocol"], result["auth_token"]) == ("league.v2", Player().who.token_for(None))
    assert joined(result)


def test_a_wrapped_message_is_answered_wrapped_and_flat() -> None:
    result = said(request({"message": FIELDS}, "handle_message")).json["result"]
    assert joined(result)
    assert joined(result["message"])


def test_an_envelope_with_a_payload_is_answered_by_one() -> None:
    envelope = {name: FIELDS[name] for name in ("protocol", "message_type", "sender", "timestamp", "conversation_id")}
    wrapped = {"envelope": envelope, "payload": without(*envelope)}
    result = said(request(wrapped, "mcp_message")).json["result"]
    assert result["envelope"]["message_type"] == "GAME_JOIN_ACK"
    assert result["payload"]["accept"] is True
    assert joined(result)


@pytest.mark.parametrize("arguments", [FIELDS, {"message": FIELDS}], ids=["flat", "wrapped"])
def test_a_tool_call_is_answered_with_a_text(arguments: Any) -> None:
    call = {"name": "handle_game_invitation", "arguments": arguments}
    result = said(request(call, "tools/call")).json["result"]
    assert result["isError"] is False
    assert joined(json.loads(result["content"][0]["text"]))
    assert joined(result["structuredContent"])


def test_a_bare_message_is_answered_by_a_bare_one() -> None:
    answer = said(FIELDS).json
    assert "jsonrpc" not in answer
    assert joined(answer)


def test_a_bare_message_with_its_fields_in_data_is_answered_by_one() -> None:
    envelope = {name: FIELDS[name] for name in ("protocol", "message_type", "sender", "timestamp", "conversation_id")}
    answer = said({**envelope, "data": without(*envelope)}).json
    assert joined(answer)
    assert answer["data"]["accept"] is True


def test_a_message_as_the_only_positional_parameter_is_read() -> None:
    assert joined(said(request([FIELDS])).json["result"])


def test_an_error_is_told_to_who_speaks_no_json_rpc_as_a_bare_message() -> None:
    answer = said(without("league_id", "round_id")).json
    assert (answer["message_type"], answer["error_code"]) == ("LEAGUE_ERROR", "-32602")
    assert answer["context"] == {"fields": "league_id, round_id"}


def test_another_protocol_is_told_to_who_speaks_no_json_rpc_as_a_bare_message() -> None:
    answer = said({**FIELDS, "protocol": "league.v1"}).json
    assert (answer["message_type"], answer["error_code"]) == ("LEAGUE_ERROR", "E018")


# names


@pytest.mark.parametrize(
    "method", ["handle_message", "mcp_message", "protocol/message", "league.handle", "anything", "CHOOSE_PARITY_CALL"]
)
def test_the_message_type_decides(method: str) -> None:
    assert joined(said(request(FIELDS, method)).json["result"])


@pytest.mark.parametrize(
    "method", ["GAME_INVITATION", "game_invitation", "handle_game_invitation", *METHODS["GAME_INVITATION"][1:]]
)
@pytest.mark.parametrize(
    "named", [{}, {"message_type": "SOMETHING"}, {"message_type": 7}], ids=["none", "unknown", "number"]
)
def test_without_a_known_type_the_method_decides(method: str, named: dict[str, Any]) -> None:
    assert joined(said(request({**without("message_type"), **named}, method)).json["result"])


def test_every_method_of_the_protocol_is_known() -> None:
    named = """register_referee REFEREE_REGISTER_REQUEST referee_register register_player LEAGUE_REGISTER_REQUEST
        league_register league_register_request notify_round ROUND_ANNOUNCEMENT round_announcement announce_round notify
        handle_game_invitation GAME_INVITATION game_invitation receive_game_invitation choose_parity parity_choose
        CHOOSE_PARITY_CALL choose_parity_call receive_parity_call notify_match_result GAME_OVER game_over
        notify_game_over receive_game_over notify_game_error GAME_ERROR game_error report_match_result
        MATCH_RESULT_REPORT match_result_report update_standings LEAGUE_STANDINGS_UPDATE league_standings_update
        notify_standings standings_update notify_round_completed ROUND_COMPLETED round_completed notify_league_completed
        LEAGUE_COMPLETED league_completed league_query LEAGUE_QUERY query_league handle_league_query LEAGUE_ERROR
        league_error GAME_JOIN_ACK game_join_ack receive_game_join_ack CHOOSE_PARITY_RESPONSE choose_parity_response
        receive_parity_response start_league run_match start_match START_MATCH assign_match MATCH_ASSIGNMENT"""
    assert set(named.split()) <= MESSAGE_TYPES.keys()


@pytest.mark.parametrize(
    ("fields", "method"),
    [
        ({}, "nonsense"),
        (without("message_type"), "handle_message"),
        ({"message_type": "LEAGUE_QUERY"}, "choose_parity"),
    ],
)
def test_what_is_unknown_or_not_for_this_agent_is_not_found(fields: Any, method: str) -> None:
    answer = said(request(fields, method))
    assert (answer.status, answer.json["error"]["code"], answer.json["id"]) == (200, -32601, 7)


# ids, notifications, batches


@pytest.mark.parametrize("number", [0, -1, 2**53, "abc", "", None, 1.5, True], ids=repr)
def test_any_id_is_given_back_as_it_came(number: Any) -> None:
    answer = said(request(id=number)).json
    assert answer["id"] == number
    assert type(answer["id"]) is type(number)


def test_a_notification_is_heard_and_not_answered() -> None:
    player = Player()
    asking = request()
    del asking["id"]
    answer = said(asking, player.door())
    assert (answer.status, answer.body) == (204, b"")
    assert len(player.heard) == 1


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ([request()], -32600),
        ([], -32600),
        (7, -32600),
        ("x", -32600),
        ({}, -32600),
        ({"id": 1}, -32600),
        (request(id=[1]), -32600),
        (request(id={}), -32600),
        ({**request(), "method": 5}, -32600),
        (request([1, 2]), -32602),
        (request("x"), -32602),
        (b"", -32700),
        (b"{", -32700),
        (b'{"method": "a", "method": "b", "id": 1}', -32700),
        (b'{"method": NaN}', -32700),
        (b'{"method": "\\ud800"}', -32700),
        (b'{"method": "\xff"}', -32700),
        (b"[" * 30_000 + b"]" * 30_000, -32700),
        (b'{"method": "x", "params": ' + b'{"a":' * 40 + b"1" + b"}" * 41, -32700),
        (json.dumps(request()).encode("utf-16"), -32700),
    ],
    ids=range(20),
)
def test_P13_what_is_no_request_is_refused(body: Any, code: int) -> None:
    answer = said(body)
    assert answer.status in (200, 400)
    assert answer.json["error"]["code"] == code
    assert "result" not in answer.json


# envelopes


@pytest.mark.parametrize("name", ["timestamp", "conversation_id", "sender", "protocol", "auth_token"])
@pytest.mark.parametrize("is_null", [False, True])
def test_what_is_missing_of_the_envelope_is_noted_and_not_fatal(name: str, is_null: bool) -> None:
    noted: list[str] = []
    player = Player()
    fields = {**FIELDS, name: None} if is_null else without(name)
    with remark_context(Remarks(noted.append)):
        result = said(request(fields), player.door()).json["result"]
    assert joined(result)
    assert result["conversation_id"] == player.heard[0].conversation_id
    if name in ("timestamp", "conversation_id", "sender"):
        assert [note.endswith(f"without {name}") for note in noted] == [True]
    else:
        assert noted == []


@pytest.mark.parametrize(
    "timestamp",
    ["2031-04-02T09:10:02Z", "2031-04-02T09:10:02.123456Z", "2031-04-02T09:10:02+00:00", "20310402T091002Z"],
)
def test_a_time_in_utc_is_read_in_every_form(timestamp: str) -> None:
    assert joined(said(request({**FIELDS, "timestamp": timestamp})).json["result"])


@pytest.mark.parametrize(
    "timestamp",
    ["2031-04-02T09:10:02", "2031-04-02T09:10:02+02:00", "2031-04-02T09:10:02-00:30", "yesterday", "", 1932894602],
)
def test_a_time_that_is_not_in_utc_is_E021(timestamp: Any) -> None:
    error = said(request({**FIELDS, "timestamp": timestamp})).json["error"]
    assert (error["code"], error["message"]) == (21, "INVALID_TIMESTAMP")
    assert (error["data"]["message_type"], error["data"]["error_code"]) == ("LEAGUE_ERROR", "E021")
    assert error["data"]["conversation_id"] == "conv-r2m1"
    assert error["data"]["original_message_type"] == "GAME_INVITATION"


@pytest.mark.parametrize("protocol", ["league.v1", "", 2, "League.V2"])
def test_another_protocol_is_E018(protocol: Any) -> None:
    error = said(request({**FIELDS, "protocol": protocol})).json["error"]
    assert (error["code"], error["message"]) == (18, "PROTOCOL_VERSION_MISMATCH")
    assert error["data"]["error_code"] == "E018"


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        (without("match_id"), ["match_id"]),
        (without("match_id", "round_id"), ["match_id", "round_id"]),
        ({**FIELDS, "round_id": "two"}, ["round_id"]),
        ({**FIELDS, "round_id": True}, ["round_id"]),
        ({**FIELDS, "role_in_match": "PLAYER_C"}, ["role_in_match"]),
        ({**CHOICE, "game_type": 7}, ["game_type"]),
    ],
    ids=range(6),
)
def test_missing_and_ill_typed_fields_are_named(fields: Any, names: list[str]) -> None:
    error = said(request(fields)).json["error"]
    assert error["code"] == -32602
    assert sorted(error["data"]["fields"]) == names


def test_A16_a_thousand_fields_that_nobody_knows_are_ignored() -> None:
    player = Player()
    extras = {f"x_{number}": number for number in range(1000)}
    assert joined(said(request({**extras, **FIELDS}), player.door()).json["result"])
    assert player.heard[0].message == INVITATION
