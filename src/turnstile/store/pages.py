"""Pages of the directory's lists: where one begins, how much is looked at for it, and its mark as text."""

from collections.abc import Iterable
from typing import TypeVar

import msgspec

from turnstile.kernel.values import is_log_id
from turnstile.store.directory import MOST_ON_A_PAGE, Page, PageMark

T = TypeVar("T")

FURTHEST = 2**63 - 1
HIGHEST = 1.7e308
"""Above every rating."""

_SPARE = 16
"""Further rows that are looked at, in case some of them cannot be read."""

_numbers: msgspec.json.Decoder[int | float] = msgspec.json.Decoder(int | float)


def write_mark(mark: PageMark) -> str:
    """A mark as text, for addresses."""
    return f"{mark.value!r}:{mark.id}"


def read_mark(text: str) -> PageMark | None:
    """The mark that a text stands for; `None` when it is invalid."""
    number, _, name = text.partition(":")
    try:
        value = _numbers.decode(number)
    except (msgspec.DecodeError, UnicodeError):
        return None
    return PageMark(value, name) if is_log_id(name) and abs(value) <= FURTHEST else None


def bounded(limit: int) -> int:
    return max(0, min(limit, MOST_ON_A_PAGE))


def rows_for(limit: int) -> int:
    """How many rows to look at for a page of all of them."""
    return bounded(limit) + _SPARE


def start_by_time(after: PageMark | None) -> tuple[int, str]:
    """A page of the newest first has times and ids before these."""
    if after is None:
        return FURTHEST, ""
    return max(-FURTHEST, min(int(after.value), FURTHEST)), after.id if is_log_id(after.id) else ""


def start_by_rating(after: PageMark | None) -> tuple[float, str]:
    """A page of the highest first has ratings and ids before these."""
    return (HIGHEST, "") if after is None else (float(after.value), after.id if is_log_id(after.id) else "")


def page_of(found: Iterable[tuple[int | float, str | None, T | None]], limit: int, rows: int) -> Page[T]:
    """A page from rows in order: what each is sorted by, its id, and its item.

    A row without an id cannot be read. A row without an item does not belong to the list. The page looks at `rows` of
    them at most: `found` must have one more, if there is one.
    """
    limit = bounded(limit)
    items: list[T] = []
    mark: PageMark | None = None
    for number, (value, name, item) in enumerate(found):
        if number >= rows or len(items) == limit:
            return Page(tuple(items), mark)
        if name is not None:
            mark = PageMark(value, name)
            if item is not None:
                items.append(item)
    return Page(tuple(items), None)
