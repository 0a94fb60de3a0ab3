"""The columns of the stores in databases: which there are, how values become columns, and how they are read back.

Only the log is vouched for by its hashes. What stands beside it, rows and cursors, may be damaged and nobody notices:
it is read with care, as bytes, and nothing that is found there is an error. `rebuild` makes it anew.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from turnstile.kernel.values import Instant, LogId, is_log_id
from turnstile.store.log import Damaged, Entry
from turnstile.store.protocol import Row, Saved

ROW = "game, phase, players, is_open, is_listed, opened, changed, due, note"
ENTRY = "position, at, event, state, link, command, answer"

DAMAGED_ROW = "The row of this table is damaged; its log may be whole. `turnstile matches rebuild` makes the row anew."

_TEXTS = ("game", "phase", "players", "note")
_players = msgspec.json.Decoder(tuple[str, ...])


def row_as_bytes(cast: str) -> str:
    """The columns of `ROW` to read, with texts as bytes: `cast` is how a database gives the bytes of {}."""
    return ", ".join(cast.format(name) if name in _TEXTS else name for name in ROW.split(", "))


# values to columns


def row_values(row: Row) -> tuple[str | int | None, ...]:
    """The columns of `ROW`."""
    players = msgspec.json.encode(row.players).decode()
    times = (row.opened, row.changed, row.due)
    return (row.game, row.phase, players, row.is_open, row.is_listed, *times, row.note)


def entry_values(entry: Entry) -> tuple[str | bytes | int | None, ...]:
    """The columns of `ENTRY`. Back again it is `Entry(*found)`: the fields are in the same order."""
    return (entry.position, entry.at, entry.event, entry.state, entry.link, entry.command, entry.answer)


# and back


def row_of(columns: Sequence[object]) -> Row:
    """A row from the columns of `row_as_bytes`; one that is damaged says so in its note, as if it were put aside."""
    game, phase, players, is_open, is_listed, opened, changed, due, note = columns
    try:
        found = {
            "game": _text(game),
            "phase": _text(phase),
            "players": _players.decode(_text(players)),
            "is_open": bool(is_open),
            "is_listed": bool(is_listed),
            "opened": opened,
            "changed": changed,
            "due": due,
            "note": _text(note),
        }
        return msgspec.convert(found, Row)
    except (ValueError, msgspec.DecodeError):
        return damaged_row(is_open=bool(is_open))


def damaged_row(*, is_open: bool = False) -> Row:
    """What is shown of a table whose row cannot be read."""
    return Row("?", "?", (), is_open, False, Instant(0), Instant(0), None, DAMAGED_ROW)


def id_of(found: object) -> LogId | None:
    """The id of a table, read as bytes; `None` for one that nobody could ask for."""
    try:
        text = _text(found)
    except ValueError:
        return None
    return LogId(text) if is_log_id(text) else None


def cursors_of(found: Iterable[Sequence[object]]) -> dict[str, int]:
    """Cursors by their seats, which are read as bytes. A damaged one is lost: its seat is sent something again."""
    cursors: dict[str, int] = {}
    for seat, cursor in found:
        try:
            cursors[_text(seat)] = msgspec.convert(cursor, int)
        except (ValueError, msgspec.ValidationError):
            continue
    return cursors


@contextmanager
def reading_log_of(log: LogId) -> Iterator[None]:
    """Entries are read here: a text among them that is none is found while it is fetched."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise Damaged(log, "the command of an entry is no text") from error


def check_newest(log: LogId, position: object, saved: Saved) -> None:
    """Raises `Damaged` when a log ends before the position that stands in its table's row."""
    last = saved.entries[-1] if saved.entries else saved.snapshot or saved.header
    newest = last.position
    if not isinstance(position, int) or newest < position:
        raise Damaged(log, f"the entries after {newest} are missing")


def _text(found: object) -> str:
    """A text that came as bytes; raises `ValueError` for what is none."""
    if not isinstance(found, bytes):
        raise ValueError("no text")
    return found.decode()
