"""Logs in a store: create one, load one. How a store's faults are met is a policy: refuse at once, or wait."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec, Protocol, TypeVar

from turnstile.durable.log import BadSnapshot, Kept, Kind, replay
from turnstile.kernel.machine import S
from turnstile.kernel.values import LogId
from turnstile.store.log import Entry
from turnstile.store.protocol import Busy, ReadOnly, Row, Saved, StorageFull, Store, Unknown

log = logging.getLogger("turnstile.durable")

P = ParamSpec("P")
T = TypeVar("T")

PASSING = (Busy, ReadOnly, StorageFull, Unknown)
"""Faults of a store that may pass: the same may be asked again. Any other one ends the process."""

FIRST_PAUSE, LONGEST_PAUSE = 0.05, 2.0  # seconds before the store is asked again


class Ask(Protocol):
    """How a store is asked for something: the policy for its passing faults."""

    def __call__(self, ask: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> Awaitable[T]: ...


def ask_once(ask: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> Awaitable[T]:
    """Raise a passing fault: the request is refused, and its sender tries again."""
    return ask(*args, **kwargs)


async def ask_until_done(ask: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
    """Wait while a fault passes, and ask again: nothing is lost meanwhile."""
    pause = FIRST_PAUSE
    while True:
        try:
            return await ask(*args, **kwargs)
        except PASSING as fault:
            log.warning("The store cannot do this now, and is asked again: %s", fault)
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)


async def create(store: Store, name: LogId, header: Entry, row: Row, ask: Ask = ask_once) -> bool:
    """A new log; `False` where there is another of this id. The same one may be created again."""
    return await ask(store.create, name, header, row) or await has_entry(store, name, header, ask)


async def has_entry(store: Store, name: LogId, entry: Entry, ask: Ask = ask_once) -> bool:
    """Whether the log has this very entry: a store that broke off while it wrote may have written it."""
    found = await ask(store.entries, name, entry.position - 1, 1)
    return [each.link for each in found] == [entry.link]


async def load(kind: Kind[S, Any], store: Store, name: LogId, ask: Ask = ask_once) -> Kept[S] | None:
    """A machine from its log; `None` where there is none. Raises `Damaged` or `CannotGoOn`."""
    saved = await ask(store.load, name)
    if saved is None:
        return None
    try:
        return replay(kind, name, saved)
    except BadSnapshot as fault:
        log.warning("%s Its log is read from the beginning.", fault)
    return await load_whole(kind, store, name, ask)


async def load_whole(kind: Kind[S, Any], store: Store, name: LogId, ask: Ask = ask_once) -> Kept[S] | None:
    """The same from the beginning of the log: every entry is decided again, whatever snapshots say."""
    header, *entries = await ask(store.entries, name, -1) or (None,)
    return None if header is None else replay(kind, name, Saved(header, None, tuple(entries)))
