"""One update of a stream, as it waits in memory for its readers."""

from turnstile.store.log import Link
from turnstile.table.messages import Told
from turnstile.table.wire import write_change, write_whole

HISTORY_BYTES = 6  # of a link; a restored store does not lead to the same ones by accident


class News:
    """An update, and the one before it in its stream if that is known.

    Each form is written when the first reader wants it, and once for all of them.
    """

    __slots__ = ("_change", "_link", "_told", "_view_before", "_whole", "seq")  # a server has many

    def __init__(self, told: Told, before: "News | None", link: Link) -> None:
        """`link`: that of the entry which the update comes from."""
        self.seq = told.seq
        self._told = told
        self._link = link
        self._view_before = () if before is None else (before._told.view,)
        self._whole = self._change = b""

    @property
    def history(self) -> str:
        """Stands for all that led to this update: the beginning of the link of its entry.

        It gives nothing away, because every link depends on the seed, and the rest of it stays secret.
        """
        return self._link[:HISTORY_BYTES].hex()

    def body(self, *, is_whole: bool) -> bytes:
        """The update with the whole view; or with what has changed, for a reader who has the update before."""
        if not is_whole and self._view_before:
            if not self._change:
                self._change = write_change(self._told, *self._view_before)
            return self._change
        if not self._whole:
            self._whole = write_whole(self._told)
        return self._whole
