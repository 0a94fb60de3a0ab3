"""A contest and its matches. Match n depends only on the contest and n, so the number of processes changes nothing."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from time import perf_counter
from typing import Any

from turnstile.bots import Bot, random_bot
from turnstile.kernel import Move, PlayerId, Seed
from turnstile.kernel.chance import derive
from turnstile.lab.contests.seatings import Seating
from turnstile.lab.jobs import Crew, run
from turnstile.lab.match import Participant, play_out
from turnstile.lab.own_bots import USUAL_SECONDS, end_match, load_bot
from turnstile.lab.results import ResultLine
from turnstile.registry import find_game, study_of


@dataclass(frozen=True, slots=True)
class Contest:
    """What is played. It has plain values only, so that it can be sent to another process."""

    game: str
    bots: tuple[str, ...]
    options: bytes
    seed: Seed
    deals: int
    seatings: tuple[Seating, ...]
    seconds: float = USUAL_SECONDS
    """How long a program or an agent may think about one decision."""

    @property
    def matches(self) -> int:
        return self.deals * len(self.seatings)

    @property
    def players(self) -> tuple[PlayerId, ...]:
        """The players' ids. They do not say which bot plays: no bot knows its opponents."""
        return tuple(PlayerId(f"player {seat}") for seat in range(1, len(self.seatings[0]) + 1))


@dataclass(slots=True)
class Thinking:
    """How often a bot has decided, and how long it took."""

    decisions: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Played:
    """One match, and how long the bots thought."""

    result: ResultLine
    thinking: tuple[Thinking, ...]
    """By seat. It is measured, not calculated: it differs from run to run."""


def play_contest(contest: Contest, first: int, crew: Crew) -> Generator[list[Played], None, None]:
    """Play the matches from number `first` on. Yields them in order, some at a time. Raises `BotFailed`."""
    yield from run(partial(play_matches, contest), range(first, contest.matches), crew)


def play_matches(contest: Contest, numbers: range) -> list[Played]:
    """Play some of the matches, one after the other."""
    return [play_match(contest, number) for number in numbers]


def play_match(contest: Contest, number: int) -> Played:
    """Play one match. All matches of a deal have the same seed; the bots draw from other seeds in each."""
    game = find_game(contest.game)
    assert game is not None, f"{contest.game} was installed when the contest began"
    deal, seating = divmod(number, len(contest.seatings))
    seats, seed = contest.seatings[seating], derive(contest.seed, "deal", deal)
    bots = [load_bot(game, name, contest.seconds) for name in seats]
    thinking = tuple(Thinking() for _ in seats)
    participants = {
        player: _participant(bot, Random(derive(seed, f"bot of seating {seating}", seat)), thinking[seat])
        for seat, (player, bot) in enumerate(zip(contest.players, bots, strict=True))
    }
    state, events = play_out(game, game.read_options(contest.options), seed, participants)
    end_match(game, state, bots)
    outcome = game.outcome(state)
    assert outcome is not None
    result = ResultLine(
        deal=deal,
        seating=seating,
        seats=seats,
        winners=tuple(seat for seat, player in enumerate(contest.players) if player in outcome.winners),
        scores=tuple(outcome.scores.get(player, 0) for player in contest.players),
        moves=sum(isinstance(event, Move) for event in events),
        facts=dict(study_of(game).tally(state)),
    )
    return Played(result, thinking)


def _participant(bot: Bot[Any], rng: Random, thinking: Thinking) -> Participant:
    """A bot with its own random generator and a clock. A random one needs no view, and no clock."""
    if bot is random_bot:
        return rng

    def choose(view: Any, actions: Sequence[Move]) -> Move:
        began = perf_counter()
        chosen = bot(view, actions, rng)
        thinking.seconds += perf_counter() - began
        thinking.decisions += 1
        return chosen

    return choose
