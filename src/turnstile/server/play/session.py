"""One WebSocket: what its client says, in order, and what its client is told.

Two tasks: one takes frames and answers them, the other carries the updates of the seat. Acknowledgements and answers
need no task of their own.
"""

import asyncio
import logging
from typing import TYPE_CHECKING, get_args

import msgspec

from turnstile.host import Ending, Refused, Update
from turnstile.host.answers import PASSING, TRY_AGAIN
from turnstile.kernel.values import LogId, PlayerId
from turnstile.net import strict_json
from turnstile.server.commands import AnyCommand, JoinCommand, LeaveCommand
from turnstile.server.errors import Code, ErrorDetails, Problem
from turnstile.server.limits import LimitName
from turnstile.server.people import Person, hash_of
from turnstile.server.play.closing import OF_ENDING, CloseCode, Closed, closed_by
from turnstile.server.play.frames import (
    VERSION,
    Ack,
    AnswerFrame,
    Bye,
    ClientFrame,
    ErrorFrame,
    Hello,
    Ping,
    Pong,
    Presence,
    Renew,
    ServerFrame,
    done_frame,
    frame_of,
    status_frame,
    update_frame,
)
from turnstile.server.play.socket import BINARY, Gone, PlaySocket
from turnstile.server.readers import Reader
from turnstile.server.tables import log_refusal
from turnstile.server.updates import welcome

if TYPE_CHECKING:
    from turnstile.server.server import Server

log = logging.getLogger("turnstile.server")

HELLO_SECONDS = 5.0
MOST_BAD_FRAMES = 10

_TAGS = {kind: str(kind.__struct_config__.tag) for kind in get_args(ClientFrame)}
_DECODER: msgspec.json.Decoder[ClientFrame] = msgspec.json.Decoder(ClientFrame)


class Session:
    """One connection, from its handshake to its end."""

    __slots__ = (
        "_bad_frames",
        "_beat",
        "_has_heard",
        "_is_moving",
        "_pump",
        "_reader",
        "_server",
        "_socket",
        "address",
        "checked",
        "is_ended",
        "person",
        "token",
    )

    def __init__(self, server: "Server", socket: PlaySocket, address: str) -> None:
        self._server = server
        self._socket = socket
        self.address = address
        self.person: Person | None = None
        self.token: bytes | None = None
        """The hash of the token of the last hello."""
        self.checked = 0.0
        """When the token was known to be valid, by the clock of the loop."""
        self._reader: Reader | None = None
        self._pump: asyncio.Task[None] | None = None
        self._beat: asyncio.TimerHandle | None = None
        self._has_heard = False
        self._is_moving = False
        """Whether its client joins or leaves the table, so that it goes on with another stream."""
        self._bad_frames = 0
        self.is_ended = False

    @property
    def player(self) -> PlayerId | None:
        return None if self.person is None else self.person.player

    # its life

    async def run(self) -> None:
        """Take frames until the connection ends."""
        self._beat = asyncio.get_running_loop().call_later(HELLO_SECONDS, self.end, Closed(CloseCode.NO_HELLO))
        try:
            while True:
                await self._take(await self._socket.receive())
        except Gone:
            pass
        except Closed as closed:
            self.end(closed)
        except PASSING as fault:
            log.warning("The store: %s", fault)
            self.end(Closed(CloseCode.OVERLOADED))
        except Exception:
            log.exception("A session has failed")
            self._server.counts.errors[Code.INTERNAL] += 1
            self.end(Closed(CloseCode.OVERLOADED))
        finally:
            self.end(Closed(CloseCode.DONE))
            self._stop_beat()  # a hello that was being answered when the connection ended has planned one
            self._stop_reading()

    def end(self, closed: Closed) -> None:
        """Say why, and close. The stream of the seat is kept."""
        if self.is_ended:
            return
        self.is_ended = True
        self._stop_beat()
        self._send(Bye(code=closed.code, retry_ms=closed.retry_ms, text=closed.text))
        self._socket.close(closed.code, closed.text)
        self._server.counts.closed[closed.code] += 1
        self._log("A WebSocket was closed", address=self.address, code=int(closed.code))

    def _log(self, message: str, **more: object) -> None:
        reader = self._reader
        where = {} if reader is None else {"table": reader.table, "seat": reader.player}
        log.info(message, extra={**where, **more})

    def _send(self, frame: ServerFrame) -> None:
        self._server.counts.frames_out += 1
        self._socket.send(frame_of(frame))

    # what the client says

    async def _take(self, written: bytes | None) -> None:
        if self.is_ended:
            raise Gone  # what came before the end, and was not taken, does not count
        self._has_heard = True
        if written is BINARY:
            return self._refuse(Code.BAD_FRAME, "Frames are text, not binary.")
        try:
            strict_json.check(written)
            frame = _DECODER.decode(written)
        except (strict_json.Unreadable, msgspec.DecodeError, UnicodeError) as fault:
            return self._refuse(Code.BAD_FRAME, f"Invalid frame: {fault}.")
        self._server.counts.frames_in[_TAGS[type(frame)]] += 1
        if isinstance(frame, Hello):
            return await self._greet(frame)
        if self._reader is None:
            raise Closed(CloseCode.BAD_FRAME, "Say hello first.")
        refused = None if frame.upto is None else await self._acknowledge(frame.upto)
        if refused is not None:
            return self._refuse_ack(frame, refused)
        if isinstance(frame, (Ack, Pong)):  # a tuple is made once, a union at each frame
            return None
        if isinstance(frame, Renew):
            return await self._renew(frame)
        if isinstance(frame, (JoinCommand, LeaveCommand)):
            return await self._change_seat(frame)
        return await self._command(frame)

    def _refuse(self, code: str, message: str) -> None:
        """Refuse a frame. The connection goes on, unless its client does not learn from it.

        A frame that the store could not take now is not invalid, and its client need not learn anything.
        """
        self._server.counts.count_error(code)
        self._bad_frames += code not in TRY_AGAIN
        if self._reader is None or self._bad_frames > MOST_BAD_FRAMES:
            raise Closed(CloseCode.BAD_FRAME, message)
        self._send(ErrorFrame(code=code, message=message))

    def _refuse_ack(self, frame: Ack | Pong | Renew | AnyCommand, refused: Refused) -> None:
        """Refuse a frame for the acknowledgement in it. Nothing else in it counts."""
        if isinstance(frame, (Ack, Pong, Renew)):
            self._refuse(refused.error.code, refused.error.sentence)
        else:
            self._answer_refusal(frame, refused)

    async def _greet(self, hello: Hello) -> None:
        """Open the stream that the client asks for, in place of the one before.

        A client that leaves meanwhile gets none: it may be back on a newer connection, which counts.
        """
        if hello.v != VERSION:
            raise Closed(CloseCode.OTHER_VERSION, f"This server speaks version {VERSION} of the protocol.")
        self._stop_reading()
        self._stop_beat()  # the hello has come: a store that is slow to answer it is not the client's fault
        try:
            async with self._socket.while_here():
                self.person = await self._server.authenticate(hello.token, self.address)
                self._keep_token(hello.token)
                self._server.limits.take(LimitName.HELLOS, self.player or self.address)
                await self._read(hello.table, hello.last, hello.history)
        except Problem as problem:
            self._server.counts.count_error(problem.code)
            raise closed_by(problem) from None

    async def _renew(self, frame: Renew) -> None:
        """Go on with another token of the same player."""
        try:
            person = await self._server.authenticate(frame.token, self.address)
        except Problem as problem:
            self._server.counts.count_error(problem.code)
            raise closed_by(problem) from None
        if person is None or person.player != self.player:
            raise Closed(CloseCode.BAD_TOKEN)
        self._keep_token(frame.token)

    def _keep_token(self, token: str | None) -> None:
        self.token = None if token is None else hash_of(token)
        self.checked = asyncio.get_running_loop().time()

    async def _acknowledge(self, upto: int) -> Refused | None:
        """The client has all updates up to this one. From a spectator it means nothing, and is ignored."""
        assert self._reader is not None, "the client has said hello"
        player = self._reader.player
        return None if player is None else await self._server.tables.acknowledge(self._reader.table, player, upto)

    async def _command(self, command: AnyCommand) -> None:
        reader, person = self._reader, self.person
        assert reader is not None, "the client has said hello"
        if person is None:
            log_refusal(reader.table, None, command, Code.NO_TOKEN)
            return self._answer_problem(command, Problem(Code.NO_TOKEN, "Spectators without a token cannot do that."))
        if wait := self._server.command_quota.wait_of(person.player):
            raise Closed(CloseCode.TOO_FAST, retry_ms=round(wait * 1000))
        if not self._server.sessions.is_recently_checked(self):
            await self._server.sessions.check_token(self)
        try:
            answer = await self._server.tables.submit(person, reader.table, command)
        except Problem as problem:
            return self._answer_problem(command, problem)
        if isinstance(answer, Refused):
            self._answer_refusal(command, answer)
        else:
            self._server.counts.frames_out += 1
            self._socket.send(done_frame(command.id, answer.seq))
        if not self._socket.is_writable:
            await self._socket.drain(self._server.settings.slow_seconds)
        return None

    def _answer_refusal(self, command: AnyCommand, refused: Refused) -> None:
        self._server.counts.count_error(refused.error.code)
        error = ErrorDetails(refused.error.code, refused.error.sentence)
        self._send(AnswerFrame(id=command.id, seq=refused.seq, error=error))

    def _answer_problem(self, command: AnyCommand, problem: Problem) -> None:
        self._server.counts.count_error(problem.code)
        self._send(AnswerFrame(id=command.id, seq=0, error=problem.details))

    async def _change_seat(self, command: JoinCommand | LeaveCommand) -> None:
        """Join, and read the stream of the seat from then on; or leave, and read that of the spectators."""
        reader = self._reader
        assert reader is not None, "the client has said hello"
        self._is_moving = True
        await self._command(command)
        self._is_moving = False
        if reader.line.closed is not Ending.SEAT_CHANGED:
            return
        self._stop_reading()
        try:
            await self._read(reader.table)
        except Problem as problem:
            raise closed_by(problem) from None

    # what the client is told

    async def _read(self, table: LogId, last: int | None = None, history: str | None = None) -> None:
        reader = self._reader = await self._server.readers.open(table, self.player, last, self._notice, history)
        self._send(welcome(self._server, reader))
        self._log("A WebSocket was welcomed", address=self.address)
        self._pump = asyncio.create_task(self._carry(reader))
        self._plan_beat()

    def _stop_reading(self) -> None:
        if self._pump is not None:
            self._pump.cancel()
            self._pump = None
        if self._reader is not None:
            self._server.readers.close(self._reader)
            self._reader = None

    async def _carry(self, reader: Reader) -> None:
        """Carry status and updates to the client, as fast as it reads them."""
        socket, counts, slow = self._socket, self._server.counts, self._server.settings.slow_seconds
        try:
            async for item in reader:
                socket.send(update_frame(item) if isinstance(item, Update) else status_frame(item.body))
                counts.frames_out += 1
                if not socket.is_writable:
                    await socket.drain(slow)
        except Closed as closed:
            self.end(closed)
        except Exception:
            log.exception("A stream has failed")
            self._server.counts.errors[Code.INTERNAL] += 1
            self.end(Closed(CloseCode.OVERLOADED))
        else:
            goes_on = self._is_moving and reader.ending is Ending.SEAT_CHANGED
            if reader.ending is not Ending.CLOSED and not goes_on:
                self.end(Closed(OF_ENDING[reader.ending]))

    def _notice(self, player: PlayerId, is_here: bool) -> None:
        self._send(Presence(player=player, here=is_here))

    # the beat

    def _stop_beat(self) -> None:
        if self._beat is not None:
            self._beat.cancel()

    def _plan_beat(self) -> None:
        self._stop_beat()
        self._has_heard = True
        seconds = self._server.settings.beat_seconds
        self._beat = asyncio.get_running_loop().call_later(seconds, self._ping)

    def _ping(self) -> None:
        """Ask whether the client is here; a client that has said nothing since the last time is not.

        While a command waits for the store, what the client says waits, too.
        """
        if not self._has_heard and not self._socket.has_frames:
            return self.end(Closed(CloseCode.NO_PONG))
        self._has_heard = False
        self._send(Ping(top=0 if self._reader is None else self._reader.top))
        seconds = self._server.settings.beat_seconds
        self._beat = asyncio.get_running_loop().call_later(seconds, self._ping)
        return None
