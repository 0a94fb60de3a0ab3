"""A server and browsers of several players, for going to a screen."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TypeVar

from playwright.sync_api import Browser, BrowserContext, Page

T = TypeVar("T")

PATIENCE = 20_000  # milliseconds


class Stage:
    """A server's address, and pages on which players use it. Each page belongs to another player."""

    def __init__(self, running: Browser, url: str, scale: float = 1) -> None:
        self.url = url
        self._running = running
        self._scale = scale
        self._contexts: list[BrowserContext] = []
        self._started = ExitStack()

    def start(self, started: AbstractContextManager[T]) -> T:
        """Start something that a screen needs, for as long as the stage stands."""
        return self._started.enter_context(started)

    def new_page(self) -> Page:
        context = self._running.new_context(reduced_motion="reduce", device_scale_factor=self._scale)
        context.set_default_timeout(PATIENCE)
        self._contexts.append(context)
        return context.new_page()

    def open(self, path: str = "/", name: str | None = None) -> Page:
        """The page of a new player, who may have chosen a name."""
        page = self.new_page()
        page.goto(f"{self.url}{path}")
        if name is not None:
            page.evaluate(TAKE_A_NAME, name)
            page.reload()
        return page

    def close(self) -> None:
        for context in self._contexts:
            context.close()
        self._started.close()


Visit = Callable[[Stage], Page]
"""Goes to a screen, and returns the page that shows it."""

TAKE_A_NAME = """async (name) => {
    const { ensurePlayer, rename } = await import("/static/lib/me.js");
    await ensurePlayer();
    await rename(name);
}"""

OPEN_TABLE = """async ([game, bots, options]) => {
    const { ensurePlayer } = await import("/static/lib/me.js");
    const { call } = await import("/static/lib/http.js");
    const { go } = await import("/static/lib/router.js");
    await ensurePlayer();
    const { table } = await call("POST", "/api/tables", { game, bots, options });
    if (bots.length) await call("POST", `/api/tables/${table}/commands`, { type: "start", id: "start" });
    go(`/table/${table}`);
    return `${location.origin}/table/${table}`;
}"""

TAKE_A_CHOICE = """() => {
    const choice = document.querySelector('.your-turn [data-choice]:not([aria-disabled])');
    choice?.click();
    document.querySelector('[data-choice][data-raised]')?.click();
}"""

MY_TURN = ".your-turn [data-choice]:not([aria-disabled])"


def open_table(page: Page, game: str, bots: Sequence[str] = (), options: object = None) -> str:
    """Open a table and go there; with bots, start the match. Returns the address of the table."""
    return str(page.evaluate(OPEN_TABLE, [game, list(bots), options or {}]))


def take_choices(page: Page, number: int) -> None:
    """Make so many moves, each the first that is offered, and wait for the next turn. Stops when the match is over."""
    for _ in range(number):
        page.locator(f".result, {MY_TURN}").first.wait_for()
        if page.locator(".result").count():
            return
        page.wait_for_timeout(150)
        page.evaluate(TAKE_A_CHOICE)
    page.locator(f".result, {MY_TURN}").first.wait_for()


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
