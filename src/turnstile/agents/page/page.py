"""The page of a league, at its manager's address. It can be read without JavaScript, and updates itself with it."""

import asyncio
from collections.abc import AsyncIterator, Callable

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from turnstile.agents.page import sections
from turnstile.agents.page.change_signal import ChangeSignal
from turnstile.agents.page.html import Html, document, policy, tag, text
from turnstile.agents.page.looks import STYLE
from turnstile.agents.page.report import report
from turnstile.agents.page.scoreboard import Scoreboard
from turnstile.kernel.values import encode

AGAIN_SECONDS = 15  # after which a page without JavaScript is loaded again
QUIET_SECONDS = 20.0  # after which a listener is told that nothing has happened, so that the connection stays
PAUSE_SECONDS = 0.2  # between two pieces of news: nobody can read faster, and every one makes a listener look
MOST_LISTENERS = 200

SCRIPT = """
const lost = document.querySelector("#lost");
let busy = false, again = false;
const load = async () => {
  if (busy) { again = true; return; }
  busy = true;
  try {
    const loaded = await fetch(location.href).then(answer => answer.ok ? answer.text() : "").catch(() => "");
    lost.textContent = loaded ? "" : "Connection lost, trying again.";
    if (!loaded) return;
    const page = new DOMParser().parseFromString(loaded, "text/html");
    const open = [...document.querySelectorAll("details")].map(each => each.open);
    document.querySelector("main").replaceWith(page.querySelector("main"));
    document.querySelectorAll("details").forEach((each, index) => each.open = open[index] ?? false);
  } finally {
    busy = false;
    if (again) { again = false; load(); }
  }
};
const listen = () => {
  const events = new EventSource("events");
  events.onopen = events.onmessage = load;
  events.onerror = () => {
    load();
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, 5000);
  };
};
listen();
"""


def page(board: Scoreboard, round_id: int | None = None) -> Html:
    """The whole page, with one round: the one asked for, or the present one, or the first."""
    shown = board.round(round_id or board.current_round) or (board.rounds[0] if board.rounds else None)
    rounds = (
        [_choice(board, shown.round_id), sections.one_round(board, shown), sections.proofs(board, shown)]
        if shown
        else []
    )
    body = tag(
        "main",
        sections.summary(board),
        sections.standings(board),
        sections.cross_table(board),
        *rounds,
        sections.agents(board),
        tag(
            "footer", tag("a", text("report"), href="report"), text(" · "), tag("a", text("as JSON"), href="board.json")
        ),
    )
    lost = tag("p", id="lost", role="status")
    return document(board.league_id, STYLE, lost, body, script=SCRIPT, refresh=AGAIN_SECONDS)


def _choice(board: Scoreboard, shown: int) -> Html:
    """A link to every round."""
    links = (
        tag(
            "a",
            text(each),
            href=f"?round={each}",
            aria_label=f"Round {each}",
            **({"aria_current": "page"} if each == shown else {}),
        )
        for each in range(1, board.total_rounds + 1)
    )
    return tag("nav", tag("span", text("Rounds")), *links, aria_label="Rounds")


# over HTTP


Boards = Callable[[int | None], Scoreboard]
"""The board with a round, or with the present one; what is wanted of the others is up to it."""


def routes(boards: Boards, whole: Callable[[], Scoreboard], news: ChangeSignal) -> list[BaseRoute]:
    """What a manager serves beside its endpoint: page, report, board as JSON, and news of changes."""
    listeners, printer = Listeners(news), Printer(whole, news)

    async def show_page(request: Request) -> Response:
        wanted = request.query_params.get("round", "")
        asked = int(wanted) if wanted.isascii() and wanted.isdigit() and len(wanted) < 10 else None
        shown = page(boards(asked), asked)
        return HTMLResponse(
            shown, headers={"Content-Security-Policy": policy(STYLE, SCRIPT), "Cache-Control": "no-store"}
        )

    async def show_report(request: Request) -> Response:
        headers = {"Content-Security-Policy": policy(STYLE), "Cache-Control": "no-store"}
        return HTMLResponse(await printer.printed(), headers=headers)

    async def show_json(request: Request) -> Response:
        return Response(encode(boards(None)), media_type="application/json", headers={"Cache-Control": "no-store"})

    return [
        Route("/", show_page),
        Route("/report", show_report),
        Route("/board.json", show_json),
        Route("/events", listeners.stream),
    ]


class Printer:
    """Writes the report: beside everything else, one at a time, and anew only when something has changed."""

    def __init__(self, whole: Callable[[], Scoreboard], news: ChangeSignal) -> None:
        self._whole = whole
        self._news = news
        self._one_at_a_time = asyncio.Lock()
        self._version = -1
        self._report = ""

    async def printed(self) -> str:
        async with self._one_at_a_time:
            version = self._news.version
            if version != self._version:
                board = self._whole()  # here, where nothing changes meanwhile
                self._report = await asyncio.to_thread(report, board)
                self._version = version
            return self._report


class Listeners:
    """Browsers that want to know when the board changes. There are only so many at a time."""

    def __init__(self, news: ChangeSignal) -> None:
        self.news = news
        self.count = 0

    async def stream(self, request: Request) -> Response:
        if self.count >= MOST_LISTENERS:
            return Response("Too many are listening; load the page again instead.", status_code=503)
        return StreamingResponse(self._events(), media_type="text/event-stream", headers={"Cache-Control": "no-store"})

    async def _events(self) -> AsyncIterator[str]:
        self.count += 1
        try:
            known = self.news.version
            yield "retry: 2000\n\n"
            while not self.news.is_closed:
                try:
                    async with asyncio.timeout(QUIET_SECONDS):
                        version = await self.news.wait_after(known)
                except TimeoutError:
                    yield ": nothing new\n\n"
                else:
                    if version != known:
                        known = version
                        yield f"data: {version}\n\n"
                        await asyncio.sleep(PAUSE_SECONDS)
        finally:
            self.count -= 1
