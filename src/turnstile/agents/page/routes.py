"""What a manager serves about its league: live page, report, scoreboard as JSON, and a stream of changes."""

import asyncio
from collections.abc import AsyncIterator, Callable

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from turnstile.agents.page.change_signal import ChangeSignal
from turnstile.agents.page.render import STATIC_FILES, render_page, render_report, report_style
from turnstile.agents.page.scoreboard import Scoreboard
from turnstile.kernel.values import encode
from turnstile.net.policy import one_style_only, own_files_and_style, page_headers

DATA_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
HEARTBEAT_SECONDS = 20.0  # a stream without changes sends a comment this often, so that the connection stays open
PAUSE_SECONDS = 0.2  # between two events of a stream: each makes a browser load the page again
MOST_LISTENERS = 200
PAGE_POLICY = own_files_and_style(report_style())
"""The page keeps a copy of the report, for when the manager has stopped; so the style of the report is allowed too."""

BoardWith = Callable[[int | None], Scoreboard]
"""Gives the scoreboard with this round, or with the current one. It may contain other rounds too."""
WholeBoard = Callable[[], Scoreboard]
"""Gives the scoreboard with all rounds."""


def page_routes(board_with: BoardWith, whole_board: WholeBoard, changes: ChangeSignal) -> list[BaseRoute]:
    listeners, reports = Listeners(changes), ReportCache(whole_board, changes)

    async def page(request: Request) -> Response:
        wanted = request.query_params.get("round", "")
        round_id = int(wanted) if wanted.isascii() and wanted.isdigit() and len(wanted) < 10 else None
        source = await asyncio.to_thread(render_page, board_with(round_id), round_id)
        return HTMLResponse(source, headers=page_headers(PAGE_POLICY))

    async def report(request: Request) -> Response:
        return HTMLResponse(await reports.latest(), headers=page_headers(one_style_only(report_style())))

    async def board_json(request: Request) -> Response:
        return Response(encode(board_with(None)), media_type="application/json", headers=DATA_HEADERS)

    return [
        Route("/", page),
        Route("/report", report),
        Route("/board.json", board_json),
        Route("/events", listeners.stream),
        STATIC_FILES.route(),
    ]


class ReportCache:
    """Renders the report in a thread, one at a time, and again only when something has changed."""

    def __init__(self, whole_board: WholeBoard, changes: ChangeSignal) -> None:
        self._whole_board = whole_board
        self._changes = changes
        self._one_at_a_time = asyncio.Lock()
        self._version = -1
        self._report = ""

    async def latest(self) -> str:
        async with self._one_at_a_time:
            version = self._changes.version
            if version != self._version:
                board = self._whole_board()  # on the event loop, where nothing changes meanwhile
                self._report = await asyncio.to_thread(render_report, board)
                self._version = version
            return self._report


class Listeners:
    """Browsers that wait for changes of the scoreboard. Their number is limited."""

    def __init__(self, changes: ChangeSignal) -> None:
        self._changes = changes
        self._count = 0

    async def stream(self, request: Request) -> Response:
        if self._count >= MOST_LISTENERS:
            return Response("Too many listeners. Load the page again instead.", status_code=503)
        return StreamingResponse(self._events(), media_type="text/event-stream", headers=DATA_HEADERS)

    async def _events(self) -> AsyncIterator[str]:
        self._count += 1
        try:
            known = self._changes.version
            yield "retry: 2000\n\n"
            while not self._changes.is_closed:
                try:
                    async with asyncio.timeout(HEARTBEAT_SECONDS):
                        version = await self._changes.wait_after(known)
                except TimeoutError:
                    yield ": nothing new\n\n"
                else:
                    if version != known:
                        known = version
                        yield f"data: {version}\n\n"
                        await asyncio.sleep(PAUSE_SECONDS)
        finally:
            self._count -= 1
