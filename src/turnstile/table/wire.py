"""Updates as they go over the wire: with the whole view, or with what has changed since the update before."""

from typing import Any

from turnstile.kernel.changes import change_between
from turnstile.kernel.values import encode
from turnstile.table.messages import Told


def write_whole(told: Told) -> bytes:
    """An update for a reader who may not have the update before it."""
    return _write(told, b'"view":', told.view)


def write_change(told: Told, view_before: Any) -> bytes:
    """An update for a reader who has the update before it, and this view with that."""
    return _write(told, b'"changed":', change_between(view_before, told.view))


def _write(told: Told, name: bytes, sight: Any) -> bytes:
    messages = b",".join(map(bytes, told.messages))
    head = b'{"seq":%d,"messages":[%b],' % (told.seq, messages)
    return b"".join((head, name, encode(sight), b',"actions":', encode(told.actions), b"}"))
