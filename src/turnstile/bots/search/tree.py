"""Monte Carlo tree search over information sets, for games of which nothing but the rules is known.

Each imagined match is guided by statistics up to the first new decision, and then played at random. The statistics are
stored by what a player *sees* at a decision, never by the imagined state: in two states that look the same to a player,
that player uses the same statistics, so no player in the search acts on hidden information.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import log, sqrt
from random import Random
from typing import Any

from msgspec.structs import astuple

from turnstile.bots.search.playouts import after, shares
from turnstile.kernel import AnyGame, AnyStudy, Move, PlayerId, Value, encode

CURIOSITY = 0.7  # about 1 / sqrt(2), the usual weight for rewards between 0 and 1


@dataclass(slots=True)
class Trial:
    """One action at a decision: how often it was offered, how often it was chosen, and the reward."""

    offered: int = 0
    chosen: int = 0
    reward: float = 0.0

    def promise(self) -> float:
        """The upper confidence bound. It counts only the imagined states in which the action was offered."""
        return self.reward / self.chosen + CURIOSITY * sqrt(log(self.offered) / self.chosen)


@dataclass(slots=True)
class Decision:
    """The statistics of one decision, as its player sees it."""

    trials: dict[Move, Trial] = field(default_factory=dict)

    def choose(self, actions: Sequence[Move], rng: Random) -> Move:
        """An untried action, or else the most promising of the offered ones."""
        for action in actions:
            self.trials.setdefault(action, Trial()).offered += 1
        untried = [action for action in actions if not self.trials[action].chosen]
        return rng.choice(untried) if untried else max(actions, key=lambda action: self.trials[action].promise())

    def favourite(self, actions: Sequence[Move], rng: Random) -> Move:
        """The action that was tried most often, because it stayed the most promising. Ties are broken at random."""
        return max(actions, key=lambda action: (self.trials[action].chosen, self.trials[action].reward, rng.random()))


Memory = dict[tuple[PlayerId, bytes], Decision]
Path = list[tuple[PlayerId, Trial]]


def changes(view: Value, root: Value) -> bytes:
    """What sets a view apart from the one that the search starts from. Equal views have equal changes, and only they.

    Views of the same search share the history of the match, so that it is neither compared nor encoded again.
    """
    fields = zip(astuple(view), astuple(root), strict=True)
    return encode([(place, now) for place, (now, before) in enumerate(fields) if now != before])


@dataclass(frozen=True, slots=True)
class Tree:
    """Searches one decision: the one of the player that sees `root`."""

    game: AnyGame
    study: AnyStudy
    horizon: int
    root: Value

    def choose(self, actions: Sequence[Move], states: Iterator[Any], left: Iterator[object], rng: Random) -> Move:
        """The action that did best in the imagined matches."""
        player, memory = actions[0].player, Memory()
        decision = memory[player, changes(self.root, self.root)] = Decision()
        for _ in left:
            first = decision.choose(actions, rng)
            self._play(memory, next(states), first, [(player, decision.trials[first])], rng)
        return decision.favourite(actions, rng)

    def _play(self, memory: Memory, state: Any, event: Any, path: Path, rng: Random) -> None:
        """Play one imagined match from `event` on: guided by memory up to the first new decision, then at random."""
        players = self.game.players(state)
        remembers = True
        for _ in range(self.horizon):
            state = after(self.game, state, event)
            if self.game.outcome(state) is not None:
                break
            event = self.game.dealer(state)
            if event is not None:
                continue
            player, actions = self.game.next_to_act(state)
            if not remembers or len(actions) == 1:
                event = rng.choice(actions)
                continue
            seen = player, changes(self.game.view(state, player), self.root)
            remembers = seen in memory
            decision = memory.setdefault(seen, Decision())
            event = decision.choose(actions, rng)
            path.append((player, decision.trials[event]))
        share = shares(self.game.outcome(state) or self.study.standing(state), players)
        for player, trial in path:
            trial.chosen += 1
            trial.reward += share[player]
