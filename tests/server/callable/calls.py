"""Callers of callable functions over real sockets, and an Up-Down match played by them."""

import asyncio
import json
from typing import Any

from tests.server.callable.queries import Document, can_play_card, get_my_hand, is_my_turn
from tests.server.servers import Guest, Site

EVENTS = {"Accept": "text/event-stream"}


class Caller:
    """A player who uses nothing but callable functions and the document."""

    def __init__(self, guest: Guest, prefix: str = "/callable/") -> None:
        self.guest, self.player, self.prefix = guest, guest.player, prefix

    async def send(self, name: str, data: Any, **headers: str) -> tuple[int, str]:
        """The status and the text of the answer to a call."""
        return await send(self.guest.site, self.prefix + name, {"data": data}, token=self.guest.token, **headers)

    async def call(self, name: str, **data: Any) -> Any:
        """The result of a call, in the name of this player."""
        status, text = await self.send(name, {"playerId": self.player, **data})
        assert status == 200, (status, text)
        return json.loads(text)["result"]

    async def error(self, name: str, **data: Any) -> tuple[int, str, str]:
        """The HTTP status, the status and the message with which a call is refused."""
        status, text = await self.send(name, {"playerId": self.player, **data})
        told = json.loads(text)["error"]
        return status, told["status"], told["message"]

    async def game(self, room: str) -> Document:
        found: Document = await self.guest.ask("GET", f"/callable/games/{room}")
        return found

    async def act(self, room: str) -> Document:
        """Do what is due; the document that was acted on."""
        game = await self.game(room)
        name, data = choice(game, self.player)
        assert (await self.call(name, **data))["roomId"] == room
        return game


async def send(site: Site, path: str, body: Any, token: str | None = None, **headers: str) -> tuple[int, str]:
    given = {"Content-Type": "application/json", **headers}
    if token is not None:
        given["Authorization"] = f"Bearer {token}"
    written = body if isinstance(body, bytes) else json.dumps(body).encode()
    async with site.client.post(site.url + path, data=written, headers=given) as response:
        return response.status, await response.text()


async def callers(site: Site, *names: str, **options: Any) -> tuple[str, list[Caller]]:
    """A room with these players, of whom the first is the admin."""
    guests = [await site.register(name) for name in names]
    room = await site.table(*guests, game="up-down", options=options)
    return room, [Caller(guest) for guest in guests]


def choice(game: Document, player: str) -> tuple[str, dict[str, Any]]:
    """What to call in this document, as the five queries say it: the lowest bet, the first card that may be played."""
    if game["status"] == "betting":
        current = game["currentRound"]
        bets = [each["bet"] for each in game["players"] if each["bet"] is not None]
        is_last = len(bets) == len(game["players"]) - 1
        return "placeBet", {"bet": 1 if is_last and sum(bets) == current["cardsPerPlayer"] else 0}
    card = next(card for card in get_my_hand(game, player) if can_play_card(game, player, card))
    return "playCard", {"card": card}


async def wait_for_turn(room: str, players: list[Caller]) -> Caller | None:
    """The player whose turn it is, as its own document says it; `None` once all documents are complete."""
    while True:
        games = [await caller.game(room) for caller in players]
        if all(game["status"] == "game_complete" for game in games):
            return None
        for caller, game in zip(players, games, strict=True):
            if is_my_turn(game, caller.player):
                return caller
        await asyncio.sleep(0.001)  # another server has not heard of the last move yet


async def play(room: str, players: list[Caller]) -> list[Document]:
    """Play to the end; every document that a player acted on."""
    seen = list[Document]()
    while (active := await wait_for_turn(room, players)) is not None:
        seen.append(await active.act(room))
    return seen
