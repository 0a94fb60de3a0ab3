"""An HTTP server in this process: starts listening on a port, and stops again."""

import asyncio
import gc
import socket
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TypeVar

import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from turnstile.net.crowd import Crowd

HEAD_SECONDS = 10.0
MOST_HEAD_BYTES = 32 * 1024
MOST_CONNECTIONS = 4096
GRACE_SECONDS = 5
BEHIND_SECONDS = 30.0  # in which a client must read something of what waits for it
ABORT_SECONDS = 0.1  # for a task to notice that its connection was aborted

ABORT = "turnstile.abort"
"""The extension of a scope that cuts a connection off at once: a client that reads nothing would keep it open."""

UNAVAILABLE = PlainTextResponse("Service Unavailable", 503, headers={"Connection": "close"})

T = TypeVar("T")

SWITCH_SECONDS = 0.0005
"""How soon a thread must let another one run: the event loop waits less for a bot that thinks, and the writer of the
store less for the event loop."""

WebSocketProtocol = Callable[..., asyncio.Protocol]
"""Makes the protocol of a connection that becomes a WebSocket; uvicorn gives it `config` and `server_state`."""


def new_event_loop() -> asyncio.AbstractEventLoop:
    """A loop of uvloop, where it is available."""
    if sys.platform == "win32":
        return asyncio.new_event_loop()
    import uvloop

    return uvloop.new_event_loop()


def run(main: Coroutine[object, object, T]) -> T:
    """Run a process to its end."""
    collect_garbage_rarely()
    sys.setswitchinterval(SWITCH_SECONDS)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(main)


def collect_garbage_rarely() -> None:
    """Let the collector run less often than by default, and leave alone what was imported.

    Values are frozen, so almost nothing that a server makes is part of a cycle.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


class CannotListen(OSError):
    """An address cannot be used, such as one that another process listens on."""

    def __str__(self) -> str:
        return f"{self.filename} cannot be listened on: {self.strerror}."


class Serving:
    """A running server."""

    def __init__(self, server: "_Server", task: asyncio.Task[None], port: int) -> None:
        self._server = server
        self._task = task
        self.port = port

    async def stop(self) -> None:
        """Accept no more requests, give those in progress some time to finish, and close."""
        self._server.leaving.set()
        await self._task

    async def ended(self) -> None:
        """Wait until the server has stopped."""
        await asyncio.shield(self._task)


async def serve(
    app: ASGIApp,
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    head_seconds: float = HEAD_SECONDS,
    grace_seconds: float = GRACE_SECONDS,
    most_connections: int = MOST_CONNECTIONS,
    overloaded: ASGIApp = UNAVAILABLE,
    crowd: Crowd | None = None,
    websocket: WebSocketProtocol | None = None,
) -> Serving:
    """Listen on `host`; port 0 is any that is free. Raises `CannotListen`, for example if the port is taken.

    `head_seconds`: how long a client may take to send the headers of a request.
    `grace_seconds`: how long what is under way may take to finish, once the server is to stop.
    `overloaded`: answers the requests that come while there are `most_connections`.
    `crowd`: limits the connections of one address.
    `websocket`: the protocol of WebSockets; without one there are none.
    """
    listener = _listening(host, port)
    given = {"head_seconds": head_seconds, "most": most_connections, "overloaded": overloaded, "crowd": crowd}
    server = _Server(app, type("Prompt", (_Prompt,), given), grace_seconds, websocket)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    ready = asyncio.create_task(server.ready.wait())
    await asyncio.wait({task, ready}, return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        ready.cancel()
        await task  # raises the reason why it did not start
    return Serving(server, task, listener.getsockname()[1])


@asynccontextmanager
async def served(app: ASGIApp, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[Serving]:
    """The same, for the duration of a `with` block."""
    serving = await serve(app, host, port)
    try:
        yield serving
    finally:
        await serving.stop()


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # asyncio delays small writes otherwise
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except OSError as fault:
        listener.close()
        raise CannotListen(fault.errno, fault.strerror, f"{host}:{port}") from None
    return listener


class _Server(uvicorn.Server):
    """Installs no signal handlers, which are the process's business, and wakes up at once when it must stop."""

    def __init__(
        self,
        app: ASGIApp,
        protocol: type["_Prompt"],
        grace_seconds: float,
        websocket: WebSocketProtocol | None,
    ) -> None:
        config = uvicorn.Config(
            app,
            http=protocol,
            ws="none" if websocket is None else websocket,  # type: ignore[arg-type]  # any callable serves
            lifespan="off",
            interface="asgi3",
            log_config=None,
            access_log=False,
            proxy_headers=False,  # the peer's own address counts, not a header that it sends
            server_header=False,
            date_header=False,
        )
        super().__init__(config)
        self.grace_seconds = grace_seconds
        self.ready = asyncio.Event()
        self.leaving = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    async def main_loop(self) -> None:
        await self.leaving.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop as soon as the requests in progress have finished, instead of at the next tick."""
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        late = set(self.server_state.tasks)
        if late:
            _, late = await asyncio.wait(late, timeout=self.grace_seconds)
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        if late:  # a task that waits for its client ends by itself now; uvicorn logs a cancelled one as a fault
            _, late = await asyncio.wait(late, timeout=ABORT_SECONDS)
        for task in late:
            task.cancel()
        await asyncio.sleep(0)  # lets the connections notice that they are lost


class _Prompt(HttpToolsProtocol):
    """Closes connections that send nothing, send their headers too slowly or send too many, or read nothing."""

    head_seconds = HEAD_SECONDS
    most = MOST_CONNECTIONS
    overloaded: ASGIApp
    crowd: Crowd | None = None
    _address: str | None = None
    """The address under which the crowd counts this connection, while it does."""
    _deadline: asyncio.TimerHandle | None = None
    _behind: asyncio.TimerHandle | None = None
    _come = 0
    """Bytes received while the headers were incomplete."""
    _read = 0
    """Bytes of headers parsed so far: they may have arrived in one piece."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect()
        if self.crowd is not None and self.client is not None:
            self._enter(self.crowd, self.client[0])

    def _enter(self, crowd: Crowd, address: str) -> None:
        if crowd.enter(address):
            self._address = address
        else:
            self.transport.write(crowd.turn_away())
            self.transport.close()

    def _leave(self) -> None:
        if self.crowd is not None and self._address is not None:
            self.crowd.leave(self._address)
            self._address = None

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = {ABORT: self.transport.abort}  # type: ignore[dict-item]  # any value is allowed
        self._expect()

    def on_url(self, url: bytes) -> None:
        self._weigh(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._weigh(len(name) + len(value))
        super().on_header(name, value)

    def _weigh(self, more: int) -> None:
        self._read += more
        if self._read > MOST_HEAD_BYTES:
            raise ValueError("too many headers")  # answered like any invalid request

    def on_headers_complete(self) -> None:
        self._expect_nothing()
        is_full = len(self.connections) >= self.most
        self.app = type(self).overloaded if is_full else self.config.loaded_app
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._deadline is not None:
            self._come += len(data)
            if self._come > MOST_HEAD_BYTES:
                self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_reader(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        super().resume_writing()
        self._forget_reader()

    def _watch_reader(self, waiting: int) -> None:
        """Look later whether the client has read some of the bytes that wait for it now."""
        self._behind = self.loop.call_later(BEHIND_SECONDS, self._look_at_reader, waiting)

    def _look_at_reader(self, before: int) -> None:
        waiting = self.transport.get_write_buffer_size()
        if waiting < before:
            self._watch_reader(waiting)
        else:
            self.transport.abort()

    def _forget_reader(self) -> None:
        if self._behind is not None:
            self._behind.cancel()
            self._behind = None

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect_nothing()
        self._forget_reader()
        self._leave()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over. This and its parser let go of each other, so that no garbage is left."""
        self._leave()
        self._forget_reader()
        super().handle_websocket_upgrade()
        self.parser = None  # type: ignore[assignment]  # as uvicorn does when a connection is lost

    def _expect(self) -> None:
        self._expect_nothing()
        self._come = self._read = 0
        self._deadline = self.loop.call_later(self.head_seconds, self.transport.close)

    def _expect_nothing(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
