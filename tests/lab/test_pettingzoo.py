"""Games as PettingZoo environments pass PettingZoo's own tests, and play by the rules."""

from importlib import import_module
from itertools import count
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, performance_benchmark, seed_test

from turnstile.kernel import ByPlayer, Outcome, PlayerId
from turnstile.lab.environment import IllegalAction, InvalidTask, find_state
from turnstile.lab.environment.rewards import REWARDS
from turnstile.lab.pettingzoo import env, parallel_env, raw_env
from turnstile.registry import names

OF_EVERY_MASKED_ENVIRONMENT = (
    "ignore:Observation space for each agent probably should be",
    "ignore:Observation is not a NumPy array",
    "ignore:Action mask numpy array is all zeros",
)
"""What PettingZoo's tests warn of in every environment with masks, its own excepted by name."""


@pytest.mark.filterwarnings(*OF_EVERY_MASKED_ENVIRONMENT)
@pytest.mark.parametrize("game", names())
def test_it_passes_the_tests_of_pettingzoo(game: str) -> None:
    api_test(env(game, render_mode="ansi"), num_cycles=40)
    seed_test(lambda: env(game), num_cycles=20)


@pytest.mark.filterwarnings(*OF_EVERY_MASKED_ENVIRONMENT)
def test_several_players_pass_them_too() -> None:
    api_test(raw_env("66", players=4, most_moves=20), num_cycles=40)


@pytest.mark.parametrize("game", names())
def test_it_passes_the_parallel_tests_of_pettingzoo(game: str) -> None:
    parallel_api_test(parallel_env(game), num_cycles=40)
    parallel_seed_test(lambda: parallel_env(game), num_cycles=20)


def test_the_benchmark_of_pettingzoo_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """It runs until its clock has gone on by five seconds; here each look at the clock takes a twentieth of one."""
    clock = SimpleNamespace(time=count(0, 0.05).__next__)
    monkeypatch.setattr(import_module("pettingzoo.test.performance_benchmark"), "time", clock)
    performance_benchmark(env("even-odd"))
    assert "turns per second" in capsys.readouterr().out


def play(environment: Any, rng: Random) -> dict[str, float]:
    """The rewards of a match of random legal actions."""
    totals = dict.fromkeys(environment.possible_agents, 0.0)
    for agent in environment.agent_iter():
        observation, reward, is_over, is_stopped, _ = environment.last()
        totals[agent] += reward
        legal = np.flatnonzero(observation["action_mask"]).tolist()
        environment.step(None if is_over or is_stopped else rng.choice(legal))
    return totals


@pytest.mark.parametrize("game", ["66", "up-down"])
def test_the_rewards_of_a_match_add_up_to_zero_and_the_only_winner_gets_1(game: str) -> None:
    environment = env(game, players=3)
    won = []
    for seed in range(3):
        environment.reset(seed=seed)
        totals = play(environment, Random(seed))
        assert sum(totals.values()) == pytest.approx(0)
        won.append(max(totals.values()))
    assert 1.0 in won


def test_rewards_can_be_the_scores() -> None:
    for name, sign in (("score", 1), ("negative score", -1)):
        environment = raw_env("even-odd", options={"draws": 3}, rewards=name)
        environment.reset(seed=1)
        totals = play(environment, Random(1))
        outcome = environment.episode.outcome
        assert outcome is not None
        assert list(totals.values()) == [sign * score for score in outcome.scores.values()]


def test_a_game_without_scores_gives_no_rewards_for_them() -> None:
    outcome = Outcome((PlayerId("ana"),), ByPlayer())
    for name in ("score", "negative score"):
        assert set(REWARDS[name](outcome, (PlayerId("ana"), PlayerId("bo"))).values()) == {0.0}


def test_agents_act_in_the_order_of_their_seats_without_seeing_what_the_other_has_chosen() -> None:
    seen = []
    for action in (1, 2):
        environment = raw_env("e-card")
        environment.reset(seed=4)  # player_0 is the slave
        assert environment.agent_selection == "player_0"
        environment.step(action)
        assert environment.agent_selection == "player_1"
        seen.append(environment.observe("player_1")["observation"])
    assert (seen[0] == seen[1]).all()


def test_an_illegal_action_loses_and_ends_the_match() -> None:
    environment = env("e-card")
    environment.reset(seed=4)
    environment.last()
    environment.step(0)  # the slave has no emperor
    assert environment.unwrapped.rewards == {"player_0": -1.0, "player_1": 0}
    assert all(environment.unwrapped.terminations.values())
    raw = raw_env("e-card")
    raw.reset(seed=4)
    with pytest.raises(IllegalAction, match="player_0 may not choose action 0 now: 2 is Pick card=S; 1 is Pick card=C"):
        raw.step(0)


def test_in_parallel_both_players_of_e_card_choose_at_once() -> None:
    environment = parallel_env("e-card", render_mode="ansi")
    observations, _ = environment.reset(seed=4)
    assert [observations[agent]["action_mask"].tolist() for agent in environment.agents] == [[0, 1, 1, 0], [1, 1, 0, 0]]
    observations, rewards, *_ = environment.step({"player_0": 2, "player_1": 0})
    assert environment.episode.state.score == {"player_0": 1, "player_1": 0}
    assert rewards == {"player_0": 0.0, "player_1": 0.0}
    text = environment.render()
    assert text is not None
    assert "player_1\nphase: Picking" in text


def test_in_parallel_a_player_who_cannot_move_waits_and_an_illegal_action_loses() -> None:
    environment = parallel_env("up-down")
    observations, _ = environment.reset(seed=1)
    bets, wait = [1, 2], environment.wait
    assert [observations[agent]["action_mask"].nonzero()[0].tolist() for agent in environment.agents] == [bets, [wait]]
    observations, *_ = environment.step({"player_0": 1, "player_1": wait})
    assert observations["player_0"]["action_mask"].nonzero()[0].tolist() == [wait]
    _, rewards, is_over, _, infos = environment.step({"player_0": 1, "player_1": 1})
    assert rewards == {"player_0": -1.0, "player_1": 0.0}
    assert infos == {"player_0": {"illegal": True}, "player_1": {}}
    assert is_over == {"player_0": True, "player_1": True}
    assert environment.agents == []


def test_a_match_is_stopped_after_the_most_moves() -> None:
    environment = raw_env("66", most_moves=5)
    environment.reset(seed=0)
    assert play(environment, Random(0)) == {"player_0": 0.0, "player_1": 0.0}
    assert environment.episode.was_stopped


def test_every_match_can_begin_in_a_given_state() -> None:
    start = find_state("e-card", lambda state: state.is_tie_break)
    environment = raw_env("e-card", start=start)
    for seed in range(2):
        environment.reset(seed=seed)
        assert environment.episode.state.score == {"player_0": 6, "player_1": 6}
        assert sorted(play(environment, Random(seed)).values()) == [-1.0, 1.0]
        assert environment.episode.moves <= 10


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"game": "chess"}, "There is no game 'chess'. Installed games: 66, e-card, even-odd, up-down."),
        ({"game": "66", "players": 9}, "This game takes 2 to 5 players, not 9."),
        ({"game": "even-odd", "options": {"draws": 0}}, "Invalid options for even-odd: draws must be at least 1."),
        ({"game": "66", "rewards": "luck"}, "There are no rewards 'luck'. Known rewards: win, score, negative score;"),
        ({"game": "66", "most_moves": 0}, "The most moves of a match are at least 1, not 0."),
        ({"game": "66", "recent": -1}, "An observation has at least 0 recent items of a history, not -1."),
        ({"game": "66", "start": 3}, "A start is a state of 66, not int."),
    ],
)
def test_invalid_arguments_are_refused_with_a_sentence(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidTask) as refused:
        env(**arguments)
    assert sentence in str(refused.value)


def test_nothing_is_played_before_the_first_reset() -> None:
    environment = parallel_env("e-card")
    for ask in (lambda: environment.step({"player_0": 0}), lambda: environment.text("player_0")):
        with pytest.raises(ResetNeeded, match=r"Call reset\(\) before anything else"):
            ask()
