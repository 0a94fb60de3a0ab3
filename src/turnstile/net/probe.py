"""Checks whether the port of another agent is open, by connecting to it without sending anything."""

import asyncio
from urllib.parse import urlsplit

from turnstile.net.addresses import Resolver, refusal

AGAIN_SECONDS = 0.1  # between two attempts to connect
DEFAULT_PORTS = {"http": 80, "https": 443}


async def listens(endpoint: str, resolver: Resolver, seconds: float) -> bool:
    """Whether the port of an endpoint is open, or opens within so many seconds."""
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
    """Whether a connection to one of the host's allowed addresses succeeds now."""
    try:
        addresses = await resolver.resolve(host, port)
    except OSError:  # the name is unknown, or resolves to a forbidden address
        return False
    return any([await _connects(address["host"], port) for address in addresses])


async def _connects(address: str, port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection(address, port)
    except OSError:  # refused or unreachable
        return False
    writer.close()
    return True
