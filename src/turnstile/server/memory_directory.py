"""Players in memory, for tests: a directory that forgets everything when its process ends."""

from collections.abc import Collection, Sequence

from turnstile.kernel.values import Instant, LogId, PlayerId
from turnstile.server.people import Person
from turnstile.store.protocol import Row, Store

PAGE = 1_000


class MemoryDirectory:
    """The players of one process. The index of seats is read from the rows of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._people: dict[PlayerId, Person] = {}
        self._tokens: dict[bytes, PlayerId] = {}
        self._codes: dict[bytes, tuple[PlayerId, Instant]] = {}
        self._invitations: dict[LogId, bytes] = {}

    async def add_player(self, person: Person, token: bytes, at: Instant) -> bool:
        if person.player in self._people:
            return False
        self._people[person.player] = person
        self._tokens[token] = person.player
        return True

    async def find_player(self, player: PlayerId) -> Person | None:
        return self._people.get(player)

    async def find_token(self, token: bytes) -> Person | None:
        player = self._tokens.get(token)
        return None if player is None else self._people.get(player)

    async def valid_tokens(self, tokens: Collection[bytes]) -> set[bytes]:
        return {token for token in tokens if token in self._tokens}

    async def rename(self, player: PlayerId, name: str) -> bool:
        if player not in self._people:
            return False
        self._people[player] = Person(player, name)
        return True

    async def add_token(self, player: PlayerId, token: bytes, at: Instant) -> bool:
        if player not in self._people:
            return False
        self._tokens[token] = player
        return True

    async def replace_tokens(self, player: PlayerId, token: bytes, at: Instant) -> bool:
        self._tokens = {each: owner for each, owner in self._tokens.items() if owner != player}
        self._codes = {each: code for each, code in self._codes.items() if code[0] != player}
        return await self.add_token(player, token, at)

    async def delete_player(self, player: PlayerId) -> None:
        self._people.pop(player, None)
        self._tokens = {each: owner for each, owner in self._tokens.items() if owner != player}
        self._codes = {each: code for each, code in self._codes.items() if code[0] != player}

    async def add_code(self, code: bytes, player: PlayerId, expires: Instant) -> None:
        self._codes[code] = (player, expires)

    async def use_code(self, code: bytes, now: Instant) -> PlayerId | None:
        player, expires = self._codes.pop(code, (None, Instant(0)))
        return player if now < expires else None

    async def set_invitation(self, table: LogId, invitation: bytes) -> None:
        self._invitations[table] = invitation

    async def invitation(self, table: LogId) -> bytes | None:
        return self._invitations.get(table)

    async def tables_of(
        self, player: PlayerId, *, is_open: bool | None, after: LogId | None, limit: int
    ) -> Sequence[tuple[LogId, Row]]:
        rows = await self._store.logs(is_open=is_open, after=after, limit=PAGE)
        return [(log, row) for log, row in rows if player in row.players][:limit]

    async def listed_tables(
        self, *, game: str | None, phase: str | None, after: LogId | None, limit: int
    ) -> Sequence[tuple[LogId, Row]]:
        rows = await self._store.logs(is_open=True, after=after, limit=PAGE)
        found = [(log, row) for log, row in rows if row.is_listed and not row.note]
        return [(log, row) for log, row in found if game in (None, row.game) and phase in (None, row.phase)][:limit]
