"""Games that are being written: loaded again when their files change, while the server runs.

A match that is under way is read again from its log under the new rules. It goes on if they lead to the same states. If
not, or if the game has a new version, it is closed, and its players are told why.
"""

import asyncio
import logging
import secrets
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from turnstile.host import Ending, Host
from turnstile.host.live import Live
from turnstile.kernel.game import AnyGame
from turnstile.kernel.values import Value, encode
from turnstile.registry import find_game, lend, look_again, take_back
from turnstile.server.dev.sources import CannotLoad, Source, Stamps, explain, file_source, installed_sources, stamps_of

log = logging.getLogger("turnstile.server.dev")

LOOK_EVERY = 0.25  # seconds; a file counts as written when it is the same at two looks


class GameInDevelopment(Value, frozen=True):
    """A game whose files are watched. `problem`: why its newest files cannot be loaded, so that the old rules count."""

    name: str
    title: str
    file: str
    problem: str | None = None


class GamesInDevelopment(Value, frozen=True):
    """All games whose files are watched. `state` changes whenever one of them was loaded again, or the server was."""

    state: str
    games: tuple[GameInDevelopment, ...]


class _Watched:
    """A source, the game that it has led to, and its files as they were then."""

    def __init__(self, source: Source, game: AnyGame) -> None:
        self.source = source
        self.game = game
        self.problem: str | None = None
        self.loaded = self.seen = self.stamps()

    def stamps(self) -> Stamps:
        return stamps_of(self.source.files() if self.problem is None else self.source.all_files())

    def has_changed(self) -> bool:
        """Whether its files differ from those that were loaded, and are written to the end."""
        before, self.seen = self.seen, self.stamps()
        return self.seen == before and self.seen != self.loaded

    def describe(self) -> GameInDevelopment:
        files = sorted(self.source.files())
        place = self.source.name if self.source.is_file or not files else str(files[0])
        return GameInDevelopment(self.game.name, self.game.title, Path(place).name, self.problem)


class DevGames:
    """Watches the files of games and loads them again. Raises `CannotLoad` if one cannot be loaded at first."""

    def __init__(self, files: Sequence[str], host: Host) -> None:
        self._host = host
        self._server = secrets.token_hex(4)
        self._loads = 0
        self._woken: set[asyncio.Event] = set()
        self._games = [_begin(source) for source in (*map(file_source, files), *installed_sources())]
        self._note_names()

    def close(self) -> None:
        """Find the games of files no more."""
        for each in self._games:
            if each.source.is_file:
                take_back(each.game.name)
        self._games = []

    # watching

    async def keep_watching(self) -> None:
        while self._games:
            await asyncio.sleep(LOOK_EVERY)
            for each in self._games:
                if each.has_changed():
                    await self._load_again(each)
            self._let_go_of_others()

    async def _load_again(self, watched: _Watched) -> None:
        async with AsyncExitStack() as stack:
            for live in self._tables_of(watched.game.name):
                await stack.enter_async_context(live.lock)  # no step is under way while the rules change
            watched.loaded = watched.seen
            try:
                game = watched.source.load()
            except CannotLoad as fault:
                watched.problem = str(fault)
                log.error("%s The rules of before stay.", fault)
            else:
                self._use(watched, game)
                log.info("%s was loaded again.", watched.source.name)
        watched.loaded = watched.seen = watched.stamps()
        self._tell()

    def _use(self, watched: _Watched, game: AnyGame) -> None:
        before, watched.game, watched.problem = watched.game.name, game, None
        look_again()
        if watched.source.is_file:
            take_back(before)
            lend(game)
        self._loads += 1
        self._note_names()
        self._host.tables.let_go_of_game(before)

    def _note_names(self) -> None:
        self._host.tables.games_in_development = frozenset(each.game.name for each in self._games)

    def _tables_of(self, game: str) -> list[Live]:
        return [live for live in self._host.tables.live.values() if live.state.header.game == game]

    def _let_go_of_others(self) -> None:
        """Forget tables that were being read while the rules changed: their matches belong to the rules of before."""
        for watched in self._games:
            for live in self._tables_of(watched.game.name):
                match, game = live.state.match, find_game(watched.game.name)
                if match is not None and game is not None and type(match) is not game.machine.state:
                    self._host.tables.let_go(live.name, Ending.RESTORED)

    # telling

    def describe(self) -> GamesInDevelopment:
        return GamesInDevelopment(f"{self._server}-{self._loads}", tuple(each.describe() for each in self._games))

    async def changes(self) -> AsyncGenerator[bytes, None]:
        """The games as they are now, and again after every change, as JSON."""
        woken = asyncio.Event()
        self._woken.add(woken)
        try:
            while True:
                yield encode(self.describe())
                await woken.wait()
                woken.clear()
        finally:
            self._woken.discard(woken)

    def _tell(self) -> None:
        for woken in self._woken:
            woken.set()


def _begin(source: Source) -> _Watched:
    """Load a game for the first time. Raises `CannotLoad`."""
    if source.is_file:
        game = source.load()
        lend(game)
        return _Watched(source, game)
    try:
        found = find_game(source.name)
    except (Exception, SystemExit) as fault:
        raise CannotLoad(f"{source.name} cannot be loaded: {explain(fault, source.all_files())}") from fault
    if found is None:
        raise CannotLoad(f"{source.name} cannot be loaded: {source.places[0]} is not a Game.")
    return _Watched(source, found)
