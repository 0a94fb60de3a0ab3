"""A real browser for tests and screenshots: the system's Chromium, brought in where there is none."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class NoBrowser(Exception):
    """There is no browser, and none could be installed."""


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser of one's own, headless. Raises `NoBrowser`."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=executable(), args=list(ARGUMENTS))
        try:
            yield running
        finally:
            running.close()


def executable() -> str | None:
    """Where Chromium is, installed first if need be; `None` is the one that Playwright brings along."""
    if found := _found():
        return found
    if shutil.which("apt-get") and os.geteuid() == 0:
        _run("apt-get", "update", "-qq")
        _run("apt-get", "install", "-y", "-qq", "chromium", "fonts-liberation")
        if found := _found():
            return found
    if _run(sys.executable, "-m", "playwright", "install", "chromium"):
        return None
    raise NoBrowser("No Chromium was found, and none could be installed: install the package chromium.")


def _found() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def _run(*command: str) -> bool:
    """Whether a command succeeded; what it says goes to stderr."""
    print(f"No browser yet: {' '.join(command)}", file=sys.stderr)
    return subprocess.run(command, stdout=sys.stderr, check=False).returncode == 0  # noqa: S603  # our own words
