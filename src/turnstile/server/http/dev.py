"""Tools for authors of games over HTTP. Every one of them is refused unless `dev.access` lets the caller pass."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from starlette.responses import Response

from turnstile.host.answers import Code as HostCode
from turnstile.kernel.values import Value
from turnstile.server.commands import Seq
from turnstile.server.dev.access import check_alone, check_author
from turnstile.server.dev.games import DevGames, GamesInDevelopment
from turnstile.server.dev.seats import HotSeatTable, NewHotSeat, open_hot_seat
from turnstile.server.dev.steps import GameSteps, TableSight, read_sight, read_steps
from turnstile.server.endpoint import JSON, Auth, Call, endpoint
from turnstile.server.errors import Code
from turnstile.server.limits import LimitName
from turnstile.server.play.frames import Bye
from turnstile.server.updates import EVENTS, Dialect, Marked, Stream, accepted_dialect

if TYPE_CHECKING:
    from turnstile.server.server import Server


class StepQuery(Value, frozen=True):
    """`after`: the newest step that the caller has."""

    after: Seq = 0


@endpoint(
    "GET",
    "/api/dev/games",
    response=GamesInDevelopment,
    auth=Auth.ANYONE,
    media_types=(JSON, EVENTS),
    events=(GamesInDevelopment, Bye),
    errors=(Code.NOT_FOR_AUTHORS,),
)
async def list_dev_games(call: Call[None, None]) -> GamesInDevelopment | Response:
    """The games whose files are watched. With `Accept: text/event-stream`, now and after every change.

    For authors of games, on a server with `--dev`.
    """
    check_author(call)
    games = _games(call.server)
    if accepted_dialect(call.request.headers.get("accept", "")) is not Dialect.EVENTS:
        return games.describe()
    call.server.sessions.check_room(call.address)
    return Stream(call.server, _frames(games), Dialect.EVENTS, call.address)


def _games(server: "Server") -> DevGames:
    assert server.dev_games is not None, "a server for authors has them"
    return server.dev_games


async def _frames(games: DevGames) -> AsyncGenerator[Marked, None]:
    async with aclosing(games.changes()) as changes:
        async for change in changes:
            yield change, None


@endpoint(
    "POST",
    "/api/dev/tables",
    request=NewHotSeat,
    response=HotSeatTable,
    status=201,
    errors=(Code.NOT_FOR_AUTHORS, Code.NO_GAME, Code.TOO_MANY_TABLES, HostCode.TABLE_EXISTS),
    limit=LimitName.TABLES,
    is_open_ended=True,
)
async def open_hot_seat_table(call: Call[NewHotSeat, None]) -> HotSeatTable:
    """Open a table at which the caller holds all seats, and start the match.

    The answer has a token for each further seat. For authors of games, on a server with `--dev`.
    """
    check_author(call)
    return await open_hot_seat(call.server, call.person, call.body)


@endpoint(
    "GET",
    "/api/dev/tables/{table}/steps",
    query=StepQuery,
    response=GameSteps,
    errors=(Code.NOT_FOR_AUTHORS, Code.NOT_ALONE),
    is_open_ended=True,
)
async def get_steps(call: Call[None, StepQuery]) -> GameSteps:
    """What the rules did at a table, step by step: each event, the phases it passed, and its effects.

    For the player who opened the table and holds all its seats, on a server with `--dev`.
    """
    await check_alone(call)
    return await read_steps(call.server, call.table, call.query.after)


@endpoint(
    "GET",
    "/api/dev/tables/{table}/seats",
    response=TableSight,
    errors=(Code.NOT_FOR_AUTHORS, Code.NOT_ALONE),
    is_open_ended=True,
)
async def get_seats(call: Call[None, None]) -> TableSight:
    """What each seat of a table sees, and the whole state of its match.

    For the player who opened the table and holds all its seats, on a server with `--dev`.
    """
    await check_alone(call)
    return await read_sight(call.server, call.table)


ENDPOINTS = (list_dev_games, open_hot_seat_table, get_steps, get_seats)
