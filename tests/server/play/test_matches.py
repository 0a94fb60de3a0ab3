"""Play over the WebSocket: whole matches, resuming, presence."""

import asyncio
from typing import Any

from tests.agents.loops import run
from tests.server.servers import Wire, site


async def play(wire: Wire) -> list[int]:
    """Play the first action whenever the table waits for one, to the end; the numbers of all updates."""
    seqs, actions, sent, phase = list[int](), list[Any](), 0, ""
    while phase != "Finished":
        frame = await wire.next()
        match frame["type"]:
            case "update":
                seqs.append(frame["seq"])
                actions = frame["actions"]
                await wire.send("ack", upto=frame["seq"])
            case "status":
                phase = frame["phase"]
            case "answer" if "error" in frame:
                assert frame["error"]["code"] in ("AcksMissing", "WrongPhase"), frame
                await asyncio.sleep(0.001)  # the other player has not acknowledged yet, or has just ended the match
        if actions and (frame["type"] == "update" or "error" in frame):
            sent += 1
            await wire.send("act", id=f"move {sent}", move=actions[0], seen=seqs[-1])
    return seqs


def test_two_players_play_a_whole_match() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo)
            await ana.command(table, "start")
            wires = [await ana.hello(table), await bo.hello(table)]
            for seqs in await asyncio.gather(*map(play, wires)):
                assert seqs == list(range(1, len(seqs) + 1))

    run(main())
