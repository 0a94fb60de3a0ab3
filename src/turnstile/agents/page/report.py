"""The report of a league: one HTML file that needs nothing else, to keep and to send around."""

from collections.abc import Iterator

from turnstile.agents.page import sections
from turnstile.agents.page.html import NOTHING, Html, document, tag, text
from turnstile.agents.page.looks import LIGHT, STYLE
from turnstile.agents.page.scoreboard import Scoreboard, points_by_round

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 960, 340, 40, 170, 16, 32
LABEL = 15  # the least distance between two names beside their lines


def report(board: Scoreboard) -> Html:
    """The whole league: its table, who beat whom, how it went, every match, and every draw with its proof."""
    body = tag(
        "main",
        sections.summary(board),
        sections.standings(board),
        sections.cross_table(board),
        picture(board),
        tag("section", tag("h2", text("Fairness")), sections.fairness(board)),
        *_rounds(board),
        _left_out(board),
        tag("footer", text("Made by Turnstile.")),
    )
    return document(f"{board.league_id}: report", STYLE, body)


def _rounds(board: Scoreboard) -> Iterator[Html]:
    for each in board.rounds:
        yield sections.one_round(board, each)
        yield sections.proofs(board, each)


def _left_out(board: Scoreboard) -> Html:
    """That there is more than is shown, where there is."""
    if board.rounds or not board.matches_completed:
        return NOTHING
    return tag("p", text("The matches of this league are too many for one page; each has a file of its own."))


# the picture


def picture(board: Scoreboard) -> Html:
    """The points of the leading players, round by round, as lines."""
    lines = points_by_round(board)
    leading = board.places[: len(LIGHT)]
    rounds = max((len(line) - 1 for line in lines.values()), default=0)
    if rounds < 1:
        return NOTHING
    most = max(1, *(max(lines[place.player_id]) for place in leading))
    drawn = [*_grid(rounds, most)]
    heights = _spread([_y(lines[place.player_id][-1], most) for place in leading])
    for index, (place, height) in enumerate(zip(leading, heights, strict=True)):
        points = lines[place.player_id]
        path = " ".join(f"{_x(at, rounds):.1f},{_y(value, most):.1f}" for at, value in enumerate(points))
        drawn.append(tag("polyline", points=path, class_=f"c{index}"))
        label = f"{place.display_name[:18]} {points[-1]}"
        drawn.append(tag("text", text(label), class_=f"c{index}", x=f"{WIDTH - RIGHT + 8}", y=f"{height + 4:.1f}"))
    whose = f" of the first {len(leading)}" if len(leading) < len(board.places) else ""
    shown = tag(
        "svg", *drawn, viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=f"Points{whose} after each round"
    )
    return tag("section", tag("h2", text(f"Points{whose}, round by round")), tag("div", shown, class_="wide"))


def _grid(rounds: int, most: int) -> Iterator[Html]:
    """A line for every so many points, and a number for every so many rounds and the last."""
    for value in range(0, most + 1, _every(most)):
        y = f"{_y(value, most):.1f}"
        yield tag("line", x1=str(LEFT), x2=str(WIDTH - RIGHT), y1=y, y2=y, class_="grid")
        yield tag("text", text(value), x=str(LEFT - 8), y=y, text_anchor="end", dy="4", class_="quiet")
    step = _every(rounds)
    for at in sorted({*range(0, rounds - step // 2 + 1, step), rounds}):
        x = f"{_x(at, rounds):.1f}"
        yield tag("text", text(at), x=x, y=str(HEIGHT - 10), text_anchor="middle", class_="quiet")


def _every(most: int) -> int:
    """A step of 1, 2 or 5 times a power of ten that divides an axis into at most ten parts."""
    scale = 1
    while True:
        for step in (scale, 2 * scale, 5 * scale):
            if most <= 10 * step:
                return step
        scale *= 10


def _spread(heights: list[float]) -> list[float]:
    """The heights of labels, moved where they would cover each other or leave the picture; given from the top down."""
    moved: list[float] = []
    for height in heights:
        moved.append(max(height, moved[-1] + LABEL) if moved else height)
    lowest = HEIGHT - LABEL / 2
    for index in reversed(range(len(moved))):
        moved[index] = min(moved[index], lowest)
        lowest = moved[index] - LABEL
    return moved


def _x(at: int, rounds: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * at / rounds


def _y(points: int, most: int) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * points / most
