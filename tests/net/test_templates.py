"""Templates of a package: what they are given is escaped, and what they are not given is an error."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from turnstile.net.policy import one_style_only, own_files_and_style, page_headers
from turnstile.net.templates import environment, render

Package = Callable[..., str]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Package:
    """Makes a package with these templates."""

    def make(**templates: str) -> str:
        folder = tmp_path / "pages_for_tests" / "templates"
        folder.mkdir(parents=True)
        (folder.parent / "__init__.py").write_text("")
        for name, source in templates.items():
            (folder / f"{name}.html").write_text(source)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "pages_for_tests", raising=False)
        environment.cache_clear()
        return "pages_for_tests"

    return make


def test_values_are_escaped_in_text_and_in_attributes(package: Package) -> None:
    source = render(package(page='<p title="{{ name }}">{{ name }}</p>'), "page.html", name="<b>\"'&")
    assert source == '<p title="&lt;b&gt;&#34;&#39;&amp;">&lt;b&gt;&#34;&#39;&amp;</p>'


def test_values_are_escaped_in_what_a_template_includes(package: Package) -> None:
    made = package(page='{% include "part.html" %}', part="{{ name }}")
    assert render(made, "page.html", name="<b>") == "&lt;b&gt;"


@pytest.mark.parametrize("source", ["{{ nmae }}", "{% if nmae %}{% endif %}", "{{ name.nothing }}"])
def test_a_name_that_is_not_given_is_an_error(package: Package, source: str) -> None:
    with pytest.raises(UndefinedError):
        render(package(page=source), "page.html", name="x")


def test_statements_and_comments_leave_no_empty_lines(package: Package) -> None:
    source = "{# both #}\n{% for each in (1, 2) %}\n  {% if each %}\n<p>\n  {% endif %}\n{% endfor %}\n"
    assert render(package(page=source), "page.html") == "<p>\n<p>\n"


def test_a_policy_allows_nothing_that_it_does_not_name() -> None:
    for policy in (own_files_and_style(""), one_style_only("")):
        rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
        assert "unsafe" not in policy
        assert rules.pop("default-src") == "'none'"
        assert rules.pop("base-uri") == rules.pop("form-action") == rules.pop("frame-ancestors") == "'none'"
        assert set(" ".join(rules.values()).split()) <= {
            "'self'",
            "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
        }
    assert "script-src" not in one_style_only("p {}")
    assert one_style_only("p {}") != one_style_only("p { }")


def test_a_page_is_not_kept_and_has_no_other_type_than_it_says() -> None:
    headers = page_headers(own_files_and_style(""))
    assert headers["Content-Security-Policy"] == own_files_and_style("")
    assert (headers["Cache-Control"], headers["X-Content-Type-Options"]) == ("no-store", "nosniff")
