"""An agent as a process: its store, its door, its journal, its beginning and its end.

Players, referees and the league manager each add their own part in a module of their own.
"""

import asyncio
import os
import re
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import urlsplit

import msgspec
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from turnstile.agents.launch.defaults import MANAGER_URL
from turnstile.agents.process.journal import Journal
from turnstile.agents.process.logs import own_prefix
from turnstile.agents.process.manager_auth import BAD_TOKEN
from turnstile.agents.process.runtime import DONE, STOPPING, Agent, Stopped
from turnstile.agents.wire.caller import Caller
from turnstile.agents.wire.door import LOCAL_HOSTS, NO_POSTS, Door
from turnstile.agents.wire.envelope import Identity, ignored
from turnstile.agents.wire.exchange import Reply
from turnstile.agents.wire.incoming import Incoming
from turnstile.agents.wire.remarks import Remarks, remark_context
from turnstile.kernel.values import LogId
from turnstile.league.protocol.management import LeagueError, ShutdownAck, ShutdownCommand
from turnstile.league.protocol.messages import LeagueMessage
from turnstile.league.protocol.words import Address
from turnstile.league.registering import NOT_REGISTERED
from turnstile.net.addresses import THIS_MACHINE, Reach
from turnstile.net.limits import Quota
from turnstile.net.prometheus import CONTENT_TYPE
from turnstile.net.serving import Serving, serve
from turnstile.store.opening import open_store
from turnstile.store.protocol import CannotOpen, InUse, Store

AGAIN_SECONDS = 0.1  # before a store that is in use is tried again
GRACE_SECONDS = 0.5  # after the end, for the last exchanges to be answered
ITS_LEAGUE_IS_OVER = "Its league is over. It can take part in another one under another --name, or with other --data."


SHUT = PlainTextResponse(STOPPING, 503)


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How an agent is run, of whichever kind it is."""

    name: str
    data: Path = Path("SHARED")
    """The folder with the files that others read. The agent's own log is in it, too, unless `store` says where."""
    host: str = "127.0.0.1"
    port: int = 0
    """Where it listens. 0 is any port that is free, and after a restart the same as before."""
    endpoint: str | None = None
    """How others reach it, where that is not by host and port."""
    manager: str = MANAGER_URL
    time_scale: float = 1.0
    """By how much all timers are shortened. A machine keeps the scale at which it began."""
    store: str | None = None
    patience: float = 0.0
    """For how many seconds it waits for a store that another process has: the one before it may be ending."""
    reach: Reach = THIS_MACHINE
    accepts_shutdown: bool = False
    """Whether it obeys SHUTDOWN_COMMAND, which is unknown to it otherwise."""
    log: Any = sys.stderr
    log_as_json: bool = False


class Ready(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the launcher of an agent wants to know."""

    role: str
    name: str
    endpoint: str
    port: int
    pid: int
    hint: str | None = None
    """What the user has to do next, if anything."""


class CannotStart(Exception):
    """Why an agent cannot be started; the sentence is for its user."""


class AgentProcess:
    """One agent. `run` is its life; it ends when it is told to stop, or by itself."""

    role: str
    takes: tuple[type[LeagueMessage], ...]
    is_orderly = False
    quota = (100, 500)
    """How much one agent may ask of this one: so many a second, and so many at once."""
    posts: Mapping[str, type[LeagueMessage]] = NO_POSTS
    """Further paths at which a message may be posted without a frame."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.who = Identity(Address(f"{self.role}:{plain(settings.name)}"))
        self.failure: str | None = None
        """Why it has ended by itself, if that is an error."""
        self._reached_at: str | None = None
        """The endpoint at which the agent was reached before it was started again."""
        self._has_begun = False
        self._is_open = asyncio.Event()
        self._ended = asyncio.Event()

    # what each kind of agent fills in

    agent: Agent
    endpoint: str

    async def restore(self, store: Store) -> str | None:
        """Read the log, if there is one: the endpoint at which the agent was reached before."""
        raise NotImplementedError

    async def begin(self, endpoint: str) -> None:
        """Take up the machines, the restored ones or new ones."""
        raise NotImplementedError

    async def handle(self, incoming: Incoming) -> Reply:
        """Answer a message."""
        raise NotImplementedError

    def is_from_its_manager(self, incoming: Incoming) -> bool:
        """Whether the league manager of this agent says this, as far as the agent knows."""
        return False

    async def part(self) -> None:
        """Say the last words, while others can still be called."""

    def hint(self) -> str | None:
        """What the user has to do for the agent, if anything."""
        return None

    def health(self) -> Mapping[str, Any]:
        return {}

    def routes(self) -> Sequence[BaseRoute]:
        return ()

    def stop(self) -> None:
        """Take no more requests, and answer those that wait."""
        self.agent.stop()

    # its life

    async def run(self, stop: asyncio.Event, ready: Callable[[Ready], None]) -> None:
        """Work until `stop` is set, or until there is nothing more to do. Raises `CannotStart`."""
        try:
            store = await self._opened(stop)
        except CannotOpen as fault:
            raise CannotStart(f"The log of the {self.role} {self.settings.name} cannot be opened: {fault}") from None
        try:
            async with Caller(self.settings.reach) as caller:
                await self._run(store, caller, stop, ready)
        finally:
            await store.close()

    async def _opened(self, stop: asyncio.Event) -> Store:
        loop = asyncio.get_running_loop()
        until = loop.time() + self.settings.patience
        while True:
            try:
                return await open_store(self._store_path())
            except InUse:
                if stop.is_set() or loop.time() >= until:
                    raise
            await asyncio.sleep(AGAIN_SECONDS)

    async def _run(self, store: Store, caller: Caller, stop: asyncio.Event, ready: Callable[[Ready], None]) -> None:
        out: TextIO = self.settings.log
        journal = Journal(self.settings.name, out, store.now, as_json=self.settings.log_as_json)
        self.agent = Agent(store, caller, self.who, journal, is_orderly=self.is_orderly)
        self._remarks = Remarks(journal.remark)
        with remark_context(self._remarks):
            await self._work(store, stop, ready)

    async def _work(self, store: Store, stop: asyncio.Event, ready: Callable[[Ready], None]) -> None:
        if not await _done(self._restored(store), stop):
            return
        serving = await self._listening(self._port(self._reached_at))
        try:
            self.endpoint = self._endpoint(self._reached_at, serving.port)
            async with self.agent.working():
                if not await _done(self.begin(self.endpoint), stop):
                    return
                self._has_begun = True
                self._is_open.set()
                is_over = self._ended.is_set() and self.failure is None
                hint = ITS_LEAGUE_IS_OVER if is_over else self.hint()
                ready(Ready(self.role, self.settings.name, self.endpoint, serving.port, os.getpid(), hint))
                await self._until_over(stop)
                await self.part()
                self.stop()
                await serving.stop()  # while what is being answered can still be stored
        finally:
            self.stop()
            self._is_open.set()
            await serving.stop()

    async def _restored(self, store: Store) -> None:
        self._reached_at = await self.restore(store)

    async def _listening(self, port: int) -> Serving:
        door = self._door()

        async def once_open(scope: Scope, receive: Receive, send: Send) -> None:
            """Requests wait while the log is still being read. They are refused if the agent is stopped meanwhile."""
            await self._is_open.wait()
            with remark_context(self._remarks):
                await (door if self._has_begun else SHUT)(scope, receive, send)

        try:
            return await serve(once_open, self.settings.host, port)
        except OSError as fault:
            raise CannotStart(f"{self.settings.host}:{port} cannot be listened on: {fault.strerror}.") from None

    async def _until_over(self, stop: asyncio.Event) -> None:
        """Wait for the end. One that comes by itself leaves a moment for the last answers to go out."""
        waits = [asyncio.ensure_future(event.wait()) for event in (stop, self._ended)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            if not stop.is_set():
                await asyncio.wait(waits[:1], timeout=GRACE_SECONDS)
        finally:
            for wait in waits:
                wait.cancel()

    def end(self, failure: str | None = None) -> None:
        """There is nothing more to do; or nothing more can be done, and why."""
        if failure == NOT_REGISTERED:
            why = self.agent.journal.trouble or "no answer in time"
            failure = f"{failure} at {self.settings.manager}: {why}"
        self.failure = self.failure or failure
        self._ended.set()

    # where it is

    @property
    def _log(self) -> LogId:
        """The id of the agent's own log."""
        return LogId(own_prefix(self.role, self.settings.name))

    def _store_path(self) -> str:
        if self.settings.store is not None:
            return self.settings.store
        folder = self.settings.data / "state"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)  # logs have tokens and seeds in them
        return str(folder / f"{self.role}-{slug(self.settings.name)}.db")

    def _port(self, before: str | None) -> int:
        known = None if before is None or self.settings.endpoint is not None else urlsplit(before).port
        return self.settings.port or known or 0

    def _endpoint(self, before: str | None, port: int) -> str:
        """How the agent is reached, which must be as before: others have been told."""
        host = f"[{self.settings.host}]" if ":" in self.settings.host else self.settings.host
        endpoint = self.settings.endpoint or f"http://{host}:{port}/mcp"
        if before is not None and before != endpoint:
            named = "--league" if self.role == "manager" else "--name"
            raise CannotStart(
                f"{self.settings.name} has taken part in its league as {before}, and would now be {endpoint}. "
                f"Start it where it was, or with another {named}, or with another --data."
            )
        return endpoint

    def is_own(self, endpoint: str) -> bool:
        """Whether this endpoint is the agent's own."""
        own, other = urlsplit(self.endpoint), urlsplit(endpoint)
        return own.port == other.port and other.hostname in {*self._hosts, own.hostname}

    @property
    def _hosts(self) -> tuple[str, ...]:
        """The names of this host, as far as they are known."""
        named = urlsplit(self.settings.endpoint or "").hostname
        return (*LOCAL_HOSTS, self.settings.host, *([named] if named else ()))

    def _door(self) -> Door:
        metrics = Route("/metrics", self._metrics)
        return Door(
            self.who,
            (*self.takes, ShutdownCommand) if self.settings.accepts_shutdown else self.takes,
            self._handle,
            hosts=self._hosts,
            per_agent=Quota(*self.quota),
            posts=self.posts,
            routes=(metrics, *self.routes()),
            health=self._health,
        )

    async def _handle(self, incoming: Incoming) -> Reply:
        try:
            match incoming.message:
                case ShutdownCommand():
                    reply = self._shut_down(incoming)
                case LeagueError():
                    self.agent.journal.received(None, incoming.message, incoming.origin)
                    reply = DONE
                case _:
                    reply = await self.handle(incoming)
        except Stopped:
            reply = ignored(STOPPING)
        self.agent.replied(incoming.message, reply, incoming.origin)
        return reply

    def _shut_down(self, incoming: Incoming) -> Reply:
        """End, if the league manager wants it. Started again, the agent goes on where it was."""
        message, by = incoming.message, incoming.origin
        if not self.is_from_its_manager(incoming):
            return self.agent.turn_down(message, by, BAD_TOKEN)
        self.agent.journal.received(None, message, by)
        self.agent.journal.warning("The league manager shuts this agent down.")
        self.end()
        return ShutdownAck()

    def _health(self) -> Mapping[str, Any]:
        journal = self.agent.journal
        who = {"role": self.role, "agent": journal.agent, "log_lines_lost": journal.lines_lost}
        return {**who, **self.agent.meter.summary(), **self.health()}

    async def _metrics(self, request: Request) -> PlainTextResponse:
        return PlainTextResponse(self.agent.meter.prometheus(), media_type=CONTENT_TYPE)


async def _done(work: Coroutine[Any, Any, None], stop: asyncio.Event) -> bool:
    """Do something to its end, unless the agent is stopped before: a store that can store nothing may take for ever."""
    task, stopping = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait([task, stopping], return_when=asyncio.FIRST_COMPLETED)
    finally:
        is_done = task.done()
        stopping.cancel()
        task.cancel()
        await asyncio.wait([task])
    if is_done:
        task.result()
    return is_done


def plain(name: str) -> str:
    """A name as part of an address, while there is no id: in lower case, and with hyphens for blanks."""
    return "-".join(name.lower().split())


def slug(name: str) -> str:
    """A name in lower case, as part of a file's name. One that is lost in this gets a mark."""
    kept = re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-")[:40]
    return kept if kept == name.lower() else f"{kept}-{sha256(name.encode()).hexdigest()[:8]}".lstrip("-")
