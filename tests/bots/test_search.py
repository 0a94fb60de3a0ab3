"""The bot that searches: it finds what there is to find, sees nothing it should not, and can be repeated."""

from collections import Counter
from dataclasses import replace
from itertools import count, product
from random import Random
from typing import Any

import pytest

from tests.bots.matches import chooser
from tests.bots.toys import Gamble, Look, Pile, Share, Take, cups, cups_study, sticks, sticks_study
from turnstile.bots import bots_of, random_bot
from turnstile.bots.names import game_bots
from turnstile.bots.search import SearchBot, iterations, search_bot, seconds
from turnstile.bots.search.playouts import shares
from turnstile.bots.search.tree import changes
from turnstile.games import ecard, evenodd
from turnstile.kernel import ByPlayer, Outcome, PlayerId, Seed, Study
from turnstile.lab.match import next_event, play_out
from turnstile.registry import find_game, names, study_of

ANA, BO = PlayerId("ana"), PlayerId("bo")
FEW = iterations(40)


def pile(count: int) -> Pile:
    return sticks.new((ANA, BO), sticks.options(count), None)  # type: ignore[return-value]


def taken(state: Pile, bot: SearchBot, seed: int = 7) -> int:
    chosen = bot(state, sticks.actions(state, ANA), Random(seed))
    assert isinstance(chosen, Take)
    return chosen.sticks


# What it finds


@pytest.mark.parametrize(("left", "best"), [(2, 2), (3, 3), (5, 1), (6, 2), (7, 3)])
def test_it_finds_the_move_that_wins(left: int, best: int) -> None:
    bot = search_bot(sticks, sticks_study)
    assert [taken(pile(left), bot, seed) for seed in range(5)] == [best] * 5


def test_where_skill_matters_it_beats_chance_from_either_seat() -> None:
    bot = search_bot(sticks, sticks_study, budget=FEW)
    won = 0
    for number in range(30):
        seats = {ANA: chooser(bot, Random(number)), BO: chooser(random_bot, Random(-number))}
        state, _ = play_out(
            sticks, sticks.options(13), Seed("0"), seats if number % 2 else dict(reversed(seats.items()))
        )
        outcome = sticks.outcome(state)
        assert outcome is not None
        won += ANA in outcome.winners
    assert won >= 28


def test_more_thought_is_more_skill() -> None:
    right = [
        sum(taken(pile(14), search_bot(sticks, sticks_study, None, iterations(n)), s) == 2 for s in range(20))
        for n in (3, 600)
    ]
    assert right[0] < 15 < 19 <= right[1]


# What it may not see


def test_nobody_in_its_imagination_acts_on_what_it_could_not_know() -> None:
    """Whoever knew the stone would gamble and always win; who does not wins one time in three, and half is better."""
    bot = search_bot(cups, cups_study, None, iterations(300))
    state: Any = cups.new((ANA, BO), cups.options(), Seed("0"))
    assert {type(bot(cups.view(state, ANA), cups.actions(state, ANA), Random(n))) for n in range(5)} == {Share}


def test_its_choice_does_not_depend_on_what_is_hidden() -> None:
    bot = search_bot(cups, cups_study, None, FEW)
    found: dict[int, Counter[int]] = {}
    for number in range(60):
        state: Any = cups.new((ANA, BO), cups.options(), Seed(str(number)))
        state = cups.machine.apply(state, Gamble(ANA))
        looked = bot(cups.view(state, ANA), cups.actions(state, ANA), Random(1))
        assert isinstance(looked, Look)
        found.setdefault(state.stone, Counter())[looked.cup] += 1
    assert len(found) == 3
    assert len({tuple(counted) for counted in found.values()}) == 1


def test_it_imagines_from_its_own_view_alone() -> None:
    asked = []

    def imagine(view: Any, player: PlayerId | None, seed: Seed) -> Any:
        asked.append((view, player))
        return evenodd_study.imagine(view, player, seed)  # type: ignore[misc]

    evenodd_study = study_of(evenodd.game)
    bot = search_bot(evenodd.game, replace(evenodd_study, imagine=imagine), None, FEW)
    state: Any = evenodd.new((ANA, BO), evenodd.Options(), Seed("7"))
    state = evenodd.evenodd.apply(state, evenodd.Start(Seed("7")))
    seen = evenodd.view(state, BO)
    bot(seen, evenodd.actions(state, BO), Random(1))
    assert asked == [(seen, BO)] * 40


def test_views_are_remembered_by_what_sets_them_apart_from_the_first() -> None:
    views = [ecard.view(state, player) for state in ecard_states() for player in (ANA, BO)]
    for one, other in product(views, repeat=2):
        assert (changes(one, views[0]) == changes(other, views[0])) == (one == other)


def ecard_states() -> list[ecard.State]:
    """Every state of a match in which each player lays its first card."""
    state: Any = ecard.new((ANA, BO), ecard.Options(), Seed("7"))
    states = [state]
    while ecard.outcome(state) is None:
        state = ecard.ecard.apply(state, ecard.game.offered(state)[0])
        states.append(state)
    return states


# How long it thinks


def test_the_same_chance_gives_the_same_choice() -> None:
    state: Any = ecard.new((ANA, BO), ecard.Options(), Seed("7"))
    for event in (ecard.Start(Seed("7")), ecard.BeginPicking()):
        state = ecard.ecard.apply(state, event)
    bot = search_bot(ecard.game, study_of(ecard.game), None, FEW)
    given = ecard.view(state, ANA), ecard.actions(state, ANA)
    chosen = [[bot(*given, Random(seed)) for seed in range(8)] for _ in range(2)]
    assert chosen[0] == chosen[1]


def test_it_may_think_for_a_time_instead_and_at_least_once() -> None:
    ticks = count()
    budget = seconds(5, clock=lambda: next(ticks))
    assert [len(list(budget())) for _ in range(3)] == [5, 5, 5]
    assert len(list(seconds(0)())) == 1
    assert taken(pile(3), search_bot(sticks, sticks_study, budget=seconds(30, clock=lambda: next(ticks)))) in (1, 2, 3)


def test_it_does_not_think_about_nothing() -> None:
    with pytest.raises(ValueError, match="must be at least 1, not 0"):
        iterations(0)
    forced = Pile(phase=pile(1).phase, players=(ANA, BO), sticks=1)
    never = replace(search_bot(sticks, sticks_study), budget=lambda: pytest.fail("there is nothing to think about"))
    assert taken(forced, never) == 1


def test_a_match_beyond_the_horizon_is_judged_by_how_it_stands() -> None:
    """From 6 sticks nobody wins within two events. If it stood well for whoever leaves an odd pile, 1 or 3 would do."""

    def standing(state: Pile) -> Outcome:
        left_by = state.players[1 - state.turn]
        good = left_by if state.sticks % 2 else state.players[state.turn]
        return Outcome((good,), ByPlayer())

    near = search_bot(sticks, replace(sticks_study, standing=standing), horizon=1)
    assert {taken(pile(6), near, seed) for seed in range(6)} <= {1, 3}
    blind = search_bot(sticks, sticks_study, None, iterations(30), horizon=1)
    assert {taken(pile(9), blind, seed) for seed in range(30)} == {1, 2, 3}, "all the same to it"


def test_winners_share_the_reward_and_without_winners_everybody_does() -> None:
    players = (ANA, BO, PlayerId("cy"))
    assert shares(Outcome((BO,), ByPlayer()), players) == {"ana": 0, "bo": 1, "cy": 0}
    assert shares(Outcome((ANA, BO), ByPlayer()), players) == {"ana": 0.5, "bo": 0.5, "cy": 0}
    for nobody in (Outcome((), ByPlayer()), None):
        assert shares(nobody, players) == dict.fromkeys(players, 1 / 3)


# Where it is offered


def test_it_is_offered_for_every_game_that_can_be_imagined_after_the_games_own_bots() -> None:
    for name in names():
        game = find_game(name)
        assert game is not None
        assert study_of(game).imagine is not None
        assert list(bots_of(game))[-2:] == ["search", "random"]


def test_it_is_not_offered_where_nothing_can_be_imagined() -> None:
    assert study_of(sticks) == Study()
    assert list(bots_of(sticks)) == ["random"]


@pytest.mark.parametrize("name", names())
def test_it_plays_every_game_and_chooses_only_what_is_offered(name: str) -> None:
    game = find_game(name)
    assert game is not None
    players = tuple(PlayerId(f"seat {number}") for number in range(game.seats[0]))
    bot = search_bot(game, study_of(game), game_bots(game).guide, iterations(5), horizon=40)
    choosers = {player: chooser(bot, Random(player)) for player in players}
    state = game.new(players, game.options(), Seed("7"))
    for _ in range(60):
        if game.outcome(state) is None:
            state = game.machine.apply(state, next_event(game, state, choosers))
