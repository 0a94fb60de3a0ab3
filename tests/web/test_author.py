"""What an author of games sees in the browser: the game at once, its machine, its steps, all seats, every change."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.server.test_dev import edit
from tests.test_write_a_game import FILES, PAGE
from tests.web.conftest import NewGuest
from tests.web.looks import DESK, check_looks
from tests.web.pages import Guest, ServerProcess, server_process


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The game of docs/write-a-game.md, in a file that is not installed."""
    path = tmp_path_factory.mktemp("game") / "undercut.py"
    path.write_text(FILES["undercut.py"], "utf-8")
    return path


@pytest.fixture(scope="module")
def dev_server(file: Path) -> Iterator[ServerProcess]:
    with server_process(file.parent / "tables.db", "--dev", "--game", str(file)) as running:
        yield running


@pytest.fixture
def author(browser: Browser, dev_server: ServerProcess) -> Iterator[Guest]:
    guest = Guest(browser, dev_server.url, viewport={"width": 1440, "height": 900})
    yield guest
    guest.close()


def play_all_seats(author: Guest) -> Page:
    """A table of Undercut at which the author holds both seats, with the panel."""
    page = author.open()
    page.get_by_label("Game", exact=True).select_option("undercut")
    page.get_by_role("button", name="Play all seats").click()
    expect(page).to_have_url(re.compile("/table/"))
    if not page.locator("author-panel").count():
        page.get_by_role("button", name="Panel", exact=True).click()
    return page


def lay(page: Page) -> None:
    """Make the first move of the seat that is shown."""
    before = page.locator("table-screen").get_attribute("data-seq")
    page.locator(".your-turn [data-choice]:not([aria-disabled])").first.click()
    expect(page.locator("table-screen")).not_to_have_attribute("data-seq", before or "")


def show(page: Page, tab: str) -> None:
    page.locator("author-panel").get_by_role("button", name=tab, exact=True).click()


def lit_phase(page: Page) -> Locator:
    return page.locator("author-panel .phase[aria-current] h3")


def test_an_author_plays_all_seats_and_sees_the_machine_the_steps_and_every_seat(author: Guest) -> None:
    assert "turnstile serve --dev --game undercut.py" in PAGE
    page = play_all_seats(author)
    seats = page.get_by_role("group", name="Play at the seat of").get_by_role("button")
    expect(seats).to_have_count(2)
    expect(seats.filter(has_text="to move")).to_have_count(2)
    expect(lit_phase(page)).to_have_text("Laying")
    expect(page.locator(".machine .phase")).to_have_count(3)

    lay(page)
    expect(seats.filter(has_text="to move")).to_have_text(["Seat 2to move"])
    expect(page.locator(".machine [data-taken]")).to_have_text("Laygo on↻ stays")
    own = page.locator(".facts").first.inner_text()
    seats.nth(1).click()
    expect(seats.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".your-turn")).to_be_visible()
    assert page.locator(".facts").first.inner_text() != own, "another seat has another hand"

    show(page, "Seats")
    sights = page.locator("author-panel .items > li")
    expect(sights).to_have_count(4)
    expect(sights.nth(1)).to_contain_text('"hasLaid"')
    show(page, "Steps")
    expect(page.locator("author-panel .items summary").first).to_have_text(re.compile("2 Lay.+Laying → Laying go on"))
    show(page, "Updates")
    expect(page.locator("author-panel .items > li").first).to_contain_text("update")
    check_looks(page, DESK)

    show(page, "Diagram")
    while not page.locator(".result").count():
        lay(page)
        next_seat = seats.filter(has_text="to move").or_(page.locator(".result")).first
        next_seat.wait_for()
        if not page.locator(".result").count():
            next_seat.click()
            expect(page.locator(".your-turn")).to_be_visible()
    expect(lit_phase(page)).to_have_text("Finishedend")


def test_an_author_chooses_how_many_seats_to_play_and_with_which_options(author: Guest) -> None:
    page = author.open("/new?game=up-down")
    page.get_by_label("Seats that you play yourself").select_option("3")
    page.get_by_role("button", name="Open the table").click()
    seats = page.get_by_role("group", name="Play at the seat of").get_by_role("button")
    expect(seats).to_have_count(3)
    seats.filter(has_text="to move").first.click()
    expect(page.locator(".your-turn")).to_be_visible()


def test_a_change_of_the_file_shows_in_the_browser_and_a_mistake_is_told_and_changes_nothing(
    author: Guest, file: Path
) -> None:
    page = play_all_seats(author)
    expect(page.get_by_role("heading", name="Undercut", exact=True)).to_be_visible()
    lay(page)

    edit(file, 'title="Undercut"', 'title="Undercut twice"')
    expect(page.get_by_role("heading", name="Undercut twice")).to_be_visible()
    expect(page.locator("table-screen")).to_have_attribute("data-seq", re.compile("[3-9]"))  # the match goes on

    edit(file, "ROUNDS = 4", "ROUNDS = four")
    problem = page.locator("author-bar .refusal")
    expect(problem).to_contain_text("undercut.py, line")
    expect(problem).to_contain_text("NameError: name 'four' is not defined. The rules of before stay.")
    expect(page.get_by_role("heading", name="Undercut twice")).to_be_visible()

    edit(file, "ROUNDS = four", "ROUNDS = 2")
    expect(page.get_by_text("The rules of the game have changed")).to_be_visible()
    page.get_by_role("button", name="Play all seats anew").click()
    expect(page.locator(".your-turn [data-choice]")).to_have_count(2)  # two numbers in the hand
    expect(problem).to_have_count(0)


def test_the_panel_of_a_player_has_the_diagram_and_its_own_updates_and_nothing_else(new_guest: NewGuest) -> None:
    guest = new_guest()
    guest.play_now()
    expect(guest.page.locator("author-panel, author-bar")).to_have_count(0)
    table = guest.page.url
    guest.open("/account").get_by_label("The author's panel").check()
    asked: list[str] = []
    guest.page.on("request", lambda request: asked.append(request.url))
    guest.page.goto(table)
    expect(lit_phase(guest.page)).to_have_text("Picking")
    show(guest.page, "Updates")
    expect(guest.page.locator("author-panel .items > li").first).to_contain_text("update")
    for tab in ("Steps", "Seats"):
        show(guest.page, tab)
        expect(guest.page.locator("author-panel")).to_contain_text("turnstile serve --dev")
    expect(guest.page.locator("author-bar")).to_have_count(0)
    assert not [url for url in asked if "/api/dev/" in url]
    guest.page.get_by_role("button", name="Close the panel").click()
    expect(guest.page.locator("author-panel")).to_have_count(0)
