"""Checks that the view with a batch shows nothing that a later batch of the same step tells.

A fact that a later batch tells a player is *news* if it could have been different, given everything that the player saw
before the step and was told in it so far. It must still be news when the player sees the earlier batch: from some state
that looks the same to the player at that moment, the step must go on to tell a different fact. And all states that look
the same to the player at that moment must give it the same view.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from turnstile.kernel import (
    AnyGame,
    AnyStudy,
    Event,
    Machine,
    Message,
    Next,
    PlayerId,
    Rejection,
    Seed,
    Tell,
    Transition,
    encode,
)
from turnstile.kernel.changes import change_between
from turnstile.testing.leaks import Leak

MOST_WORLDS = 300
MOST_LOOKALIKES = 50

Facts = Mapping[str, object]
"""Every single value in some messages, by its place in them."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a step: the state that players see, what one player is told with it, and how the step goes on."""

    row: Transition
    state: Any
    then: Any
    messages: Sequence[Message]

    def goes_on_from(self, machine: Machine[Any], state: Any, player: PlayerId) -> list[Message]:
        """What the player would be told afterwards, if `state` were shown with this part."""
        way: list[Any] = []
        machine.run(self.row, Next(state, then=self.then), way)
        return [message for row, _, result in way for message in _told_by(row, result, player)]


def news_of_later_batches(game: AnyGame, study: AnyStudy, state: Any, event: Event, player: PlayerId) -> int:
    """Check one step for one player. Returns how many facts of later batches were news. Raises `Leak` on a fault."""
    parts = _parts(game, state, event, player)
    told = [(part, message) for part in parts for message in part.messages]
    count = 0
    for number, (part, _) in enumerate(told[:-1], start=1):
        messages = [message for _, message in told]
        news = _news(game, study, state, event, player, messages[:number], _facts(messages[number:]))
        with_this_part = [message for other, message in told[number:] if other is part]
        given_away = _given_away(game, study, state, part, player, with_this_part, news)
        if given_away:
            earlier, later = encode(messages[number - 1]).decode(), encode(messages[number:]).decode()
            facts = ", ".join(sorted(given_away))
            raise Leak(f"With {earlier} {game.name} shows {player} what a later batch tells: {facts} of {later}.")
        count += len(news)
    return count


def has_later_batches(game: AnyGame, state: Any, event: Event, player: PlayerId) -> bool:
    """Whether this step tells the player something, and something more in a later batch."""
    return sum(len(part.messages) for part in _parts(game, state, event, player)) > 1


def _parts(game: AnyGame, state: Any, event: Event, player: PlayerId) -> list[Part]:
    """The parts of a step; none of one that is refused."""
    way: list[Any] = []
    if isinstance(game.machine.apply(state, event, way), Rejection):
        return []
    return [Part(row, shown, getattr(said, "then", None), _told_by(row, said, player)) for row, shown, said in way]


def _told_by(row: Transition, said: Any, player: PlayerId) -> list[Message]:
    batches = [batch for effect in row.effects_of(said) if isinstance(effect, Tell) for batch in effect.batches]
    return [batch[player] for batch in batches if player in batch]


def _news(
    game: AnyGame,
    study: AnyStudy,
    state: Any,
    event: Event,
    player: PlayerId,
    heard: Sequence[Message],
    later: Facts,
) -> Facts:
    """The later facts that differ in some world in which the player has seen and been told the same."""
    known = dict(later)
    for world in _lookalikes(study, state, player, MOST_WORLDS):
        messages = [message for part in _parts(game, world, event, player) for message in part.messages]
        if messages[: len(heard)] == heard:
            known = _unchanged(known, _facts(messages[len(heard) :]))
        if not known:
            break
    return {place: fact for place, fact in later.items() if place not in known}


def _given_away(
    game: AnyGame,
    study: AnyStudy,
    before: Any,
    part: Part,
    player: PlayerId,
    with_this_part: list[Message],
    news: Facts,
) -> Facts:
    """The news that is the same in all states that look like the one the player sees."""
    known, seen = dict(news), _sight(game, before, part.state, player)
    for other in _lookalikes(study, part.state, player, MOST_LOOKALIKES if news else 0):
        if (looks := _sight(game, before, other, player)) != seen:
            raise Leak(f"{game.name} shows {player} what it may not know:\n  {seen.decode()}\n  {looks.decode()}")
        known = _unchanged(known, _facts([*with_this_part, *part.goes_on_from(game.machine, other, player)]))
    return known


def _sight(game: AnyGame, before: Any, state: Any, player: PlayerId) -> bytes:
    """What the player sees of a state, and what has changed since the state before the step."""
    view = game.view(state, player)
    return encode([view, change_between(game.view(before, player), view)])


def _lookalikes(study: AnyStudy, state: Any, player: PlayerId, count: int) -> Iterator[Any]:
    """States that the player must not be able to tell from this one."""
    assert study.redraw is not None
    return (study.redraw(state, player, Seed(f"world {number}")) for number in range(count))


def _unchanged(facts: Facts, others: Facts) -> dict[str, object]:
    return {place: fact for place, fact in facts.items() if others.get(place) == fact}


def _facts(messages: Sequence[Message]) -> Facts:
    return dict(_leaves("", msgspec.to_builtins(messages)))


def _leaves(place: str, value: Any) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict | list | tuple):
        yield f"{place}.size", len(value)
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(f"{place}.{key}", item)
    else:
        yield place, value
