"""Readers of streams: each puts the views together from what its line sends, as a client does."""

from typing import Any

from msgspec import json

from turnstile.kernel.changes import apply_change
from turnstile.kernel.values import encode
from turnstile.table.messages import Told
from turnstile.table.wire import write_whole


class NoView(AssertionError):
    """A line began with what has changed, before its reader had a view."""


class LineReader:
    """The reader of one line."""

    def __init__(self) -> None:
        self._view: Any = None
        self._has_view = False

    def read(self, body: bytes) -> bytes:
        """The next update of the line, with its whole view and in canonical bytes."""
        update = json.decode(body)
        if "changed" not in update:
            self._view, self._has_view = update["view"], True
        elif self._has_view:
            self._view = apply_change(self._view, update.pop("changed"))
        else:
            raise NoView(f"update {update['seq']} says what has changed, to a reader without a view")
        return encode({**update, "view": self._view})


def whole_update(told: Told) -> bytes:
    """An update as its log gives it, in the form in which a reader has it."""
    return encode(json.decode(write_whole(told)))
