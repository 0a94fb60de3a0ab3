"""HTML, put together by hand: what comes from outside is escaped here and nowhere else."""

from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from html import escape
from typing import NewType

Html = NewType("Html", str)
NOTHING = Html("")


def text(value: object) -> Html:
    """Any value as text. What people have chosen themselves belongs into `name`."""
    return Html(escape(str(value)))


def name(value: str) -> Html:
    """A name that somebody gave themselves: it cannot turn around the text that surrounds it."""
    return Html(f"<bdi>{escape(value)}</bdi>")


def tag(kind: str, *inner: Html, **attributes: str) -> Html:
    """An element. `class_` stands for `class`, and other underscores for hyphens."""
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"' for key, value in attributes.items())
    return Html(f"<{kind}{given}>{''.join(inner)}</{kind}>")


def joined(parts: Iterable[Html], between: str = "") -> Html:
    return Html(between.join(parts))


def table(heads: Iterable[Html], lines: Iterable[Iterable[Html]], **attributes: str) -> Html:
    """A table of cells that are made already; the heads and lines are `<th>`s and `<td>`s."""
    head = tag("thead", tag("tr", *heads))
    body = tag("tbody", *(tag("tr", *line) for line in lines))
    return tag("div", tag("table", head, body, **attributes), class_="wide")


def head(label: str, *, title: str = "", class_: str = "") -> Html:
    chosen = {key: value for key, value in (("title", title), ("class_", class_)) if value}
    return tag("th", text(label), scope="col", **chosen)


def cell(inner: Html, class_: str = "") -> Html:
    return tag("td", inner, **({"class_": class_} if class_ else {}))


def number(value: int) -> Html:
    return cell(text(value), "number")


def document(title: str, style: str, *body: Html, script: str = "", refresh: int | None = None) -> Html:
    """A whole page in one piece: style and script stand in it, and it loads nothing."""
    again = f'<noscript><meta http-equiv="refresh" content="{refresh}"></noscript>' if refresh else ""
    run = f"<script>{script}</script>" if script else ""
    return Html(
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>{again}<style>{style}</style></head>"
        f"<body>{''.join(body)}{run}</body></html>"
    )


def policy(style: str, script: str = "") -> str:
    """The Content-Security-Policy under which nothing but this style and this script has any effect."""
    scripts = f" script-src {_source(script)}; connect-src 'self';" if script else ""
    return (
        f"default-src 'none'; style-src {_source(style)};{scripts}"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _source(body: str) -> str:
    return f"'sha256-{b64encode(sha256(body.encode()).digest()).decode()}'"
