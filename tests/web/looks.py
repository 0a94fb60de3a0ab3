"""Whether a page is accessible and fits: on a phone and on a desk, by day and by night."""

from collections.abc import Callable, Sequence
from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

Look = tuple[int, Literal["light", "dark"]]
"""The width of the window, and the colour scheme."""

PHONE: Sequence[Look] = [(360, "light"), (360, "dark")]
DESK: Sequence[Look] = [(1440, "light"), (1440, "dark")]
LOOKS = [*PHONE, *DESK]
HEIGHT = 800


def check_accessible(page: Page) -> None:
    """axe finds nothing to complain about, and nothing is wider than the window."""
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def check_looks(page: Page, looks: Sequence[Look] = LOOKS, check: Callable[[Page], None] = check_accessible) -> None:
    """Check the page as it is now in every look, and leave it in the first one."""
    for look in looks:
        _look_like(page, *look)
        check(page)
    _look_like(page, *looks[0])


def _look_like(page: Page, width: int, scheme: Literal["light", "dark"]) -> None:
    page.set_viewport_size({"width": width, "height": HEIGHT})
    page.emulate_media(color_scheme=scheme)
