"""What a simulated league is like: who takes part, and what may go wrong until the storm is over."""

from dataclasses import dataclass
from random import Random

HABITS = ("silent", "declines", "rubbish", "twice", "wanders", "slow", "mute at the end")
"""What players do that do not keep to the rules."""


@dataclass(frozen=True)
class Weather:
    """Chances are for each envelope; times are in milliseconds."""

    name: str
    storm: int = 0
    lost: float = 0.0
    doubled: float = 0.0
    refused: float = 0.0
    delay: int = 0
    belated: float = 0.0
    """That what was announced before comes once more, after what has replaced it."""
    crash: float = 0.0
    """That whoever sends an envelope dies then."""
    downtime: int = 0
    gone: int = 0
    """When one referee of several dies for good; 0 is never."""
    untold: bool = False
    """It dies for good when it has told its players a result, and nobody else."""
    away_and_back: bool = False
    """A referee dies when it has called its players, and so does the next that has the match; then the first is back.

    Either may have called them to choose, or told them a result.
    """

    @property
    def is_perfect(self) -> bool:
        return self == Weather(self.name, storm=self.storm)

    @property
    def is_fair(self) -> bool:
        """Whether everybody who answers at once is heard in time."""
        return not (self.lost or self.refused or self.crash) and self.delay <= MODERATE


MODERATE = 1_000


@dataclass(frozen=True)
class Plan:
    players: int
    referees: int
    at_a_time: int
    habits: tuple[str | None, ...]
    """One for each player; `None` keeps to the rules."""
    weather: Weather


def drawn(rng: Random) -> Plan:
    players = rng.choice((2, 3, 4, 4, 5, 6))
    referees = rng.choice((1, 1, 2, 3))
    is_rogue = rng.choice((0.0, 0.0, 0.3))
    habits = tuple(rng.choice(HABITS) if rng.random() < is_rogue else None for _ in range(players))
    return Plan(players, referees, rng.choice((1, 2, 4)), habits, _weather(rng, referees))


def _weather(rng: Random, referees: int) -> Weather:
    storm = rng.choice((2_000, 20_000, 100_000, 400_000))
    kinds = ("perfect", "slow", "lossy", "deadly", "all of it", "all of it")
    match rng.choice(kinds if referees == 1 else (*kinds, "bereft")):
        case "perfect":
            return Weather("perfect", storm)
        case "slow":
            return Weather("slow", storm, delay=rng.choice((5, 300, MODERATE)), doubled=rng.choice((0.0, 0.2)))
        case "lossy":
            return Weather("lossy", storm, lost=rng.choice((0.02, 0.2, 0.5)), refused=rng.choice((0.0, 0.2)), delay=50)
        case "deadly":
            return Weather("deadly", storm, crash=rng.choice((0.005, 0.03, 0.1)), downtime=_downtime(rng))
        case "bereft":
            gone, belated, untold = rng.randrange(1, 4_000), rng.choice((0.0, 1.0)), rng.random() < 0.5
            if rng.random() < 0.4:
                return Weather("away and back", storm, delay=300, belated=belated, away_and_back=True)
            return Weather("bereft", storm, delay=300, gone=0 if untold else gone, belated=belated, untold=untold)
        case _:
            return Weather(
                "all of it",
                storm,
                lost=rng.choice((0.01, 0.1, 0.3)),
                doubled=rng.choice((0.0, 0.1, 0.3)),
                refused=rng.choice((0.0, 0.1)),
                delay=rng.choice((0, 100, 7_000, 40_000)),
                crash=rng.choice((0.0, 0.01, 0.05)),
                downtime=_downtime(rng),
                gone=rng.choice((0, 1_000, 30_000)) if referees > 1 else 0,
            )


def _downtime(rng: Random) -> int:
    return rng.choice((10, 1_500, 12_000, 60_000))
