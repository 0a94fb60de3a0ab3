"""The checker proves what it can about a machine, samples the rest, and says which is which.

It has two parts. The table of transitions alone shows which phases can be reached and left. Walking the reachable
states shows that every offered event is accepted, every state is sound, none is stuck and each can still reach an end.
When there are too many states for that, it plays random matches instead.
"""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from graphlib import CycleError, TopologicalSorter
from typing import Any, Generic, TypeVar

from turnstile.kernel.chance import Seed, derive, draw
from turnstile.kernel.game import Game, O, Players, Study, V
from turnstile.kernel.machine import Machine, Rejection, S, Step
from turnstile.kernel.values import Event, PlayerId, Timeout, Value, encode, wire_name

T = TypeVar("T")

KERNEL = __file__.removesuffix("check.py")
MOST_STATES = 100_000
SAMPLED_MATCHES = 200
LONGEST_MATCH = 100_000
SEEDS = tuple(Seed(str(number)) for number in range(8))


class Verdict(StrEnum):
    PROVED = "proved"
    SAMPLED = "sampled"
    FAILED = "failed"


class Finding(Value, frozen=True):
    """One result of a check. A failure has the shortest way to it, as events."""

    verdict: Verdict
    sentence: str
    path: tuple[str, ...] = ()


class Report(Value, frozen=True):
    machine: str
    setting: str
    states: int
    findings: tuple[Finding, ...]

    @property
    def passed(self) -> bool:
        return all(finding.verdict is not Verdict.FAILED for finding in self.findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class World(Generic[S]):
    """A machine with everything that can happen to it: where it starts, what may come next, and when it is over."""

    machine: Machine[S]
    starts: Sequence[S]
    moves: Callable[[S], Iterable[Event]]
    over: Callable[[S], bool]
    carries_on: Callable[[Event], bool] = lambda _: True
    """Whether an event makes progress. A state that offers only other events, such as giving up, is stuck."""
    refused: Callable[[S], Iterable[Event]] = lambda _: ()
    """Events that the machine must refuse in a state."""
    violation: Callable[[S], str | None] = lambda _: None
    state_key: Callable[[S], Hashable] = lambda state: state
    setting: str = "as it was given"
    """What this world covers, in a few words: for example, how many players."""


def world_of(game: Game[S, V, O], study: Study[S, V], options: O, players: Players | None = None) -> World[S]:
    """A game with its smallest number of players, from a few seeds. Players may make every move they are offered."""
    seated = players or tuple(PlayerId(f"player {seat + 1}") for seat in range(game.seats[0]))
    starts = [game.new(seated, options, seed) for seed in SEEDS]
    return World(
        machine=game.machine,
        setting=f"{len(seated)} players, {len(SEEDS)} seeds",
        starts=[state for state in starts if not isinstance(state, Rejection)],
        moves=game.offered,
        over=lambda state: game.outcome(state) is not None,
        violation=study.violation,
        state_key=study.state_key,
    )


def check(world: World[S], most_states: int = MOST_STATES) -> Report:
    """Check this machine in this world."""
    walk = Walk(world, most_states)
    findings = [*check_table(world.machine), *walk.findings()]
    return Report(world.machine.name, world.setting, len(walk.nodes), tuple(findings))


# the table alone


def check_table(machine: Machine[Any]) -> Iterator[Finding]:
    """What the table of transitions shows by itself."""
    exits = {
        phase: {target for row in machine.rows if row.phase is phase for target in row.hops} for phase in machine.phases
    }
    reached = _reachable([machine.start], exits)
    yield _finding(
        f"all {len(exits)} phases can be reached from {machine.start}",
        [f"{phase} cannot be reached from {machine.start}" for phase in exits if phase not in reached],
    )
    yield _finding(
        f"from every phase {' or '.join(machine.ends)} can be reached",
        [
            f"{phase} is a dead end: no way leads on to {' or '.join(machine.ends)}"
            for phase in exits
            if not _reachable([phase], exits) & set(machine.ends)
        ],
    )
    automatic = {row.phase: set(row.hops) for row in machine.rows if row.event is None}
    cycle = _cycle({phase: targets & automatic.keys() for phase, targets in automatic.items()})
    yield _finding(
        "no automatic phases form a cycle: every step comes to rest",
        [f"the automatic phases {' -> '.join(map(str, cycle))} form a cycle"] if cycle else [],
    )
    resting = len(exits) - len(automatic)
    pairs, handled = resting * len(machine.events), sum(row.event is not None for row in machine.rows)
    yield Finding(
        Verdict.PROVED,
        f"each of the {pairs} pairs of resting phase and event is handled ({handled}) or refused ({pairs - handled})",
    )


def _finding(proved: str, failures: list[str]) -> Finding:
    return Finding(Verdict.FAILED, "; ".join(failures)) if failures else Finding(Verdict.PROVED, proved)


def _reachable(starts: Iterable[T], exits: Mapping[T, Iterable[T]]) -> set[T]:
    """Everything that can be reached from `starts`, including `starts`."""
    reached = set(starts)
    edge = set(reached)
    while edge:
        edge = {target for node in edge for target in exits.get(node, ())} - reached
        reached |= edge
    return reached


def _cycle(graph: dict[Any, Any]) -> list[Any]:
    """A cycle of the graph, with its first node repeated at the end; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as fault:
        return list(fault.args[1])
    return []


# the states


class CheckFailed(Exception):
    """The walk has found a failure: a sentence, the number of its node, and the events after that node."""


@dataclass(slots=True)
class Node(Generic[S]):
    """A reached state, the step that reached it first, and where it leads."""

    state: S
    parent: int | None
    event: Event | None
    next: list[tuple[Event, int]] = field(default_factory=list)


class Walk(Generic[S]):
    """Walks the states of a world breadth first, one for each state key, so the first way found is a shortest."""

    def __init__(self, world: World[S], most_states: int) -> None:
        self.world = world
        self.nodes: list[Node[S]] = []
        self.index: dict[Hashable, int] = {}
        self.walked = 0
        self.refused = 0
        self.alike = 0
        self.complete = True
        self.most_states = most_states

    def findings(self) -> list[Finding]:
        """Walk, and report the results."""
        try:
            self._walk()
            return [*self._told(), *(self._ends() if self.complete else self._sampled())]
        except CheckFailed as fault:
            path = self.path(fault.args[1]) if fault.args[1] is not None else []
            return [Finding(Verdict.FAILED, fault.args[0], (*path, *fault.args[2]))]

    def path(self, number: int) -> list[str]:
        """The events that lead to a node, written as JSON."""
        way = []
        node = self.nodes[number]
        while node.parent is not None:
            way.append(encode(node.event).decode())
            node = self.nodes[node.parent]
        return way[::-1]

    def _walk(self) -> None:
        if not self.world.starts:
            raise CheckFailed("no match can be opened", None, ())
        for state in self.world.starts:
            self._meet(state, None, None)
        queue = deque(range(len(self.nodes)))
        while queue:
            number = queue.popleft()
            node = self.nodes[number]
            self.walked += 1
            self._refuse(node.state, number)
            for event, after in _steps(self.world, node.state, number):
                known = len(self.nodes)
                found = self._meet(after.state, number, event)
                node.next.append((event, found))
                if found == known:
                    queue.append(found)
            if len(self.nodes) > self.most_states:
                self.complete = False
                return

    def _refuse(self, state: S, number: int) -> None:
        """Check that the machine refuses every event that it must refuse in this state."""
        for event in self.world.refused(state):
            way = (encode(event).decode(),)
            answer = _asked(
                partial(self.world.machine.step, state, event), "an event that must be refused", number, way
            )
            if not isinstance(answer, Rejection):
                raise CheckFailed("an event that must be refused is accepted", number, way)
            self.refused += 1

    def _meet(self, state: S, parent: int | None, event: Event | None) -> int:
        state_key = self.world.state_key(state)
        try:
            is_new = state_key not in self.index
        except TypeError as bug:
            way = () if event is None else (encode(event).decode(),)
            raise CheckFailed(f"a state does not hold tuples and frozen values alone: {bug}", parent, way) from bug
        if is_new:
            self.index[state_key] = len(self.nodes)
            self.nodes.append(Node(state, parent, event))
            if fault := self.world.violation(state):
                raise CheckFailed(f"a state that can be reached is not sound: {fault}", len(self.nodes) - 1, ())
        elif state != self.nodes[self.index[state_key]].state:
            self._compare(state, self.index[state_key])
        return self.index[state_key]

    def _compare(self, state: S, number: int) -> None:
        """Two states with one key must continue alike. This tries a sample of the pairs."""
        self.alike += 1
        if self.alike > self.most_states // 10:
            return
        one, other = (
            [(event, self.world.state_key(step.state)) for event, step in _steps(self.world, each, number)]
            for each in (state, self.nodes[number].state)
        )
        if one != other:
            raise CheckFailed("two states with the same key go on differently", number, ())

    def _told(self) -> Iterator[Finding]:
        steps = sum(len(node.next) for node in self.nodes)
        met, accepted = f"{len(self.nodes):,} states", f"each of {steps:,} offered events is accepted"
        if self.complete:
            yield Finding(Verdict.PROVED, f"all {met} were walked: each is sound, and {accepted}")
        else:
            yield Finding(Verdict.SAMPLED, f"{met} were met and are sound; in {self.walked:,} of them {accepted}")
        verdict = Verdict.PROVED if self.complete else Verdict.SAMPLED
        unfinished = sum(bool(node.next) for node in self.nodes)
        yield Finding(
            verdict, f"no state is stuck: each of {unfinished:,} before an end offers an event that carries on"
        )
        if self.refused:
            yield Finding(verdict, f"each of {self.refused:,} events that must be refused is refused")
        if self.alike:
            tried = min(self.alike, self.most_states // 10)
            yield Finding(
                Verdict.SAMPLED, f"states that differ only in what is past go on alike ({tried:,} pairs tried)"
            )

    def _ends(self) -> Iterator[Finding]:
        """When every state is known, the graph shows whether each can still reach an end."""
        ends = [number for number, node in enumerate(self.nodes) if self.world.over(node.state)]
        before: dict[int, list[int]] = {}
        for number, node in enumerate(self.nodes):
            for _, after in node.next:
                before.setdefault(after, []).append(number)
        saved = _reachable(ends, before)
        if lost := [number for number in range(len(self.nodes)) if number not in saved]:
            raise CheckFailed("a state was reached from which there is no way to an end", lost[0], ())
        yield Finding(Verdict.PROVED, f"every state can still reach one of {len(ends):,} ends")
        yield from self._bounds()

    def _bounds(self) -> Iterator[Finding]:
        everything = {number: [after for _, after in node.next] for number, node in enumerate(self.nodes)}
        if not _cycle(everything):
            longest = [0] * len(self.nodes)
            for number in TopologicalSorter(everything).static_order():
                longest[number] = max((longest[after] + 1 for after in everything[number]), default=0)
            yield Finding(Verdict.PROVED, f"no match goes on for ever: the longest has {max(longest):,} events")
        timers = {
            number: [after for event, after in node.next if isinstance(event, Timeout)]
            for number, node in enumerate(self.nodes)
        }
        if not any(timers.values()):
            return
        if cycle := _cycle(timers):
            raise CheckFailed("timers alone can keep the machine going for ever", cycle[0], ())
        yield Finding(Verdict.PROVED, "timers alone bring every state to rest")

    def _sampled(self) -> Iterator[Finding]:
        """There are too many states to walk them all, so play random matches to their ends."""
        lengths = [self._play(Seed(f"sample {number}")) for number in range(SAMPLED_MATCHES)]
        yield Finding(
            Verdict.SAMPLED,
            f"{SAMPLED_MATCHES} random matches reached an end, after {min(lengths):,} to {max(lengths):,} events",
        )

    def _play(self, seed: Seed) -> int:
        state = self.world.starts[draw(seed, "start", 0, len(self.world.starts))]
        played: list[str] = []
        while not self.world.over(state):
            if len(played) == LONGEST_MATCH:
                raise CheckFailed(f"a match goes on for more than {LONGEST_MATCH:,} events", None, played[:100])
            offered = _offered(self.world, state, None, played)
            event = offered[draw(derive(seed, "move", len(played)), "move", 0, len(offered))]
            state = _step(self.world, state, event, None, played).state
            played.append(encode(event).decode())
            if fault := self.world.violation(state):
                raise CheckFailed(f"a state that can be reached is not sound: {fault}", None, played)
        return len(played)


def _steps(world: World[S], state: S, number: int) -> list[tuple[Event, Step[S]]]:
    """Everything that can happen next, and where it leads."""
    if world.over(state):
        return []
    return [(event, _step(world, state, event, number, ())) for event in _offered(world, state, number, ())]


def _offered(world: World[S], state: S, number: int | None, played: Sequence[str]) -> list[Event]:
    """What can happen next. At least one event must make progress."""
    offered = _asked(lambda: list(world.moves(state)), "asking what can happen next", number, played)
    if not offered:
        raise CheckFailed("nothing can happen any more, and the match is not over", number, played)
    if not any(map(world.carries_on, offered)):
        left = ", ".join(dict.fromkeys(wire_name(type(event)) for event in offered))
        raise CheckFailed(f"the match is stuck: nothing can happen but {left}", number, played)
    return offered


def _step(world: World[S], state: S, event: Event, number: int | None, played: Sequence[str]) -> Step[S]:
    way = (*played, encode(event).decode())
    step = _asked(partial(world.machine.step, state, event), "an offered event", number, way)
    if isinstance(step, Rejection):
        raise CheckFailed(f"an offered event is refused: {step.sentence}", number, way)
    return step


def _asked(question: Callable[[], T], what: str, number: int | None, way: Sequence[str]) -> T:
    """Call `question`. If it raises, report the events that lead there, not only the trace."""
    try:
        return question()
    except Exception as bug:
        raise CheckFailed(f"{what} raises {type(bug).__name__}: {bug}{_place(bug)}", number, way) from bug


def _place(bug: Exception) -> str:
    """The last line outside the kernel that led to an exception, such as " (undercut.py, line 7)"."""
    place, trace = "", bug.__traceback__
    while trace is not None:
        path = trace.tb_frame.f_code.co_filename
        if not path.startswith(KERNEL):
            name = path.replace("\\", "/").rpartition("/")[2]
            place = f" ({name}, line {trace.tb_lineno})"
        trace = trace.tb_next
    return place
