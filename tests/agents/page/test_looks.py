"""How the page and the report of a league look in a browser: wide, narrow, light, dark, and without their manager."""

import json
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from subprocess import PIPE, Popen

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from tests.agents.page.boards import NAMES, board, ecard_board, with_first_draw
from tools.browser import browser
from turnstile.agents.page.looks import DARK, LIGHT
from turnstile.agents.page.page import page
from turnstile.agents.page.report import HEIGHT, LABEL, _grid, _spread, report
from turnstile.kernel.chance import Seed, commit

LONG_NAMES = ("x" * 64, "A name of many words, which goes on and on", *NAMES[2:])
SOURCES = {
    "page": page(board(4, LONG_NAMES), 4),
    "report": report(board(5, LONG_NAMES)),
    "page of E-Card": page(with_first_draw(ecard_board(), commitment=commit(Seed("another"))), 1),
}


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with browser() as running:
        yield running.new_page()


def lies_within(tab: Tab, selector: str, width: int) -> bool:
    ends = tab.locator(selector).evaluate_all("all => all.map(each => each.getBoundingClientRect().right)")
    return bool(0 < max(ends) <= width)


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
@pytest.mark.parametrize("width", [320, 400, 700, 801, 1100])
def test_results_and_verdicts_lie_within_the_window_however_long_the_names_are(
    tab: Tab, source: str, width: int
) -> None:
    """Nothing that is wider than the window moves the page; long names are broken, and pictures scroll on their own."""
    tab.set_viewport_size({"width": width, "height": 900})
    tab.set_content(source)
    for selector in (".standings th:not(.spare)", ".standings td:not(.spare)", ".matches td:has(*)", ".verdict"):
        assert lies_within(tab, selector, width - 16), selector
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    if tab.locator("svg").count():
        assert tab.locator("svg").bounding_box()["width"] > 600  # type: ignore[index]


@pytest.mark.parametrize(("width", "columns"), [(400, "W D L"), (1100, "Pld W D L TL")])
def test_a_narrow_window_shows_what_the_points_are_made_of(tab: Tab, width: int, columns: str) -> None:
    tab.set_viewport_size({"width": width, "height": 900})
    tab.set_content(page(board(3)))
    heads = [head.inner_text() for head in tab.locator(".standings th").all() if head.is_visible()]
    assert heads == ["Rank", "Player", "Pts", *columns.split()]


def test_in_a_narrow_window_an_agent_s_condition_can_be_seen(tab: Tab) -> None:
    tab.set_viewport_size({"width": 400, "height": 900})
    tab.set_content(page(board(3)))
    assert lies_within(tab, ".agents .well, .agents .ill, .agents time", 400 - 16)


def contrast(one: str, other: str) -> float:
    """As WCAG counts it: 21 is black on white."""

    def light(colour: str) -> float:
        parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
        linear = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_lines_of_the_picture_are_as_dark_or_light_as_the_scheme_needs(tab: Tab) -> None:
    tab.set_content(report(board(5)))
    for scheme, colours, card in (("light", LIGHT, "#ffffff"), ("dark", DARK, "#1a202a")):
        tab.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        assert all(contrast(colour, card) >= 4.5 for colour in colours)
        for index, colour in enumerate(colours[: len(NAMES)]):
            shown = tab.locator(f"polyline.c{index}").evaluate("line => getComputedStyle(line).stroke")
            assert shown == f"rgb({', '.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))})"


# the picture


@pytest.mark.parametrize(("players", "title"), [(8, "Points, round"), (9, "Points of the first 8, round")])
def test_the_picture_says_when_it_does_not_show_everybody(players: int, title: str) -> None:
    assert title in report(board(players - 1, tuple(f"Player {at}" for at in range(players))))


@pytest.mark.parametrize(
    ("rounds", "numbers"),
    [
        (3, "0 1 2 3"),
        (11, "0 2 4 6 8 10 11"),
        (49, "0 5 10 15 20 25 30 35 40 45 49"),
        (51, "0 10 20 30 40 51"),
        (55, "0 10 20 30 40 50 55"),
    ],
)
def test_the_last_round_has_its_number_in_the_picture(rounds: int, numbers: str) -> None:
    below = f'y="{HEIGHT - 10}"'
    found = re.findall(rf'<text x="[^"]*" {below}[^>]*>(\d+)<', "".join(_grid(rounds, 1)))
    assert found == numbers.split()


def test_names_beside_the_picture_neither_cover_each_other_nor_leave_it() -> None:
    for heights in ([300.0] * 8, [16.0] * 8, [16.0, 300.0, 302.0, 304.0]):
        moved = _spread(heights)
        assert all(below - above >= LABEL for above, below in pairwise(moved))
        assert moved[0] > 0
        assert moved[-1] < HEIGHT


# while the league runs


class Manager:
    """A league manager in a process of its own. Started again, it is where it was."""

    def __init__(self, data: Path) -> None:
        arguments = ("manager", "--port", "0", "--players", "3", "--data", str(data), "--json", "--with-launcher")
        self._process = Popen((sys.executable, "-m", "turnstile", "league", *arguments), stdin=PIPE, stdout=PIPE)
        assert self._process.stdout is not None
        self.home = json.loads(self._process.stdout.readline())["endpoint"].removesuffix("/mcp")

    def __enter__(self) -> "Manager":
        return self

    def __exit__(self, *why: object) -> None:
        self._process.kill()
        self._process.communicate()


def test_the_page_says_when_the_manager_is_gone_and_when_it_is_back(tab: Tab, tmp_path: Path) -> None:
    lost, header = tab.locator("#lost"), tab.locator("header")
    with Manager(tmp_path) as manager:
        tab.goto(f"{manager.home}/")
        expect(header).to_contain_text("The league waits for 3 more players and a referee.")
        expect(lost).not_to_be_visible()
    expect(lost).to_have_text("Connection lost, trying again.", timeout=60_000)
    expect(header).to_contain_text("The league waits for")  # what was known is still there
    with Manager(tmp_path) as again:
        assert again.home == manager.home
        expect(lost).not_to_be_visible(timeout=60_000)
