"""Rooms: the tables of Up-Down as callers of callable functions use them. A `roomId` is the id of a table.

A caller of these functions does not acknowledge updates: the server does it here, for the caller. This is also the one
place that reads the update of a seat.
"""

from typing import TYPE_CHECKING

import msgspec

from turnstile.games.updown.rules import game as updown
from turnstile.games.updown.state import View
from turnstile.host.answers import Code as HostCode
from turnstile.kernel.values import LogId, PlayerId, decode, encode
from turnstile.server.callable.document import document_of, waiting_document
from turnstile.server.errors import Code, Problem
from turnstile.table.sight import NOT_OVER, TableStatus
from turnstile.table.values import Kind

if TYPE_CHECKING:
    from turnstile.server.server import Server

TABLES_AT_ONCE = 200


class WholeUpdate(msgspec.Struct, frozen=True):
    """What a document needs of an update with a whole view. There is no view before the match has begun."""

    seq: int
    view: View | None = None


class RoomDocument(msgspec.Struct, frozen=True):
    """The game at one moment, as one caller may see it."""

    seq: int
    """The newest update of the caller's seat, or of the spectators."""
    is_seated: bool
    written: bytes
    """The `GameDocument` as JSON."""


# finding


async def read_status(server: "Server", room: LogId, player: PlayerId | None) -> TableStatus:
    """The status of a room. Raises `Problem` if there is no such table, or if it has another game."""
    written, _ = await server.tables.status(room, player)
    status = decode(written, TableStatus)
    if status.game != updown.name:
        raise Problem(HostCode.NO_TABLE, f"There is no table of {updown.title} with this id.")
    return status


async def find_room(server: "Server", player: PlayerId, room: LogId | None) -> LogId:
    """The room that a call names; without a name, the player's one running room. Raises `Problem`."""
    if room is not None:
        await read_status(server, room, player)
        return room
    running = await _running_rooms(server, player)
    if len(running) != 1:
        found = "several running tables" if running else "no running table"
        raise Problem(Code.NOT_ONE_TABLE, f"You have {found} of {updown.title}: give a roomId.")
    return running[0]


async def _running_rooms(server: "Server", player: PlayerId) -> list[LogId]:
    rooms, after = list[LogId](), None
    while True:
        page = await server.tables.of_player(player, is_open=True, after=after, limit=TABLES_AT_ONCE)
        rooms += [each.table for each in page.items if each.game == updown.name and each.phase in NOT_OVER]
        after = page.after
        if after is None:
            return rooms


# reading


async def read_document(server: "Server", room: LogId, player: PlayerId | None) -> RoomDocument:
    """The game as a document. Raises `Problem`, also for a table that takes no spectators."""
    status = await read_status(server, room, player)
    body = await server.readers.newest(room, player)
    update = WholeUpdate(0) if body is None else decode(body, WholeUpdate)
    seated = tuple(seat.player for seat in status.seats)
    if update.view is None:
        document = waiting_document(seated)
    else:
        document = document_of(update.view, is_over=status.result is not None)
    return RoomDocument(update.seq, player in seated, encode(document))


# acknowledging


async def acknowledge_for(server: "Server", room: LogId, player: PlayerId) -> None:
    """Acknowledge what the table waits for, in place of a player who plays by callable functions.

    A refusal changes nothing that was answered: the table goes on waiting until its deadline.
    """
    if (awaited := await server.readers.hand_awaited(room, player)) is not None:
        await server.host.acknowledge(room, player, awaited)


async def acknowledge_for_absent(server: "Server", room: LogId) -> None:
    """Acknowledge what the table waits for, in place of all players without a connection.

    A table that is started by `startGame` does not wait for them: they need not read updates at all. Players with a
    connection acknowledge for themselves. Nothing is lost: a reader that comes later starts with the same update.
    """
    status = await read_status(server, room, None)
    for seat in status.seats:
        if seat.kind is not Kind.BOT and not await server.readers.is_present(room, seat.player):
            await acknowledge_for(server, room, seat.player)
