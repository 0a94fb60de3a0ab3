"""A game as an environment: what is played (`Task`), one match of it (`Episode`), and the history of one (`Moment`).

The adapters beside this package put it behind the interfaces of PettingZoo, Gymnasium and OpenSpiel.
"""

from turnstile.lab.environment.episode import Episode, IllegalAction
from turnstile.lab.environment.history import Moment
from turnstile.lab.environment.rewards import REWARDS, Rewards
from turnstile.lab.environment.task import InvalidTask, Task, agent_name, find_state, make_task

__all__ = [
    "Task", "make_task", "InvalidTask", "agent_name", "find_state",
    "Episode", "IllegalAction", "Moment",
    "Rewards", "REWARDS",
]  # fmt: skip
