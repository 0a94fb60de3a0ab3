"""A machine does what its table says: whatever happens in whatever phase has one answer, or its handlers are wrong."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.kernel.doors import CLOSED, Clicked, Code, Cracked, Door, Kick, Lock, Phase, Unheard, door, leads_to, place
from turnstile.kernel import (
    Event,
    Hop,
    Machine,
    MachineError,
    Next,
    PlayerId,
    Refusal,
    Rejection,
    Send,
    Step,
    Tell,
    encode,
)
from turnstile.kernel.machine import MOST_HOPS

ANA = PlayerId("ana")


# The function


def test_apply_gives_the_next_state_and_step_the_same_with_its_trace() -> None:
    machine = door()
    machine.on(Phase.CLOSED, Lock, to=Phase.LOCKED)(leads_to(Phase.LOCKED))
    assert machine.apply(CLOSED, Lock()) == Door(Phase.LOCKED, 1)
    assert machine.step(CLOSED, Lock()) == Step(Door(Phase.LOCKED, 1), (Hop("Closed", "Locked", "Lock", ""),), ())


def test_automatic_phases_are_passed_within_the_same_step() -> None:
    machine = door()
    machine.on(Phase.CLOSED, Lock, to={"turn": Phase.LOCKING, "stay": Phase.CLOSED})(leads_to(Phase.LOCKING))
    machine.auto(Phase.LOCKING, to={"click": Phase.LOCKED, "crack": Phase.BROKEN})(leads_to(Phase.LOCKED))
    machine.auto(Phase.LOCKED, to=Phase.BROKEN)(leads_to(Phase.BROKEN))
    taken = machine.step(CLOSED, Lock())
    assert isinstance(taken, Step)
    assert taken.state == machine.apply(CLOSED, Lock()) == Door(Phase.BROKEN, 3)
    assert taken.trace == (
        Hop("Closed", "Locking", "Lock", "turn"),
        Hop("Locking", "Locked", "auto", "click"),
        Hop("Locked", "Broken", "auto", ""),
    )


def unlocking() -> Machine[Door]:
    """A door that clicks twice on the way to one phase, and turns a little further each time."""
    machine = door()

    def told(state: Door) -> Tell:
        return Tell.all([ANA], Clicked(state.turns))

    @machine.on(Phase.CLOSED, Lock, to=Phase.LOCKED)
    def lock(state: Door, event: Lock) -> Next[Door]:
        half = Door(Phase.LOCKED, state.turns + 1)
        return Next(half, lambda: told(half), then=further)

    def further(state: Door) -> Next[Door]:
        whole = Door(state.phase, state.turns + 1)
        return Next(whole, lambda: told(whole), then=lambda state: Door(state.phase, 10))

    return machine


def test_a_handler_that_goes_on_makes_one_hop_and_leads_to_its_last_state() -> None:
    taken = unlocking().step(CLOSED, Lock())
    assert isinstance(taken, Step)
    assert taken.state == unlocking().apply(CLOSED, Lock()) == Door(Phase.LOCKED, 10)
    assert taken.trace == (Hop("Closed", "Locked", "Lock", ""),)


def test_what_a_handler_tells_before_it_goes_on_goes_with_the_state_of_that_moment() -> None:
    taken = unlocking().step(CLOSED, Lock())
    assert isinstance(taken, Step)
    assert taken.batches_with_states == [
        ({ANA: Clicked(1)}, Door(Phase.LOCKED, 1)),
        ({ANA: Clicked(2)}, Door(Phase.LOCKED, 2)),
    ]


def test_a_handler_that_goes_on_for_ever_is_an_error() -> None:
    machine = door()

    def again(state: Door) -> Next[Door]:
        return Next(state, then=again)

    machine.on(Phase.CLOSED, Lock, to=Phase.CLOSED)(lambda state, event: again(state))
    with pytest.raises(MachineError, match=r"test_machine\.py:\d+: door does not come to rest\.$"):
        machine.apply(CLOSED, Lock())


def test_a_handler_that_goes_on_ends_in_a_phase_that_its_row_names() -> None:
    machine = door()
    machine.on(Phase.CLOSED, Lock, to=Phase.LOCKED)(
        lambda state, event: Next(Door(Phase.LOCKED), then=lambda _: Door(Phase.BROKEN))
    )
    with pytest.raises(MachineError, match="a handler led to Broken, which its row does not name"):
        machine.apply(CLOSED, Lock())


def test_a_hop_is_written_as_from_to_cause_and_label() -> None:
    written = b'{"from":"Closed","to":"Locked","cause":"Lock","label":"turned"}'
    assert encode(Hop("Closed", "Locked", "Lock", "turned")) == written


def telling(made: list[str]) -> Machine[Door]:
    """A door whose effects, plain and deferred, cross an automatic phase. What is made is noted in `made`."""
    machine = door()

    def deferred(name: str) -> Callable[[], Send]:
        def make() -> Send:
            made.append(name)
            return Send(name, Cracked())

        return make

    @machine.on(Phase.CLOSED, Lock, to=Phase.LOCKING)
    def lock(state: Door, event: Lock) -> Next[Door]:
        return Next(Door(Phase.LOCKING), Tell.all([ANA], Clicked(1)), deferred("first"))

    @machine.auto(Phase.LOCKING, to=Phase.LOCKED)
    def locking(state: Door) -> Next[Door]:
        return Next(Door(Phase.LOCKED), deferred("second"), Tell.all([ANA], Clicked(2)))

    return machine


def test_a_step_has_every_effect_in_order_across_automatic_phases() -> None:
    made: list[str] = []
    taken = telling(made).step(CLOSED, Lock())
    assert isinstance(taken, Step)
    assert taken.effects == (
        Tell.all([ANA], Clicked(1)),
        Send("first", Cracked()),
        Send("second", Cracked()),
        Tell.all([ANA], Clicked(2)),
    )
    assert made == ["first", "second"]


def test_apply_does_not_make_the_effects_that_are_deferred() -> None:
    made: list[str] = []
    assert telling(made).apply(CLOSED, Lock()) == Door(Phase.LOCKED)
    assert made == []


def rows_that_tell(asked: list[Door]) -> Machine[Door]:
    """A door whose rows tell of the states that they lead to. The states that they are asked about are in `asked`."""
    machine = door()

    def turns(state: Door) -> list[Tell]:
        asked.append(state)
        return [Tell.all([ANA], Clicked(state.turns))]

    @machine.on(Phase.CLOSED, Lock, to=Phase.LOCKING, tell=turns)
    def lock(state: Door, event: Lock) -> Next[Door]:
        return Next(Door(Phase.LOCKING, 1), Send("first", Cracked()), then=lambda _: Door(Phase.LOCKING, 2))

    @machine.auto(Phase.LOCKING, to=Phase.LOCKED, tell=turns)
    def locking(state: Door) -> Next[Door]:
        return Next(Door(Phase.LOCKED, 3), Send("second", Cracked()))

    return machine


def test_a_row_tells_of_the_state_it_leads_to_after_the_effects_of_its_handler() -> None:
    taken = rows_that_tell([]).step(CLOSED, Lock())
    assert isinstance(taken, Step)
    assert list(zip(taken.effects, taken.shown, strict=True)) == [
        (Send("first", Cracked()), Door(Phase.LOCKING, 1)),
        (Tell.all([ANA], Clicked(2)), Door(Phase.LOCKING, 2)),
        (Send("second", Cracked()), Door(Phase.LOCKED, 3)),
        (Tell.all([ANA], Clicked(3)), Door(Phase.LOCKED, 3)),
    ]


def test_apply_does_not_ask_a_row_what_it_tells() -> None:
    asked: list[Door] = []
    assert rows_that_tell(asked).apply(CLOSED, Lock()) == Door(Phase.LOCKED, 3)
    assert asked == []


# Refusals


def refusing(code: str) -> Machine[Door]:
    machine = door()

    @machine.on(Phase.CLOSED, Lock, to=Phase.LOCKED)
    def lock(state: Door, event: Lock) -> Door | Rejection:
        return Door(Phase.LOCKED) if event.has_key else Rejection(code, "You have no key.")

    machine.on(Phase.LOCKED, Kick, to=Phase.BROKEN)(leads_to(Phase.BROKEN))
    return machine


def test_what_a_handler_refuses_is_the_answer() -> None:
    machine = refusing(Code.NO_KEY)
    refused = Rejection(Code.NO_KEY, "You have no key.")
    assert machine.apply(CLOSED, Lock(has_key=False)) == machine.step(CLOSED, Lock(has_key=False)) == refused
    assert encode(refused) == b'{"code":"NoKey","message":"You have no key."}'


def test_an_event_without_a_row_anywhere_is_invalid() -> None:
    answer = refusing(Code.NO_KEY).apply(CLOSED, Unheard())
    assert answer == Rejection(Refusal.INVALID_EVENT, "door has no event Unheard.")


def test_an_event_without_a_row_in_this_phase_is_in_the_wrong_phase_and_the_sentence_says_what_is_possible() -> None:
    answer = refusing(Code.NO_KEY).step(CLOSED, Kick())
    assert answer == Rejection(Refusal.WRONG_PHASE, "Kick is not possible in Closed; possible now: Lock.")


def test_where_no_row_leads_on_nothing_is_possible_any_more() -> None:
    answer = refusing(Code.NO_KEY).apply(Door(Phase.BROKEN), Kick())
    assert answer == Rejection(Refusal.WRONG_PHASE, "Kick is not possible in Broken; nothing is possible any more.")


def test_a_row_that_is_added_later_shows_in_what_is_possible() -> None:
    machine = refusing(Code.NO_KEY)
    machine.apply(CLOSED, Kick())
    machine.on(Phase.CLOSED, Unheard, to=Phase.CLOSED)(leads_to(Phase.CLOSED))
    answer = machine.apply(CLOSED, Kick())
    assert answer == Rejection(Refusal.WRONG_PHASE, "Kick is not possible in Closed; possible now: Lock, Unheard.")


def test_a_value_that_is_no_event_is_refused_too() -> None:
    answer = door().apply(CLOSED, None)  # type: ignore[arg-type]
    assert answer == Rejection(Refusal.INVALID_EVENT, "door has no event NoneType.")


# Handlers that contradict the table


@pytest.mark.parametrize("ask", [Machine.apply, Machine.step])
def test_a_handler_that_returns_no_state_is_an_error(ask: Callable[..., Any]) -> None:
    machine, handler = door(), lambda state, event: None
    machine.on(Phase.CLOSED, Lock, to=Phase.LOCKED)(handler)  # type: ignore[arg-type]
    with pytest.raises(MachineError, match=f"^{place(handler)}: a handler returned None, not a state\\.$"):
        ask(machine, CLOSED, Lock())


@pytest.mark.parametrize("ask", [Machine.apply, Machine.step])
def test_a_handler_that_lands_elsewhere_is_an_error(ask: Callable[..., Any]) -> None:
    machine, handler = door(), leads_to(Phase.BROKEN)
    machine.on(Phase.CLOSED, Lock, to=Phase.LOCKED)(handler)
    told = f"^{place(handler)}: a handler led to Broken, which its row does not name\\.$"
    with pytest.raises(MachineError, match=told):
        ask(machine, CLOSED, Lock())


def test_an_automatic_handler_that_lands_elsewhere_is_an_error() -> None:
    machine, handler = door(), leads_to(Phase.BROKEN)
    machine.on(Phase.CLOSED, Lock, to=Phase.LOCKING)(leads_to(Phase.LOCKING))
    machine.auto(Phase.LOCKING, to=Phase.LOCKED)(handler)
    with pytest.raises(MachineError, match=f"^{place(handler)}: a handler led to Broken"):
        machine.apply(CLOSED, Lock())


def test_an_automatic_handler_that_rejects_is_an_error() -> None:
    machine = door()

    def reject(state: Door) -> Any:
        return Rejection(Code.NO_KEY, "You have no key.")

    machine.on(Phase.CLOSED, Lock, to=Phase.LOCKING)(leads_to(Phase.LOCKING))
    machine.auto(Phase.LOCKING, to=Phase.LOCKED)(reject)
    with pytest.raises(MachineError, match=f"^{place(reject)}: the handler of an automatic phase may not refuse\\.$"):
        machine.apply(CLOSED, Lock())


def test_a_rejection_with_a_foreign_code_is_an_error() -> None:
    with pytest.raises(MachineError, match=r"test_machine\.py:\d+: NoLuck is not one of the codes of door\.$"):
        refusing("NoLuck").apply(CLOSED, Lock(has_key=False))


def turning(times: int) -> Machine[Door]:
    """A door that passes through Locking so many times before it is locked."""
    machine = door()

    @machine.auto(Phase.LOCKING, to={"again": Phase.LOCKING, "done": Phase.LOCKED})
    def turn(state: Door) -> Door:
        return Door(Phase.LOCKING if state.turns < times else Phase.LOCKED, state.turns + 1)

    machine.on(Phase.CLOSED, Lock, to=Phase.LOCKING)(leads_to(Phase.LOCKING))
    return machine


def test_a_step_may_pass_through_very_many_automatic_phases() -> None:
    assert turning(MOST_HOPS - 1).apply(CLOSED, Lock()) == Door(Phase.LOCKED, MOST_HOPS)


def test_a_machine_that_does_not_come_to_rest_is_an_error() -> None:
    with pytest.raises(MachineError, match=r"test_machine\.py:\d+: door does not come to rest\.$"):
        turning(2 * MOST_HOPS).apply(CLOSED, Lock())


def test_a_phase_can_be_closed_with_a_reason_of_the_machines_own() -> None:
    machine, reason = door(), Rejection(Code.NO_KEY, "Wait for the locksmith.")
    machine.on(Phase.CLOSED, Lock, to=Phase.LOCKED)(leads_to(Phase.LOCKED))
    machine.on(Phase.LOCKED, Kick, to=Phase.BROKEN)(leads_to(Phase.BROKEN))
    assert machine.apply(Door(Phase.LOCKED), Lock()) != reason
    machine.close([Phase.LOCKED], reason)
    assert machine.apply(Door(Phase.LOCKED), Lock()) == reason
    assert isinstance(machine.apply(Door(Phase.LOCKED), Kick()), Door)
    unheard = machine.apply(Door(Phase.LOCKED), Unheard())
    assert isinstance(unheard, Rejection)
    assert unheard.code == Refusal.INVALID_EVENT
    with pytest.raises(MachineError, match="Elsewhere is not one of the codes of door"):
        machine.close([Phase.BROKEN], Rejection("Elsewhere", "No."))


def test_a_closed_phase_may_refuse_each_event_for_another_reason() -> None:
    machine, reasons = (
        door(),
        iter([Rejection(Code.NO_KEY, "Now."), Rejection(Code.NO_KEY, "Then."), Rejection("?", "")]),
    )
    machine.on(Phase.CLOSED, Lock, to=Phase.LOCKED)(leads_to(Phase.LOCKED))
    machine.close([Phase.LOCKED], lambda state, event: next(reasons))
    for sentence in ("Now.", "Then."):
        assert machine.apply(Door(Phase.LOCKED), Lock()) == Rejection(Code.NO_KEY, sentence)
    with pytest.raises(MachineError, match="is not one of the codes of door"):
        machine.apply(Door(Phase.LOCKED), Lock())


def test_an_event_goes_by_the_name_it_has_on_the_wire() -> None:
    class Open(Event, frozen=True, tag="OPEN_UP"):
        pass

    machine = door()
    machine.on(Phase.LOCKED, Open, to=Phase.CLOSED)(leads_to(Phase.CLOSED))
    step = machine.step(Door(Phase.LOCKED), Open())
    assert isinstance(step, Step)
    assert step.trace[0].cause == "OPEN_UP"
    assert machine.read_event(b'{"type":"OPEN_UP"}') == Open()
    refused = machine.apply(Door(Phase.CLOSED), Open())
    assert isinstance(refused, Rejection)
    assert refused.sentence.startswith("OPEN_UP is not possible in Closed")
