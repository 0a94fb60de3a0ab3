from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser

from tests.web.pages import Guest, ServerProcess, server_process
from tools.browser import browser as open_browser

NewGuest = Callable[..., Guest]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as running:
        yield running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with server_process(tmp_path_factory.mktemp("store") / "tables.db") as running:
        yield running


@pytest.fixture
def new_guest(browser: Browser, server: ServerProcess) -> Iterator[NewGuest]:
    """Makes a person with a browser of its own. At the end no page may have complained."""
    guests: list[Guest] = []

    def make(**options: object) -> Guest:
        guests.append(Guest(browser, server.url, **options))
        return guests[-1]

    yield make
    for guest in guests:
        guest.close()
