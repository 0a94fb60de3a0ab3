"""What the end of a match is worth to each player."""

from collections.abc import Callable, Mapping

from turnstile.kernel import Outcome, PlayerId, Players

Rewards = Callable[[Outcome, Players], Mapping[PlayerId, float]]
"""The rewards of a finished match. Before the end, every reward is 0."""

ILLEGAL_REWARD = -1.0
"""The reward for an illegal action, which ends the match."""


def win_rewards(outcome: Outcome, players: Players) -> Mapping[PlayerId, float]:
    """1 for the only winner, and the other players pay it together; several winners share. The sum is always 0.

    The winners among n players share a prize of n, to which every player pays 1. The result is divided by n - 1, so
    that a single winner gets 1.
    With two players this is 1 for a win, -1 for a loss and 0 for a draw.
    """
    winners = outcome.winners or players
    count = len(players)
    return {player: (count * (player in winners) / len(winners) - 1) / max(1, count - 1) for player in players}


def score_rewards(outcome: Outcome, players: Players) -> Mapping[PlayerId, float]:
    """The score of each player, for games in which the highest score wins; 0 where a game gives none."""
    return {player: float(outcome.scores.get(player, 0)) for player in players}


def negative_score_rewards(outcome: Outcome, players: Players) -> Mapping[PlayerId, float]:
    """Minus the score of each player, for games in which the lowest score wins, such as 66."""
    return {player: -score for player, score in score_rewards(outcome, players).items()}


REWARDS: dict[str, Rewards] = {
    "win": win_rewards,
    "score": score_rewards,
    "negative score": negative_score_rewards,
}
"""The rewards that an environment knows by name."""
