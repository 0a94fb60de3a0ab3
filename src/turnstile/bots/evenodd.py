"""Bots for Even/Odd."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random

from msgspec.structs import replace

from turnstile.bots.guide import GameBots, Guide
from turnstile.games.evenodd import ChooseParity, GameResult, Parity, State, View
from turnstile.kernel import ByPlayer, PlayerId

Habit = Callable[[GameResult, PlayerId, PlayerId], Parity]
"""Predicts what the rival will choose next from the last draw, the predicting player and the rival."""

HABITS: tuple[Habit, ...] = (
    lambda last, reader, rival: last.choices[rival],  # says the same again
    lambda last, reader, rival: last.choices[reader],  # says what the other said
    lambda last, reader, rival: last.number_parity,  # says what was drawn
    lambda last, reader, rival: opposite(last.choices[rival]),
    lambda last, reader, rival: opposite(last.choices[reader]),
    lambda last, reader, rival: opposite(last.number_parity),
)


def reader(view: View, actions: Sequence[ChooseParity], rng: Random) -> ChooseParity:
    """Predict what the rival will say; say the same when ahead, and the opposite otherwise.

    The number cannot be predicted, so no player is right more than half the time. A player can only influence
    whether the two choices differ. If they differ, one of them is right: 3 points or 0, equally likely, 1.5 on
    average. If they do not, both get 1. So a player whose choice differs with probability q expects 1 + q / 2 points
    a draw: 1.25 against a random player, whatever it does, and up to 1.5 against one with a habit. The rival gains
    exactly as much, so these points help in a league but not against this rival. `contrary` plays for points.

    The higher total wins a series. The lead is a fair random walk: a step up or down, equally likely, when the
    choices differ, and none when they do not. Its mean is always 0. But a player that predicts the rival decides
    when to walk: until it is ahead, and then no more. In n fair steps it is ahead at least once with probability
    1 - C(n, n // 2) / 2^n, which is 75 % for ten. Against a random player it cannot decide, and the match is even.
    """
    me, rival = _seats(view, actions)
    foreseen = forecast(view.results, me, rival, rng)
    return _saying(foreseen if view.score[me] > view.score[rival] else opposite(foreseen), actions)


def contrary(view: View, actions: Sequence[ChooseParity], rng: Random) -> ChooseParity:
    """Predict what the rival will say, and say the opposite: this gives both the most points (see `reader`)."""
    return _saying(opposite(forecast(view.results, *_seats(view, actions), rng)), actions)


def forecast(results: Sequence[GameResult], reader: PlayerId, rival: PlayerId, rng: Random) -> Parity:
    """What the rival will say: each habit has a vote, doubled for every past choice that it would have predicted."""
    votes = dict.fromkeys(Parity, 0)
    for habit in HABITS if results else ():
        fit = sum(habit(last, reader, rival) is now.choices[rival] for last, now in pairwise(results))
        votes[habit(results[-1], reader, rival)] += 2**fit
    most = max(votes.values())
    return rng.choice([parity for parity, count in votes.items() if count == most])


def always_even(view: View, actions: Sequence[ChooseParity], rng: Random) -> ChooseParity:
    """Always even: easy to predict."""
    return _saying(Parity.EVEN, actions)


def alternating(view: View, actions: Sequence[ChooseParity], rng: Random) -> ChooseParity:
    """Even and odd in turn: a little harder to predict."""
    return _saying(list(Parity)[len(view.results) % 2], actions)


def opposite(parity: Parity) -> Parity:
    return Parity.ODD if parity is Parity.EVEN else Parity.EVEN


def _seats(view: View, actions: Sequence[ChooseParity]) -> tuple[PlayerId, PlayerId]:
    """The player that predicts, and its rival."""
    me = actions[0].player
    return me, next(player for player in view.players if player != me)


def _saying(parity: Parity, actions: Sequence[ChooseParity]) -> ChooseParity:
    return next(action for action in actions if action.parity_choice == parity)


def retract(state: State) -> State:
    """The state before any choice that is not shown yet, for `search`."""
    return replace(state, choices=ByPlayer.same(state.players, None))


bots = GameBots(
    {"reader": reader, "contrary": contrary, "always-even": always_even, "alternating": alternating},
    Guide(heuristic=reader, retract=retract),
)
