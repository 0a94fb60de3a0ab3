"""The machine: a table of transitions `phase + event -> phase`, and the pure function that the table defines.

`apply` gives the next state or a `Rejection`; `step` gives the same with the trace and the effects. A machine knows
nothing of games, players, networks or storage, reads no clock and draws no randomness.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, Protocol, TypeVar, Union, get_args

import msgspec

from turnstile.kernel.effects import Effect, Tell
from turnstile.kernel.schema import schema
from turnstile.kernel.values import (
    ByPlayer,
    Event,
    Malformed,
    Message,
    PlayerId,
    Reader,
    Value,
    decode,
    reader_of,
    wire_name,
)

MOST_HOPS = 1_000  # automatic phases passed in one step; more is a loop, and a bug


class Phased(Protocol):
    """A state as the kernel sees it: a value that knows its phase."""

    @property
    def phase(self) -> StrEnum: ...

    def __hash__(self) -> int: ...


S = TypeVar("S", bound=Phased)
E = TypeVar("E", bound=Event)
To = StrEnum | Mapping[str, StrEnum]
Deferred = Callable[[], Effect]


class Refusal(StrEnum):
    """Why the kernel itself refuses something. Codes are protocol: add to them, never rename one."""

    INVALID_EVENT = "InvalidEvent"
    WRONG_PHASE = "WrongPhase"
    INVALID_STATE = "InvalidState"
    INVALID_PLAYERS = "InvalidPlayers"
    INVALID_OPTIONS = "InvalidOptions"
    INVALID_SEED = "InvalidSeed"


class Rejection(Value, frozen=True):
    """A refusal: a code for programs and a sentence for people. Nothing has changed."""

    code: str
    sentence: str = msgspec.field(name="message")


class Hop(Value, frozen=True):
    """One change of phase: from where, to where, why (an event's name, or `auto`) and by which label of the row."""

    source: str = msgspec.field(name="from")
    target: str = msgspec.field(name="to")
    cause: str
    label: str


class Next(Generic[S]):
    """The next state together with what there is to tell, send or arm.

    An effect may be given as a function without arguments. The kernel calls it only when a caller wants the effects, so
    a simulation, which wants states alone, does not pay for messages that are never read.

    Players see this state together with what they are told. A handler that tells something first and reveals more
    afterwards continues in `then`, a function from this state to the next; both belong to the same hop.
    """

    __slots__ = ("effects", "state", "then")

    def __init__(self, state: S, *effects: Effect | Deferred, then: "Callable[[S], S | Next[S]] | None" = None) -> None:
        self.state = state
        self.effects = effects
        self.then = then


class Step(msgspec.Struct, Generic[S], frozen=True):
    """An accepted event: the state it led to, the hops on the way there, and the effects in order."""

    state: S
    trace: tuple[Hop, ...]
    effects: tuple[Effect, ...]
    shown: tuple[S, ...] = ()
    """For each effect, the state that its handler gave with it: what players see at that moment."""

    @property
    def batches(self) -> list[ByPlayer[Message]]:
        """Everything that is told, batch by batch."""
        return [batch for effect in self.effects if type(effect) is Tell for batch in effect.batches]

    @property
    def batches_with_states(self) -> list[tuple[ByPlayer[Message], S]]:
        """Everything that is told, batch by batch, each with the state that players are shown with it."""
        effects = zip(self.effects, self.shown, strict=True)
        return [(batch, state) for effect, state in effects if type(effect) is Tell for batch in effect.batches]

    def told(self, player: PlayerId) -> list[Message]:
        """What one player is told, in order."""
        return [batch[player] for batch in self.batches if player in batch]


class MachineError(Exception):
    """A machine that contradicts its own table. It is a bug of the game's author, never a player's mistake."""


Passed = tuple["Transition", S, S | Next[S]]  # a row, the state it led to, and the result of its handler
Handler = Callable[[S, E], S | Next[S] | Rejection]
AutoHandler = Callable[[S], S | Next[S]]
Refuse = Callable[[S, Event], Rejection]
"""Why an event without a row is refused, in a phase that is closed."""
Teller = Callable[[S], Iterable[Effect]]
"""Gives the effects of a state that a row has led to. The kernel calls it only when a caller wants the effects."""
AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Transition:
    """One row of the table. `hops` has a hop for each phase that it may lead to; in some of these it `rests`."""

    phase: StrEnum
    event: type[Event] | None
    hops: Mapping[StrEnum, Hop]
    rests: set[StrEnum]
    rule: str
    place: str
    handler: Callable[..., Any]
    tell: Teller[Any] | None

    @property
    def cause(self) -> str:
        return wire_name(self.event) if self.event else AUTO

    def effects_of(self, result: Any) -> list[Effect]:
        """The effects of a result of the handler: its own first, then what the row tells when its hop is complete."""
        if type(result) is not Next:
            return [] if self.tell is None else [*self.tell(result)]
        effects = [effect() if callable(effect) else effect for effect in result.effects]
        if self.tell is None or result.then is not None:
            return effects
        return [*effects, *self.tell(result.state)]


class Machine(Generic[S]):
    """A named table of rows over the phases of one enumeration."""

    def __init__(
        self,
        name: str,
        phases: type[StrEnum],
        *,
        start: StrEnum,
        ends: tuple[StrEnum, ...],
        state: type[S],
        messages: Any,
        codes: type[StrEnum],
        carries: bool = False,
    ) -> None:
        """`start` is where a machine begins and `ends` where it may stop; `messages` is the union of all it may say.

        A machine that `carries` another passes on its refusals, so it may refuse with codes that are not its own.
        """
        self.name = name
        self.phases = phases
        self.start = start
        self.ends = ends
        self.state = state
        self.messages: tuple[type[Message], ...] = get_args(messages) or (messages,)
        self.codes = (Refusal.INVALID_EVENT, Refusal.WRONG_PHASE, *codes)
        self.carries = carries
        self._known_codes = frozenset(self.codes)
        self._on: dict[type[Event], dict[StrEnum, Transition]] = {}
        self._auto: dict[StrEnum, Transition] = {}
        self._closed: dict[StrEnum, Rejection | Refuse[S]] = {}
        self._refusals: dict[tuple[type[Event], StrEnum], Rejection | Refuse[S]] = {}
        self._reader: Reader[Event] | None = None

    # The table

    @property
    def rows(self) -> tuple[Transition, ...]:
        """Every row, phase by phase in the order of the enumeration."""
        rows = [*self._auto.values(), *(row for by_phase in self._on.values() for row in by_phase.values())]
        return tuple(sorted(rows, key=lambda row: list(self.phases).index(row.phase)))

    @property
    def events(self) -> tuple[type[Event], ...]:
        """Every event that has a row, in the order of declaration."""
        return tuple(self._on)

    def on(
        self, phase: StrEnum, event: type[E], *, to: To, tell: Teller[S] | None = None
    ) -> Callable[[Handler[S, E]], Handler[S, E]]:
        """In `phase`, `event` leads `to` another phase, or to one of several under a label each.

        What players are told often follows from the next state alone. Then `tell` makes it, and the handler returns
        the state without a `Next`.
        """

        def declare(handler: Handler[S, E]) -> Handler[S, E]:
            row = self._row(phase, event, to, handler, tell)
            rows = self._on.setdefault(event, {})
            if phase in rows:
                raise MachineError(f"{row.place}: {phase} already has a row for {row.cause}, at {rows[phase].place}.")
            if phase in self._auto:
                raise MachineError(f"{row.place}: {phase} is automatic, so it never waits for {row.cause}.")
            rows[phase] = row
            self._refusals.clear()
            self._reader = None
            return handler

        return declare

    def auto(
        self, phase: StrEnum, *, to: To, tell: Teller[S] | None = None
    ) -> Callable[[AutoHandler[S]], AutoHandler[S]]:
        """`phase` never rests: the machine moves on by itself, within the step that reached it."""

        def declare(handler: AutoHandler[S]) -> AutoHandler[S]:
            row = self._row(phase, None, to, handler, tell)
            if phase in self._auto:
                raise MachineError(f"{row.place}: {phase} already has an automatic row, at {self._auto[phase].place}.")
            if any(phase in rows for rows in self._on.values()):
                raise MachineError(f"{row.place}: {phase} waits for events, so it cannot be automatic.")
            self._auto[phase] = row
            for leading_here in self.rows:
                leading_here.rests.discard(phase)
            if trapped := self._trapped():
                raise MachineError(f"{row.place}: an automatic cycle without an exit: {', '.join(trapped)}.")
            return handler

        return declare

    def close(self, phases: Iterable[StrEnum], rejection: Rejection | Refuse[S]) -> None:
        """In these phases, refuse an event without a row with this rejection instead of `WrongPhase`.

        If the rejection depends on who sends the event, it is given as a function of the state and the event.
        """
        if isinstance(rejection, Rejection):
            self._check_code(rejection)
        self._closed.update(dict.fromkeys(phases, rejection))
        self._refusals.clear()

    def _row(
        self, phase: StrEnum, event: type[Event] | None, to: To, handler: Callable[..., Any], tell: Teller[S] | None
    ) -> Transition:
        place = f"{handler.__code__.co_filename}:{handler.__code__.co_firstlineno}"
        labels = {"": to} if isinstance(to, StrEnum) else dict(to)
        if unknown := [name for name in (phase, *labels.values()) if name not in list(self.phases)]:
            raise MachineError(f"{place}: {self.name} has no phase {', '.join(map(str, unknown))}.")
        if len(set(labels.values())) < len(labels) or not labels:
            raise MachineError(f"{place}: the labels of a row must lead to different phases, and to at least one.")
        cause = wire_name(event) if event else AUTO
        hops = {target: Hop(phase.value, target.value, cause, label) for label, target in labels.items()}
        rule = (handler.__doc__ or "").strip()
        return Transition(phase, event, hops, set(hops) - set(self._auto), rule, place, handler, tell)

    def _trapped(self) -> list[StrEnum]:
        """Automatic phases from which no phase that rests can be reached."""
        free = set(self.phases) - set(self._auto)
        while more := {phase for phase, row in self._auto.items() if phase not in free and free & row.hops.keys()}:
            free |= more
        return [phase for phase in self.phases if phase not in free]

    # The function

    def apply(self, state: S, event: Event, way: list[Passed[S]] | None = None) -> S | Rejection:
        """The pure function: the state that `event` leads to, or why it is refused.

        Automatic phases run until a phase rests. A caller that wants to know the `way` passes a list for it.
        """
        try:
            row = self._on[type(event)][state.phase]
        except KeyError:
            return self._refusal(state, event)
        result = row.handler(state, event)
        if way is None and type(result) is self.state and result.phase in row.rests:  # most events end here
            return result
        return self.run(row, result, way)

    def run(self, row: Transition, result: Any, way: list[Passed[S]] | None = None) -> S | Rejection:
        """Where the result of a row's handler leads: run automatic phases until a phase rests."""
        hops = 1
        while True:
            kind = type(result)
            if kind is Rejection:
                return self._vetted(row, result)
            after: S = result.state if kind is Next else result
            if way is not None:
                way.append((row, after, result))
            onward = result.then if kind is Next else None
            if onward is None:
                try:
                    phase = after.phase
                except AttributeError:
                    raise MachineError(f"{row.place}: a handler returned {after!r:.80}, not a state.") from None
                if phase in row.rests:
                    return after
                if phase not in row.hops:
                    raise MachineError(f"{row.place}: a handler led to {phase}, which its row does not name.")
                row = self._auto[phase]
                onward = row.handler
            if hops >= MOST_HOPS:
                raise MachineError(f"{row.place}: {self.name} does not come to rest.")
            result = onward(after)
            hops += 1

    def step(self, state: S, event: Event) -> Step[S] | Rejection:
        """Like `apply`, with every hop on the way to the next phase that rests, and every effect, in order."""
        way: list[Passed[S]] = []
        after = self.apply(state, event, way)
        if type(after) is Rejection:  # faster than isinstance, which calls the struct's metaclass
            return after
        trace: list[Hop] = []
        effects: list[Effect] = []
        shown: list[S] = []
        for row, passed, result in way:
            said = result if type(result) is Next else None
            if said is None or said.then is None:
                trace.append(row.hops[passed.phase])
            if said is not None or row.tell is not None:
                caused = row.effects_of(result)
                effects += caused
                shown += [passed] * len(caused)
        return Step(after, tuple(trace), tuple(effects), tuple(shown))  # type: ignore[arg-type]

    def _refusal(self, state: S, event: Event) -> Rejection:
        """The answer to an event without a row. What depends on the event's type and the phase alone is cached."""
        kind, phase = type(event), state.phase
        made = self._refusals.get((kind, phase))
        if made is None:
            made = self._refusals[kind, phase] = self._refuse(kind, phase)
        if type(made) is Rejection:  # faster than isinstance
            return made
        return self._check_code(made(state, event))  # type: ignore[operator]

    def _check_code(self, rejection: Rejection) -> Rejection:
        if rejection.code not in self._known_codes:
            raise MachineError(f"{rejection.code} is not one of the codes of {self.name}.")
        return rejection

    def _refuse(self, kind: type[Event], phase: StrEnum) -> Rejection | Refuse[S]:
        if kind not in self._on:
            name = wire_name(kind) if hasattr(kind, "__struct_config__") else kind.__name__
            return Rejection(Refusal.INVALID_EVENT, f"{self.name} has no event {name}.")
        if phase in self._closed:
            return self._closed[phase]
        possible = [wire_name(event) for event, rows in self._on.items() if phase in rows]
        hint = f"possible now: {', '.join(possible)}" if possible else "nothing is possible any more"
        return Rejection(Refusal.WRONG_PHASE, f"{wire_name(kind)} is not possible in {phase}; {hint}.")

    def _vetted(self, row: Transition, rejection: Rejection) -> Rejection:
        if row.event is None:
            raise MachineError(f"{row.place}: the handler of an automatic phase may not refuse.")
        if rejection.code not in self._known_codes and not self.carries:
            raise MachineError(f"{row.place}: {rejection.code} is not one of the codes of {self.name}.")
        return rejection

    # On the wire

    def read_event(self, data: bytes | str) -> Event | Rejection:
        """The event in `data`. An unknown or malformed event is refused, with the place of the fault."""
        try:
            return self._event_reader(data)
        except Malformed as fault:
            tag = f"`$.{self.events[0].__struct_config__.tag_field}`"
            hint = f" Its events: {', '.join(map(wire_name, self.events))}." if tag in str(fault) else ""
            return Rejection(Refusal.INVALID_EVENT, f"Invalid event for {self.name}: {fault}.{hint}")

    @property
    def _event_reader(self) -> Reader[Event]:
        if self._reader is None:
            self._reader = reader_of(Union[self.events])
        return self._reader

    def read_state(self, data: bytes | str) -> S | Rejection:
        """The state in `data`. This checks its types only; the game's study checks whether it can be reached."""
        try:
            return decode(data, self.state)
        except Malformed as fault:
            return Rejection(Refusal.INVALID_STATE, f"Invalid state of {self.name}: {fault}.")

    def schema(self) -> dict[str, Any]:
        """The JSON Schemas of the machine's events and messages."""
        return {"events": schema(*self.events), "messages": schema(*self.messages)}
