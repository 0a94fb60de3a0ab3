"""E-Card. `rules` is the machine, from the lobby to the last round; the other modules hold what it works with."""

from turnstile.games.ecard.cards import Card, Hand, hand, notation
from turnstile.games.ecard.rules import (
    BeginPicking,
    Pick,
    Reset,
    Start,
    actions,
    dealer,
    ecard,
    game,
    new,
    outcome,
    view,
)
from turnstile.games.ecard.state import Code, Options, Pair, Phase, Roles, State, View

__all__ = [
    "BeginPicking",
    "Card",
    "Code",
    "Hand",
    "Options",
    "Pair",
    "Phase",
    "Pick",
    "Reset",
    "Roles",
    "Start",
    "State",
    "View",
    "actions",
    "dealer",
    "ecard",
    "game",
    "hand",
    "new",
    "notation",
    "outcome",
    "view",
]
