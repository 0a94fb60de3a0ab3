"""The matches of a league, from the files that its referees have written into the data folder."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from turnstile.lab.results import VERSION, Header, ResultLine
from turnstile.reports.errors import Unreadable

F = TypeVar("F")


@dataclass(frozen=True, slots=True)
class LeagueFolder:
    """A league in a data folder."""

    name: str
    data: Path

    @property
    def matches(self) -> Path:
        return self.data / "matches" / self.name

    @property
    def own_page(self) -> Path | None:
        page = self.data / "reports" / f"{self.name}.html"
        return page if page.exists() else None


class ResultInFile(msgspec.Struct, frozen=True):
    winner_player_id: str | None = None
    score: dict[str, int] = {}
    status: str = ""


class MatchFile(msgspec.Struct, frozen=True):
    """What a report needs of the file of a match."""

    match_id: str
    round_id: int
    game_type: str
    players: dict[str, str]
    """The player in each role, PLAYER_A first."""
    result: ResultInFile | None = None


class HistoryEntry(msgspec.Struct, frozen=True):
    display_name: str = ""


class PlayerFile(msgspec.Struct, frozen=True):
    player_id: str
    matches: list[HistoryEntry] = []


def find_league(folder: Path) -> LeagueFolder:
    """The league in a folder: the data folder of `turnstile league run`, or one of its folders of matches.

    Raises `Unreadable` if there is none, or more than one.
    """
    if any(folder.glob("R*M*.json")) and folder.parent.name == "matches":
        return LeagueFolder(folder.name, folder.parent.parent)
    for data in (folder / "data", folder):
        leagues = sorted(path.name for path in (data / "matches").glob("*") if path.is_dir())
        if len(leagues) == 1:
            return LeagueFolder(leagues[0], data)
        if leagues:
            listed = ", ".join(str(data / "matches" / name) for name in leagues)
            raise Unreadable(f"{folder} has several leagues. Choose one of: {listed}.")
    raise Unreadable(
        f"{folder} has no matches of a league: give the data folder of a league of processes, SHARED by default."
    )


def read_league(league: LeagueFolder) -> tuple[Header, Iterator[ResultLine]]:
    files = sorted(league.matches.glob("R*M*.json"), key=_order)
    if not files:
        raise Unreadable(f"{league.matches} has no match.")
    first = _read(files[0], MatchFile)
    names = _display_names(league)
    header = Header(
        kind="league",
        version=VERSION,
        game=first.game_type,
        game_version=0,
        options={},
        bots=tuple(sorted(names.values())),
        players=len(first.players),
        seed="",
    )
    return header, _matches(files, names)


def _matches(files: list[Path], names: dict[str, str]) -> Iterator[ResultLine]:
    for path in files:
        match = _read(path, MatchFile)
        if match.result is None:
            continue  # it is not over
        players = [match.players[role] for role in sorted(match.players)]
        won = match.result.winner_player_id
        score = match.result.score
        yield ResultLine(
            seats=tuple(names.get(player, player) for player in players),
            winners=tuple(seat for seat, player in enumerate(players) if player == won),
            scores=tuple(score[player] for player in players) if set(players) <= set(score) else (),
        )


def _display_names(league: LeagueFolder) -> dict[str, str]:
    """The name of each player, as its own history has it. Two players with one name get their ids behind it."""
    names: dict[str, str] = {}
    for path in sorted((league.data / "players").glob("*/history.json")):
        player = _read(path, PlayerFile)
        shown = next((match.display_name for match in player.matches if match.display_name), player.player_id)
        names[player.player_id] = f"{shown} ({player.player_id})" if shown in names.values() else shown
    return names


def _read(path: Path, kind: type[F]) -> F:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as fault:
        raise Unreadable(f"{path} cannot be read: {fault}.") from None


def _order(path: Path) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", path.name))
