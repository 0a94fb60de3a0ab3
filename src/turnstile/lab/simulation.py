"""Many matches on all cores. Match n depends only on the seed and n, so the number of processes changes nothing."""

import signal
from collections import Counter
from collections.abc import Generator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from random import Random
from threading import current_thread, main_thread

from turnstile.bots import bots_of
from turnstile.kernel import Move, PlayerId, Rejection, Seed
from turnstile.kernel.chance import derive
from turnstile.kernel.record import save, write
from turnstile.lab.match import Participant, play_out, seated
from turnstile.registry import find_game, study_of

LARGEST_CHUNK = 50  # matches a worker plays before it reports: often enough for a smooth progress bar


@dataclass(frozen=True, slots=True)
class Plan:
    """What to simulate. It has plain values only, so that it can be sent to another process."""

    game: str
    bots: tuple[str, ...]
    """The name of the bot on each seat."""
    options: bytes
    seed: Seed
    records: Path | None = None
    """The folder that gets a record of every match."""

    @property
    def players(self) -> tuple[PlayerId, ...]:
        return tuple(PlayerId(f"{bot} {seat}") for seat, bot in enumerate(self.bots, start=1))


@dataclass(slots=True)
class Totals:
    """What was counted. Totals can be added up."""

    matches: int = 0
    wins: Counter[str] = field(default_factory=Counter)
    shared: int = 0
    points: Counter[str] = field(default_factory=Counter)
    happened: Counter[str] = field(default_factory=Counter)
    chances: Counter[str] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)

    def add(self, other: "Totals") -> None:
        self.matches += other.matches
        self.shared += other.shared
        for mine, theirs in (
            (self.wins, other.wins),
            (self.points, other.points),
            (self.happened, other.happened),
            (self.chances, other.chances),
        ):
            mine.update(theirs)
        self.lengths.update(other.lengths)


def simulate(plan: Plan, matches: int, processes: int) -> Generator[Totals, None, None]:
    """Play the matches. Yields the totals of each chunk when it is done, in any order."""
    size = max(1, min(LARGEST_CHUNK, matches // (4 * processes)))  # every process has work, and the bar moves
    chunks = (range(first, min(first + size, matches)) for first in range(0, matches, size))
    if processes == 1 or matches == 1:
        yield from (play_chunk(plan, chunk) for chunk in chunks)
        return
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        playing: set[Future[Totals]] = set()
        try:
            while more := {_submitted(pool, plan, chunk) for chunk in islice(chunks, 2 * processes - len(playing))}:
                done, playing = wait(playing | more, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
            yield from (future.result() for future in playing)
        finally:  # a caller that stops listening stops the matches, too
            pool.shutdown(cancel_futures=True)


def _submitted(pool: ProcessPoolExecutor, plan: Plan, chunk: range) -> Future[Totals]:
    """Submit a chunk. A process that this starts inherits that Ctrl-C is ignored: this process stops it."""
    if current_thread() is not main_thread():  # only the main thread may set signal handlers
        return pool.submit(play_chunk, plan, chunk)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return pool.submit(play_chunk, plan, chunk)
    finally:
        signal.signal(signal.SIGINT, before)


def play_chunk(plan: Plan, numbers: range) -> Totals:
    """Play some of the matches, one after the other."""
    totals = Totals()
    for number in numbers:
        play_one(plan, number, totals)
    return totals


def play_one(plan: Plan, number: int, totals: Totals) -> None:
    """Play match `number` of a plan, and add it to `totals`."""
    game = find_game(plan.game)
    assert game is not None, f"{plan.game} was installed when the simulation began"
    options = game.read_options(plan.options)
    bots, seed = bots_of(game), derive(plan.seed, "match", number)
    participants: dict[PlayerId, Participant] = {
        player: seated(bots[name], Random(derive(seed, "bot", seat)))
        for seat, (player, name) in enumerate(zip(plan.players, plan.bots, strict=True))
    }
    state, events = play_out(game, options, seed, participants)
    outcome = game.outcome(state)
    assert outcome is not None
    totals.matches += 1
    if len(outcome.winners) == 1:
        totals.wins[outcome.winners[0]] += 1
    else:
        totals.shared += 1
    totals.points.update(outcome.scores)
    totals.lengths[sum(isinstance(event, Move) for event in events)] += 1
    for fact, (times, chances) in study_of(game).tally(state).items():
        totals.happened[fact] += times
        totals.chances[fact] += chances
    if plan.records is not None:
        record = write(game, plan.players, options, seed, events)
        assert not isinstance(record, Rejection)
        (plan.records / f"{plan.game}-{number + 1:06}.jsonl").write_bytes(save(record))
