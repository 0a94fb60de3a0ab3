"""Matches on the page: tables of any game, and players who take whatever is offered."""

import re
from collections.abc import Sequence
from typing import Any

from playwright.sync_api import Page, expect

from tests.web.pages import Guest

OPEN_TABLE = """async ([game, bots, options, isStarting]) => {
    const { ensurePlayer } = await import("/static/lib/me.js");
    const { call } = await import("/static/lib/http.js");
    const { go } = await import("/static/lib/router.js");
    await ensurePlayer();
    const opened = await call("POST", "/api/tables", { game, bots, options, settings: { isListed: false } });
    if (isStarting) await call("POST", `/api/tables/${opened.table}/commands`, { type: "start", id: "start" });
    go(`/table/${opened.table}`);
    return `${location.origin}/table/${opened.table}#invite=${opened.invite}`;
}"""

MAKE_A_MOVE = """async () => {
    const { call } = await import("/static/lib/http.js");
    const { newId } = await import("/static/lib/wire.js");
    const table = location.pathname.split("/")[2];
    const { actions } = await call("GET", `/api/tables/${table}/view`);
    if (!actions.length) return false;
    const command = { type: "act", id: newId(), move: actions[0] };
    await call("POST", `/api/tables/${table}/commands`, command).catch(() => undefined);
    return true;
}"""
"""Takes the first action without the layout: for games whose moves need more than a tap."""

TURN_OR_END = ".result, .your-turn [data-choice]:not([aria-disabled])"


def open_table(guest: Guest, game: str, bots: Sequence[str] = (), options: Any = None, *, start: bool = True) -> str:
    """Open a table and go there; the link that invites others."""
    page = guest.open()
    page.locator(".tile").first.wait_for()
    return str(page.evaluate(OPEN_TABLE, [game, list(bots), options or {}, start]))


def join(guest: Guest, link: str) -> Page:
    guest.page.goto(link)
    expect(guest.page).to_have_url(re.compile(r"/table/[^#]*$"))
    expect(guest.page.locator(".seat[data-own]")).to_have_count(1)
    return guest.page


def is_over(page: Page) -> bool:
    return page.locator(".result").count() > 0


def may_move(page: Page) -> bool:
    return page.locator(".your-turn [data-choice]:not([aria-disabled])").count() > 0


def move(page: Page, index: int = 0) -> None:
    """Raise a choice, and tap it again."""
    seq = page.locator("table-screen").get_attribute("data-seq")
    tap_twice(page, index)
    expect(page.locator(f'table-screen[data-seq="{seq}"]')).to_have_count(0)


def tap_twice(page: Page, index: int = 0) -> None:
    """The same, without a look at what follows."""
    choices = page.locator(".your-turn [data-choice]:not([aria-disabled])")
    choice = choices.nth(min(index, choices.count() - 1))
    key = choice.get_attribute("data-key")
    choice.click(position={"x": 8, "y": 20})
    page.locator(f'[data-choice][data-raised][data-key="{key}"]').click(position={"x": 8, "y": 20})


def play_alone(page: Page, moves: int = 500) -> None:
    """One person against bots, to the end or for so many moves."""
    for _ in range(moves):
        page.locator(TURN_OR_END).first.wait_for()
        if is_over(page):
            return
        move(page)


def play_together(pages: Sequence[Page]) -> None:
    """Several people, each on a page of its own, to the end."""
    while not all(map(is_over, pages)):
        movers = [page for page in pages if not is_over(page) and may_move(page)]
        for page in movers[:1]:
            move(page)
        if not movers:
            pages[0].wait_for_timeout(20)
