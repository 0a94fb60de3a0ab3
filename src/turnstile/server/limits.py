"""How often what may be asked. Every limit has a name, which an error tells together with the seconds to wait."""

import math
from collections.abc import Hashable, Mapping
from enum import StrEnum

import msgspec

from turnstile.net.limits import Quota, Seconds
from turnstile.server.errors import Code, Problem


class LimitName(StrEnum):
    REQUESTS = "requests"
    REGISTRATIONS = "registrations"
    BAD_TOKENS = "badTokens"
    CODES = "codes"
    CONNECTIONS = "connections"
    HELLOS = "hellos"
    STREAMS = "streams"
    POLLS = "polls"
    FRAMES = "frames"
    COMMANDS = "commands"
    TABLES = "tables"
    RENAMES = "renames"
    RESULTS = "results"


class Limit(msgspec.Struct, frozen=True):
    """`burst` at once, then `rate` a second, for each address, player or connection."""

    per: str
    rate: float
    burst: float
    doc: str


LIMITS: Mapping[LimitName, Limit] = {
    LimitName.REQUESTS: Limit("address", 200, 1_000, "HTTP requests"),
    LimitName.REGISTRATIONS: Limit("address", 1 / 10, 20, "registrations"),
    LimitName.BAD_TOKENS: Limit("address", 1, 20, "requests with an invalid token"),
    LimitName.CODES: Limit("address", 1 / 5, 10, "codes tried"),
    LimitName.CONNECTIONS: Limit("address", 50, 200, "WebSockets opened"),
    LimitName.HELLOS: Limit("player", 2, 20, "hello frames"),
    LimitName.STREAMS: Limit("player", 2, 20, "streams opened"),
    LimitName.POLLS: Limit("player", 50, 100, "requests for updates"),
    LimitName.FRAMES: Limit("connection", 100, 300, "frames sent"),
    LimitName.COMMANDS: Limit("player", 100, 300, "commands, over HTTP and WebSocket together"),
    LimitName.TABLES: Limit("player", 1 / 30, 20, "tables opened"),
    LimitName.RENAMES: Limit("player", 1 / 60, 5, "changes of the name, codes, links and new tokens"),
    LimitName.RESULTS: Limit("address", 20, 200, "pages of results, players and leaders"),
}


class Limits:
    """The limits of one server, each with what is left of it for every key."""

    def __init__(self, clock: Seconds, changed: Mapping[LimitName, Limit] | None = None) -> None:
        self.table = {**LIMITS, **(changed or {})}
        self._quotas = {name: Quota(limit.rate, limit.burst, clock) for name, limit in self.table.items()}

    def quota(self, name: LimitName) -> Quota:
        return self._quotas[name]

    def wait_of(self, name: LimitName, key: Hashable) -> float:
        """Take one; 0 if there was one left, else the seconds until there is."""
        return self._quotas[name].wait_of(key)

    def take(self, name: LimitName, key: Hashable) -> None:
        """Take one. Raises `Problem` if none is left."""
        wait = self.wait_of(name, key)
        if wait:
            raise self.too_fast(name, wait)

    def too_fast(self, name: LimitName, wait: float) -> Problem:
        limit = self.table[name]
        seconds = math.ceil(wait * 10) / 10
        return Problem(
            Code.TOO_FAST,
            f"Too many {limit.doc} by one {limit.per}; wait {seconds:g} s.",
            limit=name.value,
            seconds=seconds,
        )
