"""After a match of every game: the replay, the fairness check, the record, a rematch."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, WebSocketRoute, expect

from tests.web.looks import check_looks
from tests.web.matches import MAKE_A_MOVE, open_table, play_alone
from tests.web.pages import Guest
from tests.web.test_fair import relinked
from turnstile.kernel.record import Record, load

NewGuest = Callable[..., Guest]
TABLES: dict[str, tuple[list[str], dict[str, int]]] = {
    "e-card": (["random"], {}),
    "even-odd": (["random"], {"draws": 2}),
    "up-down": (["random", "random"], {"maxRoundSize": 2}),
    "66": (["random"], {}),
}

BOARD = """it => {
    const cards = [...it.querySelectorAll("play-card")];
    return [it.innerText, cards.map((card) => [card.getAttribute("face"), card.getAttribute("label")])];
}"""


def finish(guest: Guest, game: str) -> Page:
    """A match against bots, to its end; a match of 66 is long, and is resigned after some moves."""
    bots, options = TABLES[game]
    open_table(guest, game, bots, options)
    page = guest.page
    if game == "66":
        page.locator("table-screen[data-seq]").wait_for()
        for _ in range(30):
            page.evaluate(MAKE_A_MOVE)
        guest.complaints[:] = [each for each in guest.complaints if "409" not in each]  # moves before the gate was open
        page.get_by_text("Resign", exact=True).first.click()
        page.get_by_role("button", name="Resign").click()
    else:
        play_alone(page)
    page.locator(".result").wait_for()
    return page


def board_of(page: Page) -> object:
    """The middle of the table: its words and its cards."""
    return page.locator(".board").evaluate(BOARD)


def check_fairness(page: Page) -> None:
    page.get_by_role("button", name="Was it fair?").click()
    page.locator(".fairness h3").wait_for()


@pytest.mark.parametrize("game", TABLES)
def test_the_browser_finds_the_deal_fair_and_a_forged_record_not(new_guest: NewGuest, game: str) -> None:
    guest = new_guest()
    page = finish(guest, game)
    check_fairness(page)
    expect(page.locator(".fairness h3")).to_have_text("✓ The deal was fair.")
    expect(page.locator(".fairness li[data-right]")).to_have_count(3)
    expect(page.locator(".fairness li").last).to_contain_text("that you saw")

    def forge(route: Route) -> None:
        *lines, end = map(json.loads, route.fetch().text().splitlines())
        route.fulfill(body=relinked([*lines, end | {"seed": "another seed"}]), content_type="application/x-ndjson")

    page.route("**/record", forge)
    check_fairness(page)
    expect(page.locator(".fairness h3")).to_have_text("✗ Something is wrong with this deal.")
    expect(page.locator(".fairness li:not([data-right])").first).to_contain_text("promised before the first move")


@pytest.mark.parametrize("game", TABLES)
def test_the_replay_goes_through_the_match_step_by_step(new_guest: NewGuest, game: str) -> None:
    guest = new_guest()
    page = finish(guest, game)
    board = board_of(page)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".replay")).to_be_visible()
    expect(page.locator(".result")).to_have_count(0)
    slider = page.get_by_label("Moment of the match")
    count = int(slider.get_attribute("max") or 0) + 1
    assert count > 3
    expect(slider).to_have_value(str(count - 2))
    slider.fill("0")
    expect(page.locator(".step")).to_contain_text(f"Step 1 of {count}")
    expect(page.get_by_role("button", name="One step back")).to_have_attribute("aria-disabled", "true")
    assert board_of(page) != board
    page.get_by_role("button", name="One step on").click()
    expect(page.locator(".step")).to_contain_text(f"Step 2 of {count}")
    assert page.locator("[data-choice]").count() == 0
    page.locator(".moment").last.click()
    expect(page.locator(".step")).to_contain_text(f"Step {count} of {count}")
    expect(page.locator(".told [aria-current]").last).to_be_visible()
    page.locator("h1").click()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".result")).to_be_visible()
    assert board_of(page) == board


def test_the_replay_shows_the_hand_of_this_seat_only(new_guest: NewGuest) -> None:
    guest = new_guest()
    page = finish(guest, "up-down")
    page.get_by_role("button", name="Replay").click()
    slider = page.get_by_label("Moment of the match")
    slider.fill("0")
    expect(page.locator(".fan play-card")).to_have_count(1)
    expect(page.locator("play-card[face]")).to_have_count(2)  # its own card, and the mesa
    slider.focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".result")).to_be_visible()


def test_a_match_that_is_over_can_be_replayed_and_checked_later(new_guest: NewGuest) -> None:
    guest = new_guest()
    page = finish(guest, "up-down")
    page.reload()
    page.locator(".result").wait_for()
    check_fairness(page)
    expect(page.locator(".fairness h3")).to_have_text("✓ The deal was fair.")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".replay")).to_be_visible()


def test_the_record_is_downloaded_and_whole(new_guest: NewGuest, tmp_path: Path) -> None:
    page = finish(new_guest(), "even-odd")
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download the record").click()
    file = tmp_path / downloading.value.suggested_filename
    downloading.value.save_as(file)
    record = load(file.read_bytes())
    assert isinstance(record, Record), record
    assert record.header.game == "even-odd"


def test_a_rematch_against_bots_takes_one_click(new_guest: NewGuest) -> None:
    page = finish(new_guest(), "even-odd")
    before = page.url
    page.get_by_role("button", name="Rematch").click()
    expect(page).not_to_have_url(before)
    expect(page).to_have_url(re.compile("/table/"))
    expect(page.locator(".even-odd")).to_contain_text("Draw 1 of 2")
    again = page.url
    page.go_back()
    expect(page.get_by_role("button", name="Play E-Card")).to_be_visible()  # not the table before, which leads on
    page.goto(before)
    expect(page.get_by_role("button", name="Replay")).to_be_visible()
    page.get_by_role("link", name="To the rematch").click()
    expect(page).to_have_url(again)


def test_a_rematch_that_cannot_be_opened_is_said_and_not_waited_for(new_guest: NewGuest) -> None:
    guest = new_guest()

    def close_without_rematch(client: WebSocketRoute) -> None:
        """The frames of a table whose next table was refused for good."""
        server = client.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            frame = json.loads(message)
            if frame["type"] == "status" and frame["phase"] == "Closed":
                frame["successor"] = None
            client.send(json.dumps(frame))

        server.on_message(pass_on)

    guest.page.route_web_socket(re.compile(".*"), close_without_rematch)
    page = finish(guest, "even-odd")
    expect(page.locator(".wish")).to_have_count(0)
    page.get_by_role("button", name="Rematch").click()
    expect(page.locator(".wish")).to_have_text("There is no rematch: the next table cannot be opened.")
    expect(page.get_by_role("button", name="Waiting for the others")).to_have_count(0)
    expect(page.get_by_role("button", name="Rematch")).to_have_count(0)
    check_looks(page)


def test_everything_after_a_match_is_accessible(new_guest: NewGuest) -> None:
    page = finish(new_guest(), "up-down")
    check_fairness(page)
    page.get_by_text("Check it yourself").click()
    check_looks(page)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    check_looks(page)
