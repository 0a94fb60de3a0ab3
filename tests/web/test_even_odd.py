"""Even/Odd on the page: a whole match between two people, and its secrets."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.web.looks import check_looks
from tests.web.matches import join, move, open_table, play_alone, play_together
from tests.web.pages import Guest
from tests.web.test_up_down import RAW, sentences

NewGuest = Callable[..., Guest]


def test_two_people_play_a_whole_match(new_guest: NewGuest) -> None:
    ana, bo = new_guest(is_animated=True), new_guest(is_animated=True)
    join(bo, open_table(ana, "even-odd", options={"draws": 3}, start=False))
    ana.page.get_by_role("button", name="Start the match").click()
    pages = [ana.page, bo.page]
    for page in pages:
        expect(page.locator("[data-choice]")).to_have_count(2)
    move(ana.page, 0)
    expect(ana.page.locator(".ask")).to_contain_text("You have said even.")
    expect(bo.page.locator(".even-odd")).to_contain_text("has chosen")
    assert "even" not in bo.page.locator(".even-odd").inner_text().lower()
    move(bo.page, 1)
    for page in pages:
        expect(page.locator(".verdict")).to_contain_text("right alone: 3 points.")
        expect(page.locator(".draws tbody tr")).to_have_count(1)
    play_together(pages)
    for page in pages:
        expect(page.locator(".draws tbody tr")).to_have_count(3)
        assert [line for line in sentences(page) if RAW.search(line)] == []
        assert sum(line.startswith("Draw ") for line in sentences(page)) == 3


def test_everything_is_accessible(new_guest: NewGuest) -> None:
    guest = new_guest()
    open_table(guest, "even-odd", ["reader"], {"draws": 3})
    page = guest.page
    page.locator(".your-turn [data-choice]").first.wait_for()
    check_looks(page)
    play_alone(page, 2)
    page.locator(".your-turn [data-choice]").first.click()
    check_looks(page)
