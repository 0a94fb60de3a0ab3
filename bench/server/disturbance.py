"""Clients that behave badly beside the others: one that sends far too much, and spectators that hardly read."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from random import random
from urllib.parse import urlsplit

import aiohttp

from turnstile.client.frames import VERSION, write_frame

SMALLEST_BUFFER = 1024  # bytes; the kernel takes what it likes at least
RECONNECT_SECONDS = 0.05
COME_SECONDS = 4.0  # at most, until a slow watcher comes, or comes again
READ_SECONDS = 0.2  # between two readings of a slow watcher, on average


class Abuser:
    """Sends so many messages a second, none of them wrong, and connects again when it is closed."""

    def __init__(self, url: str, table: str, rate: float) -> None:
        self._url, self._table, self._rate = url, table, rate
        self.sent = self.closed = 0

    async def run(self) -> None:
        headers = {"X-Forwarded-For": "10.99.0.1"}
        async with aiohttp.ClientSession(headers=headers) as session:
            while True:
                with suppress(aiohttp.ClientError, ConnectionError):
                    async with session.ws_connect(f"{self._url}/api/play") as connection:
                        await connection.send_str(write_frame("hello", v=VERSION, table=self._table))
                        await self._flood(connection)
                self.closed += 1
                await asyncio.sleep(RECONNECT_SECONDS)

    async def _flood(self, connection: aiohttp.ClientWebSocketResponse) -> None:
        loop, frame = asyncio.get_running_loop(), write_frame("pong")
        start, count = loop.time(), 0
        while not connection.closed:
            due = int((loop.time() - start) * self._rate)
            for _ in range(due - count):
                await connection.send_str(frame)
            self.sent += due - count
            count = due
            with suppress(TimeoutError):
                async with asyncio.timeout(0.005):
                    await connection.receive()


class SlowWatcher:
    """A spectator that says hello and then reads next to nothing. It comes again when it is cut off.

    It answers no ping, so the server cuts it off again and again. Spectators come at different times.
    """

    def __init__(self, url: str, table: str, number: int) -> None:
        self._parts, self._table, self._number = urlsplit(url), table, number
        self.has_come = asyncio.Event()

    async def run(self) -> None:
        while True:
            await asyncio.sleep(COME_SECONDS * random())
            with socket.socket() as sock, suppress(OSError):
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALLEST_BUFFER)
                sock.setblocking(False)
                await self._watch(sock)

    async def _watch(self, sock: socket.socket) -> None:
        assert self._parts.hostname is not None
        await asyncio.get_running_loop().sock_connect(sock, (self._parts.hostname, self._parts.port))
        reader, writer = await asyncio.open_connection(sock=sock, limit=SMALLEST_BUFFER)
        hello = write_frame("hello", v=VERSION, table=self._table)
        writer.write(_handshake(self._parts.netloc, self._number) + _masked(hello))
        while await reader.read(64):
            self.has_come.set()
            await asyncio.sleep(READ_SECONDS * (0.5 + random()))


def _handshake(host: str, number: int) -> bytes:
    address = f"10.98.{number // 100}.1"
    return (
        f"GET /api/play HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        f"X-Forwarded-For: {address}\r\n\r\n"
    ).encode()


def _masked(text: str) -> bytes:
    """A text frame whose mask is zero."""
    assert len(text) < 65_536
    size = bytes([0x80 | len(text)]) if len(text) < 126 else bytes([0x80 | 126]) + len(text).to_bytes(2, "big")
    return b"\x81" + size + bytes(4) + text.encode()


@asynccontextmanager
async def disturbing(url: str, tables: list[str], rate: float, watchers: int) -> AsyncIterator[Abuser | None]:
    """An abuser, if there is a rate, and so many slow watchers, who have all come, within this context."""
    abuser = Abuser(url, tables[0], rate) if rate else None
    slow = [SlowWatcher(url, tables[number % len(tables)], number) for number in range(watchers)]
    works = [each.run() for each in slow] + ([abuser.run()] if abuser is not None else [])
    tasks = [asyncio.create_task(work) for work in works]
    try:
        for each in slow:
            await each.has_come.wait()
        yield abuser
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
