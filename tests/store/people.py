"""Players, matches and ratings for tests of directories."""

from hashlib import sha256

from turnstile.kernel.values import Instant, LogId, PlayerId
from turnstile.store.directory import Directory, Invitation, MatchPlayer, MatchResult, Page, Rating
from turnstile.store.protocol import Row

ANA, BO, CY = PlayerId("ana"), PlayerId("bo"), PlayerId("cy")
NOW = Instant(1_000)


def hashed(text: str) -> bytes:
    """The hash of a token, a code or a secret."""
    return sha256(text.encode()).digest()


async def registered(directory: Directory, *players: PlayerId) -> None:
    """These players, each with one token: the hash of its id."""
    for player in players:
        assert await directory.add_player(player, player.title(), hashed(player), NOW)


async def use_code(directory: Directory, code: str, device: str = "tablet", now: Instant = NOW) -> PlayerId | None:
    """The player whose code is exchanged for the token of a device."""
    found = await directory.use_code(hashed(code), hashed(device), now)
    return None if found is None else found.id


def invitation(table: str, admin: PlayerId = ANA, *, is_required: bool = False) -> Invitation:
    return Invitation(LogId(table), admin, hashed(table), is_required)


def match(table: str, *players: PlayerId, game: str = "doors", finished: int = 5_000) -> MatchResult:
    """A match that its first player has won."""
    places = enumerate(players or (ANA, BO), start=1)
    those = tuple(MatchPlayer(player, place == 1, place, 10 - place) for place, player in places)
    return MatchResult(LogId(table), game, Instant(finished), "played", True, True, those)


def rating(player: PlayerId, matches: int = 1, mu: float = 25.0, *, game: str = "doors", pool: str = "all") -> Rating:
    return Rating(player, game, pool, mu, 25 / 3, matches)


def tables_on(page: Page[tuple[LogId, Row]]) -> list[str]:
    return [table for table, _ in page.items]
