"""The search with a guide: what it believes, how it compares actions, how it mixes, and how its budget is named."""

from collections import Counter
from itertools import count, cycle, islice
from random import Random
from typing import Any

import pytest

from tests.bots.matches import chooser
from tests.bots.toys import Pile, Take, hands, hands_study, sticks, sticks_study
from tests.rules.sixtysix.matches import turn
from tests.rules.updown.matches import betted
from turnstile.bots import Guide, bots_of, random_bot
from turnstile.bots.names import game_bots
from turnstile.bots.search import SearchBot, iterations, read_budget, search_bot
from turnstile.bots.search.beliefs import plausible_states
from turnstile.bots.search.race import BATCH, Race
from turnstile.bots.search.stage import Stage
from turnstile.games import ecard
from turnstile.games.sixtysix.moves import StopRound
from turnstile.kernel import AnyGame, PlayerId, Seed
from turnstile.lab.match import next_event, play_out
from turnstile.registry import find_game, names, study_of

ANA, BO = PlayerId("ana"), PlayerId("bo")
ONE, TWO = Take(ANA, 1), Take(ANA, 2)
OTHER_ONE, OTHER_TWO = Take(BO, 1), Take(BO, 2)


def installed(name: str) -> AnyGame:
    game = find_game(name)
    assert game is not None
    return game


def moments(game: AnyGame, number: int) -> list[Any]:
    """States of a match between the game's best bots in which a player has a choice."""
    best = next(iter(bots_of(game).values()))
    players = {player: chooser(best, Random(player)) for player in (ANA, BO)}
    state = game.new((ANA, BO), game.options(), Seed("moments"))
    found: list[Any] = []
    while len(found) < number:
        if game.dealer(state) is None and len(game.next_to_act(state)[1]) > 1:
            found.append(state)
        state = game.machine.apply(state, next_event(game, state, players))
    return found


# What it may not see


@pytest.mark.parametrize("name", names())
def test_its_choice_depends_on_its_view_and_not_on_what_is_hidden(name: str) -> None:
    game, study = installed(name), study_of(installed(name))
    assert study.redraw is not None
    bot = bots_of(game)["search:16"]
    for number, state in enumerate(moments(game, 9)):
        player, actions = game.next_to_act(state)
        other = study.redraw(state, player, Seed(f"{number}"))
        assert other != state
        chosen = bot(game.view(state, player), actions, Random(number))
        assert chosen in actions
        assert bot(game.view(other, player), actions, Random(number)) == chosen


# What it believes


def test_a_state_that_is_three_times_as_plausible_is_believed_three_times_as_often() -> None:
    rng = Random(7)
    states = plausible_states(
        (rng.choice("ab") for _ in count()), lambda state, player: {"a": 3.0, "b": 1.0}[state], ANA, rng
    )
    drawn = list(islice(states, 2000))
    assert 0.72 < drawn.count("a") / len(drawn) < 0.78


def test_a_walk_that_varies_its_state_believes_each_as_often_as_it_is_plausible() -> None:
    """Eight states in a ring, each twice as plausible as the one before: the last one is believed half of the time."""

    def step(state: int, player: PlayerId, rng: Random) -> int:
        return (state + rng.choice((-1, 1))) % 8

    states = plausible_states(iter([0]), lambda state, player: 2.0**state, ANA, Random(7), step)
    drawn = Counter[int](islice(states, 3000))
    assert 0.46 < drawn[7] / 3000 < 0.54
    assert 0.21 < drawn[6] / 3000 < 0.29


def test_in_66_rivals_are_believed_to_keep_low_cards() -> None:
    game, guide = installed("66"), game_bots(installed("66")).guide
    assert guide is not None
    assert guide.plausibility is not None
    state = moments(game, 12)[-1]
    player, _ = game.next_to_act(state)
    rng, study = Random(3), study_of(game)
    assert study.imagine is not None
    imagined = [study.imagine(game.view(state, player), player, Seed(f"{number}")) for number in range(300)]
    believed = list(islice(plausible_states(iter(cycle(imagined)), guide.plausibility, player, rng), 300))
    rival = 1 - state.turn
    kept = [[card.value for card in each.hands[rival]] for each in (*imagined, *believed)]
    sums = [sum(values) for values in kept]
    assert sum(sums[300:]) / 300 < sum(sums[:300]) / 300 - 1


def test_in_up_down_a_high_bet_makes_a_strong_hand_plausible() -> None:
    guide = game_bots(installed("up-down")).guide
    assert guide is not None
    assert guide.plausibility is not None
    strong, weak = (betted("4C", "0 1 2", ana="2D 3H", bo="2H 3D", cy=held) for held in ("AC KC", "5S 6S"))
    assert guide.plausibility(strong, ANA) > 10 * guide.plausibility(weak, ANA)
    assert guide.plausibility(strong, PlayerId("cy")) == guide.plausibility(weak, PlayerId("cy"))


# How it compares actions


def test_the_better_action_wins_the_race_and_the_worse_drops_out() -> None:
    race = Race(ONE, [TWO])
    for number in range(BATCH):
        race.add([0.4 + 0.01 * (number % 2), 0.6])
    assert race.runners == [TWO]
    assert race.winner() == TWO


def test_in_doubt_the_favourite_wins() -> None:
    race = Race(ONE, [ONE, TWO])
    assert race.runners == [ONE, TWO]
    assert race.winner() == ONE
    for number in range(BATCH):
        race.add([0.5, 0.51 if number else 0.5 - 0.03])
    assert race.leader() == TWO
    assert race.winner() == ONE


def test_it_improves_on_its_heuristic() -> None:
    """The heuristic takes any number of sticks; the search takes the last ones."""
    bot = search_bot(sticks, sticks_study, Guide(heuristic=random_bot), iterations(100))
    for left in (2, 3):
        state: Pile = sticks.new((ANA, BO), sticks.options(left), None)  # type: ignore[assignment]
        assert [bot(state, sticks.actions(state, ANA), Random(seed)) for seed in range(5)] == [Take(ANA, left)] * 5


def test_it_tries_only_what_the_guide_lists_and_the_choice_of_the_heuristic() -> None:
    tried: set[int] = set()

    def prospects(state: Pile, moves: int) -> dict[PlayerId, float]:
        assert moves == 1
        tried.add(state.sticks)
        return {ANA: 0.5, BO: 0.5}

    guide = Guide(heuristic=lambda view, actions, rng: ONE, shortlist=lambda view, actions: [TWO], prospects=prospects)
    state: Pile = sticks.new((ANA, BO), sticks.options(9), None)  # type: ignore[assignment]
    assert search_bot(sticks, sticks_study, guide, iterations(20))(state, sticks.actions(state, ANA), Random(1)) == ONE
    assert tried == {8, 7}


def test_it_stops_a_round_of_66_that_it_cannot_lose() -> None:
    game = installed("66")
    state = turn(alice="0:0 0:0 1:0 1:0", bob="12 12 11 11")
    player, actions = game.next_to_act(state)
    assert bots_of(game)["search:60"](game.view(state, player), actions, Random(1)) == StopRound(player)


# Where choices are simultaneous


def test_regret_matching_finds_the_mixed_equilibrium_of_a_known_game() -> None:
    """2, -1, -1, 1 for the first player: both choose their first with probability 2/5, and the value is 1/5."""
    stage = Stage({ANA: [ONE, TWO], BO: [OTHER_ONE, OTHER_TWO]})
    for cell, won in zip(stage.cells, (2, -1, -1, 1), strict=True):
        stage.add(cell, {ANA: won, BO: -won})
    found = stage.equilibrium()
    assert abs(found[ANA][ONE] - 0.4) < 0.01
    assert abs(found[BO][OTHER_ONE] - 0.4) < 0.01


@pytest.mark.parametrize("seat", [0, 1])
def test_in_e_card_it_lays_its_special_card_about_one_time_in_five(seat: int) -> None:
    """Also when the other player has laid its card already."""
    bot = bots_of(ecard.game)["search:80"]
    state: Any = ecard.new((ANA, BO), ecard.Options(), Seed("7"))
    for event in (ecard.Start(Seed("7")), ecard.BeginPicking()):
        state = ecard.ecard.apply(state, event)
    player, other = (ANA, BO) if seat == 0 else (BO, ANA)
    if seat == 1:
        state = ecard.ecard.apply(state, ecard.actions(state, other)[0])
    actions, rng = ecard.actions(state, player), Random(5)
    citizen = ecard.Pick(player, ecard.Card.CITIZEN)
    special = [bot(ecard.view(state, player), actions, rng) != citizen for _ in range(40)]
    assert 3 <= sum(special) <= 14


def test_where_the_others_choose_from_hidden_hands_it_races() -> None:
    """A guide with a heuristic alone is enough. Which numbers the other player may lay is different in each state."""
    bot = search_bot(hands, hands_study, Guide(heuristic=random_bot), iterations(100))
    for seed in range(5):
        state: Any = hands.new((ANA, BO), hands.options(), Seed(f"{seed}"))
        actions: Any = hands.actions(state, ANA)
        best = max(actions, key=lambda action: action.number)
        chosen = [bot(hands.view(state, ANA), actions, Random(number)) for number in range(3)]
        assert chosen == [best] * 3


# Budgets


def test_the_budget_follows_the_name() -> None:
    bots = bots_of(ecard.game)
    assert list(bots) == ["equilibrium", "search", "random"]
    assert len(bots) == 3
    searching = bots["search:50"]
    assert isinstance(searching, SearchBot)
    assert len(list(searching.budget())) == 50
    assert "search:0.5s" in bots
    for name in ("search:", "search:0", "search:0s", "search:0.0s", "search:-1", "search:many", "random:5", "other"):
        assert name not in bots
    assert read_budget("3s") is not None


# How strong it is


def test_it_beats_the_heuristic_of_up_down() -> None:
    """Small rounds, so that it is quick; the seed decides everything."""
    game = installed("up-down")
    bots = bots_of(game)
    won = 0.0
    for number in range(12):
        seats = {ANA: chooser(bots["search:100"], Random(number)), BO: chooser(bots["counter"], Random(number))}
        state, _ = play_out(
            game, game.options(4), Seed(f"{number // 2}"), seats if number % 2 else dict(reversed(seats.items()))
        )
        outcome = game.outcome(state)
        assert outcome is not None
        won += (ANA in outcome.winners) / len(outcome.winners)
    assert won >= 8
