"""Who is told what in E-Card. Every function makes the news of a step from the state that the step has reached."""

from turnstile.games.ecard.messages import (
    MatchFinished,
    MatchStarted,
    PairRevealed,
    RoundSetUp,
    SideSwitched,
    TieBreak,
)
from turnstile.games.ecard.state import ROUNDS_IN_SIDE, Phase, State, leader, roles_of
from turnstile.kernel.chance import Seed, commit
from turnstile.kernel.effects import Tell
from turnstile.kernel.values import ByPlayer, Message


def match_started(state: State) -> list[Tell]:
    return [_to_all(state, MatchStarted(roles_of(state), commit(_seed_of(state)))), _hands(state)]


def pair_revealed(state: State) -> list[Tell]:
    """Both cards that were laid, and what they have led to. After the match the seed is shown."""
    news = [_to_all(state, PairRevealed(state.revealed[-1], state.score))]
    if state.phase is Phase.FINISHED:
        news.append(_to_all(state, MatchFinished(leader(state), state.score, _seed_of(state))))
    if state.phase is Phase.ROUND_SETUP:
        news += _round_set_up(state)
    return news


def _round_set_up(state: State) -> list[Tell]:
    """The next decisive round: the tie break, the first of a new side, or one more of the same side."""
    if state.is_tie_break:
        return [_to_all(state, TieBreak(state.score)), _hands(state)]
    if state.decisive_in_side == 0:
        side = state.decisive_round_index // ROUNDS_IN_SIDE + 1
        return [_to_all(state, SideSwitched(side, roles_of(state))), _hands(state)]
    return [_hands(state)]


def _hands(state: State) -> Tell:
    """Each player learns its own hand for the decisive round that is about to begin."""
    number, roles = state.decisive_round_index + 1, roles_of(state)
    return Tell((ByPlayer({player: RoundSetUp(number, roles, held) for player, held in state.hands.items()}),))


def _to_all(state: State, message: Message) -> Tell:
    return Tell.all(state.players, message)


def _seed_of(state: State) -> Seed:
    assert state.seed is not None, "the seed came with Start"
    return state.seed
