"""Connections that do nothing but be there."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec.structs import replace

from tests.agents.loops import run
from tests.server.servers import SETTINGS, Site, site


@asynccontextmanager
async def idle(here: Site, count: int) -> AsyncIterator[list[asyncio.StreamReader]]:
    """Connections without a request. All of them have been made when the context begins."""
    pairs = [await asyncio.open_connection("127.0.0.1", here.running.port) for _ in range(count)]
    try:
        yield [reader for reader, _ in pairs]
    finally:
        for _, writer in pairs:
            writer.close()


async def head_and_error(reader: asyncio.StreamReader) -> tuple[bytes, dict[str, object]]:
    """A whole answer, after which the connection is closed."""
    head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    return head.lower(), json.loads(body)["error"]


async def ask(here: Site) -> tuple[bytes, dict[str, object]]:
    """The answer to a request over a connection of its own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", here.running.port)
    writer.write(f"GET /api/me HTTP/1.1\r\nHost: 127.0.0.1:{here.running.port}\r\nConnection: close\r\n\r\n".encode())
    try:
        return await head_and_error(reader)
    finally:
        writer.close()


def test_R1_one_address_cannot_hold_all_connections() -> None:
    async def main() -> None:
        async with site(replace(SETTINGS, most_connections_per_address=3)) as here:
            async with idle(here, 4) as readers:
                head, error = await head_and_error(readers[3])
                assert head.startswith(b"http/1.1 429 ")
                assert b"\r\nretry-after: 1" in head
                assert (error["code"], error["limit"]) == ("TooFast", "connections")
                assert here.server.counts.errors["TooFast"] == 1
            while (await ask(here))[1]["code"] != "NoToken":  # until the server has seen that they are gone
                pass

    run(main())


def test_R1_a_connection_that_becomes_a_websocket_leaves_its_place_to_another() -> None:
    async def main() -> None:
        async with site(replace(SETTINGS, most_connections_per_address=2)) as here:
            wires = [await here.socket() for _ in range(2)]
            assert (await ask(here))[1]["code"] == "NoToken"
            for wire in wires:
                await wire.close()

    run(main())


def test_N15_R1_a_trusted_proxy_may_have_any_number_of_connections() -> None:
    async def main() -> None:
        settings = replace(SETTINGS, most_connections_per_address=2, trusted_proxies=("127.0.0.1",))
        async with site(settings) as here, idle(here, 5):
            assert (await ask(here))[1]["code"] == "NoToken"

    run(main())


def test_R1_a_server_with_too_many_connections_says_so_as_the_contract_does() -> None:
    async def main() -> None:
        async with site(replace(SETTINGS, most_connections=3)) as here, idle(here, 3):
            head, error = await ask(here)
            assert head.startswith(b"http/1.1 503 ")
            assert b"\r\nretry-after: 1" in head
            assert error["code"] == "Overloaded"

    run(main())
