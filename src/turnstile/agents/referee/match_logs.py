"""The logs of a referee's matches: which is the latest of a match, whether it is read on, and what can be read in it.

A match has one log, begun when the match is assigned, and another for every time that it is begun anew: because its log
was damaged, or because the match was given to another referee and back.
"""

from collections.abc import AsyncIterator
from itertools import count
from typing import Any, NamedTuple

from turnstile.agents.process.keeper import Keeper, stored
from turnstile.agents.process.ledger import read_about, read_header, table_of
from turnstile.agents.referee.transcript import Transcript
from turnstile.kernel.values import LogId, Malformed
from turnstile.league.protocol.words import LeagueId, MatchId
from turnstile.league.referee.machine import referee
from turnstile.league.referee.state import MatchAssigned, Phase, State
from turnstile.store.log import Damaged
from turnstile.store.protocol import Row, Store

MATCHES = "match"
NOTHING_TOLD = (Phase.WAITING_FOR_PLAYERS, Phase.COLLECTING_CHOICES)
"""Phases in which no player knows a result yet. A match of Even/Odd whose log is damaged then is begun again, with the
same seed: what the players have answered they answer again. Any other is the manager's to give to another referee."""
PAGE = 100


class MatchLog(NamedTuple):
    """The latest log of a match."""

    table: LogId
    row: Row
    given: MatchAssigned | None
    """The match as it was given then, if that can be read."""
    next_table: LogId
    """Where the match is kept if it is begun anew."""

    @property
    def is_damaged(self) -> bool:
        return bool(self.row.note)

    @property
    def is_damaged_untold(self) -> bool:
        return self.is_damaged and self.row.phase in NOTHING_TOLD

    @property
    def times_reassigned(self) -> int:
        return 0 if self.given is None else self.given.match.times_reassigned


def first_table(league: LeagueId, match: MatchId) -> LogId:
    return table_of(MATCHES, league, match)


async def latest_log(store: Store, league: LeagueId, match: MatchId) -> MatchLog | None:
    """The latest log of a match; `None` where it was never given to this referee."""
    latest: tuple[LogId, Row] | None = None
    for number in count(1):
        table = first_table(league, match) if number == 1 else table_of(MATCHES, league, match, str(number))
        row = await stored(store.row, table)
        if row is None:
            break
        latest = table, row
    return None if latest is None else MatchLog(*latest, await _given_in(store, latest[0]), table)


async def _given_in(store: Store, table: LogId) -> MatchAssigned | None:
    try:
        saved = await stored(store.load, table)
        return None if saved is None else read_about(read_header(table, saved.header), MatchAssigned)
    except (Damaged, Malformed):
        return None


async def restored(store: Store, table: LogId) -> tuple[Keeper[State], Transcript]:
    """A match from its log, with its transcript as it was. Raises `Damaged`."""
    happened: list[Any] = []
    keeper = await Keeper.restore(store, table, referee, is_open=is_open, watch=lambda *what: happened.append(what))
    assert keeper is not None, "it was listed"
    transcript = Transcript(keeper.about(MatchAssigned), keeper.state.referee_id, keeper.opened)
    for at, event, result in happened:
        transcript.add(at, event, result)
    return keeper, transcript


async def open_matches(store: Store) -> AsyncIterator[list[LogId]]:
    """Every log of a match that is not at its end, a page at a time."""
    page: list[tuple[LogId, Row]] = []
    is_last = False
    while not is_last:
        page = await stored(store.logs, is_open=True, after=page[-1][0] if page else None, limit=PAGE)
        is_last = len(page) < PAGE
        yield [table for table, _ in page if table.startswith(f"{MATCHES}/")]


def is_open(state: State) -> bool:
    return state.phase is not Phase.IDLE
