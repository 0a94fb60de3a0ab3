"""How a page looks on a phone and on a desk, by day and by night."""

from collections.abc import Callable, Sequence
from typing import Literal

from playwright.sync_api import Page

Look = tuple[int, Literal["light", "dark"]]
"""The width of the window, and the colour scheme."""

LOOKS: Sequence[Look] = [(360, "light"), (360, "dark"), (1440, "light"), (1440, "dark")]
HEIGHT = 800


def check_looks(page: Page, check: Callable[[Page], None], looks: Sequence[Look] = LOOKS) -> None:
    """Check the page as it is now in every look, and leave it in the first one."""
    for look in looks:
        _look_like(page, *look)
        check(page)
    _look_like(page, *looks[0])


def _look_like(page: Page, width: int, scheme: Literal["light", "dark"]) -> None:
    page.set_viewport_size({"width": width, "height": HEIGHT})
    page.emulate_media(color_scheme=scheme)
