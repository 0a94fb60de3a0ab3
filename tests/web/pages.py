"""A real server, a real browser, and players in it."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, expect

PATIENCE = 20_000  # milliseconds, for what takes a moment on a busy machine

expect.set_options(timeout=PATIENCE)


class ServerProcess:
    """`turnstile serve` in a process of its own. It can be killed, and started again on the same store and port."""

    def __init__(self, store: Path, *options: str) -> None:
        self._options = ("--store", str(store), *options)
        self._process: subprocess.Popen[str] | None = None
        self.port = 0
        self.url = ""

    def start(self) -> None:
        command = [sys.executable, "-m", "turnstile", "serve", "--port", str(self.port), "--operations-port", "0"]
        process = subprocess.Popen([*command, *self._options], stdout=subprocess.PIPE, text=True)
        self._process = process
        assert process.stdout is not None
        self.url = re.findall(r"http://[0-9.:]+", process.stdout.readline())[0]
        self.port = int(self.url.rpartition(":")[2])

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


@contextmanager
def server_process(store: Path, *options: str) -> Iterator[ServerProcess]:
    server = ServerProcess(store, *options)
    server.start()
    try:
        yield server
    finally:
        server.kill()


class Guest:
    """A person with a browser of its own, who notices every error on the page."""

    def __init__(self, browser: Browser, url: str, **options: object) -> None:
        """The option `plays_forced`: a card that is the only legal one plays itself, as the page does by default.

        The option `is_animated`: cards move and stay for a while, as the page does by default. Otherwise the system
        asks for reduced motion, which takes half the time.
        """
        plays_forced = options.pop("plays_forced", False)
        if not options.pop("is_animated", False):
            options["reduced_motion"] = "reduce"
        self.context: BrowserContext = browser.new_context(**options)  # type: ignore[arg-type]
        self.context.set_default_timeout(PATIENCE)
        if not plays_forced:
            self.context.add_init_script('origin !== "null" && localStorage.setItem("turnstile.forced", "no")')
        self.url = url
        self.complaints: list[str] = []
        self.page = self.tab()

    def tab(self) -> Page:
        page = self.context.new_page()
        page.on("console", lambda message: self._notice(message.type, message.text))
        page.on("pageerror", lambda fault: self.complaints.append(str(fault)))
        return page

    def _notice(self, kind: str, text: str) -> None:
        """A server that is gone cannot be reached: the browser itself says so, and the page shows it."""
        is_network = "net::ERR" in text or "WebSocket connection to" in text
        if kind in ("error", "warning") and not is_network:
            self.complaints.append(text)

    def open(self, path: str = "/") -> Page:
        self.page.goto(self.url + path)
        return self.page

    def play_now(self, game: str = "E-Card") -> Page:
        """A match against a bot, by the large button."""
        page = self.open()
        if game == "E-Card":
            page.get_by_role("button", name="Play E-Card").click()
        else:
            page.get_by_role("button", name=f"Play a bot at {game}").click()
        expect(page).to_have_url(re.compile("/table/"))
        return page

    def lay(self, page: Page | None = None, index: int = 0) -> None:
        """Lay a card of E-Card: raise it, and tap again."""
        page = page or self.page
        choice = page.locator("button.choice").nth(index)
        choice.click()
        expect(choice).to_have_attribute("aria-pressed", "true")
        choice.click()

    def close(self) -> None:
        self.context.close()
        assert not self.complaints, self.complaints


TURN_OR_RESULT = "() => document.querySelector('.result, .your-turn [data-choice]:not([aria-disabled])')"


def is_over(page: Page) -> bool:
    return page.locator(".result").count() > 0


def wait_for_turn(page: Page) -> bool:
    """Wait until the player may move; `False` when the match is over."""
    page.wait_for_function(TURN_OR_RESULT)
    return not is_over(page)
