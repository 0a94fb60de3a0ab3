"""The logs of a referee's matches: which is the latest of a match, whether it goes on, and what can be read in it.

A match has one log, begun when the match is assigned, and another for every time that it is begun anew: because its log
was damaged, or because the match was given to another referee and back.
"""

from collections.abc import AsyncIterator
from itertools import count
from typing import Any, NamedTuple

from turnstile.agents.process.logs import MATCHES, log_id, own_prefix
from turnstile.agents.referee.transcript import Transcript
from turnstile.durable.storing import ask_until_done
from turnstile.durable.timed_keeper import TimedKeeper
from turnstile.durable.timed_log import read_about, read_header
from turnstile.kernel.values import LogId, Malformed
from turnstile.league.protocol.words import LeagueId, MatchId
from turnstile.league.referee.state import MatchAssigned, Phase, State
from turnstile.store.log import Damaged
from turnstile.store.protocol import Row, Store

NOTHING_TOLD = (Phase.WAITING_FOR_PLAYERS, Phase.COLLECTING_CHOICES)
"""Phases in which no player knows a result yet. A match of Even/Odd whose log is damaged then is begun again, with the
same seed: what the players have answered they answer again. Any other is the manager's to give to another referee."""
PAGE = 100


class MatchLog(NamedTuple):
    """The latest log of a match."""

    name: LogId
    row: Row
    given: MatchAssigned | None
    """The match as it was given then, if that can be read."""
    next_name: LogId
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


class MatchLogs:
    """The logs of the matches of one referee. Others may keep theirs in the same store."""

    def __init__(self, store: Store, referee: str) -> None:
        self._store = store
        self._prefix = own_prefix("match", referee)

    def first_name(self, league: LeagueId, match: MatchId) -> LogId:
        return log_id(self._prefix, league, match)

    async def has(self, league: LeagueId, match: MatchId) -> bool:
        """Whether a match was given to this referee before, be it over or not."""
        return await ask_until_done(self._store.row, self.first_name(league, match)) is not None

    async def latest(self, league: LeagueId, match: MatchId) -> MatchLog | None:
        """The latest log of a match; `None` where it was never given to this referee."""
        latest: tuple[LogId, Row] | None = None
        for number in count(1):
            again = [str(number)] if number > 1 else []
            name = log_id(self._prefix, league, match, *again)
            row = await ask_until_done(self._store.row, name)
            if row is None:
                break
            latest = name, row
        return None if latest is None else MatchLog(*latest, await self._given_in(latest[0]), name)

    async def _given_in(self, name: LogId) -> MatchAssigned | None:
        try:
            saved = await ask_until_done(self._store.load, name)
            return None if saved is None else read_about(read_header(name, saved.header.event), MatchAssigned)
        except (Damaged, Malformed):
            return None

    async def restore(self, name: LogId) -> tuple[TimedKeeper[State], Transcript]:
        """A match from its log, with its transcript as it was. Raises `Damaged`."""
        happened: list[Any] = []
        keeper = await TimedKeeper.restore(self._store, name, MATCHES, lambda *what: happened.append(what))
        assert keeper is not None, "it was listed"
        transcript = Transcript(keeper.about(MatchAssigned), keeper.state.referee_id, keeper.opened)
        for at, event, step in happened:
            transcript.add(at, event, step)
        return keeper, transcript

    async def every_open(self) -> AsyncIterator[list[LogId]]:
        """Every log of a match that is not at its end, a page at a time."""
        own = f"{self._prefix}/"
        page, is_last = [LogId(own)], False
        while not is_last:
            found = await ask_until_done(self._store.logs, is_open=True, after=page[-1], limit=PAGE)
            page = [name for name, _ in found if name.startswith(own)]
            is_last = len(page) < PAGE
            yield page
