"""Style sheets and scripts as they are served: with their type, with lasting addresses, and nothing besides."""

import sys
from collections.abc import Mapping
from pathlib import Path

import aiohttp
import pytest
from starlette.routing import Router
from yarl import URL

from tests.agents.loops import run
from turnstile.net.serving import served
from turnstile.net.static import StaticFiles

STYLE = "body { color: red; }\n"


@pytest.fixture
def static_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StaticFiles:
    """The static files of a package that is made here, with a secret beside them."""
    package = tmp_path / "site_for_tests"
    (package / "static" / "lib").mkdir(parents=True)
    for name, text in (
        ("__init__.py", ""),
        ("secret.js", "secret"),
        ("static/site.css", STYLE),
        ("static/lib/move.js", "export {};\n"),
        ("static/notes.txt", "not for browsers"),
    ):
        (package / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "site_for_tests", raising=False)
    return StaticFiles("site_for_tests")


def get(
    static_files: StaticFiles, path: str, headers: Mapping[str, str] | None = None
) -> tuple[int, Mapping[str, str], str]:
    async def ask() -> tuple[int, Mapping[str, str], str]:
        async with (
            served(Router([static_files.route()])) as serving,
            aiohttp.ClientSession() as session,
            session.get(URL(f"http://127.0.0.1:{serving.port}/{path}", encoded=True), headers=headers) as answer,
        ):
            return answer.status, answer.headers, await answer.text()

    return run(ask())


@pytest.mark.parametrize(
    ("name", "media_type"), [("site.css", "text/css"), ("lib/move.js", "text/javascript")], ids=["style", "script"]
)
def test_a_file_is_served_with_its_type_at_an_address_that_lasts(
    static_files: StaticFiles, name: str, media_type: str
) -> None:
    status, headers, body = get(static_files, static_files.url(name))
    assert (status, body) == (200, static_files.text(name))
    assert headers["Content-Type"] == f"{media_type}; charset=utf-8"
    assert headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_a_file_that_names_no_content_is_asked_for_each_time(static_files: StaticFiles) -> None:
    status, headers, body = get(static_files, "static/site.css")
    assert (status, body, headers["Cache-Control"]) == (200, STYLE, "no-cache")


@pytest.mark.parametrize("known", ["{etag}", "W/{etag}", '"other", {etag}', "*"])
def test_what_a_browser_has_already_is_not_sent_again(static_files: StaticFiles, known: str) -> None:
    etag = get(static_files, "static/site.css")[1]["ETag"]
    status, headers, body = get(static_files, "static/site.css", {"If-None-Match": known.format(etag=etag)})
    assert (status, headers["ETag"], body) == (304, etag, "")


def test_what_has_changed_is_sent_again(static_files: StaticFiles) -> None:
    status, _, body = get(static_files, "static/site.css", {"If-None-Match": '"other"'})
    assert (status, body) == (200, STYLE)


def test_a_changed_file_has_another_address(static_files: StaticFiles, tmp_path: Path) -> None:
    before = static_files.url("site.css")
    (tmp_path / "site_for_tests" / "static" / "site.css").write_text("body { color: blue; }\n")
    assert StaticFiles("site_for_tests").url("site.css") != before


@pytest.mark.parametrize(
    "path",
    [
        "static/",
        "static/none.css",
        "static/lib",
        "static/notes.txt",
        "static/../secret.js",
        "static/%2e%2e/secret.js",
        "static/lib/%2e%2e/%2e%2e/secret.js",
        "static//etc/passwd",
        "static/site-0123456789abcdef.css",
    ],
)
def test_nothing_else_is_served(static_files: StaticFiles, path: str) -> None:
    status, _, body = get(static_files, path)
    assert (status, body) == (404, "Not found")


@pytest.mark.parametrize("accepted", ["gzip", "br, GZIP;q=0.5", "deflate, gzip"])
def test_a_browser_that_takes_gzip_gets_it_under_a_tag_of_its_own(static_files: StaticFiles, accepted: str) -> None:
    status, headers, body = get(static_files, "static/site.css", {"Accept-Encoding": accepted})
    assert (status, body, headers["Content-Encoding"]) == (200, STYLE, "gzip")
    assert headers["Vary"] == "Accept-Encoding"
    plain = get(static_files, "static/site.css", {"Accept-Encoding": "identity"})[1]
    assert plain["ETag"] != headers["ETag"]
    known = {"Accept-Encoding": accepted, "If-None-Match": headers["ETag"]}
    assert get(static_files, "static/site.css", known)[0] == 304


@pytest.mark.parametrize("accepted", ["", "br", "gzip;q=0", "gzip; q=0.0"])
def test_a_browser_that_does_not_take_gzip_gets_the_plain_file(static_files: StaticFiles, accepted: str) -> None:
    status, headers, body = get(static_files, "static/site.css", {"Accept-Encoding": accepted})
    assert (status, body) == (200, STYLE)
    assert "Content-Encoding" not in headers


def test_several_packages_are_served_as_one_folder_without_two_files_of_the_same_name(
    static_files: StaticFiles, tmp_path: Path
) -> None:
    (tmp_path / "second_site" / "static").mkdir(parents=True)
    (tmp_path / "second_site" / "static" / "more.css").write_text("p { color: blue; }\n")
    both = StaticFiles("site_for_tests", "second_site")
    assert set(both.names()) == {*static_files.names(), "more.css"}
    assert both.text("more.css") == "p { color: blue; }\n"
    with pytest.raises(AssertionError, match="file of the same name"):
        StaticFiles("site_for_tests", "site_for_tests").names()
