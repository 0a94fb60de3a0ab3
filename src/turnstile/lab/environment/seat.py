"""One seat of a match against bots: the bots move by themselves until it is the seat's turn, or the match is over."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from turnstile.bots import Bot, bots_of
from turnstile.kernel import AnyGame, PlayerId, Seed
from turnstile.kernel.chance import derive, draw
from turnstile.lab.environment.episode import Episode
from turnstile.lab.environment.rewards import ILLEGAL_REWARD
from turnstile.lab.environment.task import InvalidTask, Task, make_task
from turnstile.lab.own_bots.answers import read_action

if TYPE_CHECKING:
    from turnstile.lab.encoding.actions import Mask
    from turnstile.lab.encoding.layout import Tensor

MOST_DEALS = 1000  # to find a match in which the seat moves at all


@dataclass(frozen=True, slots=True)
class SeatTask:
    """A task, which seat learns, and who sits on the others."""

    task: Task
    seat: int | None
    """`None`: drawn anew for every match."""
    opponents: tuple[Bot[Any], ...]
    """One bot for all other seats, or one for each of them, in the order of the seats from the learner on."""

    def opponent(self, steps: int) -> Bot[Any]:
        """The bot that sits so many seats after the learner, from 1."""
        return self.opponents[(steps - 1) % len(self.opponents)]


def make_seat_task(
    game: str | AnyGame,
    *,
    seat: int | None = 0,
    opponents: str | Bot[Any] | list[str | Bot[Any]] | tuple[str | Bot[Any], ...] = "random",
    **arguments: Any,
) -> SeatTask:
    """A seat with these opponents, the names of bots or bots. The rest as in `make_task`. Raises `InvalidTask`."""
    task = make_task(game, **arguments)
    count = len(task.players)
    if seat is not None and seat not in range(count):
        raise InvalidTask(f"There are seats 0 to {count - 1}, not {seat}.")
    named = tuple(opponents) if isinstance(opponents, list | tuple) else (opponents,)
    if len(named) not in (1, count - 1):
        raise InvalidTask(f"Name one opponent for all seats or {count - 1}, one for each, not {len(named)}.")
    return SeatTask(task, seat, tuple(_find_bot(task.game, each) for each in named))


def _find_bot(game: AnyGame, bot: str | Bot[Any]) -> Bot[Any]:
    if not isinstance(bot, str):
        return _read_answers(bot)
    known: Mapping[str, Bot[Any]] = bots_of(game)
    if bot not in known:
        raise InvalidTask(f"{game.name} has no bot {bot!r}. Its bots: {', '.join(known)}.")
    return known[bot]


def _read_answers(bot: Bot[Any]) -> Bot[Any]:
    """A user's own bot. As in an arena it may answer with the number of an action, and `BotFailed` names others."""
    if not callable(bot):
        raise InvalidTask(f"An opponent is the name of a bot or a function, not {bot!r}.")
    name = getattr(bot, "__name__", type(bot).__name__)
    return lambda view, actions, rng: read_action(name, bot(view, actions, rng), actions)


class SeatMatch:
    """A match that rests only when the learner can move, or at its end."""

    def __init__(self, seat_task: SeatTask, seed: Seed) -> None:
        """A match from this seed. Matches that are over before the learner's first move are dealt again."""
        self.task = seat_task.task
        self.was_illegal = False
        for attempt in range(MOST_DEALS):
            self._deal(seat_task, seed if attempt == 0 else derive(seed, "another deal", attempt))
            if not self.episode.is_over:
                return
        raise InvalidTask(f"In {MOST_DEALS} matches of {self.task.game.name}, the learner could never move.")

    def _deal(self, seat_task: SeatTask, seed: Seed) -> None:
        players = self.task.players
        drawn = draw(seed, "seat of the learner", 0, len(players))
        self.seat = drawn if seat_task.seat is None else seat_task.seat
        self.player = players[self.seat]
        self.episode = Episode(self.task, seed)
        self._bots: dict[PlayerId, tuple[Bot[Any], Random]] = {
            players[(self.seat + steps) % len(players)]: (
                seat_task.opponent(steps),
                Random(derive(seed, "bot", steps)),
            )
            for steps in range(1, len(players))
        }
        self._let_bots_move()

    def _let_bots_move(self) -> None:
        episode = self.episode
        while not episode.is_over and (player := episode.to_act()[0]) != self.player:
            bot, rng = self._bots[player]
            episode.make(bot(episode.view(player), tuple(episode.offered(player).values()), rng))

    def act(self, action: int) -> float:
        """Make the learner's move, and return the reward. An illegal action ends the match with a reward of -1."""
        if action not in self.episode.offered(self.player):
            self.was_illegal = True
            return ILLEGAL_REWARD
        self.episode.act(self.player, action)
        self._let_bots_move()
        return float(self.episode.rewards()[self.player])

    @property
    def is_terminated(self) -> bool:
        return self.was_illegal or self.episode.outcome is not None

    @property
    def is_over(self) -> bool:
        return self.was_illegal or self.episode.is_over

    def tensor(self) -> "Tensor":
        return self.episode.tensor(self.player)

    def mask(self) -> "Mask":
        return self.episode.mask(self.player)

    def result(self) -> dict[str, Any]:
        """How the match ended, for `info`; empty before its end."""
        if self.was_illegal:
            return {"illegal": True}
        outcome = self.episode.outcome
        if outcome is None:
            return {}
        return {"winners": list(outcome.winners), "scores": dict(outcome.scores)}
