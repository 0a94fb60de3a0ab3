"""What a world consists of, drawn from its seed: processes, tables, who sits there and how they behave."""

from dataclasses import dataclass
from random import Random

from msgspec import Raw

from turnstile.kernel.values import Instant, LogId, PlayerId
from turnstile.registry import find_game
from turnstile.table.values import Clock, Header, Per, RunOut, Settings

EPOCH = 1_700_000_000_000
NAMES = ("ann", "bob", "cid")
OPTIONS = {"e-card": b"{}", "66": b"{}", "even-odd": b'{"draws":3}', "up-down": b'{"maxRoundSize":1}'}


@dataclass(frozen=True)
class Manners:
    """How somebody plays. The default is honest; chances are for each occasion, times in milliseconds."""

    acks: int | None = None
    """How many updates it acknowledges at most; `None`: all of them."""
    ack_delay: int = 10
    think: int = 40
    brink: float = 0.0
    """That it thinks until its clock runs out, to the millisecond."""
    replays: float = 0.0
    spoofs: float = 0.0
    moves_house: float = 0.0
    """That it connects anew after an update, with the old connection open or not."""
    gone_after: float | None = None
    """Seconds after which nobody hears of it again."""
    resigns: float = 0.0
    is_careless: bool = False
    """Whether it moves without saying what it had seen, so that nothing but the id keeps a repeated move apart."""
    words: str = ""


@dataclass(frozen=True)
class TablePlan:
    header: Header
    people: tuple[PlayerId, ...]
    bots: tuple[PlayerId, ...]
    manners: dict[PlayerId, Manners]
    spectators: int
    enough: int
    """Moves after which a player gives up, so that no world takes too long."""
    is_rematched: bool

    @property
    def name(self) -> LogId:
        return self.header.table


@dataclass(frozen=True)
class Plan:
    processes: int
    tables: tuple[TablePlan, ...]
    storm: float
    """Seconds for which things go wrong."""
    is_shuffled: bool
    snapshot_every: int
    recent: int


def drawn(rng: Random) -> Plan:
    tables = tuple(_table(rng, number) for number in range(rng.choice((1, 1, 1, 1, 1, 2, 2, 3))))
    return Plan(
        processes=rng.choice((1, 1, 2, 2, 3)),
        tables=tables,
        storm=rng.choice((2.0, 4.0, 6.0, 9.0)),
        is_shuffled=rng.random() < 0.7,
        snapshot_every=rng.choice((1, 3, 8, 64)),
        recent=rng.choice((1, 2, 64)),
    )


def _table(rng: Random, number: int) -> TablePlan:
    name = rng.choice(("e-card", "even-odd", "even-odd", "up-down", "up-down", "66", "66"))
    game = find_game(name)
    assert game is not None
    count = rng.choice([seats for seats in (2, 2, 3) if seats in game.seats])
    bots = rng.choice((0, 0, 0, 1, 1, count - 1))
    everyone = tuple(PlayerId(player) for player in NAMES[:count])
    people = everyone[: count - bots]
    clock = _clock(rng)
    header = Header(
        table=LogId(f"t{number}"),
        game=name,
        game_version=game.version,
        options=Raw(OPTIONS[name]),
        admin=people[0],
        at=Instant(EPOCH),
        settings=Settings(
            clock=clock,
            ack_seconds=rng.choice((0.3, 1.0, 3.0)),
            spectators=rng.random() < 0.9,
            delay=rng.choice((0, 0, 1, 4)),
        ),
    )
    can_go = clock is not None and clock.run_out is not RunOut.WAIT
    manners = {player: _manners(rng, can_go=can_go) for player in people}
    return TablePlan(
        header=header,
        people=people,
        bots=everyone[count - bots :],
        manners=manners,
        spectators=rng.choice((0, 0, 1)),
        enough=rng.choice((3, 6, 12)),
        is_rematched=rng.random() < 0.25 and all(player.gone_after is None for player in manners.values()),
    )


def _clock(rng: Random) -> Clock | None:
    if rng.random() < 0.3:
        return None
    return Clock(rng.choice((0.2, 0.5, 1.0, 2.0)), rng.choice(list(Per)), rng.choice(list(RunOut)))


def _manners(rng: Random, *, can_go: bool) -> Manners:
    def sometimes(chance: float, worst: float) -> float:
        return rng.random() * worst if rng.random() < chance else 0.0

    return Manners(
        acks=rng.choice((None, None, None, None, 0, 3)),
        ack_delay=rng.choice((0, 10, 10, 200, 1500)),
        think=rng.choice((0, 10, 40, 200, 600)),
        brink=sometimes(0.3, 0.8),
        replays=sometimes(0.3, 0.5),
        spoofs=sometimes(0.3, 0.6),
        moves_house=sometimes(0.3, 0.4),
        gone_after=rng.random() * 5 if can_go and rng.random() < 0.2 else None,
        resigns=sometimes(0.2, 0.1),
        is_careless=rng.random() < 0.2,
        words=rng.choice(("", "", "open sesame", "x" * 200)),
    )
