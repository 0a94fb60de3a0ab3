"""No leak: what a player is shown, offered, told or refused depends only on what that player may know.

Two generators of pairs of worlds, because each finds leaks that the other misses. *Forward pairs* start from a state
and another that its observer cannot tell from it, and let the same happen in both: a view, an action or a refusal
that depends on a secret shows. *Trace pairs* let another player do something else in secret: a message that says what
was done shows. Both stop when the observer may rightly see the difference, which is when the game's own `imagine`, fed
with the two views, no longer gives the same state, or when the match is over and its seed is shown. A trace pair so
believes what `imagine` reads in a view; it takes a forward pair to find a leak there.
"""

from collections.abc import Callable, Iterable
from typing import Any

from turnstile.kernel import AnyGame, AnyStudy, Event, Move, PlayerId, Rejection, Seed, Step, encode

SAME_DREAM = Seed("one imagination for both worlds")


class Leak(AssertionError):
    """Two worlds that the observer must not be able to tell apart gave it different things."""


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
    _compare(game, observer, _sight(game, state, observer), _sight(game, other, observer), "before anything happened")
    for count in range(length):
        event = next_event(state)
        one, two = game.machine.step(state, event), game.machine.step(other, event)
        if isinstance(one, Rejection) or isinstance(two, Rejection):
            if isinstance(event, Move) and event.player == observer:
                _compare(game, observer, _answer(one), _answer(two), f"when it tried {event}")
            continue
        if not _alike(game, study, observer, one.state, two.state):
            return count
        _compare(game, observer, _seen(game, one, observer), _seen(game, two, observer), f"after {event}")
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
    count = 0
    pairs = [secret, *((event, event) for event in rest)]
    other = state
    for here, there in pairs:
        one, two = game.machine.step(state, here), game.machine.step(other, there)
        if isinstance(one, Rejection) or isinstance(two, Rejection):
            return count
        if not _alike(game, study, observer, one.state, two.state):
            return count
        _compare(game, observer, _seen(game, one, observer), _seen(game, two, observer), f"after {here} or {there}")
        state, other = one.state, two.state
        count += 1
    return count


def _alike(game: AnyGame, study: AnyStudy, observer: PlayerId | None, one: Any, two: Any) -> bool:
    """Whether the observer may not know which of these two it is in. After the end everything may be shown."""
    assert study.imagine is not None
    if game.outcome(one) or game.outcome(two):
        return False
    dreams = [study.imagine(game.view(state, observer), observer, SAME_DREAM) for state in (one, two)]
    return bool(dreams[0] == dreams[1])


def _sight(game: AnyGame, state: Any, observer: PlayerId | None) -> list[object]:
    return [game.view(state, observer), game.actions(state, observer) if observer is not None else ()]


def _seen(game: AnyGame, step: Step[Any], observer: PlayerId | None) -> list[object]:
    """Everything the observer gets out of a step: its messages, batch by batch, its view and its actions."""
    return [step.told(observer) if observer else [], *_sight(game, step.state, observer)]


def _answer(result: Step[Any] | Rejection) -> object:
    return result if isinstance(result, Rejection) else "accepted"


def _compare(game: AnyGame, observer: PlayerId | None, one: object, two: object, when: str) -> None:
    first, second = encode(one), encode(two)
    if first != second:
        who = observer or "a spectator"
        raise Leak(f"{game.name} tells {who} what it may not know, {when}:\n  {first.decode()}\n  {second.decode()}")
