"""A player's history, as a file: every match it has played, and what they add up to.

The file is SHARED/data/players/<player_id>/history.json. What stands in it already is kept; a match is known by its
league and its id, so that one which is written again after a restart stands there once, and one which is played again,
by another referee, with its later result. Ids are a league's own: who was P01 in one may be another in the next, so
every match says under which name it was played, and every league has its own sum.
"""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from turnstile.durable.files import part_of_path
from turnstile.kernel.values import PlayerId
from turnstile.league.player.state import OwnResult, PlayedMatch
from turnstile.league.protocol.words import LeagueId


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """A match in the file. `result` is missing where the player was never told, or could not read it."""

    match_id: str
    opponent_id: str
    result: str | None = None
    my_choice: str | None = None
    opponent_choice: str | None = None
    league_id: str | None = None
    display_name: str | None = None
    """Who played it."""
    round_id: int | None = None
    game_type: str | None = None
    is_technical: bool = False
    is_fair: bool | None = None
    is_unreadable: bool | msgspec.UnsetType = msgspec.UNSET
    """The result was told, and could not be read."""


class Statistics(msgspec.Struct, frozen=True, kw_only=True):
    total_matches: int = 0
    wins: int = 0
    losses: int = 0
    draws: int = 0


class History(msgspec.Struct, frozen=True, kw_only=True):
    """The file."""

    player_id: str
    stats: Statistics
    """Of all matches in the file."""
    leagues: dict[str, Statistics] = {}
    matches: tuple[Told, ...]


def history_path(data: Path, player: PlayerId) -> Path | None:
    """Where a player's history is; `None` if its id is not a valid folder name."""
    folder = part_of_path(player)
    return None if folder is None else data / "data" / "players" / folder / "history.json"


def merge(path: Path, player: PlayerId, name: str, league: LeagueId, played: Iterable[PlayedMatch]) -> bytes:
    """What stands in the file, with these matches: new ones at the end, known ones in their place."""
    matches = {(told.league_id, told.match_id): told for told in _read_matches(path)}
    for match in played:
        told = _entry_of(league, name, match)
        matches[told.league_id, told.match_id] = told
    every = tuple(matches.values())
    history = History(player_id=player, stats=_sum_up(every), leagues=_by_league(every), matches=every)
    return msgspec.json.format(msgspec.json.encode(history), indent=2) + b"\n"


def _read_matches(path: Path) -> tuple[Told, ...]:
    """The matches in the file, if there is one. A file that cannot be read is renamed, so that it can be repaired."""
    if not path.exists():
        return ()
    try:
        return msgspec.json.decode(path.read_bytes(), type=History).matches
    except (msgspec.DecodeError, UnicodeError):
        path.replace(path.with_suffix(".unreadable.json"))
        return ()


def _entry_of(league: LeagueId, name: str, match: PlayedMatch) -> Told:
    fields = {
        field: getattr(match, field) for field in PlayedMatch.__struct_fields__ if field in Told.__struct_fields__
    }
    return Told(league_id=league, display_name=name, **fields)


def _by_league(matches: tuple[Told, ...]) -> dict[str, Statistics]:
    leagues = dict.fromkeys(match.league_id for match in matches if match.league_id is not None)
    return {league: _sum_up(match for match in matches if match.league_id == league) for league in leagues}


def _sum_up(matches: Iterable[Told]) -> Statistics:
    """Every match counts; one whose result is not known is neither won nor lost nor drawn."""
    results = [match.result for match in matches]
    return Statistics(
        total_matches=len(results),
        wins=results.count(OwnResult.WIN),
        losses=results.count(OwnResult.LOSS),
        draws=results.count(OwnResult.DRAW),
    )
