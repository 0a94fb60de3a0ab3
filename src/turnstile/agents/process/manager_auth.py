"""Checks where a message comes from: from the league manager, or from this machine."""

import asyncio
from contextlib import suppress
from ipaddress import ip_address

from turnstile.agents.wire.incoming import Incoming
from turnstile.agents.wire.rpc import Fault
from turnstile.league.trust import is_from_manager

BAD_TOKEN = Fault(3001, "bad token")


def is_from_this_machine(incoming: Incoming) -> bool:
    return incoming.peer != "" and ip_address(incoming.peer).is_loopback


def is_by_manager(incoming: Incoming, proof: str | None) -> bool:
    """Checks that a message comes from the manager that gave an agent this proof, or none."""
    return is_from_manager(proof, incoming.auth_token, incoming.sender)


async def comes_within(seconds: float, event: asyncio.Event) -> bool:
    """Waits a limited time for an event: a message may arrive before the answer to the registration."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
    return event.is_set()  # it may have come at the very moment at which the time was over
