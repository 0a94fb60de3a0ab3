"""axe finds nothing to complain about on any screen, by day and by night; and no screen is wider than a phone."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.web.pages import Guest, wait_for_turn

NewGuest = Callable[..., Guest]


def check(page: Page) -> None:
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    width = page.viewport_size["width"] if page.viewport_size else 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1440])
def test_every_screen_is_accessible(new_guest: NewGuest, scheme: str, width: int) -> None:
    guest = new_guest(color_scheme=scheme, viewport={"width": width, "height": 800}, reduced_motion="reduce")
    page = guest.open()
    expect(page.locator(".tile")).to_have_count(4)
    check(page)
    guest.open("/rules/66")
    expect(page.locator("h1")).to_have_text("66")
    check(page)
    guest.open("/account")
    page.get_by_label("Your name").fill("Ana of the long and winding road")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Show a code").click()
    page.locator(".qr").wait_for()
    check(page)
    guest.open("/new?game=up-down")
    page.locator("select[name=bot]").first.wait_for()
    check(page)
    page.get_by_role("button", name="Open the table").click()
    page.get_by_role("button", name="Show QR code").click()
    page.locator(".qr").wait_for()
    check(page)
    guest.play_now()
    assert wait_for_turn(page)
    check(page)
    guest.lay()
    assert wait_for_turn(page)
    page.get_by_text("The table in words").click()
    page.locator("button.choice").first.click()
    check(page)
    page.get_by_text("Resign", exact=True).first.click()
    page.get_by_role("button", name="Resign").click()
    page.locator(".result").wait_for()
    check(page)


@pytest.mark.parametrize("game", ["66", "Even/Odd", "Up-Down"])
def test_the_tables_of_all_games_are_accessible(new_guest: NewGuest, game: str) -> None:
    guest = new_guest(viewport={"width": 360, "height": 800}, reduced_motion="reduce")
    page = guest.play_now(game)
    page.locator(".your-turn [data-choice]").first.wait_for()
    check(page)
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()
    check(page)
