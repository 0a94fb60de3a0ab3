"""The web client in a real browser: what it weighs, and how long it takes from an empty browser to the first move.

`python -m bench.page [ROUNDS]` starts a server of its own. Each round is a new browser context: nothing is kept.
"""

import statistics
import sys
from collections.abc import Sequence

from playwright.sync_api import Browser

from tools.browser import browser
from tools.screens.stage import server

ROUNDS = 10
FIRST_BUTTON = "() => !document.querySelector('button.play')?.disabled && performance.now()"
FIRST_MOVE = """async () => {
    const start = performance.now();
    document.querySelector("button.play").click();
    while (!document.querySelector("button.choice")) await new Promise(requestAnimationFrame);
    return performance.now() - start;
}"""

WEIGHTS = """() => ["navigation", "resource"]
    .flatMap((kind) => performance.getEntriesByType(kind))
    .map((each) => each.transferSize)"""


def main(arguments: Sequence[str]) -> int:
    rounds = int(arguments[0]) if arguments else ROUNDS
    with server() as url, browser() as running:
        measured = [measure(running, url) for _ in range(rounds)]
    files, weights, ready, moves = zip(*measured, strict=True)
    print(f"requests until the first move   {max(files)}")
    print(f"bytes over the wire             {max(weights):,}")
    print(f"ready to play, ms               {quartiles(ready)}")
    print(f"from the tap to the cards, ms   {quartiles(moves)}")
    return 0


def measure(running: Browser, url: str) -> tuple[int, int, float, float]:
    """Requests, bytes, and the milliseconds until the page is ready, and from the tap to the cards."""
    context = running.new_context(reduced_motion="reduce")
    page = context.new_page()
    try:
        page.goto(url)
        ready = float(page.wait_for_function(FIRST_BUTTON).json_value())
        move = float(page.evaluate(FIRST_MOVE))
        weights = page.evaluate(WEIGHTS)
        return len(weights), sum(weights), ready, move
    finally:
        context.close()


def quartiles(values: Sequence[float]) -> str:
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.0f} ({low:.0f} to {high:.0f})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
