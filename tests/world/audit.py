"""What must be true of every log. The audit reads every entry at the moment it is written.

It follows the log with the machine alone and makes the streams anew, so that whatever a host hands out can be held
against what was durable at that moment. Times are checked from the entries, not by asking the table's own clocks.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from msgspec import json

from tests.reading import whole_update
from turnstile.durable.log import FINGERPRINT_EVERY
from turnstile.host import Status, Update
from turnstile.host.logs import TABLES, command_of, linked_news, part_of_sender
from turnstile.kernel.chance import verify as verify_seed
from turnstile.kernel.machine import Rejection, Step
from turnstile.kernel.values import PlayerId, decode, encode
from turnstile.store.log import BEFORE_FIRST, NO_FINGERPRINT, Damaged, Entry, verify
from turnstile.store.protocol import OUTAGE_AFTER
from turnstile.table.machine import Table, open_table, table
from turnstile.table.messages import MatchEnded, MatchStarting
from turnstile.table.sight import bot_of, delayed_status, is_open, status, without_wait
from turnstile.table.values import (
    Accepted,
    Acknowledge,
    Act,
    AddWords,
    Command,
    Header,
    How,
    Kind,
    Phase,
    Resign,
    Resume,
    Return,
    Ring,
)

if TYPE_CHECKING:
    from tests.world.world import World

Interval = tuple[int, int]


class Running:
    """A timer as the entries tell of it: when it was started, for how long, and what was added since."""

    def __init__(self, start: int, due: int) -> None:
        self.start = start
        self.length = due - start
        self.added = 0

    @property
    def due(self) -> int:
        return self.start + self.length + self.added


class Audit:
    """One table, followed entry by entry."""

    def __init__(self, world: "World", header: Entry) -> None:
        self._world = world
        self.name = decode(header.event, Header).table
        state = open_table(decode(header.event, Header))
        assert not isinstance(state, Rejection)
        self.state: Table = state
        self.read = 1
        self.link = header.link
        self.streams: dict[PlayerId | None, list[bytes]] = {}
        self.statuses = {encode(status(state))}
        """Each as it is, and as readers see it while a wait has not lasted."""
        self.delayed_statuses = {encode(delayed_status(status(state)))}
        self.commands: dict[str, Entry] = {}
        self._timers: dict[str, Running] = {}
        self._before: Entry | None = None
        try:
            verify(self.name, BEFORE_FIRST, -1, [header])
        except Damaged as fault:
            world.fail("chain", str(fault))

    # following

    def follow(self, log: Sequence[Entry]) -> None:
        """Read what was written since."""
        for found in log[self.read :]:
            self._follow(found)
            self.read += 1
            self.link = found.link

    def _follow(self, found: Entry) -> None:
        try:
            verify(self.name, self.link, self.read - 1, [found])
        except Damaged as fault:
            self._world.fail("positions" if found.position != self.read else "chain", str(fault))
            return
        event, before = TABLES.read_event(self.name, found), self.state
        step = table.step(before, event)
        if isinstance(step, Rejection):
            self._world.fail("replay", f"{self.name}: entry {found.position} is refused: {step.sentence}")
            return
        self._check_fingerprint(found, step.state)
        self._check_command(found, event)
        self._check_time(found, event, before, step.state)
        self._note(found, event, before, step)
        self._grow(step)
        self.state = step.state
        self.statuses |= {encode(status(self.state)), encode(status(without_wait(self.state)))}
        self.delayed_statuses.add(encode(delayed_status(status(self.state))))
        self._before = found

    def _check_fingerprint(self, found: Entry, after: Table) -> None:
        """The entries that must have a fingerprint have that of the state to which they lead."""
        is_due = found.position % FINGERPRINT_EVERY == 0 or not is_open(after)
        if found.state != NO_FINGERPRINT:
            if sha256(encode(after)).digest() != found.state:
                self._world.fail("replay", f"{self.name}: entry {found.position} leads to another state")
        elif is_due:
            self._world.fail("replay", f"{self.name}: entry {found.position} has no fingerprint")

    def _grow(self, step: Step[Any]) -> None:
        for told, _ in linked_news([(step, BEFORE_FIRST)]):
            have = self.streams.setdefault(told.player, [])
            if told.seq != len(have) + 1:
                self._world.fail("gapless", f"{self.name}: {told.player} is told {told.seq} after {len(have)}")
            have.append(whole_update(told))

    # commands

    def _check_command(self, found: Entry, event: object) -> None:
        if not isinstance(event, Command):
            return
        key = command_of(event)
        if found.command != key or found.answer is None:
            self._world.fail("once", f"{self.name}: entry {found.position} is not stored as a command")
        if key in self.commands:
            self._world.fail("once", f"{self.name}: {key} has two effects")
        self.commands[key] = found
        if (self.name, event.player, event.id) in self._world.forbidden:
            self._world.fail("forbidden", f"{self.name}: {event} was accepted")
        wanted = self._world.mail.contents.get((self.name, key))
        if wanted is not None and encode(part_of_sender(event)) not in wanted:
            self._world.fail("forbidden", f"{self.name}: {event} was not asked for")

    def was_accepted(self, key: str, answer: Accepted) -> None:
        """A player was answered so: then it is in the log."""
        found = self.commands.get(key)
        if found is None:
            self._world.fail("durable", f"{self.name}: {key} was accepted and is not in the log")
        elif found.answer != encode(answer):
            self._world.fail("same answer", f"{self.name}: {key} was answered {answer}, not {found.answer!r}")

    # time

    def _check_time(self, found: Entry, event: object, before: Table, after: Table) -> None:
        self._check_covered(found, event, before)
        if isinstance(event, Resume):
            outages = self._world.disk.outages
            lost = sum(max(0, outage.end - max(outage.start, before.now)) for outage in outages)
            if event.lost > lost:
                self._world.fail("outage once", f"{self.name}: {event.lost} ms were added for an outage of {lost} ms")
            for running in self._timers.values():
                running.added += event.lost
        if isinstance(event, Ring):
            self._check_ring(found, event)
        due = {timer.name: timer.due for timer in after.timers}
        for name in [name for name in self._timers if name not in due]:
            del self._timers[name]
        kept = {timer.name: timer.due for timer in before.timers}
        for name, instant in due.items():
            is_new = name not in kept or (kept[name] != instant and not isinstance(event, Resume))
            if is_new or (isinstance(event, Ring) and event.timer == name):
                self._timers[name] = Running(after.now, instant)
            elif self._timers[name].due != instant:
                self._world.fail("just", f"{self.name}: {name} is due {instant}, not {self._timers[name].due}")

    def _check_covered(self, found: Entry, event: object, before: Table) -> None:
        """Nothing happens at a time that no beat has covered, or after an outage that was not given back."""
        disk = self._world.disk
        if disk.beat is None or found.at > disk.beat + OUTAGE_AFTER:
            self._world.fail(
                "covered", f"{self.name}: entry {found.position} is of {found.at}, the beat of {disk.beat}"
            )
        forgotten = [outage for outage in disk.outages if before.now < outage.end <= found.at]
        if forgotten and before.timers and not isinstance(event, Resume):
            self._world.fail("resumed", f"{self.name}: entry {found.position} comes before a Resume for {forgotten}")

    def _check_ring(self, found: Entry, event: Ring) -> None:
        """A timer that ran out was running, ran its whole time, and no outage counted."""
        running = self._timers.get(event.timer)
        if running is None:
            self._world.fail("timer once", f"{self.name}: {event.timer} rang at {found.position} and was not running")
            return
        if event.at > self._world.now():
            self._world.fail("timer early", f"{self.name}: {event.timer} rang for a moment that has not come")
        if event.at < running.due:
            self._world.fail("timer early", f"{self.name}: {event.timer} rang {running.due - event.at} ms early")
        away = self._world.absent(running.start, event.at)
        if event.at - running.start - away < running.length:
            self._world.fail(
                "just",
                f"{self.name}: {event.timer} had {event.at - running.start - away} of {running.length} ms: "
                f"no server was there for {away} ms",
            )

    # what was handed out

    def check_handed(self, player: PlayerId | None, item: Update | Status) -> None:
        """What is handed out is durable, and what the log says, to the bit: an update with the whole view."""
        if isinstance(item, Status):
            is_late = player is None and self.state.header.settings.delay and self.state.result is None
            if item.body not in (self.delayed_statuses if is_late else self.statuses | self.delayed_statuses):
                self._world.fail("handed", f"{self.name}: a status for {player} that never was: {item.body!r}")
            return
        stream, state = self.streams.get(player, []), self.state
        newest = len(stream)
        if player is None and state.result is None:
            newest = max(0, newest - state.header.settings.delay)
            if state.header.settings.delay and item.seq:
                self._world.reach("spectator with delay")
        if not 1 <= item.seq <= len(stream):
            self._world.fail("handed", f"{self.name}: update {item.seq} for {player}, which is not in the log")
        elif item.seq > newest:
            self._world.fail("delay", f"{self.name}: spectators are shown {item.seq}, where {newest} is the newest")
        elif stream[item.seq - 1] != item.body:
            self._world.fail("handed", f"{self.name}: update {item.seq} for {player} is not what the log says")

    # at the end

    def check_fair(self) -> None:
        """What was committed to in the first update is what was revealed in the last, with everyone's words."""
        if self.state.result is None:
            return
        for player in self.state.players:
            first, last = self.streams[player][0], self.streams[player][-1]
            starting = decode(_messages(first)[0], MatchStarting)
            ended = decode(_messages(last)[-1], MatchEnded)
            if not verify_seed(starting.commitment, ended.seed) or ended.words != self.state.words:
                self._world.fail("fair", f"{self.name}: {player} was shown another seed than was committed to")

    # rare things

    def _note(self, found: Entry, event: object, before: Table, step: Step[Any]) -> None:
        reach, after = self._world.reach, step.state
        former = self._before and TABLES.read_event(self.name, self._before)
        if former is not None and self._before is not None and self._before.at == found.at:
            if isinstance(former, Ring) and isinstance(event, Act):
                reach("a timer, then a move in the same instant")
            if isinstance(former, Act) and isinstance(event, Ring):
                reach("a move, then a timer in the same instant")
        match event:
            case Return():
                reach("away and back")
            case Resume() if before.timers:
                reach("outage extends a deadline")
            case Ring() if event.timer == "acks":
                reach(f"away while {before.phase.value.lower()}")
            case Resign() if before.phase is Phase.GATHERING:
                reach("resigns while gathering")
            case Act() if (
                (seat := before.seat_of(event.player)) and seat.kind is Kind.PERSON and event.id[:4] == "bot "
            ):
                reach("a bot stood in")
            case AddWords():
                reach("words added")
            case Acknowledge():
                reach("a gate opened")
        if after.result is not None and before.result is None:
            reach(f"ended: {after.result.how.value}")
            if after.result.how is How.OUT_OF_TIME:
                reach("forfeit")

    def unheard(self, event: Acknowledge, acked: dict[PlayerId, int]) -> str | None:
        """What is wrong with a gate that opens now: a player who is present has not acknowledged everything."""
        for player, seq in event.cursors.items():
            if bot_of(self.state, player) is None and seq > acked.get(player, 0):
                return f"{player} acknowledged {acked.get(player, 0)} at most, and {seq} was taken"
        return None

    @property
    def is_open(self) -> bool:
        return is_open(self.state)


def _messages(body: bytes) -> list[bytes]:
    """The messages of an update."""
    return [encode(message) for message in json.decode(body)["messages"]]
