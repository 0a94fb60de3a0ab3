"""One world from one seed: first a storm, then calm, in which everything must come to its end."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Context
from hashlib import sha256
from random import Random
from typing import Any

import turnstile.host.live as live_tables
from tests.world import plan as plans
from tests.world import weather as weathers
from tests.world.audit import Audit
from tests.world.plan import EPOCH
from tests.world.simulated.client import Player, Reader
from tests.world.simulated.loop import SimulatedLoop, Stuck
from tests.world.simulated.mail import Mail
from tests.world.simulated.people import TablePeople
from tests.world.simulated.server import Process
from turnstile.host import Status, Update
from turnstile.host.logs import TABLES
from turnstile.kernel.values import Instant, LogId, PlayerId
from turnstile.store.memory import Disk
from turnstile.store.protocol import OUTAGE_AFTER, Commit
from turnstile.table.values import Acknowledge, Act, Phase, Ring

CALM_SECONDS = 240.0
"""Simulated seconds in which every match must end once nothing goes wrong any more."""
REPLACED_SECONDS = 1.5
"""Simulated seconds after which no replaced line is left: processes ask for them every second."""


class Violation(AssertionError):
    """Something that must never be, was."""

    def __init__(self, seed: int, invariant: str, what: str) -> None:
        super().__init__(f"[{invariant}] {what}\n    repeat it: python -m tests.world {seed} --trace")
        self.invariant = invariant


class World:
    """Everything there is, and what is known of it."""

    def __init__(self, seed: int, *, is_traced: bool = False) -> None:
        self.seed = seed
        self.plan = plans.drawn(Random(f"{seed} plan"))
        self.weather = weathers.drawn(Random(f"{seed} weather"))
        self.faults, self.people, self.chance = (Random(f"{seed} {of}") for of in ("faults", "people", "bots"))
        self.loop = SimulatedLoop(Random(f"{seed} loop"), is_shuffled=self.plan.is_shuffled)  # type: ignore[abstract]
        self.disk = Disk()
        self.is_full = False
        self.is_stormy = True
        self.jumped = 0
        self.processes: list[Process | None] = [None] * self.plan.processes
        self.lives = 0
        self.readers: list[Reader] = []
        self.audits: dict[LogId, Audit] = {}
        self.reached: Counter[str] = Counter()
        self.violations: list[Violation] = []
        self.forbidden: set[tuple[LogId, PlayerId, str]] = set()
        self.mail = Mail(self)
        self.notes: list[str] | None = [] if is_traced else None
        self._hash = sha256()
        self._context = Context()
        self._absences: list[tuple[int, int]] = []
        self._absent_since: int | None = None
        self._slack = self.weather.store_delay + 50

    # what is written down

    def trace(self, *words: object) -> None:
        note = f"{self.loop.time():.3f} {' '.join(map(str, words))}"
        self._hash.update(note.encode())
        if self.notes is not None:
            self.notes.append(note)

    @property
    def fingerprint(self) -> str:
        return self._hash.hexdigest()

    def reach(self, situation: str) -> None:
        self.reached[situation] += 1

    def fail(self, invariant: str, what: str) -> None:
        self.trace("VIOLATION", invariant, what)
        self.violations.append(Violation(self.seed, invariant, what))

    # time

    def clock(self) -> int:
        return EPOCH + round(self.loop.time() * 1000) + self.jumped

    def now(self) -> int:
        """The time as stores tell it."""
        return max(self.disk.newest, self.clock())

    def elsewhere(self, delay: float, what: Callable[..., Any], *args: Any) -> None:
        """Something that happens outside of all processes."""
        self.loop.call_later(delay, what, *args, context=self._context)

    def delay(self, most: int) -> float:
        """Seconds, in whole milliseconds up to `most`; usually much less."""
        return int(self.faults.random() ** 3 * (most + 1)) / 1000

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def fates(self) -> Iterator[float]:
        """What becomes of a message: for each copy that arrives, after how long."""
        if self.faults.random() >= self.weather.lost:
            yield self.delay(self.weather.net_delay)
        if self.faults.random() < self.weather.doubled:
            yield self.delay(self.weather.net_delay * 5)

    # what the store and the servers do

    def any_process(self) -> Process | None:
        return self.faults.choice(self.processes)

    def created(self, process: Process, table: LogId) -> None:
        if table not in self.audits and table in self.disk.logs:
            self.audits[table] = Audit(self, self.disk.logs[table].entries[0])
            self.trace(process.name, "creates", table)
            if self.weather.crash_every and self.faults.random() < 0.1 and process.is_alive:
                self.reach("crash between create and answer")
                self.crash(process)

    def committed(self, process: Process, commit: Commit, is_taken: bool) -> None:
        """At the moment in which an entry is durable, or finds its position taken."""
        event = TABLES.read_event(commit.log, commit.entry)
        self.trace(
            process.name,
            "commits" if is_taken else "loses",
            commit.log,
            commit.entry.position,
            commit.entry.event.decode(),
        )
        audit = self.audits[commit.log]
        if not is_taken:
            self.reach("conflict")
            if isinstance(event, Ring):
                self.reach("a timer comes second")
            return
        if isinstance(event, Acknowledge):
            self._check_gate(process, audit, event)
        audit.follow(self.disk.logs[commit.log].entries)
        if audit.state.phase is Phase.REMATCHED and self.weather.crash_every and self.faults.random() < 0.5:
            self.reach("crash between rematch and next table")
            self.crash(process)
        elif self.weather.crash_every and isinstance(event, Act) and self.faults.random() < 0.02:
            self.crash(process)

    def _check_gate(self, process: Process, audit: Audit, event: Acknowledge) -> None:
        acked = {
            reader.player: reader.acked
            for reader in self.readers
            if isinstance(reader, Player) and reader.plan.name == audit.name
        }
        if wrong := audit.unheard(event, acked):  # type: ignore[arg-type]
            self.fail("gate", f"{audit.name}: {wrong}")
        where = {at[1] for (table, _), at in self.mail.acked_at.items() if table == audit.name}
        if where - {process.name}:
            self.reach("a gate opened by acks at two processes")

    def handed(self, table: LogId, player: PlayerId | None, item: Update | Status) -> None:
        self.audits[table].check_handed(player, item)

    # disasters

    def start(self, place: int) -> None:
        self.lives += 1
        self.processes[place] = process = Process(self, place, self.lives)
        self.trace(process.name, "starts")
        self._presence()

    def crash(self, process: Process) -> None:
        """Kill a process where it stands. Another one takes its place after a while."""
        if not process.is_alive:
            return
        self._note_crash(process)
        self.trace(process.name, "dies")
        process.is_alive = process.home.is_running = False
        process.store.cut()
        self.processes[process.place] = None
        for connection in tuple(process.connections):
            connection.hang_up("the server died")
        self._presence()
        self.elsewhere(
            self.faults.choice((0.01, 0.1, 0.5, 1.0, 3.2, 4.5)) if self.is_stormy else 0.1, self.start, process.place
        )

    def _note_crash(self, process: Process) -> None:
        self.reach("crash")
        for table, key in process.asked:
            if table in self.audits and key in self.audits[table].commands:
                self.reach("crash between commit and answer")
        if (
            self.loop.time() - process.started < 0.3
            and process.store.under_way
            and any(audit.is_open for audit in self.audits.values())
        ):
            self.reach("crash during recovery")

    def stall(self, process: Process, seconds: float) -> None:
        """A process that stands still, and knows nothing of it."""
        if process.is_alive and process.home.is_running:
            self.trace(process.name, "stands still for", seconds)
            process.home.is_running = False
            self._presence()
            self.elsewhere(seconds, self.wake, process)

    def between_steps(self, process: Process) -> None:
        """Between any two steps of its work a process may be stopped, for good or for a while."""
        weather, chance = self.weather, self.faults.random()
        if weather.pause_every and chance < 0.005:
            self.stall(process, self.faults.choice((0.2, 3.5, 5.0)))
        elif weather.crash_every and chance > 0.998:
            self.crash(process)

    def wake(self, process: Process) -> None:
        if process.is_alive and not process.home.is_running:
            self.trace(process.name, "goes on")
            self.loop.release(process.home)
            self._presence()

    def _presence(self) -> None:
        """Keep book of the times in which nobody was there."""
        is_there = any(process and process.home.is_running for process in self.processes)
        now = self.now()
        if not is_there and self._absent_since is None:
            self._absent_since = now
        elif is_there and self._absent_since is not None:
            self._absences.append((self._absent_since, now))
            self._absent_since = None

    def jump(self, milliseconds: int) -> None:
        """The clock of the store is set."""
        before = self.now()
        self.jumped += milliseconds
        self.trace("the clock jumps by", milliseconds)
        self.disk.newest = Instant(self.now())  # somebody has seen it
        if self.now() > before:
            self._absences.append((before, self.now()))

    def absent(self, start: int, end: int) -> int:
        """For how long nobody was there between two instants, counting what is long enough to be noticed."""
        slack = self._slack  # a beat may have arrived after its process died
        long = [(a + slack, b) for a, b in self._absences if b - a > OUTAGE_AFTER + slack]
        total, reached = 0, start
        for a, b in sorted(long):
            total += max(0, min(b, end) - max(a, reached))
            reached = max(reached, b)
        return total

    # the story

    async def story(self) -> None:
        for place in range(self.plan.processes):
            self.start(place)
        people = [TablePeople(self, table) for table in self.plan.tables]
        tasks = [self.loop.create_task(each.meet()) for each in people]
        disasters = self._storm()
        await self.pause(self.plan.storm)
        self.heal()
        for disaster in disasters:
            disaster.cancel()
        looking = self.loop.create_task(self._look_at_lines())
        try:
            await asyncio.wait_for(asyncio.gather(*tasks), CALM_SECONDS)
        except TimeoutError:
            stuck = {name: audit.state.phase.value for name, audit in self.audits.items()}
            self.fail("live", f"after {CALM_SECONDS} seconds of calm the tables are {stuck}")
            return
        finally:
            looking.cancel()
        await self.pause(3.0)
        await self._stop()

    def _storm(self) -> list[asyncio.Task[None]]:
        disasters = (
            (self.weather.crash_every, self.crash),
            (self.weather.pause_every, lambda process: self.stall(process, self.faults.choice((0.2, 2.0, 3.5, 5.0)))),
            (self.weather.jump_every, lambda _: self.jump(self.faults.choice((-3_600_000, -2_000, 4_000, 3_600_000)))),
            (self.weather.full_every, lambda _: self._fill()),
        )
        return [self.loop.create_task(self._again_and_again(every, disaster)) for every, disaster in disasters if every]

    async def _again_and_again(self, every: float, disaster: Callable[[Process], None]) -> None:
        while True:
            await self.pause(self.faults.expovariate(1 / every))
            if process := self.any_process():
                disaster(process)

    def _fill(self) -> None:
        self.is_full = True
        self.elsewhere(0.5, setattr, self, "is_full", False)

    def heal(self) -> None:
        self.trace("it clears up")
        self.is_stormy = self.is_full = False
        self.weather = weathers.CALM
        self.jumped = max(self.jumped, self.disk.newest - self.clock() + self.jumped)  # no clock stands still for ever
        for process in self.processes:
            if process is not None:
                self.wake(process)
        for reader in self.readers:
            reader.heal()

    async def _look_at_lines(self) -> None:
        """N8: in the calm a seat soon has one line, in all processes together."""
        since = dict[tuple[LogId, PlayerId], float]()
        while True:
            lines = Counter(seat for process in self.processes if process is not None for seat in process.seats())
            now = self.loop.time()
            since = {seat: since.get(seat, now) for seat, count in lines.items() if count > 1}
            for (table, player), start in since.items():
                if now - start > REPLACED_SECONDS:
                    self.fail("one line", f"{player} has had two lines at {table} for {REPLACED_SECONDS} seconds")
            await self.pause(0.1)

    async def _stop(self) -> None:
        for process in self.processes:
            if process is None:
                continue
            left = [name for name, table in process.host.tables.live.items() if not self.audits[name].is_open]
            if left:
                self.fail("R9", f"{process.name} still has {left} in memory")
            process.stop()
            assert process.running is not None
            await process.running

    def _last_look(self) -> None:
        for name, audit in self.audits.items():
            if audit.read != len(self.disk.logs[name].entries):
                self.fail("positions", f"{name}: entries came into the log unseen")
            audit.check_fair()
        self.mail.check_refused()
        for fault in self.loop.faults:
            self.fail("exception", fault)
        for task, home in self.loop.tasks:
            if home is None or home.is_running:
                self._check_task(task)

    def _check_task(self, task: asyncio.Task[Any]) -> None:
        if not task.done():
            self.fail("task left", f"{task.get_coro()}")
        elif not task.cancelled() and task._log_traceback:
            self.fail("exception", repr(task.exception()))

    def run(self) -> "World":
        """The whole story; raises the first `Violation`."""
        with _settings(self.plan):
            try:
                story = self.loop.create_task(self.story())
                self.loop.run_until(lambda: story.done() or bool(self.violations))
                if not self.violations:
                    story.result()
                    self._last_look()
            except Stuck as fault:
                self.fail("live", str(fault))
            finally:
                self.loop.bury()
        if self.violations:
            raise self.violations[0]
        return self


@contextmanager
def _settings(plan: plans.Plan) -> Iterator[None]:
    """Limits of the host, small enough to matter in a short match."""
    before = TABLES.snapshot_every, live_tables.RECENT
    TABLES.snapshot_every, live_tables.RECENT = plan.snapshot_every, plan.recent
    try:
        yield
    finally:
        TABLES.snapshot_every, live_tables.RECENT = before
