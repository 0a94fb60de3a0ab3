"""Tables over HTTP: open, list, look, command, acknowledge, record."""

from typing import Annotated, Any
from urllib.parse import quote

import segno
from msgspec import Meta, Raw
from starlette.responses import Response

from turnstile.durable.upkeep import Code as RecordCode
from turnstile.host import Refused
from turnstile.host.answers import Code as HostCode
from turnstile.kernel.values import PlayerId, Value
from turnstile.server.commands import MOST_COMMAND_BYTES, AnyCommand, Done, Seq
from turnstile.server.endpoint import Auth, Call, endpoint
from turnstile.server.errors import Code, Problem, problem_of
from turnstile.server.http.pages import Mark, PageSize, mark_of, text_of
from turnstile.server.http.streams import list_stream
from turnstile.server.limits import LimitName
from turnstile.server.lobby import ListChange
from turnstile.server.play.frames import Bye, OfferedMove, SeenView, ToldMessage
from turnstile.server.tables import ListedTable, NewTable, OpenedTable
from turnstile.store.directory import Page
from turnstile.table.sight import TableStatus
from turnstile.table.values import Code as TableCode

EVENTS = "text/event-stream"


class TableQuery(Value, frozen=True):
    """Which tables to list, and after which page to go on."""

    game: str | None = None
    phase: str | None = None
    after: Mark | None = None
    limit: PageSize = 50


class OwnTableQuery(Value, frozen=True):
    open: bool | None = None
    after: Mark | None = None
    limit: PageSize = 50


class TableList(Value, frozen=True):
    """A page of tables, the newest first. `next`: give it as `after` for the next page; `null` after the last."""

    tables: tuple[ListedTable, ...]
    names: dict[PlayerId, str]
    """The names of the registered players at these tables."""
    next: Mark | None = None


class Acknowledged(Value, frozen=True):
    """The caller has every update up to this one."""

    upto: Seq


class WholeUpdate(Value, frozen=True):
    """An update with the whole view. The game describes its messages, view and events in its schemas."""

    seq: Seq
    messages: tuple[ToldMessage, ...]
    view: SeenView
    actions: tuple[OfferedMove, ...]


class TablePage(Value, frozen=True):
    """A table as the caller may see it, and the names of the players who sit there."""

    status: TableStatus
    names: dict[PlayerId, str]


class TablePageBytes(Value, frozen=True):
    """The same, with a status that is written already."""

    status: Raw
    names: dict[PlayerId, str]


class KnownInvite(Value, frozen=True):
    """The secret of an invitation, as the caller knows it; `null` for a table that anyone may join."""

    invite: Annotated[str, Meta(max_length=64)] | None = None


class InvitationLink(Value, frozen=True):
    """The link that brings a friend to a table. It has the secret behind `#`, and `qr` is the link as SVG."""

    link: str
    qr: str


@endpoint(
    "POST",
    "/api/tables",
    request=NewTable,
    response=OpenedTable,
    status=201,
    errors=(Code.NO_GAME, Code.TOO_MANY_TABLES, HostCode.TABLE_EXISTS),
    limit=LimitName.TABLES,
    is_open_ended=True,
)
async def open_table(call: Call[NewTable, None]) -> OpenedTable:
    """Open a table. The caller takes its first seat and is its admin."""
    return await call.server.tables.open(call.person, call.body)


@endpoint(
    "GET",
    "/api/tables",
    query=TableQuery,
    response=TableList,
    auth=Auth.ANYONE,
    media_types=("application/json", EVENTS),
    events=(ListChange, Bye),
)
async def list_tables(call: Call[None, TableQuery]) -> TableList | Response:
    """The open tables that are listed. With `Accept: text/event-stream`, the whole list and then every change.

    A stream takes `game` and `phase`, and has no pages.
    """
    query = call.query
    if EVENTS in call.request.headers.get("accept", ""):
        return list_stream(call, query.game, query.phase)
    found = await call.server.tables.listed(
        game=query.game, phase=query.phase, after=mark_of(query.after), limit=query.limit
    )
    return await _page(call, found)


@endpoint("GET", "/api/me/tables", query=OwnTableQuery, response=TableList)
async def list_my_tables(call: Call[None, OwnTableQuery]) -> TableList:
    """The tables at which the caller sits."""
    query = call.query
    found = await call.server.tables.of_player(
        call.person.player, is_open=query.open, after=mark_of(query.after), limit=query.limit
    )
    return await _page(call, found)


async def _page(call: Call[None, Any], found: Page[ListedTable]) -> TableList:
    names = await call.server.people.names(player for table in found.items for player in table.players)
    return TableList(found.items, names, text_of(found.after))


@endpoint("GET", "/api/tables/{table}", response=TablePage, auth=Auth.ANYONE)
async def get_table(call: Call[None, None]) -> TablePageBytes:
    """The status of a table: who sits there, what it waits for, how it ended."""
    player = None if call.caller is None else call.caller.player
    status, seated = await call.server.tables.status(call.table, player)
    return TablePageBytes(Raw(status), await call.server.people.names(seated))


@endpoint(
    "POST",
    "/api/tables/{table}/invitation",
    request=KnownInvite,
    response=InvitationLink,
    limit=LimitName.RENAMES,
)
async def draw_invitation(call: Call[KnownInvite, None]) -> InvitationLink:
    """The link to a table, and its QR code. The secret is not checked: joining does that."""
    await call.server.tables.status(call.table, call.person.player)
    secret = "" if call.body.invite is None else f"#invite={quote(call.body.invite, safe='')}"
    link = f"{call.server.url_of(call.request)}/table/{quote(call.table, safe='')}{secret}"
    return InvitationLink(link, segno.make(link).svg_inline())


@endpoint(
    "POST",
    "/api/tables/{table}/commands",
    request=AnyCommand,
    most_bytes=MOST_COMMAND_BYTES,
    response=Done,
    errors=(HostCode.ID_REUSED, Code.NEEDS_INVITATION, TableCode.NOT_SEATED),
    limit=LimitName.COMMANDS,
    is_open_ended=True,
)
async def command(call: Call[AnyCommand, None]) -> Done:
    """Send a command. The same command may be sent again and gets the same answer."""
    if call.body.upto is not None:
        await _acknowledge(call, call.body.upto)
    answer = await call.server.tables.submit(call.person, call.table, call.body)
    if isinstance(answer, Refused):
        raise problem_of(answer.error, answer.seq)
    return Done(answer.seq)


@endpoint(
    "POST",
    "/api/tables/{table}/ack",
    request=Acknowledged,
    response=Acknowledged,
    errors=(TableCode.FUTURE_ACK,),
    limit=LimitName.COMMANDS,
)
async def acknowledge(call: Call[Acknowledged, None]) -> Acknowledged:
    """Acknowledge all updates up to a number. From a caller without a seat it means nothing, and is ignored."""
    await _acknowledge(call, call.body.upto)
    return call.body


async def _acknowledge(call: Call[AnyCommand, None] | Call[Acknowledged, None], upto: int) -> None:
    refused = await call.server.tables.acknowledge(call.table, call.person.player, upto)
    if refused is not None:
        raise problem_of(refused.error, refused.seq)


@endpoint(
    "GET",
    "/api/tables/{table}/view",
    response=WholeUpdate,
    auth=Auth.ANYONE,
    errors=(HostCode.NO_SPECTATORS, Code.NOT_FOUND),
)
async def get_view(call: Call[None, None]) -> Response:
    """The newest update of the caller's seat, or of the spectators, with the whole view."""
    player = None if call.caller is None else call.caller.player
    body = await call.server.readers.newest(call.table, player)
    if body is None:
        raise Problem(Code.NOT_FOUND, "There is no update to see yet.")
    return Response(body, media_type="application/json")


@endpoint(
    "GET",
    "/api/tables/{table}/record",
    auth=Auth.ANYONE,
    media_types=("application/x-ndjson",),
    errors=(HostCode.NO_SPECTATORS, RecordCode.NOT_OVER, RecordCode.NO_MATCH, RecordCode.DAMAGED, RecordCode.NO_LOG),
)
async def get_record(call: Call[None, None]) -> Response:
    """The record of a match that is over: every event, the seed, and a hash chain. `turnstile verify` checks it."""
    player = None if call.caller is None else call.caller.player
    return Response(await call.server.tables.record(call.table, player), media_type="application/x-ndjson")


ENDPOINTS = (
    open_table,
    list_tables,
    list_my_tables,
    get_table,
    draw_invitation,
    command,
    acknowledge,
    get_view,
    get_record,
)
