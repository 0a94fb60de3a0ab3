"""Any game as a PettingZoo environment: `env` with one player after the other, `parallel_env` with all at once.

    from turnstile.lab.pettingzoo import env
    environment = env("66", players=3)

Agents are called `player_0`, `player_1`, ... by their seats. An observation is a dictionary with `observation`, the
view as a tensor, and `action_mask`. docs/environments.md explains ids, tensors, rewards and options.
"""

from collections.abc import Mapping
from typing import Any

from turnstile.lab.extras import require

require("pettingzoo", "lab", "turnstile.lab.pettingzoo")

import gymnasium  # noqa: E402
import numpy as np  # noqa: E402
from gymnasium import spaces  # noqa: E402
from gymnasium.utils import seeding  # noqa: E402
from pettingzoo import AECEnv, ParallelEnv  # noqa: E402
from pettingzoo.utils import wrappers  # noqa: E402

from turnstile.kernel import AnyGame, PlayerId  # noqa: E402
from turnstile.lab.encoding.layout import RECENT  # noqa: E402
from turnstile.lab.environment import Episode, IllegalAction, Rewards, Task, agent_name, make_task  # noqa: E402
from turnstile.lab.environment.rewards import ILLEGAL_REWARD  # noqa: E402
from turnstile.lab.spaces import draw_seed, observation_box  # noqa: E402

Observation = dict[str, Any]


def env(
    game: str | AnyGame,
    *,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    rewards: str | Rewards = "win",
    start: Any = None,
    most_moves: int | None = None,
    recent: int = RECENT,
    render_mode: str | None = None,
) -> AECEnv[str, Observation, int | None]:
    """A game in which one agent acts after the other. An illegal action ends the match with a reward of -1.

    If several agents may act at once, they act in the order of their seats. No agent sees what another has chosen
    before the rules reveal it, so this changes nothing.
    """
    task = make_task(
        game, players=players, options=options, rewards=rewards, start=start, most_moves=most_moves, recent=recent
    )
    checked: Any = wrappers.TerminateIllegalWrapper(TurnEnv(task, render_mode), illegal_reward=ILLEGAL_REWARD)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(checked))


def raw_env(game: str | AnyGame, *, render_mode: str | None = None, **arguments: Any) -> "TurnEnv":
    """The same as `env` without wrappers: an illegal action raises `IllegalAction`."""
    return TurnEnv(make_task(game, **arguments), render_mode)


def parallel_env(
    game: str | AnyGame,
    *,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    rewards: str | Rewards = "win",
    start: Any = None,
    most_moves: int | None = None,
    recent: int = RECENT,
    render_mode: str | None = None,
) -> "SimultaneousEnv":
    """A game in which all agents act at once: made for games with simultaneous moves, such as E-Card and Even/Odd.

    It has one more action than `env`, the last one: wait. An agent that may not move now can only wait. An illegal
    action ends the match with a reward of -1.
    """
    task = make_task(
        game, players=players, options=options, rewards=rewards, start=start, most_moves=most_moves, recent=recent
    )
    return SimultaneousEnv(task, render_mode)


class _Agents:
    """What both environments have: agents with their spaces, and the match that they play."""

    def __init__(self, task: Task, actions: int) -> None:
        self.task = task
        self._episode: Episode | None = None
        self.metadata = {
            "name": f"turnstile_{task.game.name}_v{task.game.version}",
            "render_modes": ["ansi"],
            "is_parallelizable": False,
        }
        self.possible_agents = [agent_name(seat) for seat in range(len(task.players))]
        self.player_of = dict(zip(self.possible_agents, task.players, strict=True))
        self.agent_of = {player: agent for agent, player in self.player_of.items()}
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        box = observation_box(task.layout)
        mask = spaces.Box(0, 1, (actions,), np.int8)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": box, "action_mask": mask}) for agent in self.possible_agents
        }
        self.random, _ = seeding.np_random()

    def begin(self, seed: int | None) -> None:
        if seed is not None:
            self.random, _ = seeding.np_random(seed)
        self._episode = Episode(self.task, draw_seed(self.random))

    @property
    def episode(self) -> Episode:
        if self._episode is None:
            raise gymnasium.error.ResetNeeded("Call reset() before anything else.")
        return self._episode

    def text(self, agent: str) -> str:
        """What an agent sees, in words."""
        return self.episode.text(self.player_of[agent])


class TurnEnv(AECEnv[str, Observation, int | None]):  # type: ignore[misc]
    """One agent acts after the other (AEC)."""

    def __init__(self, task: Task, render_mode: str | None = None) -> None:
        super().__init__()
        self._common = _Agents(task, len(task.ids))
        self.metadata = self._common.metadata
        self.possible_agents = self._common.possible_agents
        self.render_mode = render_mode
        self.task = task

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        return self._common.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        return self._common.action_spaces[agent]

    @property
    def episode(self) -> Episode:
        """The match that is being played."""
        return self._common.episode

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new match. The same seed gives the same deal."""
        self._common.begin(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._select()

    def _select(self) -> None:
        self.agent_selection = self._common.agent_of[self.episode.to_act()[0]]

    def observe(self, agent: str) -> Observation:
        player = self._common.player_of[agent]
        mask = self.episode.mask(player)
        if agent != self.agent_selection:
            mask[:] = 0
        return {"observation": self.episode.tensor(player), "action_mask": mask}

    def text(self, agent: str) -> str:
        """What an agent sees, in words."""
        return self._common.text(agent)

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise IllegalAction(f"{agent} is in play and must choose an action.")
        self.episode.act(self._common.player_of[agent], action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if self.episode.is_over:
            rewards = self.episode.rewards()
            self.rewards = {each: rewards[self._common.player_of[each]] for each in self.agents}
            self.terminations = dict.fromkeys(self.agents, self.episode.outcome is not None)
            self.truncations = dict.fromkeys(self.agents, self.episode.was_stopped)
        else:
            self._select()
        self._accumulate_rewards()
        self._deads_step_first()

    def render(self) -> str | None:
        """In the mode `ansi`, the match as the agent that acts now sees it."""
        return None if self.render_mode is None else self.text(self.agent_selection)

    def close(self) -> None:
        """Nothing is left open."""


class SimultaneousEnv(ParallelEnv[str, Observation, int]):  # type: ignore[misc]
    """All agents act at once; those that cannot move wait."""

    def __init__(self, task: Task, render_mode: str | None = None) -> None:
        self.wait = len(task.ids)
        self._common = _Agents(task, len(task.ids) + 1)
        self.metadata = self._common.metadata
        self.possible_agents = self._common.possible_agents
        self.agents: list[str] = []
        self.render_mode = render_mode
        self.task = task

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        return self._common.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        return self._common.action_spaces[agent]

    @property
    def episode(self) -> Episode:
        """The match that is being played."""
        return self._common.episode

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin a new match. The same seed gives the same deal."""
        self._common.begin(seed)
        self.agents = list(self.possible_agents)
        return self._observations(), {agent: {} for agent in self.agents}

    def _observations(self) -> dict[str, Observation]:
        return {agent: self._observe(self._common.player_of[agent]) for agent in self.agents}

    def _observe(self, player: PlayerId) -> Observation:
        mask = np.append(self.episode.mask(player), np.int8(not self.episode.offered(player)))
        return {"observation": self.episode.tensor(player), "action_mask": mask}

    def text(self, agent: str) -> str:
        """What an agent sees, in words."""
        return self._common.text(agent)

    def step(
        self, actions: dict[str, int]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Make the moves of all agents that may move, in the order of their seats.

        An illegal action ends the match: its agent gets -1 and the others 0. If a move takes away another one of the
        same step, which happens only in games whose moves are not simultaneous, that one is not made, and its agent
        chooses again.
        """
        chosen = {agent: int(actions.get(agent, self.wait)) for agent in self.agents}
        illegal = [agent for agent, action in chosen.items() if not self._may_choose(agent, action)]
        if not illegal:
            self._make(chosen)
        acted, observations = self.agents, self._observations()
        if illegal or self.episode.is_over:
            self.agents = []
        won = self.episode.rewards()
        return (
            observations,
            {agent: ILLEGAL_REWARD if agent in illegal else won[self._common.player_of[agent]] for agent in acted},
            dict.fromkeys(acted, bool(illegal) or self.episode.outcome is not None),
            dict.fromkeys(acted, self.episode.was_stopped),
            {agent: {"illegal": True} if agent in illegal else {} for agent in acted},
        )

    def _may_choose(self, agent: str, action: int) -> bool:
        offered = self.episode.offered(self._common.player_of[agent])
        return action in offered if offered else action == self.wait

    def _make(self, chosen: Mapping[str, int]) -> None:
        for agent, action in chosen.items():
            player = self._common.player_of[agent]
            if action in self.episode.offered(player):
                self.episode.act(player, action)

    def render(self) -> str | None:
        """In the mode `ansi`, the match as every agent sees it."""
        if self.render_mode is None:
            return None
        return "\n\n".join(f"{agent}\n{self.text(agent)}" for agent in self.possible_agents)

    def close(self) -> None:
        """Nothing is left open."""
