"""The page as it is served: its policy, the addresses of its files, its weight."""

import gzip
import json
import re
from collections.abc import Mapping

import aiohttp
import pytest
from starlette.routing import Router

from tests.agents.loops import run
from turnstile.net.serving import served
from turnstile.web import web_routes
from turnstile.web.page import LATER, STATIC_FILES, import_map, layout_names, page

MOST_BYTES = 100_000  # over the wire, of all files that a browser loads for a match; JSON comes on top


def get(*paths: str, accept: str = "*/*") -> list[tuple[int, Mapping[str, str], bytes]]:
    async def ask() -> list[tuple[int, Mapping[str, str], bytes]]:
        found = list[tuple[int, Mapping[str, str], bytes]]()
        async with served(Router(web_routes()), "127.0.0.1", 0) as serving, aiohttp.ClientSession() as client:
            for path in paths:
                async with client.get(f"http://127.0.0.1:{serving.port}{path}", headers={"Accept": accept}) as answer:
                    found.append((answer.status, answer.headers, await answer.read()))
        return found

    return run(ask())


def addresses() -> list[str]:
    """Every file that the page names."""
    return re.findall(r'(?:href|src)="(/static/[^"]+)"', page())


@pytest.mark.parametrize("address", ["/", "/new", "/account", "/table/abc", "/rules/66"])
def test_every_address_of_the_page_has_the_page_under_a_policy_without_unsafe_words(address: str) -> None:
    ((status, headers, body),) = get(address)
    assert (status, body.decode()) == (200, page())
    policy = headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none'")
    assert headers["Referrer-Policy"] == "no-referrer"


def test_a_browser_gets_the_page_where_there_is_nothing_and_a_program_does_not() -> None:
    ((status, _, body),) = get("/nothing/here", accept="text/html,*/*;q=0.8")
    assert (status, body.decode()) == (404, page())
    ((status, _, body),) = get("/nothing/here", accept="application/json")
    assert (status, body) == (404, b"Not Found")


def test_every_file_that_the_page_names_is_there_and_is_kept_forever() -> None:
    mapped = list(json.loads(import_map())["imports"].values())
    for status, headers, _ in get(*addresses(), *mapped):
        assert status == 200
        assert "immutable" in headers["Cache-Control"]


def test_the_page_names_no_other_site_and_has_no_script_or_style_of_its_own() -> None:
    assert "//" not in re.sub(r"<!doctype[^>]*>", "", page())
    assert re.findall(r"<script[^>]*>([^<]+)</script>", page()) == [import_map()]
    assert "style=" not in page()
    for name in STATIC_FILES.names():
        foreign = [
            url
            for url in re.findall(r"https?://[^\s\"'`)]+", STATIC_FILES.text(name))
            if not url.startswith("http://www.w3.org/")
        ]
        assert foreign == [], name


def test_no_module_makes_html_from_text() -> None:
    for name in STATIC_FILES.names():
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", STATIC_FILES.text(name)
        )


def packed(name: str) -> int:
    return len(gzip.compress(STATIC_FILES.text(name).encode()))


def packed_layout(game: str) -> int:
    """A layout, and the modules in its folder."""
    names = [name for name in STATIC_FILES.names() if name.startswith((f"layouts/{game}.", f"layouts/{game}/"))]
    return sum(map(packed, names))


def test_all_that_a_match_needs_is_light() -> None:
    later = tuple(f"{folder}/" for folder in LATER)
    shared = sum(packed(name) for name in STATIC_FILES.names() if not name.startswith(later))
    heaviest = max(packed_layout(name) for name in layout_names())
    assert len(page()) + shared + heaviest < MOST_BYTES


def test_a_layout_is_found_by_its_file() -> None:
    assert {"e-card", "generic"} <= set(layout_names())
    assert f'<meta name="layouts" content="{" ".join(layout_names())}">' in page()
