"""Pages of lists over HTTP: how many items a page has, and where the next one begins."""

from typing import Annotated

import msgspec
from msgspec import Meta

from turnstile.store.directory import PageMark
from turnstile.store.pages import write_mark

Mark = Annotated[
    str,
    Meta(
        pattern=r"^-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,20})?(e-[0-9]{1,3})?:.{1,64}$",
        description="Where a page ended: the `next` of that page.",
    ),
]
PageSize = Annotated[int, Meta(ge=1, le=200)]

_numbers: msgspec.json.Decoder[int | float] = msgspec.json.Decoder(int | float)


def mark_of(text: Mark | None) -> PageMark | None:
    """Where a page begins, as a query says it. A mark that no page had is as good as any: the list goes on there."""
    if text is None:
        return None
    number, _, name = text.partition(":")
    return PageMark(_numbers.decode(number), name)


def text_of(mark: PageMark | None) -> Mark | None:
    """The `next` of a page; `None` after the last."""
    return None if mark is None else write_mark(mark)
