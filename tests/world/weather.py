"""What goes wrong, and how often: drawn from the seed, each kind of fault absent from many worlds."""

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Weather:
    """Chances of faults for one request each, longest delays in milliseconds, mean seconds between two disasters."""

    lost: float = 0.0
    doubled: float = 0.0
    net_delay: int = 5
    hang_up: float = 0.0
    """That a connection breaks while an update goes over it."""
    busy: float = 0.0
    full: float = 0.0
    unknown: float = 0.0
    store_delay: int = 2
    notice_lost: float = 0.0
    notice_doubled: float = 0.0
    notice_delay: int = 5
    crash_every: float = 0.0
    pause_every: float = 0.0
    jump_every: float = 0.0
    full_every: float = 0.0
    """No room at all, for a while."""


CALM = Weather()


def drawn(rng: Random) -> Weather:
    """The weather of one world."""

    def sometimes(chance: float, worst: float) -> float:
        return rng.random() * worst if rng.random() < chance else 0.0

    return Weather(
        lost=sometimes(0.5, 0.25),
        doubled=sometimes(0.5, 0.3),
        net_delay=rng.choice((1, 5, 20, 100, 400)),
        hang_up=sometimes(0.5, 0.15),
        busy=sometimes(0.4, 0.15),
        full=sometimes(0.2, 0.1),
        unknown=sometimes(0.4, 0.15),
        store_delay=rng.choice((0, 1, 2, 5, 20, 100, 700)),
        notice_lost=rng.choice((0.0, 0.0, 0.5, 1.0)),
        notice_doubled=sometimes(0.3, 0.5),
        notice_delay=rng.choice((0, 5, 100, 800)),
        crash_every=rng.choice((0.0, 0.0, 0.5, 1.0, 2.0, 4.0)),
        pause_every=rng.choice((0.0, 0.0, 0.0, 1.5, 3.0)),
        jump_every=rng.choice((0.0, 0.0, 0.0, 0.0, 0.0, 3.0)),
        full_every=rng.choice((0.0, 0.0, 0.0, 0.0, 3.0)),
    )
