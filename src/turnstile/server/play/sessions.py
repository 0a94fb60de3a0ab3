"""All connections of a server: who may connect, whose token has become void, and the end of all of them."""

import asyncio
import logging
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from turnstile.kernel.values import PlayerId
from turnstile.server.door import CLOSE, read_headers
from turnstile.server.errors import Code, Problem
from turnstile.server.limits import LimitName
from turnstile.server.play.closing import CloseCode, Closed
from turnstile.server.play.session import Session
from turnstile.server.play.socket import PlaySocket
from turnstile.store.protocol import StoreFault

if TYPE_CHECKING:
    from turnstile.server.server import Server

log = logging.getLogger("turnstile.server")

PLAY_PATH = "/api/play"
CHECK_EVERY = 3.0  # seconds between two checks of all tokens
CHECK_COUNTS = 6.0  # seconds after a check in which a command needs no other


class Connected(Protocol):
    """A connection: a WebSocket, or a stream over HTTP."""

    address: str
    token: bytes | None

    @property
    def player(self) -> PlayerId | None: ...

    def end(self, closed: Closed) -> None: ...


def overloaded() -> Problem:
    return Problem(Code.OVERLOADED, "This server cannot take more connections now.", seconds=1.0, headers=CLOSE)


def too_many() -> Problem:
    message = "Too many connections from one address."
    return Problem(Code.TOO_FAST, message, limit="connections", seconds=1.0, headers=CLOSE)


class Sessions:
    """The connections of one server."""

    def __init__(self, server: "Server") -> None:
        self._server = server
        self._tasks: dict[asyncio.Task[None], Session] = {}
        self._connected: set[Connected] = set()
        self._sockets: set[PlaySocket] = set()
        self._all_gone = asyncio.Event()
        self._by_address: Counter[str] = Counter()
        self._checked = 0.0
        """When the last check of all tokens began."""
        self._is_shared = server.host.store.is_shared
        limit = server.limits.table[LimitName.FRAMES]
        self.frame_rate = limit.rate, limit.burst

    def __len__(self) -> int:
        return len(self._connected)

    # coming

    def admit(self, path: str, headers: Sequence[tuple[bytes, bytes]], peer: Any) -> str:
        """The address that a WebSocket comes from, if it may be opened. Raises `Problem`."""
        found, server = read_headers(headers), self._server
        server.door.check(found)
        if path.partition("?")[0] != PLAY_PATH:
            raise Problem(Code.NOT_FOUND, f"There is a WebSocket at {PLAY_PATH} only.")
        address = server.door.address_of({"client": peer}, found)
        server.limits.take(LimitName.CONNECTIONS, address)
        self.check_room(address)
        return address

    def check_room(self, address: str) -> None:
        """Refuse one connection more than an address, or the server, may have. Raises `Problem`."""
        settings = self._server.settings
        if self._server.is_stopping or len(self._connected) >= settings.most_connections:
            raise overloaded()
        if self._by_address[address] >= settings.most_connections_per_address:
            raise too_many()

    def count_refusal(self, problem: Problem) -> None:
        """A WebSocket was refused before it was opened."""
        self._server.counts.count_error(problem.code)

    def open(self, socket: PlaySocket, address: str) -> Session:
        """A new session, which runs until its connection ends."""
        session = Session(self._server, socket, address)
        self._sockets.add(socket)
        self.add(session)
        task = asyncio.create_task(session.run())
        self._tasks[task] = session
        task.add_done_callback(self._has_ended)
        self._server.counts.opened += 1
        return session

    def _has_ended(self, task: asyncio.Task[None]) -> None:
        self.discard(self._tasks.pop(task))

    def add(self, connected: Connected) -> None:
        self._connected.add(connected)
        self._by_address[connected.address] += 1
        if self._server.is_stopping:  # it was being opened when `stop` told the others
            connected.end(Closed(CloseCode.STOPPING))

    def discard(self, connected: Connected) -> None:
        self._connected.discard(connected)
        self._by_address[connected.address] -= 1
        if not self._by_address[connected.address]:
            del self._by_address[connected.address]

    # going

    def log_out(self, player: PlayerId) -> None:
        """Close all connections of a player."""
        for connected in tuple(self._connected):
            if connected.player == player:
                connected.end(Closed(CloseCode.TOKEN_EXPIRED))

    async def keep_checking(self) -> None:
        """Close the connections whose token has become void: by another process, or while they were being opened."""
        while True:
            await asyncio.sleep(CHECK_EVERY)
            began = asyncio.get_running_loop().time()
            tokens = {connected.token for connected in self._connected} - {None}
            try:
                valid = await self._server.people.valid_tokens([token for token in tokens if token is not None])
            except StoreFault as fault:
                log.warning("The store: %s", fault)
                continue
            self._checked = began
            for connected in tuple(self._connected):
                if connected.token is not None and connected.token in tokens and connected.token not in valid:
                    connected.end(Closed(CloseCode.TOKEN_EXPIRED))

    def is_recently_checked(self, session: Session) -> bool:
        """Whether the token of a session is known to be valid now. Every command asks for this.

        A process that voids a token closes its own connections at once, so only what others may void must be checked.
        """
        if not self._is_shared:
            return True
        return asyncio.get_running_loop().time() - max(self._checked, session.checked) <= CHECK_COUNTS

    async def check_token(self, session: Session) -> None:
        """Ask the directory whether the token of a session is valid. Raises `Closed`."""
        if session.token is not None:
            began = asyncio.get_running_loop().time()
            if session.token not in await self._server.people.valid_tokens([session.token]):
                raise Closed(CloseCode.TOKEN_EXPIRED)
            session.checked = began

    async def stop(self) -> None:
        """Tell all clients to come back, and wait until they have heard it. Those who do not answer are cut off."""
        for connected in tuple(self._connected):
            connected.end(Closed(CloseCode.STOPPING))
        while self._tasks:
            await asyncio.wait(tuple(self._tasks))
        while self._sockets:
            self._all_gone.clear()
            await self._all_gone.wait()

    def forget(self, socket: PlaySocket) -> None:
        """The connection is gone."""
        self._sockets.discard(socket)
        if not self._sockets:
            self._all_gone.set()
