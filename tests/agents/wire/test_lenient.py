"""What others call things: foreign spellings of messages, and the typed ones that are meant."""

from typing import Any

import pytest
from msgspec import UNSET

from tests.agents.loops import run
from tests.agents.wire import zoo
from tests.agents.wire.wired import LONG, PLAYER, REFEREE
from tests.agents.wire.zoo import living
from turnstile.agents.wire.caller import Caller
from turnstile.agents.wire.envelope import Identity
from turnstile.agents.wire.lenient import read_message
from turnstile.agents.wire.replies import Answered, Receipt, Unusable, acknowledgement, read_reply
from turnstile.agents.wire.rpc import Fault
from turnstile.kernel.values import ByPlayer, encode
from turnstile.league.protocol.management import RefereeRegisterRequest, RefereeRegisterResponse
from turnstile.league.protocol.messages import (
    GameError,
    GameInvitation,
    GameJoinAck,
    GameOver,
    LeagueCompleted,
    LeagueMessage,
    LeagueQuery,
    LeagueQueryResponse,
    LeagueRegisterRequest,
    LeagueRegisterResponse,
    LeagueStandingsUpdate,
    MatchResultAck,
    MatchResultReport,
    RoundAnnouncement,
    RoundAnnouncementAck,
    RoundCompleted,
)
from turnstile.league.protocol.values import PlayerMeta, RefereeMeta, ReportDetails, ReportedResult
from turnstile.league.protocol.words import LEAGUE_MANAGER, ErrorName, LeagueId, MatchId, Registration, Role, Status


def read(kind: type[LeagueMessage], **fields: Any) -> Any:
    found = read_message(kind, fields)
    assert not isinstance(found, Fault), found
    return found


INVITED: dict[str, Any] = {
    "league_id": "spring",
    "round_id": 2,
    "match_id": "R2M1",
    "opponent_id": "P02",
    "sender": REFEREE,
}


@pytest.mark.parametrize(
    ("told", "role"),
    [("A", Role.PLAYER_A), ("player_b", Role.PLAYER_B), (" Player_A ", Role.PLAYER_A), ("b", Role.PLAYER_B)],
)
def test_a_role_is_read_in_any_spelling(told: str, role: Role) -> None:
    assert read(GameInvitation, **INVITED, role_in_match=told).role_in_match is role


def test_a_round_that_is_a_text_is_a_number() -> None:
    assert read(GameInvitation, **{**INVITED, "round_id": "2"}, role_in_match="A").round_id == 2


def test_an_invitation_from_nobody_is_from_somebody_unknown() -> None:
    assert read(GameInvitation, **{**INVITED, "sender": None}, role_in_match="A").sender == "unknown"


# results

RESULT: dict[str, Any] = {
    "status": "WIN",
    "winner_player_id": "P05",
    "drawn_number": 7,
    "number_parity": "odd",
    "choices": {"P05": "odd", "P02": "even"},
}


def over(result: Any, **more: Any) -> Any:
    return read(GameOver, sender=REFEREE, match_id="R2M1", game_result=result, **more).game_result


def test_the_reason_of_a_result_may_stand_beside_it() -> None:
    assert over(RESULT, reason="7 is odd").reason == "7 is odd"
    assert over({**RESULT, "reason": "inside"}, reason="beside").reason == "inside"
    assert over(RESULT).reason == ""


@pytest.mark.parametrize("winner", ["DRAW", "draw", "", None, "none"])
def test_nobody_wins_a_draw_however_that_is_written(winner: Any) -> None:
    assert over({**RESULT, "status": "DRAW", "winner_player_id": winner}).winner_player_id is None
    report = {"winner": winner, "score": {"P05": 1, "P02": 1}, "details": {"drawn_number": 7, "choices": {}}}
    result = read(MatchResultReport, league_id="s", round_id=1, match_id="R1M1", result=report).result
    assert (result.winner, result.details.status) == (None, Status.DRAW)


def test_what_stands_for_nothing_is_nothing() -> None:
    lost = {
        "status": "TECHNICAL_LOSS",
        "winner_player_id": "P02",
        "drawn_number": 0,
        "number_parity": "N/A",
        "choices": {"P05": "NO_RESPONSE", "P02": "EVEN"},
    }
    result = over(lost)
    assert (result.drawn_number, result.number_parity) == (None, None)
    assert result.choices == {"P05": None, "P02": "even"}


@pytest.mark.parametrize(
    "result", [None, "P05 won", {}, {"status": "WON"}, {**RESULT, "drawn_number": "seven"}, [RESULT]]
)
def test_a_result_that_cannot_be_read_is_none_and_the_match_is_over(result: Any) -> None:
    told = over(result)
    assert told is None or told.status is Status.TECHNICAL_LOSS


@pytest.mark.parametrize(
    ("result", "status"),
    [
        ({"winner": "P05", "details": {"drawn_number": 7}}, Status.WIN),
        ({"winner": None, "details": {"drawn_number": 7}}, Status.DRAW),
        ({"winner": "P05", "details": {"drawn_number": None}}, Status.TECHNICAL_LOSS),
        ({"winner": "P05"}, Status.TECHNICAL_LOSS),
        ({"winner": None, "score": {"P05": 0, "P02": 0}}, Status.TECHNICAL_LOSS),
        ({"winner": None, "score": {"P05": 1, "P02": 1}}, Status.DRAW),
    ],
)
def test_a_report_without_a_status_is_told_from_the_rest(result: Any, status: Status) -> None:
    found = read(MatchResultReport, league_id="s", round_id=1, match_id="R1M1", result=result)
    assert found.result.details.status is status


@pytest.mark.parametrize("result", [{}, None, "P05", {"score": {"P05": 3}}])
def test_a_report_without_a_winner_is_none(result: Any) -> None:
    fields = {"league_id": "s", "round_id": 1, "match_id": "R1M1", "result": result}
    found = read_message(MatchResultReport, fields)
    assert isinstance(found, Fault)
    assert found.code == -32602


# registration


def test_who_registers_need_say_no_more_than_its_name_and_its_address() -> None:
    least = {"display_name": "Tansy", "contact_endpoint": "http://localhost:8103/mcp"}
    meta = PlayerMeta(
        display_name="Tansy",
        version="0.0.0",
        game_types=("even_odd",),
        contact_endpoint="http://localhost:8103/mcp",
    )
    assert read(LeagueRegisterRequest, player_meta=least).player_meta == meta
    assert read(LeagueRegisterRequest, **least).player_meta == meta
    other = {"display_name": "Tansy", "endpoint": "http://localhost:8103/mcp", "version": 3, "game_types": "even_odd"}
    assert read(LeagueRegisterRequest, player_meta=other).player_meta == meta
    assert read(RefereeRegisterRequest, referee_meta=least).referee_meta.max_concurrent_matches == 1


def test_who_registers_without_a_name_or_an_address_does_not() -> None:
    for meta in ({"display_name": "Tansy"}, {"contact_endpoint": "http://localhost:8103/mcp"}, {}, "Tansy"):
        found = read_message(LeagueRegisterRequest, {"player_meta": meta})
        assert isinstance(found, Fault)
        assert isinstance(found.data, dict)
        assert found.data["fields"][0].startswith("player_meta.")


# the league


def test_a_row_of_a_table_needs_no_more_than_rank_player_and_points() -> None:
    row = {"rank": 1, "player_id": "P05", "points": 9}
    (update,) = read(LeagueStandingsUpdate, league_id="s", round_id=1, standings=[row]).standings
    assert (update.display_name, update.played, update.points) == ("P05", None, 9)
    completed = read(
        LeagueCompleted,
        league_id="s",
        total_rounds=3,
        total_matches=6,
        champion={"player_id": "P05"},
        final_standings=[row],
    )
    assert completed.final_standings == (update,)
    assert completed.champion.display_name == "P05"


def test_the_matches_of_a_round_are_counted_under_either_name() -> None:
    completed = read(RoundCompleted, league_id="s", round_id=1, matches_completed=3)
    assert (completed.matches_played, completed.next_round_id) == (3, None)


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ({"error_name": "TIMEOUT_ERROR"}, ErrorName.TIMEOUT_ERROR),
        ({"error_code": "E001", "error_description": "you were late"}, ErrorName.TIMEOUT_ERROR),
        ({"error_code": "E004", "error_description": "INVALID_STATE"}, ErrorName.INVALID_STATE),
        ({"error_code": "E004"}, ErrorName.INVALID_CHOICE),
        ({"error_code": "E003", "error_name": "MISSING_REQUIRED_FIELD"}, "MISSING_REQUIRED_FIELD"),
        ({"error_code": "E003", "error_description": "MISSING_REQUIRED_FIELD"}, "MISSING_REQUIRED_FIELD"),
        ({"error_code": "E009", "error_name": "CONNECTION_ERROR"}, "CONNECTION_ERROR"),
        ({"error_code": "E004", "error_name": "E-004", "error_description": "INVALID_STATE"}, ErrorName.INVALID_STATE),
        ({"error_code": "E004", "error_name": "invalid_choice"}, ErrorName.INVALID_CHOICE),
        ({"error_code": "E009"}, "E009"),
        ({"error_code": None}, ""),
        ({"error_code": "E001", "retry_count": "2", "affected_player": 7, "retryable": "no"}, ErrorName.TIMEOUT_ERROR),
    ],
)
def test_an_error_is_known_by_its_name_and_then_by_its_code(told: Any, name: str) -> None:
    fields = {"error_code": "E000", "retry_info": {"retry_count": 2, "max_retries": 3}, **told}
    error = read(GameError, sender=REFEREE, match_id="R2M1", **fields)
    assert (error.error_name, error.retry_count, error.max_retries) == (name, 2, 3)


def test_a_posted_join_is_from_its_player_id_or_its_sender() -> None:
    assert read(GameJoinAck, match_id="R2M1", sender="player:P05", status="joined").player_id == "P05"
    assert read(GameJoinAck, match_id="R2M1", sender="player:P05", player_id="P06", accept=True).player_id == "P06"
    assert isinstance(read_message(GameJoinAck, {"match_id": "R2M1", "accept": True}), Fault)
    assert isinstance(read_message(GameJoinAck, {"match_id": "R2M1", "sender": "player:P05", "status": "ok"}), Fault)


def test_fields_may_be_nested_in_data() -> None:
    found = read(
        GameJoinAck, message_type="GAME_JOIN_ACK", sender="player:P05", data={"match_id": "R1", "accept": False}
    )
    assert (found.match_id, found.accept) == ("R1", False)


# replies of managers

QUERY = LeagueQuery(league_id=LeagueId("spring"))
REGISTER = LeagueRegisterRequest(
    player_meta=PlayerMeta(
        display_name="Tansy",
        version="1",
        game_types=("even_odd",),
        contact_endpoint="http://localhost:8103/mcp",
    )
)
REPORT = MatchResultReport(
    league_id=LeagueId("spring"),
    round_id=2,
    match_id=MatchId("R2M1"),
    result=ReportedResult(
        winner=None,
        score=ByPlayer({}),
        details=ReportDetails(drawn_number=None, choices=ByPlayer({}), status=Status.DRAW),
    ),
)


def told(call: LeagueMessage, answer: Any, status: int = 200) -> Answered | Unusable:
    return read_reply(call, LEAGUE_MANAGER, status, encode(answer))


@pytest.mark.parametrize("status", ["ACCEPTED", "REGISTERED", "registered", "ok", None])
def test_who_is_given_an_id_is_registered(status: Any) -> None:
    found = told(REGISTER, {"result": {"status": status, "player_id": "P03", "auth_token": "t"}})
    assert isinstance(found, LeagueRegisterResponse)
    assert (found.status, found.player_id, found.auth_token) == (Registration.ACCEPTED, "P03", "t")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"result": {"status": "REJECTED", "reason": "Duplicate name"}}, "Duplicate name"),
        ({"error": {"code": 2002, "message": "taken"}}, "Duplicate name"),
        ({"error": {"code": 2001, "message": "full"}, "result": None}, "League full"),
        ({"result": {"status": "rejected", "player_id": None, "reason": "League full"}}, "League full"),
    ],
)
def test_a_rejection_is_read_as_a_result_and_as_an_error(answer: Any, reason: str) -> None:
    found = told(REGISTER, answer)
    assert isinstance(found, LeagueRegisterResponse)
    assert (found.status, found.reason) == (Registration.REJECTED, reason)


def test_a_referee_is_registered_likewise() -> None:
    meta = RefereeMeta(display_name="G", version="1", game_types=("even_odd",), contact_endpoint="http://localhost/mcp")
    found = told(RefereeRegisterRequest(referee_meta=meta), {"result": {"referee_id": "REF01"}})
    assert isinstance(found, RefereeRegisterResponse)
    assert (found.status, found.referee_id) == (Registration.ACCEPTED, "REF01")


@pytest.mark.parametrize("status", ["ACCEPTED", "RECORDED", "recorded", "RECEIVED", "OK", None])
def test_a_report_that_is_answered_without_an_error_is_booked(status: Any) -> None:
    found = told(REPORT, {"result": {"status": status, "message_type": "MATCH_RESULT_ACKNOWLEDGED"}})
    assert found == MatchResultAck(status="ACCEPTED", match_id=MatchId("R2M1"), round_id=2)


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ({"detail": "Not Found"}, 404),
        ({"result": {"message_type": "ACK", "status": "IGNORED"}}, 200),
        ({"error": {"code": 5003, "message": "already reported"}}, 200),
        ({"result": {"message_type": "LEAGUE_ERROR", "error_code": "E012"}}, 200),
        ({"result": {"content": [{"type": "text", "text": "Unknown tool"}], "isError": True}}, 200),
    ],
)
def test_a_report_is_not_booked_by_just_anything(answer: Any, status: int) -> None:
    assert not isinstance(told(REPORT, answer, status), MatchResultAck)


@pytest.mark.parametrize("where", ["top", "data", "both"])
def test_standings_are_read_from_the_top_or_from_data(where: str) -> None:
    rows = {"standings": [{"rank": 1, "player_id": "P05", "points": 9}]}
    answers: dict[str, Any] = {"top": rows, "data": {"data": rows}, "both": {**rows, "data": rows}}
    found = told(QUERY, {"result": {"query_type": "GET_STANDINGS", **answers[where]}})
    assert isinstance(found, LeagueQueryResponse)
    assert [row.player_id for row in found.standings] == ["P05"]


def test_what_a_tool_gives_as_structured_content_is_read_whatever_it_says_to_people() -> None:
    prose = [{"type": "text", "text": "I would be delighted."}]
    tool = {"content": prose, "structuredContent": {"accept": True}, "isError": False}
    invitation = read(GameInvitation, **INVITED, role_in_match="A")
    found = read_reply(invitation, PLAYER, 200, encode({"result": tool}))
    assert isinstance(found, GameJoinAck)
    assert (found.match_id, found.player_id, found.accept) == ("R2M1", "P05", True)


@pytest.mark.parametrize("carrier", ["result", "error"])
def test_a_league_error_is_read_as_a_result_and_as_an_error(carrier: str) -> None:
    error = {"message_type": "LEAGUE_ERROR", "error_code": "E012", "error_description": "AUTH_TOKEN_INVALID"}
    answers = {
        "result": {"result": error},
        "error": {"error": {"code": 12, "message": error["error_description"], "data": error}},
    }
    found = told(QUERY, answers[carrier])
    assert isinstance(found, Fault)
    assert (found.code, found.message) == (12, "AUTH_TOKEN_INVALID")


@pytest.mark.parametrize("revision", ["a", 2.5, True, {}, None])
def test_a_revision_that_is_none_of_ours_costs_no_round(revision: Any) -> None:
    match = {"match_id": "R2M1", "player_A_id": "P05", "player_B_id": "P06", "referee_endpoint": "http://localhost/mcp"}
    found = read(RoundAnnouncement, league_id="s", round_id=2, matches=[match], revision=revision)
    assert [each.match_id for each in found.matches] == ["R2M1"]
    assert found.revision is UNSET


def test_a_round_is_acknowledged_by_a_player_or_a_referee() -> None:
    round_two = RoundAnnouncement(league_id=LeagueId("spring"), round_id=2, matches=())
    for to, player, ref in ((PLAYER, "P05", None), (REFEREE, None, "REF03")):
        found = acknowledgement(round_two, to, read_reply(round_two, to, 200, b"whatever"))  # type: ignore[arg-type]
        assert isinstance(found, RoundAnnouncementAck)
        assert (found.player_id or None, found.referee_id or None) == (player, ref)


def test_what_is_posted_is_answered_by_a_receipt() -> None:
    async def main() -> Answered:
        async with living(lambda body: zoo.result(body, {"status": "ok"})) as animal, Caller() as caller:
            posted = GameJoinAck(match_id=MatchId("R2M1"), player_id="P05", accept=True)  # type: ignore[arg-type]
            found = await caller.call(
                animal.url, posted, who=Identity(PLAYER), to=REFEREE, conversation="c", seconds=LONG
            )
            assert animal.heard[0]["method"] == "game_join_ack"
            assert len(animal.heard) == 1
            return found

    assert run(main()) == Receipt(200, "ok")
