"""The live page and the report of a league as HTML: what the templates in `templates/` need beside the scoreboard."""

from collections import Counter
from functools import partial

from turnstile.agents.page.chart import chart_of
from turnstile.agents.page.scoreboard import (
    MatchEntry,
    Scoreboard,
    champions_sentence,
    gains,
    quantity,
    shared_ranks,
    verdict,
)
from turnstile.kernel.values import PlayerId
from turnstile.league.protocol.words import GAME_TYPE
from turnstile.net import theme
from turnstile.net.static import StaticFiles
from turnstile.net.templates import render

PACKAGE = "turnstile.agents.page"
STATIC_FILES = StaticFiles(PACKAGE, theme.PACKAGE)
STYLES = (*theme.STYLES, "league.css")
MOST_IN_CROSS_TABLE = 24  # players; with more, the table is too wide to read


def render_page(board: Scoreboard, round_id: int | None = None) -> str:
    """The live page with one round: the requested one, else the current one, else the first."""
    fallback = board.rounds[0] if board.rounds else None
    return render(
        PACKAGE,
        "page.html",
        **_common_values(board),
        round=board.round(round_id or board.current_round) or fallback,
        style_urls=[STATIC_FILES.url(name) for name in STYLES],
        script_url=STATIC_FILES.url("league.js"),
        report_url="report",
    )


def render_report(board: Scoreboard) -> str:
    """The whole league in one file: standings, who beat whom, how it went, every match, every draw with its proof."""
    verdicts = Counter(verdict(board.game_type, match.result) for match in board.matches if match.result is not None)
    return render(
        PACKAGE,
        "report.html",
        **_common_values(board),
        chart=chart_of(board),
        verdicts=verdicts,
        report_url=None,
        style=report_style(),
    )


def report_style() -> str:
    """The style that the report carries within itself."""
    return "\n".join(STATIC_FILES.text(name) for name in STYLES)


def _common_values(board: Scoreboard) -> dict[str, object]:
    """What both pages show, and the functions that their templates call."""
    names = board.names
    return {
        "board": board,
        "name_of": lambda player: names.get(player, player),
        "ranks": shared_ranks(board.places),
        "points_against": points_against(board),
        "checked_thing": "draw" if board.game_type == GAME_TYPE else "seed",
        "verdict_on": partial(verdict, board.game_type),
        "winner_first_scores": winner_first_scores,
        "champions_sentence": champions_sentence,
        "quantity": quantity,
    }


def points_against(board: Scoreboard) -> dict[tuple[PlayerId, PlayerId], int] | None:
    """The points of each player against each other so far, unless the players are too few or too many for a table."""
    if not 2 <= len(board.places) <= MOST_IN_CROSS_TABLE:
        return None
    return {
        (player, other): gains(match)[player]
        for match in board.matches
        if match.result is not None
        for player, other in (match.players, match.players[::-1])
    }


def winner_first_scores(match: MatchEntry) -> list[int]:
    """The scores of both players, the winner's first: in some games it is the lower one. Empty if one is not known."""
    assert match.result is not None
    scores, winner = match.result.scores, match.result.winner
    order = sorted(match.players, key=lambda player: player != winner)
    return [scores[player] for player in order] if all(player in scores for player in order) else []
