"""A machine beside the diagram of its specification: every edge of one is an edge of the other, or a named departure.

A specification's diagram is given as data: `(from, event or condition, to)`. Where a row waits for an event, the edge
says the event's name on the wire; where a phase is automatic, it says the label of the hop, or `auto`. A departure has
the name under which a section of docs/departures.md gives its reason.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from turnstile.kernel import Hop, Machine

Edge = tuple[str, str, str]
PAGE = Path(__file__).parent.parent / "docs" / "departures.md"


@dataclass(frozen=True, slots=True)
class Departure:
    """Edges of the specification that are `gone`, and edges of the machine that are `new`, for one reason."""

    name: str
    gone: Collection[Edge] = ()
    new: Collection[Edge] = ()


@dataclass(frozen=True, slots=True)
class Spec:
    """What a specification draws, and where the machine departs from it. The page's section has the game's title."""

    section: str
    edges: Collection[Edge]
    departures: tuple[Departure, ...] = ()


def faults(machine: Machine[Any], spec: Spec, page: str | None = None) -> list[str]:
    """A sentence for everything in which a machine, its specification and the page of departures disagree."""
    hops = [hop for row in machine.rows for hop in row.hops.values()]
    text = PAGE.read_text("utf-8") if page is None else page
    return [*_missing(hops, spec), *_superfluous(hops, spec), *_idle_departures(hops, spec), *_unexplained(spec, text)]


def _missing(hops: Sequence[Hop], spec: Spec) -> Iterator[str]:
    for edge in sorted({*spec.edges} - {*_gone(spec)}):
        if not _exists(edge, hops):
            yield f"The specification has {_arrow(edge)}; the machine has not."


def _superfluous(hops: Sequence[Hop], spec: Spec) -> Iterator[str]:
    for hop in hops:
        if not any(_draws(edge, hop) for edge in (*spec.edges, *_new(spec))):
            edge = (hop.source, hop.cause, hop.target)
            yield f"The machine has {_arrow(edge)}; the specification has not."


def _idle_departures(hops: Sequence[Hop], spec: Spec) -> Iterator[str]:
    """A departure that no longer departs is as wrong as one that nobody has named."""
    for edge in _gone(spec):
        if edge not in spec.edges:
            yield f"A departure drops {_arrow(edge)}, which the specification does not have."
        if _exists(edge, hops):
            yield f"A departure drops {_arrow(edge)}, which the machine has."
    for edge in _new(spec):
        if edge in spec.edges:
            yield f"A departure adds {_arrow(edge)}, which the specification has."
        if not _exists(edge, hops):
            yield f"A departure adds {_arrow(edge)}, which the machine does not have."


def _unexplained(spec: Spec, page: str) -> Iterator[str]:
    reasons = _reasons(spec.section, page)
    for departure in spec.departures:
        if not reasons.get(departure.name):
            yield f"docs/departures.md gives no reason for **{departure.name}** under {spec.section}."


def _reasons(section: str, page: str) -> dict[str, str]:
    """What a section says under each name: `- **Name.** The reason` or `- **Name** goes on like this`."""
    parts = re.split(r"^## ", page, flags=re.MULTILINE)
    text = next((part for part in parts if part.partition("\n")[0] == section), "")
    entries = re.findall(r"^- \*\*(.+?)\*\*(.*?)(?=^- |\Z)", text, re.MULTILINE | re.DOTALL)
    return {" ".join(name.rstrip(".").split()): reason.strip() for name, reason in entries}


def _gone(spec: Spec) -> list[Edge]:
    return sorted(edge for departure in spec.departures for edge in departure.gone)


def _new(spec: Spec) -> list[Edge]:
    return sorted(edge for departure in spec.departures for edge in departure.new)


def _exists(edge: Edge, hops: Sequence[Hop]) -> bool:
    return any(_draws(edge, hop) for hop in hops)


def _draws(edge: Edge, hop: Hop) -> bool:
    source, why, target = edge
    return (source, target) == (hop.source, hop.target) and why in (hop.cause, hop.label)


def _arrow(edge: Edge) -> str:
    source, why, target = edge
    return f"{source} --{why}--> {target}"
