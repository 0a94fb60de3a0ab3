"""Lines of seats: the newest line of a seat is the one that counts, also when another process has it.

A store that processes share numbers the lines of a seat. A process that is notified of a newer line ends its own, and
from time to time it asks the store, because a notification may be lost.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from turnstile.host.answers import Code, Refused
from turnstile.host.live import Live
from turnstile.host.streams.ending import Ending
from turnstile.host.streams.lines import Line, refuse_line
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import LogId, PlayerId
from turnstile.store.protocol import SeatLine, Store

if TYPE_CHECKING:
    from turnstile.host.host import Host

SPECTATORS = "spectators"


async def open_line(
    host: "Host", name: LogId, player: PlayerId | None, after: int, history: str | None
) -> Line | Refused | Rejection:
    """A line; while nothing can be written, one that acknowledges nothing, because reading goes on.

    Such a line has no number: a newer one ends it only in this process.
    """
    line = await host.at(name, lambda live: _attach(host, live, player, after, history), player or SPECTATORS)
    if not isinstance(line, Rejection) or line.code not in (Code.STORAGE_FULL, Code.READ_ONLY):
        return line
    return await host.guard(name, _attach_without_writing(host, name, player, after, history))


async def _attach_without_writing(
    host: "Host", name: LogId, player: PlayerId | None, after: int, history: str | None
) -> Line | Refused | Rejection:
    live = await host.tables.find(name)
    if isinstance(live, Rejection):
        return live
    refused = refuse_line(live, player, after) or await _refuse_history(live, player, after, history)
    return refused or _add_line(live, Line(live, player, after))


async def _refuse_history(live: Live, player: PlayerId | None, after: int, history: str | None) -> Refused | None:
    """Refuse a reader whose newest update is not in the log: what follows does not follow what it has."""
    if history is None or after == 0 or await live.history(player, after) == history:
        return None
    known = 0 if player is None else live.cursors.get(player, 0)
    return Refused(Rejection(Code.OTHER_HISTORY, f"Update {after} is another one here; ask from {known} on."), known)


async def _attach(host: "Host", live: Live, player: PlayerId | None, after: int, history: str | None) -> Line | Refused:
    if host.store.is_shared:
        await live.read_on()
    refused = refuse_line(live, player, after) or await _refuse_history(live, player, after, history)
    if refused is not None:
        return refused
    if player is None:
        return _add_line(live, Line(live, player, after))
    live.hand(player, after)
    await host.hear_ack(live, player, after)
    number = await host.store.number_line(live.name, player)
    return _add_line(live, Line(live, player, after, number))


def _add_line(live: Live, line: Line) -> Line:
    """Add a line to a table, and end the older ones of its seat."""
    for other in tuple(live.lines):
        if line.player is not None and other.player == line.player and not other.is_beside:
            other.end(Ending.REPLACED)
    live.lines[line] = None
    return line


async def end_replaced_lines(store: Store, tables: Iterable[Live]) -> None:
    """End the lines of these tables whose seat has a newer line in another process."""
    numbered: dict[SeatLine, Line] = {
        line.number: line for live in tables for line in live.lines if line.number is not None
    }
    for number in await store.replaced_lines(tuple(numbered)) if numbered else ():
        if not numbered[number].is_closed:
            numbered[number].end(Ending.REPLACED)
