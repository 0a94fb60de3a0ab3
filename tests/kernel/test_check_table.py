"""What the checker sees in the table alone: phases without a way in, phases without a way out, and cycles."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any

from turnstile.games.ecard import ecard
from turnstile.kernel import Event, Machine, Message, Value
from turnstile.kernel.check import Verdict, World, check, check_table


class Room(StrEnum):
    HALL = "Hall"
    STAIRS = "Stairs"
    CELLAR = "Cellar"
    STREET = "Street"


class Code(StrEnum):
    NEVER = "Never"


class Where(Value, frozen=True):
    phase: Room


class Walk(Event, frozen=True):
    pass


class Leave(Event, frozen=True):
    pass


class Arrived(Message, frozen=True):
    pass


def house() -> Machine[Where]:
    """Rooms without doors; it is over in the street."""
    return Machine("house", Room, start=Room.HALL, ends=(Room.STREET,), state=Where, messages=Arrived, codes=Code)


def into(room: Room) -> Callable[..., Where]:
    return lambda state, event=None: Where(room)


def table(machine: Machine[Any]) -> list[tuple[Verdict, str]]:
    return [(finding.verdict, finding.sentence) for finding in check_table(machine)]


def test_the_table_of_e_card_is_in_order() -> None:
    assert table(ecard) == [
        (Verdict.PROVED, "all 5 phases can be reached from Lobby"),
        (Verdict.PROVED, "from every phase Finished can be reached"),
        (Verdict.PROVED, "no automatic phases form a cycle: every step comes to rest"),
        (Verdict.PROVED, "each of the 16 pairs of resting phase and event is handled (4) or refused (12)"),
    ]


def test_a_phase_that_cannot_be_reached_is_found() -> None:
    machine = house()
    machine.on(Room.HALL, Leave, to=Room.STREET)(into(Room.STREET))
    machine.auto(Room.STAIRS, to=Room.CELLAR)(into(Room.CELLAR))
    machine.on(Room.CELLAR, Leave, to=Room.STREET)(into(Room.STREET))
    assert table(machine)[:2] == [
        (Verdict.FAILED, "Stairs cannot be reached from Hall; Cellar cannot be reached from Hall"),
        (Verdict.PROVED, "from every phase Street can be reached"),
    ]


def test_a_dead_end_is_found() -> None:
    machine = house()
    machine.on(Room.HALL, Leave, to=Room.STREET)(into(Room.STREET))
    machine.on(Room.HALL, Walk, to=Room.STAIRS)(into(Room.STAIRS))
    machine.on(Room.STAIRS, Walk, to=Room.CELLAR)(into(Room.CELLAR))
    machine.on(Room.CELLAR, Walk, to=Room.STAIRS)(into(Room.STAIRS))
    assert table(machine)[:2] == [
        (Verdict.PROVED, "all 4 phases can be reached from Hall"),
        (
            Verdict.FAILED,
            "Stairs is a dead end: no way leads on to Street; Cellar is a dead end: no way leads on to Street",
        ),
    ]


def test_automatic_phases_that_form_a_cycle_are_found_even_if_there_is_an_exit() -> None:
    machine = house()
    machine.on(Room.HALL, Walk, to=Room.STAIRS)(into(Room.STAIRS))
    machine.auto(Room.STAIRS, to={"down": Room.CELLAR, "out": Room.STREET})(into(Room.STREET))
    machine.auto(Room.CELLAR, to=Room.STAIRS)(into(Room.STAIRS))
    verdict, sentence = table(machine)[2]
    assert verdict is Verdict.FAILED
    assert sentence in (
        "the automatic phases Stairs -> Cellar -> Stairs form a cycle",
        "the automatic phases Cellar -> Stairs -> Cellar form a cycle",
    )


def test_pairs_of_resting_phase_and_event_are_counted() -> None:
    machine = house()
    machine.on(Room.HALL, Walk, to=Room.STAIRS)(into(Room.STAIRS))
    machine.auto(Room.STAIRS, to=Room.CELLAR)(into(Room.CELLAR))
    machine.on(Room.CELLAR, Leave, to=Room.STREET)(into(Room.STREET))
    assert table(machine)[3] == (
        Verdict.PROVED,
        "each of the 6 pairs of resting phase and event is handled (2) or refused (4)",
    )


def test_a_fault_of_the_table_fails_the_report_even_if_no_walk_meets_it() -> None:
    machine = house()
    machine.on(Room.HALL, Leave, to=Room.STREET)(into(Room.STREET))
    world = World(
        machine=machine,
        starts=[Where(Room.HALL)],
        moves=lambda state: [Leave()],
        over=lambda state: state.phase is Room.STREET,
    )
    report = check(world)
    assert not report.passed
    assert [finding.verdict for finding in report.findings].count(Verdict.FAILED) == 2
    assert all(finding.verdict is Verdict.PROVED for finding in report.findings[4:])
