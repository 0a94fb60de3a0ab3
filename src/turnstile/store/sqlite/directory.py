"""The directory in the SQLite file of the logs. Its changes share transactions and syncs with the commits."""

from collections.abc import Collection, Sequence
from functools import partial

import apsw

from turnstile.kernel.values import Instant, LogId, PlayerId, is_log_id
from turnstile.store.directory import (
    Booked,
    Invitation,
    MatchResult,
    Page,
    PageMark,
    PlayerAtTable,
    Rating,
    RegisteredPlayer,
)
from turnstile.store.pages import bounded
from turnstile.store.protocol import Row, StoreFault
from turnstile.store.sqlite import people, results, seats
from turnstile.store.sqlite.lanes import Kind, ReadLane, Work, WriteLane
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


class SqliteDirectory:
    """See `turnstile.store.directory.Directory` for what each method does."""

    def __init__(self, write: WriteLane, read: ReadLane) -> None:
        self._write = write
        self._read = read

    # players

    async def add_player(self, player: PlayerId, name: str, token: bytes, at: Instant) -> bool:
        check_player(player)
        check_name(name)
        check_hash(token)
        check_time(at)
        return await self._write.ask(partial(people.add_player, player=player, name=name, token=token, at=at))

    async def player(self, player: PlayerId) -> RegisteredPlayer | None:
        return (await self.players([player])).get(player)

    async def players(self, players: Sequence[PlayerId]) -> dict[PlayerId, RegisteredPlayer]:
        return await self._look(partial(people.players, wanted=valid_ids(players)))

    async def player_by_token(self, token: bytes) -> RegisteredPlayer | None:
        return await self._look(partial(people.player_by_token, token=token)) if is_hash(token) else None

    async def valid_tokens(self, tokens: Sequence[bytes]) -> set[bytes]:
        return await self._look(partial(people.valid_tokens, tokens=list(filter(is_hash, tokens))))

    async def rename(self, player: PlayerId, name: str) -> bool:
        check_name(name)
        return await self._change(player, partial(people.rename, player=player, name=name))

    async def add_token(self, player: PlayerId, token: bytes, at: Instant) -> bool:
        check_hash(token)
        check_time(at)
        return await self._change(player, partial(people.add_token, player=player, token=token, at=at))

    async def replace_tokens(self, player: PlayerId, token: bytes, at: Instant) -> bool:
        check_hash(token)
        check_time(at)
        return await self._change(player, partial(people.replace_tokens, player=player, token=token, at=at))

    async def delete_player(self, player: PlayerId) -> bool:
        return await self._change(player, partial(people.delete_player, player=player))

    # one-time codes

    async def add_code(self, code: bytes, player: PlayerId, expires: Instant) -> bool:
        check_hash(code)
        check_time(expires)
        return await self._change(player, partial(people.add_code, code=code, player=player, expires=expires))

    async def use_code(self, code: bytes, token: bytes, now: Instant) -> RegisteredPlayer | None:
        check_hash(token)
        check_time(now)
        work = partial(people.use_code, code=code, token=token, now=now)
        return await self._write.ask(work) if is_hash(code) else None

    async def sweep_codes(self, now: Instant, limit: int = 1_000) -> int:
        return await self._write.ask(partial(people.sweep_codes, now=now, limit=max(0, limit)))

    # tables

    async def add_invitation(self, invitation: Invitation) -> bool:
        check_invitation(invitation)
        return await self._write.ask(partial(people.add_invitation, invitation=invitation))

    async def invitation(self, table: LogId) -> Invitation | None:
        return await self._look(partial(people.invitation, table=table)) if is_log_id(table) else None

    async def remove_invitation(self, table: LogId) -> bool:
        return await self._write.ask(partial(people.remove_invitation, table=table)) if is_log_id(table) else False

    async def count_open(self, admin: PlayerId) -> int:
        return await self._look(partial(people.count_open, admin=admin)) if is_player_id(admin) else 0

    async def opened_by(self, admin: PlayerId) -> list[LogId]:
        return await self._look(partial(people.opened_by, admin=admin)) if is_player_id(admin) else []

    async def tables_of(
        self, player: PlayerId, *, is_open: bool | None = None, after: PageMark | None = None, limit: int = 50
    ) -> Page[tuple[LogId, Row]]:
        work = partial(seats.tables_of, player=player, is_open=is_open, after=after, limit=limit)
        return await self._look(work) if is_player_id(player) else Page((), None)

    async def listed(
        self, *, game: str | None = None, phase: str | None = None, after: PageMark | None = None, limit: int = 50
    ) -> Page[tuple[LogId, Row]]:
        work = partial(seats.listed, game=game, phase=phase, after=after, limit=limit)
        return await self._look(work) if game is None or is_log_id(game) else Page((), None)

    # results

    async def unbooked(self, after: LogId | None = None, limit: int = 100) -> list[LogId]:
        if after is not None and not is_log_id(after):
            return []
        return await self._look(partial(results.unbooked, after=after, limit=bounded(limit)))

    async def skip_booking(self, table: LogId) -> None:
        if is_log_id(table):
            await self._write.ask(partial(results.skip_booking, table=table))

    async def book(self, match: MatchResult, ratings: Sequence[Rating] = ()) -> Booked:
        check_match(match, ratings)
        return await self._write.ask(partial(results.book, match=match, ratings=tuple(ratings)))

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
        look = partial(results.results_of, player=player, game=game, is_public=is_public, after=after, limit=limit)
        return await self._look(look)

    async def ratings_of(self, player: PlayerId) -> tuple[Rating, ...]:
        return await self._look(partial(results.ratings_of, player=player)) if is_player_id(player) else ()

    async def ratings(self, players: Sequence[PlayerId], game: str, pool: str) -> dict[PlayerId, Rating]:
        if not (is_log_id(game) and is_log_id(pool)):
            return {}
        return await self._look(partial(results.ratings, players=valid_ids(players), game=game, pool=pool))

    async def leaders(self, game: str, pool: str, *, after: PageMark | None = None, limit: int = 50) -> Page[Rating]:
        if not (is_log_id(game) and is_log_id(pool)):
            return Page((), None)
        return await self._look(partial(results.leaders, game=game, pool=pool, after=after, limit=limit))

    # presence: one process has the file, and knows its own connections

    async def share_presence(self, process: str, present: Collection[PlayerAtTable], until: Instant) -> None:
        pass

    async def present_elsewhere(self, process: str, tables: Collection[LogId], now: Instant) -> set[PlayerAtTable]:
        return set()

    # helpers

    async def _change(self, player: PlayerId, work: Work[bool]) -> bool:
        """Change something of one player; nothing for an invalid id."""
        return await self._write.ask(work) if is_player_id(player) else False

    async def _look(self, work: Work[Kind]) -> Kind:
        """Read. A damaged page fails the requests that need it, and nothing else: the tables go on."""

        def read(db: apsw.Connection) -> Kind:
            try:
                return work(db)
            except apsw.CorruptError as error:
                raise StoreFault(f"A page of the directory is damaged ({error}).") from error

        return await self._read.ask(read)
