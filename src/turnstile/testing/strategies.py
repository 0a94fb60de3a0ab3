"""Hypothesis strategies for any game: its events, legal or not, and its matches."""

from collections.abc import Mapping
from enum import Enum
from random import Random
from types import NoneType, UnionType
from typing import Annotated, Any, NewType, Union, get_args, get_origin

import msgspec
from hypothesis import strategies as st

from turnstile.kernel import AnyGame, ByPlayer, Event, Move, PlayerId, Players, Rejection, Seed
from turnstile.kernel.chance import mix

STRANGER = PlayerId("a stranger")
NAMES = tuple(PlayerId(name) for name in ("ana", "bo", "cy", "di", "eve", "flo", "gus", "hal", "ivy", "jo"))


def events(game: AnyGame, players: Players) -> st.SearchStrategy[Event]:
    """Any event of the machine, by any player, with any values that its types allow."""
    return st.one_of([values(kind, players) for kind in game.machine.events])


def moves(game: AnyGame, players: Players) -> st.SearchStrategy[Move]:
    """Any move, by any player."""
    return st.one_of([values(kind, players) for kind in game.machine.events if issubclass(kind, Move)])


def values(kind: Any, players: Players) -> st.SearchStrategy[Any]:
    """Any value of a type that an event may contain."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return values(arguments[0], players).filter(lambda value: _is_within_bounds(value, kind))
    if kind is PlayerId:
        return st.sampled_from([*players, STRANGER])
    if isinstance(kind, NewType):
        return values(kind.__supertype__, players)
    if origin in (Union, UnionType):
        return st.one_of([values(option, players) for option in arguments])
    if origin is tuple and arguments[-1] is Ellipsis:
        return st.lists(values(arguments[0], players), max_size=5).map(tuple)
    if origin is ByPlayer:
        return st.dictionaries(st.sampled_from(players), values(arguments[0], players)).map(ByPlayer)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        fields = {field.name: values(field.type, players) for field in msgspec.structs.fields(kind)}
        return st.builds(kind, **fields)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return st.sampled_from(list(kind))
    plain: dict[Any, st.SearchStrategy[Any]] = {
        int: st.integers(-2, 60),
        bool: st.booleans(),
        str: st.text(min_size=1, max_size=8),
        NoneType: st.none(),
        msgspec.UnsetType: st.just(msgspec.UNSET),
        msgspec.Raw: st.sampled_from([b"null", b"7", b'{"type":"Start"}', b"[ 1e999 ]"]).map(msgspec.Raw),
    }
    if kind not in plain:
        raise TypeError(f"There is no strategy for {kind} in an event yet; add one here.")
    return plain[kind]


def _is_within_bounds(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


@st.composite
def matches(draw: st.DrawFn, game: AnyGame, longest: int = 200, seats: range | None = None) -> "RandomMatch":
    """A match in progress: some players, some seed, some moves, each drawn from the offered ones."""
    few, many = (seats or game.seats)[0], (seats or game.seats)[-1]
    players = NAMES[: draw(st.integers(few, min(many, len(NAMES))), label="how many players")]
    seed = Seed(str(draw(st.integers(0, 2**32), label="seed")))
    entropy = draw(st.dictionaries(st.sampled_from(players), st.text(max_size=5), max_size=2), label="players' words")
    moves = draw(st.integers(0, longest), label="moves")
    return RandomMatch(game, players, seed, moves, Random(draw(st.integers(0, 2**32), label="choices")), entropy)


@st.composite
def unfinished_matches(draw: st.DrawFn, game: AnyGame) -> "RandomMatch":
    """A match that was stopped anywhere: a short match would be over in almost all that `matches` draws."""
    match: RandomMatch = draw(matches(game))
    count = len(match.events)
    match.cut(draw(st.one_of(st.integers(0, count), st.just(count)), label="events"))
    return match


class RandomMatch:
    """A match of random moves: `events[i]` happened in `states[i]`."""

    def __init__(
        self,
        game: AnyGame,
        players: Players,
        seed: Seed,
        moves: int,
        choices: Random,
        entropy: Mapping[PlayerId, str],
    ) -> None:
        self.game, self.players, self.seed, self.entropy = game, players, seed, entropy
        self.options = game.options()
        self.events: list[Event] = []
        start = game.new(players, self.options, mix(seed, entropy))
        assert not isinstance(start, Rejection), start.sentence
        self.states: list[Any] = [start]
        while len(self.events) < moves and (offered := game.offered(self.state)):
            event = choices.choice(offered)
            after = game.machine.apply(self.state, event)
            assert not isinstance(after, Rejection), f"{event} was offered and is refused: {after.sentence}"
            self.events.append(event)
            self.states.append(after)

    @property
    def state(self) -> Any:
        return self.states[-1]

    def cut(self, count: int) -> None:
        """Forget all events but the first `count`."""
        del self.events[count:], self.states[count + 1 :]

    def __repr__(self) -> str:
        return f"Match({self.game.name}, {', '.join(self.players)}, seed {self.seed}, {self.events})"


def any_event(game: AnyGame, match: RandomMatch) -> st.SearchStrategy[Event]:
    """Any event of the machine, and often one that is offered: few others are accepted."""
    offered = game.offered(match.state)
    either = events(game, match.players)
    return st.one_of(either, st.sampled_from(offered)) if offered else either
