"""A referee of ours in a foreign league: a manager and players that are none of ours, and do as a test tells them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from tests.agents.agents_in_process import InProcessAgents, Running, in_process_agents
from tests.agents.loops import until
from tests.agents.wire.wired import Said, post
from tests.agents.wire.zoo import Animal, Body, living, result
from tests.agents.wire.zoo import Said as Answer
from turnstile.league.protocol.words import MAX_RETRIES
from turnstile.league.referee.calls import PLAYER_TIMERS

Manners = Callable[[Body], Any]
"""What a player says to the fields of a message: fields, or something to wait for that gives them."""


def joins(fields: Body, choice: str = "odd") -> Body:
    """A player as it should be."""
    kind = fields["message_type"]
    if kind == "GAME_INVITATION":
        return {"message_type": "GAME_JOIN_ACK", "accept": True}
    if kind == "CHOOSE_PARITY_CALL":
        return {"message_type": "CHOOSE_PARITY_RESPONSE", "parity_choice": choice}
    return {"status": "ACKNOWLEDGED"}


class ForeignLeague:
    """A manager that hands out matches one by one, and remembers what was reported."""

    def __init__(self, here: InProcessAgents, stack: AsyncExitStack) -> None:
        self.here = here
        self.reports: asyncio.Queue[Body] = asyncio.Queue()
        self.is_deaf = False
        self.players: dict[str, Animal] = {}
        self.referee: Running
        self._stack = stack

    def manage(self, body: Body) -> Answer:
        """What this manager says: it accepts everybody, and knows no questions."""
        match body.get("method"):
            case "register_referee":
                told = {"message_type": "REFEREE_REGISTER_RESPONSE", "status": "ACCEPTED"}
                return result(body, {**told, "referee_id": "REF01", "auth_token": "tok-ref01-secret"})
            case "report_match_result" if not self.is_deaf:
                self.reports.put_nowait(body["params"])
                return result(body, {"status": "recorded"})
        return 200, {"jsonrpc": "2.0", "error": {"code": -32601, "message": "what?"}, "id": body.get("id")}

    async def enter(self, name: str, manners: Manners = joins) -> None:
        """A player takes part, and says what it is told to."""

        async def say(body: Body) -> Answer:
            said = manners(body.get("params", body))
            return result(body, said if isinstance(said, dict) else await said)

        self.players[name] = await self._stack.enter_async_context(living(say))

    async def hand_out(self, match: str = "R1M1", a: str = "P01", b: str = "P02") -> Said:
        """RUN_MATCH."""
        return await self.post(
            "RUN_MATCH",
            league_id="foreign",
            round_id=1,
            match_id=match,
            player_A_id=a,
            player_A_endpoint=self.players[a].url,
            player_B_id=b,
            player_B_endpoint=self.players[b].url,
        )

    async def announce(self, *matches: Body) -> Said:
        return await self.post("ROUND_ANNOUNCEMENT", league_id="foreign", round_id=1, matches=list(matches))

    def entry(self, match: str, **more: Any) -> Body:
        """A match of a round, as this manager announces it."""
        ends = {"player_A_endpoint": self.players["P01"].url, "player_B_endpoint": self.players["P02"].url}
        ids = {"match_id": match, "game_type": "even_odd", "player_A_id": "P01", "player_B_id": "P02"}
        return {**ids, **ends, "referee_endpoint": self.referee.endpoint, **more}

    async def post(self, message_type: str, sender: str = "league_manager", **fields: Any) -> Said:
        """Say something to the referee."""
        envelope = {"protocol": "league.v2", "message_type": message_type, "sender": sender}
        body = {"jsonrpc": "2.0", "id": 7, "method": message_type.lower(), "params": {**envelope, **fields}}
        return await post(self.referee.port, body)

    async def wait_in_vain(self, kind: str) -> None:
        """The first player is asked, and asked again, and does not answer: when all is heard, the time is over."""
        for asked in range(1, MAX_RETRIES + 2):
            await until(lambda asked=asked: self._complaints(kind) == asked - 1)  # type: ignore[misc]
            await self.referee.run_out(PLAYER_TIMERS[0])

    def _complaints(self, kind: str) -> int:
        """How many the first player has heard, if it has been asked again after the last of them."""
        asked, complaints = len(self.heard("P01", kind)), len(self.heard("P01", "GAME_ERROR"))
        return complaints if asked > complaints else -1

    def heard(self, player: str, message_type: str) -> list[Body]:
        """What a player was told flat: in `params`, or without JSON-RPC."""
        told = [body.get("params", body) for body in self.players[player].heard]
        return [fields for fields in told if fields.get("message_type") == message_type]


@asynccontextmanager
async def foreign_league(data: Path, **referee: Any) -> AsyncIterator[ForeignLeague]:
    """A foreign manager, and our referee registered with it."""
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(in_process_agents(data))
        league = ForeignLeague(here, stack)
        manager = await stack.enter_async_context(living(league.manage))
        here.url = manager.url
        league.referee = await here.referee(**referee)
        await until(lambda: league.referee.host.work.state.referee_id is not None)
        yield league
