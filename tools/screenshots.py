"""Screenshots of every screen of the web client and of a league's page, at three widths, by day and by night.

`python -m tools.screenshots [FOLDER]` starts a server on an empty store. Look at them; they are not committed.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page
from playwright.sync_api import Error as PlaywrightError

from tools.browser import browser
from tools.screens import SCREENS
from tools.screens.stage import Stage, Visit, server

FOLDER = Path("build/screenshots")
SIZES = {360: 740, 768: 1024, 1440: 900}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser(prog="python -m tools.screenshots", description="Take screenshots of every screen.")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help="where they belong (%(default)s)")
    parser.add_argument("--only", default="", help="only screens whose name has this text")
    parser.add_argument("--width", type=int, choices=SIZES, help="only at this width")
    parser.add_argument("--scheme", choices=SCHEMES, help="only by day (light) or by night (dark)")
    parser.add_argument("--axe", action="store_true", help="let axe look at each one, and print what it finds")
    parser.add_argument("--list", action="store_true", help="list the screens, and take none")
    given = parser.parse_args(arguments)
    names = [name for name in SCREENS if given.only in name]
    if given.list:
        print(*names, sep="\n")
        return 0
    given.folder.mkdir(parents=True, exist_ok=True)
    sizes = {width: height for width, height in SIZES.items() if given.width in (None, width)}
    schemes = [scheme for scheme in SCHEMES if given.scheme in (None, scheme)]
    failed: list[str] = []
    with server() as url, browser() as running:
        for name in names:
            print(name, flush=True)
            try:
                found = take(running, url, SCREENS[name], given.folder / name, sizes, schemes, is_checked=given.axe)
            except PlaywrightError as fault:
                found = [f"{name} was not reached: {fault}"]
            print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
            failed += found
    return 1 if failed else 0


def take(
    running: Browser,
    url: str,
    visit: Visit,
    path: Path,
    sizes: dict[int, int],
    schemes: Sequence[Literal["light", "dark"]],
    *,
    is_checked: bool = False,
) -> list[str]:
    """Go to a screen once, and take it in all sizes and schemes. Returns what axe finds, if it is asked."""
    stage = Stage(running, url)
    found: list[str] = []
    try:
        page = visit(stage)
        page.mouse.move(0, 0)
        for width, height in sizes.items():
            page.set_viewport_size({"width": width, "height": height})
            for scheme in schemes:
                page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                settle(page)
                page.screenshot(path=f"{path}-{width}-{scheme}.png", full_page=not page.locator("author-panel").count())
                if is_checked:
                    found += faults_of(page, f"{path.name}-{width}-{scheme}")
        return found
    finally:
        stage.close()


def faults_of(page: Page, name: str) -> list[str]:
    """What axe finds on a page, and whether the page is wider than its window."""
    violations = Axe().run(page).response["violations"]
    found = [f"{name}: {each['id']} at {node['target']}" for each in violations for node in each["nodes"]]
    is_wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    return [*found, f"{name}: wider than its window"] if is_wide else found


def settle(page: Page) -> None:
    """Wait until nothing moves any more."""
    page.wait_for_timeout(150)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
