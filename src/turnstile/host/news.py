"""One update of a stream, as it waits in memory for its readers."""

from turnstile.table.messages import Told
from turnstile.table.wire import write_change, write_whole


class News:
    """An update, and the one before it in its stream if that is known.

    Each form is written when the first reader wants it, and once for all of them.
    """

    __slots__ = ("_change", "_told", "_view_before", "_whole", "seq")  # a table has hundreds

    def __init__(self, told: Told, before: "News | None") -> None:
        self.seq = told.seq
        self._told = told
        self._view_before = () if before is None else (before._told.view,)
        self._whole = self._change = b""

    def body(self, *, is_whole: bool) -> bytes:
        """The update with the whole view; or with what has changed, for a reader who has the update before."""
        if not is_whole and self._view_before:
            if not self._change:
                self._change = write_change(self._told, *self._view_before)
            return self._change
        if not self._whole:
            self._whole = write_whole(self._told)
        return self._whole
