"""Reads the matches of a simulation, a tournament or a league from what these have left on the disk."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from turnstile.lab.results import VERSION, Header, ResultLine
from turnstile.reports.errors import Unreadable
from turnstile.reports.leagues import find_league, read_league

KINDS = ("simulation", "tournament")


@dataclass(frozen=True, slots=True)
class Source:
    """What was played, and the matches, which are read one by one."""

    header: Header
    matches: Iterator[ResultLine]
    own_page: Path | None = None
    """A page that the league itself has made."""


def read_source(path: Path) -> Source:
    """Opens a file or the folder of a league. Raises `Unreadable`, now or while the matches are read."""
    if path.is_dir():
        league = find_league(path)
        return Source(*read_league(league), league.own_page)
    return _read_parquet(path) if path.suffix == ".parquet" else _read_lines(path)


# lines of JSON

_header = msgspec.json.Decoder(Header)
_line = msgspec.json.Decoder(ResultLine)


def _read_lines(path: Path) -> Source:
    """Reads a file from its beginning to its end, once: it may be a pipe."""
    file = path.open("rb")
    try:
        header = _read_header(path, file.readline(1_000_000))
    except Unreadable:
        file.close()
        raise
    return Source(header, _read_matches(path, file, header.players))


def _read_header(path: Path, data: bytes) -> Header:
    try:
        header = _header.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise Unreadable(
            f"{path} is not a file of results. Make one with 'turnstile simulate GAME --out matches.jsonl', or give "
            "the file of a tournament or the data folder of a league."
        ) from None
    if header.kind not in KINDS or header.version != VERSION:
        raise Unreadable(f"{path} has results of the kind {header.kind!r}, version {header.version}: not known here.")
    return header


def _read_matches(path: Path, file: BinaryIO, players: int) -> Iterator[ResultLine]:
    """The matches in the lines after the header."""
    with file:
        for number, line in enumerate(file, start=2):
            if not line.endswith(b"\n"):
                return  # the last line of a file that is still being written
            try:
                match = _line.decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError) as fault:
                raise Unreadable(f"{path}, line {number} is not a match: {fault}.") from None
            if not match.is_sound or len(match.seats) != players:
                raise Unreadable(f"{path}, line {number} is not a match: its seats, winners and scores do not fit.")
            yield match


# Parquet: only the columns about the ends of matches are read


def _read_parquet(path: Path) -> Source:
    try:
        from pyarrow import ArrowInvalid, parquet
    except ImportError:
        raise Unreadable("A Parquet file needs another package: pip install 'turnstile[data]'.") from None
    try:
        file = parquet.ParquetFile(path)
    except ArrowInvalid:
        raise Unreadable(f"{path} is not a complete Parquet file.") from None
    header = _read_header(path, (file.metadata.metadata or {}).get(b"turnstile", b""))
    return Source(header, _matches_of_rows(header, file))


def _matches_of_rows(header: Header, file: Any) -> Iterator[ResultLine]:
    """The matches of a table of decisions. A match is complete when the next one begins."""
    number = 0
    rows: dict[int, dict[str, Any]] = {}
    for batch in file.iter_batches(columns=["match", "seat", "player", "won", "score", "moves"]):
        for row in batch.to_pylist():
            if row["match"] != number and rows:
                yield _match_of_seats(header, number, rows)
                rows = {}
            number = row["match"]
            rows[row["seat"]] = row
    if rows:
        yield _match_of_seats(header, number, rows)


def _match_of_seats(header: Header, number: int, rows: dict[int, dict[str, Any]]) -> ResultLine:
    """A seat that never had to decide has no row: nothing is known about it but its bot."""
    seats = range(header.players)
    names = {seat: f"{header.bots[seat]} {seat + 1}" for seat in seats}
    scores = tuple(rows[seat]["score"] for seat in seats if seat in rows and rows[seat]["score"] is not None)
    return ResultLine(
        match=number,
        seats=tuple(rows[seat]["player"] if seat in rows else names[seat] for seat in seats),
        winners=tuple(seat for seat in seats if seat in rows and rows[seat]["won"]),
        scores=scores if len(scores) == header.players else (),
        moves=next(iter(rows.values()))["moves"],
    )
