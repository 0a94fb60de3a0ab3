"""A server as its clients see it: who is registered, which games and tables there are."""

from collections.abc import Mapping
from types import TracebackType
from typing import Any

import msgspec

from turnstile.client.http import Http
from turnstile.client.player import Player, table_id
from turnstile.client.seat import Hear, Seat
from turnstile.client.values import Account, AccountWithToken, Game, Invitation, ListedTable, NewTable, Page


class _Games(msgspec.Struct, frozen=True):
    games: tuple[Game, ...]


class Client:
    """A server. Use it as `async with Client("http://localhost:8000") as client`."""

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        """`headers` go with every request, such as those that a proxy wants. Raises `ValueError` for a bad address."""
        self._http = Http(url, headers)

    @property
    def url(self) -> str:
        return self._http.url

    async def __aenter__(self) -> "Client":
        await self._http.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.__aexit__(kind, fault, trace)

    # players

    async def register(self, name: str) -> Player:
        """A new player. Keep its `token`: it is the only proof of who the player is."""
        made = await self._http.ask("POST", "/api/players", AccountWithToken, {"name": name})
        return Player(self._http, made.player, made.name, made.token)

    async def log_in(self, token: str) -> Player:
        """The player with this token. Raises `Refused`."""
        found = await self._http.ask("GET", "/api/me", Account, token=token)
        return Player(self._http, found.player, found.name, token)

    async def use_code(self, code: str) -> Player:
        """The player who has made this code on another device."""
        found = await self._http.ask("POST", "/api/codes", AccountWithToken, {"code": code})
        return Player(self._http, found.player, found.name, found.token)

    # games and tables

    async def games(self) -> tuple[Game, ...]:
        return (await self._http.ask("GET", "/api/games", _Games)).games

    async def game(self, name: str) -> dict[str, Any]:
        """All about a game: rules in Markdown, bots, JSON Schemas."""
        return await self._http.ask("GET", f"/api/games/{name}", dict[str, Any])

    async def tables(
        self, *, game: str | None = None, phase: str | None = None, after: str | None = None
    ) -> Page[ListedTable]:
        """The open tables that are listed, a page at a time."""
        return await self._http.ask("GET", "/api/tables", Page[ListedTable], game=game, phase=phase, after=after)

    def watch(self, table: NewTable | Invitation | str, hear: Hear | None = None) -> Seat:
        """The table as a spectator sees it. Use it as a context, and iterate over it."""
        return Seat(self._http.session, self.url, table_id(table), hear=hear)
