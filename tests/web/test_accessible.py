"""axe finds nothing to complain about on any screen, by day and by night; and no screen is wider than a phone."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.web.looks import PHONE, check_looks
from tests.web.pages import Guest, wait_for_turn

NewGuest = Callable[..., Guest]


def test_every_screen_is_accessible(new_guest: NewGuest) -> None:
    guest = new_guest()
    page = guest.open()
    expect(page.locator(".tile")).to_have_count(4)
    check_looks(page)
    guest.open("/rules/66")
    expect(page.locator("h1")).to_have_text("66")
    check_looks(page)
    guest.open("/account")
    page.get_by_label("Your name").fill("Ana of the long and winding road")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Show a code").click()
    page.locator(".qr").wait_for()
    check_looks(page)
    guest.open("/new?game=up-down")
    page.locator("select[name=bot]").first.wait_for()
    check_looks(page)
    page.get_by_role("button", name="Open the table").click()
    page.get_by_role("button", name="Show QR code").click()
    page.locator(".qr").wait_for()
    check_looks(page)
    guest.play_now()
    assert wait_for_turn(page)
    check_looks(page)
    guest.lay()
    assert wait_for_turn(page)
    page.get_by_text("The table in words").click()
    page.locator("button.choice").first.click()
    check_looks(page)
    page.get_by_text("Resign", exact=True).first.click()
    page.get_by_role("button", name="Resign").click()
    page.locator(".result").wait_for()
    check_looks(page)
    page.get_by_role("button", name="Was it fair?").click()
    page.locator(".fairness h3").wait_for()
    check_looks(page)
    page.keyboard.press("ArrowLeft")
    page.locator(".replay").wait_for()
    check_looks(page)


def test_an_address_where_there_is_nothing_says_so_and_leads_back(new_guest: NewGuest) -> None:
    guest = new_guest()
    for path, words in (
        ("/nothing", "There is nothing at this address."),
        ("/table/%E0", "There is nothing at this address."),
        ("/rules/nothing", "There is no game"),
        ("/table/nothing", "There is no such table."),
    ):
        page = guest.open(path)
        expect(page.locator("main")).to_contain_text(words)
        expect(page.get_by_role("link", name="To all tables")).to_be_visible()
        check_looks(page, PHONE)
    guest.complaints[:] = [text for text in guest.complaints if "404" not in text]


@pytest.mark.parametrize("game", ["66", "Even/Odd", "Up-Down"])
def test_the_tables_of_all_games_are_accessible(new_guest: NewGuest, game: str) -> None:
    guest = new_guest()
    page = guest.play_now(game)
    page.locator(".your-turn [data-choice]").first.wait_for()
    check_looks(page, PHONE)
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()
    check_looks(page, PHONE)
