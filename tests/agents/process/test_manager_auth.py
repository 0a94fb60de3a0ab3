"""Whether an agent knows its manager yet, when a message comes in the manager's name."""

import asyncio

from turnstile.agents.process.manager_auth import comes_within


def test_an_event_that_comes_as_the_time_ends_has_come() -> None:
    """A player would keep the message for later otherwise, after it has taken all that it had kept."""

    async def wait() -> bool:
        event = asyncio.Event()
        asyncio.get_running_loop().call_soon(event.set)  # in the same turn of the loop in which the time is over
        return await comes_within(0, event)

    assert asyncio.run(wait())
    assert not asyncio.run(comes_within(0, asyncio.Event()))
