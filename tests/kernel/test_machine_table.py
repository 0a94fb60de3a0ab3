"""A machine's table is read as it was written, and a table that contradicts itself is an error at once."""

import re
from enum import StrEnum

import pytest

from tests.kernel.doors import Clicked, Code, Cracked, Door, Elsewhere, Kick, Lock, Phase, door, leads_to, place
from turnstile.kernel import Hop, Machine, MachineError, Refusal

# The table


def test_rows_are_listed_phase_by_phase_in_the_order_of_the_enumeration() -> None:
    machine = door()
    machine.on(Phase.LOCKED, Kick, to=Phase.BROKEN)(leads_to(Phase.BROKEN))
    machine.on(Phase.CLOSED, Kick, to=Phase.BROKEN)(leads_to(Phase.BROKEN))
    machine.auto(Phase.LOCKING, to=Phase.LOCKED)(leads_to(Phase.LOCKED))
    machine.on(Phase.CLOSED, Lock, to=Phase.LOCKING)(leads_to(Phase.LOCKING))
    assert [(row.phase, row.event, row.cause) for row in machine.rows] == [
        (Phase.CLOSED, Kick, "Kick"),
        (Phase.CLOSED, Lock, "Lock"),
        (Phase.LOCKING, None, "auto"),
        (Phase.LOCKED, Kick, "Kick"),
    ]
    assert machine.events == (Kick, Lock)


def test_a_row_knows_its_rule_its_place_and_a_hop_for_each_phase_it_leads_to() -> None:
    machine, handler = door(), leads_to(Phase.LOCKED)
    machine.on(Phase.CLOSED, Lock, to={"turned": Phase.LOCKED, "stuck": Phase.CLOSED})(handler)
    (row,) = machine.rows
    assert row.rule == "The door goes there."
    assert re.fullmatch(place(handler), row.place)
    assert row.hops == {
        Phase.LOCKED: Hop("Closed", "Locked", "Lock", "turned"),
        Phase.CLOSED: Hop("Closed", "Closed", "Lock", "stuck"),
    }


def test_a_handler_without_a_docstring_has_an_empty_rule() -> None:
    machine = door()
    machine.on(Phase.CLOSED, Lock, to=Phase.LOCKED)(lambda state, event: Door(Phase.LOCKED))
    assert machine.rows[0].rule == ""


def test_a_decorated_handler_stays_the_function_it_was() -> None:
    handler = leads_to(Phase.LOCKED)
    assert door().on(Phase.CLOSED, Lock, to=Phase.LOCKED)(handler) is handler
    assert door().auto(Phase.LOCKING, to=Phase.LOCKED)(handler) is handler


def test_the_messages_of_a_machine_may_be_one_or_a_union() -> None:
    only = Machine("m", Phase, start=Phase.CLOSED, ends=(), state=Door, messages=Clicked, codes=Code)
    assert only.messages == (Clicked,)
    assert door().messages == (Clicked, Cracked)


def test_the_codes_of_a_machine_are_the_kernels_two_and_its_own() -> None:
    assert list(door().codes) == [Refusal.INVALID_EVENT, Refusal.WRONG_PHASE, Code.NO_KEY]


# Tables that contradict themselves


def test_two_rows_for_one_phase_and_event_are_an_error_that_names_both() -> None:
    machine, first = door(), leads_to(Phase.LOCKED)
    machine.on(Phase.CLOSED, Lock, to=Phase.LOCKED)(first)

    def second(state: Door, event: Lock) -> Door:
        return state

    told = f"^{place(second)}: Closed already has a row for Lock, at {place(first)}\\.$"
    with pytest.raises(MachineError, match=told):
        machine.on(Phase.CLOSED, Lock, to=Phase.BROKEN)(second)


def test_a_row_to_an_unknown_phase_is_an_error() -> None:
    handler = leads_to(Phase.LOCKED)
    with pytest.raises(MachineError, match=f"^{place(handler)}: door has no phase Garden\\.$"):
        door().on(Phase.CLOSED, Lock, to={"in": Phase.LOCKED, "out": Elsewhere.GARDEN})(handler)


def test_a_row_from_an_unknown_phase_is_an_error() -> None:
    handler = leads_to(Phase.LOCKED)
    with pytest.raises(MachineError, match=f"^{place(handler)}: door has no phase Garden\\.$"):
        door().auto(Elsewhere.GARDEN, to=Phase.LOCKED)(handler)


@pytest.mark.parametrize("to", [{"one": Phase.LOCKED, "two": Phase.LOCKED}, {}])
def test_labels_that_lead_to_one_phase_or_to_none_are_an_error(to: dict[str, StrEnum]) -> None:
    handler = leads_to(Phase.LOCKED)
    told = f"^{place(handler)}: the labels of a row must lead to different phases, and to at least one\\.$"
    with pytest.raises(MachineError, match=told):
        door().on(Phase.CLOSED, Lock, to=to)(handler)


def test_two_automatic_rows_for_one_phase_are_an_error() -> None:
    machine, handler = door(), leads_to(Phase.LOCKED)
    machine.auto(Phase.LOCKING, to=Phase.LOCKED)(handler)
    with pytest.raises(MachineError, match=f"Locking already has an automatic row, at {place(handler)}\\.$"):
        machine.auto(Phase.LOCKING, to=Phase.BROKEN)(leads_to(Phase.BROKEN))


def test_a_phase_that_is_automatic_does_not_wait_for_events() -> None:
    machine, handler = door(), leads_to(Phase.LOCKED)
    machine.auto(Phase.LOCKING, to=Phase.LOCKED)(handler)
    with pytest.raises(MachineError, match=f"^{place(handler)}: Locking is automatic, so it never waits for Kick\\.$"):
        machine.on(Phase.LOCKING, Kick, to=Phase.BROKEN)(handler)


def test_a_phase_that_waits_for_events_is_not_automatic() -> None:
    machine, handler = door(), leads_to(Phase.LOCKED)
    machine.on(Phase.LOCKING, Kick, to=Phase.BROKEN)(handler)
    told = f"^{place(handler)}: Locking waits for events, so it cannot be automatic\\.$"
    with pytest.raises(MachineError, match=told):
        machine.auto(Phase.LOCKING, to=Phase.LOCKED)(handler)


def test_an_automatic_cycle_without_an_exit_is_an_error() -> None:
    machine, handler = door(), leads_to(Phase.LOCKING)
    machine.auto(Phase.LOCKING, to=Phase.LOCKED)(handler)
    told = f"^{place(handler)}: an automatic cycle without an exit: Locking, Locked\\.$"
    with pytest.raises(MachineError, match=told):
        machine.auto(Phase.LOCKED, to=Phase.LOCKING)(handler)


def test_an_automatic_phase_that_leads_only_to_itself_is_an_error() -> None:
    with pytest.raises(MachineError, match=r"an automatic cycle without an exit: Locking\.$"):
        door().auto(Phase.LOCKING, to=Phase.LOCKING)(leads_to(Phase.LOCKING))


def test_an_automatic_cycle_with_an_exit_is_a_table() -> None:
    machine, handler = door(), leads_to(Phase.LOCKED)
    machine.auto(Phase.LOCKING, to={"again": Phase.LOCKED, "done": Phase.CLOSED})(handler)
    machine.auto(Phase.LOCKED, to=Phase.LOCKING)(handler)
    assert len(machine.rows) == 2
