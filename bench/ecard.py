"""E-Card through the kernel, beside the same rules written by hand: what does the kernel cost?

Random matches are recorded once, at fixed seeds; every contestant replays the same events. All of them are accepted.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from random import Random
from typing import cast

from bench import yardstick
from bench.harness import Aim, Contest, Contestant, Run
from turnstile.games import ecard
from turnstile.games.ecard import Options, State
from turnstile.kernel import Event, PlayerId, Rejection, Seed, Step

MATCHES = 30
PLAYERS = (PlayerId("alice"), PlayerId("bob"))

Recorded = tuple[State, tuple[Event, ...]]
Play = Callable[[State, Sequence[Event]], State]


def contest() -> Contest:
    return Contest(
        name="e-card",
        title="E-Card, random matches",
        unit="event",
        units=sum(len(events) for _, events in recorded_matches()),
        baseline="yardstick",
        contestants=(
            _contestant("yardstick", "one function written by hand, without a kernel", by_hand),
            _contestant("apply", "ecard.apply, which gives the next state", through_apply),
            _contestant("step", "ecard.step, which gives the trace and all messages, too", through_step),
        ),
        aims=(Aim(contestant="apply", sentence="apply takes at most 1.6 times the yardstick's time", at_most=1.6),),
    )


# The ways to play


def by_hand(state: State, events: Sequence[Event]) -> State:
    apply = _sure(yardstick.apply)
    for event in events:
        state = apply(state, event)
    return state


def through_apply(state: State, events: Sequence[Event]) -> State:
    apply = _sure(ecard.ecard.apply)
    for event in events:
        state = apply(state, event)
    return state


def through_step(state: State, events: Sequence[Event]) -> State:
    step = cast(Callable[[State, Event], Step[State]], ecard.ecard.step)
    for event in events:
        state = step(state, event).state
    return state


def _sure(apply: Callable[[State, Event], State | Rejection]) -> Callable[[State, Event], State]:
    """A recorded event is never refused, so nobody pays for asking."""
    return cast(Callable[[State, Event], State], apply)


def _contestant(name: str, about: str, play: Play) -> Contestant:
    def trail() -> Iterator[State]:
        for state, events in recorded_matches():
            for event in events:
                state = play(state, [event])
                yield state

    def prepare() -> Run:
        matches = recorded_matches()
        return lambda: [play(lobby, events) for lobby, events in matches]

    return Contestant(name=name, about=about, trail=trail, prepare=prepare)


# The work


@cache
def recorded_matches() -> tuple[Recorded, ...]:
    return tuple(_record(number) for number in range(MATCHES))


def _record(number: int) -> Recorded:
    """A whole match in which both players lay any card they may, in any order."""
    state = lobby = _let_in(ecard.new(PLAYERS, Options(), Seed(f"bench {number}")))
    chance = Random(number)
    events = []
    while ecard.outcome(state) is None:
        event = ecard.dealer(state) or chance.choice([move for who in PLAYERS for move in ecard.actions(state, who)])
        events.append(event)
        state = _let_in(ecard.ecard.apply(state, event))
    return lobby, tuple(events)


def _let_in(answer: State | Rejection) -> State:
    assert not isinstance(answer, Rejection), answer.sentence
    return answer
