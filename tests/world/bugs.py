"""Planted bugs: small, deliberate faults, each with the promise it breaks. They prove that the world can see."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from tests.world.simulated.store import FaultyStore
from tests.world.world import World
from turnstile.durable import storing
from turnstile.durable.log import Kept, follow
from turnstile.host import Ending, Host, Line, tables
from turnstile.host import drive as drives
from turnstile.host.drive import drive
from turnstile.host.heartbeat import Heartbeat
from turnstile.host.live import Live, TableEventAt
from turnstile.host.logs import TABLES, KeptTable, TableEvent, TableLogs
from turnstile.host.streams.news import News
from turnstile.host.watch import Watch
from turnstile.kernel.machine import Rejection, Step
from turnstile.kernel.timers import next_timer
from turnstile.kernel.values import ByPlayer, Instant, LogId, PlayerId
from turnstile.store.log import Link
from turnstile.store.memory import MemoryStore
from turnstile.store.protocol import Commit, SeatLine, Store
from turnstile.table.machine import Table
from turnstile.table.messages import Told
from turnstile.table.values import Acknowledge, Resume, Ring

Patch = pytest.MonkeyPatch
BUGS: list["Bug"] = []


@dataclass(frozen=True)
class Bug:
    """What is wrong, and the invariant that must notice it."""

    name: str
    caught_by: str
    plant: Callable[[Patch], None]
    first: int
    """The seed to begin with: some bugs show in few worlds only."""
    can_show: Callable[[World], bool]
    """Whether a world has what the bug needs to show. Other worlds are not played."""


def caught_by(
    invariant: str, first: int = 0, can_show: Callable[[World], bool] = lambda world: True
) -> Callable[[Callable[[Patch], None]], Callable[[Patch], None]]:
    def declare(plant: Callable[[Patch], None]) -> Callable[[Patch], None]:
        BUGS.append(Bug(plant.__name__, invariant, plant, first, can_show))
        return plant

    return declare


# the store


@caught_by("positions")
def no_position_check(patch: Patch) -> None:
    async def commit(self: MemoryStore, commit: Commit) -> bool:
        self._logs()[commit.log].entries.append(commit.entry)
        return True

    patch.setattr(MemoryStore, "commit", commit)


@caught_by("once", first=60)
def command_id_not_unique(patch: Patch) -> None:
    real = MemoryStore.commit

    async def commit(self: MemoryStore, commit: Commit) -> bool:
        self._logs()[commit.log].commands.pop(commit.entry.command, None)  # type: ignore[arg-type]
        return await real(self, commit)

    patch.setattr(MemoryStore, "commit", commit)


@caught_by("same answer")
def stored_answer_not_found(patch: Patch) -> None:
    async def find(self: FaultyStore, table: LogId, command: str) -> None:
        return None

    patch.setattr(FaultyStore, "find", find)


# telling


@caught_by("handed")
def told_before_commit(patch: Patch) -> None:
    real = Live._commit

    async def commit(self: Live, event: TableEvent, step: Step[Table], commit: Commit | None, after: KeptTable) -> bool:
        self.kept = after
        self.tell([(event, step, after.link)])
        return await real(self, event, step, commit, after)

    patch.setattr(Live, "_commit", commit)


@caught_by("gapless")
def one_update_lost_on_reconnect(patch: Patch) -> None:
    real = Line.__init__

    def begin(self: Line, live: Live, player: PlayerId | None, sent: int) -> None:
        real(self, live, player, sent + 1 if sent else 0)

    patch.setattr(Line, "__init__", begin)


@caught_by("gapless")
def recent_updates_kept_after_reading_on(patch: Patch) -> None:
    async def read_on(self: Live) -> bool:
        entries = await self._store.entries(self.name, self.kept.position)
        if entries:
            self.kept = follow(TABLES, self.name, self.kept, entries)
            self.notify((*self.state.players, None))
        return bool(entries)

    def at_hand(self: Live, stream: PlayerId | None, after: int) -> list[News]:
        recent = () if stream is None else self._recent.get(stream, ())
        return [news for news in recent if news.seq > after]

    patch.setattr(Live, "read_on", read_on)
    patch.setattr(Live, "at_hand", at_hand)


@caught_by("handed")
def change_sent_to_a_reader_without_a_view(patch: Patch) -> None:
    real = News.body
    patch.setattr(News, "body", lambda self, *, is_whole: real(self, is_whole=False))


@caught_by("handed")
def change_since_an_older_update_than_the_last(patch: Patch) -> None:
    real = News.__init__

    def begin(self: News, told: Told, before: News | None, link: Link) -> None:
        real(self, told, before, link)
        if before is not None and before._view_before:
            self._view_before = before._view_before

    patch.setattr(News, "__init__", begin)


@caught_by("delay")
def spectators_not_delayed(patch: Patch) -> None:
    def newest(self: Line) -> int:
        state = self.live.state
        return state.watched if self.player is None else state.told.get(self.player, 0)

    patch.setattr(Line, "newest", newest)


@caught_by("one line")
def old_line_kept_beside_the_new(patch: Patch) -> None:
    real = Line.end

    def end(self: Line, why: Ending) -> None:
        if why is not Ending.REPLACED:
            real(self, why)

    patch.setattr(Line, "end", end)


@caught_by("one line", first=626, can_show=lambda world: world.plan.processes > 1)
def line_kept_beside_a_newer_one_at_another_process(patch: Patch) -> None:
    async def replaced_lines(self: MemoryStore, lines: Sequence[SeatLine]) -> list[SeatLine]:
        return []

    patch.setattr(MemoryStore, "replaced_lines", replaced_lines)


@caught_by("R9", first=250)
def line_kept_of_a_reader_who_left_early(patch: Patch) -> None:
    patch.setattr(Host, "_give_up", lambda self, work: None)


@caught_by("live")
def no_line_woken(patch: Patch) -> None:
    patch.setattr(Live, "notify", lambda self, streams=(): None)


# acknowledgements


@caught_by("gate", first=40)
def future_counts_as_acknowledged(patch: Patch) -> None:
    async def heard(self: Host, live: Live, player: PlayerId, seq: int) -> None:
        live.acknowledge(player, min(seq, live.state.told.get(player, 0)))
        await self.pass_gate_at(live)

    patch.setattr(Host, "hear_ack", heard)


@caught_by("gate")
def gate_opens_by_itself(patch: Patch) -> None:
    async def pass_gate(live: Live) -> Rejection | None:
        return await live.take(lambda now: Acknowledge(now, ByPlayer(live.state.told)))

    patch.setattr(Host, "pass_gate_at", staticmethod(pass_gate))


# time


@caught_by("timer early")
def timer_fires_early(patch: Patch) -> None:
    async def ring(self: Watch, live: Live) -> None:
        while timer := next_timer(live.state.timers):
            due = timer.due
            if await live.take(lambda _, timer=timer, due=due: Ring(due, timer.name, due)):  # type: ignore[misc]
                return

    patch.setattr(Watch, "ring", ring)


@caught_by("resumed")
def outage_forgotten(patch: Patch) -> None:
    async def lost(self: Heartbeat, since: Instant, until: Instant) -> int:
        return 0

    patch.setattr(Heartbeat, "lost", lost)


@caught_by("just")
def outage_given_back_in_part(patch: Patch) -> None:
    real = Heartbeat.lost

    async def lost(self: Heartbeat, since: Instant, until: Instant) -> int:
        return await real(self, since, until) // 2

    patch.setattr(Heartbeat, "lost", lost)


@caught_by("covered")
def clock_believed_without_a_beat(patch: Patch) -> None:
    async def now(self: Heartbeat) -> Instant:
        return self._store.now()

    patch.setattr(Heartbeat, "now", now)


@caught_by("outage once", first=145)
def outage_counted_by_each_process(patch: Patch) -> None:
    real = Live.give_back

    async def give_back(self: Live, now: Instant) -> Resume | None:
        """What is lost when it is first asked, though another process may have given it back meanwhile."""
        return first[now] if now > self.state.now and now in first else await keep(self, now)

    async def keep(self: Live, now: Instant) -> Resume | None:
        first[now] = await real(self, now)
        return first[now]

    first: dict[Instant, Resume | None] = {}
    patch.setattr(Live, "may_have_lost_time", lambda self: True)
    patch.setattr(Live, "give_back", give_back)


# starting again


@caught_by("replay")
def stream_counted_wrongly_after_a_restart(patch: Patch) -> None:
    real = storing.load

    async def recount(kind: TableLogs, store: Store, name: LogId) -> KeptTable | None:
        kept = await real(kind, store, name)
        return kept and Kept(replace(kept.state, watched=kept.state.watched + 1), kept.position, kept.link)

    patch.setattr(tables, "load", recount)


@caught_by("fresh", can_show=lambda world: world.plan.processes > 1)
def refused_on_what_is_past(patch: Patch) -> None:
    real = Live.take

    async def take(self: Live, event_at: TableEventAt) -> Rejection | None:
        is_shared, self._store.is_shared = self._store.is_shared, False
        try:
            return await real(self, event_at)
        finally:
            self._store.is_shared = is_shared

    patch.setattr(Live, "take", take)


@caught_by("R9")
def driven_only_once(patch: Patch) -> None:
    async def drive_once(self: Host, live: Live) -> None:
        await drive(self, live)

    patch.setattr(Host, "_drive", drive_once)


@caught_by("exception")
def busy_store_ends_the_host(patch: Patch) -> None:
    async def mend(self: Host, name: LogId, fault: Exception, *, has_failed: bool = False) -> Rejection:
        raise fault

    patch.setattr(Host, "_mend", mend)


@caught_by("rematch", can_show=lambda world: any(table.is_rematched for table in world.plan.tables))
def rematch_without_everyone(patch: Patch) -> None:
    patch.setattr(drives, "is_passing", lambda answer: False)
