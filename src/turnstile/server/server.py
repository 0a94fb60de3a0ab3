"""The server: its host, its players, its tables, and all who are connected. HTTP and WebSocket are ways to it."""

import time

from starlette.requests import Request

from turnstile.host import Host
from turnstile.net.limits import Seconds
from turnstile.server.dev.games import DevGames
from turnstile.server.door import Door
from turnstile.server.errors import Problem
from turnstile.server.limits import LIMITS, Limit, LimitName, Limits
from turnstile.server.lobby import Lobby
from turnstile.server.operations.counts import Counts
from turnstile.server.people import People, Person
from turnstile.server.play.sessions import Sessions
from turnstile.server.readers import Readers
from turnstile.server.results.booking import Booking
from turnstile.server.results.results import Results
from turnstile.server.settings import ServerSettings
from turnstile.server.tables import Tables
from turnstile.server.unstarted import Unstarted
from turnstile.store.directory import Directory


class Server:
    """What the endpoints and the WebSocket share. `app.serving` runs it."""

    def __init__(
        self,
        host: Host,
        directory: Directory,
        settings: ServerSettings | None = None,
        clock: Seconds = time.monotonic,
    ) -> None:
        """`clock`: for limits. All other times are those of the host's store."""
        self.settings = settings or ServerSettings()
        self.host = host
        self.directory = directory
        self.counts = Counts()
        self.door = Door(self.settings)
        self.limits = Limits(clock, _limits(self.settings))
        self.command_quota = self.limits.quota(LimitName.COMMANDS)
        """Looked at for each move, so it is looked up once."""
        self.people = People(directory, host.store.now, clock)
        self.readers = Readers(host, directory)
        self.tables = Tables(host, self.readers, directory, self.settings.most_open_tables)
        self.lobby = Lobby(self.tables)
        self.unstarted = Unstarted(host, self.readers, self.settings.unstarted_hours)
        self.booking = Booking(host, directory, self.counts)
        self.results = Results(directory, self.people)
        self.sessions = Sessions(self)
        self.dev_games = DevGames(self.settings.game, host) if self.settings.dev else None
        """Games that are loaded again when their files change; `None` without `--dev`."""
        self.is_stopping = False

    async def authenticate(self, token: str | None, address: str) -> Person | None:
        """The player of a token; `None` without one. Raises `Problem`: an address may give few invalid ones."""
        if token is None:
            return None
        try:
            return await self.people.authenticate(token)
        except Problem:
            self.limits.take(LimitName.BAD_TOKENS, address)
            raise

    def url_of(self, request: Request) -> str:
        """The address under which browsers know this server."""
        return self.settings.public_url or f"{request.url.scheme}://{request.headers.get('host', '')}"


def _limits(settings: ServerSettings) -> dict[LimitName, Limit]:
    """All limits, as the settings change them."""
    rates = {
        LimitName.REQUESTS: (settings.requests_per_second, 5),
        LimitName.FRAMES: (settings.frames_per_second, 3),
        LimitName.COMMANDS: (settings.commands_per_second, 3),
    }
    changed = {
        name: Limit(LIMITS[name].per, rate, max(1.0, rate * times), LIMITS[name].doc)
        for name, (rate, times) in rates.items()
    }
    factor = settings.limit_factor
    return {
        name: Limit(limit.per, limit.rate * factor, max(1.0, limit.burst * factor), limit.doc)
        for name, limit in {**LIMITS, **changed}.items()
    }
