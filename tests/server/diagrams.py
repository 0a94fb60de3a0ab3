"""Sequence diagrams as data: `diagrams(text)` reads the Mermaid blocks of a page, line by line."""

import re
from dataclasses import dataclass
from itertools import groupby

Fields = tuple[str, ...]


@dataclass(frozen=True)
class Sends:
    """A client sends one of these, with these fields."""

    client: str
    names: tuple[str, ...]
    fields: Fields


@dataclass(frozen=True)
class Works:
    """The server does something by itself."""

    text: str


@dataclass(frozen=True)
class Batch:
    """What the server tells some clients together: to each a message with its fields."""

    told: dict[str, tuple[str, Fields]]


@dataclass(frozen=True)
class Acks:
    """These clients acknowledge, in this order."""

    clients: tuple[str, ...]


@dataclass(frozen=True)
class Note:
    text: str


Step = Sends | Works | Batch | Acks | Note


@dataclass(frozen=True)
class Diagram:
    phase: str
    title: str
    steps: tuple[Step, ...]

    @property
    def first_send(self) -> Sends | None:
        return next((step for step in self.steps if isinstance(step, Sends)), None)

    @property
    def batches(self) -> list[Batch]:
        return [step for step in self.steps if isinstance(step, Batch)]


def diagrams(text: str) -> list[Diagram]:
    """All sequence diagrams of a page, each with the heading above it and the line before it."""
    found, phase = list[Diagram](), ""
    for heading, title, block in re.findall(
        r"^### ([^\n]+)$|^([^\n]+):\n```mermaid\nsequenceDiagram\n(.*?)^```", text, re.MULTILINE | re.DOTALL
    ):
        if heading:
            phase = heading
        else:
            found.append(Diagram(phase, title, _steps(block)))
    return found


def _steps(block: str) -> tuple[Step, ...]:
    lines = [line.strip() for line in block.splitlines()]
    group, parts = 0, list[tuple[int, Step]]()
    is_parallel = False
    for line in lines:
        if line == "and" or line.startswith("participant "):
            continue
        if line in ("par", "end"):
            is_parallel = line == "par"
        if line in ("par", "end") or not is_parallel:
            group += 1
        if line not in ("par", "end"):
            parts.append((group, _step(line)))
    return tuple(_together([step for _, step in each]) for _, each in groupby(parts, lambda part: part[0]))


def _step(line: str) -> Step:
    if note := re.fullmatch(r"Note over [\w,]+: (.+)", line):
        return Note(note[1])
    arrow = re.fullmatch(r"(\w+)-+>+(\w+): (.+)", line)
    assert arrow, line
    sender, receiver, said = arrow.groups()
    if sender == receiver:
        return Works(said)
    if said == "Ack":
        return Acks((sender,))
    call = re.fullmatch(r"([\w ]+?)(?:\((.*)\))?", said)
    assert call, line
    fields = tuple(call[2].split(", ")) if call[2] else ()
    if sender == "S":
        return Batch({receiver: (call[1], tuple(map(_on_the_wire, fields)))})
    return Sends(sender, tuple(call[1].split(" or ")), fields)


def _on_the_wire(field: str) -> str:
    """`value2_1` is the first value of client 2: each client is told `value1`."""
    return re.sub(r"^value\d_(\d)$", r"value\1", field)


def _together(steps: list[Step]) -> Step:
    """What stands in one `par` happens together."""
    first = steps[0]
    if isinstance(first, Batch):
        return Batch({client: said for step in steps if isinstance(step, Batch) for client, said in step.told.items()})
    if isinstance(first, Acks):
        return Acks(tuple(client for step in steps if isinstance(step, Acks) for client in step.clients))
    (only,) = steps
    return only
