"""Imagined matches: played on from an imagined state, and judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from turnstile.bots.guide import Guide, Shares
from turnstile.kernel import AnyGame, AnyStudy, Event, Move, Outcome, Players, Rejection


class ImpossibleState(AssertionError):
    """An imagined state in which a player may not do what its view offers. It is a bug of the game's author."""


@dataclass(frozen=True, slots=True)
class Playouts:
    """Plays imagined matches on with the heuristic of a guide."""

    game: AnyGame
    study: AnyStudy
    guide: Guide
    horizon: int
    """The most events of an imagined match. A longer one is judged by its scores at that point."""

    def reward(self, state: Any, moves: Sequence[Event], rng: Random) -> Shares:
        """The chance of each player to win after these moves, when all players go on with the heuristic."""
        for move in moves:
            state = after(self.game, state, move)
        made = len(moves)
        for _ in range(self.horizon):
            found = self._judge(state, made)
            if found is not None:
                return found
            event = self.game.dealer(state)
            if event is None:
                event = self._choose(state, rng)
                made += 1
            state = after(self.game, state, event)
        return shares(self.study.standing(state), self.game.players(state))

    def _judge(self, state: Any, moves: int) -> Shares | None:
        """The result of the match, or its prospects; `None` when it must be played on."""
        outcome = self.game.outcome(state)
        return self.guide.prospects(state, moves) if outcome is None else shares(outcome, self.game.players(state))

    def _choose(self, state: Any, rng: Random) -> Move:
        player, actions = self.game.next_to_act(state)
        return actions[0] if len(actions) == 1 else self.guide.heuristic(self.game.view(state, player), actions, rng)


def after(game: AnyGame, state: Any, event: Event) -> Any:
    """The state after an event that was offered in it."""
    following = game.machine.apply(state, event)
    if type(following) is Rejection:  # faster than isinstance
        raise ImpossibleState(
            f"a state that `search` imagines refuses {event}: {following.sentence} "
            "Compare `imagine` of the study, and `vary` and `retract` of the guide, with the view."
        )
    return following


def shares(outcome: Outcome | None, players: Players) -> Shares:
    """What an outcome is worth to each player: the winners share 1. Without winners, all players share it."""
    winners = outcome.winners if outcome and outcome.winners else players
    return {player: (player in winners) / len(winners) for player in players}
