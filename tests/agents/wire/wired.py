"""What the tests of the wire share: the messages of one match, who says them, and a raw way to say anything."""

import json
from typing import Any

import aiohttp

from tests.agents.loops import run
from turnstile.agents.wire.caller import Caller
from turnstile.agents.wire.door import Door
from turnstile.agents.wire.envelope import Identity, utc_now, wire_fields
from turnstile.agents.wire.incoming import Incoming
from turnstile.agents.wire.replies import Answered, acknowledgement
from turnstile.agents.wire.rpc import Fault
from turnstile.kernel.values import ByPlayer, PlayerId
from turnstile.league.protocol.messages import (
    ChooseParityCall,
    ChooseParityResponse,
    GameError,
    GameInvitation,
    GameJoinAck,
    GameOver,
    GameOverAck,
    LeagueMessage,
)
from turnstile.league.protocol.values import ChoiceContext, GameResult, RetryInfo
from turnstile.league.protocol.words import (
    Awaited,
    LeagueId,
    MatchId,
    RefereeId,
    Role,
    Status,
    player_address,
    referee_address,
)
from turnstile.net.serving import served

MATCH = MatchId("R2M1")
US, THEM = PlayerId("P05"), PlayerId("P02")
REFEREE = referee_address(RefereeId("REF03"))
PLAYER = player_address(US)
LONG = 30.0
"""Seconds that nothing needs: what takes longer has failed."""

INVITATION = GameInvitation(
    sender=REFEREE,
    league_id=LeagueId("spring"),
    round_id=2,
    match_id=MATCH,
    role_in_match=Role.PLAYER_A,
    opponent_id=THEM,
    player_id=US,
)
CALL = ChooseParityCall(
    sender=REFEREE, match_id=MATCH, player_id=US, context=ChoiceContext(opponent_id=THEM, round_id=2)
)
OVER = GameOver(
    sender=REFEREE,
    match_id=MATCH,
    game_result=GameResult(
        status=Status.TECHNICAL_LOSS,
        winner_player_id=THEM,
        drawn_number=None,
        number_parity=None,
        choices=ByPlayer({US: None, THEM: None}),
        reason="P05 did not join in time",
    ),
)
ERROR = GameError(
    sender=REFEREE,
    match_id=MATCH,
    error_code="E001",
    error_name="TIMEOUT_ERROR",
    error_description="TIMEOUT_ERROR",
    affected_player=US,
    action_required=Awaited.CHOOSE_PARITY_RESPONSE,
    retry_count=1,
    max_retries=3,
    retry_info=RetryInfo(retry_count=1, max_retries=3),
    consequence="",
    retryable=True,
)
JOINED = GameJoinAck(match_id=MATCH, player_id=US, accept=True)
CHOSEN = ChooseParityResponse(match_id=MATCH, player_id=US, parity_choice="odd")


def referee() -> Identity:
    return Identity(REFEREE, "tok-ref03-secret")


async def asked(caller: Caller, url: str, message: LeagueMessage, seconds: float = LONG) -> Answered:
    """What a player at this address answers to the referee."""
    return await caller.call(url, message, who=referee(), to=PLAYER, conversation="conv-r2m1", seconds=seconds)


async def told(caller: Caller, url: str, message: LeagueMessage) -> LeagueMessage | None:
    """How a player at this address acknowledges what the referee tells it."""
    return acknowledgement(message, PLAYER, await asked(caller, url, message))


class Player:
    """A player of ours that joins, chooses odd, and remembers what it was told."""

    def __init__(self) -> None:
        self.who = Identity(PLAYER, "tok-p05-secret")
        self.heard: list[Incoming] = []

    async def handle(self, incoming: Incoming) -> LeagueMessage | Fault:
        self.heard.append(incoming)
        match incoming.message:
            case GameInvitation():
                return JOINED
            case ChooseParityCall():
                return CHOSEN
            case GameOver():
                return GameOverAck(player_id=US, match_id=MATCH)
        raise AssertionError("a player takes nothing else")

    def door(self, **options: Any) -> Door:
        return Door(self.who, (GameInvitation, ChooseParityCall, GameOver), self.handle, **options)


class Said:
    """An answer over HTTP."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self) -> Any:
        return json.loads(self.body)


async def post(port: int, body: Any, path: str = "/mcp", method: str = "POST", **headers: str) -> Said:
    """Say anything to a door. Headers are spelt with underscores."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {"Content-Type": "application/json", **{name.replace("_", "-"): held for name, held in headers.items()}}
    url = f"http://127.0.0.1:{port}{path}"
    async with aiohttp.ClientSession() as session, session.request(method, url, data=data, headers=named) as answer:
        return Said(answer.status, {key.lower(): held for key, held in answer.headers.items()}, await answer.read())


# requests to a player's door

FIELDS = wire_fields(INVITATION, referee(), "conv-r2m1", utc_now())
CHOICE = wire_fields(CALL, referee(), "conv-r2m1", utc_now())


def request(fields: Any = FIELDS, method: str = "handle_game_invitation", **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": fields, "id": 7, **more}


def without(*names: str) -> dict[str, Any]:
    return {name: value for name, value in FIELDS.items() if name not in names}


def said(body: Any, door: Door | None = None, **headers: str) -> Said:
    """What a player's door says to one request."""

    async def main() -> Said:
        async with served(door or Player().door()) as serving:
            return await post(serving.port, body, **headers)

    return run(main())


def joined(answer: Any) -> bool:
    return bool(answer["message_type"] == "GAME_JOIN_ACK" and answer["accept"])
