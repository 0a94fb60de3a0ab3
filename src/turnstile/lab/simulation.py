"""Many matches. Match n depends only on the seed and n, so the number of processes changes nothing."""

from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

from turnstile.kernel import Move, PlayerId, Rejection, Seed
from turnstile.kernel.chance import derive
from turnstile.kernel.record import save, write
from turnstile.lab.jobs import Crew, run
from turnstile.lab.match import Participant, play_out, seated
from turnstile.lab.own_bots import end_match, load_bot, short_name
from turnstile.registry import find_game, study_of


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
        return tuple(PlayerId(f"{short_name(bot)} {seat}") for seat, bot in enumerate(self.bots, start=1))


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


def simulate(plan: Plan, matches: int, crew: Crew) -> Generator[Totals, None, None]:
    """Play the matches. Yields the totals of each chunk, in the order of the matches."""
    yield from run(partial(play_chunk, plan), range(matches), crew)


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
    seed = derive(plan.seed, "match", number)
    bots = [load_bot(game, name) for name in plan.bots]
    participants: dict[PlayerId, Participant] = {
        player: seated(bot, Random(derive(seed, "bot", seat)))
        for seat, (player, bot) in enumerate(zip(plan.players, bots, strict=True))
    }
    state, events = play_out(game, options, seed, participants)
    end_match(game, state, bots)
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
