"""The helper that holds a machine against its specification notices every way in which they can disagree."""

from enum import StrEnum

import pytest

from tests.conformance import Departure, Edge, Spec, faults
from turnstile.kernel import Event, Machine, Value


class Phase(StrEnum):
    CLOSED = "Closed"
    PUSHED = "Pushed"
    OPEN = "Open"


class State(Value, frozen=True):
    phase: Phase


class Code(StrEnum):
    NO_COIN = "NoCoin"


class Push(Event, frozen=True):
    pass


door: Machine[State] = Machine(
    "door", Phase, start=Phase.CLOSED, ends=(Phase.OPEN,), state=State, messages=(), codes=Code
)


@door.on(Phase.CLOSED, Push, to=Phase.PUSHED)
def push(state: State, event: Push) -> State:
    return State(Phase.PUSHED)


@door.auto(Phase.PUSHED, to={"stuck": Phase.CLOSED, "free": Phase.OPEN})
def pushed(state: State) -> State:
    return State(Phase.OPEN)


PUSHED: Edge = ("Closed", "Push", "Pushed")
STUCK: Edge = ("Pushed", "stuck", "Closed")
FREE: Edge = ("Pushed", "auto", "Open")
SHUT: Edge = ("Open", "Shut", "Closed")
PAGE = """# Departures

## Gate

- **No shutting.** Another door.

## Door

- **No
  shutting.** The wind does it.
- **Sticking** is what doors do.
- **Unexplained.**
"""


def found(*edges: Edge, departures: tuple[Departure, ...] = ()) -> list[str]:
    return faults(door, Spec("Door", edges, departures), PAGE)


def test_a_machine_that_is_its_diagram_has_no_faults() -> None:
    assert found(PUSHED, STUCK, FREE) == []


def test_an_edge_of_the_spec_that_does_not_exist_is_a_fault() -> None:
    assert found(PUSHED, STUCK, FREE, SHUT) == ["The specification has Open --Shut--> Closed; the machine has not."]


@pytest.mark.parametrize(
    "wrong", [("Closed", "Pull", "Pushed"), ("Closed", "Push", "Open"), ("Open", "Push", "Pushed")]
)
def test_from_where_on_what_and_to_where_all_count(wrong: Edge) -> None:
    assert len(found(wrong, STUCK, FREE)) == 2


def test_a_row_that_the_spec_does_not_have_is_a_fault() -> None:
    assert found(PUSHED, FREE) == ["The machine has Pushed --auto--> Closed; the specification has not."]


def test_a_named_departure_explains_what_is_gone_and_what_is_new() -> None:
    gone, new = Departure("No shutting", gone=[SHUT]), Departure("Sticking", new=[STUCK])
    assert found(PUSHED, FREE, SHUT, departures=(gone, new)) == []


def test_a_departure_without_a_reason_is_a_fault() -> None:
    for name in ("Unexplained", "Unheard of"):
        assert found(PUSHED, FREE, departures=(Departure(name, new=[STUCK]),)) == [
            f"docs/departures.md gives no reason for **{name}** under Door."
        ]


def test_a_reason_given_for_another_machine_does_not_count() -> None:
    departed = Spec("Window", (PUSHED, FREE), (Departure("Sticking", new=[STUCK]),))
    assert faults(door, departed, PAGE) == ["docs/departures.md gives no reason for **Sticking** under Window."]


def test_a_departure_that_does_not_depart_is_a_fault() -> None:
    idle = Departure("Sticking", gone=[STUCK, SHUT], new=[PUSHED, ("Open", "Knock", "Open")])
    assert found(PUSHED, STUCK, FREE, departures=(idle,)) == [
        "A departure drops Open --Shut--> Closed, which the specification does not have.",
        "A departure drops Pushed --stuck--> Closed, which the machine has.",
        "A departure adds Closed --Push--> Pushed, which the specification has.",
        "A departure adds Open --Knock--> Open, which the machine does not have.",
    ]
