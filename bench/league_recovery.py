"""A referee is killed with many matches under way, all of them waiting for choices, and started again.

One process stands in for the league manager and for all players: it joins at once, and chooses only when the referee
has come back. What is measured: from the start of the new process to its first call, to its last, to the last report.
"""

import asyncio
import itertools
import os
import signal
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from turnstile.agents.launch.children import Child
from turnstile.agents.wire.envelope import format_time, utc_now
from turnstile.net.serving import served

LEAGUE = "league_2025_even_odd"


class Everybody:
    """The manager and all players, as far as a referee can tell."""

    def __init__(self, matches: int) -> None:
        self.matches = matches
        self.called: set[tuple[str, str]] = set()
        self.reported: set[str] = set()
        self.changed = asyncio.Condition()
        self.may_choose = False

    async def answer(self, request: Request) -> Response:
        asked = msgspec.json.decode(await request.body())
        result = await self._result(asked["params"])
        return Response(msgspec.json.encode({"jsonrpc": "2.0", "id": asked["id"], "result": result}))

    async def _result(self, message: dict[str, Any]) -> dict[str, Any]:
        kind, match = message["message_type"], message.get("match_id")
        if kind == "REFEREE_REGISTER_REQUEST":
            told = {"status": "ACCEPTED", "referee_id": "REF01", "auth_token": "tok", "league_id": LEAGUE}
            return {"message_type": "REFEREE_REGISTER_RESPONSE", **told}
        if kind == "LEAGUE_QUERY":
            return {"message_type": "LEAGUE_QUERY_RESPONSE", "query_type": "GET_STANDINGS", "success": True}
        if kind == "GAME_INVITATION":
            return {"message_type": "GAME_JOIN_ACK", "match_id": match, "accept": True}
        if kind == "CHOOSE_PARITY_CALL":
            await self._note(self.called, (str(match), message["player_id"]))
            await self._until(lambda: self.may_choose)
            return {"message_type": "CHOOSE_PARITY_RESPONSE", "match_id": match, "parity_choice": "even"}
        if kind == "MATCH_RESULT_REPORT":
            await self._note(self.reported, str(match))
            return {"message_type": "MATCH_RESULT_ACK", "status": "ACCEPTED", "match_id": match}
        return {"message_type": "ACK", "status": "ACKNOWLEDGED"}

    async def _note(self, where: set[Any], what: object) -> None:
        async with self.changed:
            where.add(what)
            self.changed.notify_all()

    async def release(self) -> None:
        async with self.changed:
            self.called.clear()
            self.may_choose = True
            self.changed.notify_all()

    async def _until(self, is_so: Any) -> None:
        async with self.changed:
            await self.changed.wait_for(is_so)

    async def all_called(self, at_least: int | None = None) -> None:
        await self._until(lambda: len(self.called) >= (at_least or 2 * self.matches))

    async def all_reported(self) -> None:
        await self._until(lambda: len(self.reported) == self.matches)


def recovered(matches: int) -> None:
    """Print how long a referee takes to come back to so many matches."""
    first, last, reported = asyncio.run(_recovery(matches))
    print(f"a referee with {matches} matches under way is back: first call after {first:.2f} s,", end=" ")
    print(f"all {2 * matches} calls after {last:.2f} s, all results reported after {reported:.2f} s")


async def _recovery(matches: int) -> tuple[float, float, float]:
    everybody = Everybody(matches)
    app = Starlette(routes=[Route("/mcp", everybody.answer, methods=["POST"])])
    async with AsyncExitStack() as stack:
        # A referee makes only so many calls to one address at a time, so the players live at several.
        ports = [(await stack.enter_async_context(served(app))).port for _ in range(1 + matches // 10)]
        addresses = [f"http://127.0.0.1:{port}/mcp" for port in ports]
        with tempfile.TemporaryDirectory() as folder:
            arguments = (
                "referee",
                "--manager",
                addresses[0],
                "--port",
                "0",
                "--data",
                folder,
                "--capacity",
                str(matches),
            )
            before = Child("referee", (*arguments, "--name", "referee"), Path(folder))
            await before.start()
            while not everybody.called:  # it may still be registering
                await _announce(before.endpoint, addresses, matches)
                await asyncio.sleep(0.2)
            await everybody.all_called()
            os.kill(before.pid, signal.SIGKILL)
            await before.ended()
            await everybody.release()
            after = Child("referee", (*arguments, "--name", "referee"), Path(folder))
            began = time.perf_counter()
            await after.start()
            times = [time.perf_counter() - began]
            for awaited in (everybody.all_called(1), everybody.all_called(), everybody.all_reported()):
                await awaited
                times.append(time.perf_counter() - began)
            await after.stop()
    return times[1], times[2], times[3]


async def _announce(referee: str, addresses: list[str], matches: int) -> None:
    """The round, with all its matches for this one referee."""
    numbers = itertools.count(1)
    announced = [
        {
            "match_id": f"R1M{number}",
            "game_type": "even_odd",
            "player_A_id": f"P{next(numbers):03}",
            "player_B_id": f"P{next(numbers):03}",
            "referee_endpoint": referee,
            "referee_id": "REF01",
            "player_A_endpoint": addresses[number % len(addresses)],
            "player_B_endpoint": addresses[number % len(addresses)],
        }
        for number in range(1, matches + 1)
    ]
    message = {
        "protocol": "league.v2",
        "message_type": "ROUND_ANNOUNCEMENT",
        "sender": "league_manager",
        "timestamp": format_time(utc_now()),
        "conversation_id": "bench",
        "league_id": LEAGUE,
        "round_id": 1,
        "matches": announced,
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": "notify_round", "params": message}
    async with aiohttp.ClientSession() as session, session.post(referee, json=body) as answer:
        answer.raise_for_status()
