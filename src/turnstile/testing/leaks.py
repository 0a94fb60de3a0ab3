"""No leak: what a player is shown, offered, told or refused depends only on what that player may know.

This module takes two worlds that one observer must not be able to tell apart, lets the same things happen in both, and
compares everything that the observer gets. It stops when the observer may rightly see the difference. The study's
`redraw` defines what an observer may know. It never sees a view, so a mistake in a view cannot hide itself. nets.py
chooses which worlds are compared, and how many.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from msgspec import structs

from turnstile.kernel import AnyGame, AnyStudy, Event, Machine, Message, Move, PlayerId, Rejection, Seed, Step, encode
from turnstile.kernel.chance import Commitment
from turnstile.kernel.changes import change_between
from turnstile.testing.draws import drawn_again
from turnstile.testing.strategies import STRANGER

ONE_SEED = Seed("one seed for the hidden parts of both worlds")
SOME_COMMITMENT = Commitment("a commitment")


class Leak(AssertionError):
    """Two worlds that the observer must not be able to tell apart gave it different things."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Eyes:
    """An observer of a machine: what it sees, what it is told, and which answers it gets."""

    name: str
    machine: Machine[Any]
    sight: Callable[[Any], object]
    """Everything that it sees of a state, and every answer that it gets there when it tries a move."""
    heard: Callable[[Any, Step[Any]], object]
    """Everything that a step tells it, and whether it notices the step at all."""
    asks: Callable[[Event], bool]
    """Whether it receives the answer to an event."""
    is_alike: Callable[[Step[Any], Step[Any]], bool]
    """Whether it must not know which of two steps was taken."""


NextEvents = Callable[[Any, Any], tuple[Event, Event] | None]
"""What happens next in two worlds; `None` when nothing can happen in both."""


def eyes_on(game: AnyGame, study: AnyStudy, observer: PlayerId | None, attempts: Sequence[Move] = ()) -> Eyes:
    """A player of a game (`None`: a spectator) who tries all these moves in every state, legal or not."""
    me = observer or STRANGER
    tried = [structs.replace(attempt, player=me) for attempt in attempts]

    def sight(state: Any) -> object:
        offered = () if observer is None else game.actions(state, observer)
        return [game.view(state, observer), offered, [answer_of(game.machine.apply(state, move)) for move in tried]]

    def heard(before: Any, step: Step[Any]) -> object:
        told = [] if observer is None else list(told_with_views(game, step, observer))
        views = [game.view(before, observer), *(view for _, view in told if view), game.view(step.state, observer)]
        changes = [change_between(old, new) for old, new in pairwise(views)]
        return [told, changes, bool(told) or notices(game, before, step.state, observer)]

    return Eyes(
        name=f"{game.name} tells {observer or 'a spectator'}",
        machine=game.machine,
        sight=sight,
        heard=heard,
        asks=lambda event: isinstance(event, Move) and event.player == me,
        is_alike=lambda one, two: looks_alike(game, study, observer, one.state, two.state),
    )


def told_with_views(game: AnyGame, step: Step[Any], player: PlayerId) -> Iterator[tuple[Message, object]]:
    """What a step tells a player; in a gated game each message with the view that goes with it."""
    for messages, state in step.batches_with_states:
        if player in messages:
            yield without_commitments(messages[player]), game.view(state, player) if game.gated else None


def notices(game: AnyGame, before: Any, after: Any, observer: PlayerId | None) -> bool:
    """Whether an observer who is told nothing still gets an update, because its view or actions changed."""
    if game.view(before, observer) != game.view(after, observer):
        return True
    return observer is not None and game.actions(before, observer) != game.actions(after, observer)


def without_commitments(message: Message) -> Message:
    """The message with every commitment replaced: it differs with the hidden seed, but reveals nothing about it."""
    names = [field.name for field in structs.fields(message) if field.type is Commitment]
    return structs.replace(message, **dict.fromkeys(names, SOME_COMMITMENT))


def looks_alike(game: AnyGame, study: AnyStudy, observer: PlayerId | None, one: Any, two: Any) -> bool:
    """Whether the observer must not know which of these two states it is in. After the end everything may be shown."""
    if game.outcome(one) or game.outcome(two):
        return False
    return knows_the_same(study, observer, one, two)


def knows_the_same(study: AnyStudy, observer: PlayerId | None, one: Any, two: Any) -> bool:
    """Whether the observer may know the same in both states: after `redraw` they are equal."""
    assert study.redraw is not None
    return bool(study.redraw(one, observer, ONE_SEED) == study.redraw(two, observer, ONE_SEED))


def forward(eyes: Eyes, one: Any, two: Any, next_events: NextEvents, length: int) -> int:
    """Compare two worlds at the start and after each step. Returns the number of steps into different states."""
    compare(eyes, eyes.sight(one), eyes.sight(two), "before anything happened")
    followed = 0
    for _ in range(length):
        events = next_events(one, two)
        if events is None:
            break
        with drawn_again() as draws:
            here = eyes.machine.step(one, events[0])
        with drawn_again(draws):  # otherwise the next deal would differ, because the seeds do
            there = eyes.machine.step(two, events[1])
        if isinstance(here, Rejection) or isinstance(there, Rejection):
            if eyes.asks(events[0]):
                compare(eyes, answer_of(here), answer_of(there), f"when it tried {events[0]}")
            continue
        if not eyes.is_alike(here, there):
            break
        compare(eyes, received(eyes, one, here), received(eyes, two, there), f"after {events[0]} or {events[1]}")
        one, two = here.state, there.state
        followed += one != two
    return followed


def received(eyes: Eyes, before: Any, step: Step[Any]) -> list[object]:
    """Everything that the observer gets from a step."""
    return [eyes.heard(before, step), eyes.sight(step.state)]


def answer_of(result: object) -> object:
    """The answer to an attempt: the refusal, with its code and its sentence, or that it was accepted."""
    return result if isinstance(result, Rejection) else "accepted"


def compare(eyes: Eyes, one: object, two: object, when: str) -> None:
    first, second = encode(one), encode(two)
    if first != second:
        raise Leak(f"{eyes.name} what it may not know, {when}:\n  {first.decode()}\n  {second.decode()}")
