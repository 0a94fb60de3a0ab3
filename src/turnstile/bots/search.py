"""A bot for any game that plans ahead: Monte Carlo search over information sets.

It knows the rules and its own view, and nothing else. Many times, it imagines a state that its view could belong to
(`Study.imagine`), plays the match on from there, and remembers who won. It stores its statistics by what a player
*sees* at a decision, never by the imagined state: in two states that look the same to a player, that player uses the
same statistics, so no player in the search acts on hidden information.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import log, sqrt
from random import Random
from time import monotonic
from typing import Any

from msgspec.structs import astuple

from turnstile.kernel import AnyGame, AnyStudy, Move, Outcome, PlayerId, Players, Rejection, Seed, Value, encode

HORIZON = 120  # events; a longer match is judged by its scores at that point
CURIOSITY = 0.7  # about 1 / sqrt(2), the usual weight for rewards between 0 and 1

Budget = Callable[[], Iterable[object]]
"""How long to think about one decision: one imagined match for each item."""


def iterations(count: int) -> Budget:
    """A fixed number of imagined matches. The same view and generator then give the same choice on any machine."""
    if count < 1:
        raise ValueError(f"The number of imagined matches must be at least 1, not {count}.")
    return partial(range, count)


USUAL_BUDGET = iterations(200)


def seconds(limit: float, clock: Callable[[], float] = monotonic) -> Budget:
    """As many imagined matches as fit into the time, at least one. The choice depends on the machine's speed."""

    def until_late() -> Iterator[None]:
        late = clock() + limit
        yield
        while clock() < late:
            yield

    return until_late


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
class SearchBot:
    """Imagines the hidden parts, plays many matches on from there, and chooses the action that did best."""

    game: AnyGame
    study: AnyStudy
    budget: Budget
    horizon: int

    def __call__(self, view: Any, actions: Sequence[Move], rng: Random) -> Move:
        """The action that did best in the imagined matches."""
        assert self.study.imagine is not None
        if len(actions) == 1:
            return actions[0]
        player, memory = actions[0].player, Memory()
        root = memory[player, changes(view, view)] = Decision()
        for _ in self.budget():
            state = self.study.imagine(view, player, Seed(f"{rng.getrandbits(128):032x}"))
            first = root.choose(actions, rng)
            self._play(memory, view, state, first, [(player, root.trials[first])], rng)
        return root.favourite(actions, rng)

    def _play(self, memory: Memory, root: Value, state: Any, event: Any, path: Path, rng: Random) -> None:
        """Play one imagined match from `event` on: guided by memory up to the first new decision, then at random."""
        players = self.game.players(state)
        remembers = True
        for _ in range(self.horizon):
            state = self._after(state, event)
            if self.game.outcome(state) is not None:
                break
            event = self.game.dealer(state)
            if event is not None:
                continue
            player, actions = self.game.next_to_act(state)
            if not remembers or len(actions) == 1:
                event = rng.choice(actions)
                continue
            seen = player, changes(self.game.view(state, player), root)
            remembers = seen in memory
            decision = memory.setdefault(seen, Decision())
            event = decision.choose(actions, rng)
            path.append((player, decision.trials[event]))
        share = shares(self.game.outcome(state) or self.study.standing(state), players)
        for player, trial in path:
            trial.chosen += 1
            trial.reward += share[player]

    def _after(self, state: Any, event: Any) -> Any:
        after = self.game.machine.apply(state, event)
        assert type(after) is not Rejection, f"{event} was offered in an imagined state: {after.sentence}"
        return after


def shares(outcome: Outcome | None, players: Players) -> Mapping[PlayerId, float]:
    """What an outcome is worth to each player: the winners share 1. Without winners, all players share it."""
    winners = outcome.winners if outcome and outcome.winners else players
    return {player: (player in winners) / len(winners) for player in players}


def search_bot(game: AnyGame, study: AnyStudy, budget: Budget = USUAL_BUDGET, horizon: int = HORIZON) -> SearchBot:
    """A bot for any game whose study has `imagine`."""
    assert study.imagine is not None, f"{game.name} cannot be searched: its study has no `imagine`"
    return SearchBot(game, study, budget, horizon)
