"""Many matches. Match n depends only on the seed and n, so the number of processes changes nothing."""

from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from turnstile.kernel import AnyGame, Event, Move, Outcome, PlayerId, Players, Rejection, Seed
from turnstile.kernel.chance import derive
from turnstile.kernel.record import save, write
from turnstile.lab.collectors import Output, collector_of
from turnstile.lab.jobs import LARGEST_CHUNK, Crew, run
from turnstile.lab.match import Participant, play_out, seated
from turnstile.lab.own_bots import end_match, load_bot, short_name
from turnstile.registry import find_game, study_of

LARGEST_CHUNK_OF_DECISIONS = 10  # fewer, because the decisions of all of them are in memory


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
    output: Output | None = None
    """What the totals of a chunk bring along for the output file."""

    @property
    def players(self) -> tuple[PlayerId, ...]:
        return tuple(PlayerId(f"{short_name(bot)} {seat}") for seat, bot in enumerate(self.bots, start=1))


@dataclass(frozen=True, slots=True)
class SimulatedMatch:
    """A match of a plan that is over."""

    number: int
    """From 1."""
    game: AnyGame
    options: Any
    seed: Seed
    players: Players
    bots: tuple[str, ...]
    state: Any
    events: list[Event]
    outcome: Outcome
    moves: int

    @property
    def winning_seats(self) -> tuple[int, ...]:
        """From 0."""
        return tuple(seat for seat, player in enumerate(self.players) if player in self.outcome.winners)


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
    output: bytes = b""
    """What the output file gets of these matches. It is not added up."""

    def count(self, match: SimulatedMatch) -> None:
        outcome = match.outcome
        self.matches += 1
        if len(outcome.winners) == 1:
            self.wins[outcome.winners[0]] += 1
        else:
            self.shared += 1
        self.points.update(outcome.scores)
        self.lengths[match.moves] += 1
        for fact, (times, chances) in study_of(match.game).tally(match.state).items():
            self.happened[fact] += times
            self.chances[fact] += chances

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


def simulate(plan: Plan, matches: int, crew: Crew) -> Generator[Totals, None, None]:
    """Play the matches. Yields the totals of each chunk, in the order of the matches."""
    largest = LARGEST_CHUNK if plan.output in (None, Output.RESULTS) else LARGEST_CHUNK_OF_DECISIONS
    yield from run(partial(play_chunk, plan), range(matches), crew, largest)


def play_chunk(plan: Plan, numbers: range) -> Totals:
    """Play some of the matches, one after the other."""
    totals, collector = Totals(), None if plan.output is None else collector_of(plan.output)
    for number in numbers:
        match = play_one(plan, number)
        totals.count(match)
        if collector is not None:
            collector.add(match)
        if plan.records is not None:
            write_record(match, plan.records)
    totals.output = b"" if collector is None else collector.finish()
    return totals


def play_one(plan: Plan, index: int) -> SimulatedMatch:
    """Play the match at `index` of a plan."""
    game = find_game(plan.game)
    assert game is not None, f"{plan.game} was installed when the simulation began"
    options = game.read_options(plan.options)
    seed = derive(plan.seed, "match", index)
    bots = [load_bot(game, name) for name in plan.bots]
    participants: dict[PlayerId, Participant] = {
        player: seated(bot, Random(derive(seed, "bot", seat)))
        for seat, (player, bot) in enumerate(zip(plan.players, bots, strict=True))
    }
    state, events = play_out(game, options, seed, participants)
    end_match(game, state, bots)
    outcome = game.outcome(state)
    assert outcome is not None
    moves = sum(isinstance(event, Move) for event in events)
    return SimulatedMatch(index + 1, game, options, seed, plan.players, plan.bots, state, events, outcome, moves)


def write_record(match: SimulatedMatch, folder: Path) -> None:
    record = write(match.game, match.players, match.options, match.seed, match.events)
    assert not isinstance(record, Rejection)
    (folder / f"{match.game.name}-{match.number:06}.jsonl").write_bytes(save(record))
