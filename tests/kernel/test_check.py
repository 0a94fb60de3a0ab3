"""The checker finds a fault in the states and the shortest way to it; what it could not prove it calls sampled.

The toys below count: `Add` adds to the count of their state and `Stop` ends. Each is broken in one way.
"""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import Any

import pytest

from turnstile.games import ecard
from turnstile.kernel import Event, Machine, Message, PlayerId, Rejection, Study, Timeout, Value
from turnstile.kernel import check as checker
from turnstile.kernel.check import Finding, Report, Verdict, World, check, world_of
from turnstile.studies.ecard import study


class Phase(StrEnum):
    COUNTING = "Counting"
    OVER = "Over"


class Code(StrEnum):
    ENOUGH = "Enough"


class Count(Value, frozen=True):
    phase: Phase
    number: int = 0
    way: str = ""


class Add(Event, frozen=True):
    much: int = 1


class Stop(Event, frozen=True):
    pass


class Waited(Timeout, frozen=True):
    pass


class Counted(Message, frozen=True):
    pass


Moves = Callable[[Count], Iterable[Event]]
START = Count(Phase.COUNTING)
ADD, ADD_TWO, WAIT = '{"type":"Add","much":1}', '{"type":"Add","much":2}', '{"type":"Waited"}'


def add(state: Count, event: Add) -> Count:
    return Count(Phase.COUNTING, state.number + event.much)


def stop(state: Count, event: Event) -> Count:
    return Count(Phase.OVER, state.number)


def count_down(state: Count, event: Waited) -> Count:
    return Count(Phase.OVER) if state.number == 0 else Count(Phase.COUNTING, state.number - 1)


def counter(adding: Callable[..., Any] = add, waiting: Callable[..., Any] = count_down) -> Machine[Count]:
    """A counter whose table is in order; `adding` and `waiting` are what Add and Waited do."""
    machine = Machine("toy", Phase, start=Phase.COUNTING, ends=(Phase.OVER,), state=Count, messages=Counted, codes=Code)
    machine.on(Phase.COUNTING, Add, to=Phase.COUNTING)(adding)
    machine.on(Phase.COUNTING, Stop, to=Phase.OVER)(stop)
    machine.on(Phase.COUNTING, Waited, to={"over": Phase.OVER, "still": Phase.COUNTING})(waiting)
    return machine


def up_to(most: int, *steps: Event) -> Moves:
    """Add (or these steps) until the count is `most`, then only stop."""
    return lambda state: (steps or (Add(),)) if state.number < most else (Stop(),)


def world(machine: Machine[Count], moves: Moves, starts: Sequence[Count] = (START,), **more: Any) -> World[Count]:
    return World(machine=machine, starts=starts, moves=moves, over=lambda state: state.phase is Phase.OVER, **more)


def walked(report: Report) -> list[Finding]:
    """What was found by walking, after the four findings of the table."""
    return list(report.findings[4:])


def failed(report: Report) -> Finding:
    """The only failure of a walk."""
    assert not report.passed
    (finding,) = walked(report)
    assert finding.verdict is Verdict.FAILED
    return finding


# A machine that is in order


def test_where_every_state_is_walked_everything_is_proved() -> None:
    report = check(world(counter(), up_to(3)))
    assert report.passed
    assert (report.machine, report.states) == ("toy", 5)
    assert [(finding.verdict, finding.sentence) for finding in walked(report)] == [
        (Verdict.PROVED, "all 5 states were walked: each is sound, and each of 4 offered events is accepted"),
        (Verdict.PROVED, "no state is stuck: each of 4 before an end offers an event that carries on"),
        (Verdict.PROVED, "every state can still reach one of 1 ends"),
        (Verdict.PROVED, "no match goes on for ever: the longest has 4 events"),
    ]


def test_the_longest_match_is_the_longest_way_not_the_shortest() -> None:
    report = check(world(counter(), up_to(6, Add(), Add(2), Stop())))
    assert walked(report)[-1].sentence == "no match goes on for ever: the longest has 7 events"


def test_where_states_come_again_nothing_is_said_about_the_longest_match() -> None:
    moves: Moves = lambda state: (Add(1), Add(-1), Stop()) if abs(state.number) < 3 else (Stop(),)  # noqa: E731
    report = check(world(counter(), moves))
    assert report.passed
    assert not any("longest" in finding.sentence for finding in report.findings)


def test_states_that_differ_only_in_what_is_past_are_walked_once_and_a_sample_is_compared() -> None:
    def remember(state: Count, event: Add) -> Count:
        return Count(Phase.COUNTING, state.number + event.much, state.way + str(event.much))

    report = check(
        world(counter(remember), up_to(4, Add(1), Add(2)), state_key=lambda state: (state.phase, state.number))
    )
    assert report.states == 6 + 2  # 0 to 5 counting; over at 4 and at 5
    alike = [finding for finding in walked(report) if finding.verdict is Verdict.SAMPLED]
    assert [finding.sentence for finding in alike] == [
        "states that differ only in what is past go on alike (3 pairs tried)"
    ]


# The states


def enough(state: Count, event: Add) -> Count | Rejection:
    return Rejection(Code.ENOUGH, "That is enough.") if state.number == 2 else add(state, event)


def crash(state: Count, event: Add) -> Count:
    if state.number == 2:
        raise ZeroDivisionError("two")
    return add(state, event)


CRASH = crash.__code__.co_firstlineno + 2
"""The line that raises."""


def too_much(state: Count) -> str | None:
    return f"{state.number} is too much." if state.number > 2 else None


def test_an_offered_event_that_is_refused_is_found_with_the_shortest_way_to_it() -> None:
    finding = failed(check(world(counter(enough), up_to(9, Add(), Add(2)))))
    assert finding.sentence == "an offered event is refused: That is enough."
    assert finding.path == (ADD_TWO, ADD)


def test_an_offered_event_that_raises_is_found_with_the_shortest_way_to_it() -> None:
    finding = failed(check(world(counter(crash), up_to(9, Add(), Add(2)))))
    assert finding.sentence == f"an offered event raises ZeroDivisionError: two (test_check.py, line {CRASH})"
    assert finding.path == (ADD_TWO, ADD)


def test_an_author_who_cannot_say_what_comes_next_is_told_where() -> None:
    def lost(state: Count) -> Iterable[Event]:
        return [Add()] if state.number < 2 else [][1]

    finding = failed(check(world(counter(add), lost)))
    line = f"(test_check.py, line {lost.__code__.co_firstlineno + 1})"
    assert finding.sentence == f"asking what can happen next raises IndexError: list index out of range {line}"
    assert finding.path == (ADD, ADD)


def test_a_handler_that_contradicts_the_table_is_found_too() -> None:
    finding = failed(check(world(counter(stop), up_to(9))))
    assert finding.sentence.startswith("an offered event raises MachineError: ")
    assert finding.sentence.endswith("which its row does not name.")  # it has its place already
    assert finding.path == (ADD,)


def test_a_state_that_is_not_sound_is_found_with_the_shortest_way_to_it() -> None:
    finding = failed(check(world(counter(), up_to(9, Add(), Add(2)), violation=too_much)))
    assert finding.sentence == "a state that can be reached is not sound: 3 is too much."
    assert finding.path == (ADD, ADD_TWO)


def test_a_state_with_a_list_is_found_with_the_way_to_it() -> None:
    def listed(state: Count, event: Add) -> Count:
        return Count(Phase.COUNTING, [1])  # type: ignore[arg-type]

    sentence = "a state does not hold tuples and frozen values alone: unhashable type: 'list'"
    for finding, path in (
        (failed(check(world(counter(listed), up_to(9)))), (ADD,)),
        (failed(check(world(counter(), up_to(9), starts=[Count(Phase.COUNTING, [1])]))), ()),  # type: ignore[arg-type]
    ):
        assert (finding.sentence, finding.path) == (sentence, path)


def test_a_start_that_is_not_sound_has_no_way_to_it() -> None:
    finding = failed(check(world(counter(), up_to(9), starts=[Count(Phase.COUNTING, 7)], violation=too_much)))
    assert finding.sentence == "a state that can be reached is not sound: 7 is too much."
    assert finding.path == ()


def test_a_state_in_which_nothing_can_happen_is_found() -> None:
    moves: Moves = lambda state: () if state.number == 2 else (Add(), Stop())  # noqa: E731
    finding = failed(check(world(counter(), moves)))
    assert finding.sentence == "nothing can happen any more, and the match is not over"
    assert finding.path == (ADD, ADD)


def test_a_state_that_can_only_be_given_up_is_stuck_and_is_found_with_the_shortest_way_to_it() -> None:
    moves: Moves = lambda state: (Stop(),) if state.number == 2 else (Add(), Stop())  # noqa: E731
    assert check(world(counter(), moves)).passed
    finding = failed(check(world(counter(), moves, carries_on=lambda event: not isinstance(event, Stop))))
    assert finding.sentence == "the match is stuck: nothing can happen but Stop"
    assert finding.path == (ADD, ADD)


def test_an_event_that_must_be_refused_and_is_accepted_is_found_with_the_shortest_way_to_it() -> None:
    def refused(state: Count) -> Iterable[Event]:
        return [Add()] if state.number == 2 else []

    finding = failed(check(world(counter(), up_to(3), refused=refused)))
    assert finding.sentence == "an event that must be refused is accepted"
    assert finding.path == (ADD, ADD, ADD)


def test_an_event_that_must_be_refused_and_raises_is_found() -> None:
    finding = failed(check(world(counter(crash), up_to(2), refused=lambda state: [Add()] if state.number == 2 else [])))
    line = f"(test_check.py, line {CRASH})"
    assert finding.sentence == f"an event that must be refused raises ZeroDivisionError: two {line}"
    assert finding.path == (ADD, ADD, ADD)


def test_events_that_must_be_refused_are_counted() -> None:
    report = check(world(counter(enough), up_to(2), refused=lambda state: [Add()] if state.number == 2 else []))
    assert Finding(Verdict.PROVED, "each of 2 events that must be refused is refused") in walked(report)


def test_a_state_from_which_there_is_no_way_to_an_end_is_found() -> None:
    def moves(state: Count) -> Iterable[Event]:
        return (Add(), Stop()) if state.number < 2 else (Add(-1),) if state.number == 3 else (Add(),)

    finding = failed(check(world(counter(), moves)))
    assert finding.sentence == "a state was reached from which there is no way to an end"
    assert finding.path == (ADD, ADD)


def test_timers_that_bring_every_state_to_rest_are_proved() -> None:
    report = check(world(counter(), lambda state: (Add(), Waited()) if state.number < 3 else (Waited(),)))
    assert walked(report)[-1] == Finding(Verdict.PROVED, "timers alone bring every state to rest")


def test_timers_that_go_on_for_ever_are_found() -> None:
    def keep(state: Count, event: Waited) -> Count:
        return Count(Phase.COUNTING, state.number % 2 + 1)

    finding = failed(check(world(counter(waiting=keep), lambda state: (Waited(), Stop()))))
    assert finding.sentence == "timers alone can keep the machine going for ever"
    assert finding.path in ((WAIT,), (WAIT, WAIT))


def test_an_essence_that_merges_too_much_is_found() -> None:
    def state_key(state: Count) -> tuple[Phase, int]:
        return state.phase, min(state.number, 2)

    finding = failed(check(world(counter(), up_to(3, Add(), Add(2)), state_key=state_key)))
    assert finding.sentence == "two states with the same key go on differently"
    assert finding.path == (ADD_TWO,)


def test_an_essence_that_merges_states_with_equal_offers_and_different_successors_is_found() -> None:
    def add_by_way(state: Count, event: Add) -> Count:
        return Count(Phase.COUNTING, state.number + (1 if state.way == "short" else 2))

    starts = [Count(Phase.COUNTING, way=way) for way in ("short", "long")]
    merging = world(counter(add_by_way), up_to(3), starts, state_key=lambda state: (state.phase, state.number))
    assert failed(check(merging)).sentence == "two states with the same key go on differently"


def test_the_longest_match_is_the_longest_from_any_start() -> None:
    report = check(world(counter(), up_to(3), starts=[Count(Phase.COUNTING, 3), START]))
    assert walked(report)[-1].sentence == "no match goes on for ever: the longest has 4 events"


def test_a_company_that_no_match_can_be_opened_with_is_found() -> None:
    finding = failed(check(world_of(ecard.game, study, ecard.Options(), players=(PlayerId("ana"),))))
    assert finding.sentence == "no match can be opened"
    assert finding.path == ()


# Too many states

ONE_OR_TWO = up_to(10**9, Add(1), Add(2))


def wide(moves: Moves, **more: Any) -> Report:
    """A world with far more states than the checker is allowed to walk; Stop is offered from 50 on."""

    def offered(state: Count) -> Iterable[Event]:
        return (*moves(state), Stop()) if state.number >= 50 else moves(state)

    return check(world(counter(), offered, **more), most_states=20)


def test_a_walk_that_was_cut_short_says_sampled_and_plays_random_matches() -> None:
    report = wide(ONE_OR_TWO)
    assert report.passed
    assert report.states == 21
    verdicts = [finding.verdict for finding in walked(report)]
    assert verdicts == [Verdict.SAMPLED, Verdict.SAMPLED, Verdict.SAMPLED]
    first, stuck, second = (finding.sentence for finding in walked(report))
    assert first == "21 states were met and are sound; in 19 of them each of 38 offered events is accepted"
    assert stuck == "no state is stuck: each of 19 before an end offers an event that carries on"
    assert second.startswith("200 random matches reached an end, after ")


def test_sampled_matches_are_the_same_every_time() -> None:
    assert wide(ONE_OR_TWO) == wide(ONE_OR_TWO)


@pytest.mark.parametrize(("most_states", "verdict"), [(5, Verdict.PROVED), (4, Verdict.SAMPLED)])
def test_a_world_that_just_fits_is_proved(most_states: int, verdict: Verdict) -> None:
    assert walked(check(world(counter(), up_to(3)), most_states))[0].verdict is verdict


def test_a_sampled_match_that_never_ends_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "LONGEST_MATCH", 300)
    finding = failed(check(world(counter(), up_to(10**9)), most_states=20))
    assert finding.sentence == "a match goes on for more than 300 events"
    assert finding.path == (ADD,) * 100, "the first hundred events are enough to see it"


def test_a_sampled_match_in_which_nothing_can_happen_is_found() -> None:
    finding = failed(wide(lambda state: () if state.number >= 40 else (Add(),)))
    assert finding.sentence == "nothing can happen any more, and the match is not over"
    assert finding.path == (ADD,) * 40


def test_a_sampled_state_that_is_not_sound_is_found() -> None:
    violation = lambda state: "Forty is too much." if state.number == 40 else None  # noqa: E731
    finding = failed(wide(up_to(10**9, Add()), violation=violation))
    assert finding.sentence == "a state that can be reached is not sound: Forty is too much."
    assert finding.path == (ADD,) * 40


def test_an_event_that_is_refused_in_a_sampled_match_is_found() -> None:
    def full(state: Count, event: Add) -> Count | Rejection:
        return Rejection(Code.ENOUGH, "That is enough.") if state.number == 40 else add(state, event)

    finding = failed(check(world(counter(full), up_to(10**9)), most_states=20))
    assert finding.sentence == "an offered event is refused: That is enough."
    assert finding.path == (ADD,) * 41


def test_of_very_many_states_alike_only_a_sample_is_compared() -> None:
    def remember(state: Count, event: Add) -> Count:
        return Count(Phase.COUNTING, state.number + event.much, state.way + str(event.much))

    moves = up_to(30, Add(1), Add(2))
    report = check(world(counter(remember), moves, state_key=lambda state: (state.phase, state.number)), most_states=40)
    alike = [finding.sentence for finding in walked(report) if "alike" in finding.sentence]
    assert alike == ["states that differ only in what is past go on alike (4 pairs tried)"]


# A game's world


def test_the_world_of_a_game_starts_from_a_few_seeds_with_its_smallest_company() -> None:
    around = world_of(ecard.game, study, ecard.Options())
    assert [state.seed for state in around.starts] == ["0", "1", "2", "3", "4", "5", "6", "7"]
    assert {len(state.players) for state in around.starts} == {2}
    assert list(around.moves(around.starts[0])) == [ecard.Start(around.starts[0].seed)]  # type: ignore[arg-type]
    assert around.violation is study.violation
    assert around.state_key is study.state_key


def test_a_game_that_nobody_has_studied_is_walked_as_far_as_that_goes() -> None:
    report = check(world_of(ecard.game, Study(), ecard.Options()), most_states=500)
    assert report.passed
    assert {finding.verdict for finding in walked(report)} == {Verdict.SAMPLED}
