"""A player of ours on a stage: a manager and a referee that say what a test has them say."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from tests.agents.agents_in_process import InProcessAgents, Running, in_process_agents
from tests.agents.loops import until
from tests.agents.wire.wired import post
from tests.agents.wire.zoo import Body, living, result
from tests.agents.wire.zoo import Said as Answer
from turnstile.league.player.rounds import CHOICE_TIMER
from turnstile.league.player.state import Phase


class Stage:
    """A player of ours, and whoever calls it."""

    def __init__(self, here: InProcessAgents) -> None:
        self.here = here
        self.player: Running
        self.registered: list[Body] = []
        self.answers: list[Body] = [self.accepted("P01")]
        """What the manager says to requests for registration, the last of them from then on."""

    @staticmethod
    def accepted(player: str) -> Body:
        ids = {"player_id": player, "auth_token": "tok-p01-secret", "league_id": "foreign"}
        return {"message_type": "LEAGUE_REGISTER_RESPONSE", "status": "ACCEPTED", **ids}

    @staticmethod
    def rejected(reason: str) -> Body:
        return {"message_type": "LEAGUE_REGISTER_RESPONSE", "status": "REJECTED", "reason": reason}

    def manage(self, body: Body) -> Answer:
        self.registered.append(body["params"])
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return result(body, answer)

    async def enter(self, **more: Any) -> None:
        self.player = await self.here.player("Juniper", **more)
        await until(lambda: self.state.player_id is not None)

    @property
    def state(self) -> Any:
        return self.player.host.work.state

    async def say(self, message_type: str, sender: str = "referee:REF01", **fields: Any) -> Body:
        """What the player answers."""
        envelope = {"protocol": "league.v2", "message_type": message_type, "sender": sender, "conversation_id": "c"}
        body = {"jsonrpc": "2.0", "id": 7, "method": message_type.lower(), "params": {**envelope, **fields}}
        said: Body = (await post(self.player.port, body)).json
        answer: Body = said.get("result") or said["error"]
        return answer

    async def announce(self, match: str = "R1M1", round_id: int = 1, me: str | None = None) -> Body:
        entry = {
            "match_id": match,
            "player_A_id": me or self.state.player_id,
            "player_B_id": "P02",
            "referee_id": "REF01",
        }
        entry |= {"referee_endpoint": "http://localhost:1/mcp", "game_type": "even_odd"}
        return await self.say(
            "ROUND_ANNOUNCEMENT", "league_manager", league_id="foreign", round_id=round_id, matches=[entry]
        )

    async def invite(self, match: str = "R1M1", round_id: int = 1) -> Body:
        ids: dict[str, Any] = {"league_id": "foreign", "round_id": round_id, "match_id": match, "game_type": "even_odd"}
        return await self.say("GAME_INVITATION", role_in_match="PLAYER_A", opponent_id="P02", **ids)

    async def call(self, match: str = "R1M1", **more: Any) -> Body:
        context = {"opponent_id": "P02", "round_id": 1, "your_standings": {"wins": 2, "points": 6}}
        ids = {"match_id": match, "player_id": self.state.player_id}
        return await self.say("CHOOSE_PARITY_CALL", context=context, **ids, **more)

    async def until_choosing(self, **more: Any) -> "asyncio.Task[Body]":
        """The player is in a match, and called: what it will answer, when its strategy has chosen."""
        await self.announce()
        await self.invite()
        call = asyncio.create_task(self.call(**more))
        await until(lambda: self.state.phase is Phase.CHOOSING_PARITY)
        return call

    def countdown(self) -> float:
        """Seconds that the strategy was given at the call, which was the latest event."""
        keeper = self.player.host.work.keeper
        (timer,) = [timer for timer in keeper.timers if timer.name == CHOICE_TIMER]
        return float(timer.due - keeper.changed) / 1000 / self.here.time_scale

    async def call_in_vain(self) -> Body:
        """Call for a choice that the strategy does not make in time."""
        call = asyncio.create_task(self.call())
        await self.player.run_out(CHOICE_TIMER)
        return await call

    async def finish(self, match: str = "R1M1", mine: str = "odd") -> Body:
        choices = {self.state.player_id: mine, "P02": "even"}
        told = {
            "status": "WIN",
            "winner_player_id": "P01",
            "drawn_number": 7,
            "number_parity": "odd",
            "choices": choices,
        }
        return await self.say("GAME_OVER", match_id=match, game_type="even_odd", game_result={**told, "reason": "7"})

    async def complete(self, table: Sequence[Body] = ()) -> Body:
        champion = {"player_id": "P01", "display_name": "Juniper", "points": 3}
        totals = {"total_rounds": 1, "total_matches": 1, "champion": champion, "final_standings": [*table]}
        return await self.say("LEAGUE_COMPLETED", "league_manager", league_id="foreign", **totals)


@asynccontextmanager
async def stage(data: Path) -> AsyncIterator[Stage]:
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(in_process_agents(data))
        made = Stage(here)
        manager = await stack.enter_async_context(living(made.manage))
        here.url = manager.url
        yield made
