"""Diagrams of a machine, from its transitions alone: Mermaid for pages that draw it, SVG (through DOT) elsewhere.

`_chart` decides what a diagram shows. The writers above it know their notation only.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from turnstile.kernel.machine import Hop, Machine, Transition

AnyMachine = Machine[Any]

MERMAID_WORDS = {"class", "click", "default", "href", "note", "scale", "state", "style"}  # never ids, whatever the case
INK, PALE_INK, PAPER = "#1f2328", "#59636e", "#ffffff"  # its own paper, so that it can be read on a dark page
RESTING, AUTOMATIC = "#e6f0fb", "#fff3cd"
FONT = "Helvetica,Arial,sans-serif"
LONGEST_LINE = 18  # characters; a large machine still fits the width of a page


class NoGraphviz(Exception):
    """Drawing an SVG needs Graphviz, which is not installed."""

    def __init__(self) -> None:
        super().__init__("Drawing an SVG needs Graphviz, which comes with: pip install 'turnstile[svg]'")


# Mermaid


def mermaid(machine: AnyMachine) -> str:
    """The machine as a Mermaid state diagram.

    Mermaid places nodes in the order in which they appear, so the lines follow the course of a match.
    """
    chart = _chart(machine)
    lines = [
        f"[*] --> {chart.start}",
        *(line for arrow in chart.arrows for line in _mermaid_arrow(chart, arrow)),
        *(f"{end} --> [*]" for end in chart.ends),
        *(f'state "{_mermaid_text(name)}" as {phase}' for phase, name in chart.phases.items() if phase != name),
        *(line for phase, rule in chart.automatic.items() for line in _mermaid_note(phase, rule)),
    ]
    return "\n".join(["stateDiagram-v2", *(f"    {line}" for line in lines), ""])


def _mermaid_arrow(chart: "_Chart", arrow: "_Arrow") -> Iterator[str]:
    if arrow.target in chart.choices:
        yield f"state {arrow.target} <<choice>>"
    label = f": {_mermaid_text(arrow.label)}" if arrow.label else ""
    yield f"{arrow.source} --> {arrow.target}{label}"


def _mermaid_note(phase: str, rule: str) -> Iterator[str]:
    first_sentence = re.split(r"(?<=[.!?])\s", rule)[0]
    yield f"note right of {phase}"
    yield f"    {_mermaid_text(f'Automatic. {first_sentence}'.strip())}"
    yield "end note"


def _mermaid_text(text: str) -> str:
    """Escape the characters that end a text in Mermaid or are markup."""
    return re.sub(r'[#;:<>&"\\]', lambda sign: f"#{ord(sign[0])};", text)


# Graphviz


def dot(machine: AnyMachine) -> str:
    """The machine in the language of Graphviz. It alone decides the picture, so its hash identifies the picture."""
    chart = _chart(machine)
    lines = [
        f'graph [bgcolor="{PAPER}", pad=0.3, nodesep=0.25, ranksep=0.5]',
        f'node [fontname="{FONT}", fontsize=14, fontcolor="{INK}", color="{INK}", margin="0.2,0.1"]',
        f'edge [fontname="{FONT}", fontsize=12, color="{PALE_INK}", arrowsize=0.8]',
        f'"[*]" [shape=circle, style=filled, fillcolor="{INK}", width=0.2, label="", tooltip="start"]',
        *(_dot_phase(chart, phase) for phase in chart.phases),
        *(_dot_choice(choice, rule) for choice, rule in chart.choices.items()),
        f'"[*] end" [shape=doublecircle, style=filled, fillcolor="{INK}", width=0.13, label="", tooltip="end"]',
        f'"[*]" -> {_quoted(chart.start)}',
        *(_dot_arrows(chart, source, target) for source, target in chart.ways),
        *(f'{_quoted(end)} -> "[*] end"' for end in chart.ends),
    ]
    return "\n".join([f"digraph {_quoted(machine.name)} {{", *(f"    {line}" for line in lines), "}", ""])


def _dot_phase(chart: "_Chart", phase: str) -> str:
    lines = _broken(chart.phases[phase])
    looks = f'style="rounded,filled", fillcolor="{RESTING}"'
    if phase in chart.automatic:
        lines.append("(automatic)")
        looks = f'style="rounded,filled,dashed", fillcolor="{AUTOMATIC}"'
    label = _quoted("\n".join(lines))
    return f"{_quoted(phase)} [shape=box, {looks}, label={label}, tooltip={_quoted(chart.rules_in(phase))}]"


def _dot_choice(choice: str, rule: str) -> str:
    looks = f'shape=diamond, style=filled, fillcolor="{PAPER}", width=0.3, height=0.3'
    return f'{_quoted(choice)} [{looks}, label="", tooltip={_quoted(rule)}]'


def _dot_arrows(chart: "_Chart", source: str, target: str) -> str:
    """All arrows from one node to another as one arrow with a line for each: separate labels would overlap.

    Events are dark, conditions pale; the spaces keep the text off the line.
    """
    arrows = [arrow for arrow in chart.arrows if (arrow.source, arrow.target) == (source, target)]
    is_condition = source in chart.choices or source in chart.automatic
    label = _quoted("\n".join(f"  {line}  " for arrow in arrows for line in _broken(arrow.label)))
    colour = PALE_INK if is_condition else INK
    rule = _quoted("\n".join(dict.fromkeys(arrow.rule for arrow in arrows)))
    looks = f'label={label}, fontcolor="{colour}", tooltip={rule}, labeltooltip={rule}'
    return f"{_quoted(source)} -> {_quoted(target)} [{looks}]"


def _broken(text: str) -> list[str]:
    """The text in short lines, broken after a space or an underscore or before a capital."""
    lines = [""]
    for piece in re.split(r"(?<=[ _])|(?<=[a-z0-9])(?=[A-Z])", text):
        if lines[-1] and len(lines[-1] + piece) > LONGEST_LINE:
            lines.append("")
        lines[-1] += piece
    return [line.strip() for line in lines]


def _quoted(text: str) -> str:
    for sign, written in (("\\", "\\\\"), ("&", "&amp;"), ('"', "&quot;"), ("\n", "\\n")):
        text = text.replace(sign, written)
    return f'"{text}"'


def svg(machine: AnyMachine) -> str:
    """The machine as a picture, laid out by Graphviz, with the rules as tooltips."""
    try:
        from pygraphviz import AGraph
    except ImportError:
        raise NoGraphviz from None
    drawn: str = AGraph(string=dot(machine)).draw(format="svg", prog="dot").decode()
    return f"{_stamp(machine)}\n{drawn[drawn.index('<svg') :]}"


def is_fresh(picture: str, machine: AnyMachine) -> bool:
    """Whether this SVG shows the machine as it is now, with any version of Graphviz."""
    return _stamp(machine) in picture


def _stamp(machine: AnyMachine) -> str:
    return f"<!-- SHA-256 of the DOT source: {sha256(dot(machine).encode()).hexdigest()} -->"


# What there is to draw


class _Arrow(NamedTuple):
    source: str
    target: str
    label: str
    rule: str


@dataclass(frozen=True, slots=True)
class _Chart:
    """Nodes by id and the arrows between them: phases with their name, automatic phases and choices with their rule."""

    phases: dict[str, str]
    automatic: dict[str, str]
    choices: dict[str, str]
    arrows: tuple[_Arrow, ...]
    start: str
    ends: tuple[str, ...]

    @property
    def ways(self) -> list[tuple[str, str]]:
        """The pairs of nodes that arrows connect."""
        return list(dict.fromkeys((arrow.source, arrow.target) for arrow in self.arrows))

    def rules_in(self, phase: str) -> str:
        return "\n".join(dict.fromkeys(arrow.rule for arrow in self.arrows if arrow.source == phase))


def _chart(machine: AnyMachine) -> _Chart:
    ids: dict[str, str] = {}
    for phase in machine.phases:
        ids[phase.value] = _new_id(phase.value, ids.values())
    choices: dict[str, str] = {}
    arrows: list[_Arrow] = []
    for row in machine.rows:
        source = ids[row.phase]
        if row.event and len(row.hops) > 1:
            choice = _new_id(_snake_case(f"{row.phase}_{row.cause}"), {*ids.values(), *choices})
            choices[choice] = _rule(row)
            arrows.append(_Arrow(source, choice, row.cause, _rule(row)))
            source = choice
        arrows += [_Arrow(source, ids[target], _label(row, hop), _rule(row)) for target, hop in row.hops.items()]
    return _Chart(
        phases={node: name for name, node in ids.items()},
        automatic={ids[row.phase]: _rule(row) for row in machine.rows if row.event is None},
        choices=choices,
        arrows=tuple(arrows),
        start=ids[machine.start],
        ends=tuple(ids[end] for end in machine.ends),
    )


def _label(row: Transition, hop: Hop) -> str:
    """The label of a hop's arrow: the condition if the row has several hops, else the event."""
    if row.event is None or len(row.hops) > 1:
        return hop.label
    return f"{row.cause} ({hop.label})" if hop.label else row.cause


def _rule(row: Transition) -> str:
    return " ".join(row.rule.split())


def _new_id(name: str, taken: Collection[str]) -> str:
    """An id that Mermaid accepts, as close to the name as possible."""
    node = re.sub(r"\W", "_", name)
    while node in taken or node.lower() in MERMAID_WORDS:
        node += "_"
    return node


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
