"""The screens for authors of games, on a server with `--dev` and the game of docs/write-a-game.md."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page

from tools.screens.stage import Stage, Visit, server

GAME_PAGE = Path(__file__).parents[2] / "docs/write-a-game.md"


@contextmanager
def server_for_authors() -> Iterator[str]:
    """A server with the game of the page; its address."""
    blocks = re.findall(r"^```python undercut\.py\n(.*?)^```", GAME_PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "undercut.py"
        file.write_text("\n\n".join(blocks), "utf-8")
        with server("--dev", "--game", str(file)) as url:
            yield url


def author(stage: Stage) -> Page:
    page = stage.new_page()
    page.goto(stage.start(server_for_authors()))
    page.get_by_role("button", name="Play all seats").click()
    page.get_by_role("button", name="Panel", exact=True).click()
    page.locator(".your-turn [data-choice]").first.click()
    page.get_by_role("button", name="Seat 2").click()
    page.locator(".your-turn [data-choice]").first.wait_for()
    page.locator(".machine [data-taken]").wait_for()
    page.evaluate("scrollTo(0, 0)")
    return page


def author_tab(tab: str) -> Visit:
    def visit(stage: Stage) -> Page:
        page = author(stage)
        page.locator("author-panel").get_by_role("button", name=tab, exact=True).click()
        page.locator("author-panel .items summary").first.wait_for()
        return page

    return visit


AUTHOR_SCREENS: dict[str, Visit] = {
    "author": author,
    **{f"author-{tab.lower()}": author_tab(tab) for tab in ("Steps", "Updates", "Seats")},
}
