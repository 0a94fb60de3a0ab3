"""Closes tables whose match was never started and whose players have gone: lists and quotas would fill with them."""

import asyncio
import logging
import secrets
from contextlib import suppress

from turnstile.host import Host, Refused
from turnstile.kernel.values import Instant, LogId
from turnstile.server.commands import CloseCommand, event_of
from turnstile.server.errors import Problem
from turnstile.server.readers import Readers
from turnstile.store.protocol import StoreFault
from turnstile.table.values import Phase

log = logging.getLogger("turnstile.server")

LOOK_EVERY = 600.0  # seconds
AT_ONCE = 100  # tables that are asked for in one go
HOUR = 3_600_000  # milliseconds


class Unstarted:
    """The tables of a server that are not started. Any number of processes may look after the same ones."""

    def __init__(self, host: Host, readers: Readers, hours: float) -> None:
        """`hours`: how long a table may stay as it is before its match."""
        self._host = host
        self._readers = readers
        self._patience = round(hours * HOUR)

    async def keep_closing(self) -> None:
        """Look again and again, not before players had time to come back after a start of the server.

        What the store cannot do now is done at a later look.
        """
        while True:
            await asyncio.sleep(LOOK_EVERY)
            try:
                await self.close_old()
            except StoreFault as fault:
                log.warning("Tables that were not started are closed later. The store: %s", fault)

    async def close_old(self) -> None:
        """Close every table that has not changed for too long before its match, unless one of its players is here.

        A table that cannot be read, such as one of a game that is not installed here, stays as it is.
        """
        newest, after = Instant(self._host.store.now() - self._patience), None
        while page := await self._host.store.logs(is_open=True, after=after, limit=AT_ONCE):
            for name, row in page:
                if row.phase == Phase.SEATING and row.changed <= newest:
                    with suppress(Problem):
                        await self._close_unless_used(name)
            after = page[-1][0]

    async def _close_unless_used(self, name: LogId) -> None:
        admin, players = await self._readers.look(name, lambda live: (live.state.header.admin, live.state.players))
        for player in {admin, *players}:
            if await self._readers.is_present(name, player):
                return
        answer = await self._host.submit(name, event_of(admin, CloseCommand(id=secrets.token_hex(16))))
        if not isinstance(answer, Refused):  # else its match was started in this moment
            log.info("A table that was not started is closed", extra={"table": name})
