"""The installed games over HTTP: rules, options, bots."""

import sys
from inspect import getdoc
from typing import Any

from turnstile.bots import bots_of
from turnstile.kernel.diagram import mermaid
from turnstile.kernel.game import AnyGame
from turnstile.kernel.machine import Transition
from turnstile.kernel.values import Value, wire_name
from turnstile.registry import find_game, names
from turnstile.server.endpoint import Auth, Call, endpoint
from turnstile.server.errors import Code
from turnstile.server.tables import find_installed


class SeatRange(Value, frozen=True):
    """How many players a game takes."""

    fewest: int
    most: int


class BotEntry(Value, frozen=True):
    name: str
    about: str


class GameEntry(Value, frozen=True):
    """A game in the list."""

    name: str
    title: str
    version: int
    seats: SeatRange
    bots: tuple[BotEntry, ...]
    """Best first."""


class GameList(Value, frozen=True):
    games: tuple[GameEntry, ...]


class GamePage(Value, frozen=True):
    """All about a game: rules in Markdown, and JSON Schemas of options, events, messages and view."""

    name: str
    title: str
    version: int
    seats: SeatRange
    bots: tuple[BotEntry, ...]
    rules: str
    schemas: dict[str, Any]


class PhaseChange(Value, frozen=True):
    """A phase that a row may lead to, and when."""

    to: str
    label: str


class MachineRow(Value, frozen=True):
    """A row of the transition table. `event`: what happens; `null` if the phase goes on by itself."""

    event: str | None
    rule: str
    changes: tuple[PhaseChange, ...]


class MachinePhase(Value, frozen=True):
    name: str
    is_end: bool
    rows: tuple[MachineRow, ...]


class MachinePage(Value, frozen=True):
    """The machine of a game: its phases in order with their rows, and the same as a Mermaid diagram."""

    game: str
    start: str
    phases: tuple[MachinePhase, ...]
    mermaid: str


@endpoint("GET", "/api/games", response=GameList, auth=Auth.ANYONE)
async def list_games(call: Call[None, None]) -> GameList:
    """The installed games."""
    return GameList(tuple(entry_of(game) for game in map(find_game, names()) if game is not None))


@endpoint("GET", "/api/games/{game}", response=GamePage, auth=Auth.ANYONE, errors=(Code.NO_GAME,))
async def get_game(call: Call[None, None]) -> GamePage:
    """A game: its rules, options, bots and schemas."""
    game = find_installed(call.path["game"])
    entry = entry_of(game)
    return GamePage(game.name, game.title, game.version, entry.seats, entry.bots, rules_of(game), public_schemas(game))


@endpoint("GET", "/api/games/{game}/machine", response=MachinePage, auth=Auth.ANYONE, errors=(Code.NO_GAME,))
async def get_machine(call: Call[None, None]) -> MachinePage:
    """The machine of a game, as a table of transitions and as a diagram. Rules are public."""
    game = find_installed(call.path["game"])
    machine = game.machine
    phases = tuple(
        MachinePhase(phase.value, phase in machine.ends, tuple(_row(row) for row in machine.rows if row.phase is phase))
        for phase in machine.phases
    )
    return MachinePage(game.name, machine.start.value, phases, mermaid(machine))


def _row(row: Transition) -> MachineRow:
    changes = tuple(PhaseChange(target.value, hop.label) for target, hop in row.hops.items())
    return MachineRow(None if row.event is None else wire_name(row.event), " ".join(row.rule.split()), changes)


def public_schemas(game: AnyGame) -> dict[str, Any]:
    """The schemas of what players send and are sent. The state never leaves the server."""
    return {name: schema for name, schema in game.schema().items() if name != "state"}


def entry_of(game: AnyGame) -> GameEntry:
    bots = tuple(BotEntry(name, (getdoc(bot) or "").partition("\n")[0]) for name, bot in bots_of(game).items())
    return GameEntry(game.name, game.title, game.version, SeatRange(game.seats[0], game.seats[-1]), bots)


def rules_of(game: AnyGame) -> str:
    """The rules of a game for people: its own text, or the docstring of the module that defines its state."""
    return game.rules or sys.modules[game.machine.state.__module__].__doc__ or ""


ENDPOINTS = (list_games, get_game, get_machine)
