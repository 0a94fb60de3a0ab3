"""A bot that thinks ahead in any game: Monte Carlo search over information sets.

It knows the rules and its own view, and nothing else. Each of many times it imagines a state that its view could belong
to (`Study.imagine`), plays the match on from there, and remembers who won. What it remembers belongs to what a player
*sees* at a decision, never to the imagined state behind it: in two states that look the same to a player, that player
has one and the same memory, so nobody in the search acts on what it could not know.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import log, sqrt
from random import Random
from time import monotonic
from typing import Any

from turnstile.kernel import AnyGame, AnyStudy, Move, Outcome, PlayerId, Players, Rejection, Seed, encode

HORIZON = 120  # events; a match that goes on longer is judged by how it stands
CURIOSITY = 0.7  # about 1 / sqrt(2), the usual weight for rewards between 0 and 1

Budget = Callable[[], Iterable[object]]
"""How long to think about one decision: one imagined match for each item."""


def iterations(count: int) -> Budget:
    """So many imagined matches. The same view and the same generator then give the same choice, on any machine."""
    if count < 1:
        raise ValueError(f"Nothing can be chosen after {count} imagined matches.")
    return partial(range, count)


USUAL_BUDGET = iterations(200)


def seconds(limit: float, clock: Callable[[], float] = monotonic) -> Budget:
    """As many imagined matches as fit into the time, one at least. What comes of it depends on the machine."""

    def until_late() -> Iterator[None]:
        late = clock() + limit
        yield
        while clock() < late:
            yield

    return until_late


@dataclass(slots=True)
class Trial:
    """One action at a decision: how often it could have been chosen, how often it was, and what that brought."""

    offered: int = 0
    chosen: int = 0
    reward: float = 0.0

    def promise(self) -> float:
        """Upper confidence bound. What was offered in few imagined states only is compared within these."""
        return self.reward / self.chosen + CURIOSITY * sqrt(log(self.offered) / self.chosen)


@dataclass(slots=True)
class Decision:
    """What is remembered of a decision, whatever lies behind what its player sees."""

    trials: dict[Move, Trial] = field(default_factory=dict)

    def choose(self, actions: Sequence[Move], rng: Random) -> Move:
        """An action that was never tried, or else the most promising of those that are offered this time."""
        for action in actions:
            self.trials.setdefault(action, Trial()).offered += 1
        untried = [action for action in actions if not self.trials[action].chosen]
        return rng.choice(untried) if untried else max(actions, key=lambda action: self.trials[action].promise())

    def favourite(self, actions: Sequence[Move], rng: Random) -> Move:
        """The action that was tried most often, for it went on promising most; what is left equal, chance decides."""
        return max(actions, key=lambda action: (self.trials[action].chosen, self.trials[action].reward, rng.random()))


Memory = dict[tuple[PlayerId, bytes], Decision]
Path = list[tuple[PlayerId, Trial]]


@dataclass(frozen=True, slots=True)
class SearchBot:
    """Imagines what could be hidden, plays many matches on from there, and does what did best in them."""

    game: AnyGame
    study: AnyStudy
    budget: Budget
    horizon: int

    def __call__(self, view: Any, actions: Sequence[Move], rng: Random) -> Move:
        """The action that did best in the matches imagined."""
        assert self.study.imagine is not None
        if len(actions) == 1:
            return actions[0]
        player, memory = actions[0].player, Memory()
        root = memory[player, encode(view)] = Decision()
        for _ in self.budget():
            state = self.study.imagine(view, player, Seed(f"{rng.getrandbits(128):032x}"))
            first = root.choose(actions, rng)
            self._play(memory, state, first, [(player, root.trials[first])], rng)
        return root.favourite(actions, rng)

    def _play(self, memory: Memory, state: Any, event: Any, path: Path, rng: Random) -> None:
        """One imagined match from its first `event` on: by memory, up to one decision that is new, then by chance."""
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
            seen = player, encode(self.game.view(state, player))
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
        assert not isinstance(after, Rejection), f"{event} was offered in an imagined state: {after.sentence}"
        return after


def shares(outcome: Outcome | None, players: Players) -> Mapping[PlayerId, float]:
    """What an outcome is worth to each: the winners share 1 among them; where nobody wins or can say, all do."""
    winners = outcome.winners if outcome and outcome.winners else players
    return {player: (player in winners) / len(winners) for player in players}


def search_bot(game: AnyGame, study: AnyStudy, budget: Budget = USUAL_BUDGET, horizon: int = HORIZON) -> SearchBot:
    """A bot for any game whose study can imagine."""
    assert study.imagine is not None, f"{game.name} cannot be searched: its study imagines nothing"
    return SearchBot(game, study, budget, horizon)
