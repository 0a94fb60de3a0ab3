"""How the page and the report of a league look in a browser: wide, narrow, light, dark, and without their manager."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE, Popen

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page as Tab
from playwright.sync_api import Route, expect

from tests.agents.page.boards import NAMES, board, ecard_board, with_first_draw
from tools.browser import browser
from turnstile.agents.page.chart import MOST_LINES
from turnstile.agents.page.render import STATIC_FILES, STYLES, render_page, render_report, report_style
from turnstile.agents.page.routes import PAGE_POLICY
from turnstile.kernel.chance import Seed, commit
from turnstile.net.policy import one_style_only, page_headers

LONG_NAMES = ("x" * 64, "A name of many words, which goes on and on", *NAMES[2:])
SITE = "http://league.test/"
SOURCES = {
    "page": render_page(board(4, LONG_NAMES), 4),
    "report": render_report(board(5, LONG_NAMES)),
    "page of E-Card": render_page(with_first_draw(ecard_board(), commitment=commit(Seed("another"))), 1),
}


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with browser() as running:
        yield running.new_page()


def show(tab: Tab, source: str) -> None:
    """Show a page as a manager serves it, with its style sheets and under its policy; its script has no effect."""
    policy = PAGE_POLICY if STATIC_FILES.url("league.css") in source else one_style_only(report_style())
    styles = {STATIC_FILES.url(name): STATIC_FILES.text(name) for name in STYLES}

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(SITE)
        if path == "":
            route.fulfill(body=source, content_type="text/html", headers=dict(page_headers(policy)))
        elif path in styles:
            route.fulfill(body=styles[path], content_type="text/css")
        else:
            route.fulfill(status=204)

    tab.unroute_all()
    tab.route(f"{SITE}**", answer)
    tab.goto(SITE)


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
    show(tab, source)
    for selector in (".standings th:not(.spare)", ".standings td:not(.spare)", ".matches td:has(*)", ".verdict"):
        assert lies_within(tab, selector, width - 16), selector
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    tab.locator("details").evaluate_all("all => all.forEach(each => each.open = true)")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    if tab.locator("svg").count():
        assert tab.locator("svg").bounding_box()["width"] > 600  # type: ignore[index]


@pytest.mark.parametrize(("width", "columns"), [(400, "W D L"), (1100, "Pld W D L TL")])
def test_a_narrow_window_shows_what_the_points_are_made_of(tab: Tab, width: int, columns: str) -> None:
    tab.set_viewport_size({"width": width, "height": 900})
    show(tab, render_page(board(3)))
    heads = [head.inner_text() for head in tab.locator(".standings th").all() if head.is_visible()]
    assert heads == ["Rank", "Player", "Pts", *columns.split()]


def test_in_a_narrow_window_an_agent_s_condition_can_be_seen(tab: Tab) -> None:
    tab.set_viewport_size({"width": 400, "height": 900})
    show(tab, render_page(board(3)))
    assert lies_within(tab, ".agents .well, .agents .ill, .agents time", 400 - 16)


def contrast(one: str, other: str) -> float:
    """As WCAG counts it: 21 is black on white."""

    def light(colour: str) -> float:
        parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
        linear = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_lines_of_the_chart_are_as_dark_or_light_as_the_scheme_needs(tab: Tab) -> None:
    players = tuple(f"Player {number}" for number in range(MOST_LINES))
    show(tab, render_report(board(5, players)))
    for scheme, card in (("light", "#fbfbf7"), ("dark", "#14211b")):
        tab.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        assert computed(tab, ".frame", "background-color") == rgb(card)
        colours = [computed(tab, ":root", f"--line-{number}") for number in range(1, MOST_LINES + 1)]
        assert len(set(colours)) == MOST_LINES
        assert all(contrast(colour, card) >= 4.5 for colour in colours)
        for number, colour in enumerate(colours, 1):
            assert computed(tab, f"polyline.line-{number}", "stroke") == rgb(colour)
            assert computed(tab, f"text.line-{number}", "fill") == rgb(colour)


def computed(tab: Tab, selector: str, name: str) -> str:
    """A property of the first such element, as the browser has computed it."""
    value = tab.locator(selector).first.evaluate("(it, name) => getComputedStyle(it).getPropertyValue(name)", name)
    return str(value).strip()


def rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))})"


def hexadecimal(colour: str) -> str:
    return "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", colour)[:3])


def test_what_is_printed_is_dark_on_white_in_any_scheme(tab: Tab) -> None:
    show(tab, render_report(board(5)))
    tab.emulate_media(media="print", color_scheme="dark")
    assert computed(tab, "html", "background-color") == rgb("#ffffff")
    for selector in ("body", ".summary h1", ".standings td", ".matches td"):
        assert contrast(hexadecimal(computed(tab, selector, "color")), "#ffffff") > 4.5, selector
    tab.emulate_media(media="screen", color_scheme="light")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_page_and_report_are_accessible(tab: Tab, source: str, scheme: str) -> None:
    tab.set_viewport_size({"width": 360, "height": 740})
    tab.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    show(tab, source)
    found = Axe().run(tab)
    tab.emulate_media(color_scheme="light")
    assert found.violations_count == 0, found.generate_report()


# when the league is over


def test_the_page_of_a_league_that_is_over_leads_to_its_report_also_when_the_manager_has_stopped(tab: Tab) -> None:
    """The page keeps a copy of the report, under a policy that lets the report's own style have its effect."""
    is_running = True
    documents = {"": render_page(board(5)), "report": render_report(board(5))}
    files = {STATIC_FILES.url(name): name for name in (*STYLES, "league.js")}

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(SITE)
        if not is_running:
            route.abort()
        elif path in documents:
            route.fulfill(body=documents[path], content_type="text/html", headers=dict(page_headers(PAGE_POLICY)))
        elif path in files:
            kind = "text/css" if path.endswith(".css") else "text/javascript"
            route.fulfill(body=STATIC_FILES.text(files[path]), content_type=kind)
        else:
            route.fulfill(status=204)

    tab.unroute_all()
    tab.route(f"{SITE}**", answer)
    tab.goto(SITE)
    link = tab.get_by_role("link", name="Read the report")
    expect(link).to_have_attribute("href", re.compile("^blob:"))
    is_running = False
    expect(tab.locator("#connection")).to_contain_text("The league is over", timeout=30_000)
    with tab.context.expect_page() as opened:
        link.click()
    expect(opened.value.get_by_role("heading", name="Points, round by round")).to_be_visible()
    assert computed(opened.value, ".frame", "background-color") == rgb("#fbfbf7")
    opened.value.close()


def test_a_league_that_still_runs_has_no_report_to_end_with(tab: Tab) -> None:
    show(tab, render_page(board(3)))
    expect(tab.get_by_role("link", name="Read the report")).to_have_count(0)
    expect(tab.get_by_role("link", name="report so far")).to_be_visible()


# while the league runs


class Manager:
    """A league manager in a separate process. Started again with the same data, it continues."""

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
    lost, header = tab.locator("#connection"), tab.locator("main header")
    with Manager(tmp_path) as manager:
        tab.goto(f"{manager.home}/")
        expect(header).to_contain_text("The league waits for 3 more players and a referee.")
        expect(lost).not_to_be_visible()
    expect(lost).to_have_text("Connection lost, trying again.", timeout=60_000)
    expect(header).to_contain_text("The league waits for")  # what was known is still there
    with Manager(tmp_path) as again:
        assert again.home == manager.home
        expect(lost).not_to_be_visible(timeout=60_000)
