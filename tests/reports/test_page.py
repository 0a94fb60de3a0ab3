"""The page of a report in a real browser: narrow and wide, light and dark, and accessible."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from tests.reports.tournaments import write_tournament
from tools.browser import browser
from turnstile.reports.analysis import analyse
from turnstile.reports.figures import figures_of
from turnstile.reports.page import render_report
from turnstile.reports.reading import read_source

ROOT = Path(__file__).parent.parent.parent
STYLES = ROOT / "src" / "turnstile"
BOTS = ("reader", "contrary", "always-even", "random")


@pytest.fixture(scope="module")
def running() -> Iterator[Browser]:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a tournament that was played for real, with a name that is long and hostile."""
    folder = tmp_path_factory.mktemp("report")
    played = write_tournament(folder / "t.jsonl", "even-odd", BOTS, deals=4)
    text = played.read_text().replace("always-even", "<b>long</b>" + "x" * 60)
    played.write_text(text)
    source = read_source(played)
    analysis = analyse(source.header, source.matches)
    page = folder / "t.html"
    page.write_text(render_report(source.header, analysis, figures_of(analysis)))
    return page


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1440, "light")])
def test_the_page_fits_its_window_and_is_accessible(page: Path, running: Browser, width: int, scheme: str) -> None:
    context = running.new_context(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    tab, fetched = context.new_page(), []
    tab.on("request", lambda request: fetched.append(request.url))
    tab.goto(page.as_uri())
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert Axe().run(tab).response["violations"] == []
    assert tab.locator("figure").count() == tab.locator("figcaption").count() == 6
    assert tab.locator("b").count() == 0
    assert tab.locator(".intervals .dot").first.bounding_box() is not None
    assert fetched == [page.as_uri()]
    context.close()
