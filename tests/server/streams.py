"""Streams over HTTP, as tests read them."""

import json
from collections.abc import AsyncIterator
from typing import Any

from aiohttp import ClientResponse

from tests.server.servers import Guest, Site
from turnstile.kernel.values import LogId

EVENTS = {"Accept": "text/event-stream"}

LINES = {"Accept": "application/x-ndjson"}


async def events(response: ClientResponse) -> AsyncIterator[tuple[str | None, Any]]:
    """The events of a stream: the id and the frame of each."""
    mark = None
    async for line in response.content:
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name == "id":
            mark = value
        elif name == "data":
            yield mark, json.loads(value)
            mark = None


async def lines(response: ClientResponse) -> AsyncIterator[Any]:
    async for line in response.content:
        if line.strip():
            yield json.loads(line)


async def stream(guest: Guest, table: str, headers: dict[str, str], query: str = "") -> ClientResponse:
    given = {**headers, "Authorization": f"Bearer {guest.token}"}
    response = await guest.site.client.get(f"{guest.site.url}/api/tables/{table}/updates{query}", headers=given)
    assert response.status == 200, await response.text()
    assert response.content_type == headers["Accept"]
    return response


def phase(here: Site, table: str) -> str:
    return here.server.host.tables.live[LogId(table)].state.phase.value
