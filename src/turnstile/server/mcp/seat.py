"""A caller at a table: it looks, waits for its turn, acts and gives up.

Asking for what follows an update acknowledges that update. While a call waits, the server acknowledges for the caller
what it reads, so that no call is needed for that alone; all of it can be asked for again by its number.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Raw

from turnstile.host import Ending, Refused, Update
from turnstile.host.answers import Answer, is_passing
from turnstile.host.answers import Code as HostCode
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import LogId, PlayerId, Value, decode, encode
from turnstile.server.commands import ActCommand
from turnstile.server.errors import Code, Problem, problem_of
from turnstile.server.limits import LimitName
from turnstile.server.mcp.actions import find_action, name_actions
from turnstile.server.mcp.situation import OVER, Followed, Situation, after_leaving, is_turn, situation_of, without_news
from turnstile.server.mcp.updates import SeatUpdate, read_update
from turnstile.server.people import Person
from turnstile.server.play.closing import OF_ENDING, TEXTS, CloseCode, Closed
from turnstile.server.readers import Reader
from turnstile.table.sight import IN_PLAY, TableStatus
from turnstile.table.values import Code as TableCode
from turnstile.table.values import Phase

if TYPE_CHECKING:
    from turnstile.server.server import Server

LONGEST_WAIT = 25.0
"""Seconds that a call may wait. Clients give up after 30 to 60."""
LOOK_SECONDS = 5.0
THINKING_SECONDS = 120.0
"""A model is connected only while it calls. So long after a call, the others still see it as present: it thinks."""
MOST_ILLEGAL = 5
"""So many illegal acts in a row, and the seat resigns: otherwise a match with a confused model never ends."""
MOST_COUNTED = 10_000

Enough = Callable[[TableStatus, SeatUpdate | None], bool]


class Caller(msgspec.Struct, frozen=True):
    """Who calls a tool, and from where. Without a token there is no person."""

    person: Person | None
    address: str
    token: bytes | None = None
    """The hash of the token: a call that waits ends when it becomes void."""
    has_actions: bool = True
    """Whether results list the legal actions."""

    @property
    def player(self) -> PlayerId | None:
        return None if self.person is None else self.person.player

    def known_person(self) -> Person:
        """The player who calls. Raises `Problem` without a token."""
        if self.person is None:
            raise Problem(Code.NO_TOKEN, "This tool needs a player's token.")
        return self.person


class IllegalAct(Value, frozen=True):
    """An act was refused, and nothing has changed. The situation says what is legal."""

    code: str
    message: str
    illegal_acts: int
    most_illegal_acts: int
    has_resigned: bool
    situation: Situation


class IllegalActs:
    """How many illegal acts in a row each seat has made, as this process has seen them."""

    def __init__(self) -> None:
        self._counts: OrderedDict[tuple[LogId, PlayerId], int] = OrderedDict()

    def add(self, table: LogId, player: PlayerId) -> int:
        count = self._counts.pop((table, player), 0) + 1
        self._counts[table, player] = count
        if len(self._counts) > MOST_COUNTED:
            self._counts.popitem(last=False)
        return count

    def clear(self, table: LogId, player: PlayerId) -> None:
        self._counts.pop((table, player), None)


class HeldCall:
    """A call that waits, as one of the server's connections: it ends when the server stops or the token is void."""

    def __init__(self, server: "Server", caller: Caller, reader: Reader) -> None:
        self.address = caller.address
        self.token = caller.token
        self.player = caller.player
        self.closed: Closed | None = None
        self._server = server
        self._reader = reader

    def end(self, closed: Closed) -> None:
        self.closed = closed
        self._server.host.detach(self._reader.line, Ending.STOPPING)


class SeatAt:
    """One caller at one table, for one call of a tool."""

    def __init__(self, server: "Server", caller: Caller, table: LogId, illegal: IllegalActs) -> None:
        self._server = server
        self._caller = caller
        self._table = table
        self._illegal = illegal

    # looking and waiting

    async def look(self, since: int | None) -> Situation:
        """The table as it is now."""
        return await self._situation(await self._follow(since, LOOK_SECONDS, lambda *_: True))

    async def wait(self, since: int, seconds: float) -> Situation:
        """The table when the caller is to move, or when the match is over; without news, a short answer.

        A caller that names an update that does not exist, such as one of another table, is shown what there is.
        """
        followed = await self._follow(since, seconds, _is_decision)
        is_new = followed.newest is not None and followed.newest.seq > followed.since
        if is_new or _is_decision(followed.status, followed.newest) or followed.status.phase is Phase.SEATING:
            return await self._situation(followed)
        return without_news(followed.status, since)

    async def _situation(self, followed: Followed) -> Situation:
        seated = [seat.player for seat in followed.status.seats]
        names = await self._server.people.names(seated)
        seat = self._caller.player if self._caller.player in seated else None
        now = self._server.host.store.now()
        return situation_of(followed, seat, names, now, has_actions=self._caller.has_actions)

    async def _follow(
        self, since: int | None, seconds: float, is_enough: Enough, *, needs_news: bool = False
    ) -> Followed:
        """Read from update `since` on until it is enough, or the time is over. Raises `Problem`."""
        server = self._server
        server.sessions.check_room(self._caller.address)
        server.limits.take(LimitName.POLLS, self._caller.player or self._caller.address)
        reader = await server.readers.open_beside(self._table, self._caller.player, since)
        held = HeldCall(server, self._caller, reader)
        server.sessions.add(held)
        try:
            followed = await self._read(reader, seconds, is_enough, needs_news=needs_news)
        finally:
            server.sessions.discard(held)
            server.readers.close(reader, THINKING_SECONDS)
        if isinstance(followed, Problem):
            raise (
                followed
                if held.closed is None
                else Problem(_CODES.get(held.closed.code, Code.OVERLOADED), held.closed.text)
            )
        return followed

    async def _read(self, reader: Reader, seconds: float, is_enough: Enough, *, needs_news: bool) -> Followed | Problem:
        """The updates, and the status of the table after them: while they are read from the log, the match may end."""
        first, newest = None, None if needs_news else await self._whole(reader, reader.after)
        messages, seq = list[dict[str, Any]](), reader.after
        try:
            async with asyncio.timeout(seconds):
                async for item in reader:
                    if isinstance(item, Update):
                        newest = read_update(item.body)
                        seq = newest.seq
                        messages += newest.messages
                        await self._acknowledge(reader, seq)
                    if seq < reader.top:
                        continue
                    status = _status(reader)
                    first = first or status
                    if is_enough(status, newest) or _has_joined(first, status):
                        break
        except TimeoutError:
            pass
        if reader.line.is_closed and reader.ending is not Ending.CLOSED:
            return _ended(reader.ending)
        return Followed(_status(reader), reader.after, tuple(messages), await self._whole(reader, seq))

    async def _whole(self, reader: Reader, seq: int) -> SeatUpdate | None:
        """An update with the whole view."""
        body = await self._server.readers.whole(self._table, reader.player, seq)
        return None if body is None else read_update(body)

    async def _acknowledge(self, reader: Reader, seq: int) -> None:
        if reader.player is not None:
            await self._server.host.acknowledge(self._table, reader.player, seq)

    # acting

    async def act(self, person: Person, seq: int, action: str) -> Situation | IllegalAct:
        """Make a move that was decided on update `seq`, and wait for the next decision.

        The id of the command comes from the update and the action: the same act, sent again, gets the same answer.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + LONGEST_WAIT
        move = await self._move(person, seq, action)
        if isinstance(move, Rejection):
            return await self._refuse(person, move)
        name = sha256(encode(move)).hexdigest()[:16]
        command = ActCommand(id=f"mcp-{seq}-{name}", move=Raw(encode(move)), seen=seq)
        await self._server.host.acknowledge(self._table, person.player, seq)
        answer = await self._submit(person, command)
        while _is_too_early(answer) and loop.time() < until:
            await self._follow(seq, until - loop.time(), lambda status, _: status.phase is not Phase.GATHERING)
            await asyncio.sleep(0.01)
            answer = await self._submit(person, command)
        if isinstance(answer, Refused):
            return await self._refuse_answer(person, answer)
        self._illegal.clear(self._table, person.player)
        left = max(0.1, until - loop.time())
        return await self._situation(await self._follow(seq, left, _is_decision, needs_news=True))

    async def _move(self, person: Person, seq: int, action: str) -> dict[str, Any] | Rejection:
        """The action of this name among those of update `seq`."""
        body = await self._server.readers.whole(self._table, person.player, seq)
        if body is None:
            return Rejection(TableCode.FUTURE_VERSION, f"There is no update {seq}.")
        found = find_action(name_actions(read_update(body).actions), action)
        if found is None:
            return Rejection(TableCode.NOT_A_MOVE, f"Update {seq} does not offer you the action {action!r:.100}.")
        return dict(found)

    async def _submit(self, person: Person, command: ActCommand) -> Answer:
        self._server.limits.take(LimitName.COMMANDS, person.player)
        return await self._server.tables.submit(person, self._table, command)

    async def _refuse_answer(self, person: Person, answer: Refused) -> IllegalAct:
        if is_passing(answer) or _is_too_early(answer):
            raise problem_of(answer.error, answer.seq)
        return await self._refuse(person, answer.error)

    async def _refuse(self, person: Person, why: Rejection) -> IllegalAct:
        """Count an illegal act. The last one resigns. A table whose match does not run counts nothing."""
        self._server.counts.count_error(why.code)
        situation = await self.look(None)
        if situation.seat is None:
            raise Problem(TableCode.NOT_SEATED, "You have no seat at this table.")
        is_running = situation.phase in IN_PLAY
        count = self._illegal.add(self._table, person.player) if is_running else 0
        has_resigned = count >= MOST_ILLEGAL
        if has_resigned:
            situation = await self.give_up(person)
        return IllegalAct(why.code, why.sentence, count, MOST_ILLEGAL, has_resigned, situation)

    async def give_up(self, person: Person) -> Situation:
        """Resign; before the match, leave or close the table. Saying it again changes nothing."""
        self._illegal.clear(self._table, person.player)
        self._server.limits.take(LimitName.COMMANDS, person.player)
        await self._server.tables.give_up(person, self._table)
        try:
            return await self.look(None)
        except Problem as problem:
            if problem.code != HostCode.NO_SPECTATORS:
                raise
            return after_leaving(self._table)


def _status(reader: Reader) -> TableStatus:
    return decode(reader.line.status(), TableStatus)


def _is_decision(status: TableStatus, newest: SeatUpdate | None) -> bool:
    return status.phase in OVER or is_turn(status, newest)


def _has_joined(first: TableStatus | None, status: TableStatus) -> bool:
    """Whether other players have come, or left, before the match."""
    return first is not None and status.phase is Phase.SEATING and status.seats != first.seats


def _is_too_early(answer: Answer) -> bool:
    """Whether other players have not acknowledged yet."""
    return isinstance(answer, Refused) and answer.error.code == TableCode.ACKS_MISSING


_CODES = {CloseCode.STOPPING: HostCode.STOPPING, CloseCode.TOKEN_EXPIRED: Code.BAD_TOKEN}


def _ended(ending: Ending) -> Problem:
    text = TEXTS[OF_ENDING[ending]]
    return Problem(Code.REPLACED if ending is Ending.REPLACED else HostCode.STOPPING, text)
