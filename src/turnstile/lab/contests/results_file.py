"""The file of a tournament: a header, then one line of JSON for each match, in order.

Lines are appended as matches end. Because the order is fixed, a file that was interrupted holds the beginning of the
whole file: a tournament continues after its last line, and ends with the same bytes as one that was never interrupted.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from typing import BinaryIO

import msgspec

from turnstile.kernel.values import Malformed, decode, encode
from turnstile.lab.contests.contest import Contest
from turnstile.lab.contests.seatings import Seating, tournament_seatings
from turnstile.lab.file_faults import name_in_faults
from turnstile.lab.results import VERSION, Header, ResultLine, write_lines

KIND = "tournament"


class UnusableFile(Exception):
    """A file cannot be continued. The text is a sentence that says why."""


def header_of(contest: Contest, game_version: int) -> Header:
    """The header of a tournament."""
    return Header(
        kind=KIND,
        version=VERSION,
        game=contest.game,
        game_version=game_version,
        options=msgspec.json.decode(contest.options),
        bots=contest.bots,
        players=len(contest.players),
        seed=contest.seed,
        deals=contest.deals,
    )


def read_header(path: Path) -> Header | None:
    """The header of a file; `None` if the file is missing, empty, or ends within its first line.

    Raises `UnusableFile`.
    """
    try:
        with path.open("rb") as file:
            line = file.readline()
    except FileNotFoundError:
        return None
    return _read_header(path, line) if line.endswith(b"\n") else None


class ResultsFile:
    """An open file, with the matches that it holds."""

    def __init__(self, file: BinaryIO, matches: Sequence[ResultLine]) -> None:
        self._file = file
        self.matches = matches

    def append(self, matches: Sequence[ResultLine]) -> None:
        """Append matches. They are in the file when this returns, even if the process is killed then."""
        self._file.write(write_lines(matches))
        self._file.flush()


@contextmanager
def open_results(path: Path, header: Header) -> Iterator[ResultsFile]:
    """Open a file to continue it, or create it. A last line that was not written to its end is removed.

    Raises `UnusableFile` if the file belongs to another tournament, is damaged, or is in use.
    """
    with name_in_faults(path), os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o644), "r+b") as file:
        try:
            flock(file, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            raise UnusableFile(f"{path} is in use: another tournament is writing to it.") from None
        data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        matches = _read_matches(path, whole, header)
        file.truncate(len(whole))
        file.seek(len(whole))
        if not whole:
            file.write(write_lines([header]))
            file.flush()
        yield ResultsFile(file, matches)
        file.flush()
        os.fsync(file.fileno())


def _read_header(path: Path, line: bytes) -> Header:
    try:
        header = decode(line, Header)
    except Malformed:
        header = None
    if header is None or header.kind != KIND:
        raise UnusableFile(f"{path} is not the file of a tournament.")
    return header


def _read_matches(path: Path, data: bytes, header: Header) -> list[ResultLine]:
    if not data:
        return []
    first, *lines = data.splitlines()
    _refuse_other(path, _read_header(path, first), header)
    seatings = tournament_seatings(header.bots, header.players)
    return [
        _read_match(path, number, line, divmod(number, len(seatings)), seatings) for number, line in enumerate(lines)
    ]


def _refuse_other(path: Path, found: Header, wanted: Header) -> None:
    """Refuse the file of another tournament, and name the difference."""
    for name in Header.__struct_fields__:
        there, here = getattr(found, name), getattr(wanted, name)
        if there != here:
            words = f"{name.replace('_', ' ')}: {_plain(there)} in the file, {_plain(here)} here"
            raise UnusableFile(f"{path} belongs to another tournament ({words}). Choose another --out.")


def _plain(value: object) -> str:
    return encode(value).decode()


def _read_match(
    path: Path, number: int, line: bytes, place: tuple[int, int], seatings: Sequence[Seating]
) -> ResultLine:
    try:
        match = decode(line, ResultLine)
    except Malformed as fault:
        raise UnusableFile(f"{path} is damaged: line {number + 2}: {fault}.") from None
    is_there = (match.deal, match.seating, match.seats) == (*place, seatings[place[1]])
    if not is_there or not match.is_sound or not match.scores:
        raise UnusableFile(f"{path} is damaged: line {number + 2} is not the match that belongs there.")
    return match
