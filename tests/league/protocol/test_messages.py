"""The wire forms of league.v2, message by message: whole messages as a peer sends them, envelope and all."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from turnstile.kernel import encode
from turnstile.kernel.values import decode, wire_name
from turnstile.league.player.rounds import revision_of
from turnstile.league.protocol import messages
from turnstile.league.protocol.messages import LeagueMessage

ENVELOPE = {
    "protocol": "league.v2",
    "timestamp": "2032-01-05T18:00:00Z",
    "conversation_id": "conv-r5m2-9",
    "auth_token": "tok-ref01-1",
}
FROM_REFEREE = {"sender": "referee:REF01", "match_id": "R5M2"}
ACK = {"status": "ACKNOWLEDGED"}
ROW = {
    "rank": 2,
    "player_id": "P04",
    "display_name": "Fennel",
    "played": 4,
    "wins": 2,
    "draws": 1,
    "losses": 1,
    "points": 7,
}
META = {
    "display_name": "Fennel",
    "version": "2.4.0",
    "game_types": ["even_odd"],
    "contact_endpoint": "http://localhost:8104/mcp",
    "protocol_version": "2.1.0",
}
MATCH = {
    "match_id": "R5M2",
    "game_type": "even_odd",
    "player_A_id": "P04",
    "player_B_id": "P01",
    "referee_endpoint": "http://localhost:8001/mcp",
    "referee_id": "REF01",
    "player_A_endpoint": "http://localhost:8104/mcp",
    "player_B_endpoint": "http://localhost:8101/mcp",
}
RESULT = {
    "status": "WIN",
    "winner_player_id": "P01",
    "drawn_number": 4,
    "number_parity": "even",
    "choices": {"P04": "odd", "P01": "even"},
    "reason": "4 is even; only P01 chose even",
    "seed": "c0ffee",
}
CONTEXT = {
    "opponent_id": "P01",
    "round_id": 5,
    "your_standings": {"wins": 2, "losses": 1, "draws": 1, "points": 7},
    "commitment": "ab" * 32,
}

BODIES: dict[str, dict[str, Any]] = {
    "LEAGUE_REGISTER_REQUEST": {"player_meta": META},
    "LEAGUE_REGISTER_RESPONSE": {
        "status": "ACCEPTED",
        "player_id": "P04",
        "auth_token": "tok-p04-1",
        "league_id": "spring",
        "reason": None,
    },
    "ROUND_ANNOUNCEMENT": {"league_id": "spring", "round_id": 5, "matches": [MATCH]},
    "ROUND_ANNOUNCEMENT_ACK": {**ACK, "player_id": "P04", "round_id": 5},
    "LEAGUE_STANDINGS_UPDATE": {"league_id": "spring", "round_id": 5, "standings": [ROW]},
    "STANDINGS_UPDATE_ACK": {**ACK, "player_id": "P04", "round_id": 5},
    "ROUND_COMPLETED": {"league_id": "spring", "round_id": 5, "next_round_id": None, "matches_played": 2},
    "ROUND_COMPLETED_ACK": {**ACK, "player_id": "P04", "round_id": 5},
    "LEAGUE_COMPLETED": {
        "league_id": "spring",
        "total_rounds": 5,
        "total_matches": 10,
        "champion": {"player_id": "P01", "display_name": "Sage", "points": 9},
        "final_standings": [ROW],
    },
    "LEAGUE_COMPLETED_ACK": {**ACK, "player_id": "P04"},
    "GAME_INVITATION": {
        **FROM_REFEREE,
        "league_id": "spring",
        "round_id": 5,
        "game_type": "even_odd",
        "role_in_match": "PLAYER_A",
        "opponent_id": "P01",
        "player_id": "P04",
    },
    "GAME_JOIN_ACK": {"match_id": "R5M2", "player_id": "P04", "accept": True},
    "CHOOSE_PARITY_CALL": {
        **FROM_REFEREE,
        "deadline": "2032-01-05T18:00:30Z",
        "league_id": "spring",
        "round_id": 5,
        "player_id": "P04",
        "game_type": "even_odd",
        "context": CONTEXT,
    },
    "CHOOSE_PARITY_RESPONSE": {"match_id": "R5M2", "player_id": "P04", "parity_choice": "odd"},
    "GAME_MOVE_CALL": {
        **FROM_REFEREE,
        "league_id": "spring",
        "round_id": 5,
        "player_id": "P04",
        "game_type": "e-card",
        "move_number": 7,
        "move_request": {
            "move_type": "Pick",
            "valid_options": [{"type": "Pick", "player": "P04", "card": card} for card in "EC"],
            "context": {**CONTEXT, "view": {"phase": "Picking", "hand": ["E", "C", "C"]}},
        },
    },
    "GAME_MOVE_RESPONSE": {
        "match_id": "R5M2",
        "player_id": "P04",
        "move_number": 7,
        "move_data": {"move_type": "Pick", "choice": {"type": "Pick", "player": "P04", "card": "C"}},
    },
    "GAME_OVER": {
        **FROM_REFEREE,
        "league_id": "spring",
        "round_id": 5,
        "game_type": "even_odd",
        "game_result": RESULT,
    },
    "GAME_OVER_ACK": {**ACK, "player_id": "P04", "match_id": "R5M2"},
    "GAME_ERROR": {
        **FROM_REFEREE,
        "error_code": "E004",
        "error_name": "INVALID_CHOICE",
        "error_description": "INVALID_CHOICE",
        "affected_player": "P04",
        "action_required": "CHOOSE_PARITY_RESPONSE",
        "retry_count": 2,
        "max_retries": 3,
        "retry_info": {"retry_count": 2, "max_retries": 3},
        "consequence": "technical loss when the retries are used up",
        "retryable": False,
    },
    "GAME_ERROR_ACK": {**ACK, "player_id": "P04", "match_id": "R5M2"},
    "LEAGUE_QUERY": {"league_id": "spring", "query_type": "GET_STANDINGS"},
    "LEAGUE_QUERY_RESPONSE": {"query_type": "GET_STANDINGS", "success": True, "standings": [ROW]},
    "MATCH_RESULT_REPORT": {
        "league_id": "spring",
        "round_id": 5,
        "match_id": "R5M2",
        "game_type": "even_odd",
        "result": {
            "winner": "P01",
            "score": {"P04": 0, "P01": 3},
            "details": {"drawn_number": 4, "choices": {"P04": "odd", "P01": "even"}, "status": "WIN"},
        },
    },
    "MATCH_RESULT_ACK": {"status": "ACCEPTED", "match_id": "R5M2"},
}
KINDS = {
    wire_name(kind): kind
    for kind in vars(messages).values()
    if isinstance(kind, type) and issubclass(kind, LeagueMessage) and wire_name(kind).isupper()
}


def test_every_message_has_an_example() -> None:
    assert KINDS.keys() == BODIES.keys()


@pytest.mark.parametrize("name", BODIES)
def test_a_message_is_written_exactly_like_this(name: str) -> None:
    written = {"message_type": name, **BODIES[name]}
    assert json.loads(encode(decode(encode(written), KINDS[name]))) == written


@pytest.mark.parametrize("name", BODIES)
def test_A16_the_envelope_and_fields_that_nobody_knows_are_ignored(name: str) -> None:
    body = {"message_type": name, **BODIES[name]}
    times = {"next_retry_at": "2032-01-05T18:00:30Z", "arrival_timestamp": "2032-01-05T18:00:01Z"}
    whole = {**ENVELOPE, **times, "x_favourite_colour": "green", **body}
    assert decode(encode(whole), KINDS[name]) == decode(encode(body), KINDS[name])


def test_a_technical_loss_has_nulls_where_nothing_was_drawn_or_chosen() -> None:
    lost = {
        **RESULT,
        "status": "TECHNICAL_LOSS",
        "drawn_number": None,
        "number_parity": None,
        "choices": {"P04": None, "P01": "even"},
    }
    written = {"message_type": "GAME_OVER", **BODIES["GAME_OVER"], "game_result": lost}
    assert json.loads(encode(decode(encode(written), messages.GameOver))) == written


@pytest.mark.parametrize(
    ("name", "left_out"),
    [
        ("GAME_INVITATION", ("player_id", "game_type")),
        ("CHOOSE_PARITY_CALL", ("deadline", "league_id", "round_id", "game_type")),
        ("GAME_OVER", ("league_id", "round_id")),
        ("LEAGUE_REGISTER_RESPONSE", ("reason", "league_id", "auth_token")),
    ],
)
def test_what_other_referees_and_managers_leave_out_is_not_missed(name: str, left_out: tuple[str, ...]) -> None:
    body = {key: value for key, value in BODIES[name].items() if key not in left_out}
    assert isinstance(decode(encode({"message_type": name, **body}), KINDS[name]), LeagueMessage)


@pytest.mark.parametrize(("revision", "counts_as"), [({}, 0), ({"revision": None}, 0), ({"revision": 3}, 3)])
def test_a_round_may_be_announced_with_a_revision(revision: dict[str, Any], counts_as: int) -> None:
    written = {"message_type": "ROUND_ANNOUNCEMENT", **BODIES["ROUND_ANNOUNCEMENT"], **revision}
    read = decode(encode(written), messages.RoundAnnouncement)
    assert revision_of(read) == counts_as
    assert json.loads(encode(read)) == written


PAGE = Path(__file__).parents[3] / "docs" / "league.md"
WRITTEN = re.findall(r"```json\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize("text", WRITTEN, ids=[json.loads(text)["message_type"] for text in WRITTEN])
def test_an_example_on_the_page_is_a_whole_message(text: str) -> None:
    written = json.loads(text)
    assert json.loads(encode(decode(text, KINDS[written["message_type"]]))) == written
