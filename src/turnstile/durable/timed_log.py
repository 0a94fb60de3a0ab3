"""How machines with timers are written in logs. No I/O, no waiting.

The kept state has the timers beside the machine's own state, so that both come back as they were. One entry is not an
event of the machine: `Away` says that the process was not running, and that no timer has run meanwhile.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Raw

from turnstile.durable.log import Outdated
from turnstile.kernel.machine import Machine, Rejection, S, Step
from turnstile.kernel.timers import Timed, Timer, Timers, advance, postpone
from turnstile.kernel.values import Event, Instant, LogId, Malformed, Timeout, Value, decode, encode
from turnstile.store.log import Damaged, Entry
from turnstile.store.protocol import Row

T = TypeVar("T")

VERSION = 2  # of the header, of how events and of how states are written
SNAPSHOT_EVERY = 256  # entries


class TimedHeader(Value, frozen=True):
    """Entry 0: which machine this is, how it began, and what its process wants to know again after a restart."""

    log: str
    """The name of the machine, by which the log is known to be its."""
    time_scale: float
    start: Raw
    about: Raw = Raw(b"null")
    version: int = VERSION


class Away(Event, frozen=True):
    """The process was not running: what had time left then still has it."""

    milliseconds: int


AWAY = b'{"type":"Away",'


class KeptMachine(msgspec.Struct, Generic[S], frozen=True, gc=False):
    """All that is kept of a machine."""

    header: TimedHeader
    opened: Instant
    changed: Instant
    """When the latest event happened."""
    has_begun: bool
    """Whether anything has happened yet. A machine that waits for its first event has something to do."""
    timed: Timed[S]

    @property
    def phase(self) -> Any:
        return self.timed.state.phase


class _Written(Value, frozen=True):
    changed: Instant
    has_begun: bool
    state: Any
    timers: Any


class _Read(Value, frozen=True):
    changed: Instant
    has_begun: bool
    state: Raw
    timers: Timers[Raw]


class TimedLogs(Generic[S]):
    """The kind of log that one machine has."""

    snapshot_every = SNAPSHOT_EVERY
    largest_state: int | None = None

    def __init__(self, machine: Machine[S], is_open: Callable[[S], bool]) -> None:
        """`is_open` tells whether the machine still has something to do in a state."""
        self.tag = machine.name
        self._machine = machine
        self._is_open = is_open

    def write_header(self, start: S, time_scale: float, about: object) -> bytes:
        return encode(TimedHeader(self.tag, time_scale, Raw(encode(start)), Raw(encode(about))))

    def open(self, name: LogId, header: bytes, at: Instant) -> KeptMachine[S]:
        read = read_header(name, header)
        if read.version != VERSION:
            raise Outdated(Rejection("OtherVersion", f"{name} was written by version {read.version} of such logs."))
        start = self._machine.read_state(bytes(read.start))
        if isinstance(start, Rejection):
            raise Damaged(name, start.sentence)
        return KeptMachine(read, at, at, False, Timed(start))

    def read_event(self, name: LogId, found: Entry) -> Event:
        try:
            return self._event_of(found.event)
        except Malformed as fault:
            raise Damaged(name, f"entry {found.position} is not an event of a {self.tag}: {fault}") from None

    def _event_of(self, written: bytes) -> Event:
        if written.startswith(AWAY):
            return decode(written, Away)
        event = self._machine.read_event(written)
        if isinstance(event, Rejection):
            raise Malformed(event.sentence)
        return event

    def write_event(self, event: Event) -> bytes:
        return encode(event)

    def apply(self, state: KeptMachine[S], event: Event, at: Instant) -> KeptMachine[S] | Rejection:
        step = self.step(state, event, at)
        return step if isinstance(step, Rejection) else step.state

    def step(self, state: KeptMachine[S], event: Event, at: Instant) -> Step[KeptMachine[S]] | Rejection:
        """A timer that the machine has no use for stops; that is a step without effects."""
        timed = state.timed
        if isinstance(event, Away):
            later = Timed(timed.state, postpone(timed.timers, event.milliseconds))
            return Step(KeptMachine(state.header, state.opened, at, True, later), (), ())
        after, result = advance(self._machine, timed, event, at, state.header.time_scale)
        kept = state if after is timed else KeptMachine(state.header, state.opened, at, True, after)
        if isinstance(result, Step):
            return Step(kept, result.trace, result.effects)
        return result if kept is state else Step(kept, (), ())

    def write_state(self, state: KeptMachine[S]) -> bytes:
        return encode(_Written(state.changed, state.has_begun, state.timed.state, state.timed.timers))

    def read_state(self, start: KeptMachine[S], written: bytes) -> KeptMachine[S]:
        read = decode(written, _Read)
        state = self._machine.read_state(bytes(read.state))
        if isinstance(state, Rejection):
            raise Malformed(state.sentence)
        timed = Timed(state, tuple(map(self._read_timer, read.timers)))
        return KeptMachine(start.header, start.opened, read.changed, read.has_begun, timed)

    def _read_timer(self, timer: Timer[Raw]) -> Timer[Timeout]:
        event = self._event_of(bytes(timer.event))
        if not isinstance(event, Timeout):
            raise Malformed("A timer brings an event that is not a timeout.")
        return Timer(timer.name, timer.due, event)

    def row(self, state: KeptMachine[S]) -> Row:
        """The agent that runs the machine watches its timers itself: no server is due."""
        return Row(
            game=self.tag,
            phase=state.phase.value,
            players=(),
            is_open=not state.has_begun or self._is_open(state.timed.state),
            is_listed=False,
            opened=state.opened,
            changed=state.changed,
            due=None,
        )

    def players(self, state: KeptMachine[S]) -> tuple[str, ...]:
        return ()

    def command(self, event: Event) -> None:
        return None

    def answer(self, event: Event, after: KeptMachine[S]) -> bytes:
        raise AssertionError("such a machine takes no commands")

    def end_without_replay(self, name: LogId, header: bytes, last: Entry) -> None:
        return None


def read_header(name: LogId, written: bytes) -> TimedHeader:
    try:
        return decode(written, TimedHeader)
    except Malformed as fault:
        raise Damaged(name, f"its header cannot be read: {fault}") from None


def read_about(header: TimedHeader, as_type: type[T]) -> T:
    """What the process had written down for itself when the machine began."""
    return decode(bytes(header.about), as_type)
