"""Random decisions in games of like size, in the way in which learners play: with what the player sees and may do.

Every contestant plays matches of its own game, one after the other, until it has made the same number of decisions. The
games differ, so this compares the cost of a decision and not of the same decision. Before each one, the contestant has
made the observation of the player to move and the list or mask of the legal actions, as its documentation shows.

The small games are E-Card and Leduc hold'em: a few cards, a few actions. The large ones are Up-Down and 66 beside
bridge, gin rummy, Uno and Texas hold'em: two to four hands from a whole deck. Bridge is the nearest to Up-Down.
"""

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from importlib.metadata import version
from itertools import islice
from random import Random
from typing import Any

from bench.harness import Absent, Aim, Contest, Contestant, Run
from turnstile.kernel import AnyGame, PlayerId, Rejection, Seed
from turnstile.registry import find_game

DECISIONS = 1_000
MISSING = "{} is not installed; pip install 'turnstile[peers]' brings it."

Play = Callable[[], Iterator[None]]
"""Plays matches without end; yields after every decision."""


def small() -> Contest:
    return _contest(
        "small decisions",
        "Random decisions with observation and legal actions, small games",
        [("e-card", 2)],
        ["leduc-holdem"],
        ["leduc_holdem_v4"],
    )


def large() -> Contest:
    return _contest(
        "large decisions",
        "Random decisions with observation and legal actions, large games",
        [("up-down", 3), ("66", 3)],
        ["bridge", "gin-rummy", "uno"],
        ["texas_holdem_v4"],
    )


def _contest(name: str, title: str, ours: list[tuple[str, int]], rlcard: list[str], pettingzoo: list[str]) -> Contest:
    peers = [
        *((f"rlcard {game}", "rlcard", partial(rlcard_decisions, game)) for game in rlcard),
        *((f"pettingzoo {game}", "pettingzoo", partial(pettingzoo_decisions, game)) for game in pettingzoo),
    ]
    present = [(title, module, play) for title, module, play in peers if _is_installed(module)]
    baseline = _name(*ours[0])
    return Contest(
        name=name,
        title=title,
        unit="decision",
        units=DECISIONS,
        baseline=baseline,
        contestants=(
            *(
                _contestant(_name(game, players), "view and actions", partial(our_decisions, game, players))
                for game, players in ours
            ),
            *(_contestant(title, f"{module} {version(module)}", play) for title, module, play in present),
        ),
        absent=tuple(Absent(peer[0], MISSING.format(peer[1])) for peer in peers if peer not in present),
        aims=tuple(
            Aim(contestant=peer[0], sentence=f"{baseline} makes ten times as many decisions as {peer[0]}", at_least=10)
            for peer in peers
        ),
        rounds=30,
    )


def _name(game: str, players: int) -> str:
    return f"{game}, {players} players"


def _contestant(name: str, about: str, play: Play) -> Contestant:
    def prepare() -> Run:
        decisions = play()
        next(decisions)  # what is loaded and built once is not timed
        return lambda: sum(1 for _ in islice(decisions, DECISIONS))

    return Contestant(name=name, about=about, trail=lambda: range(1, DECISIONS + 1), prepare=prepare)


# The ways to play


def our_decisions(name: str, players: int) -> Iterator[None]:
    game = find_game(name)
    assert game is not None
    rng, company = Random(7), tuple(PlayerId(f"player {seat}") for seat in range(1, players + 1))
    while True:
        yield from _our_match(game, company, rng)


def _our_match(game: AnyGame, company: tuple[PlayerId, ...], rng: Random) -> Iterator[None]:
    state: Any = game.new(company, game.options(), Seed(str(rng.random())))
    while game.outcome(state) is None:
        event = game.dealer(state)
        if event is not None:
            state = game.machine.apply(state, event)
            continue
        player, actions = game.next_to_act(state)
        game.view(state, player)
        state = game.machine.apply(state, rng.choice(actions))
        assert type(state) is not Rejection
        yield


def rlcard_decisions(name: str) -> Iterator[None]:
    environment, rng = import_module("rlcard").make(name, config={"seed": 7}), Random(7)
    while True:
        state, _ = environment.reset()
        while not environment.is_over():
            state, _ = environment.step(rng.choice(list(state["legal_actions"])))
            yield


def pettingzoo_decisions(name: str) -> Iterator[None]:
    with _quiet():
        environment, rng = import_module(f"pettingzoo.classic.{name}").env(), Random(7)
    while True:
        environment.reset(seed=rng.randrange(2**31))
        for agent in environment.agent_iter():
            observation, _, is_terminated, is_truncated, _ = environment.last()
            if is_terminated or is_truncated:
                environment.step(None)
                continue
            environment.step(environment.action_space(agent).sample(observation["action_mask"]))
            yield


def _is_installed(module: str) -> bool:
    try:
        with _quiet():
            import_module("pettingzoo.classic.leduc_holdem_v4" if module == "pettingzoo" else module)
    except ImportError:
        return False
    return True


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the greeting of pygame and warnings about an older way to make an environment."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield
