"""One seat against bots as a Gymnasium environment, alone and many at once."""

import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import turnstile.lab.gymnasium
from turnstile.lab.environment import InvalidTask
from turnstile.lab.own_bots import BotFailed
from turnstile.lab.vector import Matches, SeatVectorEnv
from turnstile.registry import names


@pytest.mark.parametrize("game", names())
def test_every_game_is_registered_and_passes_the_checks_of_gymnasium(game: str) -> None:
    environment = gymnasium.make(f"turnstile/{game}")
    check_env(environment.unwrapped)


def test_gymnasium_finds_a_game_by_the_module_that_registers_it() -> None:
    """In a new process, because the games are registered in this one."""
    program = 'import gymnasium; print(gymnasium.make("turnstile.lab.gymnasium:turnstile/e-card").action_space)'
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "Discrete(3)\n"


def play(environment: gymnasium.Env[Any, Any], seed: int) -> tuple[float, dict[str, Any]]:
    """The reward of a match of random legal actions, and the last info."""
    rng = np.random.default_rng(seed)
    _, info = environment.reset(seed=seed)
    while True:
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        _, reward, is_over, is_stopped, info = environment.step(action)
        if is_over or is_stopped:
            return float(reward), info


def test_the_learner_wins_or_loses_against_the_bot_that_was_asked_for() -> None:
    environment = gymnasium.make("turnstile/e-card", opponents="equilibrium", seat=1, render_mode="ansi")
    results = [play(environment, seed) for seed in range(6)]
    assert {reward for reward, _ in results} == {-1.0, 1.0}
    for reward, info in results:
        assert info["seat"] == 1
        assert info["winners"] == ["player_1" if reward == 1.0 else "player_0"]
    assert "phase: Finished" in str(environment.render())


def test_the_same_seed_gives_the_same_match() -> None:
    results = [play(gymnasium.make("turnstile/66", opponents="attentive", players=3), 5) for _ in range(2)]
    assert results[0][1]["scores"] == results[1][1]["scores"]
    assert (results[0][1]["action_mask"] == results[1][1]["action_mask"]).all()


def test_the_seat_can_be_drawn_for_every_match() -> None:
    environment = turnstile.lab.gymnasium.SeatEnv(
        "up-down", seat=None, players=4, opponents=["counter", "random", "random"]
    )
    seats = {environment.reset(seed=seed)[1]["seat"] for seed in range(30)}
    assert seats == {0, 1, 2, 3}


def test_an_illegal_action_loses_the_match() -> None:
    environment = turnstile.lab.gymnasium.SeatEnv("e-card")
    _, info = environment.reset(seed=0)
    (illegal,) = np.flatnonzero(info["action_mask"] == 0)
    assert environment.action_masks().tolist() == info["action_mask"].astype(bool).tolist()
    _, reward, is_over, is_stopped, info = environment.step(int(illegal))
    assert (reward, is_over, is_stopped, info["illegal"]) == (-1.0, True, False, True)


def test_a_match_is_stopped_after_the_most_moves() -> None:
    environment = turnstile.lab.gymnasium.SeatEnv("66", most_moves=4)
    reward, info = play(environment, 0)
    assert reward == 0.0
    assert "winners" not in info


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"opponents": "deep blue"}, "e-card has no bot 'deep blue'. Its bots: equilibrium"),
        ({"seat": 2}, "There are seats 0 to 1, not 2."),
        ({"opponents": ["random", "random"]}, "Name one opponent for all seats or 1, one for each, not 2."),
        ({"opponents": None}, "An opponent is the name of a bot or a function, not None."),
    ],
)
def test_invalid_arguments_are_refused_with_a_sentence(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidTask) as refused:
        gymnasium.make("turnstile/e-card", **arguments)
    assert sentence in str(refused.value)


def first_citizen(view: Any, actions: Any, rng: Any) -> int:
    return [action.card for action in actions].index("C")


def third_card(view: Any, actions: Any, rng: Any) -> int:
    return 2


def test_an_opponent_may_answer_with_the_number_of_an_action_as_in_an_arena() -> None:
    environment = gymnasium.make("turnstile/e-card", opponents=first_citizen, render_mode="ansi")
    _, info = environment.reset(seed=1)
    environment.step(info["action_mask"].argmax())
    assert '"player_1":"C"' in str(environment.render())


def test_an_opponent_that_chooses_no_action_is_named() -> None:
    environment = gymnasium.make("turnstile/e-card", opponents=third_card, seat=1)
    with pytest.raises(BotFailed) as failed:
        environment.reset(seed=1)
    assert str(failed.value) == "third_card has chosen 2, which is not one of its 2 actions, 0 to 1."


# many at once

STEPS = 40


def roll(environments: SeatVectorEnv, seed: int) -> list[np.ndarray[Any, Any]]:
    """Everything that so many steps of random legal actions give."""
    rng = np.random.default_rng(seed)
    observations, info = environments.reset(seed=seed)
    gathered = [observations]
    for _ in range(STEPS):
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in info["action_mask"]])
        observations, rewards, is_over, is_stopped, info = environments.step(actions)
        assert (environments.action_masks() == info["action_mask"].astype(bool)).all()
        gathered += [observations, rewards, is_over, is_stopped]
        if is_over.any():
            assert (info["_final_obs"] == is_over).all()
            gathered.append(info["final_obs"])
    return gathered


def test_many_matches_at_once_give_the_same_in_one_process_and_in_several() -> None:
    arguments: dict[str, Any] = {"num_envs": 5, "opponents": "random", "seat": None, "options": {"draws": 8}}
    results = []
    for processes in (1, 2):
        environments = gymnasium.make_vec(
            "turnstile/even-odd", vectorization_mode="vector_entry_point", processes=processes, **arguments
        )
        assert isinstance(environments, SeatVectorEnv)
        results.append(roll(environments, 3))
    assert_that_a_dead_process_is_reported(environments)
    assert len(results[0]) == len(results[1]) > 4 * STEPS, "some matches must have ended"
    assert all((one == other).all() for one, other in zip(*results, strict=True))


def assert_that_a_dead_process_is_reported(environments: Any) -> None:
    worker: Any = environments._groups[1]
    worker.process.kill()
    worker.process.join()
    with pytest.raises(RuntimeError, match="A process of the environments has ended with status -9"):
        environments.step(np.zeros(5, np.int64))
    environments.close()
    assert not any(group.process.is_alive() for group in environments._groups)


def test_a_batch_is_what_the_matches_give_one_by_one() -> None:
    environments = SeatVectorEnv("e-card", 3)
    observations, info = environments.reset(seed=1)
    assert environments.observation_space.contains(observations)
    assert observations.shape == (3, environments.task.layout.size)
    assert info["action_mask"].shape == (3, 3)
    observations, rewards, is_over, _, info = environments.step(
        np.array([1, 1, int(np.argmin(info["action_mask"][2]))])
    )
    assert rewards.tolist() == [0.0, 0.0, -1.0]
    assert is_over.tolist() == [False, False, True]
    assert info["final_obs"][2].any()


@pytest.mark.parametrize(("count", "processes"), [(0, 1), (2, 3), (2, 0)])
def test_every_process_needs_an_environment(count: int, processes: int) -> None:
    with pytest.raises(ValueError, match="each needs at least one"):
        SeatVectorEnv("e-card", count, processes=processes)


def test_every_environment_needs_an_action_and_a_match() -> None:
    environments = SeatVectorEnv("e-card", 3)
    with pytest.raises(gymnasium.error.ResetNeeded):
        environments.step(np.array([1, 1, 1]))
    environments.reset(seed=1)
    for wrong in (np.array([1, 1]), np.array([1, 1, 1, 1]), np.array([[1, 1, 1]])):
        with pytest.raises(ValueError, match="Give 3 actions, one for each environment"):
            environments.step(wrong)


@pytest.mark.parametrize("processes", [1, 2])
def test_closed_environments_refuse_to_go_on(processes: int) -> None:
    environments = SeatVectorEnv("e-card", 2, processes=processes)
    environments.reset(seed=1)
    environments.close()
    with pytest.raises(gymnasium.error.ClosedEnvironmentError):
        environments.step(np.array([1, 1]))
    with pytest.raises(gymnasium.error.ClosedEnvironmentError):
        environments.reset(seed=1)


def test_environments_that_are_closed_during_a_step_end_quietly(capfd: pytest.CaptureFixture[str]) -> None:
    environments = SeatVectorEnv("e-card", 2, processes=2)
    environments.reset(seed=1)
    first, second = environments._groups
    assert not isinstance(first, Matches)
    assert not isinstance(second, Matches)
    first.send(np.array([1]))
    second.send(np.array([1]))
    assert second.pipe.poll(10), "its answer is there, and is not read"
    environments.close()
    assert [group.process.exitcode for group in (first, second)] == [0, 0]
    assert capfd.readouterr().err == ""
