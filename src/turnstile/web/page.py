"""The page of the web client. One HTML document serves every address of the page; its modules do the rest.

Modules name each other by their plain addresses. An import map in the page turns those into the hashed ones, so that a
browser keeps every file until it changes. The Content-Security-Policy allows exactly this map within the page.
"""

import json
from functools import cache
from pathlib import PurePosixPath

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Scope

from turnstile.net import theme
from turnstile.net.policy import own_files_and_import_map, page_headers
from turnstile.net.static import StaticFiles
from turnstile.net.templates import render

PACKAGE = "turnstile.web"
STATIC_FILES = StaticFiles(PACKAGE, theme.PACKAGE)
LAYOUTS = PurePosixPath("layouts")
AUTHOR = PurePosixPath("author")
LATER = (LAYOUTS, PurePosixPath("fair"), AUTHOR)
"""Folders whose modules are fetched only when they are needed."""
ADDRESSES = ("/", "/new", "/account", "/table/{table}", "/rules/{game}")
"""Every address at which the page is served. The script decides what to show at each."""


def web_routes(*, is_for_authors: bool = False) -> list[BaseRoute]:
    """The page and its files; and for browsers, the page at addresses where there is nothing.

    `is_for_authors`: whether the server offers the tools for authors of games.
    """
    body, headers = page(is_for_authors=is_for_authors), page_headers(own_files_and_import_map(import_map()))

    async def respond(_: Request) -> Response:
        return HTMLResponse(body, headers=headers)

    async def respond_not_found(_: Request) -> Response:
        return HTMLResponse(body, 404, headers=headers)

    pages = [Route(address, respond) for address in ADDRESSES]
    return [*pages, STATIC_FILES.route(), NothingRoute("/{path:path}", respond_not_found)]


class NothingRoute(Route):
    """Matches what browsers ask for when they open an address. All other requests get the error of the server."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        accepted = b",".join(value for name, value in scope.get("headers", ()) if name == b"accept")
        is_opened = scope.get("method") == "GET" and b"text/html" in accepted
        return super().matches(scope) if is_opened else (Match.NONE, {})


@cache
def page(*, is_for_authors: bool = False) -> str:
    """The HTML document."""
    return render(
        PACKAGE,
        "index.html",
        import_map=import_map(),
        styles=[_hashed(name) for name in style_names()],
        modules=[_hashed(name) for name in _names(".js") if not _is_for_later(name)],
        main=_hashed("main.js"),
        icon=_hashed("icon.svg"),
        icon_of_turn=_hashed("icon-turn.svg"),
        layouts=" ".join(layout_names()),
        author_css=_hashed(str(AUTHOR / "author.css")),
        is_for_authors=is_for_authors,
    )


def style_names() -> list[str]:
    """The style sheets in the order in which the page loads them: a later one may refine an earlier one."""
    own = [name for name in _names(".css") if name not in theme.STYLES and not _is_of_author(name)]
    return [*theme.STYLES, *sorted(own, key=_is_of_layout)]


def layout_names() -> list[str]:
    """The games that have a layout of their own: a file `layouts/GAME.js`."""
    return [PurePosixPath(name).stem for name in _names(".js") if _is_of_layout(name)]


def _is_for_later(name: str) -> bool:
    return any(folder in PurePosixPath(name).parents for folder in LATER)


def _is_of_layout(name: str) -> bool:
    return PurePosixPath(name).parent == LAYOUTS


def _is_of_author(name: str) -> bool:
    return PurePosixPath(name).parent == AUTHOR


@cache
def import_map() -> str:
    """From the plain address of each module to its hashed one, as JSON."""
    return json.dumps({"imports": {_plain(name): _hashed(name) for name in _names(".js")}}, separators=(",", ":"))


def _names(suffix: str) -> list[str]:
    return sorted(name for name in STATIC_FILES.names() if name.endswith(suffix))


def _plain(name: str) -> str:
    return f"/static/{name}"


def _hashed(name: str) -> str:
    return f"/{STATIC_FILES.url(name)}"
