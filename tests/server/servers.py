"""Real servers on real sockets, and small clients for the tests."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pytest
from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType

from tests.agents.loops import current, pass_time
from tests.host.matches import at_once
from turnstile.host import Host
from turnstile.server import Running, Server, ServerSettings, serving
from turnstile.server.app import ALL_ENDPOINTS
from turnstile.server.endpoint import Routes
from turnstile.server.people import KNOWN_SECONDS
from turnstile.store.directory import Directory, DirectoryStore, RegisteredPlayer
from turnstile.store.memory import Disk, MemoryStore

ROUTES = Routes(ALL_ENDPOINTS)
SETTINGS = ServerSettings(port=0, operations_port=0, dev=True)


class Site:
    """A running server, and a client that calls it."""

    def __init__(self, running: Running, client: ClientSession, stack: AsyncExitStack, disk: Disk) -> None:
        self.running = running
        self.disk = disk
        self.stop = stack.aclose
        self.wires: list[Wire] = []
        self.server = running.server
        self.client = client
        self.url = running.url

    async def ask(
        self, method: str, path: str, body: Any = None, *, token: str | None = None, status: int = 200, **rest: Any
    ) -> Any:
        """The answer of the HTTP interface, which must have this status."""
        headers = {**rest.pop("headers", {}), **({} if token is None else {"Authorization": f"Bearer {token}"})}
        given = {} if body is None else {"json": body}
        async with self.client.request(method, self.url + path, headers=headers, **given, **rest) as response:
            text = await response.text()
            assert response.status == status, (response.status, text)
            return json.loads(text) if text else None

    async def refusal(self, method: str, path: str, body: Any = None, **rest: Any) -> tuple[int, str]:
        """The status and the code with which a request is refused."""
        token = rest.pop("token", None)
        headers = {**rest.pop("headers", {}), **({} if token is None else {"Authorization": f"Bearer {token}"})}
        given = {} if body is None else {"json": body}
        async with self.client.request(method, self.url + path, headers=headers, **given, **rest) as response:
            told = json.loads(await response.text())
            assert set(told) == {"error"}, told
            check_contract(method, path, told["error"]["code"])
            assert told["error"]["message"].endswith("."), told
            return response.status, told["error"]["code"]

    async def register(self, name: str) -> "Guest":
        found = await self.ask("POST", "/api/players", {"name": name}, status=201)
        return Guest(self, found["player"], found["token"])

    async def socket(self, **rest: Any) -> "Wire":
        wire = Wire(await self.client.ws_connect(self.url + "/api/play", **rest))
        self.wires.append(wire)
        return wire

    async def table(self, *guests: "Guest", game: str = "e-card", **rest: Any) -> str:
        """A table that the first of these opens and the others join."""
        admin, *others = guests
        opened = await admin.ask("POST", "/api/tables", {"game": game, **rest}, status=201)
        for guest in others:
            await guest.command(opened["table"], "join", invite=opened["invite"])
        return str(opened["table"])


def check_contract(method: str, path: str, code: str) -> None:
    """Every code with which an endpoint refuses is in its contract, unless those of tables and games pass through."""
    endpoint = ROUTES.find(urlsplit(path).path).methods.get(method)
    if endpoint is not None and not endpoint.is_open_ended:
        assert code in endpoint.all_errors, f"{code} is not among the errors of {endpoint.name}"


class Guest:
    """A registered player."""

    def __init__(self, site: Site, player: str, token: str) -> None:
        self.site, self.player, self.token = site, player, token
        self._ids = itertools.count(1)

    async def ask(self, method: str, path: str, body: Any = None, **rest: Any) -> Any:
        return await self.site.ask(method, path, body, token=self.token, **rest)

    async def refusal(self, method: str, path: str, body: Any = None, **rest: Any) -> tuple[int, str]:
        return await self.site.refusal(method, path, body, token=self.token, **rest)

    async def command(self, table: str, type_: str, **rest: Any) -> Any:
        body = {"type": type_, "id": f"c{next(self._ids)}", **rest}
        return await self.ask("POST", f"/api/tables/{table}/commands", body)

    async def hello(self, table: str, last: int | None = None, history: str | None = None) -> "Wire":
        """A WebSocket that has said hello, and was welcomed."""
        wire = await self.site.socket()
        await wire.hello(table, self.token, last, history)
        return wire


class Wire:
    """A WebSocket as a client sees it."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self.socket = socket
        self.welcomed: Any = None
        self.seq = 0

    async def send(self, type_: str, **fields: Any) -> None:
        await self.socket.send_str(json.dumps({"type": type_, **fields}))

    async def hello(
        self, table: str, token: str | None = None, last: int | None = None, history: str | None = None
    ) -> Any:
        given = {"token": token, "last": last, "history": history}
        await self.send("hello", v=1, table=table, **{name: each for name, each in given.items() if each is not None})
        self.welcomed = await self.until("welcome")
        return self.welcomed

    async def next(self) -> Any:
        """The next frame."""
        message = await self.socket.receive()
        assert message.type is WSMsgType.TEXT, message
        frame = json.loads(message.data)
        if frame["type"] == "update":
            self.seq = frame["seq"]
        return frame

    async def until(self, type_: str) -> Any:
        """The next frame of this type."""
        while (frame := await self.next())["type"] != type_:
            assert frame["type"] != "bye", frame
        return frame

    async def closed(self) -> int:
        """Read to the end; the code with which the connection was closed. A `bye` says the same before."""
        bye = None
        while (message := await self.socket.receive()).type is WSMsgType.TEXT:
            frame = json.loads(message.data)
            bye = frame if frame["type"] == "bye" else bye
        assert message.type is WSMsgType.CLOSE, message
        assert bye is not None, message
        assert bye["code"] == message.data
        return int(message.data)

    async def drop(self, frame: Any) -> None:
        """Send any text."""
        await self.socket.send_str(frame)

    async def until_actions(self) -> Any:
        """Acknowledge every update, until one has actions."""
        while True:
            update = await self.until("update")
            await self.send("ack", upto=update["seq"])
            if update["actions"]:
                return update

    async def close(self) -> None:
        await self.socket.close()


@asynccontextmanager
async def site(settings: ServerSettings = SETTINGS, store: DirectoryStore | None = None) -> AsyncIterator[Site]:
    """A server on a store in memory, whose clock is the loop's, with a client."""
    loop = current()
    disk = Disk()
    store = store or MemoryStore(lambda: round(loop.time() * 1000), disk, is_shared=False)
    host = Host(store, think=at_once, chance=Random(7), longest_step=settings.step_seconds)
    server = Server(host, store.directory, settings, loop.time)
    timeout, connector = aiohttp.ClientTimeout(total=None), aiohttp.TCPConnector(force_close=True, limit=0)
    async with ClientSession(timeout=timeout, connector=connector) as client, AsyncExitStack() as stack:
        running = await stack.enter_async_context(serving(server))
        here = Site(running, client, stack, disk)
        yield here
        await asyncio.gather(*(wire.close() for wire in here.wires))


class LateAnswer:
    """The answer of a store that is late: `asked` says that the question has come, `answered` lets it be answered."""

    def __init__(self) -> None:
        self.asked, self.answered = asyncio.Event(), asyncio.Event()


def answer_late(monkeypatch: pytest.MonkeyPatch, directory: Directory) -> LateAnswer:
    """Let the directory say late which player a token belongs to. All tokens that were asked for are forgotten."""
    late, find = LateAnswer(), directory.player_by_token

    async def find_late(token: bytes) -> RegisteredPlayer | None:
        late.asked.set()
        await late.answered.wait()
        return await find(token)

    monkeypatch.setattr(directory, "player_by_token", find_late)
    pass_time(KNOWN_SECONDS)
    return late
