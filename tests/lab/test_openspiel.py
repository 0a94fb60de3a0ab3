"""Games as OpenSpiel games pass OpenSpiel's own tests, and its algorithms solve a small one."""

import pickle
from importlib.metadata import EntryPoint
from typing import Any

import pyspiel
import pytest
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability
from open_spiel.python.observation import make_observation
from open_spiel.python.rl_environment import Environment

from turnstile import registry
from turnstile.games.ecard import Card, Pick
from turnstile.lab.encoding import action_ids
from turnstile.lab.environment import InvalidTask, find_state
from turnstile.lab.openspiel import load, register_games
from turnstile.registry import names

SMALL: dict[str, dict[str, Any]] = {
    "66": {"deals": 3, "most_moves": 60, "players": 3},
    "e-card": {"deals": 3, "most_moves": 30},
    "even-odd": {"deals": 3, "options": {"draws": 3}},
    "up-down": {"deals": 3, "players": 3, "options": {"maxRoundSize": 2}},
}


@pytest.fixture(scope="module")
def decisive_round() -> Any:
    """The tie break of E-Card: one decisive round, and its winner wins the match. player_1 is the emperor."""
    return load("e-card", start=find_state("e-card", lambda state: state.is_tie_break))


@pytest.mark.parametrize("game", names())
def test_it_passes_the_simulations_of_openspiel(game: str) -> None:
    pyspiel.random_sim_test(load(game, **SMALL.get(game, {})), num_sims=2, serialize=True, verbose=False)


def test_a_start_passes_them_too(decisive_round: Any) -> None:
    assert decisive_round.get_type().chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC
    pyspiel.random_sim_test(decisive_round, num_sims=5, serialize=True, verbose=False)


def test_cfr_finds_the_equilibrium_of_a_decisive_round(decisive_round: Any) -> None:
    """The emperor's side wins 4 rounds of 5, and each side lays its special card with probability 1/n of n cards."""
    solver = cfr.CFRPlusSolver(decisive_round)
    for _ in range(150):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    state = decisive_round.new_initial_state()
    slaves, emperors = expected_game_score.policy_value(state, [policy, policy])
    assert (1 + emperors) / 2 == pytest.approx(4 / 5, abs=0.001)
    assert slaves == -emperors
    assert exploitability.exploitability(decisive_round, policy) < 0.01
    ids = action_ids(state.task.game)
    for held in (5, 4, 3):
        for card in (Card.SLAVE, Card.EMPEROR):
            player = state.task.players[state.current_player()]
            chance = policy.action_probabilities(state)[ids.id_of(Pick(player, card), state.task.players)]
            assert chance == pytest.approx(1 / held, abs=0.03)
            state.apply_action(ids.id_of(Pick(player, Card.CITIZEN), state.task.players))


def test_a_game_is_registered_under_its_name() -> None:
    game = pyspiel.load_game("turnstile_e_card(deals=7)")
    assert str(pyspiel.load_game(str(game))) == str(game)
    assert game.num_distinct_actions() == 3
    assert len(game.new_initial_state().chance_outcomes()) == 7


def test_an_information_state_is_the_stream_of_its_player() -> None:
    state = load("e-card", deals=5).new_initial_state()
    state.apply_action(2)
    before = state.information_state_string(1)
    other = state.clone()
    state.apply_action(state.legal_actions()[0])
    other.apply_action(other.legal_actions()[1])
    assert state.information_state_string(1) == other.information_state_string(1), "the card lies face down"
    assert state.information_state_string(1).startswith(before)
    assert state.information_state_string(0) != other.information_state_string(0)
    assert state.observation_string(0).startswith("phase: Picking\nplayers: player_0, player_1")


def test_deals_that_a_player_cannot_tell_apart_have_the_same_information_state() -> None:
    """Seeds and commitments differ with every deal, and are no part of what a player knows."""
    game = load("even-odd", deals=6)
    assert len({game.new_initial_state().child(deal).information_state_string(0) for deal in range(6)}) == 1


def test_a_tensor_is_the_view_of_its_player() -> None:
    state = load("up-down", deals=2).new_initial_state().child(1)
    observed = make_observation(state.get_game())
    observed.set_from(state, player=1)
    task, moment = state.task, state.moment
    player = task.players[1]
    expected = task.layout.tensor(task.game.view(moment.state, player), task.players, player)
    assert (observed.tensor == expected).all()
    assert state.observation_tensor(1) == expected.tolist()


def test_its_environment_for_learning_plays_a_match() -> None:
    environment = Environment(load("even-odd", options={"draws": 2}, deals=4))
    environment.seed(1)
    step = environment.reset()
    while not step.last():
        player = step.observations["current_player"]
        step = environment.step([step.observations["legal_actions"][player][0]])
    assert sum(step.rewards) == 0


def test_a_game_can_be_pickled_for_another_process() -> None:
    game = load("up-down", players=3, options={"maxRoundSize": 2}, deals=4)
    again = pickle.loads(pickle.dumps(game))  # noqa: S301 - its own
    assert str(again) == str(game)
    assert again.num_players() == 3
    assert str(again.new_initial_state().child(1)) == str(game.new_initial_state().child(1))


def test_a_state_can_be_pickled_within_its_game() -> None:
    game = load("66", deals=2)
    state = game.new_initial_state().child(0)
    again = pickle.loads(pickle.dumps(state))  # noqa: S301 - its own
    assert str(again) == str(state)
    assert again.information_state_string(0) == state.information_state_string(0)


def test_a_game_that_cannot_be_imported_does_not_keep_the_others_away(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("broken", "no_module_of_this_name:game", registry.GAMES)
    installed = registry._entries
    monkeypatch.setattr(
        registry,
        "_entries",
        lambda group: {**({"broken": broken} if group == registry.GAMES else {}), **installed(group)},
    )
    registry.look_again()
    try:
        register_games()
        assert str(load("e-card")).startswith("turnstile_e_card(")
        with pytest.raises(registry.PackageFault, match="broken cannot be used: no_module_of_this_name:game"):
            load("broken")
    finally:
        monkeypatch.undo()
        registry.look_again()


def test_invalid_arguments_are_refused_with_a_sentence() -> None:
    with pytest.raises(InvalidTask, match="There must be at least 1 deal, not 0"):
        load("e-card", deals=0)
    with pytest.raises(InvalidTask, match="There must be at least 1 deal, not -3"):
        pyspiel.load_game("turnstile_e_card(deals=-3)")
    with pytest.raises(InvalidTask, match="There is no game 'chess'"):
        load("chess")
    for parameter in ("options=draws", "options=7b", "start=draws"):
        with pytest.raises(InvalidTask, match="Options and start are JSON in hexadecimal"):
            pyspiel.load_game(f"turnstile_e_card({parameter})")
