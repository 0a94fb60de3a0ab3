"""What an environment plays: the game, the players, the options, the rewards and where a match begins."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from turnstile.kernel import AnyGame, PlayerId, Players, Rejection, Seed, encode
from turnstile.kernel.chance import derive
from turnstile.kernel.game import refuse_count
from turnstile.lab.encoding import ActionIds, Layout, action_ids, layout_of
from turnstile.lab.encoding.layout import RECENT
from turnstile.lab.environment.rewards import REWARDS, Rewards
from turnstile.registry import find_game, names, study_of


class InvalidTask(ValueError):
    """An environment that cannot be made. The text says what is wrong with its arguments."""


@dataclass(frozen=True)
class Task:
    """Everything that is the same in all matches of an environment."""

    game: AnyGame
    players: Players
    options: Any
    rewards: Rewards
    start: Any = None
    """The state in which every match begins; `None` for a new match each time."""
    most_moves: int | None = None
    """A match with so many moves is stopped without an outcome."""
    recent: int = RECENT

    @cached_property
    def ids(self) -> ActionIds:
        return action_ids(self.game)

    @cached_property
    def layout(self) -> Layout:
        return layout_of(self.game, len(self.players), self.recent)

    def open_match(self, seed: Seed) -> Any:
        """The first state in which a player can move: a new match from this seed, or the given start."""
        if self.start is not None:
            return self.start
        state = self.game.new(self.players, self.options, seed)
        assert not isinstance(state, Rejection), "make_task has tried it"
        return settle(self.game, state)


def make_task(
    game: str | AnyGame,
    *,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    rewards: str | Rewards = "win",
    start: Any = None,
    most_moves: int | None = None,
    recent: int = RECENT,
) -> Task:
    """The task with these arguments. Raises `InvalidTask` if no match can be played with them.

    `game` is the name of an installed game, or a game. `players` is their number, by default the fewest that the game
    takes. `options` are the game's options as on the wire. `start` is a state of the game, which then says who plays.
    """
    found = _find(game)
    if most_moves is not None and most_moves < 1:
        raise InvalidTask(f"The most moves of a match are at least 1, not {most_moves}.")
    if recent < 0:
        raise InvalidTask(f"An observation has at least 0 recent items of a history, not {recent}.")
    chosen = _find_rewards(rewards)
    if start is not None:
        begun = _settled_start(found, start, players, options)
        return Task(found, found.players(begun), None, chosen, begun, most_moves, recent)
    count = found.seats[0] if players is None else players
    if fault := refuse_count(count, found.seats):
        raise InvalidTask(fault.sentence)
    seated = tuple(PlayerId(agent_name(seat)) for seat in range(count))
    read = found.read_options(encode(options or {}))
    opened = read if isinstance(read, Rejection) else found.new(seated, read, Seed("any"))
    if isinstance(opened, Rejection):
        raise InvalidTask(opened.sentence)
    return Task(found, seated, read, chosen, None, most_moves, recent)


def _find(game: str | AnyGame) -> AnyGame:
    if not isinstance(game, str):
        return game
    found = find_game(game)
    if found is None:
        raise InvalidTask(f"There is no game {game!r}. Installed games: {', '.join(names())}.")
    return found


def _find_rewards(rewards: str | Rewards) -> Rewards:
    if callable(rewards):
        return rewards
    if rewards not in REWARDS:
        raise InvalidTask(f"There are no rewards {rewards!r}. Known rewards: {', '.join(REWARDS)}; or pass a function.")
    return REWARDS[rewards]


def _settled_start(game: AnyGame, start: Any, players: int | None, options: Mapping[str, Any] | None) -> Any:
    """The given start, or the first state after it in which a player can move."""
    if not isinstance(start, game.machine.state):
        raise InvalidTask(f"A start is a state of {game.name}, not {type(start).__name__}.")
    if fault := study_of(game).violation(start):
        raise InvalidTask(f"No match of {game.name} can start in this state: {fault}")
    if options is not None or players not in (None, len(game.players(start))):
        raise InvalidTask("A start already has its players and options; leave both out.")
    settled = settle(game, start)
    if game.outcome(settled) is not None:
        raise InvalidTask(f"A match of {game.name} cannot start in a state in which it is over.")
    return settled


def agent_name(seat: int) -> str:
    """The name of a player in an environment, by the seat from 0."""
    return f"player_{seat}"


def settle(game: AnyGame, state: Any) -> Any:
    """The state after everything that the dealer does by itself: a player can move in it, or the match is over."""
    while game.outcome(state) is None:
        due = game.dealer(state)
        if due is None:
            return state
        state = game.machine.apply(state, due)
        assert not isinstance(state, Rejection), state.sentence
    return state


def find_state(
    game: str | AnyGame,
    is_wanted: Callable[[Any], bool],
    *,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    matches: int = 1000,
) -> Any:
    """The first state like this that random matches come to, to start an environment in.

    The matches are always the same. Raises `LookupError` if none of so many matches has such a state.
    """
    task = make_task(game, players=players, options=options)
    for number in range(matches):
        seed = derive(Seed("find a state"), "match", number)
        rng = Random(seed)
        state = task.open_match(seed)
        while task.game.outcome(state) is None:
            if is_wanted(state):
                return state
            _, moves = task.game.next_to_act(state)
            after = task.game.machine.apply(state, rng.choice(moves))
            assert not isinstance(after, Rejection), after.sentence
            state = settle(task.game, after)
    raise LookupError(f"No state like this in {matches} random matches of {task.game.name}.")


def read_start(game: AnyGame, data: bytes | str) -> Any:
    """A start that was written as JSON. Raises `InvalidTask`."""
    state = game.machine.read_state(data)
    if isinstance(state, Rejection):
        raise InvalidTask(state.sentence)
    return state
