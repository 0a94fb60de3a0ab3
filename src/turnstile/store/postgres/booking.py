"""Books a match in PostgreSQL: the result and the ratings in one transaction.

The ratings are locked and compared with what the caller has read: if another match has changed one, nothing is stored,
and the caller rates again. The unique key of the result makes sure that a match is booked once.
"""

from collections.abc import Sequence

import asyncpg

from turnstile.kernel.values import PlayerId
from turnstile.store.directory import Booked, MatchResult, Rating
from turnstile.store.directory_columns import match_player_values, player_id_of, rating_values
from turnstile.store.postgres import people


class _Stale(Exception):
    """A rating has changed. It rolls the transaction back."""


async def book_match(connection: asyncpg.Connection, match: MatchResult, ratings: Sequence[Rating]) -> Booked:
    """Book a match, in a transaction of its own. Doing it twice is the same as doing it once."""
    try:
        async with connection.transaction():
            values = (match.table, match.game, match.finished, match.how, match.is_rated, match.is_public)
            is_new = bool(await connection.fetch(people.ADD_RESULT, *values))
            if is_new:
                await connection.executemany(people.ADD_MATCH_PLAYER, match_player_values(match))
                await _rate(connection, ratings)
            await connection.execute(people.SKIP_BOOKING, match.table)
    except _Stale:
        return Booked.STALE
    return Booked.NOW if is_new else Booked.ALREADY


async def _rate(connection: asyncpg.Connection, ratings: Sequence[Rating]) -> None:
    deleted = await _deleted(connection, {rating.player for rating in ratings})
    those = sorted(
        (rating for rating in ratings if rating.player not in deleted),
        key=lambda rating: (rating.player, rating.game, rating.pool),
    )
    keys = ([rating.player for rating in those], [rating.game for rating in those], [rating.pool for rating in those])
    stored = dict(await connection.fetch(people.HOLD_RATINGS, *keys))
    if any(stored.get(number, 0) != rating.matches - 1 for number, rating in enumerate(those, start=1)):
        raise _Stale
    for number, rating in enumerate(those, start=1):
        statement = people.CHANGE_RATING if number in stored else people.ADD_RATING
        if not await connection.fetch(statement, *rating_values(rating)):
            raise _Stale  # another process has just added it


async def _deleted(connection: asyncpg.Connection, players: set[PlayerId]) -> set[PlayerId | None]:
    """Which of these players were deleted. No other of them is, until this transaction ends."""
    found = await connection.fetch(people.HOLD_PLAYERS, sorted(players))
    return {player_id_of(name) for name, is_deleted in found if is_deleted}
