"""Clients of 66 that know its sequence diagrams alone: they look at messages, never at views or offered actions."""

import asyncio
import json
from collections.abc import Iterable
from itertools import combinations
from random import Random
from socket import SHUT_RDWR
from typing import Any

from aiohttp import ClientWebSocketResponse, WSMsgType

from tests.agents.loops import until
from tests.server.diagrams import Fields
from tests.server.servers import Guest

OF_THE_TABLE = {"MatchStarting", "MatchEnded"}

Message = dict[str, Any]


class Client:
    """One player. A task of its own reads the WebSocket; nothing is acknowledged unless the diagram says so."""

    def __init__(self, guest: Guest, table: str, chance: Random) -> None:
        self.guest, self.table, self.chance = guest, table, chance
        self.inbox: list[tuple[int, Message]] = []
        """What was told and not taken yet, with the number of its update."""
        self.newest: tuple[int, Message] | None = None
        """What was taken last."""
        self.acked = 0
        self.has_begun = False
        """Whether the table has said that the match begins."""
        self.deaths = self._ids = 0
        self._answers: dict[str, Any] = {}
        # what it knows of the game
        self.seat = -1
        self.sizes: list[int] = []
        self.known: dict[int, int] = {}
        self.top = self._top_before = -1
        self.drawn = -1
        self.is_stopped = False

    # the wire

    async def connect(self, last: int | None = None) -> None:
        self._socket = await self.guest.site.client.ws_connect(self.guest.site.url + "/api/play")
        given = {} if last is None else {"last": last}
        await self._send("hello", v=1, token=self.guest.token, table=self.table, **given)
        self._reading = asyncio.create_task(self._read(self._socket))

    async def _send(self, type_: str, **fields: Any) -> None:
        await self._socket.send_str(json.dumps({"type": type_, **fields}))

    async def _read(self, socket: ClientWebSocketResponse) -> None:
        async for message in socket:
            assert message.type is WSMsgType.TEXT
            frame = json.loads(message.data)
            if frame["type"] == "answer":
                self._answers[frame["id"]] = frame
            elif frame["type"] == "update":
                await self._take(frame["seq"], messages_of(frame))

    async def _take(self, seq: int, told: list[Message]) -> None:
        """Keep the message of the game. Those of the table are not in the diagrams: they are acknowledged at once."""
        if seq <= self.acked:
            return  # the newest update that it had acknowledged, which comes again
        of_the_game = [message for message in told if message["type"] not in OF_THE_TABLE]
        self.inbox += [(seq, message) for message in of_the_game]
        if told and not of_the_game:
            self.has_begun = True
            await self._send("ack", upto=seq)

    async def die(self) -> None:
        """End without a word, as a process that is killed."""
        self.deaths += 1
        self._reading.cancel()
        self._socket.get_extra_info("socket").shutdown(SHUT_RDWR)
        await self._socket.close()

    async def next_message(self) -> tuple[int, Message]:
        await until(lambda: bool(self.inbox))
        self.newest = self.inbox.pop(0)
        return self.newest

    async def ack(self, seq: int) -> None:
        self.acked = max(self.acked, seq)
        await self._send("ack", upto=seq)

    async def act(self, move: Message) -> Any:
        """The answer to a move."""
        self._ids += 1
        name = f"move {self._ids}"
        await self._send("act", id=name, move={"player": self.guest.player, **move})
        await until(lambda: name in self._answers)
        return self._answers.pop(name)

    # what it learns

    def learn(self, message: Message) -> None:
        self.top = message.get("discardedValue", self.top)
        match message["type"]:
            case "GameState":
                self.seat, self.sizes = message["playerIndex"], list(message["handSizes"])
                self.known, self.is_stopped = {}, False
            case "FirstTwoCards":
                self.known = {0: message["value1"], 1: message["value2"]}
            case "TookDeckCard":
                self.drawn = message["value"]
            case "OwnCard":
                self.known[message["cardIndex"]] = message["value"]
            case "StopInitiated" | "InitiatedStop":
                self.is_stopped = True
            case "ReplacedCardFromDeck":
                self.known[message["cardIndex"]] = self.drawn
            case "ReplacedCardByDiscarded":
                self.known[message["cardIndex"]] = self._top_before
            case "ExchangedCards":
                self.known.pop(message["cardIndex"], None)
            case "CardsExchanged" if message["anotherPlayerIndex"] == self.seat:
                self.known.pop(message["anotherPlayerCardIndex"], None)
            case "ReplacedCardsFromDeck" | "ReplacedCardsByDiscarded":
                self.sizes[self.seat] -= len(message["cardIndexes"]) - 1
                self.known = {}
            case "CardsReplacedFromDeck" | "CardsReplacedByDiscarded":
                self.sizes[message["playerIndex"]] -= len(message["cardIndexes"]) - 1

    # what it chooses

    def choose(self, names: Iterable[str]) -> str:
        """One of the things that the diagrams offer now."""
        offered = set(names)
        if "ShowCards" in offered and self.has_pair and self.chance.random() < 0.8:
            return "ShowCards"
        if len(self.known) < 2:
            offered.discard("ShowCards")
        if "ReplaceCardFromDeck" in offered and self.drawn in self.known.values():
            return "ReplaceCardFromDeck"
        weights = {"ShowCards": 0.03, "StopRound": 0.0 if self.is_stopped else 0.03, "ReplaceCardByDiscarded": 0.15}
        names = sorted(offered)
        return self.chance.choices(names, [weights.get(name, 1.0) for name in names])[0]

    @property
    def has_pair(self) -> bool:
        """Whether it knows two cards that are identical."""
        return len(set(self.known.values())) < len(self.known)

    def _claim(self) -> list[int]:
        """The indexes of two cards that it knows: identical ones, if there are any."""
        pairs = [list(pair) for pair in combinations(self.known, 2)]
        return min(pairs, key=lambda pair: len({self.known[index] for index in pair}), default=[])

    def arguments(self, name: str, fields: Fields) -> Message:
        """Values for the fields that the diagram names."""
        self._top_before = self.top
        other = self.chance.choice([seat for seat in range(len(self.sizes)) if seat != self.seat])
        own, theirs = range(self.sizes[self.seat]), range(self.sizes[other])
        values: dict[str, Any] = {
            "cardIndex": self.chance.choice(theirs if name == "PeekAnothersCard" else own),
            "anotherPlayerIndex": other,
            "anotherPlayerCardIndex": self.chance.choice(theirs),
            "cardIndexes": self._claim(),
        }
        if name == "ReplaceCardFromDeck" and self.drawn in self.known.values():
            same = next(index for index, value in self.known.items() if value == self.drawn)
            values["cardIndex"] = self.chance.choice([index for index in own if index != same] or [same])
        return {field: values[field] for field in fields}


def messages_of(frame: Message) -> list[Message]:
    """The messages of an update. Formerly an update had one message, or none."""
    if "messages" in frame:
        return list(frame["messages"])
    return [frame["message"]] if frame["message"] is not None else []
