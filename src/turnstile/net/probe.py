"""Finds out whether a port of another agent is open, by connecting to it. Nothing is said there."""

import asyncio
from urllib.parse import urlsplit

from turnstile.net.addresses import Resolver, refusal

AGAIN_SECONDS = 0.1  # before a port that is closed is tried again
DEFAULT_PORTS = {"http": 80, "https": 443}


async def listens(endpoint: str, resolver: Resolver, seconds: float) -> bool:
    """Whether the port of an endpoint is open, or is opened within so many seconds."""
    if refusal(endpoint, resolver.reach) is not None:
        return False
    parts = urlsplit(endpoint)
    host, port = parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme]
    try:
        async with asyncio.timeout(seconds):
            while not await _is_open(host, port, resolver):
                await asyncio.sleep(AGAIN_SECONDS)
    except TimeoutError:
        return False
    return True


async def _is_open(host: str, port: int, resolver: Resolver) -> bool:
    """Whether one of the addresses of a host, of those that may be called, can be connected to now."""
    try:
        addresses = await resolver.resolve(host, port)
    except OSError:  # the name is not known, or leads where nobody may be called
        return False
    return any([await _connects(address["host"], port) for address in addresses])


async def _connects(address: str, port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection(address, port)
    except OSError:  # refused, or unreachable: the answer to the question
        return False
    writer.close()
    return True
