"""Pages of lists over HTTP: how many items a page has, and where the next one begins."""

from typing import Annotated

from msgspec import Meta

from turnstile.server.errors import Code, Problem
from turnstile.store.directory import PageMark
from turnstile.store.pages import read_mark, write_mark

Mark = Annotated[str, Meta(pattern=r"^-?[0-9][0-9.e+-]{0,30}:.{1,64}$", description="Where a page ended.")]
PageSize = Annotated[int, Meta(ge=1, le=200)]


def mark_of(text: str | None) -> PageMark | None:
    """Where a page begins, as the query of a request says it. Raises `Problem`."""
    if text is None:
        return None
    mark = read_mark(text)
    if mark is None:
        raise Problem(Code.BAD_REQUEST, "Invalid query: `after` is the `next` of a page before.")
    return mark


def text_of(mark: PageMark | None) -> str | None:
    """The `next` of a page; `None` after the last."""
    return None if mark is None else write_mark(mark)
