"""The tables of 66, Up-Down and Even/Odd, in the phases that look different."""

from collections.abc import Sequence

from playwright.sync_api import Page

from tools.screens.matches import resign
from tools.screens.stage import MY_TURN, Stage, Visit, open_table, take_choices


def at_table(game: str, bots: Sequence[str], moves: int = 0, options: object = None) -> Visit:
    """The table of a match against bots, after so many moves."""

    def visit(stage: Stage) -> Page:
        page = stage.open(name="Ana")
        page.locator(".tile").first.wait_for()
        open_table(page, game, bots, options)
        take_choices(page, moves)
        return page

    return visit


def raise_card(visit: Visit, *indexes: int) -> Visit:
    """The same table, with cards raised."""

    def go_on(stage: Stage) -> Page:
        page = visit(stage)
        for index in indexes:
            page.locator(MY_TURN).nth(index).click(position={"x": 8, "y": 20})
        return page

    return go_on


def resigned(visit: Visit) -> Visit:
    """The same table, after the player has given up."""

    def go_on(stage: Stage) -> Page:
        page = visit(stage)
        resign(page)
        page.locator(".result").wait_for()
        return page

    return go_on


def watched(visit: Visit) -> Visit:
    def go_on(stage: Stage) -> Page:
        page = visit(stage)
        spectator = stage.new_page()
        spectator.goto(page.url)
        spectator.locator(".seat").first.wait_for()
        spectator.wait_for_timeout(500)
        return spectator

    return go_on


SIXTY_SIX = at_table("66", ["attentive", "attentive"])
UP_DOWN = at_table("up-down", ["counter", "counter"])
EVEN_ODD = at_table("even-odd", ["random"])

GAME_SCREENS: dict[str, Visit] = {
    "66": SIXTY_SIX,
    "66-later": at_table("66", ["attentive", "attentive"], 6),
    "66-turn": at_table("66", ["attentive", "attentive"], 9),
    "66-raised": raise_card(at_table("66", ["attentive"], 2), 0),
    "66-result": resigned(at_table("66", ["attentive", "attentive"], 3)),
    "up-down-result": resigned(at_table("up-down", ["counter", "counter"], 12)),
    "66-five": at_table("66", ["attentive"] * 4, 3),
    "66-watching": watched(SIXTY_SIX),
    "up-down-bet": UP_DOWN,
    "up-down": at_table("up-down", ["counter", "counter"], 12),
    "up-down-match": raise_card(at_table("up-down", ["counter"] * 3, 22), 0),
    "up-down-many": at_table("up-down", ["counter"] * 6, 14),
    "up-down-watching": watched(at_table("up-down", ["counter", "counter"], 12)),
    "even-odd": EVEN_ODD,
    "even-odd-later": at_table("even-odd", ["random"], 3),
    "even-odd-raised": raise_card(EVEN_ODD, 1),
    "even-odd-result": at_table("even-odd", ["random"], 50),
}
