"""The directory in the PostgreSQL database of the logs: the same schema, the same connections.

A change that must not be made twice raises `Unknown` when the connection breaks in the middle of it.
"""

from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Protocol, TypeVar

import asyncpg

from turnstile.kernel.values import Instant, LogId, PlayerId, is_log_id
from turnstile.store.columns import id_of
from turnstile.store.directory import (
    MOST_CODES,
    MOST_ON_A_PAGE,
    MOST_TOKENS,
    Booked,
    Invitation,
    MatchResult,
    Page,
    PageMark,
    PlayerAtTable,
    Rating,
    RegisteredPlayer,
)
from turnstile.store.directory_columns import invitation_of, match_of, page_of_logs, player_of, rating_of
from turnstile.store.pages import bounded, page_of, rows_for, start_by_rating, start_by_time
from turnstile.store.postgres import people, presence, seats
from turnstile.store.postgres.booking import book_match
from turnstile.store.protocol import Row
from turnstile.store.storable import (
    check_hash,
    check_invitation,
    check_match,
    check_name,
    check_player,
    check_time,
    is_hash,
    is_player_id,
    valid_ids,
)

Found = TypeVar("Found")
Work = Callable[[asyncpg.Connection], Awaitable[Found]]


class Run(Protocol):
    """Runs work on a connection of the store."""

    def __call__(self, work: Work[Found]) -> Awaitable[Found]: ...


class PostgresDirectory:
    """See `turnstile.store.directory.Directory` for what each method does.

    `run` may run its work twice, when a connection breaks; `run_once` does not.
    """

    def __init__(self, run: Run, run_once: Run) -> None:
        self._run = run
        self._run_once = run_once

    # players

    async def add_player(self, player: PlayerId, name: str, token: bytes, at: Instant) -> bool:
        check_player(player)
        check_name(name)
        check_hash(token)
        check_time(at)

        async def work(connection: asyncpg.Connection) -> bool:
            is_new = await connection.fetch(people.ADD_PLAYER, player, name, at)
            return bool(is_new and await connection.fetch(people.add_secret("tokens"), token, player, at))

        return await self._run_once(all_or_nothing(work))

    async def player(self, player: PlayerId) -> RegisteredPlayer | None:
        return (await self.players([player])).get(player)

    async def players(self, players: Sequence[PlayerId]) -> dict[PlayerId, RegisteredPlayer]:
        found = map(player_of, await self._fetch(people.PLAYERS, valid_ids(players)))
        return {player.id: player for player in found if player is not None}

    async def player_by_token(self, token: bytes) -> RegisteredPlayer | None:
        found = await self._fetch(people.PLAYER_BY_TOKEN, token) if is_hash(token) else []
        return player_of(found[0]) if found else None

    async def valid_tokens(self, tokens: Sequence[bytes]) -> set[bytes]:
        found = await self._fetch(people.VALID_TOKENS, list(filter(is_hash, tokens)))
        return {row[0] for row in found}

    async def rename(self, player: PlayerId, name: str) -> bool:
        check_name(name)
        return is_player_id(player) and bool(await self._fetch(people.RENAME, player, name))

    async def add_token(self, player: PlayerId, token: bytes, at: Instant) -> bool:
        check_hash(token)
        check_time(at)
        return await self._change(player, lambda held: _add_secret(held, "tokens", player, token, at, MOST_TOKENS))

    async def replace_tokens(self, player: PlayerId, token: bytes, at: Instant) -> bool:
        check_hash(token)
        check_time(at)

        async def work(connection: asyncpg.Connection) -> bool:
            await _forget(connection, player)
            return bool(await connection.fetch(people.add_secret("tokens"), token, player, at))

        return await self._change(player, work)

    async def delete_player(self, player: PlayerId) -> bool:
        async def work(connection: asyncpg.Connection) -> bool:
            await connection.execute(people.DELETE_PLAYER, player)
            await _forget(connection, player)
            await connection.execute(people.DELETE_RATINGS, player)
            return True

        return await self._change(player, work)

    # one-time codes

    async def add_code(self, code: bytes, player: PlayerId, expires: Instant) -> bool:
        check_hash(code)
        check_time(expires)
        return await self._change(player, lambda held: _add_secret(held, "codes", player, code, expires, MOST_CODES))

    async def use_code(self, code: bytes, token: bytes, now: Instant) -> RegisteredPlayer | None:
        check_hash(token)
        check_time(now)

        async def work(connection: asyncpg.Connection) -> RegisteredPlayer | None:
            found = await connection.fetch(people.HOLD_PLAYER_OF_CODE, code, now)
            player = player_of(found[0]) if found else None
            if player is None or not await connection.fetch(people.USE_CODE, code):
                return None
            return player if await _add_secret(connection, "tokens", player.id, token, now, MOST_TOKENS) else None

        return await self._run_once(all_or_nothing(work)) if is_hash(code) else None

    async def sweep_codes(self, now: Instant, limit: int = 1_000) -> int:
        return len(await self._fetch(people.SWEEP_CODES, now, max(0, limit)))

    # tables

    async def add_invitation(self, invitation: Invitation) -> bool:
        check_invitation(invitation)
        values = (invitation.table, invitation.admin, invitation.secret, invitation.is_required)
        return bool(await self._fetch_once(people.ADD_INVITATION, *values))

    async def invitation(self, table: LogId) -> Invitation | None:
        found = await self._fetch(people.ONE_INVITATION, table) if is_log_id(table) else []
        return invitation_of(found[0]) if found else None

    async def remove_invitation(self, table: LogId) -> bool:
        return is_log_id(table) and bool(await self._fetch_once(people.REMOVE_INVITATION, table))

    async def count_open(self, admin: PlayerId) -> int:
        found = await self._fetch(people.COUNT_OPEN, admin) if is_player_id(admin) else [(0,)]
        return int(found[0][0])

    async def opened_by(self, admin: PlayerId) -> list[LogId]:
        found = await self._fetch(people.OPENED_BY, admin) if is_player_id(admin) else []
        return [log for (name,) in found if (log := id_of(name)) is not None]

    async def tables_of(
        self, player: PlayerId, *, is_open: bool | None = None, after: PageMark | None = None, limit: int = 50
    ) -> Page[tuple[LogId, Row]]:
        if not is_player_id(player):
            return Page((), None)
        wanted, rows = [True, False] if is_open is None else [is_open], rows_for(limit)
        found = await self._fetch(seats.TABLES_OF, player, wanted, *start_by_time(after), rows + 1)
        return page_of_logs(found, None, limit, rows)

    async def listed(
        self, *, game: str | None = None, phase: str | None = None, after: PageMark | None = None, limit: int = 50
    ) -> Page[tuple[LogId, Row]]:
        rows = rows_for(limit) if phase is None else MOST_ON_A_PAGE
        start = (*start_by_time(after), rows + 1)
        if game is None:
            found = await self._fetch(seats.LISTED, *start)
        else:
            found = await self._fetch(seats.LISTED_OF, *start, game) if is_log_id(game) else []
        return page_of_logs(found, phase, limit, rows)

    # results

    async def unbooked(self, after: LogId | None = None, limit: int = 100) -> list[LogId]:
        if after is not None and not is_log_id(after):
            return []
        found = await self._fetch(people.UNBOOKED, after or "", bounded(limit))
        return [log for (name,) in found if (log := id_of(name)) is not None]

    async def skip_booking(self, table: LogId) -> None:
        if is_log_id(table):
            await self._fetch(people.SKIP_BOOKING, table)

    async def book(self, match: MatchResult, ratings: Sequence[Rating] = ()) -> Booked:
        check_match(match, ratings)
        return await self._run(lambda connection: book_match(connection, match, ratings))

    async def results_of(
        self,
        player: PlayerId,
        *,
        game: str | None = None,
        is_public: bool | None = None,
        after: PageMark | None = None,
        limit: int = 50,
    ) -> Page[MatchResult]:
        if not is_player_id(player) or not (game is None or is_log_id(game)):
            return Page((), None)
        rows = rows_for(limit)
        start = (*start_by_time(after), rows + 1, is_public)
        if game is None:
            found = await self._fetch(people.RESULTS_OF, player, *start)
        else:
            found = await self._fetch(people.RESULTS_OF_GAME, player, *start, game)
        page = [(finished, id_of(name)) for finished, name in found]
        matches = await self._matches([table for _, table in page if table is not None])
        return page_of(((at, table, matches.get(table) if table else None) for at, table in page), limit, rows)

    async def _matches(self, tables: Sequence[LogId]) -> dict[LogId, MatchResult]:
        results = await self._fetch(people.RESULTS, tables)
        players: dict[bytes, list[Sequence[object]]] = {}
        for table, *columns in await self._fetch(people.MATCH_PLAYERS, tables):
            players.setdefault(table, []).append(columns)
        found = (match_of(columns, players.get(columns[0], [])) for columns in map(tuple, results))
        return {match.table: match for match in found if match is not None}

    async def ratings_of(self, player: PlayerId) -> tuple[Rating, ...]:
        found = await self._fetch(people.RATINGS_OF, player, MOST_ON_A_PAGE) if is_player_id(player) else []
        return tuple(rating for columns in found if (rating := rating_of(columns)) is not None)

    async def ratings(self, players: Sequence[PlayerId], game: str, pool: str) -> dict[PlayerId, Rating]:
        if not (is_log_id(game) and is_log_id(pool)):
            return {}
        found = map(rating_of, await self._fetch(people.RATINGS, valid_ids(players), game, pool))
        return {rating.player: rating for rating in found if rating is not None}

    async def leaders(self, game: str, pool: str, *, after: PageMark | None = None, limit: int = 50) -> Page[Rating]:
        if not (is_log_id(game) and is_log_id(pool)):
            return Page((), None)
        rows = rows_for(limit)
        found = map(rating_of, await self._fetch(people.LEADERS, game, pool, *start_by_rating(after), rows + 1))
        those = ((0, None, None) if each is None else (each.ordinal, each.player, each) for each in found)
        return page_of(those, limit, rows)

    # presence

    async def share_presence(self, process: str, present: Collection[PlayerAtTable], until: Instant) -> None:
        valid = sorted(each for each in present if is_log_id(each.table) and is_player_id(each.player))
        columns = [each.table for each in valid], [each.player for each in valid]

        async def work(connection: asyncpg.Connection) -> None:
            await connection.execute(presence.SHARE, process, *columns, until)
            await connection.execute(presence.SWEEP, until)

        await self._run(work)

    async def present_elsewhere(self, process: str, tables: Collection[LogId], now: Instant) -> set[PlayerAtTable]:
        valid = [table for table in tables if is_log_id(table)]
        found = await self._fetch(presence.ELSEWHERE, process, valid, now) if valid else []
        return {PlayerAtTable(LogId(row["table_id"]), PlayerId(row["player"])) for row in found}

    # helpers

    async def _fetch(self, statement: str, *arguments: object) -> list[asyncpg.Record]:
        return await self._run(lambda connection: connection.fetch(statement, *arguments))

    async def _fetch_once(self, statement: str, *arguments: object) -> list[asyncpg.Record]:
        return await self._run_once(lambda connection: connection.fetch(statement, *arguments))

    async def _change(self, player: PlayerId, work: Work[bool]) -> bool:
        """Change what belongs to a player who is there, while no other process does; nothing if `work` refuses."""

        async def hold_and_work(connection: asyncpg.Connection) -> bool:
            return bool(await connection.fetch(people.HOLD_PLAYER, player)) and await work(connection)

        return is_player_id(player) and await self._run_once(all_or_nothing(hold_and_work))


def all_or_nothing(work: Work[Found]) -> Work[Found]:
    """Work in one transaction, which is rolled back if the work returns `False` or `None`."""

    async def run(connection: asyncpg.Connection) -> Found:
        transaction = connection.transaction()
        await transaction.start()
        try:
            done = await work(connection)
        except BaseException:
            if not connection.is_closed():
                await transaction.rollback()
            raise
        await (transaction.commit() if done else transaction.rollback())
        return done

    return run


async def _add_secret(
    connection: asyncpg.Connection, secrets: str, player: PlayerId, value: bytes, at: Instant, most: int
) -> bool:
    """Add a token or a code of a player who is locked. The player keeps those with the latest times."""
    is_new = await connection.fetch(people.add_secret(secrets), value, player, at)
    await connection.execute(people.keep_last(secrets), player, most)
    return bool(is_new)


async def _forget(connection: asyncpg.Connection, player: PlayerId) -> None:
    for statement in people.FORGET:
        await connection.execute(statement, player)
