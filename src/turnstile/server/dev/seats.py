"""One person at all seats of a table: each further seat has a companion, a player that belongs to the person.

A companion has a token of its own, as every player has. So tables and connections need to know nothing of this, and who
may do and see what is checked as always: a person who switches the seat uses another token.
"""

import secrets
from typing import TYPE_CHECKING, Annotated

from msgspec import UNSET, Meta, Raw, UnsetType

from turnstile.host import Refused
from turnstile.kernel.game import refuse_count
from turnstile.kernel.values import LogId, PlayerId, Value
from turnstile.server.chosen_ids import ChosenId, derive_id
from turnstile.server.commands import JoinCommand, StartCommand
from turnstile.server.errors import problem_of
from turnstile.server.people import PLAYER_PREFIX, Person
from turnstile.server.tables import NewTable, NewTableSettings, OpenedTable, find_installed
from turnstile.table.values import Player

if TYPE_CHECKING:
    from turnstile.server.server import Server

MOST_SEATS = 16


class NewHotSeat(Value, frozen=True):
    """A table at which the caller holds all seats, besides those of bots. The match starts at once."""

    game: str
    options: Annotated[Raw, Meta(extra_json_schema={"type": "object"})] | UnsetType = UNSET
    seats: Annotated[int, Meta(ge=1, le=MOST_SEATS)] | None = None
    """How many the caller holds; left out: as many as the game needs at least."""
    bots: Annotated[tuple[Player, ...], Meta(max_length=MOST_SEATS)] = ()
    id: ChosenId | None = None
    """If the answer is lost, the same request with the same id gets the same table, and opens no second one."""


class HeldSeat(Value, frozen=True):
    """A further seat of the caller, and the token to play there."""

    player: PlayerId
    name: str
    token: str


class HotSeatTable(Value, frozen=True):
    """The table, and the seats of the caller besides its first one, for which it has its own token."""

    table: LogId
    seats: tuple[HeldSeat, ...]


def companions_of(player: PlayerId, count: int) -> list[PlayerId]:
    """The companions of a player at the seats 2, 3 and so on of a table with so many seats.

    Their ids follow from the player's own, and no registration can lead to one of them.
    """
    return [PlayerId(PLAYER_PREFIX + derive_id("companion", player, str(seat))[:20]) for seat in range(2, count + 1)]


async def open_hot_seat(server: "Server", person: Person, wanted: NewHotSeat) -> HotSeatTable:
    """Open a table, seat the person and its companions there, and start the match. Raises `Problem`."""
    game = find_installed(wanted.game)
    count = wanted.seats or max(1, game.seats[0] - len(wanted.bots))
    if refused := refuse_count(count + len(wanted.bots), game.seats):
        raise problem_of(refused)
    private = NewTableSettings(is_listed=False)
    chosen = wanted.id or secrets.token_hex(16)
    opened = await server.tables.open(person, NewTable(wanted.game, wanted.options, wanted.bots, private, id=chosen))
    held = [
        await _seat(server, opened, player, seat) for seat, player in enumerate(companions_of(person.player, count), 2)
    ]
    await _submit(server, person, opened.table, StartCommand("start"))
    return HotSeatTable(opened.table, tuple(held))


async def _seat(server: "Server", opened: OpenedTable, player: PlayerId, seat: int) -> HeldSeat:
    companion, token = await server.people.lend(Person(player, f"Seat {seat}"))
    await _submit(server, companion, opened.table, JoinCommand("join", invite=opened.invite))
    return HeldSeat(companion.player, companion.name, token)


async def _submit(server: "Server", person: Person, table: LogId, command: JoinCommand | StartCommand) -> None:
    answer = await server.tables.submit(person, table, command)
    if isinstance(answer, Refused):
        raise problem_of(answer.error, answer.seq)
