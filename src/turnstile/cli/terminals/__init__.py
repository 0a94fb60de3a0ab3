"""How a game looks and sounds in a terminal. A game without words of its own is shown as plain text (`plain`)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from rich.console import RenderableType

from turnstile.cli.terminals.plain import plain_name, plain_show, plain_tell
from turnstile.kernel import AnyGame, Message, Move, Outcome, PlayerId, Players
from turnstile.registry import find

V = TypeVar("V")

TERMINALS = "turnstile.terminals"


def meaning_of(action: Move) -> str:
    """What the author of a game has written about an event of this kind; nothing where there is no docstring."""
    return " ".join((type(action).__dict__.get("__doc__") or "").split())


@dataclass(frozen=True, slots=True)
class Terminal(Generic[V]):
    """A game's words and pictures for the player who sits here. It goes by views and actions and knows no rules."""

    show: Callable[[V, PlayerId], RenderableType]
    """The match as the player sees it."""
    tell: Callable[[Message, PlayerId], str]
    """What a message says, in a sentence; an empty one says nothing new."""
    name: Callable[[Move], str]
    """What a choice is called."""
    key: Callable[[Move], str | None] = lambda action: None
    """What a player types for a choice, such as the number of a bet; `None`: the number of the choice in the list."""
    heading: Callable[[Move], str] = lambda action: ""
    """Under which heading a choice stands; choices with one heading stand together."""
    label: Callable[[Move], str] | None = None
    """What a choice is called under its heading; by default its name."""
    meaning: Callable[[Move], str] = meaning_of
    """What a choice does, in a sentence, for a player who asks; by default the docstring of the event."""
    missing: Callable[[V, PlayerId, Sequence[Move]], str] = lambda view, player, actions: ""
    """Why a choice that the player may expect is not among the actions, as far as the view says so."""


def terminal_of(game: AnyGame, players: Players) -> Terminal[Any]:
    """The terminal that was made for a game, or the plain one.

    A game whose messages speak of seats offers a function instead: the terminal for these players, in seat order.
    """
    found = find(TERMINALS, game.name)
    if callable(found):
        found = found(players)
    return found if isinstance(found, Terminal) else Terminal(plain_show, plain_tell, plain_name)


def sentence_of(outcome: Outcome, player: PlayerId | None = None) -> str:
    """Who has won, and the scores; `player` is spoken to as "you"."""
    winners = ["you" if winner == player else winner for winner in outcome.winners] or ["nobody"]
    verb = "win" if len(winners) > 1 or outcome.winners == (player,) else "wins"
    scores = ", ".join(f"{'you' if who == player else who} {points}" for who, points in outcome.scores.items())
    won = f"{' and '.join(winners)} {verb}"
    is_name = outcome.winners[:1] not in ((), (player,))
    return f"{won if is_name else won.capitalize()}{f': {scores}' if scores else ''}."
