"""What helps a player: hints in the first match, the rules with pictures, sounds, the link for friends, a pace that can
be followed, cards that need no tap, refusals beside what was tried, and what is said about a player who is missing."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.web.matches import join, move, open_table, tap_twice
from tests.web.pages import Guest, wait_for_turn

NewGuest = Callable[..., Guest]
SCRIPTS = Path(__file__).parent / "js"
GAMES = {"e-card": ["random"], "up-down": ["counter"], "66": ["attentive"], "even-odd": ["reader"]}


# hints


def test_the_first_match_of_every_game_explains_itself_and_each_game_remembers_what_was_read(
    new_guest: NewGuest,
) -> None:
    guest = new_guest()
    page, hint = guest.page, guest.page.locator(".first-hint")
    for game, bots in GAMES.items():
        open_table(guest, game, bots)
        page.locator(".your-turn [data-choice]").first.wait_for()
        if game == "66":
            page.keyboard.press("n")  # the first player deals
            page.locator(".your-turn [data-target=deck]").wait_for()
        expect(hint).to_contain_text(re.compile(r"\w+ \w+ \w+"))  # each game has its own
        first = hint.locator("p").inner_text()
        hint.get_by_role("button", name="Got it").click()
        expect(hint.get_by_text(first)).to_have_count(0)
        page.reload()
        page.locator(".your-turn [data-choice]").first.wait_for()
        expect(hint.get_by_text(first)).to_have_count(0)
    open_table(guest, "up-down", ["counter"])
    hint.get_by_role("button", name="No more hints").click()
    for _ in range(3):
        expect(hint).to_be_empty()
        page.locator(".your-turn [data-choice]").first.wait_for()
        move(page)


def test_a_hint_goes_with_the_move_that_it_was_for(new_guest: NewGuest) -> None:
    guest = new_guest()
    page = guest.play_now()
    assert wait_for_turn(page)
    expect(page.locator(".first-hint")).to_contain_text("four Citizens")
    guest.lay()
    assert wait_for_turn(page)
    expect(page.locator(".first-hint")).not_to_contain_text("four Citizens")


def test_on_a_small_phone_no_hint_pushes_the_choices_off_the_screen(new_guest: NewGuest) -> None:
    guest = new_guest(viewport={"width": 360, "height": 640})
    for game, bots in GAMES.items():
        open_table(guest, game, bots)
        choices = guest.page.locator(".your-turn [data-choice]")
        choices.first.wait_for()
        for choice in choices.all():
            expect(choice).to_be_in_viewport(ratio=1)
        if game != "66":  # its first move is to deal, which needs no hint
            expect(guest.page.locator(".first-hint button").first).to_be_visible()


# rules


def test_the_rules_of_every_game_have_pictures_and_its_keys(new_guest: NewGuest) -> None:
    guest = new_guest()
    keys = {"e-card": "1 to 5", "up-down": "0 to 9", "66": "A to D", "even-odd": "1"}
    for game, key in keys.items():
        page = guest.open(f"/rules/{game}")
        page.locator(".pictures figure").nth(1).wait_for()
        assert page.locator(".pictures play-card svg").count() >= 4
        expect(page.locator(".keys kbd").filter(has_text=re.compile(f"^{key}$"))).to_have_count(1)
    open_table(guest, "66", ["attentive"])
    page.locator(".your-turn [data-choice]").first.wait_for()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".pictures figure")).to_have_count(5)
    expect(dialog.locator(".keys")).to_contain_text("stop the round")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.goto(f"{guest.url}/rules/chess")
    expect(page.locator("main")).to_contain_text("no game of this name")
    guest.complaints[:] = [text for text in guest.complaints if "404" not in text]


# sounds

COUNT_SOUNDS = """() => {
    globalThis.sounds = { contexts: 0, started: 0 };
    globalThis.AudioContext = class extends AudioContext {
        constructor() { super(); sounds.contexts += 1; }
    };
    for (const kind of [OscillatorNode, AudioBufferSourceNode]) {
        const start = kind.prototype.start;
        kind.prototype.start = function (...when) { sounds.started += 1; return start.apply(this, when); };
    }
}"""


def heard(page: Page) -> dict[str, int]:
    found: dict[str, int] = page.evaluate("sounds")
    return found


def test_sounds_are_off_until_they_are_switched_on_and_the_switch_is_remembered(new_guest: NewGuest) -> None:
    guest = new_guest()
    guest.context.add_init_script(f"({COUNT_SOUNDS})()")
    page = guest.play_now()
    assert wait_for_turn(page)
    switch = page.get_by_role("switch", name="Sound")
    expect(switch).not_to_be_checked()
    guest.lay()
    assert wait_for_turn(page)
    assert heard(page) == {"contexts": 0, "started": 0}
    page.keyboard.press("m")
    expect(switch).to_be_checked()
    before = heard(page)["started"]
    assert before > 0
    guest.lay()
    page.wait_for_function("before => sounds.started > before", arg=before)
    page.reload()
    assert wait_for_turn(page)
    expect(switch).to_be_checked()
    assert heard(page)["contexts"] == 0  # the player has not touched this page yet
    guest.lay()
    page.wait_for_function("() => sounds.started > 0")
    assert heard(page)["contexts"] == 1
    switch.click()
    expect(switch).not_to_be_checked()


# the link for friends


def test_the_link_can_be_copied_shared_and_scanned(new_guest: NewGuest) -> None:
    ana = new_guest(permissions=["clipboard-read", "clipboard-write"])
    ana.context.add_init_script(
        """navigator.canShare = () => true;
        navigator.share = async ({ url }) => { globalThis.shared = url; };"""
    )
    asked: list[str] = []
    ana.page.on("request", lambda request: asked.append(request.url))
    page = ana.open("/new?game=e-card")
    page.get_by_text("Only with the link").click()
    page.get_by_role("button", name="Open the table").click()
    link = page.get_by_label("Send this link to a friend").input_value()
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == link
    page.get_by_role("button", name="Share").click()
    assert page.evaluate("shared") == link
    with page.expect_response("**/invitation") as response:
        page.get_by_role("button", name="Show QR code").click()
    assert response.value.json()["link"] == link
    drawn = page.get_by_role("img", name="QR code of the link").locator("path").get_attribute("d")
    assert drawn
    assert drawn in response.value.json()["qr"]
    secret = link.partition("#invite=")[2]
    assert secret
    assert not any(secret in url for url in asked)


# pace

WATCH_TABLE = """() => {
    globalThis.seen = [];
    const table = document.querySelector("table-screen");
    let last = "";
    new MutationObserver(() => {
        const seq = table.getAttribute("data-seq");
        if (seq === last) return;
        last = seq;
        const cards = document.querySelectorAll(".middle > .trick play-card").length;
        const isTurn = Boolean(document.querySelector(".your-turn"));
        seen.push({ seq: Number(seq), at: performance.now(), cards, isTurn });
    }).observe(table, { subtree: true, attributes: true, childList: true });
}"""


def test_the_moves_of_bots_can_be_followed_one_by_one_and_no_trick_flashes_by(new_guest: NewGuest) -> None:
    guest = new_guest(is_animated=True)
    open_table(guest, "up-down", ["counter"] * 3, {"maxRoundSize": 2})
    page = guest.page
    page.locator(".your-turn .bets").wait_for()
    page.evaluate(WATCH_TABLE)
    for _ in range(3):  # a bet, a card; a bet
        page.locator(".your-turn [data-choice]").first.wait_for()
        move(page)
    seen = page.evaluate("seen")
    steps = list(pairwise(seen))
    assert [after["seq"] - before["seq"] for before, after in steps] == [1] * len(steps)
    quick = [after["at"] - before["at"] for before, after in steps if not before["isTurn"]]
    assert len(quick) >= 4
    assert sum(ms >= 250 for ms in quick) >= 4  # of a step's 600; what tells nothing takes no time
    assert max(moment["cards"] for moment in seen) == 4  # the whole trick lay on the table


def test_a_tap_on_the_table_or_the_space_bar_shows_the_newest_move_at_once(new_guest: NewGuest) -> None:
    guest = new_guest(is_animated=True)
    page = guest.page
    page.clock.install()
    open_table(guest, "up-down", ["counter"] * 7, {"maxRoundSize": 2})
    page.locator(".your-turn .bets").wait_for()
    page.evaluate(WATCH_TABLE)
    with falling_behind(page):
        page.locator(".board").click(position={"x": 2, "y": 2})
        assert jumps(page) == 1
    page.locator(".your-turn .fan button.choice").first.wait_for()
    with falling_behind(page):
        page.keyboard.press(" ")
        assert jumps(page) == 2
    page.locator(".your-turn .bets").wait_for()
    assert jumps(page) == 2


@contextmanager
def falling_behind(page: Page) -> Iterator[None]:
    """Move while the time of the page stands still, and wait until three updates at least wait to be shown."""
    page.clock.pause_at(page.evaluate("Date.now() / 1_000 + 1"))
    tap_twice(page)
    page.wait_for_function(
        """() => {
            const { seq, newest } = document.querySelector("table-screen").dataset;
            return Number(newest) >= Number(seq) + 3;
        }"""
    )
    yield
    page.clock.resume()


def jumps(page: Page) -> int:
    """How often updates were jumped over."""
    return sum(after["seq"] - before["seq"] > 1 for before, after in pairwise(page.evaluate("seen")))


# cards that need no tap


def test_a_queued_card_is_played_on_the_turn(new_guest: NewGuest) -> None:
    ana, bo = new_guest(), new_guest()
    join(bo, open_table(ana, "up-down", options={"maxRoundSize": 2}, start=False))
    ana.page.get_by_role("button", name="Start the match").click()
    pages = [ana.page, bo.page]
    for _ in range(2):  # both bet
        move(next_to_move(pages))
    leader = next_to_move(pages, ".fan button.choice")
    waiting = pages[1 - pages.index(leader)]
    early = waiting.get_by_role("button", name="play it on your turn")
    early.click()
    expect(waiting.locator("[data-queued]")).to_have_count(1)
    expect(waiting.locator(".ask")).to_contain_text("On your turn you play the")
    waiting.keyboard.press("Escape")
    expect(waiting.locator("[data-queued]")).to_have_count(0)
    waiting.keyboard.press("1")
    expect(waiting.locator("[data-queued]")).to_have_count(1)
    move(leader)
    for page in pages:
        expect(page.locator(".told li").filter(has_text=re.compile("Round 1 is over"))).to_have_count(1)
    expect(waiting.locator("[data-queued]")).to_have_count(0)


def next_to_move(pages: list[Page], what: str = "[data-choice]") -> Page:
    while True:
        for page in pages:
            if page.locator(f".your-turn {what}").count():
                return page
        pages[0].wait_for_timeout(20)


def test_a_forced_card_plays_itself_unless_the_player_objects(new_guest: NewGuest) -> None:
    guest = new_guest(plays_forced=True)
    open_table(guest, "up-down", ["counter"], {"maxRoundSize": 2})
    page = guest.page
    page.locator(".your-turn .bets").wait_for()
    move(page)
    expect(page.locator(".told li").filter(has_text="Round 1 is over")).to_have_count(1)  # with its only card
    guest.open("/account")
    page.get_by_label("A forced card plays itself").uncheck()
    page.reload()
    expect(page.get_by_label("A forced card plays itself")).not_to_be_checked()


# what can go wrong


def test_a_refusal_stands_beside_what_was_tried_and_the_page_goes_on(new_guest: NewGuest) -> None:
    """A move is kept while the device is offline; meanwhile the player makes another one from elsewhere."""
    guest = new_guest()
    page = guest.play_now()
    assert wait_for_turn(page)
    known = page.evaluate("JSON.parse(localStorage.getItem('turnstile.player'))")
    table = page.url.rpartition("/")[2]
    guest.context.set_offline(True)
    expect(page.locator(".badge.line")).to_have_text("offline")
    guest.lay()
    headers = {"Authorization": f"Bearer {known['token']}"}
    view = guest.context.request.get(f"{guest.url}/api/tables/{table}/view", headers=headers).json()
    body = {"type": "act", "id": "elsewhere", "move": view["actions"][-1]}
    made = guest.context.request.post(f"{guest.url}/api/tables/{table}/commands", headers=headers, data=body)
    assert made.ok
    guest.context.set_offline(False)
    expect(page.locator(".felt > .refusal")).to_contain_text(re.compile(r"\w.*\."))
    expect(page.locator(".hand [data-refused][aria-describedby=refusal]")).to_have_count(1)
    refusal, hand = page.locator(".felt > .refusal").bounding_box(), page.locator(".hand").bounding_box()
    assert refusal is not None
    assert hand is not None
    assert abs(refusal["y"] + refusal["height"] - hand["y"]) < 60
    assert wait_for_turn(page)
    page.keyboard.press("Escape")  # the card that was refused is still raised
    guest.lay()
    assert wait_for_turn(page)
    told = page.locator(".told li").all_inner_texts()
    assert len([line for line in told if "meets" in line]) == 2
    expect(page.locator(".felt > .refusal")).to_be_empty()


def test_the_first_screen_says_that_the_server_cannot_be_reached_and_loads_when_it_can(new_guest: NewGuest) -> None:
    guest = new_guest()
    guest.context.route("**/api/games", lambda route: route.abort())
    page = guest.open()
    expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
    guest.context.unroute("**/api/games")
    expect(page.locator(".tile")).to_have_count(4)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_who_is_missing_since_when_and_what_happens_next(new_guest: NewGuest) -> None:
    page = new_guest().open()
    bot = {"seconds": 30, "per": "move", "runOut": "bot"}
    forfeit = {"seconds": 600, "per": "match", "runOut": "forfeit"}
    cases = {
        "The match waits for their move; their place is kept.": {"gone": {"bo": -65_000}},
        "A bot takes over in 20 s.": {"clock": bot, "due": {"bo": 20_000}},
        "On their turn they have 30 s; then a bot takes over.": {"clock": bot, "due": {"ana": 20_000}},
        "A bot plays until they return.": {"clock": bot, "isAway": True},
        "They lose the match in 5:00.": {"clock": forfeit, "due": {"bo": 300_000}},
        "On their turn they have 2:00; then they lose the match.": {"clock": forfeit, "left": {"bo": 120_000}},
        "The match goes on without them in 8 s.": {"acksDue": 8_000},
    }
    found = page.evaluate((SCRIPTS / "missing_words.js").read_text(), list(cases.values()))
    for sentence, said in zip(cases, found, strict=True):
        assert said.endswith(sentence), (sentence, said)
        assert said.startswith("Bo is not connected since "), said
    assert re.search(r"since \d\d?:\d\d.* \(1:0[56]\)", found[0])
    assert re.search(r"since before .* \([56] s or more\)", found[1])
    hidden = [{"here": ["ana", "bo"]}, {"own": None, "delay": 2}, {"here": ["ana", "bo"], "isAway": True, "clock": bot}]
    assert page.evaluate((SCRIPTS / "missing_words.js").read_text(), hidden) == [
        "",
        "",
        "Bo is away. A bot plays until they return.",
    ]
