"""The pictures of README and docs: one of each game, and some of the web client and of a league.

`python -m tools.pictures [NAME]` makes them anew in `docs/pictures`, or those alone whose name has this text. Every run
plays new matches, so the cards differ. Look at a picture before you commit it; take it again if the moment is dull.
"""

import base64
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec
from playwright.sync_api import Browser, Page

from tools.browser import browser
from tools.screens import SCREENS
from tools.screens.stage import Stage, server

FOLDER = Path("docs/pictures")
QUALITY = 88  # of WebP, up to 100


class Picture(msgspec.Struct, frozen=True):
    """A screen, in a window of this size; by day, unless it is to show the night."""

    screen: str
    width: int
    height: int
    scheme: Literal["light", "dark"] = "light"
    scale: float = 1


WIDE = (1280, 900)
PHONE = (390, 780)
PICTURES = {
    "match": Picture("up-down-match", *WIDE),
    "e-card": Picture("e-card-raised", *WIDE),
    "66": Picture("66-turn", *WIDE),
    "up-down": Picture("up-down", *WIDE),
    "even-odd": Picture("even-odd-later", *WIDE),
    "start": Picture("start", *WIDE),
    "phone": Picture("66-turn", *PHONE, "dark", 1.5),
    "fair": Picture("e-card-fair", 1280, 1160),
    "league": Picture("league-over", 1440, 1060),
    "author": Picture("author", 1440, 900),
    "league-report": Picture("league-report", 1000, 1440),
}


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser(prog="python -m tools.pictures", description="Make the pictures of README and docs anew.")
    parser.add_argument("name", nargs="?", default="", help="only pictures whose name has this text")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where they belong (%(default)s)")
    given = parser.parse_args(arguments)
    given.folder.mkdir(parents=True, exist_ok=True)
    with server() as url, browser() as running:
        for name, picture in PICTURES.items():
            if given.name in name:
                path = given.folder / f"{name}.webp"
                path.write_bytes(taken(running, url, picture))
                print(f"{path}  {path.stat().st_size:,} bytes")
    return 0


def taken(running: Browser, url: str, picture: Picture) -> bytes:
    stage = Stage(running, url, picture.scale)
    try:
        page = SCREENS[picture.screen](stage)
        page.set_viewport_size({"width": picture.width, "height": picture.height})
        page.emulate_media(color_scheme=picture.scheme, reduced_motion="reduce")
        page.mouse.move(0, 0)
        page.evaluate("scrollTo(0, 0)")
        page.wait_for_timeout(300)
        return webp(page)
    finally:
        stage.close()


def webp(page: Page) -> bytes:
    """What the window shows, as WebP. Playwright itself takes only PNG and JPEG."""
    session = page.context.new_cdp_session(page)
    found = session.send(
        "Page.captureScreenshot", {"format": "webp", "quality": QUALITY, "captureBeyondViewport": False}
    )
    return base64.b64decode(found["data"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
