"""How a game looks and sounds in a terminal. A game that brings no words of its own is shown as it is on the wire."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec
from rich.console import RenderableType
from rich.json import JSON

from turnstile.kernel import AnyGame, Message, Move, PlayerId, Players, encode, wire_name
from turnstile.registry import find

V = TypeVar("V")

TERMINALS = "turnstile.terminals"


@dataclass(frozen=True, slots=True)
class Terminal(Generic[V]):
    """A game's words and pictures for the player who sits here."""

    show: Callable[[V, PlayerId], RenderableType]
    """The match as the player sees it."""
    tell: Callable[[Message, PlayerId], str]
    """What a message says, in a sentence; an empty one says nothing new."""
    name: Callable[[Move], str]
    """What a choice is called."""


def plain_show(view: Any, player: PlayerId) -> RenderableType:
    return JSON(encode(view).decode())


def plain_tell(message: Message, player: PlayerId) -> str:
    return f"{wire_name(type(message))} {_fields(message)}"


def plain_name(action: Move) -> str:
    return f"{wire_name(type(action))} {_fields(action)}"


def _fields(value: msgspec.Struct) -> str:
    told = {name: content for name, content in msgspec.structs.asdict(value).items() if name != "player"}
    return encode(told).decode() if told else ""


def terminal_of(game: AnyGame, players: Players) -> Terminal[Any]:
    """The terminal that was made for a game, or the plain one.

    A game whose messages speak of seats offers a function instead: the terminal for these players, in seat order.
    """
    found = find(TERMINALS, game.name)
    if callable(found):
        found = found(players)
    return found if isinstance(found, Terminal) else Terminal(plain_show, plain_tell, plain_name)
