"""Tables as players use them: open, list, join by invitation, command, watch, record. The host decides the rest."""

import secrets
from typing import Annotated

from msgspec import UNSET, Meta, Raw, UnsetType

from turnstile.host import Host, Refused
from turnstile.host.answers import Answer
from turnstile.host.drive import refuse_bot
from turnstile.host.live import Live
from turnstile.host.records import read_record
from turnstile.kernel.game import AnyGame, Players
from turnstile.kernel.machine import Rejection
from turnstile.kernel.record import save
from turnstile.kernel.values import LONGEST_ID, Instant, LogId, PlayerId, Value
from turnstile.registry import find_game
from turnstile.server.commands import (
    NO_TIME_YET,
    ActCommand,
    AddBotCommand,
    AnyCommand,
    JoinCommand,
    RematchCommand,
    event_of,
    new_table_id,
)
from turnstile.server.errors import Code, Problem, problem_of
from turnstile.server.people import PLAYER_PREFIX, Directory, Person, hash_of, is_same
from turnstile.server.readers import Readers
from turnstile.store.protocol import Row
from turnstile.table.values import (
    MOST_DELAY,
    Clock,
    Header,
    Kind,
    Player,
    Rematch,
    Seat,
    Seconds,
    Settings,
)
from turnstile.table.values import Code as TableCode

MOST_OPEN_TABLES = 50
"""How many open tables one player may sit at."""


class NewTableSettings(Value, frozen=True):
    """What the player who opens a table decides about it."""

    clock: Clock | None = None
    ack_seconds: Seconds = 30.0
    spectators: bool | UnsetType = UNSET
    """Left out: yes, but not at a table by invitation."""
    delay: Annotated[int, Meta(ge=0, le=MOST_DELAY)] = 0
    stand_in: Annotated[str, Meta(min_length=1, max_length=LONGEST_ID)] = "random"
    is_listed: bool = True


class NewTable(Value, frozen=True):
    """A table that a player wants to open. The player takes the first seat, and bots by name the next ones."""

    game: str
    options: Raw = Raw(b"{}")
    bots: Annotated[tuple[Player, ...], Meta(max_length=16)] = ()
    settings: NewTableSettings = NewTableSettings()
    invite_only: bool = False


class OpenedTable(Value, frozen=True):
    """A table that was opened. `invite` is the secret of its invitation link, which is shown this once."""

    table: LogId
    invite: str | None = None


class ListedTable(Value, frozen=True):
    """A table in a list."""

    table: LogId
    game: str
    phase: str
    players: tuple[str, ...]
    opened: Instant
    changed: Instant


def listed_table(name: LogId, row: Row) -> ListedTable:
    return ListedTable(name, row.game, row.phase, row.players, row.opened, row.changed)


class Tables:
    """The tables of a server."""

    def __init__(self, host: Host, readers: Readers, directory: Directory, most_open: int = MOST_OPEN_TABLES) -> None:
        self._host = host
        self._readers = readers
        self._directory = directory
        self._most_open = most_open

    # opening

    async def open(self, person: Person, wanted: NewTable) -> OpenedTable:
        game = find_installed(wanted.game)
        for bot in dict.fromkeys((*wanted.bots, wanted.settings.stand_in)):
            if refused := refuse_bot(game, bot):
                raise problem_of(refused)
        await self._check_open_tables(person)
        header = _header(game, person, wanted)
        invite = secrets.token_urlsafe(16) if wanted.invite_only else None
        if invite is not None:
            await self._directory.set_invitation(header.table, hash_of(invite))
        opened = await self._host.open(header)
        if isinstance(opened, Refused):
            raise problem_of(opened.error)
        return OpenedTable(opened, invite)

    async def _check_open_tables(self, person: Person) -> None:
        most = self._most_open
        found = await self._directory.tables_of(person.player, is_open=True, after=None, limit=most)
        if len(found) >= most:
            raise Problem(Code.TOO_MANY_TABLES, f"You sit at {most} open tables already; finish or leave one.")

    async def renew_invitation(self, person: Person, name: LogId) -> str:
        """A new invitation to a table; the one before is void, and without one nobody else can join from now on."""
        if await self._readers.look(name, lambda live: live.state.header.admin) != person.player:
            raise Problem(TableCode.NOT_ADMIN, "Only the player who opened the table may do that.")
        invite = secrets.token_urlsafe(16)
        await self._directory.set_invitation(name, hash_of(invite))
        return invite

    # commands

    async def submit(self, person: Person, name: LogId, command: AnyCommand) -> Answer:
        """A player's command at a table. Raises `Problem`, or returns the answer of the host."""
        if type(command) is ActCommand:
            return await self._host.submit(name, event_of(person.player, command))
        match command:
            case JoinCommand():
                await self._check_invitation(name, person, command.invite)
                await self._check_open_tables(person)
            case AddBotCommand() if command.name.startswith(PLAYER_PREFIX):
                return Refused(Rejection(Code.BAD_NAME, f"The name of a bot may not begin with {PLAYER_PREFIX}."))
        event = event_of(person.player, command)
        if isinstance(command, RematchCommand) and isinstance(event, Rematch):
            await self._invite_again(name, event.successor)
        return await self._host.submit(name, event)

    async def _check_invitation(self, name: LogId, person: Person, invite: str | None) -> None:
        wanted = await self._directory.invitation(name)
        if wanted is None or is_same(wanted, hash_of(invite or "")):
            return
        if await self._readers.look(name, lambda live: live.state.header.admin) != person.player:
            raise Problem(Code.NEEDS_INVITATION, "This table is by invitation: ask for its link.")

    async def _invite_again(self, name: LogId, successor: LogId) -> None:
        """The table after a rematch has the invitation of the table before."""
        invitation = await self._directory.invitation(name)
        if invitation is not None:
            await self._directory.set_invitation(successor, invitation)

    # looking

    async def status(self, name: LogId, player: PlayerId | None) -> tuple[bytes, Players]:
        """The table as this player, or a spectator, may see it now, and who sits there."""

        def look(live: Live) -> tuple[bytes, Players]:
            state = live.state
            is_seated = player is not None and state.seat_of(player) is not None
            is_delayed = not is_seated and state.header.settings.delay > 0 and state.result is None
            return live.status(is_delayed=is_delayed), state.players

        return await self._readers.look(name, look)

    async def listed(
        self, *, game: str | None, phase: str | None, after: LogId | None, limit: int
    ) -> list[ListedTable]:
        rows = await self._directory.listed_tables(game=game, phase=phase, after=after, limit=limit)
        return [listed_table(name, row) for name, row in rows]

    async def of_player(
        self, player: PlayerId, *, is_open: bool | None, after: LogId | None, limit: int
    ) -> list[ListedTable]:
        rows = await self._directory.tables_of(player, is_open=is_open, after=after, limit=limit)
        return [listed_table(name, row) for name, row in rows]

    async def record(self, name: LogId, player: PlayerId | None) -> bytes:
        """The record of a match that is over, as lines of JSON, for those who could watch it."""
        await self._readers.check_sight(name, player)
        record = await read_record(self._host.store, name)
        if isinstance(record, Rejection):
            raise problem_of(record)
        return save(record)


def _header(game: AnyGame, person: Person, wanted: NewTable) -> Header:
    chosen = wanted.settings
    settings = Settings(
        clock=chosen.clock,
        ack_seconds=chosen.ack_seconds,
        spectators=not wanted.invite_only if chosen.spectators is UNSET else chosen.spectators,
        delay=chosen.delay,
        stand_in=chosen.stand_in,
        is_listed=chosen.is_listed and not wanted.invite_only,
    )
    bots = [Seat(PlayerId(f"{bot} {number}"), Kind.BOT, bot) for number, bot in enumerate(wanted.bots, start=1)]
    return Header(
        table=new_table_id(),
        game=game.name,
        game_version=game.version,
        options=wanted.options,
        admin=person.player,
        at=NO_TIME_YET,
        settings=settings,
        seats=(Seat(person.player), *bots),
    )


def find_installed(name: str) -> AnyGame:
    """The installed game of this name. Raises `Problem`."""
    game = find_game(name)
    if game is None:
        raise Problem(Code.NO_GAME, "There is no game of this name on this server.")
    return game
