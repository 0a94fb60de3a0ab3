"""A diagram says what the rows say, no more and no less, in a notation that its reader understands."""

import re
import sys
from collections.abc import Callable
from enum import StrEnum
from xml.etree import ElementTree

import pytest

from turnstile.games.ecard import ecard
from turnstile.kernel import Event, Machine, Message, Value
from turnstile.kernel.diagram import AnyMachine, NoGraphviz, dot, is_fresh, mermaid, svg

# The transitions that the spec of E-Card lists: from where, on what, to where.
SPEC = {
    ("Lobby", "Start", "RoundSetup"),
    ("RoundSetup", "BeginPicking", "Picking"),
    ("Picking", "Pick, one pick", "Picking"),
    ("Picking", "Pick, both picked", "Reveal"),
    ("Reveal", "draw", "Picking"),
    ("Reveal", "decisive", "RoundSetup"),
    ("Reveal", "match over", "Finished"),
    ("Finished", "Reset", "Lobby"),
}


class Phase(StrEnum):
    NOTE = "note"
    DRAW_PILE = "draw pile"
    DRAW_PILE_TOO = "draw_pile"
    DRAW_PILE_GO = "draw_pile_go"
    SAID = 'said "so"'
    OVER = "REPLACING_MULTIPLE_CARDS"


class Code(StrEnum):
    NO = "No"


class State(Value, frozen=True):
    phase: Phase


class Go(Event, frozen=True):
    pass


class Told(Message, frozen=True):
    pass


def toy(*, rule: str = "Off we go.", label: str = "a label") -> AnyMachine:
    """A machine with every kind of row, and with names that are hard to write."""
    machine = Machine("toy", Phase, start=Phase.NOTE, ends=(Phase.OVER,), state=State, messages=Told, codes=Code)
    machine.on(Phase.NOTE, Go, to={label: Phase.DRAW_PILE})(ruled(rule))
    machine.on(Phase.DRAW_PILE, Go, to={"": Phase.DRAW_PILE_TOO, "further": Phase.DRAW_PILE_GO})(ruled(rule))
    machine.auto(Phase.DRAW_PILE_TOO, to=Phase.SAID)(ruled(rule))
    machine.auto(Phase.DRAW_PILE_GO, to=Phase.SAID)(ruled(None))
    machine.on(Phase.SAID, Go, to=Phase.OVER)(ruled(rule))
    return machine


def ruled(rule: str | None) -> Callable[..., State]:
    def handler(state: State, event: Go | None = None) -> State:
        raise AssertionError("nobody plays with a diagram")

    handler.__doc__ = rule
    return handler


# Mermaid


def mermaid_lines(machine: AnyMachine) -> list[str]:
    return [line.strip() for line in mermaid(machine).splitlines()]


def transitions(machine: AnyMachine) -> set[tuple[str, str, str]]:
    """The arrows of the Mermaid diagram, with those that go through a choice drawn as one."""
    lines = mermaid_lines(machine)
    arrows = [match.groups() for line in lines if (match := re.fullmatch(r"(\w+) --> (\w+)(?:: (.*))?", line))]
    into = {target: (source, label) for source, target, label in arrows if f"state {target} <<choice>>" in lines}
    joined = {
        (into[source][0], f"{into[source][1]}, {label}", target) if source in into else (source, label, target)
        for source, target, label in arrows
    }
    return {arrow for arrow in joined if arrow[2] not in into}


def test_e_card_has_the_transitions_of_its_spec() -> None:
    assert transitions(ecard) == SPEC


def test_a_diagram_begins_at_the_start_and_stops_at_the_ends() -> None:
    lines = mermaid_lines(ecard)
    assert lines[:2] == ["stateDiagram-v2", "[*] --> Lobby"]
    assert [line for line in lines if line.endswith("--> [*]")] == ["Finished --> [*]"]


def test_an_event_with_several_answers_goes_through_a_choice() -> None:
    lines = mermaid_lines(ecard)
    choice = lines.index("state picking_pick <<choice>>")
    assert lines[choice + 1 : choice + 4] == [
        "Picking --> picking_pick: Pick",
        "picking_pick --> Picking: one pick",
        "picking_pick --> Reveal: both picked",
    ]


def test_an_automatic_phase_carries_a_note_with_the_first_sentence_of_its_rule() -> None:
    lines = mermaid_lines(ecard)
    note = lines.index("note right of Reveal")
    assert lines[note + 1 : note + 3] == ["Automatic. Both cards are turned over.", "end note"]
    assert sum(line.startswith("note ") for line in lines) == 1


def test_an_automatic_phase_without_a_rule_is_automatic_all_the_same() -> None:
    lines = mermaid_lines(toy())
    assert lines[lines.index("note right of draw_pile_go") + 1] == "Automatic."


def test_an_arrow_without_a_label_has_no_colon() -> None:
    lines = mermaid_lines(toy())
    assert "draw_pile_ --> said__so_" in lines
    assert "draw_pile_go_ --> draw_pile_" in lines


def test_the_label_of_an_only_answer_stands_beside_its_event() -> None:
    assert "note_ --> draw_pile: Go (a label)" in mermaid_lines(toy())


def test_a_phase_whose_name_is_no_id_gets_one_that_nothing_else_has() -> None:
    named = re.findall(r'state "(.*)" as (\w+)', mermaid(toy()))
    assert named == [
        ("note", "note_"),  # a word of Mermaid's own
        ("draw pile", "draw_pile"),
        ("draw_pile", "draw_pile_"),
        ("said #34;so#34;", "said__so_"),
    ]
    assert "state draw_pile_go_ <<choice>>" in mermaid_lines(toy())  # draw_pile_go is a phase


def test_signs_with_a_meaning_in_mermaid_are_written_as_numbers() -> None:
    machine = toy(label='a: b; c #1 <d> & "e"')
    arrow = "note_ --> draw_pile: Go (a#58; b#59; c #35;1 #60;d#62; #38; #34;e#34;)"
    assert arrow in mermaid_lines(machine)


# Graphviz


def dot_line(machine: AnyMachine, beginning: str) -> str:
    (line,) = [line.strip() for line in dot(machine).splitlines() if line.strip().startswith(beginning)]
    return line


@pytest.mark.parametrize("machine", [ecard, toy()])
def test_dot_has_the_arrows_of_the_mermaid_diagram(machine: AnyMachine) -> None:
    in_mermaid = re.findall(r"(\S+) --> ([^\s:]+)", mermaid(machine))
    in_dot = re.findall(r'"(\S+)" -> "(\S+)(?: end)?"', dot(machine))
    assert in_dot == in_mermaid


def test_phases_that_rest_and_phases_that_do_not_look_different() -> None:
    assert 'style="rounded,filled"' in dot_line(ecard, '"Picking" [')
    assert 'style="rounded,filled,dashed"' in dot_line(ecard, '"Reveal" [')
    assert r'label="Reveal\n(automatic)"' in dot_line(ecard, '"Reveal" [')


def test_a_choice_is_a_small_diamond() -> None:
    assert "shape=diamond" in dot_line(ecard, '"picking_pick" [')


def test_events_that_lead_the_same_way_share_one_arrow() -> None:
    class Come(Event, frozen=True):
        pass

    machine = toy()
    machine.on(Phase.SAID, Come, to=Phase.OVER)(ruled("Here we come."))
    (arrow,) = [line for line in dot(machine).splitlines() if '-> "REPLACING_MULTIPLE_CARDS"' in line]
    assert r'label="  Go  \n  Come  "' in arrow
    assert r'tooltip="Off we go.\nHere we come."' in arrow


def test_long_names_and_labels_are_broken_between_words() -> None:
    assert r'label="REPLACING_\nMULTIPLE_CARDS"' in dot_line(toy(), '"REPLACING_MULTIPLE_CARDS" [')
    machine = toy(label="SomeCardsAre not the same")
    assert r'label="  Go (SomeCardsAre  \n  not the same)  "' in dot_line(machine, '"note_" -> "draw_pile"')


# SVG


def picture(machine: AnyMachine) -> ElementTree.Element:
    return ElementTree.fromstring(svg(machine))  # noqa: S314, it is our own


def texts(machine: AnyMachine) -> set[str]:
    return {text.text.strip() for text in picture(machine).iter("{http://www.w3.org/2000/svg}text") if text.text}


def tooltips(machine: AnyMachine) -> set[str]:
    titles = (link.get("{http://www.w3.org/1999/xlink}title") for link in picture(machine).iter())
    return {title for title in titles if title}


def test_the_picture_shows_every_phase_event_and_condition() -> None:
    assert texts(ecard) == {
        *("Lobby", "RoundSetup", "Picking", "Reveal", "(automatic)", "Finished"),
        *("Start", "BeginPicking", "Pick", "Reset"),
        *("one pick", "both picked", "draw", "decisive", "match over"),
    }


def test_the_picture_says_the_rules_as_tooltips() -> None:
    rules = {row.rule for row in ecard.rows}
    assert tooltips(ecard) == rules | {"start", "end"}


def test_names_and_rules_are_shown_as_they_are_written() -> None:
    machine = toy(label='<a> & "b"', rule='A rule\n    in two lines: <a> & "b".')
    assert {'said "so"', 'Go (<a> & "b")'} <= texts(machine)
    assert 'A rule in two lines: <a> & "b".' in tooltips(machine)


def test_the_same_machine_gives_the_same_picture() -> None:
    assert svg(toy()) == svg(toy())


def test_a_picture_is_fresh_until_the_machine_changes() -> None:
    drawn = svg(toy())
    assert is_fresh(drawn, toy())
    assert not is_fresh(drawn, toy(label="another label"))
    assert not is_fresh(drawn, toy(rule="Another rule."))


def test_without_graphviz_one_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    with pytest.raises(NoGraphviz, match=re.escape("pip install 'turnstile[svg]'")):
        svg(ecard)
    assert dot(ecard)
    assert mermaid(ecard)
