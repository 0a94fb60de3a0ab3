"""No leak: what a player is shown, offered, told or refused depends only on what that player may know.

Two generators of pairs of worlds, because each finds leaks that the other misses. *Forward pairs* start from a state
and another that its observer cannot tell from it, and let the same happen in both: a view, an action or a refusal
that depends on a secret shows. *Trace pairs* let another player do something else in secret: a message that says what
was done shows. Both stop when the observer may rightly see the difference, which is when the game's own `imagine`, fed
with the two views, no longer gives the same state, or when the match is over and its seed is shown. A trace pair so
believes what `imagine` reads in a view; it takes a forward pair to find a leak there.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from turnstile.kernel import AnyGame, AnyStudy, Event, Machine, Move, PlayerId, Rejection, Seed, Step, encode

SAME_DREAM = Seed("one imagination for both worlds")


class Leak(AssertionError):
    """Two worlds that the observer must not be able to tell apart gave it different things."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Eyes:
    """Somebody who looks at a machine from one side: what it gets to see, to hear and to be answered."""

    name: str
    machine: Machine[Any]
    sight: Callable[[Any], object]
    """All that it can see of a state, and all that it is answered to whatever it may ask there."""
    heard: Callable[[Step[Any]], object]
    """All that a step tells it."""
    asks: Callable[[Event], bool]
    """Whether the answer to an event is one that it reads."""
    is_alike: Callable[[Step[Any], Step[Any]], bool]
    """Whether it may not know which of two steps was taken."""
    there: Callable[[Event, Any], Event] = lambda event, state: event
    """The same event in the other world, whose state is given."""


def eyes_on(game: AnyGame, study: AnyStudy, observer: PlayerId | None) -> Eyes:
    """A player of a game, or with `None` a spectator."""

    def sight(state: Any) -> object:
        return [game.view(state, observer), game.actions(state, observer) if observer is not None else ()]

    return Eyes(
        name=f"{game.name} tells {observer or 'a spectator'}",
        machine=game.machine,
        sight=sight,
        heard=lambda step: step.told(observer) if observer else [],
        asks=lambda event: isinstance(event, Move) and event.player == observer,
        is_alike=lambda one, two: looks_alike(game, study, observer, one.state, two.state),
    )


def looks_alike(game: AnyGame, study: AnyStudy, observer: PlayerId | None, one: Any, two: Any) -> bool:
    """Whether the observer may not know which of these two it is in. After the end everything may be shown."""
    if game.outcome(one) or game.outcome(two):
        return False
    return means_the_same(study, observer, game.view(one, observer), game.view(two, observer))


def means_the_same(study: AnyStudy, observer: PlayerId | None, one: Any, two: Any) -> bool:
    """Whether the observer reads the same in these two views."""
    assert study.imagine is not None
    dreams = [study.imagine(view, observer, SAME_DREAM) for view in (one, two)]
    return bool(dreams[0] == dreams[1])


def forward_pair(
    game: AnyGame,
    study: AnyStudy,
    state: Any,
    observer: PlayerId | None,
    seed: Seed,
    next_event: Callable[[Any], Event],
    length: int,
) -> int:
    """From `state` and from one that looks the same to `observer`, let the same events happen; how many could."""
    assert study.imagine is not None
    other = study.imagine(game.view(state, observer), observer, seed)
    return forward(eyes_on(game, study, observer), state, other, next_event, length)


def forward(eyes: Eyes, state: Any, other: Any, next_event: Callable[[Any], Event], length: int) -> int:
    """From two states that look the same, let the same events happen; how many could."""
    _compare(eyes, eyes.sight(state), eyes.sight(other), "before anything happened")
    for count in range(length):
        event = next_event(state)
        one, two = eyes.machine.step(state, event), eyes.machine.step(other, eyes.there(event, other))
        if isinstance(one, Rejection) or isinstance(two, Rejection):
            if eyes.asks(event):
                _compare(eyes, _answer(one), _answer(two), f"when it tried {event}")
            continue
        if not eyes.is_alike(one, two):
            return count
        _compare(eyes, _seen(eyes, one), _seen(eyes, two), f"after {event}")
        state, other = one.state, two.state
    return length


def trace_pair(
    game: AnyGame,
    study: AnyStudy,
    state: Any,
    observer: PlayerId | None,
    secret: tuple[Event, Event],
    rest: Iterable[Event],
) -> int:
    """From `state` somebody does one thing, or another; then the same things happen; how many steps looked the same."""
    return trace(eyes_on(game, study, observer), state, secret, rest)


def trace(eyes: Eyes, state: Any, secret: tuple[Event, Event], rest: Iterable[Event]) -> int:
    """From `state` one thing happens, or another; then the same things happen; how many steps looked the same."""
    count = 0
    other = state
    for here, there in [secret, *((event, event) for event in rest)]:
        one, two = eyes.machine.step(state, here), eyes.machine.step(other, eyes.there(there, other))
        if isinstance(one, Rejection) or isinstance(two, Rejection):
            return count
        if not eyes.is_alike(one, two):
            return count
        _compare(eyes, _seen(eyes, one), _seen(eyes, two), f"after {here} or {there}")
        state, other = one.state, two.state
        count += 1
    return count


def _seen(eyes: Eyes, step: Step[Any]) -> list[object]:
    """Everything the observer gets out of a step."""
    return [eyes.heard(step), eyes.sight(step.state)]


def _answer(result: Step[Any] | Rejection) -> object:
    return result if isinstance(result, Rejection) else "accepted"


def _compare(eyes: Eyes, one: object, two: object, when: str) -> None:
    first, second = encode(one), encode(two)
    if first != second:
        raise Leak(f"{eyes.name} what it may not know, {when}:\n  {first.decode()}\n  {second.decode()}")
