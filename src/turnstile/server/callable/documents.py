"""The document of a game over HTTP: read once, or with server-sent events subscribed to."""

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from starlette.responses import Response

from turnstile.host import Ending, Update
from turnstile.host.answers import Code as HostCode
from turnstile.kernel.values import LogId, PlayerId
from turnstile.server.callable.document import GameDocument
from turnstile.server.callable.rooms import read_document
from turnstile.server.door import bearer_token, read_headers
from turnstile.server.endpoint import JSON, Auth, Call, Endpoint, endpoint
from turnstile.server.errors import Problem
from turnstile.server.limits import LimitName
from turnstile.server.people import hash_of
from turnstile.server.play.closing import OF_ENDING, Closed, closed_by
from turnstile.server.readers import Reader
from turnstile.server.updates import EVENTS, Dialect, Marked, Stream, accepted_dialect

if TYPE_CHECKING:
    from turnstile.server.server import Server


@endpoint(
    "GET",
    "/callable/games/{table}",
    response=GameDocument,
    media_types=(JSON, EVENTS),
    events=(GameDocument,),
    auth=Auth.ANYONE,
    errors=(HostCode.NO_SPECTATORS,),
    more_limits=(LimitName.POLLS, LimitName.STREAMS),
)
async def get_game_document(call: Call[None, None]) -> Response:
    """The game of an Up-Down table, as the caller may see it: the `GameState` of the specification.

    With `Accept: text/event-stream`, the document now and again after every change. Each event is a whole document.
    """
    server, player = call.server, None if call.caller is None else call.caller.player
    is_stream = accepted_dialect(call.request.headers.get("accept", "")) is Dialect.EVENTS
    server.limits.take(LimitName.STREAMS if is_stream else LimitName.POLLS, player or call.address)
    found = await read_document(server, call.table, player)
    if is_stream:
        server.sessions.check_room(call.address)
        token = bearer_token(read_headers(call.request.scope["headers"]))
        hashed = None if token is None else hash_of(token)
        documents = changing_documents(server, call.table, player)
        return Stream(server, documents, Dialect.EVENTS, call.address, call.caller, hashed, write_bye=no_bye)
    if player is not None and found.is_seated and found.seq:
        await server.host.acknowledge(call.table, player, found.seq)
    return Response(found.written, media_type=JSON)


def no_bye(closed: Closed) -> bytes:
    """Every event is a document. A browser whose stream ends connects again, and is then told why it may not."""
    return b""


async def changing_documents(server: "Server", room: LogId, player: PlayerId | None) -> AsyncGenerator[Marked, None]:
    """The document, and again whenever it has changed. Raises `Closed` when the host ends the line."""
    shown = b""
    while True:
        try:
            reader = await server.readers.open_beside(room, player)
        except Problem as problem:
            raise closed_by(problem) from None
        try:
            async for item in reader:
                found = await read_document(server, room, player)
                if found.written != shown:
                    shown = found.written
                    yield found.written, str(found.seq)
                if isinstance(item, Update) and reader.player is not None:
                    await server.host.acknowledge(room, reader.player, item.seq)
                if found.is_seated is (reader.player is None):
                    break  # the player has joined or left: another stream counts now
        except Problem as problem:
            raise closed_by(problem) from None
        finally:
            server.readers.close(reader)
        if _has_ended(reader):
            raise Closed(OF_ENDING[reader.ending])


def _has_ended(reader: Reader) -> bool:
    """Whether the host has ended the line for good. A new connection of the seat is no reason, nor is another seat."""
    return reader.ending not in (Ending.CLOSED, Ending.REPLACED, Ending.SEAT_CHANGED)


ENDPOINTS: tuple[Endpoint, ...] = (get_game_document,)
