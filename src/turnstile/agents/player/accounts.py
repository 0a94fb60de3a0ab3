"""What a player's log says when the player decides, when a match is over, and when the league is.

Choices stand in the log while a match is played, so a log file is readable by its owner alone (`open_private`).
"""

from math import isqrt
from typing import Any

from turnstile.kernel.values import Event
from turnstile.league.player.state import OwnMatch, PlayedMatch, State
from turnstile.league.protocol.messages import GameOver, LeagueCompleted


def decision_of(match: OwnMatch) -> str:
    """What a player has chosen, as text: a parity, or a move of another game as JSON."""
    if match.asked is not None and match.asked.answer is not None:
        return bytes(match.asked.request.valid_options[match.asked.answer]).decode()
    return str(match.my_choice)


def of_match(played: PlayedMatch, event: Event) -> dict[str, Any]:
    """How a match ended. A value is missing if it was not told, or if the game does not have it."""
    told = event.game_result if isinstance(event, GameOver) else None
    return {
        "result": played.result,
        "opponent": played.opponent_id,
        "is_technical": played.is_technical or None,
        "my_choice": played.my_choice,
        "opponent_choice": played.opponent_choice,
        "drawn_number": None if told is None else told.drawn_number,
        "is_fair": played.is_fair,
    }


def of_league(state: State, event: LeagueCompleted) -> dict[str, Any]:
    """The place of the player and what it has done: as far as the table says, else as the player has counted itself."""
    row = next((row for row in event.final_standings if row.player_id == state.player_id), None)
    own = state.statistics

    def known(column: str, counted: int) -> int:
        told: int | None = getattr(row, column, None)
        return counted if told is None else told

    return {
        "rank": None if row is None else row.rank,
        "players": _players(event) or None,
        "points": known("points", own.points),
        "wins": known("wins", own.wins),
        "draws": known("draws", own.draws),
        "losses": known("losses", own.losses),
        "technical_losses": own.technical_losses,
        "matches_played": known("played", own.played),
    }


def _players(event: LeagueCompleted) -> int:
    """How many took part: as many as make so many matches, each against each; of a large league the table is cut."""
    rows, matches = len(event.final_standings), event.total_matches
    if matches <= 0:
        return rows
    count = (1 + isqrt(1 + 8 * matches)) // 2
    return count if count > rows and count * (count - 1) == 2 * matches else rows
