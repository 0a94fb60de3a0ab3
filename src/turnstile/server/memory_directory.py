"""Players in memory, for tests: a directory that forgets everything when its process ends."""

from collections.abc import Callable, Sequence

from turnstile.kernel.values import Instant, LogId, PlayerId
from turnstile.server.directory import Invitation, Page, PageMark, RegisteredPlayer
from turnstile.store.protocol import Row, Store

ALL = 1_000_000


class MemoryDirectory:
    """The players of one process. Who sits where is read from the rows of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._players: dict[PlayerId, RegisteredPlayer] = {}
        self._tokens: dict[bytes, PlayerId] = {}
        self._codes: dict[bytes, tuple[PlayerId, Instant]] = {}
        self._invitations: dict[LogId, Invitation] = {}

    async def add_player(self, player: PlayerId, name: str, token: bytes, at: Instant) -> bool:
        if player in self._players or token in self._tokens:
            return False
        self._players[player] = RegisteredPlayer(player, name, at)
        self._tokens[token] = player
        return True

    async def player(self, player: PlayerId) -> RegisteredPlayer | None:
        return self._players.get(player)

    async def players(self, players: Sequence[PlayerId]) -> dict[PlayerId, RegisteredPlayer]:
        return {player: self._players[player] for player in players if player in self._players}

    async def player_by_token(self, token: bytes) -> RegisteredPlayer | None:
        player = self._tokens.get(token)
        return None if player is None else self._players[player]

    async def rename(self, player: PlayerId, name: str) -> bool:
        found = self._players.get(player)
        if found is None or found.name is None:
            return False
        self._players[player] = RegisteredPlayer(player, name, found.added)
        return True

    async def add_token(self, player: PlayerId, token: bytes, at: Instant) -> bool:
        if player not in self._players:
            return False
        self._tokens[token] = player
        return True

    async def replace_tokens(self, player: PlayerId, token: bytes, at: Instant) -> bool:
        self._void(player)
        return await self.add_token(player, token, at)

    async def delete_player(self, player: PlayerId) -> bool:
        found = self._players.get(player)
        if found is None:
            return False
        self._void(player)
        self._players[player] = RegisteredPlayer(player, None, found.added)
        return True

    def _void(self, player: PlayerId) -> None:
        self._tokens = {each: owner for each, owner in self._tokens.items() if owner != player}
        self._codes = {each: code for each, code in self._codes.items() if code[0] != player}

    async def add_code(self, code: bytes, player: PlayerId, expires: Instant) -> bool:
        self._codes[code] = (player, expires)
        return True

    async def use_code(self, code: bytes, now: Instant) -> PlayerId | None:
        player, expires = self._codes.pop(code, (None, Instant(0)))
        return player if now < expires else None

    async def add_invitation(self, invitation: Invitation) -> bool:
        return self._invitations.setdefault(invitation.table, invitation) is invitation

    async def invitation(self, table: LogId) -> Invitation | None:
        return self._invitations.get(table)

    async def remove_invitation(self, table: LogId) -> bool:
        return self._invitations.pop(table, None) is not None

    async def count_open(self, admin: PlayerId) -> int:
        rows = dict(await self._store.logs(is_open=True, limit=ALL))
        return sum(each.admin == admin and each.table in rows for each in self._invitations.values())

    async def tables_of(
        self, player: PlayerId, *, is_open: bool | None = None, after: PageMark | None = None, limit: int = 50
    ) -> Page[tuple[LogId, Row]]:
        return await self._page(lambda row: player in row.players, is_open, after, limit)

    async def listed(
        self, *, game: str | None = None, phase: str | None = None, after: PageMark | None = None, limit: int = 50
    ) -> Page[tuple[LogId, Row]]:
        def is_wanted(row: Row) -> bool:
            return row.is_listed and not row.note and game in (None, row.game) and phase in (None, row.phase)

        return await self._page(is_wanted, True, after, limit)

    async def _page(
        self, is_wanted: Callable[[Row], bool], is_open: bool | None, after: PageMark | None, limit: int
    ) -> Page[tuple[LogId, Row]]:
        rows = [(name, row) for name, row in await self._store.logs(is_open=is_open, limit=ALL) if is_wanted(row)]
        rows.sort(key=lambda item: (item[1].opened, item[0]), reverse=True)
        if after is not None:
            rows = [(name, row) for name, row in rows if (row.opened, name) < (after.value, after.id)]
        page = tuple(rows[:limit])
        mark = PageMark(page[-1][1].opened, page[-1][0]) if len(rows) > limit else None
        return Page(page, mark)
