"""A table from the seating to the time after the match, in every condition; the game is E-Card."""

from playwright.sync_api import Page, WebSocketRoute

from tools.screens.stage import MY_TURN, Stage, Visit, take_choices


def seating(stage: Stage) -> Page:
    page = stage.open("/new?game=e-card", name="Ana")
    page.get_by_role("button", name="Open the table").click()
    page.get_by_role("button", name="Close the table").wait_for()
    return page


def seating_of_many(stage: Stage) -> Page:
    page = stage.open("/new?game=up-down", name="Ana")
    page.locator("select[name=bots]").select_option("3")
    page.get_by_role("button", name="Open the table").click()
    page.get_by_role("button", name="Close the table").wait_for()
    return page


def seating_of_guest(stage: Stage) -> Page:
    page = seating(stage)
    guest = stage.new_page()
    guest.goto(page.url)
    guest.get_by_role("button", name="Take a seat").wait_for()
    return guest


def closed(stage: Stage) -> Page:
    page = seating(stage)
    page.get_by_role("button", name="Close the table").click()
    page.get_by_text("This table was closed.").wait_for()
    return page


def against_bot(stage: Stage) -> Page:
    page = stage.open(name="Ana")
    page.get_by_role("button", name="Play E-Card").click()
    page.locator(MY_TURN).first.wait_for()
    return page


def lay(page: Page, index: int = 1) -> None:
    page.locator(".your-turn button.choice").nth(index).click()
    page.locator("button.choice[data-raised]").click()


def raised(stage: Stage) -> Page:
    page = against_bot(stage)
    for index in (1, 0, 1):
        lay(page, index)
        page.locator(MY_TURN).first.wait_for()
    page.locator("button.choice").first.click()
    return page


def two_players(stage: Stage, one: str = "Ana", other: str = "Bo") -> tuple[Page, Page]:
    page = stage.open("/new?game=e-card", name=one)
    page.get_by_role("button", name="Open the table").click()
    guest = stage.open(name=other)
    guest.goto(page.get_by_label("Send this link").input_value())
    page.get_by_role("button", name="Start the match").click()
    page.locator("button.choice").first.wait_for()
    guest.locator("button.choice").first.wait_for()
    return page, guest


def resign(page: Page) -> None:
    page.locator("summary", has_text="Resign").click()
    page.get_by_role("button", name="Resign").click()


def waiting(stage: Stage) -> Page:
    page, _ = two_players(stage)
    lay(page)
    page.locator(".laid").first.wait_for()
    return page


def missing(stage: Stage) -> Page:
    page, other = two_players(stage)
    other.goto("about:blank")
    page.locator(".missing").wait_for()
    return page


def offline(stage: Stage) -> Page:
    page = against_bot(stage)
    page.context.set_offline(True)
    page.locator(".notice").wait_for()
    return page


def replaced(stage: Stage) -> Page:
    page = against_bot(stage)
    second = page.context.new_page()
    second.goto(page.url)
    page.get_by_role("button", name="Play here").wait_for()
    return page


def refused(stage: Stage) -> Page:
    """A move that the server refuses: on its way, the card becomes one that this player does not hold."""
    page = stage.open(name="Ana")
    page.route_web_socket("**/*", _change_card)
    page.get_by_role("button", name="Play E-Card").click()
    page.locator(MY_TURN).first.wait_for()
    lay(page)
    page.locator(".refusal:not(:empty)").wait_for()
    return page


def _change_card(socket: WebSocketRoute) -> None:
    server = socket.connect_to_server()
    socket.on_message(lambda frame: server.send(str(frame).replace('"card":"C"', '"card":"none"')))


def watching(stage: Stage) -> Page:
    page, other = two_players(stage)
    lay(page)
    lay(other)
    page.locator(MY_TURN).first.wait_for()
    lay(page)
    spectator = stage.new_page()
    spectator.goto(page.url)
    spectator.locator(".laid").first.wait_for()
    return spectator


def resigning(stage: Stage) -> Page:
    page = against_bot(stage)
    page.locator("summary", has_text="Resign").click()
    return page


def rules_dialog(stage: Stage) -> Page:
    page = against_bot(stage)
    page.keyboard.press("?")
    page.locator("dialog[open]").wait_for()
    return page


def result(stage: Stage) -> Page:
    page = against_bot(stage)
    take_choices(page, 100)
    return page


def won(stage: Stage) -> Page:
    page, other = two_players(stage)
    resign(other)
    page.locator(".result").wait_for()
    return page


def rematch_wanted(stage: Stage) -> Page:
    page, other = two_players(stage)
    resign(page)
    other.get_by_role("button", name="Rematch").click()
    page.locator(".wish").wait_for()
    return page


def fair(stage: Stage) -> Page:
    page = result(stage)
    page.get_by_role("button", name="Was it fair?").click()
    page.locator(".fairness h3").wait_for()
    page.get_by_text("Check it yourself").click()
    return page


def replay(stage: Stage) -> Page:
    page = result(stage)
    for _ in range(9):
        page.keyboard.press("ArrowLeft")
    return page


def generic(stage: Stage) -> Page:
    """A game without a layout of its own."""
    page = stage.open(name="Ana")
    page.locator("meta[name=layouts]").evaluate("meta => meta.content = ''")
    page.get_by_role("button", name="Play E-Card").click()
    page.locator(".generic").wait_for()
    return page


MATCH_SCREENS: dict[str, Visit] = {
    "seating": seating,
    "seating-of-many": seating_of_many,
    "seating-of-guest": seating_of_guest,
    "closed": closed,
    "e-card": against_bot,
    "e-card-raised": raised,
    "e-card-waiting": waiting,
    "e-card-missing": missing,
    "e-card-offline": offline,
    "e-card-refused": refused,
    "e-card-replaced": replaced,
    "e-card-watching": watching,
    "e-card-resigning": resigning,
    "e-card-rules": rules_dialog,
    "e-card-result": result,
    "e-card-won": won,
    "e-card-rematch": rematch_wanted,
    "e-card-fair": fair,
    "e-card-replay": replay,
    "generic": generic,
}
