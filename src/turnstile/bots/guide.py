"""What the authors of a game's bots know and `search` cannot see from the rules.

A game's bots are a mapping of names to bots, or `GameBots`, which adds a guide. `search` works without a guide; with
one it is much stronger.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from random import Random
from typing import Any

from turnstile.bots.bot import AnyBot
from turnstile.kernel import Move, PlayerId

Shares = Mapping[PlayerId, float]
"""The chance of each player to win the match; a shared win counts in parts."""


def _no_shares(state: Any, moves: int) -> Shares | None:
    return None


def _all_actions(view: Any, actions: Sequence[Move]) -> Sequence[Move]:
    return actions


def _same_state(state: Any) -> Any:
    return state


@dataclass(frozen=True, slots=True, kw_only=True)
class Guide:
    """What `search` may use to play one game well. All but the heuristic is optional."""

    heuristic: AnyBot
    """A fast bot, which plays all seats in imagined matches. `search` departs from its choice only for a clear gain."""
    shortlist: Callable[[Any, Sequence[Move]], Sequence[Move]] = _all_actions
    """The actions that are worth trying in a view. The choice of the heuristic is tried in any case."""
    prospects: Callable[[Any, int], Shares | None] = _no_shares
    """The chance of each player to win, in states in which an imagined match may stop, such as the end of a round.

    In all other states it is `None`. The number says how many moves were imagined so far. Without prospects, imagined
    matches are played to their end.
    """
    plausibility: Callable[[Any, PlayerId], float] | None = None
    """How well an imagined state explains what the other players have done, compared with other imagined states.

    The player is the one that imagines. Only ratios matter. Without it, all imagined states are equally plausible.
    """
    vary: Callable[[Any, PlayerId, Random], Any] | None = None
    """Another imagined state that differs from the given one in some hidden things. The player cannot tell them apart.

    The way there is as likely as the way back. With it, `search` goes from one plausible state to the next. That needs
    far fewer states than to imagine all of them anew, if there is much that can be implausible.
    """
    retract: Callable[[Any], Any] = _same_state
    """The state before the choices that were made and not shown yet, for games with simultaneous choices.

    Such a choice cannot depend on the player's own, so `search` lets both be made at the same time.
    """


@dataclass(frozen=True, slots=True)
class GameBots:
    """The bots of one game by name, best first, and the guide for `search`."""

    bots: Mapping[str, AnyBot]
    guide: Guide | None = None


def shares_by_score(scores: Mapping[PlayerId, float], scale: float) -> Shares:
    """The chance of each player to win with these scores: equal without a lead, 3/4 to 1/4 with a lead of `scale`."""
    best = max(scores.values())
    weights = {player: exp((score - best) / scale) for player, score in scores.items()}
    total = sum(weights.values())
    return {player: weight / total for player, weight in weights.items()}
