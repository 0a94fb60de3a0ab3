"""Whole messages of league.v2 with their envelopes: read at a door into their types, and written back as they came.

A request is sent to the door of whoever takes it, and the door answers it with the reply that belongs to it.
"""

import copy
from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec import UNSET, UnsetType

from tests.agents.loops import run
from tests.agents.wire.wired import post
from turnstile.agents.wire.door import Door
from turnstile.agents.wire.envelope import Identity, deadline_after, wire_fields
from turnstile.agents.wire.incoming import Incoming
from turnstile.agents.wire.lenient import read_message
from turnstile.agents.wire.replies import ANSWERS
from turnstile.agents.wire.rpc import Fault
from turnstile.kernel.values import wire_name
from turnstile.league.protocol.management import LeagueError
from turnstile.league.protocol.messages import LeagueMessage, LeagueQueryResponse
from turnstile.league.protocol.values import QueryData
from turnstile.league.protocol.words import LEAGUE_MANAGER, Address
from turnstile.net.serving import served

NOW = datetime(2033, 5, 7, 10, 30, 4, tzinfo=UTC)
TIME = "2033-05-07T10:30:04Z"
LATER = "2033-05-07T10:30:34Z"
REFEREE_TOKEN, PLAYER_TOKEN = "tok-ref02-9d2e417b", "tok-p03-11aa72fe"
LEAGUE = "league_2025_even_odd"
PLAYER_URL, REFEREE_URL = "http://localhost:8103/mcp", "http://localhost:8002/mcp"

ROW = {
    "rank": 1,
    "player_id": "P03",
    "display_name": "Tansy",
    "played": 4,
    "wins": 3,
    "draws": 1,
    "losses": 0,
    "points": 10,
}
CHOICES = {"P03": "even", "P07": "odd"}


def message(message_type: str, sender: str, token: str | None = None, **fields: Any) -> dict[str, Any]:
    envelope = {
        "protocol": "league.v2",
        "message_type": message_type,
        "sender": sender,
        "timestamp": TIME,
        "conversation_id": "conv-r4m2-001",
    }
    return {**envelope, **({} if token is None else {"auth_token": token}), **fields}


def from_referee(message_type: str, **fields: Any) -> dict[str, Any]:
    return message(message_type, "referee:REF02", REFEREE_TOKEN, **fields)


def from_player(message_type: str, **fields: Any) -> dict[str, Any]:
    return message(message_type, "player:P03", PLAYER_TOKEN, **fields)


def from_manager(message_type: str, **fields: Any) -> dict[str, Any]:
    return message(message_type, "league_manager", **fields)


ACKNOWLEDGED = {"status": "ACKNOWLEDGED", "player_id": "P03"}

EXCHANGES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "register_referee",
        message(
            "REFEREE_REGISTER_REQUEST",
            "referee:gong",
            referee_meta={
                "display_name": "Gong",
                "version": "1.1.0",
                "game_types": ["even_odd"],
                "contact_endpoint": REFEREE_URL,
                "max_concurrent_matches": 6,
                "protocol_version": "2.1.0",
            },
        ),
        from_manager(
            "REFEREE_REGISTER_RESPONSE",
            status="ACCEPTED",
            referee_id="REF02",
            auth_token=REFEREE_TOKEN,
            league_id=LEAGUE,
            reason=None,
        ),
    ),
    (
        "register_player",
        message(
            "LEAGUE_REGISTER_REQUEST",
            "player:tansy",
            player_meta={
                "display_name": "Tansy",
                "version": "1.1.0",
                "game_types": ["even_odd"],
                "contact_endpoint": PLAYER_URL,
                "protocol_version": "2.1.0",
            },
        ),
        from_manager(
            "LEAGUE_REGISTER_RESPONSE",
            status="ACCEPTED",
            player_id="P03",
            auth_token=PLAYER_TOKEN,
            league_id=LEAGUE,
            reason=None,
        ),
    ),
    (
        "notify_round",
        from_manager(
            "ROUND_ANNOUNCEMENT",
            league_id=LEAGUE,
            round_id=4,
            matches=[
                {
                    "match_id": "R4M2",
                    "game_type": "even_odd",
                    "player_A_id": "P03",
                    "player_B_id": "P07",
                    "referee_endpoint": REFEREE_URL,
                    "referee_id": "REF02",
                    "player_A_endpoint": PLAYER_URL,
                    "player_B_endpoint": "http://localhost:8107/mcp",
                }
            ],
        ),
        from_player("ROUND_ANNOUNCEMENT_ACK", **ACKNOWLEDGED, round_id=4),
    ),
    (
        "handle_game_invitation",
        from_referee(
            "GAME_INVITATION",
            league_id=LEAGUE,
            round_id=4,
            match_id="R4M2",
            game_type="even_odd",
            role_in_match="PLAYER_A",
            opponent_id="P07",
            player_id="P03",
        ),
        from_player("GAME_JOIN_ACK", match_id="R4M2", player_id="P03", arrival_timestamp=TIME, accept=True),
    ),
    (
        "choose_parity",
        from_referee(
            "CHOOSE_PARITY_CALL",
            league_id=LEAGUE,
            round_id=4,
            match_id="R4M2",
            player_id="P03",
            game_type="even_odd",
            deadline=LATER,
            context={
                "opponent_id": "P07",
                "round_id": 4,
                "your_standings": {"wins": 2, "losses": 0, "draws": 1, "points": 7},
            },
        ),
        from_player("CHOOSE_PARITY_RESPONSE", match_id="R4M2", player_id="P03", parity_choice="even"),
    ),
    (
        "notify_match_result",
        from_referee(
            "GAME_OVER",
            match_id="R4M2",
            game_type="even_odd",
            game_result={
                "status": "WIN",
                "winner_player_id": "P03",
                "drawn_number": 8,
                "number_parity": "even",
                "choices": CHOICES,
                "reason": "8 is even; only P03 chose even",
            },
        ),
        from_player("GAME_OVER_ACK", **ACKNOWLEDGED, match_id="R4M2"),
    ),
    (
        "report_match_result",
        from_referee(
            "MATCH_RESULT_REPORT",
            league_id=LEAGUE,
            round_id=4,
            match_id="R4M2",
            game_type="even_odd",
            result={
                "winner": "P03",
                "score": {"P03": 3, "P07": 0},
                "details": {"drawn_number": 8, "choices": CHOICES, "status": "WIN"},
            },
        ),
        from_manager("MATCH_RESULT_ACK", status="ACCEPTED", match_id="R4M2", round_id=4),
    ),
    (
        "update_standings",
        from_manager("LEAGUE_STANDINGS_UPDATE", league_id=LEAGUE, round_id=4, standings=[ROW]),
        from_player("STANDINGS_UPDATE_ACK", **ACKNOWLEDGED, round_id=4),
    ),
    (
        "notify_round_completed",
        from_manager(
            "ROUND_COMPLETED",
            league_id=LEAGUE,
            round_id=4,
            next_round_id=None,
            matches_played=4,
            matches_completed=4,
            summary={"total_matches": 4, "wins": 2, "draws": 1, "technical_losses": 1},
        ),
        from_player("ROUND_COMPLETED_ACK", **ACKNOWLEDGED, round_id=4),
    ),
    (
        "notify_league_completed",
        from_manager(
            "LEAGUE_COMPLETED",
            league_id=LEAGUE,
            total_rounds=7,
            total_matches=28,
            champion={"player_id": "P03", "display_name": "Tansy", "points": 10},
            final_standings=[ROW],
        ),
        from_player("LEAGUE_COMPLETED_ACK", **ACKNOWLEDGED),
    ),
    (
        "league_query",
        from_referee("LEAGUE_QUERY", league_id=LEAGUE, query_type="GET_STANDINGS", query_params={}),
        from_manager(
            "LEAGUE_QUERY_RESPONSE",
            query_type="GET_STANDINGS",
            success=True,
            current_round=4,
            standings=[ROW],
            data={"current_round": 4, "standings": [ROW]},
        ),
    ),
    (
        "notify_game_error",
        from_referee(
            "GAME_ERROR",
            match_id="R4M2",
            error_code="E001",
            error_name="TIMEOUT_ERROR",
            error_description="TIMEOUT_ERROR",
            affected_player="P07",
            action_required="CHOOSE_PARITY_RESPONSE",
            retry_count=2,
            max_retries=3,
            retry_info={"retry_count": 2, "max_retries": 3, "next_retry_at": TIME},
            consequence="technical loss when the retries are used up",
            retryable=True,
        ),
        from_player("GAME_ERROR_ACK", **ACKNOWLEDGED, match_id="R4M2"),
    ),
    (
        "start_league",
        message("START_LEAGUE", "launcher", league_id=LEAGUE),
        from_manager(
            "LEAGUE_STATUS",
            league_id=LEAGUE,
            status="running",
            current_round=0,
            total_rounds=7,
            matches_completed=0,
        ),
    ),
    (
        "shutdown",
        from_manager("SHUTDOWN_COMMAND", reason="The league manager is stopped."),
        from_player("SHUTDOWN_ACK", status="ACKNOWLEDGED"),
    ),
    (
        "run_match",
        from_manager(
            "RUN_MATCH",
            league_id=LEAGUE,
            round_id=4,
            match_id="R4M2",
            game_type="even_odd",
            player_A_id="P03",
            player_A_endpoint=PLAYER_URL,
            player_B_id="P07",
            player_B_endpoint="http://localhost:8107/mcp",
        ),
        from_referee("RUN_MATCH_ACK", match_id="R4M2", status="acknowledged"),
    ),
]
KINDS = {wire_name(kind): kind for pair in ANSWERS.items() for kind in pair}


def identity(fields: dict[str, Any]) -> Identity:
    """Who has sent this. The token in an answer to a registration is not that of the manager."""
    is_manager = fields["sender"] == "league_manager"
    return Identity(Address(fields["sender"]), None if is_manager else fields.get("auth_token"))


def written(message: LeagueMessage, fields: dict[str, Any]) -> dict[str, Any]:
    return wire_fields(message, identity(fields), fields["conversation_id"], NOW, to=LEAGUE_MANAGER, seconds=30)


def as_reply(fields: dict[str, Any]) -> dict[str, Any]:
    """The same as it stands in a reply, where nobody is shown the token that the manager knows."""
    token = identity(fields).token_for(None)
    return fields if token is None else {**fields, "auth_token": token}


@pytest.mark.parametrize(("method", "asked", "answered"), EXCHANGES, ids=[method for method, *_ in EXCHANGES])
def test_an_exchange_is_read_and_written_exactly(method: str, asked: dict[str, Any], answered: dict[str, Any]) -> None:
    heard: list[Incoming] = []
    reply = read_message(KINDS[answered["message_type"]], answered)
    assert isinstance(reply, LeagueMessage)

    async def handle(incoming: Incoming) -> LeagueMessage:
        heard.append(incoming)
        return reply

    async def main() -> Any:
        door = Door(identity(answered), (KINDS[asked["message_type"]],), handle, now=lambda: NOW)
        async with served(door) as serving:
            return (await post(serving.port, {"jsonrpc": "2.0", "method": method, "params": asked, "id": 30})).json

    assert run(main()) == {"jsonrpc": "2.0", "result": as_reply(answered), "id": 30}
    (incoming,) = heard
    assert written(incoming.message, asked) == asked
    assert (incoming.sender, incoming.auth_token) == (asked["sender"], asked.get("auth_token"))
    assert (incoming.conversation_id, incoming.method) == ("conv-r4m2-001", method)


def test_every_message_that_is_answered_is_among_them() -> None:
    ours = {wire_name(kind) for kind in ANSWERS} - {"LEAGUE_CHALLENGE", "GAME_MOVE_CALL", "PING"}
    assert ours == {asked["message_type"] for _, asked, _ in EXCHANGES}


def test_a_technical_loss_keeps_its_nulls() -> None:
    _, over, _ = next(each for each in EXCHANGES if each[0] == "notify_match_result")
    lost = copy.deepcopy(over)
    lost["game_result"] |= {"status": "TECHNICAL_LOSS", "drawn_number": None, "number_parity": None}
    lost["game_result"]["choices"] = {"P03": "even", "P07": None}
    read = read_message(KINDS["GAME_OVER"], lost)
    assert not isinstance(read, Fault)
    assert written(read, lost) == lost


def test_a_league_error_is_written_like_this() -> None:
    told = LeagueError(
        error_code="E012",
        error_name="AUTH_TOKEN_INVALID",
        error_description="AUTH_TOKEN_INVALID",
        original_message_type="LEAGUE_QUERY",
        context={"action": "LEAGUE_QUERY"},
    )
    fields = from_manager(
        "LEAGUE_ERROR",
        error_code="E012",
        error_name="AUTH_TOKEN_INVALID",
        error_description="AUTH_TOKEN_INVALID",
        original_message_type="LEAGUE_QUERY",
        context={"action": "LEAGUE_QUERY"},
        retryable=False,
    )
    assert written(told, fields) == fields


@pytest.mark.parametrize(
    ("data", "names"),
    [(QueryData(status="running"), set()), (QueryData(standings=()), {"standings"}), (UNSET, set())],
    ids=["status", "standings", "failed"],
)
def test_only_who_asked_for_the_standings_is_told_them_beside_the_data(
    data: QueryData | UnsetType, names: set[str]
) -> None:
    told = LeagueQueryResponse(query_type="GET_STATUS", success=True, data=data)
    written = wire_fields(told, Identity(LEAGUE_MANAGER), "conv-q", NOW)
    assert written.keys() & {"standings"} == names


@pytest.mark.parametrize(
    ("seconds", "deadline"),
    [(30.0, "10:00:30Z"), (2.0, "10:00:02Z"), (0.6, "10:00:01Z"), (1.5, "10:00:02Z")],
)
def test_a_deadline_is_never_too_late_and_never_over_when_it_is_sent(seconds: float, deadline: str) -> None:
    now = datetime(2031, 4, 2, 10, 0, 0, 100_000, UTC)
    assert deadline_after(seconds, now) == f"2031-04-02T{deadline}"
