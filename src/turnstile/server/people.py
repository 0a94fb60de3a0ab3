"""Players: they register with a name and get a secret token once. Only a hash of the token is kept.

`Directory` is what the server needs from a store of players. `People` is the rules above it: how tokens and codes are
made, how long a code is valid, which names are accepted.
"""

import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from hashlib import sha256
from typing import Protocol

from turnstile.kernel.values import Instant, LogId, PlayerId, Value
from turnstile.net.limits import Seconds
from turnstile.server.errors import Code, Problem
from turnstile.store.protocol import Row

LONGEST_NAME = 32
CODE_LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # no letters that look like others
CODE_LENGTH = 12
CODE_MINUTES = 10
PLAYER_PREFIX = "p-"
"""The start of every player's id. A bot may not have such a name, so that no seat can be taken for a player's."""
KNOWN_SECONDS = 2.0  # how long a checked token counts without asking the directory again
MOST_KNOWN = 10_000


class Person(Value, frozen=True):
    """A registered player."""

    player: PlayerId
    name: str


class Directory(Protocol):
    """Where players, tokens, codes, invitations and the index of seats are kept. Hashes only: no secret is stored."""

    async def add_player(self, person: Person, token: bytes, at: Instant) -> bool:
        """Add a player with its first token; `False` if the id is taken."""

    async def find_player(self, player: PlayerId) -> Person | None: ...

    async def find_token(self, token: bytes) -> Person | None:
        """The player that a token belongs to, by the hash of the token."""

    async def valid_tokens(self, tokens: Collection[bytes]) -> set[bytes]:
        """Those of these hashes that still belong to a player."""

    async def rename(self, player: PlayerId, name: str) -> bool: ...

    async def add_token(self, player: PlayerId, token: bytes, at: Instant) -> bool:
        """One more token for a player; `False` if there is no such player."""

    async def replace_tokens(self, player: PlayerId, token: bytes, at: Instant) -> bool:
        """Make all tokens and codes of a player void, and add this one, in one piece."""

    async def delete_player(self, player: PlayerId) -> None:
        """Forget a player's name, tokens and codes. Its seats stay under its id."""

    async def add_code(self, code: bytes, player: PlayerId, expires: Instant) -> None: ...

    async def use_code(self, code: bytes, now: Instant) -> PlayerId | None:
        """The player of a valid code. A code is used once."""

    async def set_invitation(self, table: LogId, invitation: bytes) -> None:
        """From now on this invitation is the only one to a table."""

    async def invitation(self, table: LogId) -> bytes | None:
        """The hash of a table's invitation; `None` if the table is open to all."""

    async def tables_of(
        self, player: PlayerId, *, is_open: bool | None, after: LogId | None, limit: int
    ) -> Sequence[tuple[LogId, Row]]:
        """The tables at which a player sits, in the order of their ids."""

    async def listed_tables(
        self, *, game: str | None, phase: str | None, after: LogId | None, limit: int
    ) -> Sequence[tuple[LogId, Row]]:
        """The open tables that are listed, in the order of their ids."""


def hash_of(secret: str) -> bytes:
    """The hash under which a secret is kept."""
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()


def new_token() -> str:
    """A secret of 256 bits."""
    return secrets.token_urlsafe(32)


class People:
    """The players of a server."""

    def __init__(self, directory: Directory, now: Callable[[], Instant], clock: Seconds) -> None:
        """`now` dates what is stored; `clock` says how long a checked token counts."""
        self._directory = directory
        self._now = now
        self._clock = clock
        self._known: OrderedDict[bytes, tuple[Person, float]] = OrderedDict()

    async def register(self, name: str) -> tuple[Person, str]:
        """A new player, and its token, which is shown this once."""
        name, token = check_name(name), new_token()
        while True:
            person = Person(PlayerId(PLAYER_PREFIX + secrets.token_hex(10)), name)
            if await self._directory.add_player(person, hash_of(token), self._now()):
                return person, token

    async def authenticate(self, token: str) -> Person:
        """The player of a token. Raises `Problem`."""
        hashed = hash_of(token)
        known = self._known.get(hashed)
        if known is not None and self._clock() < known[1]:
            return known[0]
        person = await self._directory.find_token(hashed)
        if person is None:
            self._known.pop(hashed, None)
            raise Problem(Code.BAD_TOKEN, "This token is not valid; register, or use a code from another device.")
        self._known[hashed] = (person, self._clock() + KNOWN_SECONDS)
        if len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
        return person

    async def valid_tokens(self, hashes: Collection[bytes]) -> set[bytes]:
        """Those of these tokens that are still valid, as the directory has it."""
        return await self._directory.valid_tokens(hashes)

    async def find(self, player: PlayerId) -> Person:
        person = await self._directory.find_player(player)
        if person is None:
            raise Problem(Code.NO_PLAYER, "There is no such player.")
        return person

    async def names(self, players: Iterable[PlayerId]) -> dict[PlayerId, str]:
        """The names of those of these who are registered players."""
        found = [await self._directory.find_player(each) for each in players if each.startswith(PLAYER_PREFIX)]
        return {person.player: person.name for person in found if person is not None}

    async def rename(self, player: PlayerId, name: str) -> Person:
        name = check_name(name)
        await self._directory.rename(player, name)
        self._forget(player)
        return Person(player, name)

    async def log_out_everywhere(self, player: PlayerId) -> str:
        """A new token; all others of this player are void."""
        token = new_token()
        await self._directory.replace_tokens(player, hash_of(token), self._now())
        self._forget(player)
        return token

    async def delete(self, player: PlayerId) -> None:
        await self._directory.delete_player(player)
        self._forget(player)

    async def make_code(self, player: PlayerId) -> tuple[str, Instant]:
        """A code that takes a player to another device, and when it expires."""
        code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
        expires = Instant(self._now() + CODE_MINUTES * 60_000)
        await self._directory.add_code(hash_of(code), player, expires)
        return code, expires

    async def use_code(self, code: str) -> tuple[Person, str]:
        """The player of a code, and a token for the device that shows it."""
        plain = "".join(letter for letter in code.upper() if letter.isalnum())
        player = await self._directory.use_code(hash_of(plain), self._now())
        person = None if player is None else await self._directory.find_player(player)
        if person is None:
            raise Problem(Code.BAD_CODE, "This code is not valid, or no longer; make a new one.")
        token = new_token()
        await self._directory.add_token(person.player, hash_of(token), self._now())
        return person, token

    def _forget(self, player: PlayerId) -> None:
        """Ask the directory again about the tokens of a player."""
        for hashed in [each for each, (person, _) in self._known.items() if person.player == player]:
            del self._known[hashed]


def check_name(name: str) -> str:
    """The name without spaces around it. Raises `Problem`."""
    name = " ".join(name.split())
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise Problem(Code.BAD_NAME, f"A name must have 1 to {LONGEST_NAME} printable characters.")
    return name


def is_same(one: bytes, other: bytes) -> bool:
    """Whether two hashes are equal, in a time that does not depend on them."""
    return hmac.compare_digest(one, other)
