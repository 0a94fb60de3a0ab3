"""Updates over HTTP: one address, three dialects by `Accept`. The newest reader of a seat counts, and the old one is
told so. To ask for what follows an update is to acknowledge it."""

import asyncio
from collections.abc import Coroutine
from typing import Annotated, Any

from msgspec import UNSET, Meta, Raw
from starlette.responses import Response

from turnstile.host import Ending, Update
from turnstile.host.answers import Code as HostCode
from turnstile.kernel.values import PlayerId, Value, encode
from turnstile.server.commands import Seq
from turnstile.server.door import bearer_token, read_headers
from turnstile.server.endpoint import JSON, Auth, Call, endpoint
from turnstile.server.errors import Code, Problem
from turnstile.server.limits import LimitName
from turnstile.server.people import hash_of
from turnstile.server.play.closing import OF_ENDING, TEXTS, Closed
from turnstile.server.play.frames import (
    Bye,
    HistoryText,
    OfferedMove,
    SeatUpdate,
    SeenView,
    TableChanged,
    ToldMessage,
    Welcome,
)
from turnstile.server.readers import Reader
from turnstile.server.updates import EVENTS, LINES, Dialect, Stream, accepted_dialect, list_frames, update_frames
from turnstile.table.sight import TableStatus

LONGEST_WAIT = 60.0
MOST_AT_ONCE = 100  # updates in one answer


class UpdateQuery(Value, frozen=True):
    """`after`: the newest update that the caller has, left out if it has none. `history`: as the answer with that
    update said it. `wait`: how many seconds an answer without updates may take."""

    after: Seq | None = None
    history: HistoryText | None = None
    wait: Annotated[float, Meta(ge=0, le=LONGEST_WAIT)] = 0.0


class PolledUpdate(Value, frozen=True):
    """What happened, what the reader sees now, and what it may do. The first update of an answer has the whole `view`,
    a later one `changed`, with what differs from the update before. `messages` are those of the game, and of the table:
    `MatchStarting` is the first message of a stream, and `MatchEnded` the last."""

    seq: Seq
    messages: tuple[ToldMessage, ...]
    actions: tuple[OfferedMove, ...]
    view: SeenView = UNSET
    changed: Any = UNSET


class Updates(Value, frozen=True):
    """An `UpdatesAnswer` whose parts are written already."""

    seat: PlayerId | None
    after: int
    resumed: bool
    top: int
    history: str | None
    status: Raw
    updates: tuple[Raw, ...]


class UpdatesAnswer(Value, frozen=True):
    """The next updates, the first with the whole view, and the table as it is. `top`: the newest update.

    `resumed`: whether they follow the update that the caller has; if not, it forgets what it has. `history`: stands
    for all that led to the last of the updates; `null`, if there are none.
    """

    seat: PlayerId | None
    after: int
    resumed: bool
    top: int
    history: str | None
    status: TableStatus
    updates: tuple[PolledUpdate, ...]


@endpoint(
    "GET",
    "/api/tables/{table}/updates",
    query=UpdateQuery,
    response=UpdatesAnswer,
    media_types=(JSON, EVENTS, LINES),
    events=(Welcome, TableChanged, SeatUpdate, Bye),
    auth=Auth.ANYONE,
    errors=(HostCode.NO_SPECTATORS, HostCode.STOPPING, Code.REPLACED),
    more_limits=(LimitName.POLLS, LimitName.STREAMS),
)
async def get_updates(call: Call[None, UpdateQuery]) -> Response:
    """The caller's next updates: a long poll, or with `Accept` a stream of server-sent events or of JSON lines."""
    server, player = call.server, None if call.caller is None else call.caller.player
    dialect = accepted_dialect(call.request.headers.get("accept", ""))
    server.sessions.check_room(call.address)
    server.limits.take(LimitName.STREAMS if dialect else LimitName.POLLS, player or call.address)
    after, history = (call.query.after, call.query.history) if dialect is not Dialect.EVENTS else _last_event(call)
    reader = await _unless_left(call, server.readers.open(call.table, player, after, history=history))
    if dialect is not None:
        return Stream(server, update_frames(server, reader), dialect, call.address, call.caller, _token_hash(call))
    try:
        return await _poll(call, reader)
    finally:
        server.readers.close(reader)


def _token_hash(call: Call[None, UpdateQuery]) -> bytes | None:
    """The hash of the token that the request came with: a long one ends when its token becomes void."""
    token = bearer_token(read_headers(call.request.scope["headers"]))
    return None if token is None else hash_of(token)


def _last_event(call: Call[None, UpdateQuery]) -> tuple[int | None, str | None]:
    """The newest update that a reader of events has. Browsers that reconnect say in a header which event it was."""
    last, _, history = call.request.headers.get("last-event-id", "").partition("-")
    if last.isascii() and last.isdigit() and len(last) < 16:
        return int(last), history or None
    return call.query.after, call.query.history


async def _poll(call: Call[None, UpdateQuery], reader: Reader) -> Response:
    """All updates that are there; if there are none, the next ones within the time."""
    sessions, poll = call.server.sessions, Poll(call)
    sessions.add(poll)
    gathering = asyncio.create_task(_gather(reader, call.query.wait))
    leaving = asyncio.create_task(_until_left(call))
    ended = asyncio.create_task(poll.ended.wait())
    try:
        await asyncio.wait({gathering, leaving, ended}, return_when=asyncio.FIRST_COMPLETED)
        if not gathering.done():
            raise Problem(HostCode.STOPPING, "The server stops, or you have logged out; ask again.")
        return Response(encode(gathering.result()), media_type=JSON)
    finally:
        for task in (leaving, ended, gathering):
            task.cancel()
        sessions.discard(poll)


class Poll:
    """A long poll under way: a connection that can be ended."""

    def __init__(self, call: Call[None, UpdateQuery]) -> None:
        self.address = call.address
        self.player = None if call.caller is None else call.caller.player
        self.token = _token_hash(call)
        self.ended = asyncio.Event()

    def end(self, closed: Closed) -> None:
        self.ended.set()


async def _gather(reader: Reader, wait: float) -> Updates:
    """The updates, and the status of the table after them: while they are read from the log, the match may end."""
    history, updates = None, list[bytes]()
    try:
        async with asyncio.timeout(wait if reader.top == reader.after else None):
            async for item in reader:
                if isinstance(item, Update):
                    updates.append(item.body)
                    history = item.history
                    if item.seq >= reader.top or len(updates) == MOST_AT_ONCE:
                        break
    except TimeoutError:
        pass
    if reader.line.is_closed and reader.ending is not Ending.CLOSED and not updates:
        raise _ended(reader.ending)
    status = Raw(reader.line.status())
    return Updates(
        reader.player, reader.after, reader.is_resumed, reader.top, history, status, tuple(map(Raw, updates))
    )


def _ended(ending: Ending) -> Problem:
    if ending is Ending.REPLACED:
        return Problem(Code.REPLACED, TEXTS[OF_ENDING[ending]])
    if ending in (Ending.GONE, Ending.PUT_ASIDE):
        return Problem(HostCode.NO_TABLE, "There is no such table.")
    return Problem(HostCode.STOPPING, TEXTS[OF_ENDING[ending]])


async def _unless_left(call: Call[None, UpdateQuery], opening: Coroutine[Any, Any, Reader]) -> Reader:
    """A reader. A client that leaves before gets none: it may have asked again, and the newer request counts."""
    task, leaving = asyncio.create_task(opening), asyncio.create_task(_until_left(call))
    try:
        await asyncio.wait({task, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Problem(HostCode.STOPPING, "You have left; ask again.")
        return task.result()
    finally:
        task.cancel()
        leaving.cancel()


async def _until_left(call: Call[None, UpdateQuery]) -> None:
    while (await call.request.receive())["type"] != "http.disconnect":
        pass


def list_stream(call: Call[Any, Any], game: str | None, phase: str | None) -> Response:
    """The list of open tables, live."""
    call.server.sessions.check_room(call.address)
    return Stream(call.server, list_frames(call.server, game, phase), Dialect.EVENTS, call.address)


ENDPOINTS = (get_updates,)
