"""Tables as players use them: open, list, join by invitation, command, watch, record. The host decides the rest."""

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator
from typing import Annotated
from weakref import WeakValueDictionary

from msgspec import UNSET, Meta, Raw, UnsetType
from msgspec.structs import replace

from turnstile.host import Host, Refused
from turnstile.host.answers import PASSING, TRY_AGAIN, Answer
from turnstile.host.answers import Code as HostCode
from turnstile.host.drive import refuse_bot
from turnstile.host.live import Live
from turnstile.host.records import read_record
from turnstile.kernel.game import AnyGame, Players
from turnstile.kernel.machine import Refusal, Rejection
from turnstile.kernel.record import save
from turnstile.kernel.values import LONGEST_ID, Instant, LogId, PlayerId, Value
from turnstile.registry import find_game
from turnstile.server.chosen_ids import ChosenId, derive_id
from turnstile.server.commands import (
    AT_THE_WRONG_TIME,
    NO_TIME_YET,
    ActCommand,
    AddBotCommand,
    AnyCommand,
    CloseCommand,
    JoinAs,
    JoinCommand,
    LeaveCommand,
    RematchCommand,
    ResignCommand,
    event_of,
)
from turnstile.server.errors import Code, Problem, problem_of
from turnstile.server.people import PLAYER_PREFIX, Person, bad_token, hash_of, is_same
from turnstile.server.readers import Readers
from turnstile.store.directory import MOST_ON_A_PAGE, Directory, Invitation, Page, PageMark
from turnstile.store.protocol import Row, StoreFault
from turnstile.table.machine import Table
from turnstile.table.sight import IN_PLAY, NOT_OVER, is_shown_later
from turnstile.table.values import (
    MOST_DELAY,
    Clock,
    Header,
    Kind,
    Phase,
    Player,
    Seat,
    Seconds,
    Settings,
)
from turnstile.table.values import Code as TableCode

log = logging.getLogger("turnstile.server")

MOST_OPEN_TABLES = 50
"""How many tables that are not over one player may have opened."""


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
    options: Annotated[Raw, Meta(extra_json_schema={"type": "object"})] | UnsetType = UNSET
    bots: Annotated[tuple[Player, ...], Meta(max_length=16)] = ()
    settings: NewTableSettings = NewTableSettings()
    invite_only: bool = False
    kind: JoinAs = JoinAs.PERSON
    """Whether the player is a person, or a program."""
    id: ChosenId | None = None
    """If the answer is lost, the same request with the same id gets the same table, and opens no second one."""


class OpenedTable(Value, frozen=True):
    """A table that was opened. `invite` is the secret of its invitation link, which only this answer has."""

    table: LogId
    invite: str


class ListedTable(Value, frozen=True):
    """A table in a list. While a match is played, `changed` is when the table was opened: the time of the last event
    could give a hidden move away."""

    table: LogId
    game: str
    phase: str
    players: Players
    opened: Instant
    changed: Instant


def _listed(page: Page[tuple[LogId, Row]]) -> Page[ListedTable]:
    return Page(tuple(_as_listed(name, row) for name, row in page.items), page.after)


def _as_listed(name: LogId, row: Row) -> ListedTable:
    changed = row.opened if row.phase in NOT_OVER else row.changed
    return ListedTable(name, row.game, row.phase, tuple(map(PlayerId, row.players)), row.opened, changed)


class Tables:
    """The tables of a server."""

    def __init__(self, host: Host, readers: Readers, directory: Directory, most_open: int = MOST_OPEN_TABLES) -> None:
        self._host = host
        self._readers = readers
        self._directory = directory
        self._most_open = most_open
        self._opening: WeakValueDictionary[PlayerId, asyncio.Lock] = WeakValueDictionary()
        """Each player opens one table after the other, so that the next one is counted with those before it."""
        host.prepare_rematch = self._pass_on_invitation

    # opening

    async def open(self, person: Person, wanted: NewTable) -> OpenedTable:
        game = find_installed(wanted.game)
        for bot in dict.fromkeys((*wanted.bots, wanted.settings.stand_in)):
            if refused := refuse_bot(game, bot):
                raise problem_of(refused)
        chosen = wanted.id or secrets.token_hex(16)
        header = _header(game, person, wanted, LogId(derive_id("table", person.player, chosen)[:24]))
        invite = derive_id("invitation", person.player, chosen)[:32]
        settled = Invitation(header.table, person.player, hash_of(invite), wanted.invite_only)
        lock = self._opening.setdefault(person.player, asyncio.Lock())
        async with lock:
            if wanted.id is None or await self._directory.invitation(header.table) is None:
                await self._check_quota(person)
            await self._directory.add_invitation(settled)
            opened = await self._host.open(header)
        if isinstance(opened, Refused):
            await self._directory.remove_invitation(header.table)
            raise problem_of(opened.error)
        await self._check_account(person, opened)
        return OpenedTable(opened, invite)

    async def _check_quota(self, person: Person) -> None:
        if await self._directory.count_open(person.player) >= self._most_open:
            raise Problem(
                Code.TOO_MANY_TABLES,
                f"You have opened {self._most_open} tables that are not over; finish or close one.",
                limit="openTables",
            )

    async def _pass_on_invitation(self, table: LogId, successor: LogId) -> None:
        """The table after a rematch has the same invitation, and counts as opened by the same player.

        It is opened in any case: without an invitation it is one for its own players.
        """
        try:
            settled = await self._directory.invitation(table)
            if settled is not None:
                await self._directory.add_invitation(replace(settled, table=successor))
        except StoreFault as fault:
            log.warning("A rematch has no invitation. The store: %s", fault, extra={"table": table})

    # commands

    async def submit(self, person: Person, name: LogId, command: AnyCommand) -> Answer:
        """A player's command at a table. Raises `Problem`, or returns the answer of the host."""
        try:
            answer = await self._submit(person, name, command)
        except Problem as problem:
            log_refusal(name, person.player, command, problem.code)
            raise
        if isinstance(answer, Refused):
            log_refusal(name, person.player, command, answer.error.code)
            if answer.error.code == Refusal.WRONG_PHASE:
                return await self._in_plain_words(name, command, answer)
        return answer

    async def _in_plain_words(self, name: LogId, command: AnyCommand, refused: Refused) -> Refused:
        """Why the table refuses a command at this time. In a running match a move was refused by the game itself."""
        is_move = isinstance(command, ActCommand)
        if is_move and await self._readers.look(name, lambda live: live.state.phase in IN_PLAY):
            return refused
        return replace(refused, error=Rejection(Refusal.WRONG_PHASE, AT_THE_WRONG_TIME[type(command)]))

    async def _submit(self, person: Person, name: LogId, command: AnyCommand) -> Answer:
        if type(command) is ActCommand:
            if command.seen is not None:
                await self._acknowledge_seen(name, person.player, command.seen)
            return await self._host.submit(name, event_of(person.player, command))
        if isinstance(command, JoinCommand):
            return await self._join(person, name, command)
        if isinstance(command, RematchCommand):
            await self._check_opponents(name, person)
        if isinstance(command, AddBotCommand) and command.name.startswith(PLAYER_PREFIX):
            return Refused(Rejection(Code.BAD_NAME, f"The name of a bot may not begin with {PLAYER_PREFIX}."))
        return await self._host.submit(name, event_of(person.player, command))

    async def _join(self, person: Person, name: LogId, command: JoinCommand) -> Answer:
        await self._check_invitation(name, person, command.invite)
        answer = await self._host.submit(name, event_of(person.player, command))
        if not isinstance(answer, Refused):
            await self._check_account(person, name)
        return answer

    async def _check_invitation(self, name: LogId, person: Person, invite: str | None) -> None:
        """Refuse a player who was not invited to a table by invitation. Raises `Problem`.

        A table may have none, such as one after a rematch: its players sit there from the start.
        """
        settled = await self._directory.invitation(name)
        if settled is None:
            is_open = await self._readers.look(name, lambda live: live.state.header.settings.is_listed)
        else:
            is_open = not settled.is_required or is_same(settled.secret, hash_of(invite or ""))
            is_open = is_open or settled.admin == person.player
        if not is_open:
            raise Problem(Code.NEEDS_INVITATION, "This table is by invitation: ask for its link.")

    async def _check_opponents(self, name: LogId, person: Person) -> None:
        """Refuse a rematch with a player who has deleted its account. Raises `Problem`.

        Who has agreed before is not refused: the same command gets the same answer.
        """

        def asked(live: Live) -> Players:
            may_agree = live.state.phase is Phase.FINISHED and person.player not in live.state.agreed
            return live.state.players if may_agree else ()

        players = [each for each in await self._readers.look(name, asked) if each.startswith(PLAYER_PREFIX)]
        if any(each.name is None for each in (await self._directory.players(players)).values()):
            raise Problem(Code.NO_PLAYER, "A player of this match has deleted its account: open another table.")

    # giving up

    async def _check_account(self, person: Person, name: LogId) -> None:
        """Refuse a player who has come to a table while its account was deleted. Raises `Problem`.

        Deleting an account gives up at its tables, deletes it, and gives up again. So either that finds this table, or
        this finds that the account is gone.
        """
        found = await self._directory.player(person.player)
        if found is not None and found.name is None:
            await self.give_up(person, name)
            raise bad_token()

    async def give_up(self, person: Person, name: LogId) -> None:
        """A player gives up at a table. It may do so again, which changes nothing. Raises `Problem`.

        Before the match it leaves, or closes the table if it opened it; in a running match it resigns.
        """
        answer = await self._take_way_out(person, name)
        if isinstance(answer, Refused) and answer.error.code == Refusal.WRONG_PHASE:
            answer = await self._take_way_out(person, name)  # the match may have begun meanwhile
        if isinstance(answer, Refused) and answer.error.code == HostCode.ID_REUSED:
            answer = await self._take_way_out(person, name, secrets.token_hex(8))  # the player has chosen our id before
        if isinstance(answer, Refused):
            raise problem_of(answer.error, answer.seq)

    async def _take_way_out(self, person: Person, name: LogId, mark: str = "") -> Answer:
        command = await self._readers.look(name, lambda live: _way_out(live.state, person.player, mark))
        return await self.submit(person, name, command)

    async def give_up_all(self, person: Person) -> None:
        """A player gives up at all its tables that are not over, and at those that it opened without sitting there.

        Raises `Problem` if the store cannot do that now: tables that were given up stay so, and the others are given up
        at the next attempt. A table that is over by now, or gone, needs nothing.
        """
        async for name in self._tables_to_give_up(person.player):
            try:
                await self.give_up(person, name)
            except Problem as problem:
                if problem.code in TRY_AGAIN:
                    raise

    async def give_up_rest(self, person: Person) -> None:
        """A player whose account is gone gives up at the tables to which it came while it was being deleted."""
        try:
            await self.give_up_all(person)
        except (Problem, *PASSING) as fault:
            log.warning("A deleted player may still sit at a table: %s", fault, extra={"seat": person.player})

    async def _tables_to_give_up(self, player: PlayerId) -> AsyncIterator[LogId]:
        after: PageMark | None = None
        while True:
            page = await self._directory.tables_of(player, is_open=True, after=after, limit=MOST_ON_A_PAGE)
            for name, _ in page.items:
                yield name
            after = page.after
            if after is None:
                break
        for name in await self._directory.opened_by(player):
            yield name

    # what was received

    async def acknowledge(self, name: LogId, player: PlayerId, upto: int) -> Refused | None:
        """A caller has all updates up to this one. From a caller without a seat it means nothing, and is ignored."""
        refused = await self._host.acknowledge(name, player, upto)
        return None if refused is not None and refused.error.code == TableCode.NOT_SEATED else refused

    async def _acknowledge_seen(self, name: LogId, player: PlayerId, seen: int) -> None:
        """To say which update a move was decided on is to acknowledge it. What is refused here, the move is, too."""
        live = self._host.tables.live.get(name)
        if live is None or live.cursors.get(player, 0) < seen:
            await self._host.acknowledge(name, player, seen)

    # looking

    async def status(self, name: LogId, player: PlayerId | None) -> tuple[bytes, Players]:
        """The table as this player, or a spectator, may see it now, and who sits there."""

        def look(live: Live) -> tuple[bytes, Players]:
            state = live.state
            is_seated = player is not None and state.seat_of(player) is not None
            return live.status(is_delayed=not is_seated and is_shown_later(state)), state.players

        return await self._readers.look(name, look)

    async def listed(
        self, *, game: str | None, phase: str | None, after: PageMark | None, limit: int
    ) -> Page[ListedTable]:
        return _listed(await self._directory.listed(game=game, phase=phase, after=after, limit=limit))

    async def of_player(
        self, player: PlayerId, *, is_open: bool | None, after: PageMark | None, limit: int
    ) -> Page[ListedTable]:
        return _listed(await self._directory.tables_of(player, is_open=is_open, after=after, limit=limit))

    async def record(self, name: LogId, player: PlayerId | None) -> bytes:
        """The record of a match that is over, as lines of JSON, for those who could watch it."""
        await self._readers.check_sight(name, player)
        record = await read_record(self._host.store, name)
        if isinstance(record, Rejection):
            raise problem_of(record)
        return save(record)


def _way_out(state: Table, player: PlayerId, mark: str) -> AnyCommand:
    """The command with which a player gives up at a table. A match begins once and a table is closed once.

    So those commands have an id of their own, and get their first answer again. A player may leave several times.
    `mark` makes another id of it.
    """
    has_begun = bool(state.told)
    if has_begun:
        return ResignCommand(id=f"give-up: resign{mark}")
    if state.header.admin == player:
        return CloseCommand(id=f"give-up: close{mark}")
    return LeaveCommand(id=f"give-up: {secrets.token_hex(8)}")


def _header(game: AnyGame, person: Person, wanted: NewTable, table: LogId) -> Header:
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
        table=table,
        game=game.name,
        game_version=game.version,
        options=Raw(b"{}") if isinstance(wanted.options, UnsetType) else wanted.options,
        admin=person.player,
        at=NO_TIME_YET,
        settings=settings,
        seats=(Seat(person.player, Kind(wanted.kind.value)), *bots),
    )


def log_refusal(table: LogId, player: PlayerId | None, command: AnyCommand, code: str) -> None:
    """For debugging only: in a gated game refusals are a part of every match, and counted anyway."""
    if log.isEnabledFor(logging.DEBUG):
        log.debug("A command was refused", extra={"table": table, "seat": player, "command": command.id, "code": code})


def find_installed(name: str) -> AnyGame:
    """The installed game of this name. Raises `Problem`."""
    game = find_game(name)
    if game is None:
        raise Problem(Code.NO_GAME, "There is no game of this name on this server.")
    return game
