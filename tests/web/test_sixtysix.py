"""66 in the browser: every move that is offered can be made by tapping, and no other; no sentence says what a player
must remember; whole matches, by touch and by keyboard."""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from playwright.sync_api import Page, WebSocket, expect

from tests.web.looks import Look, check_accessible, check_looks
from tests.web.pages import Guest, is_over
from turnstile.games.sixtysix.rules import game as sixtysix
from turnstile.games.sixtysix.state import Options
from turnstile.kernel.chance import Seed
from turnstile.kernel.machine import Step
from turnstile.kernel.values import PlayerId, encode

NewGuest = Callable[..., Guest]
SCRIPTS = Path(__file__).parent / "js"
NAMES = ("ana", "bo", "cy", "dan", "eve")

# every action, and nothing else

ACTS_OF = (SCRIPTS / "acts_of_66.js").read_text()


def first_state(seed: str, count: int) -> Any:
    return sixtysix.new([PlayerId(name) for name in NAMES[:count]], Options(), Seed(seed))


def steps(seed: str, count: int) -> Iterator[Step[Any]]:
    """The steps of a random match, in which every kind of move is as likely as the others."""
    rng, state = Random(seed), first_state(seed, count)
    while events := sixtysix.offered(state):
        kind = rng.choice(sorted({type(event).__name__ for event in events}))
        step = sixtysix.machine.step(state, rng.choice([event for event in events if type(event).__name__ == kind]))
        assert isinstance(step, Step)
        yield step
        state = step.state


def case(state: Any, player: str | None, *, is_sent: bool = False) -> dict[str, Any]:
    seat = None if player is None else PlayerId(player)
    actions = [] if seat is None else [json.loads(encode(move)) for move in sixtysix.actions(state, seat)]
    sent = actions[0] if is_sent and actions else None
    return {"view": json.loads(encode(sixtysix.view(state, seat))), "actions": actions, "seat": player, "sent": sent}


@cache
def states() -> list[Any]:
    """States of many matches, which differ in what a player is offered."""
    found: dict[object, Any] = {}
    for count in range(2, 6):
        for number in range(12):
            for step in steps(f"{count} {number}", count):
                state = step.state
                found.setdefault((state.phase, state.hand_sizes, state.turn, state.discarded[-1:]), state)
    return [first_state("first", 3), *Random(7).sample(list(found.values()), 250)]


def as_set(moves: list[Any]) -> set[str]:
    return {json.dumps(move, sort_keys=True) for move in moves}


def test_what_can_be_tapped_together_is_exactly_what_is_offered(new_guest: NewGuest) -> None:
    page = new_guest().open()
    kinds = set()
    cases = [case(state, state.players[state.turn]) for state in states()]
    for given, found in zip(cases, page.evaluate(ACTS_OF, cases), strict=True):
        assert as_set(found["made"]) == as_set(given["actions"]), given
        kinds |= {move["type"] for move in given["actions"]}
    assert len(kinds) == 13  # all moves of the game


def test_nothing_can_be_sent_by_a_player_who_may_not_move_or_has_just_moved(new_guest: NewGuest) -> None:
    page = new_guest().open()
    some = states()[:100]
    cases = [case(state, state.players[state.turn - 1]) for state in some]
    cases += [case(state, None) for state in some]
    cases += [each for state in some if (each := case(state, state.players[state.turn], is_sent=True))["sent"]]
    assert all(found["made"] == [] for found in page.evaluate(ACTS_OF, cases))


# sentences

HINTS_OF = """async (cases) => {
    const { hints } = await import("/static/layouts/66/teaching.js");
    return cases.map((scene) => hints(scene)[0].text);
}"""


def test_a_hint_says_how_many_cards_to_tap_for_a_power(new_guest: NewGuest) -> None:
    page = new_guest().open()
    cases = [case(state, state.players[state.turn]) for state in states() if state.phase == "discarded"]
    is_exchange = [given["actions"][0]["type"] == "ExchangeCards" for given in cases]
    assert set(is_exchange) == {True, False}
    for exchange, hint in zip(is_exchange, page.evaluate(HINTS_OF, cases), strict=True):
        assert hint.endswith("Tap both cards, and tap again." if exchange else "Tap the card, and tap again.")


WORDS_OF = (SCRIPTS / "words_of_66.js").read_text()
SECRETS = {"value", "value1", "value2", "values"}


def test_every_message_has_a_sentence_and_none_says_what_a_hidden_card_is(new_guest: NewGuest) -> None:
    page = new_guest().open()
    told: dict[str, dict[str, Any]] = {}
    for number in range(40):
        for step in steps(f"words {number}", 3):
            for player in NAMES[:3]:
                for message in step.told(PlayerId(player)):
                    told.setdefault(type(message).__name__, json.loads(encode(message)))
    assert len(told) == 32  # all messages of the game
    others = [
        message | {name: [77] if name == "values" else 77 for name in SECRETS & message.keys()}
        for message in told.values()
    ]
    sentences = page.evaluate(WORDS_OF, list(told.values()))
    assert sentences == page.evaluate(WORDS_OF, others)
    for name, sentence in zip(told, sentences, strict=True):
        assert (sentence == "") == (name in ("NextTurn", "YourTurn")), name
        assert not re.search("undefined|null|NaN", sentence), sentence
        assert sentence == "" or re.fullmatch(r"[A-Z].*\.", sentence, re.DOTALL), sentence


# matches

GO_ON = ".bar66 .primary:not([data-confirm], [aria-disabled])"
CAN_GO_ON = f"() => document.querySelector('.result, .your-turn [data-target]:not([aria-disabled]), {GO_ON}')"
TAP_GO_ON = f"() => {{ const button = document.querySelector('{GO_ON}'); button?.click(); return button !== null; }}"


def wait(page: Page) -> bool:
    """Wait until the player has something to do; `False` when the match is over."""
    page.wait_for_function(CAN_GO_ON)
    return not is_over(page)


def goes_on(page: Page) -> bool:
    """Deal, or leave the open cards of a round, if that is what the match waits for."""
    return bool(page.evaluate(TAP_GO_ON))


def tap_a_move(page: Page, rng: Random, stops: float = 0.4) -> None:
    """Tap what can be tapped until a move is ready, and make it. `stops`: how often the player stops the round."""
    seq = page.locator("table-screen").get_attribute("data-seq")
    for _ in range(4):
        free = page.locator(".your-turn [data-target][aria-pressed=false]:not([aria-disabled])")
        targets = [str(each.get_attribute("data-target")) for each in free.all()]
        may_stop = page.locator("[data-target=stop]").count() > 0
        target = "stop" if may_stop and rng.random() < stops else rng.choice(targets)
        page.locator(f"[data-target='{target}']").click()
        if page.locator("[data-confirm]").count():
            page.locator("[data-confirm]").click()
            break
    else:
        page.locator("[data-back]").click()
        return
    page.wait_for_function(f"() => document.querySelector('table-screen').dataset.seq != '{seq}'")


def test_two_people_and_a_bot_play_a_match_to_its_end(new_guest: NewGuest) -> None:
    ana, bo, rng = new_guest(), new_guest(viewport={"width": 360, "height": 740}, has_touch=True), Random(3)
    page = ana.open("/new?game=66")
    page.get_by_role("button", name="Open the table").click()
    page.locator(".seating").get_by_role("button", name="Random").click()
    link = page.get_by_label("Send this link to a friend").input_value()
    bo.page.goto(link)
    expect(page.locator(".seat")).to_have_count(3)
    page.get_by_role("button", name="Start the match").click()
    while not (is_over(page) and is_over(bo.page)):
        for each in (page, bo.page):
            if not each.evaluate(CAN_GO_ON) or is_over(each) or goes_on(each):
                continue
            tap_a_move(each, rng)
        page.wait_for_timeout(50)
    totals = [each.locator(".sheet66 tfoot td").all_inner_texts()[:3] for each in (page, bo.page)]
    assert totals[0] == totals[1]
    assert max(map(int, totals[0])) > 66
    expect(page.locator(".seat .theirs play-card[face]")).to_have_count(page.locator(".seat .theirs play-card").count())
    for each in (page, bo.page):
        expect(each.locator(".result h2")).to_contain_text("win")
        assert each.evaluate("document.documentElement.scrollWidth <= innerWidth")


def log_of(page: Page) -> list[str]:
    return page.locator(".told li").all_inner_texts()


def test_a_reload_in_the_middle_of_a_batch_tells_nothing_twice_and_the_match_goes_on(new_guest: NewGuest) -> None:
    """What another player did lingers on the table before it is acknowledged: the reload comes in between."""
    guest = new_guest(is_animated=True)
    sent: list[int] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framesent", lambda data: sent.extend(map(int, re.findall(r'"upto":(\d+)', str(data)))))

    guest.page.on("websocket", listen)
    page = guest.play_now("66")
    reloads, rng = 0, Random(1)
    while reloads < 2 and wait(page):
        go_on_or_move(page, rng)
        page.wait_for_timeout(200)
        shown = int(page.locator("table-screen").get_attribute("data-seq") or 0)
        if max(sent, default=0) >= shown or page.locator(".your-turn").count():
            continue
        before = log_of(page)
        page.reload()
        reloads += 1
        page.locator(".sixtysix").wait_for()
        assert wait(page)
        assert log_of(page)[: len(before)] == before
    assert reloads == 2
    go_on_or_move(page, rng)


def go_on_or_move(page: Page, rng: Random) -> None:
    if not goes_on(page):
        tap_a_move(page, rng, stops=0)


def press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def keys_for(ask: str, bar: str, turn: int) -> str:
    """What a player presses: digits pick, letters act, Enter does it."""
    if "Deal" in bar or "Go on" in bar:
        return "n"
    if "turn: tap" in ask:
        return "s Escape t Enter" if turn < 4 or "Stop" not in bar else "s Tab Shift+Tab Enter"
    if ask.startswith("You took"):
        return "2 3 Enter" if turn % 2 else "p Enter"
    if "another player's card to exchange" in ask:
        return "1 b 4 Enter"
    if "look at another" in ask:
        return "b 2 Enter"
    return "p Enter" if "identical" in ask else "3 Enter"


def test_a_match_by_keyboard_alone(new_guest: NewGuest) -> None:
    guest = new_guest()
    page = guest.open()
    page.get_by_role("button", name="Play a bot at 66").focus()
    page.keyboard.press("Enter")
    page.locator(".sixtysix").wait_for()
    asked = set()
    for turn in range(200):
        if not wait(page):
            break
        ask, bar = page.locator(".ask").inner_text(), page.locator(".bar66").inner_text()
        if "Tap" not in ask and "tap" not in ask and not bar.strip():
            continue
        asked.add(re.sub(r"\d+", "", ask))
        seq = page.locator("table-screen").get_attribute("data-seq")
        press(page, keys_for(ask, bar, turn % 12))
        if "Go on" not in bar:
            page.wait_for_function(f"() => document.querySelector('table-screen').dataset.seq != '{seq}'")
        else:
            page.wait_for_timeout(100)
        assert page.evaluate("document.getAnimations().length") == 0  # the system asks for reduced motion
    assert is_over(page)
    assert len(asked) > 3


# looks


def check(page: Page) -> None:
    check_accessible(page)
    for box in page.locator("[data-choice]").all():
        size = box.bounding_box()
        assert size is not None
        assert min(size["width"], size["height"]) >= 44, box.get_attribute("data-target")


LOOKS: list[Look] = [(360, "light"), (360, "dark"), (768, "dark"), (1440, "light")]


def test_the_table_is_accessible_and_fits(new_guest: NewGuest) -> None:
    guest = new_guest(viewport={"width": 360, "height": 800})
    page = guest.play_now("66")
    rng, seen = Random(5), set()
    while "round" not in seen:
        assert wait(page)
        ask = page.locator(".ask").inner_text()
        kind = "round" if "The round is over" in ask else ask.split()[0]
        if kind not in seen:
            seen.add(kind)
            check_looks(page, LOOKS, check)
        if kind == "round" or goes_on(page):
            continue
        if "raised" not in seen and page.locator("[data-target='own 0']").count():
            seen.add("raised")
            page.locator("[data-target='own 0']").click()
            page.get_by_text("The table in words").click()
            check_looks(page, LOOKS, check)
            page.locator("[data-back]").click()
            expect(page.locator("[data-raised]")).to_have_count(0)
        tap_a_move(page, rng)
