"""Up-Down on the page: whole matches, the bets and the cards, and ten players on a phone."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.web.looks import HEIGHT, check_looks
from tests.web.matches import is_over, join, move, open_table, play_alone, play_together
from tests.web.pages import Guest

NewGuest = Callable[..., Guest]
SMALL = {"maxRoundSize": 2}
RAW = re.compile(r"[a-z][A-Z][a-z]|_|undefined|null|NaN|\[object")
"""What a sentence never has: names of fields, and values that nobody has put into words."""

COVERED = """() => [...document.querySelectorAll('.fan play-card')].filter((card) => {
    const { left, top, width } = card.getBoundingClientRect();
    const at = document.elementFromPoint(left + width * 0.14, top + width * 0.2);
    return !card.contains(at) && !card.closest('button')?.contains(at);
}).length"""
"""How many cards of the hand have a corner that cannot be seen."""

PLAY_UNTIL_HAND_OF = """async (size) => {
    const { call } = await import("/static/lib/http.js");
    const { newId } = await import("/static/lib/wire.js");
    const table = `/api/tables/${location.pathname.split("/")[2]}`;
    for (;;) {
        const { view, actions } = await call("GET", `${table}/view`);
        if (view?.players.some(({ hand }) => hand?.length === size)) return;
        if (actions.length) await call("POST", `${table}/commands`, { type: "act", id: newId(), move: actions[0] });
    }
}"""
"""Takes the first action again and again, without the page."""


CUT = """(names) => names
    .filter((name) => name.scrollWidth > name.clientWidth || name.scrollHeight > name.clientHeight)
    .map((name) => name.textContent)"""
"""The names that do not fit into their place."""


def sentences(page: Page) -> list[str]:
    return page.locator(".told li").all_inner_texts()


def test_three_people_and_a_bot_play_a_whole_match(new_guest: NewGuest) -> None:
    guests = [new_guest() for _ in range(3)]
    link = open_table(guests[0], "up-down", ["counter"], SMALL, start=False)
    pages = [guests[0].page, *(join(guest, link) for guest in guests[1:])]
    for page in pages:
        expect(page.locator(".seat")).to_have_count(4)
    pages[0].get_by_role("button", name="Start the match").click()
    for page in pages:
        expect(page.locator(".fan .choice")).to_have_count(1)
    play_together(pages)
    totals = [page.locator(".score-sheet tbody tr").last.inner_text() for page in pages]
    assert len({re.sub(r"\s+", " ", total) for total in totals}) == 1
    for page in pages:
        expect(page.locator(".score-sheet tbody tr")).to_have_count(3)
        expect(page.locator(".score-sheet td .open")).to_have_count(0)
        told = sentences(page)
        assert [line for line in told if RAW.search(line)] == []
        assert sum(line.startswith("Round ") and "is over" in line for line in told) == 3
        assert sum(" hand " in line for line in told) == 4
        assert any(re.search(r"(You play|plays) the .* of (clubs|diamonds|hearts|spades)\.", line) for line in told)


def test_a_bet_and_a_card_are_raised_first_and_played_by_a_second_tap(new_guest: NewGuest) -> None:
    guest = new_guest()
    open_table(guest, "up-down", ["counter", "counter"], SMALL)
    page = guest.page
    bet = page.locator(".bets .choice").first
    bet.click()
    expect(page.locator(".ask")).to_have_text(re.compile(r"Tap \d again to bet it\."))
    page.keyboard.press("Escape")
    expect(bet).to_have_attribute("aria-pressed", "false")
    bet.click()
    bet.click()
    expect(page.locator(".seat[data-own] .bet")).to_have_text(re.compile(r"won 0 of \d"))
    card = page.locator(".fan button.choice").first
    card.click()
    expect(page.locator(".ask")).to_have_text(re.compile(r"Tap the .* again to play it\."))
    card.click()
    expect(page.locator(".verdict")).to_have_text(re.compile(r"won the hand with the .*Round 1"))
    expect(page.locator(".trick li")).to_have_count(3)
    expect(page.locator(".trick [data-won] .sign")).to_have_count(1)


def test_a_bet_that_is_not_allowed_is_shown_and_cannot_be_made(new_guest: NewGuest) -> None:
    guest = new_guest()
    open_table(guest, "up-down", ["counter"], {"maxRoundSize": 3})
    page = guest.page
    while not page.locator(".bets :disabled").count():
        play_alone(page, 1)
        page.locator(".your-turn [data-choice]").first.wait_for()
        assert not is_over(page)
    expect(page.locator(".ask")).to_have_text(re.compile(r"Not \d: the bets may not add up to \d\."))


def test_digits_bet_and_play(new_guest: NewGuest) -> None:
    guest = new_guest()
    open_table(guest, "up-down", ["counter"], SMALL)
    page = guest.page
    page.locator(".bets .choice").first.wait_for()
    allowed = page.locator(".bets .choice").first.inner_text()
    page.keyboard.press(allowed)
    expect(page.locator(".bets [data-raised]")).to_have_text(allowed)
    page.keyboard.press("Enter")
    expect(page.locator(".seat[data-own] .bet")).to_have_text(f"won 0 of {allowed}")
    page.locator(".your-turn .fan button.choice").first.wait_for()
    page.keyboard.press("1")
    expect(page.locator(".fan [data-raised]")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(".score-sheet td [title]").first).to_be_visible()


def test_the_last_hand_can_be_seen_again(new_guest: NewGuest) -> None:
    guest = new_guest()
    open_table(guest, "up-down", ["counter", "counter"], {"maxRoundSize": 4})
    page = guest.page
    while not page.locator(".last-hand").count():
        page.locator(".your-turn [data-choice]").first.wait_for()
        move(page)
    page.locator(".last-hand summary").click()
    expect(page.locator(".last-hand .trick li")).to_have_count(3)
    expect(page.locator(".last-hand .sign")).to_be_visible()


def test_the_hand_is_sorted_by_suit_with_a_gap_between_suits(new_guest: NewGuest) -> None:
    guest = new_guest(viewport={"width": 360, "height": 740})
    open_table(guest, "up-down", ["counter"], {"maxRoundSize": 14})
    page = guest.page
    page.evaluate(PLAY_UNTIL_HAND_OF, 10)
    page.reload()
    expect(page.locator(".fan play-card")).to_have_count(10)
    suits = [
        str(face).split(":")[1]
        for face in page.locator(".fan play-card").evaluate_all("all => all.map(each => each.getAttribute('face'))")
    ]
    assert suits == sorted(suits)
    assert page.locator(".fan .new-suit").count() == len(set(suits)) - 1
    assert page.evaluate(COVERED) == 0


@pytest.mark.parametrize("width", [390, 1366])
def test_the_score_sheet_tells_two_bots_apart(new_guest: NewGuest, width: int) -> None:
    guest = new_guest(viewport={"width": width, "height": HEIGHT})
    open_table(guest, "up-down", ["counter", "counter"], SMALL)
    names = guest.page.locator(".score-sheet thead span")
    expect(names).to_have_text(["Cards", "You", "Counter 1", "Counter 2"])
    assert names.evaluate_all(CUT) == []


def test_ten_players_fit_and_everything_is_accessible(new_guest: NewGuest) -> None:
    guest = new_guest(viewport={"width": 360, "height": HEIGHT})
    open_table(guest, "up-down", ["counter"] * 9, {"maxRoundSize": 5})
    page = guest.page
    page.locator(".your-turn .bets").wait_for()
    check_looks(page)
    while page.locator(".trick li").count() < 2 or page.locator(".fan play-card").count() < 3:
        move(page)
        page.locator(".your-turn [data-choice]").first.wait_for()
    expect(page.locator(".seat")).to_have_count(10)
    check_looks(page, check=check_hand)
    page.locator(".your-turn [data-choice]").first.click(position={"x": 8, "y": 20})
    page.get_by_text("The table in words").click()
    check_looks(page)


def check_hand(page: Page) -> None:
    """Every card shows its corner, and the hand is on the screen or next to it."""
    assert page.evaluate(COVERED) == 0
    hand = page.locator(".fan").bounding_box()
    assert hand is not None
    assert hand["y"] + hand["height"] < HEIGHT * 1.15
