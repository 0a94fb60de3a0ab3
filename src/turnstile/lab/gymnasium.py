"""Any game as a Gymnasium environment: one seat learns, and bots sit on the others.

    import gymnasium
    import turnstile.lab.gymnasium  # registers every installed game

    environment = gymnasium.make("turnstile/e-card", opponents="equilibrium")

`gymnasium.make("turnstile.lab.gymnasium:turnstile/e-card")` imports this module by itself. An observation is the view
as a tensor. `info["action_mask"]`, or `action_masks()`, says which actions are legal: docs/environments.md.
"""

from typing import Any

from turnstile.lab.extras import require

require("gymnasium", "lab", "turnstile.lab.gymnasium")

import gymnasium  # noqa: E402
import numpy as np  # noqa: E402
from gymnasium import spaces  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from turnstile.kernel import AnyGame  # noqa: E402
from turnstile.lab.environment.seat import SeatMatch, make_seat_task  # noqa: E402
from turnstile.lab.spaces import draw_seed, observation_box  # noqa: E402
from turnstile.lab.vector import SeatVectorEnv  # noqa: E402
from turnstile.registry import names  # noqa: E402

__all__ = ["NAMESPACE", "SeatEnv", "SeatVectorEnv", "register_games"]

NAMESPACE = "turnstile"


class SeatEnv(gymnasium.Env[NDArray[np.float32], np.int64]):
    """One seat of a match, against bots. An illegal action ends the match with a reward of -1."""

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(self, game: str | AnyGame, *, render_mode: str | None = None, **arguments: Any) -> None:
        """The arguments are those of `make_seat_task` and `make_task`: seat, opponents, players, options, rewards,
        start, most_moves, recent."""
        self._seat_task = make_seat_task(game, **arguments)
        self.task = self._seat_task.task
        self.render_mode = render_mode
        self.observation_space: spaces.Space[Any] = observation_box(self.task.layout)
        self.action_space = spaces.Discrete(len(self.task.ids))
        self.match: SeatMatch | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin a new match. The same seed gives the same deal and the same opponents."""
        super().reset(seed=seed)
        self.match = SeatMatch(self._seat_task, draw_seed(self.np_random))
        return self.match.tensor(), self._info(self.match)

    def step(self, action: np.int64 | int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        match = self._current()
        reward = match.act(int(action))
        is_stopped = match.is_over and not match.is_terminated
        return match.tensor(), reward, match.is_terminated, is_stopped, self._info(match)

    def _current(self) -> SeatMatch:
        if self.match is None:
            raise gymnasium.error.ResetNeeded("Call reset() before anything else.")
        return self.match

    def _info(self, match: SeatMatch) -> dict[str, Any]:
        return {"action_mask": match.mask(), "seat": match.seat, **match.result()}

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now, as MaskablePPO of sb3-contrib asks for it."""
        return self._current().mask().astype(np.bool_)

    def render(self) -> str | None:
        """In the mode `ansi`, the match as the learner sees it."""
        match = self._current()
        return None if self.render_mode is None else match.episode.text(match.player)


def register_games() -> None:
    """Register every installed game as `turnstile/NAME`, except those that are registered already."""
    for name in names():
        if f"{NAMESPACE}/{name}" not in gymnasium.registry:
            gymnasium.register(
                id=f"{NAMESPACE}/{name}",
                entry_point="turnstile.lab.gymnasium:SeatEnv",
                vector_entry_point="turnstile.lab.gymnasium:SeatVectorEnv",
                kwargs={"game": name},
            )


register_games()
