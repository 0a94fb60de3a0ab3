"""Where bots think: in a few threads of their own, so that the event loop goes on."""

import asyncio
from threading import Event, Semaphore

from turnstile.host.drive import THINKERS, in_a_thread
from turnstile.kernel import Move, PlayerId


def test_few_bots_think_at_the_same_time_and_the_loop_goes_on() -> None:
    may_move, begun = Event(), Semaphore(0)
    move = Move(PlayerId("bot"))

    def think() -> Move:
        begun.release()
        assert may_move.wait(30)
        return move

    async def run() -> None:
        most = THINKERS._max_workers
        thoughts = [asyncio.ensure_future(in_a_thread(think)) for _ in range(most + 1)]
        started = await asyncio.to_thread(lambda: [begun.acquire(timeout=30) for _ in range(most)])
        assert all(started)
        assert not begun.acquire(blocking=False)
        may_move.set()
        assert await asyncio.gather(*thoughts) == [move] * (most + 1)

    asyncio.run(run())
