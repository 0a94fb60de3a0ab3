"""A directory in memory, on the disk of a store in memory."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TypeVar

from msgspec.structs import replace

from turnstile.kernel.values import Instant, LogId, PlayerId
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
from turnstile.store.memory.disk import Disk, DiskLog, People
from turnstile.store.pages import bounded, page_of, rows_for, start_by_rating, start_by_time
from turnstile.store.protocol import Row
from turnstile.store.storable import (
    check_hash,
    check_invitation,
    check_match,
    check_name,
    check_player,
    check_time,
    seated_players,
    valid_ids,
)

T = TypeVar("T")


class MemoryDirectory:
    """See `turnstile.store.directory.Directory` for what each method does. `disk` raises when the store is closed."""

    def __init__(self, disk: Callable[[], Disk]) -> None:
        self._disk = disk

    # players

    async def add_player(self, player: PlayerId, name: str, token: bytes, at: Instant) -> bool:
        check_player(player)
        check_name(name)
        check_hash(token)
        check_time(at)
        people = self._people()
        if player in people.players or token in people.tokens:
            return False
        people.players[player] = RegisteredPlayer(player, name, at)
        people.tokens[token] = (player, at)
        return True

    async def player(self, player: PlayerId) -> RegisteredPlayer | None:
        return self._people().players.get(player)

    async def players(self, players: Sequence[PlayerId]) -> dict[PlayerId, RegisteredPlayer]:
        known = self._people().players
        return {PlayerId(player): known[PlayerId(player)] for player in valid_ids(players) if player in known}

    async def player_by_token(self, token: bytes) -> RegisteredPlayer | None:
        people = self._people()
        found = people.tokens.get(token)
        return None if found is None else people.players[found[0]]

    async def valid_tokens(self, tokens: Sequence[bytes]) -> set[bytes]:
        known = self._people().tokens
        return {token for token in tokens if token in known}

    async def rename(self, player: PlayerId, name: str) -> bool:
        check_name(name)
        people = self._people()
        if not _is_there(people, player):
            return False
        people.players[player] = replace(people.players[player], name=name)
        return True

    async def add_token(self, player: PlayerId, token: bytes, at: Instant) -> bool:
        check_hash(token)
        check_time(at)
        people = self._people()
        if not _is_there(people, player) or token in people.tokens:
            return False
        people.tokens[token] = (player, at)
        _keep_last(people.tokens, player, MOST_TOKENS)
        return True

    async def replace_tokens(self, player: PlayerId, token: bytes, at: Instant) -> bool:
        check_hash(token)
        check_time(at)
        people = self._people()
        owner, _ = people.tokens.get(token, (player, at))
        if not _is_there(people, player) or owner != player:
            return False
        _forget(people, player)
        people.tokens[token] = (player, at)
        return True

    async def delete_player(self, player: PlayerId) -> bool:
        people = self._people()
        if not _is_there(people, player):
            return False
        people.players[player] = replace(people.players[player], name=None)
        _forget(people, player)
        people.ratings = {key: rating for key, rating in people.ratings.items() if rating.player != player}
        return True

    # one-time codes

    async def add_code(self, code: bytes, player: PlayerId, expires: Instant) -> bool:
        check_hash(code)
        check_time(expires)
        people = self._people()
        if not _is_there(people, player) or code in people.codes:
            return False
        people.codes[code] = (player, expires)
        _keep_last(people.codes, player, MOST_CODES)
        return True

    async def use_code(self, code: bytes, token: bytes, now: Instant) -> RegisteredPlayer | None:
        check_hash(token)
        check_time(now)
        people = self._people()
        player, expires = people.codes.get(code, (None, now))
        if player is None or expires <= now or not await self.add_token(player, token, now):
            return None
        del people.codes[code]
        return people.players[player]

    async def sweep_codes(self, now: Instant, limit: int = 1_000) -> int:
        codes = self._people().codes
        expired = sorted((expires, code) for code, (_, expires) in codes.items() if expires <= now)[: max(0, limit)]
        for _, code in expired:
            del codes[code]
        return len(expired)

    # tables

    async def add_invitation(self, invitation: Invitation) -> bool:
        check_invitation(invitation)
        invitations = self._people().invitations
        if invitation.table in invitations:
            return False
        invitations[invitation.table] = invitation
        return True

    async def invitation(self, table: LogId) -> Invitation | None:
        return self._people().invitations.get(table)

    async def remove_invitation(self, table: LogId) -> bool:
        disk = self._disk()
        return table not in disk.logs and disk.people.invitations.pop(table, None) is not None

    async def count_open(self, admin: PlayerId) -> int:
        return len(await self.opened_by(admin))

    async def opened_by(self, admin: PlayerId) -> list[LogId]:
        disk = self._disk()
        opened = [table for table, invitation in disk.people.invitations.items() if invitation.admin == admin]
        return [table for table in opened if table in disk.logs and not disk.logs[table].is_closed]

    async def tables_of(
        self, player: PlayerId, *, is_open: bool | None = None, after: PageMark | None = None, limit: int = 50
    ) -> Page[tuple[LogId, Row]]:
        def is_wanted(kept: DiskLog) -> bool:
            return player in seated_players(kept.seats) and is_open in (None, not kept.is_closed)

        return page_of(self._rows(is_wanted, after), limit, rows_for(limit))

    async def listed(
        self, *, game: str | None = None, phase: str | None = None, after: PageMark | None = None, limit: int = 50
    ) -> Page[tuple[LogId, Row]]:
        def is_wanted(kept: DiskLog) -> bool:
            return not kept.is_closed and kept.row.is_listed and game in (None, kept.row.game)

        found = self._rows(is_wanted, after)
        if phase is None:
            return page_of(found, limit, rows_for(limit))
        those = ((value, table, item if item[1].phase == phase else None) for value, table, item in found)
        return page_of(those, limit, MOST_ON_A_PAGE)

    # results

    async def unbooked(self, after: LogId | None = None, limit: int = 100) -> list[LogId]:
        found = [
            log
            for log, kept in sorted(self._disk().logs.items())
            if not kept.row.is_open and not kept.is_booked and not kept.row.note and (after is None or log > after)
        ]
        return found[: bounded(limit)]

    async def skip_booking(self, table: LogId) -> None:
        kept = self._disk().logs.get(table)
        if kept is not None:
            kept.is_booked = True

    async def book(self, match: MatchResult, ratings: Sequence[Rating] = ()) -> Booked:
        check_match(match, ratings)
        people = self._people()
        if match.table in people.results:
            await self.skip_booking(match.table)
            return Booked.ALREADY
        deleted = {player.id for player in people.players.values() if player.name is None}
        new = {(rating.player, rating.game, rating.pool): rating for rating in ratings if rating.player not in deleted}
        for key, rating in new.items():
            if rating.matches - 1 != (people.ratings[key].matches if key in people.ratings else 0):
                return Booked.STALE
        people.ratings.update(new)
        people.results[match.table] = match
        await self.skip_booking(match.table)
        return Booked.NOW

    async def results_of(
        self,
        player: PlayerId,
        *,
        game: str | None = None,
        is_public: bool | None = None,
        after: PageMark | None = None,
        limit: int = 50,
    ) -> Page[MatchResult]:
        start = start_by_time(after)
        those = [
            ((match.finished, match.table), match)
            for match in self._people().results.values()
            if game in (None, match.game)
            and is_public in (None, match.is_public)
            and (match.finished, match.table) < start
            and any(each.player == player and each.kind != "bot" for each in match.players)
        ]
        return page_of(_newest_first(those), limit, rows_for(limit))

    async def ratings_of(self, player: PlayerId) -> tuple[Rating, ...]:
        mine = sorted((key, rating) for key, rating in self._people().ratings.items() if rating.player == player)
        return tuple(rating for _, rating in mine)[:MOST_ON_A_PAGE]

    async def ratings(self, players: Sequence[PlayerId], game: str, pool: str) -> dict[PlayerId, Rating]:
        stored = self._people().ratings
        keys = [(PlayerId(player), game, pool) for player in valid_ids(players)]
        return {key[0]: stored[key] for key in keys if key in stored}

    async def leaders(self, game: str, pool: str, *, after: PageMark | None = None, limit: int = 50) -> Page[Rating]:
        start = start_by_rating(after)
        those = [
            ((rating.ordinal, rating.player), rating)
            for rating in self._people().ratings.values()
            if (rating.game, rating.pool) == (game, pool) and (rating.ordinal, rating.player) < start
        ]
        return page_of(_newest_first(those), limit, rows_for(limit))

    # presence

    async def share_presence(self, process: str, present: Collection[PlayerAtTable], until: Instant) -> None:
        self._people().presence[process] = until, frozenset(present)

    async def present_elsewhere(self, process: str, tables: Collection[LogId], now: Instant) -> set[PlayerAtTable]:
        shared = self._people().presence.items()
        others = (present for name, (until, present) in shared if name != process and until > now)
        return {each for present in others for each in present if each.table in tables}

    # helpers

    def _people(self) -> People:
        return self._disk().people

    def _rows(
        self, is_wanted: Callable[[DiskLog], bool], after: PageMark | None
    ) -> Iterator[tuple[int | float, str, tuple[LogId, Row]]]:
        """The logs that are wanted, the newest first."""
        start = start_by_time(after)
        those = [
            ((kept.row.opened, log), (log, kept.row))
            for log, kept in self._disk().logs.items()
            if is_wanted(kept) and (kept.row.opened, log) < start
        ]
        return _newest_first(those)


def _newest_first(those: Iterable[tuple[tuple[int | float, str], T]]) -> Iterator[tuple[int | float, str, T]]:
    for (value, name), item in sorted(those, key=lambda found: found[0], reverse=True):
        yield value, name, item


def _is_there(people: People, player: PlayerId) -> bool:
    return player in people.players and people.players[player].name is not None


def _keep_last(those: dict[bytes, tuple[PlayerId, Instant]], player: PlayerId, most: int) -> None:
    """Keep a player's tokens or codes with the latest times, the rest become void."""
    mine = sorted(((at, hashed) for hashed, (owner, at) in those.items() if owner == player), reverse=True)
    for _, hashed in mine[most:]:
        del those[hashed]


def _forget(people: People, player: PlayerId) -> None:
    """Make all tokens and codes of a player void."""
    people.tokens = {key: kept for key, kept in people.tokens.items() if kept[0] != player}
    people.codes = {key: kept for key, kept in people.codes.items() if kept[0] != player}
