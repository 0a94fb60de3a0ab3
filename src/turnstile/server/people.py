"""Players: they register with a name and get a secret token once. Only a hash of the token is kept.

The directory keeps them. `People` is the rules above it: how tokens and codes are made, how long a code is valid, which
names are accepted.
"""

import asyncio
import hmac
import logging
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256

from turnstile.host.answers import PASSING
from turnstile.kernel.values import Instant, PlayerId, Value
from turnstile.net.limits import Seconds
from turnstile.server.chosen_ids import derive_id
from turnstile.server.errors import Code, Problem
from turnstile.store.directory import Directory, RegisteredPlayer

log = logging.getLogger("turnstile.server")

LONGEST_NAME = 32
BLANK = frozenset(" \u115f\u1160\u2800\u3164\uffa0")
"""Characters that count as printable, and show nothing."""
CODE_LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # no letters that look like others
CODE_LENGTH = 12
CODE_MINUTES = 10
PLAYER_PREFIX = "p-"
"""The start of every player's id. A bot may not have such a name, so that no seat can be taken for a player's."""
KNOWN_SECONDS = 2.0  # how long a checked token counts without asking the directory again
MOST_KNOWN = 10_000
SWEEP_EVERY = 60.0  # seconds
MOST_AT_ONCE = 500  # players that the directory is asked for in one go


class Person(Value, frozen=True):
    """A registered player."""

    player: PlayerId
    name: str


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
        self._changes = 0
        """How often a player was renamed, logged out or deleted here."""

    async def register(self, name: str, chosen: str | None = None) -> tuple[Person, str]:
        """A new player, and its token, which is shown this once. Raises `Problem`.

        `chosen`: an id that the client chose. There is one player of it at most, whose token is not shown again.
        """
        name, token = check_name(name), new_token()
        player = PlayerId(PLAYER_PREFIX + derive_id("player", chosen or secrets.token_hex(16))[:20])
        if not await self._directory.add_player(player, name, hash_of(token), self._now()):
            raise Problem(
                Code.PLAYER_EXISTS, "This player exists, and its token is not shown again; choose another id."
            )
        return Person(player, name), token

    async def lend(self, companion: Person) -> tuple[Person, str]:
        """A player that is not registered but belongs to another one, and a further token for it."""
        token = new_token()
        if not await self._directory.add_player(companion.player, companion.name, hash_of(token), self._now()):
            await self._directory.add_token(companion.player, hash_of(token), self._now())
        return companion, token

    async def authenticate(self, token: str) -> Person:
        """The player of a token. Raises `Problem`."""
        hashed = hash_of(token)
        known = self._known.get(hashed)
        if known is not None and self._clock() < known[1]:
            return known[0]
        person = await self._ask_for_person(hashed)
        if person is None:
            self._known.pop(hashed, None)
            raise bad_token()
        self._known[hashed] = (person, self._clock() + KNOWN_SECONDS)
        if len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
        return person

    async def _ask_for_person(self, token: bytes) -> Person | None:
        """The player of a token, as the directory has it after every change that was made here meanwhile."""
        while True:
            changes = self._changes
            person = _person(await self._directory.player_by_token(token))
            if changes == self._changes:
                return person

    async def valid_tokens(self, hashes: Sequence[bytes]) -> set[bytes]:
        """Those of these tokens that are still valid, as the directory has it."""
        return await self._directory.valid_tokens(hashes)

    async def find(self, player: PlayerId) -> Person:
        person = _person(await self._directory.player(player))
        if person is None:
            raise Problem(Code.NO_PLAYER, "There is no such player.")
        return person

    async def names(self, players: Iterable[PlayerId]) -> dict[PlayerId, str]:
        """The names of those of these who are registered players."""
        wanted = list(dict.fromkeys(each for each in players if each.startswith(PLAYER_PREFIX)))
        names = dict[PlayerId, str]()
        for start in range(0, len(wanted), MOST_AT_ONCE):
            found = await self._directory.players(wanted[start : start + MOST_AT_ONCE])
            names |= {player: each.name for player, each in found.items() if each.name is not None}
        return names

    async def rename(self, player: PlayerId, name: str) -> Person:
        name = check_name(name)
        self._settle(player, await self._directory.rename(player, name))
        return Person(player, name)

    async def log_out_everywhere(self, player: PlayerId) -> str:
        """A new token; all others of this player are void."""
        token = new_token()
        self._settle(player, await self._directory.replace_tokens(player, hash_of(token), self._now()))
        return token

    async def delete(self, player: PlayerId) -> None:
        await self._directory.delete_player(player)
        self._forget(player)

    async def make_code(self, player: PlayerId) -> tuple[str, Instant]:
        """A code that takes a player to another device, and when it expires."""
        code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
        expires = Instant(self._now() + CODE_MINUTES * 60_000)
        self._settle(player, await self._directory.add_code(hash_of(code), player, expires))
        return code, expires

    async def use_code(self, code: str) -> tuple[Person, str]:
        """The player of a code, and a token for the device that shows it. Raises `Problem`."""
        plain = "".join(letter for letter in code.upper() if letter.isalnum())
        token = new_token()
        person = _person(await self._directory.use_code(hash_of(plain), hash_of(token), self._now()))
        if person is None:
            raise Problem(Code.BAD_CODE, "This code is not valid, or no longer; make a new one.")
        return person, token

    async def keep_tidy(self) -> None:
        """Delete codes that have expired, now and then."""
        while True:
            await asyncio.sleep(SWEEP_EVERY)
            try:
                await self._directory.sweep_codes(self._now())
            except PASSING as fault:
                log.warning("The store: %s", fault)

    def _settle(self, player: PlayerId, is_changed: bool) -> None:
        """A player has just changed in the directory, or is not there any more. Raises `Problem`.

        Another process may have deleted a player whose token still counts here.
        """
        self._forget(player)
        if not is_changed:
            raise bad_token()

    def _forget(self, player: PlayerId) -> None:
        """Ask the directory again about the tokens of a player, who has just changed there."""
        self._changes += 1
        for hashed in [each for each, (person, _) in self._known.items() if person.player == player]:
            del self._known[hashed]


def bad_token() -> Problem:
    """The token of a request is not valid, or not any more."""
    return Problem(Code.BAD_TOKEN, "This token is not valid; register, or use a code from another device.")


def _person(found: RegisteredPlayer | None) -> Person | None:
    """A player who was not deleted."""
    return None if found is None or found.name is None else Person(found.id, found.name)


def check_name(name: str) -> str:
    """The name without spaces around it. Raises `Problem`."""
    name = " ".join(name.split())
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable() or BLANK.issuperset(name):
        raise Problem(Code.BAD_NAME, f"A name must have 1 to {LONGEST_NAME} printable characters.")
    return name


def is_same(one: bytes, other: bytes) -> bool:
    """Whether two hashes are equal, in a time that does not depend on them."""
    return hmac.compare_digest(one, other)
