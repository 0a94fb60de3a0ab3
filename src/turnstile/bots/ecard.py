"""Bots for E-Card."""

from collections.abc import Sequence
from random import Random

from msgspec.structs import replace

from turnstile.bots.guide import GameBots, Guide, Shares
from turnstile.games.ecard import Phase, Pick, State, View
from turnstile.kernel import ByPlayer


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


# the guide for `search`


def prospects(state: State, moves: int) -> Shares | None:
    """After a decisive round: the player that won it is happier. How much does not matter for choices within it."""
    if state.phase is not Phase.ROUND_SETUP or not state.revealed:
        return None
    winner = state.revealed[-1].winner
    return {player: float(player == winner) for player in state.players}


def retract(state: State) -> State:
    """The state before any card was laid face down."""
    return replace(state, pending_picks=ByPlayer.same(state.players, None))


bots = GameBots({"equilibrium": equilibrium}, Guide(heuristic=equilibrium, prospects=prospects, retract=retract))
