"""Inspectable machines: what `turnstile step`, `diagram` and `check` need to know about a machine.

`inspectable_of` makes one from a game. The table and the league's machines define their own.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from turnstile.kernel.chance import Seed
from turnstile.kernel.check import World, world_of
from turnstile.kernel.game import AnyGame, AnyStudy
from turnstile.kernel.machine import Machine, Refusal, Rejection, S
from turnstile.kernel.values import PlayerId, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspectable(Generic[S]):
    """One machine, and what is needed to try it out."""

    machine: Machine[S]
    title: str
    options: type[Value]
    """The options of a first state."""
    new: Callable[[Sequence[PlayerId], bytes, Seed | None], S | Rejection]
    """A first state, from the participants, the options as JSON, and the seed."""
    read: Callable[[bytes], S | Rejection]
    """A state from its JSON; refuses one that cannot be reached."""
    worlds: Callable[[], Iterable[World[S]]]
    """The worlds that the checker walks, one after the other."""


AnyInspectable = Inspectable[Any]


def inspectable_of(game: AnyGame, study: AnyStudy) -> AnyInspectable:
    """A game as an inspectable machine: matches with any options, and states without a violation."""

    def new(players: Sequence[PlayerId], options: bytes, seed: Seed | None) -> Any:
        chosen = game.read_options(options)
        return chosen if isinstance(chosen, Rejection) else game.new(players, chosen, seed)

    def read(data: bytes) -> Any:
        state = game.machine.read_state(data)
        fault = None if isinstance(state, Rejection) else study.violation(state)
        return Rejection(Refusal.INVALID_STATE, fault) if fault else state

    return Inspectable(
        machine=game.machine,
        title=game.title,
        options=game.options,
        new=new,
        read=read,
        worlds=lambda: [world_of(game, study, game.options())],
    )
