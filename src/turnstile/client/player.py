"""A registered player: opens and joins tables, gives commands, and plays."""

from collections.abc import Mapping, Sequence
from secrets import token_hex
from typing import Any, TypeVar

import msgspec

from turnstile.client.http import Http
from turnstile.client.seat import Hear, Seat
from turnstile.client.values import (
    Account,
    DeviceCode,
    Invitation,
    ListedTable,
    NewTable,
    Page,
    Status,
)

T = TypeVar("T")

AnyTable = NewTable | Invitation | str
"""A table that was opened, an invitation to one, or the id of one."""


def table_id(table: AnyTable) -> str:
    return table if isinstance(table, str) else table.table


def _kind(is_program: bool) -> str:
    return "agent" if is_program else "person"


class _Done(msgspec.Struct, frozen=True):
    seq: int


class _NewToken(msgspec.Struct, frozen=True):
    token: str


class _TablePage(msgspec.Struct, frozen=True):
    status: Status
    names: dict[str, str]


class Player:
    """A player, as the server knows it by its token."""

    def __init__(self, http: Http, player: str, name: str, token: str) -> None:
        self._http = http
        self.id = player
        self.name = name
        self.token = token

    # the account

    async def rename(self, name: str) -> None:
        self.name = (await self._ask("PATCH", "/api/me", Account, {"name": name})).name

    async def make_code(self) -> DeviceCode:
        """A code that takes this player to another device."""
        return await self._ask("POST", "/api/me/codes", DeviceCode)

    async def log_out_everywhere(self) -> str:
        """Make all tokens of this player void. It goes on with the new one."""
        self.token = (await self._ask("POST", "/api/me/logout-everywhere", _NewToken)).token
        return self.token

    async def delete(self) -> None:
        """Give up at all tables, and delete the account."""
        await self._ask("DELETE", "/api/me", dict[str, Any])

    # tables

    async def create_table(
        self,
        game: str,
        *,
        bots: Sequence[str] = (),
        options: Mapping[str, Any] | None = None,
        settings: Mapping[str, Any] | None = None,
        invite_only: bool = False,
        is_program: bool = False,
        start: bool | None = None,
    ) -> NewTable:
        """Open a table and take its first seat. `bots`, by their names, take the next ones.

        `start`: start the match at once; by default if there are bots. `settings` are written as over HTTP.
        """
        wanted = {
            "game": game,
            "bots": list(bots),
            "options": options or {},
            "settings": settings or {},
            "inviteOnly": invite_only,
            "kind": _kind(is_program),
        }
        opened = await self._ask("POST", "/api/tables", NewTable, wanted)
        if start or (start is None and bots):
            await self.start(opened)
        return opened

    def invitation(self, table: NewTable) -> Invitation:
        """What another player needs to join: its `link` can be sent to people."""
        return Invitation(self._http.url, table.table, table.invite)

    async def tables(self, *, is_open: bool | None = None, after: str | None = None) -> Page[ListedTable]:
        """The tables at which this player sits, a page at a time."""
        given = None if is_open is None else str(is_open).lower()
        return await self._ask("GET", "/api/me/tables", Page[ListedTable], open=given, after=after)

    async def status(self, table: AnyTable) -> Status:
        return (await self._ask("GET", f"/api/tables/{table_id(table)}", _TablePage)).status

    async def names(self, table: AnyTable) -> dict[str, str]:
        """The names of the players at a table, by their ids."""
        return (await self._ask("GET", f"/api/tables/{table_id(table)}", _TablePage)).names

    async def record(self, table: AnyTable) -> bytes:
        """The record of a match that is over, as `turnstile verify` reads it."""
        return await self._http.read("GET", f"/api/tables/{table_id(table)}/record", token=self.token)

    # commands

    async def join(self, table: AnyTable, *, invite: str | None = None, is_program: bool = False) -> None:
        """Take a seat. `is_program`: the others are told that no person plays here."""
        if invite is None and not isinstance(table, str):
            invite = table.invite
        await self.command(table, "join", invite=invite, kind=_kind(is_program))

    async def leave(self, table: AnyTable) -> None:
        """Give the seat back before the match."""
        await self.command(table, "leave")

    async def add_bot(self, table: AnyTable, bot: str, name: str) -> None:
        await self.command(table, "addBot", bot=bot, name=name)

    async def remove(self, table: AnyTable, name: str) -> None:
        """Free the seat of a bot or of a player before the match."""
        await self.command(table, "remove", name=name)

    async def start(self, table: AnyTable) -> None:
        await self.command(table, "start")

    async def resign(self, table: AnyTable) -> None:
        await self.command(table, "resign")

    async def rematch(self, table: AnyTable) -> None:
        """Agree to play again. The status of the table names its `successor` once all have agreed and it is open.

        If the next table cannot be opened, the table is `Closed` without a successor.
        """
        await self.command(table, "rematch")

    async def close(self, table: AnyTable) -> None:
        """Close a table before its match."""
        await self.command(table, "close")

    async def command(self, table: AnyTable, kind: str, /, **fields: Any) -> int:
        """Any command, over HTTP. It has a random id, and is sent again until it is answered.

        Returns the number of the newest update. Raises `Refused` or `Unreachable`.
        """
        given = {name: value for name, value in fields.items() if value is not None}
        body = {"type": kind, "id": token_hex(8), **given}
        path = f"/api/tables/{table_id(table)}/commands"
        written = await self._http.read("POST", path, body, token=self.token, is_repeatable=True)
        return msgspec.json.decode(written, type=_Done).seq

    # play

    def play(self, table: AnyTable, hear: Hear | None = None) -> Seat:
        """This player's seat at a table. Use it as a context, and iterate over it."""
        return Seat(self._http.session, self._http.url, table_id(table), self.token, hear=hear)

    async def _ask(self, method: str, path: str, answer: type[T], body: Any = None, **query: Any) -> T:
        return await self._http.ask(method, path, answer, body, token=self.token, **query)
