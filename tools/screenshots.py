"""Screenshots of every screen of the web client, at three widths, by day and by night.

`python -m tools.screenshots [FOLDER]` starts a server on an empty store. Look at them; they are not committed.
"""

import re
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page

from tools.browser import browser

FOLDER = Path("build/screenshots")
SIZES = {360: 740, 768: 1024, 1440: 900}
SCHEMES = ("light", "dark")
GAMES = ("66", "Up-Down", "Even/Odd")
GAME_PAGE = Path(__file__).parent.parent / "docs/write-a-game.md"


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser(prog="python -m tools.screenshots", description="Take screenshots of the web client.")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help="where they belong (%(default)s)")
    parser.add_argument("--only", default="", help="only screens whose name has this text")
    parser.add_argument("--width", type=int, choices=SIZES, help="only at this width")
    given = parser.parse_args(arguments)
    given.folder.mkdir(parents=True, exist_ok=True)
    sizes = {width: height for width, height in SIZES.items() if given.width in (None, width)}
    with browser() as running:
        for screens, serving in ((SCREENS, server), (SCREENS_FOR_AUTHORS, server_for_authors)):
            wanted = {name: visit for name, visit in screens.items() if given.only in name}
            if wanted:
                with serving() as url:
                    take_all(running, url, wanted, sizes, given.folder)
    return 0


def take_all(running: Browser, url: str, screens: Mapping[str, "Visit"], sizes: Mapping[int, int], to: Path) -> None:
    for width, height in sizes.items():
        for scheme in SCHEMES:
            for name, visit in screens.items():
                take(running, url, visit, to / f"{name}-{width}-{scheme}.png", width, height, scheme)


@contextmanager
def server_for_authors() -> Iterator[str]:
    """A server with the game of docs/write-a-game.md; its address."""
    blocks = re.findall(r"^```python undercut\.py\n(.*?)^```", GAME_PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "undercut.py"
        file.write_text("\n\n".join(blocks), "utf-8")
        with server("--dev", "--game", str(file)) as url:
            yield url


@contextmanager
def server(*options: str) -> Iterator[str]:
    """A server on an empty store; its address."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "turnstile", "serve", "--port", "0", "--operations-port", "0"]
        command += ["--store", f"{folder}/tables.db", "--limit-factor", "100", *options]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)  # noqa: S603
        try:
            assert process.stdout is not None
            yield re.findall(r"http://[0-9.:]+", process.stdout.readline())[0]
        finally:
            process.terminate()
            process.communicate()


Visit = Callable[[Page, str, Callable[[], Page]], Page]
"""Goes to a screen, and returns the page that shows it. The last argument opens a page of another player."""


def take(running: Browser, url: str, visit: Visit, path: Path, width: int, height: int, scheme: str) -> None:
    contexts: list[BrowserContext] = []

    def new_page() -> Page:
        contexts.append(
            running.new_context(
                viewport={"width": width, "height": height},
                color_scheme="dark" if scheme == "dark" else "light",
                reduced_motion="reduce",
                device_scale_factor=1,
            )
        )
        return contexts[-1].new_page()

    try:
        shown = visit(new_page(), url, new_page)
        shown.mouse.move(0, 0)
        shown.wait_for_timeout(300)
        shown.screenshot(path=path, full_page=not shown.locator("author-panel").count())  # it stays within the window
    finally:
        for context in contexts:
            context.close()


# the screens


def start(page: Page, url: str, _: Callable[[], Page]) -> Page:
    page.goto(url)
    page.locator(".tile").first.wait_for()
    page.wait_for_timeout(500)
    return page


def rules(page: Page, url: str, _: Callable[[], Page]) -> Page:
    page.goto(f"{url}/rules/66")
    page.locator("h1").wait_for()
    return page


def account(page: Page, url: str, _: Callable[[], Page]) -> Page:
    page.goto(f"{url}/account")
    page.get_by_role("button", name="Show a code").click()
    page.locator(".qr").wait_for()
    return page


def new_table(page: Page, url: str, _: Callable[[], Page]) -> Page:
    page.goto(f"{url}/new?game=up-down")
    page.locator("select[name=bot]").first.wait_for()
    return page


def seating(page: Page, url: str, _: Callable[[], Page]) -> Page:
    page.goto(f"{url}/new?game=e-card")
    page.get_by_role("button", name="Open the table").click()
    page.get_by_role("button", name="Close the table").wait_for()
    return page


def ecard(page: Page, url: str, new_page: Callable[[], Page]) -> Page:
    start(page, url, new_page)
    page.get_by_role("button", name="Play E-Card").click()
    page.locator("button.choice").first.wait_for()
    return page


def lay(page: Page, index: int = 1) -> None:
    page.locator(".your-turn button.choice").nth(index).click()
    page.locator("button.choice[data-raised]").click()


def ecard_raised(page: Page, url: str, new_page: Callable[[], Page]) -> Page:
    ecard(page, url, new_page)
    for index in (1, 0, 1):
        lay(page, index)
        page.locator(".your-turn button.choice:not([aria-disabled])").first.wait_for()
    page.locator("button.choice").first.click()
    return page


def two_players(page: Page, url: str, new_page: Callable[[], Page]) -> tuple[Page, Page]:
    seating(page, url, new_page)
    other = new_page()
    other.goto(page.get_by_label("Send this link").input_value())
    page.get_by_role("button", name="Start the match").click()
    page.locator("button.choice").first.wait_for()
    other.locator("button.choice").first.wait_for()
    return page, other


def ecard_waiting(page: Page, url: str, new_page: Callable[[], Page]) -> Page:
    two_players(page, url, new_page)
    lay(page)
    page.locator(".laid").first.wait_for()
    return page


def ecard_missing(page: Page, url: str, new_page: Callable[[], Page]) -> Page:
    page, other = two_players(page, url, new_page)
    other.goto("about:blank")
    page.locator(".missing").wait_for()
    return page


def ecard_offline(page: Page, url: str, new_page: Callable[[], Page]) -> Page:
    ecard(page, url, new_page)
    page.context.set_offline(True)
    page.locator(".notice").wait_for()
    return page


def ecard_result(page: Page, url: str, new_page: Callable[[], Page]) -> Page:
    ecard(page, url, new_page)
    while True:
        page.locator(".result, .your-turn button.choice:not([aria-disabled])").first.wait_for()
        if page.locator(".result").count():
            return page
        lay(page, 0)


def ecard_fair(page: Page, url: str, new_page: Callable[[], Page]) -> Page:
    ecard_result(page, url, new_page)
    page.get_by_role("button", name="Was it fair?").click()
    page.locator(".fairness h3").wait_for()
    return page


def ecard_replay(page: Page, url: str, new_page: Callable[[], Page]) -> Page:
    ecard_result(page, url, new_page)
    for _ in range(9):
        page.keyboard.press("ArrowLeft")
    return page


def ecard_rules(page: Page, url: str, new_page: Callable[[], Page]) -> Page:
    ecard(page, url, new_page)
    page.keyboard.press("?")
    return page


def table_of(game: str) -> Visit:
    def visit(page: Page, url: str, new_page: Callable[[], Page]) -> Page:
        start(page, url, new_page)
        page.get_by_role("button", name=f"Play a bot at {game}").click()
        for _ in range(6):
            page.locator(".your-turn [data-choice]:not([aria-disabled])").first.wait_for()
            page.wait_for_timeout(200)
            page.evaluate(TAKE_A_CHOICE)
        page.locator(".your-turn [data-choice]:not([aria-disabled])").first.wait_for()
        return page

    return visit


TAKE_A_CHOICE = """() => {
    const choice = document.querySelector('.your-turn [data-choice]:not([aria-disabled])');
    choice?.click();
    document.querySelector('[data-choice][data-raised]')?.click();
}"""

SCREENS: dict[str, Visit] = {
    "start": start,
    "rules": rules,
    "account": account,
    "new-table": new_table,
    "seating": seating,
    "e-card": ecard,
    "e-card-raised": ecard_raised,
    "e-card-waiting": ecard_waiting,
    "e-card-missing": ecard_missing,
    "e-card-offline": ecard_offline,
    "e-card-result": ecard_result,
    "e-card-fair": ecard_fair,
    "e-card-replay": ecard_replay,
    "e-card-rules": ecard_rules,
    **{game.lower().replace("/", "-"): table_of(game) for game in GAMES},
}


# the screens for authors


def author(page: Page, url: str, _: Callable[[], Page]) -> Page:
    page.goto(url)
    page.get_by_role("button", name="Play all seats").click()
    page.get_by_role("button", name="Panel", exact=True).click()
    page.locator(".your-turn [data-choice]").first.click()
    page.get_by_role("button", name="Seat 2").click()
    page.locator(".your-turn [data-choice]").first.wait_for()
    page.locator(".machine [data-taken]").wait_for()
    page.evaluate("scrollTo(0, 0)")
    return page


def author_tab(tab: str) -> Visit:
    def visit(page: Page, url: str, new_page: Callable[[], Page]) -> Page:
        author(page, url, new_page)
        page.locator("author-panel").get_by_role("button", name=tab, exact=True).click()
        page.locator("author-panel .items summary").first.wait_for()
        return page

    return visit


SCREENS_FOR_AUTHORS: dict[str, Visit] = {
    "author": author,
    **{f"author-{tab.lower()}": author_tab(tab) for tab in ("Steps", "Updates", "Seats")},
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
