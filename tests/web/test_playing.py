"""Whole matches in a real browser, against a real server: what a player does, and what a player sees."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.matches import join, open_table
from tests.web.pages import Guest, server_process, wait_for_turn

NewGuest = Callable[..., Guest]
TAKE_A_CHOICE = """() => {
    document.querySelector('.your-turn [data-choice]:not([aria-disabled])').click();
    document.querySelector('[data-choice][data-raised]')?.click();
}"""


def play_to_the_end(guest: Guest, page: Page | None = None) -> None:
    page = page or guest.page
    while wait_for_turn(page):
        guest.lay(page)


def log_of(page: Page) -> list[str]:
    return page.locator(".told li").all_inner_texts()


FORGOTTEN = """() => {
    const known = JSON.parse(localStorage.getItem("turnstile.player"));
    localStorage.setItem("turnstile.player", JSON.stringify({ ...known, token: "unknown" }));
}"""
"""Gives the player of a device a token that the server does not know."""


def test_one_button_plays_a_match_against_a_bot_to_its_end(new_guest: NewGuest) -> None:
    guest = new_guest(is_animated=True)
    page = guest.play_now()
    play_to_the_end(guest)
    expect(page.locator(".result h2")).to_contain_text(re.compile("win"))
    assert len([line for line in log_of(page) if re.match(r"Round \d+:", line)]) >= 12
    before = page.url
    page.get_by_role("button", name="Rematch").click()
    expect(page).not_to_have_url(before)
    assert wait_for_turn(page)


def test_two_people_play_by_a_private_link_and_a_stranger_may_not_watch(new_guest: NewGuest) -> None:
    ana, bo, eve = new_guest(), new_guest(), new_guest()
    page = ana.open("/new?game=e-card")
    page.get_by_text("Only with the link").click()
    page.get_by_role("button", name="Open the table").click()
    link = page.get_by_label("Send this link to a friend").input_value()
    assert "#invite=" in link

    eve.page.goto(link.partition("#")[0])
    expect(eve.page.get_by_role("alert")).to_contain_text("no spectators")

    bo.page.goto(link.partition("#")[0])
    expect(bo.page.get_by_role("alert")).to_contain_text("no spectators")
    bo.page.goto(link)  # in the same tab, so that only what is behind `#` changes
    expect(bo.page).to_have_url(link.partition("#")[0])  # the secret does not stay in the address
    expect(bo.page.locator(".seat")).to_have_count(2)
    page.get_by_role("button", name="Start the match").click()
    while wait_for_turn(page) and wait_for_turn(bo.page):
        ana.lay()
        bo.lay(index=1)
    expect(page.locator(".result")).to_be_visible()
    expect(bo.page.locator(".result")).to_be_visible()
    assert {page.locator(".result h2").inner_text(), bo.page.locator(".result h2").inner_text()} >= {"You win!"}
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the record").click()
    assert Path(download.value.path()).read_text().startswith("{")


def test_a_spectator_sees_the_table_and_no_hand(new_guest: NewGuest) -> None:
    ana, eve = new_guest(), new_guest()
    page = ana.open("/new?game=e-card")
    page.get_by_label("How many bots").select_option("1")
    page.get_by_label("Which bot").select_option("random")
    page.get_by_role("button", name="Open the table").click()
    page.get_by_role("button", name="Start the match").click()
    assert wait_for_turn(page)
    watching = eve.open()
    watching.locator(".open .tables a").first.click()
    expect(watching.get_by_text("You are watching")).to_be_visible()
    expect(watching.locator(".duel")).to_be_visible()
    expect(watching.locator("button.choice")).to_have_count(0)
    expect(watching.locator(".fan")).to_have_count(0)


def test_a_reload_in_the_middle_shows_the_same_table_and_the_whole_log(new_guest: NewGuest) -> None:
    guest = new_guest()
    page = guest.play_now()
    for _ in range(3):
        assert wait_for_turn(page)
        guest.lay()
    assert wait_for_turn(page)
    before = log_of(page)
    page.reload()
    assert wait_for_turn(page)
    expect(page.locator(".told li")).to_have_count(len(before))
    assert log_of(page) == before
    guest.lay()
    assert wait_for_turn(page)


def test_a_second_tab_takes_the_seat_and_the_first_says_so_and_can_take_it_back(new_guest: NewGuest) -> None:
    guest = new_guest()
    first = guest.play_now()
    assert wait_for_turn(first)
    second = guest.tab()
    second.goto(first.url)
    assert wait_for_turn(second)
    expect(first.get_by_role("alert")).to_contain_text("another tab")
    expect(first.locator("button.choice")).to_have_count(0)
    guest.lay(second)
    assert wait_for_turn(second)
    first.get_by_role("button", name="Play here").click()
    expect(second.get_by_role("alert")).to_contain_text("another tab")
    assert wait_for_turn(first)
    assert log_of(first) == log_of(second)


def test_offline_is_said_and_mends_itself(new_guest: NewGuest) -> None:
    guest = new_guest()
    page = guest.play_now()
    assert wait_for_turn(page)
    guest.context.set_offline(True)
    expect(page.locator(".badge.line")).to_have_text("offline")
    expect(page.get_by_role("alert").first).to_contain_text("You are offline")
    guest.lay()  # kept until the line is back
    guest.context.set_offline(False)
    expect(page.locator(".badge.line")).to_have_text("live")
    expect(page.locator(".told li").filter(has_text="meets")).to_have_count(1)
    assert wait_for_turn(page)


def test_a_killed_server_comes_back_and_nothing_is_lost_and_nothing_shown_twice(
    browser: Browser, tmp_path: Path
) -> None:
    with server_process(tmp_path / "tables.db") as server:
        guest = Guest(browser, server.url)
        page = guest.play_now()
        for _ in range(2):
            assert wait_for_turn(page)
            guest.lay()
        assert wait_for_turn(page)
        before = log_of(page)
        server.kill()
        expect(page.locator(".badge.line")).to_have_text(re.compile("reconnecting|connecting"))
        guest.lay()
        server.start()
        expect(page.locator(".badge.line")).to_have_text("live")
        play_to_the_end(guest)
        told = log_of(page)
        assert told[: len(before)] == before
        rounds = [line for line in told if re.match(r"Round \d+:", line)]
        assert len(rounds) == len(set(rounds)) >= 12
        guest.close()


def test_another_device_goes_on_with_a_code(new_guest: NewGuest) -> None:
    laptop, phone = new_guest(), new_guest(viewport={"width": 360, "height": 740}, has_touch=True)
    page = laptop.play_now()
    assert wait_for_turn(page)
    laptop.open("/account")
    name = laptop.page.locator("h1").inner_text()
    laptop.page.get_by_role("button", name="Show a code").click()
    link = laptop.page.get_by_role("link", name="Link for the other device").get_attribute("href")
    expect(laptop.page.get_by_role("img", name="QR code of the link")).to_be_visible()
    phone.page.goto(str(link))
    expect(phone.page.locator("h1")).to_have_text(name)
    assert "#" not in phone.page.url
    phone.open()
    phone.page.locator(".own a").first.click()
    assert wait_for_turn(phone.page)
    phone.page.locator("button.choice").first.tap()
    phone.page.locator("button.choice").first.tap()
    assert wait_for_turn(phone.page)
    assert phone.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_match_is_played_with_the_keyboard_alone(new_guest: NewGuest) -> None:
    guest = new_guest()
    page = guest.open()
    page.get_by_role("button", name="Play E-Card").focus()
    page.keyboard.press("Enter")
    assert wait_for_turn(page)
    page.keyboard.press("2")
    expect(page.locator("button.choice[data-raised]")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("button.choice[data-raised]")).to_have_count(0)
    page.keyboard.press("1")
    page.keyboard.press("1")
    expect(page.locator(".told li").filter(has_text="meets")).to_have_count(1)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("The Emperor beats a Citizen")
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize("game", ["Even/Odd", "Up-Down"])
def test_every_game_plays_in_the_browser(new_guest: NewGuest, game: str) -> None:
    """A dozen moves, whatever they are: a choice that needs two taps is tapped twice. 66 has tests of its own."""
    guest = new_guest()
    page = guest.play_now(game)
    for _ in range(12):
        if not wait_for_turn(page):
            break
        seen = page.locator("table-screen").get_attribute("data-seq")
        page.evaluate(TAKE_A_CHOICE)
        expect(page.locator("table-screen")).not_to_have_attribute("data-seq", seen or "")
    expect(page.locator(".refusal")).to_have_text("")


SILENT_SERVER = """
window.EventSource = class {
    constructor() { window.source = this; }
    close() {}
}
"""
"""A server that says which tables are open when the test lets it."""


def test_the_list_of_open_tables_is_live_when_the_server_has_said_which_there_are(new_guest: NewGuest) -> None:
    guest = new_guest()
    guest.context.add_init_script(SILENT_SERVER)
    page = guest.open()
    badge, nothing = page.locator(".open .badge"), page.get_by_text("No open tables right now.")
    page.evaluate("source.onopen()")
    expect(badge).to_have_text("connecting…")
    expect(nothing).to_have_count(0)
    page.evaluate("""source.onmessage({ data: '{"changed":[],"gone":[]}' })""")
    expect(badge).to_have_text("live")
    expect(nothing).to_be_visible()
    page.evaluate("source.readyState = 0; source.onerror()")
    expect(badge).to_have_text("connecting…")


def test_the_open_tables_change_while_one_looks(new_guest: NewGuest) -> None:
    ana, bo = new_guest(), new_guest()
    looking = bo.open()
    expect(looking.locator(".open .badge")).to_have_text("live")
    before = looking.locator(".open .tables li").count()
    page = ana.open("/new?game=up-down")
    page.get_by_role("button", name="Open the table").click()
    expect(looking.locator(".open .tables li")).to_have_count(before + 1)
    looking.locator(".open .tables a").first.click()
    looking.get_by_role("button", name="Take a seat").click()
    expect(page.locator(".seat")).to_have_count(2)
    page.get_by_role("button", name="Start the match").click()
    expect(looking.locator(".ask")).not_to_be_empty()


def test_a_missing_player_is_named(new_guest: NewGuest) -> None:
    ana, bo = new_guest(), new_guest()
    page = ana.open("/new?game=e-card")
    page.get_by_role("button", name="Open the table").click()
    bo.page.goto(page.get_by_label("Send this link to a friend").input_value())
    page.get_by_role("button", name="Start the match").click()
    assert wait_for_turn(bo.page)
    bo.page.goto("about:blank")
    expect(page.locator(".missing")).to_contain_text("is not connected since")
    expect(page.locator(".missing")).to_contain_text("waits")


def test_a_device_that_the_server_has_forgotten_says_so_and_plays_on_as_a_new_player(new_guest: NewGuest) -> None:
    guest = new_guest()
    page = guest.play_now()
    assert wait_for_turn(page)
    name = page.locator("header.site nav a").last.inner_text()
    page.evaluate(FORGOTTEN)
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("This device is logged out")
    guest.open()
    expect(page.get_by_role("alert")).to_contain_text("This device was logged out")
    page.get_by_role("button", name="Play E-Card").click()
    assert wait_for_turn(page)
    expect(page.locator("header.site nav a").last).not_to_have_text("Your name")
    assert name
    host = new_guest().open("/new?game=e-card")
    host.get_by_text("Only with the link").click()
    host.get_by_role("button", name="Open the table").click()
    page.evaluate(FORGOTTEN)
    page.goto(host.get_by_label("Send this link to a friend").input_value())
    expect(page.locator(".seat")).to_have_count(2)  # the invitation counts, too
    guest.complaints[:] = [text for text in guest.complaints if "401" not in text]


def test_a_layout_that_fails_leaves_the_match_playable(new_guest: NewGuest) -> None:
    guest = new_guest()
    broken = "export default { table() { throw new Error('broken'); } };"
    guest.context.route(
        "**/static/layouts/e-card-*.js", lambda route: route.fulfill(body=broken, content_type="text/javascript")
    )
    page = guest.play_now()
    assert wait_for_turn(page)
    expect(page.locator(".generic")).to_be_visible()
    page.locator("[data-choice]").first.click()
    expect(page.locator(".told li").filter(has_text="Pair revealed")).not_to_have_count(0)
    assert all("broken" in text for text in guest.complaints)
    guest.complaints.clear()


def test_the_winner_of_a_public_match_is_on_the_leader_board(new_guest: NewGuest) -> None:
    ana, bo = new_guest(), new_guest()
    page = ana.open("/new?game=e-card")
    page.get_by_role("button", name="Open the table").click()
    bo.page.goto(page.get_by_label("Send this link to a friend").input_value())
    page.get_by_role("button", name="Start the match").click()
    assert wait_for_turn(bo.page)
    bo.page.locator("summary", has_text="Resign").click()
    bo.page.get_by_role("button", name="Resign").click()
    expect(page.locator(".result h2")).to_have_text("You win!")
    name = page.locator("header.site nav a").last.inner_text()
    page.get_by_role("link", name="All tables").click()
    expect(page.locator(".leaders")).to_contain_text(name)


def test_logging_out_everywhere_ends_other_devices_and_not_this_one(new_guest: NewGuest) -> None:
    laptop, phone = new_guest(), new_guest()
    page = laptop.play_now()
    assert wait_for_turn(page)
    account = laptop.tab()
    account.goto(f"{laptop.url}/account")
    account.get_by_role("button", name="Show a code").click()
    link = account.get_by_role("link", name="Link for the other device").get_attribute("href")
    phone.page.goto(str(link))
    expect(phone.page.locator("h1")).not_to_have_text("You")
    phone.page.goto(page.url)
    expect(page.get_by_role("alert")).to_contain_text("another tab or on another device")
    account.get_by_role("button", name="Log out all other devices").click()
    expect(account.get_by_role("status")).to_contain_text("logged out")
    expect(phone.page.get_by_role("alert")).to_contain_text("This device is logged out")
    page.get_by_role("button", name="Play here").click()
    assert wait_for_turn(page)
    laptop.lay(page)
    assert wait_for_turn(page)


def test_a_player_who_is_deleted_resigns_and_is_forgotten(new_guest: NewGuest) -> None:
    ana, bo = new_guest(), new_guest()
    join(bo, open_table(ana, "e-card", start=False))
    ana.page.get_by_role("button", name="Start the match").click()
    assert wait_for_turn(ana.page)
    account = bo.open("/account")
    account.get_by_role("button", name="Delete my player").click()
    account.get_by_role("button", name="Really delete my player").click()
    expect(account.get_by_role("status")).to_have_text("Your player is deleted.")
    expect(account.locator("h1")).to_have_text("You")
    expect(ana.page.locator(".result h2")).to_have_text("You win!")
