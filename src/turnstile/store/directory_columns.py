"""The columns of the directories in databases, and how values are read back from them.

Nothing proves that these rows are as they were written. So texts are read as bytes, and a row that cannot be read is
left out: it concerns nothing else.
"""

from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec

from turnstile.kernel.values import LogId, PlayerId
from turnstile.store.columns import id_of, row_of, text_of
from turnstile.store.directory import Invitation, MatchPlayer, MatchResult, Page, Rating, RegisteredPlayer
from turnstile.store.pages import page_of
from turnstile.store.protocol import Row

T = TypeVar("T", bound=msgspec.Struct)

PLAYER = "id, name, added"
INVITATION = "table_id, admin, secret, is_required"
RESULT = "table_id, game, finished, how, is_rated, is_public"
MATCH_PLAYER = "player, has_won, place, score, kind, bot"
RATING = "player, game, pool, mu, sigma, matches"

UNREADABLE_NAME = "?"
"""Stands for a name that is damaged. Its player can still log in, and choose another."""

_TEXTS = frozenset({"table_id", "id", "name", "admin", "player", "game", "how", "kind", "bot", "pool"})


def as_bytes(columns: str, cast: str) -> str:
    """These columns to read, with texts as bytes: `cast` is the SQL that gives the bytes of `{}`."""
    return ", ".join(cast.format(name) if name in _TEXTS else name for name in columns.split(", "))


# values to columns


def match_player_values(match: MatchResult) -> list[tuple[str | int | bool | None, ...]]:
    """The rows of `table_id`, `seat`, `MATCH_PLAYER`, `game`, `finished` and `is_public`."""
    return [
        (match.table, seat, each.player, each.has_won, each.place, each.score, each.kind, each.bot, match.game,
         match.finished, match.is_public)
        for seat, each in enumerate(match.players)
    ]  # fmt: skip


def rating_values(rating: Rating) -> tuple[str | float, ...]:
    """The columns of `RATING`, and `ordinal`."""
    return (*msgspec.structs.astuple(rating), rating.ordinal)


# columns to values


def player_of(columns: Sequence[object]) -> RegisteredPlayer | None:
    found = _value_of(RegisteredPlayer, PLAYER, columns)
    return found or _value_of(RegisteredPlayer, PLAYER, (columns[0], UNREADABLE_NAME.encode(), columns[2]))


def invitation_of(columns: Sequence[object]) -> Invitation | None:
    return _value_of(Invitation, INVITATION, columns)


def rating_of(columns: Sequence[object]) -> Rating | None:
    return _value_of(Rating, RATING, columns)


def match_of(columns: Sequence[object], players: Sequence[Sequence[object]]) -> MatchResult | None:
    """A match from the columns of `RESULT`, and of `MATCH_PLAYER` for each player. Unreadable players are left out."""
    found = [player for each in players if (player := _value_of(MatchPlayer, MATCH_PLAYER, each)) is not None]
    return _value_of(MatchResult, f"{RESULT}, players", (*columns, tuple(found)))


def player_id_of(found: object) -> PlayerId | None:
    """A player id that was read as bytes; `None` when it cannot be read."""
    try:
        return PlayerId(text_of(found))
    except ValueError:
        return None


def page_of_logs(
    found: Iterable[Sequence[object]], phase: str | None, limit: int, rows: int
) -> Page[tuple[LogId, Row]]:
    """A page of logs in a phase, or in any: from when each was opened, its id, and the columns of its row."""
    return page_of((_log_of(columns, phase) for columns in found), limit, rows)


def _log_of(columns: Sequence[object], phase: str | None) -> tuple[int, LogId | None, tuple[LogId, Row] | None]:
    opened, name, *rest = columns
    assert isinstance(opened, int)
    log, row = id_of(name), row_of(rest)
    return opened, log, None if log is None or phase not in (None, row.phase) else (log, row)


def _value_of(kind: type[T], names: str, columns: Sequence[object]) -> T | None:
    """The value with these columns, which are in the order of its fields; `None` when they cannot be read."""
    try:
        texts = (
            text_of(value) if name in _TEXTS and value is not None else value
            for name, value in zip(names.split(", "), columns, strict=True)
        )
        return msgspec.convert(dict(zip(kind.__struct_fields__, texts, strict=True)), kind, strict=False)
    except (ValueError, msgspec.ValidationError):
        return None
