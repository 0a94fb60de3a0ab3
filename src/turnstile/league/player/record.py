"""What a player keeps of a match that is over: its history, its statistics, and whether the draw was fair.

A result can be taken back, when the match was given to another referee after all.
"""

from collections.abc import Collection

from msgspec import UNSET
from msgspec.structs import replace

from turnstile.games.evenodd import POINTS_FOR_A_DRAW, POINTS_FOR_A_WIN, drawn_number
from turnstile.kernel.chance import verify
from turnstile.league.player.state import MOST_KEPT, OwnMatch, OwnResult, PlayedMatch, State
from turnstile.league.protocol.values import GameResult, Tally
from turnstile.league.protocol.words import MatchId, Role, Status
from turnstile.league.referee.boards import replay_outcome


def record_result(state: State, result: GameResult | None) -> State:
    """The match is part of the history, as it was told; a result that cannot be read counts for nothing."""
    match = state.playing
    if result is None:
        return _with(state, replace(_unheard(match), is_unreadable=True))
    played = replace(
        _unheard(match),
        result=_outcome(state, result),
        is_technical=result.status is Status.TECHNICAL_LOSS,
        opponent_choice=result.choices.get(match.opponent_id),
        is_fair=_is_fair(state, match, result),
    )
    return _with(replace(state, statistics=_count_match(state.statistics, played)), played)


def record_unheard(state: State) -> State:
    """The match is part of the history, though its result was never told."""
    return _with(state, _unheard(state.playing))


def _unheard(match: OwnMatch) -> PlayedMatch:
    return PlayedMatch(
        match_id=match.match_id,
        round_id=match.round_id,
        opponent_id=match.opponent_id,
        game_type=match.game_type,
        referee=match.referee,
        reassignments=match.reassignments,
        result=None,
        my_choice=match.my_choice,
    )


def _with(state: State, played: PlayedMatch) -> State:
    return replace(state, history=(*state.history[1 - MOST_KEPT :], played))


def take_back_results(state: State, matches: Collection[MatchId]) -> State:
    """The player as if it had not played these matches yet: another referee has them now, and begins them anew."""
    statistics = state.statistics
    for played in state.history:
        if played.match_id in matches:
            statistics = _count_match(statistics, played, -1)
    return replace(
        state,
        history=tuple(played for played in state.history if played.match_id not in matches),
        statistics=statistics,
        match=None if state.match is not None and state.match.match_id in matches else state.match,
    )


def _outcome(state: State, result: GameResult) -> OwnResult:
    if result.winner_player_id == state.me:
        return OwnResult.WIN
    return OwnResult.DRAW if result.status is Status.DRAW else OwnResult.LOSS


def _count_match(before: Tally, played: PlayedMatch, times: int = 1) -> Tally:
    """3 points for a win, 1 for a draw, none for a loss, technical or not. Without a result nothing counts."""
    if played.result is OwnResult.WIN:
        return replace(before, wins=before.wins + times, points=before.points + times * POINTS_FOR_A_WIN)
    if played.result is OwnResult.DRAW:
        return replace(before, draws=before.draws + times, points=before.points + times * POINTS_FOR_A_DRAW)
    if played.result is OwnResult.LOSS:
        technical = before.technical_losses + times * played.is_technical
        return replace(before, losses=before.losses + times, technical_losses=technical)
    return before


def _is_fair(state: State, match: OwnMatch, result: GameResult) -> bool | None:
    """Whether the referee kept its word; `None` where it gave none, or nothing was drawn or played to the end."""
    if match.commitment is None or result.seed is None:
        return None
    if match.asked is not None and result.status is not Status.TECHNICAL_LOSS and result.moves is not UNSET:
        players = (state.me, match.opponent_id)
        seated = players if match.role_in_match is Role.PLAYER_A else players[::-1]
        outcome = replay_outcome(match.asked.game_type, seated, result.seed, result.moves)
        return verify(match.commitment, result.seed) and outcome is not None and outcome.scores == result.scores
    if result.drawn_number is None:
        return None
    return verify(match.commitment, result.seed) and result.drawn_number == drawn_number(result.seed, 0)
