"""Real matches at real tables: a host on a store, bots that play at once, people who acknowledge what they are told."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from random import Random

from msgspec import Raw

from turnstile.host import Host, Line, Refused, Status
from turnstile.kernel.chance import Seed
from turnstile.kernel.values import Instant, LogId, Move, PlayerId, decode
from turnstile.registry import find_game
from turnstile.store.protocol import Store
from turnstile.table import sight
from turnstile.table.values import Accepted, AddBot, Command, Header, Join, Phase, Settings, Start

ANA, BO = PlayerId("ana"), PlayerId("bo")
BOTS = (PlayerId("cy"), PlayerId("di"))
NOW = Instant(0)  # the host puts in when a command came


async def at_once(choose: Callable[[], Move]) -> Move:
    return choose()


@asynccontextmanager
async def hosting(store: Store, seed: int = 7) -> AsyncIterator[Host]:
    """A host that runs, and ends well. The bots draw from the seed."""
    host = Host(store, think=at_once, chance=Random(seed))
    ready, stop = asyncio.Event(), asyncio.Event()
    running = asyncio.create_task(host.run(ready, stop))
    begun = asyncio.create_task(ready.wait())
    await asyncio.wait({running, begun}, return_when=asyncio.FIRST_COMPLETED)
    try:
        yield host
    finally:
        begun.cancel()
        stop.set()
        await running


def header(store: Store, table: str, game: str, settings: Settings | None = None, options: bytes = b"{}") -> Header:
    found = find_game(game)
    assert found is not None
    return Header(LogId(table), game, found.version, Raw(options), ANA, store.now(), settings or Settings())


async def opened(host: Host, table: str, game: str, settings: Settings | None = None) -> LogId:
    name = await host.open(header(host.store, table, game, settings))
    assert not isinstance(name, Refused), name
    return name


async def done(host: Host, name: LogId, *commands: Command) -> None:
    """These commands, all of which must take effect."""
    for command in commands:
        answer = await host.submit(name, command)
        assert isinstance(answer, Accepted), (command, answer)


async def begun(host: Host, table: str, game: str, *people: PlayerId, settings: Settings | None = None) -> LogId:
    """A table at which these people sit, and bots on the other seats, with its match begun."""
    name = await opened(host, table, game, settings)
    found = find_game(game)
    assert found is not None
    joining = [Join(player, "join", NOW) for player in people]
    bots = BOTS[: max(0, found.seats[0] - len(people))]
    adding = [AddBot(ANA, f"add {bot}", NOW, bot, PlayerId("random")) for bot in bots]
    await done(host, name, *joining, *adding, Start(ANA, "start", NOW, Seed(f"the seed of {table}")))
    return name


async def played(host: Host, table: str, game: str, settings: Settings | None = None) -> LogId:
    """A table at which bots have played a whole match."""
    name = await begun(host, table, game, settings=settings)
    await until(host, name, Phase.FINISHED)
    return name


async def until(host: Host, name: LogId, *phases: Phase) -> None:
    """Wait, as a spectator, until the table is in one of these phases."""
    line = await host.attach(name, None)
    assert isinstance(line, Line), line
    async for heard in line:
        if isinstance(heard, Status) and decode(heard.body, sight.TableStatus).phase in phases:
            break
    host.detach(line)


async def hear(host: Host, name: LogId, player: PlayerId, *phases: Phase) -> None:
    """Read a player's line and acknowledge all of it, until the table is in one of these phases.

    The status does not say so: it shows no wait that has just begun.
    """
    line = await host.attach(name, player)
    assert isinstance(line, Line), line
    async for heard in line:
        if not isinstance(heard, Status):
            assert await host.acknowledge(name, player, heard.seq) is None
        if line.live.state.phase in phases:
            break
    host.detach(line)
