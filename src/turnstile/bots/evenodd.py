"""Bots for Even/Odd."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random

from turnstile.games.evenodd import ChooseParity, GameResult, Parity, View
from turnstile.kernel import PlayerId

Habit = Callable[[GameResult, PlayerId, PlayerId], Parity]
"""What a player will choose next, going by the last draw; the players are the one who reads and the one who is read."""

HABITS: tuple[Habit, ...] = (
    lambda last, reader, rival: last.choices[rival],  # says the same again
    lambda last, reader, rival: last.choices[reader],  # says what the other said
    lambda last, reader, rival: last.number_parity,  # says what was drawn
    lambda last, reader, rival: opposite(last.choices[rival]),
    lambda last, reader, rival: opposite(last.choices[reader]),
    lambda last, reader, rival: opposite(last.number_parity),
)


def reader(view: View, actions: Sequence[ChooseParity], rng: Random) -> ChooseParity:
    """Foresee what the other will say; say the same when ahead, and the opposite otherwise.

    The number cannot be foreseen, so nobody is right more often than every other time. What can be chosen is
    whether the two choices differ. If they do, one of them is right: 3 points or 0, each as likely, 1.5 on
    average. If they do not, both get 1. So whoever differs with probability q expects 1 + q / 2 points a draw:
    1.25 against a player who tosses a coin, whatever one does, and up to 1.5 against one with a habit. The other
    gains exactly as much: points are won on the rest of a league, not on the opponent. `contrary` plays for them.

    A series is won by the higher total. The lead is a fair walk: a step up or down, each as likely, when the
    choices differ, none when they do not; its mean is 0 whatever anybody does. But who foresees the other decides
    when to walk: on until ahead, and then no more. In n fair steps one is ahead at least once with probability
    1 - C(n, n // 2) / 2^n, 75 % for ten. Against a coin the walk cannot be steered, and the match is even.
    """
    me, rival = _seats(view, actions)
    foreseen = forecast(view.results, me, rival, rng)
    return _saying(foreseen if view.score[me] > view.score[rival] else opposite(foreseen), actions)


def contrary(view: View, actions: Sequence[ChooseParity], rng: Random) -> ChooseParity:
    """Foresee what the other will say, and say the opposite: the most points, for both (see `reader`)."""
    return _saying(opposite(forecast(view.results, *_seats(view, actions), rng)), actions)


def forecast(results: Sequence[GameResult], reader: PlayerId, rival: PlayerId, rng: Random) -> Parity:
    """What the rival will say: each habit has a vote, doubled for every choice so far that it would have foretold."""
    votes = dict.fromkeys(Parity, 0)
    for habit in HABITS if results else ():
        fit = sum(habit(last, reader, rival) is now.choices[rival] for last, now in pairwise(results))
        votes[habit(results[-1], reader, rival)] += 2**fit
    most = max(votes.values())
    return rng.choice([parity for parity, count in votes.items() if count == most])


def always_even(view: View, actions: Sequence[ChooseParity], rng: Random) -> ChooseParity:
    """Even, whatever happens: somebody to read."""
    return _saying(Parity.EVEN, actions)


def alternating(view: View, actions: Sequence[ChooseParity], rng: Random) -> ChooseParity:
    """Even and odd in turn: a little harder to read."""
    return _saying(list(Parity)[len(view.results) % 2], actions)


def opposite(parity: Parity) -> Parity:
    return Parity.ODD if parity is Parity.EVEN else Parity.EVEN


def _seats(view: View, actions: Sequence[ChooseParity]) -> tuple[PlayerId, PlayerId]:
    """Who reads, and who is read."""
    me = actions[0].player
    return me, next(player for player in view.players if player != me)


def _saying(parity: Parity, actions: Sequence[ChooseParity]) -> ChooseParity:
    return next(action for action in actions if action.parity_choice == parity)


bots = {"reader": reader, "contrary": contrary, "always-even": always_even, "alternating": alternating}
