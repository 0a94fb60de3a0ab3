"""Many matches of one seat against bots at once, in this process or in several, as a Gymnasium `VectorEnv`.

Observations, masks and rewards come as one array each. A match that is over is replaced by a new one in the same step:
the observation is then the first of the new match, and the last of the old one is in `info["final_obs"]`. Match n of
environment i depends only on the seed, i and n, so the number of processes changes nothing.
"""

import signal
from collections.abc import Mapping, Sequence
from itertools import pairwise
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from turnstile.kernel import AnyGame, Seed
from turnstile.kernel.chance import derive
from turnstile.lab.environment.seat import SeatMatch, SeatTask, make_seat_task
from turnstile.lab.spaces import draw_seed, observation_box

Arrays = NDArray[Any]


class Batch(NamedTuple):
    """What one step gives, for each environment in order."""

    observations: Arrays
    masks: Arrays
    rewards: Arrays
    terminations: Arrays
    truncations: Arrays
    final_observations: Arrays
    """The last observation of a match that is over; zeros elsewhere."""


def joined(batches: Sequence[Batch]) -> Batch:
    return Batch(*(np.concatenate(parts) for parts in zip(*batches, strict=True)))


class Matches:
    """Some of the environments, played in this process."""

    def __init__(self, seat_task: SeatTask, numbers: range) -> None:
        """The numbers say which of all environments these are."""
        self.seat_task = seat_task
        self.numbers = numbers

    def begin(self, seed: Seed) -> Batch:
        """Begin a first match in every environment."""
        self.seeds = [derive(seed, "environment", number) for number in self.numbers]
        self.played = [0 for _ in self.numbers]
        self.matches = [self._new(place) for place in range(len(self.numbers))]
        count = len(self.numbers)
        return self._batch(np.zeros(count), np.zeros(count, np.bool_), np.zeros(count, np.bool_), {})

    def _new(self, place: int) -> SeatMatch:
        self.played[place] += 1
        return SeatMatch(self.seat_task, derive(self.seeds[place], "match", self.played[place]))

    def act(self, actions: Arrays) -> Batch:
        """One action in every environment. A match that is over is replaced."""
        count = len(self.numbers)
        rewards, terminations, truncations = np.zeros(count), np.zeros(count, np.bool_), np.zeros(count, np.bool_)
        finals: dict[int, Arrays] = {}
        for place, action in enumerate(actions.tolist()):
            match = self.matches[place]
            rewards[place] = match.act(action)
            if match.is_over:
                terminations[place] = match.is_terminated
                truncations[place] = not match.is_terminated
                finals[place] = match.tensor()
                self.matches[place] = self._new(place)
        return self._batch(rewards, terminations, truncations, finals)

    def _batch(self, rewards: Arrays, terminations: Arrays, truncations: Arrays, finals: Mapping[int, Arrays]) -> Batch:
        task, count = self.seat_task.task, len(self.numbers)
        observations = np.zeros((count, task.layout.size), np.float32)
        final_observations = np.zeros((count, task.layout.size), np.float32)
        masks = np.zeros((count, len(task.ids)), np.int8)
        for place, match in enumerate(self.matches):
            episode, player = match.episode, match.player
            task.layout.write(observations[place], episode.view(player), task.players, player)
            masks[place, list(episode.offered(player))] = 1
        for place, tensor in finals.items():
            final_observations[place] = tensor
        return Batch(observations, masks, rewards, terminations, truncations, final_observations)


class SeatVectorEnv(VectorEnv[Arrays, Arrays, Arrays]):
    """So many matches at once. The arguments beside `num_envs` and `processes` are those of `SeatEnv`."""

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self, game: str | AnyGame, num_envs: int = 1, *, processes: int = 1, render_mode: None = None, **arguments: Any
    ) -> None:
        """With more than one process, the game must be installed and is given by its name."""
        if num_envs < 1 or not 1 <= processes <= num_envs:
            raise ValueError(f"{num_envs} environments cannot run in {processes} processes: each needs at least one.")
        if processes > 1 and not isinstance(game, str):
            raise ValueError("With several processes, give the game by its name: it must be installed.")
        seat_task = make_seat_task(game, **arguments)
        self.task = seat_task.task
        self.num_envs = num_envs
        self.single_observation_space = observation_box(self.task.layout)
        self.single_action_space = spaces.Discrete(len(self.task.ids))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._has_begun = False
        self._masks: Arrays = np.zeros((num_envs, len(self.task.ids)), np.int8)
        edges = [num_envs * number // processes for number in range(processes + 1)]
        shares = [range(first, last) for first, last in pairwise(edges)]
        self._starts = edges[1:-1]
        self._groups: list[Matches | _Worker] = (
            [Matches(seat_task, shares[0])]
            if processes == 1
            else [_Worker(str(game), arguments, share) for share in shares]
        )

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Arrays, dict[str, Any]]:
        """Begin a new match in every environment. One seed is for all of them."""
        self._refuse_if_closed()
        if isinstance(seed, list):
            raise ValueError("Give one seed for all environments; each derives its own from it.")
        super().reset(seed=seed)
        self._has_begun = True
        root = draw_seed(self.np_random)
        for group in self._groups:
            if isinstance(group, _Worker):
                group.send(root)
        batch = joined([group.receive() if isinstance(group, _Worker) else group.begin(root) for group in self._groups])
        return batch.observations, self._info(batch)

    def step(self, actions: Arrays) -> tuple[Arrays, Arrays, Arrays, Arrays, dict[str, Any]]:
        """One action in every environment. `actions` has the number of an action for each of them."""
        self._refuse_if_closed()
        if not self._has_begun:
            raise ResetNeeded("Call reset() before anything else.")
        if np.shape(actions) != (self.num_envs,):
            raise ValueError(f"Give {self.num_envs} actions, one for each environment, not {np.shape(actions)}.")
        shares = np.split(np.asarray(actions), self._starts)
        for group, share in zip(self._groups, shares, strict=True):
            if isinstance(group, _Worker):
                group.send(share)
        batch = joined(
            [
                group.receive() if isinstance(group, _Worker) else group.act(share)
                for group, share in zip(self._groups, shares, strict=True)
            ]
        )
        return batch.observations, batch.rewards, batch.terminations, batch.truncations, self._info(batch)

    def _refuse_if_closed(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError("These environments are closed; make new ones.")

    def _info(self, batch: Batch) -> dict[str, Any]:
        """The masks, and the last observations of the matches that are over, as Gymnasium names them."""
        self._masks = batch.masks
        info: dict[str, Any] = {"action_mask": batch.masks}
        is_over = batch.terminations | batch.truncations
        if is_over.any():
            info |= {"final_obs": batch.final_observations, "_final_obs": is_over}
        return info

    def action_masks(self) -> Arrays:
        """Which actions are legal now, a row for each environment."""
        return self._masks.astype(np.bool_)

    def close_extras(self, **_: Any) -> None:
        """Stop the other processes."""
        for group in self._groups:
            if isinstance(group, _Worker):
                group.stop()


class _Worker:
    """Some of the environments, played in another process."""

    def __init__(self, game: str, arguments: Mapping[str, Any], numbers: range) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process: SpawnProcess = context.Process(
            target=_work, args=(theirs, game, dict(arguments), numbers), daemon=True
        )
        self.process.start()
        theirs.close()

    def send(self, order: Seed | Arrays) -> None:
        try:
            self.pipe.send(order)
        except BrokenPipeError:
            raise self._has_ended() from None

    def receive(self) -> Batch:
        try:
            answer = self.pipe.recv()
        except (EOFError, ConnectionResetError):
            raise self._has_ended() from None
        assert isinstance(answer, Batch)
        return answer

    def _has_ended(self) -> RuntimeError:
        self.process.join()
        return RuntimeError(f"A process of the environments has ended with status {self.process.exitcode}.")

    def stop(self) -> None:
        self.pipe.close()  # the process ends when nothing more can come
        self.process.join(timeout=10)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _work(pipe: "Connection[Batch, Seed | Arrays]", game: str, arguments: Mapping[str, Any], numbers: range) -> None:
    """Play what is ordered until the pipe is closed. Ctrl-C is for the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    matches = Matches(make_seat_task(game, **arguments), numbers)
    while True:
        try:
            order = pipe.recv()
        except (EOFError, ConnectionResetError):  # the latter if an answer was not read
            return
        batch = matches.begin(order) if isinstance(order, str) else matches.act(order)
        try:
            pipe.send(batch)
        except BrokenPipeError:
            return
