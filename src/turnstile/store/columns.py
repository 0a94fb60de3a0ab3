"""The columns of the database stores: their names, and how values are written to them and read back.

Hashes protect only the log. Rows and cursors may be damaged without notice. So they are read with care, as bytes, and
nothing found there is an error. `rebuild` restores them from the log.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from turnstile.kernel.values import Instant, LogId, is_log_id
from turnstile.store.log import Damaged, Entry
from turnstile.store.protocol import Row, Saved

ROW = "game, phase, players, is_open, is_listed, opened, changed, due, note"
ENTRY = "position, at, event, state, link, command, answer"

DAMAGED_ROW = "The row of this log is damaged; the log may be intact. `turnstile matches rebuild` restores the row."

_TEXTS = ("game", "phase", "players", "note")
_players = msgspec.json.Decoder(tuple[str, ...])


def row_as_bytes(cast: str) -> str:
    """The columns of `ROW` to read, with texts as bytes: `cast` is the SQL that gives the bytes of `{}`."""
    columns = ((name, f"tables.{name}") for name in ROW.split(", "))
    return ", ".join(cast.format(column) if name in _TEXTS else column for name, column in columns)


# values to columns


def row_values(row: Row) -> tuple[str | int | None, ...]:
    """The columns of `ROW`."""
    players = msgspec.json.encode(row.players).decode()
    times = (row.opened, row.changed, row.due)
    return (row.game, row.phase, players, row.is_open, row.is_listed, *times, row.note)


def entry_values(entry: Entry) -> tuple[str | bytes | int | None, ...]:
    """The columns of `ENTRY`. `Entry(*found)` reads them back: the fields are in the same order."""
    return (entry.position, entry.at, entry.event, entry.state, entry.link, entry.command, entry.answer)


# columns to values


def row_of(columns: Sequence[object]) -> Row:
    """A row from the columns of `row_as_bytes`. A damaged row says so in its note, as if its log were put aside."""
    game, phase, players, is_open, is_listed, opened, changed, due, note = columns
    try:
        found = {
            "game": text_of(game),
            "phase": text_of(phase),
            "players": _players.decode(text_of(players)),
            "is_open": bool(is_open),
            "is_listed": bool(is_listed),
            "opened": opened,
            "changed": changed,
            "due": due,
            "note": text_of(note),
        }
        return msgspec.convert(found, Row)
    except (ValueError, msgspec.DecodeError):
        return damaged_row(is_open=bool(is_open))


def damaged_row(*, is_open: bool = False) -> Row:
    """The row to show for a log whose own row cannot be read."""
    return Row("?", "?", (), is_open, False, Instant(0), Instant(0), None, DAMAGED_ROW)


def id_of(found: object) -> LogId | None:
    """A log id that was read as bytes; `None` when it is invalid."""
    try:
        text = text_of(found)
    except ValueError:
        return None
    return LogId(text) if is_log_id(text) else None


def cursors_of(found: Iterable[Sequence[object]]) -> dict[str, int]:
    """Cursors by seat; seats are read as bytes. A damaged cursor is lost: its seat receives some updates again."""
    cursors: dict[str, int] = {}
    for seat, cursor in found:
        try:
            cursors[text_of(seat)] = msgspec.convert(cursor, int)
        except (ValueError, msgspec.ValidationError):
            continue
    return cursors


@contextmanager
def reading_log_of(log: LogId) -> Iterator[None]:
    """Read entries in this block: text that is not valid UTF-8 raises `Damaged`."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise Damaged(log, "the command of an entry is not text") from error


def check_newest(log: LogId, position: object, saved: Saved) -> None:
    """Raises `Damaged` when a log ends before the position in its row."""
    last = saved.entries[-1] if saved.entries else saved.snapshot or saved.header
    newest = last.position
    if not isinstance(position, int) or newest < position:
        raise Damaged(log, f"the entries after {newest} are missing")


def text_of(found: object) -> str:
    """A text that was read as bytes. Raises `ValueError` when it is not text."""
    if not isinstance(found, bytes):
        raise ValueError("not a text")
    return found.decode()
