"""`python -m bench.wire`: what a call from one agent to another costs, with the caller and the door in two processes.

An invitation and its answer, over loopback. CPU time is that of each process as a whole, its HTTP included.
"""

import asyncio
import multiprocessing
import time
from multiprocessing.connection import Connection

from turnstile.agents.wire.caller import Caller
from turnstile.agents.wire.door import Door
from turnstile.agents.wire.envelope import Identity
from turnstile.agents.wire.incoming import Incoming
from turnstile.kernel.values import PlayerId
from turnstile.league.protocol.messages import GameInvitation, GameJoinAck
from turnstile.league.protocol.words import LeagueId, MatchId, RefereeId, Role, player_address, referee_address
from turnstile.net.limits import Quota
from turnstile.net.serving import run, serve

CALLS = 5_000
WARM_UP = 200
AT_ONCE = (1, 16)

PLAYER = PlayerId("P05")
REFEREE = referee_address(RefereeId("REF03"))
INVITATION = GameInvitation(
    sender=REFEREE,
    league_id=LeagueId("league_2025_even_odd"),
    round_id=2,
    match_id=MatchId("R2M1"),
    role_in_match=Role.PLAYER_A,
    opponent_id=PlayerId("P02"),
    player_id=PLAYER,
)
JOINED = GameJoinAck(match_id=INVITATION.match_id, player_id=PLAYER, accept=True)


async def join(incoming: Incoming) -> GameJoinAck:
    return JOINED


def open_door(pipe: Connection) -> None:
    """The other process: a player's door, until it is told to close; then it says what that has cost."""

    async def main() -> None:
        boundless = Quota(rate=1e9, burst=1e9)
        door = Door(Identity(player_address(PLAYER)), (GameInvitation,), join, per_agent=boundless, per_peer=boundless)
        serving = await serve(door)
        before = time.process_time()
        pipe.send(serving.port)
        await asyncio.to_thread(pipe.recv)
        pipe.send(time.process_time() - before)
        await serving.stop()

    run(main())


async def call(port: int, calls: int, at_once: int) -> tuple[float, float]:
    """Seconds by the clock and of CPU time, for so many calls."""
    url, who = f"http://localhost:{port}/mcp", Identity(REFEREE, "tok-ref03")

    async with Caller() as caller:

        async def some(calls: int) -> None:
            for _ in range(calls):
                to = player_address(PLAYER)
                found = await caller.call(url, INVITATION, who=who, to=to, conversation="conv-r2m1", seconds=10)
                assert found == JOINED, found

        await some(WARM_UP)
        wall, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(some(calls // at_once) for _ in range(at_once)))
        return time.perf_counter() - wall, time.process_time() - cpu


def measure(calls: int, at_once: int) -> str:
    here, there = multiprocessing.Pipe()
    process = multiprocessing.Process(target=open_door, args=(there,))
    process.start()
    wall, caller = run(call(here.recv(), calls, at_once))
    here.send(None)
    door = here.recv() * calls / (calls + WARM_UP)
    process.join()
    each = 1e6 / calls
    cost = f"CPU a call: caller {caller * each:.0f} us, door {door * each:.0f} us"
    return f"{at_once:>2} at once: {calls / wall:6.0f} calls/s, {cost}"


if __name__ == "__main__":
    for at_once in AT_ONCE:
        print(measure(CALLS, at_once))
