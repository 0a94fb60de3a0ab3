"""Bots for E-Card."""

from collections.abc import Sequence
from random import Random

from turnstile.games.ecard import Pick, View


def equilibrium(view: View, actions: Sequence[Pick], rng: Random) -> Pick:
    """Lay each card of the hand with the same probability: no opponent can do better against it, in either role.

    A decisive round depends only on timing. Let the emperor be laid at the i-th reveal and the slave at the j-th, each
    from 1 to 5. If i = j, the slave meets the emperor and wins. If i < j, the emperor meets a citizen and wins; if
    j < i, the slave meets a citizen and loses. So the slave's side wins exactly when i = j.

    If the slave's side makes every j equally likely, i = j has probability 1/5 whatever the emperor's side does; if the
    emperor's side makes every i equally likely, i = j has probability 1/5 whatever the slave's side does. Neither can
    gain by doing anything else: that is the equilibrium, and the emperor's side wins 4 rounds of 5.

    To make every moment equally likely, lay the special card with probability 1/n when n cards are left. That is a
    random card of the hand.
    """
    card = rng.choice(view.hand)
    return next(action for action in actions if action.card is card)


bots = {"equilibrium": equilibrium}
