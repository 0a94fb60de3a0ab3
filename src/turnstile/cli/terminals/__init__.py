"""How a game is shown and told in a terminal. A game that brings no terminal is shown as plain text (`plain`)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from rich.console import RenderableType

from turnstile.cli.terminals.plain import plain_name, plain_show, plain_tell
from turnstile.cli.terminals.words import join_words, you_or_name
from turnstile.kernel import AnyGame, Message, Move, Outcome, PlayerId, Players
from turnstile.registry import find

V = TypeVar("V")

TERMINALS = "turnstile.terminals"


def meaning_of(action: Move) -> str:
    """The docstring of an event, as its author wrote it; empty if there is none."""
    return " ".join((type(action).__dict__.get("__doc__") or "").split())


@dataclass(frozen=True, slots=True)
class Terminal(Generic[V]):
    """The words and pictures of a game for one player. A terminal gets views and actions, and knows no rules."""

    show: Callable[[V, PlayerId], RenderableType]
    """The match as the player sees it."""
    tell: Callable[[Message, PlayerId], str]
    """What a message says, in a sentence; empty if the player learns nothing new."""
    name: Callable[[Move], str]
    """The name of a choice."""
    key: Callable[[Move], str | None] = lambda action: None
    """What a player types for a choice, such as the number of a bet; `None` for its number in the list."""
    heading: Callable[[Move], str] = lambda action: ""
    """The heading of a choice; choices with the same heading are listed together."""
    label: Callable[[Move], str] | None = None
    """The text of a choice under its heading; by default its name."""
    meaning: Callable[[Move], str] = meaning_of
    """What a choice does, in a sentence, for a player who types `?`; by default the docstring of the event."""
    missing: Callable[[V, PlayerId, Sequence[Move]], str] = lambda view, player, actions: ""
    """Why a choice that the player may expect is not offered, as far as the view shows the reason."""


def terminal_of(game: AnyGame, players: Players) -> Terminal[Any]:
    """The terminal of a game, or the plain one.

    A game whose messages name seats offers a function instead, which takes the players in seat order.
    """
    found = find(TERMINALS, game.name)
    if callable(found):
        found = found(players)
    return found if isinstance(found, Terminal) else Terminal(plain_show, plain_tell, plain_name)


def sentence_of(outcome: Outcome, player: PlayerId | None = None) -> str:
    """Who has won, and the scores; `player` is "you"."""
    winners = [you_or_name(winner, player) for winner in outcome.winners] or ["nobody"]
    verb = "win" if len(winners) > 1 or outcome.winners == (player,) else "wins"
    scores = ", ".join(f"{you_or_name(who, player)} {points}" for who, points in outcome.scores.items())
    won = f"{join_words(winners)} {verb}"
    is_name = outcome.winners[:1] not in ((), (player,))
    return f"{won if is_name else won.capitalize()}{f': {scores}' if scores else ''}."
