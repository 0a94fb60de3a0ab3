"""Clients that play over real sockets with hosts that die: honest, stubborn, and keeping a history."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from random import Random
from typing import Any

from tests.host.processes.history import History
from tests.reading import LineReader
from turnstile.kernel.values import LogId, PlayerId, encode

TOO_SOON = {"AcksMissing", "StaleVersion"}
"""Refusals after which there is more to hear; then a client decides anew."""

NOT_NOW = {"Busy", "OutcomeUnknown", "StorageFull", "Stopping"}
"""Refusals of a host that cannot now. Nothing need follow them: a client comes again."""


class Gone(Exception):
    """No host answers, or none that can do it; what was asked may have happened or not."""


class Connection:
    """One connection to one host: requests that wait for their answers, and updates that come by themselves."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._asked: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.frames: asyncio.Queue[tuple[dict[str, Any], bytes] | None] = asyncio.Queue()
        self._listening = asyncio.create_task(self._listen())
        self._is_over = False

    @classmethod
    async def to(cls, socket: str) -> "Connection":
        try:
            return cls(*await asyncio.open_unix_connection(socket, limit=1 << 22))
        except OSError as fault:
            raise Gone(str(fault)) from fault

    async def ask(self, **request: Any) -> dict[str, Any]:
        if self._is_over:
            raise Gone("the connection has ended")
        number = len(self._asked) + 1
        self._asked[number] = asyncio.get_running_loop().create_future()
        try:
            self._writer.write(encode({"n": number, **request}) + b"\n")
            await self._writer.drain()
        except OSError as fault:
            raise Gone(str(fault)) from fault
        return await self._asked[number]

    async def _listen(self) -> None:
        try:
            while (line := await self._reader.readline()).endswith(b"\n"):
                frame = json.loads(line)
                if "n" in frame:
                    if not self._asked[frame["n"]].done():  # else it was given up
                        self._asked[frame["n"]].set_result(frame)
                else:
                    self.frames.put_nowait((frame, line))
        except OSError:
            pass  # the other end died in the middle of a line: the same as its end
        self._give_up()

    def _give_up(self) -> None:
        """Nothing more will come."""
        self._is_over = True
        for waiting in self._asked.values():
            if not waiting.done():
                waiting.set_exception(Gone("the connection has ended"))
                waiting.exception()  # its caller may have gone, too
        self.frames.put_nowait(None)

    def hang_up(self) -> None:
        """End it; callers that wait for an answer learn that none will come."""
        self._listening.cancel()
        self._writer.close()
        self._give_up()

    async def close(self) -> None:
        self.hang_up()
        with suppress(OSError):  # the other end was killed
            await self._writer.wait_closed()


class Client:
    """A player who takes every update once, acknowledges it, and plays a random offered action, whatever breaks."""

    def __init__(self, table: LogId, player: PlayerId, sockets: Sequence[str], seed: int) -> None:
        self.history = History(table, player)
        self.table, self.player = table, player
        self.sockets = sockets
        self.chance = Random(seed)
        self.is_over = False
        self.socket = ""
        self._connection: Connection | None = None
        self._counter = 0
        self._actions: list[Any] = []
        self._phase = ""
        self._tried = 0
        """The newest update on which it has acted with success."""
        self._answered = 0
        """The newest update there was when its last move was accepted: what earlier ones offer is used up."""
        self._pending: dict[str, Any] | None = None
        """A command whose answer is not known: it is sent again, to any host that is there."""

    @property
    def seen(self) -> int:
        return len(self.history.updates)

    async def play(self) -> None:
        """Until the match is over."""
        while not self.is_over:
            try:
                self.socket = self.chance.choice(self.sockets)
                self._connection = await Connection.to(self.socket)
                try:
                    if self.socket in self.sockets:  # else it was paused just now
                        await self._converse(self._connection)
                finally:
                    await self._connection.close()
            except Gone:
                await asyncio.sleep(0.02)  # not in a hurry; nothing depends on how long

    def hang_up(self) -> None:
        """As if the line were dead: it will try another one."""
        if self._connection is not None:
            self._connection.hang_up()

    async def _converse(self, connection: Connection) -> None:
        asked = {"do": "attach", "table": self.table, "player": self.player, "after": self.seen}
        self._expect(await connection.ask(**asked))
        reader = LineReader()
        if self._pending is not None:
            await self._send(connection, self._pending)
        while not self.is_over and (found := await connection.frames.get()) is not None:
            await self._take(connection, reader, *found)
            await self._act(connection)

    async def _take(self, connection: Connection, reader: LineReader, frame: dict[str, Any], line: bytes) -> None:
        if "status" in frame:
            self._phase = frame["status"]["phase"]
            return
        update = frame["update"]
        body = reader.read(line[line.index(b'"update":') + len(b'"update":') : -2])
        if update["seq"] <= self.seen:
            return
        self.history.updates.append((update["seq"], body))
        self._actions = update["actions"]
        self.is_over = any(message["type"] == "MatchEnded" for message in update["messages"])
        self._expect(await connection.ask(do="ack", table=self.table, player=self.player, seq=self.seen))

    async def _act(self, connection: Connection) -> None:
        has_more_to_hear = self.seen < self._answered or self.seen == self._tried
        if not self._actions or self._phase != "Playing" or has_more_to_hear or self.is_over:
            return
        self._counter += 1
        command = {
            "type": "Act",
            "player": self.player,
            "id": f"{self._counter}",
            "at": 0,
            "move": self.chance.choice(self._actions),
            "seen": self.seen,
        }
        await self._send(connection, command)

    async def _send(self, connection: Connection, command: dict[str, Any]) -> None:
        is_first_try, self._pending = self._pending is None, command
        answer = await connection.ask(do="submit", table=self.table, command=command)
        self._pending = None
        if "ok" in answer:
            self.history.accepted.append((command["id"], answer["ok"]["seq"]))
            self._tried = max(self._tried, command["seen"])
            self._answered = max(self._answered, answer["ok"]["seq"])
            return
        code = answer["refused"]["error"]["code"]
        if code == "OutcomeUnknown":
            self._pending = command
        elif is_first_try:  # else the one before may still be under way, in a process that is slow to die
            self.history.refused.append(command["id"])
        if code not in TOO_SOON:
            self._expect(answer)

    def _expect(self, answer: dict[str, Any]) -> None:
        """It has been done; or the host cannot now, and is as good as gone."""
        if "refused" in answer:
            assert answer["refused"]["error"]["code"] in NOT_NOW, f"{self.player} at {self.table}: {answer}"
            raise Gone(answer["refused"]["error"]["message"])
