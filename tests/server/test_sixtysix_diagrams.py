"""66 over the network as its sequence diagrams draw it: clients that know nothing else play whole games.

The diagrams are read from `sixtysix_diagrams.md` and followed line by line. Clients look at messages alone, never at
views or offered actions. Every line is checked:

- a batch reaches exactly the clients that the diagram names, with the fields that it names;
- it is in the log before any client has it (`Update state`);
- until the last ack has come, no client is told anything more, and no client may act;
- the log then has all acks, and the next batch follows.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random

import pytest

from tests.agents.loops import current, run, until
from tests.server.diagrams import Acks, Batch, Diagram, Note, Sends, Works, diagrams
from tests.server.servers import Site, site
from tests.server.sixtysix_client import Client
from turnstile.durable.log import Kept, follow, replay
from turnstile.host.logs import TABLES
from turnstile.kernel.chance import Seed
from turnstile.kernel.values import LogId, PlayerId
from turnstile.server import ServerSettings
from turnstile.store.memory import Disk, MemoryStore
from turnstile.store.protocol import Saved, Store
from turnstile.table.machine import Table

DIAGRAMS = diagrams((Path(__file__).parent / "sixtysix_diagrams.md").read_text())
OURS = {"GameState": {"commitment"}, "GameFinished": {"seed"}}
"""Fields that the diagrams do not have: they let players check the deal."""
FAST = ServerSettings(
    port=0,
    operations_port=0,
    dev=True,
    frames_per_second=1e6,
    commands_per_second=1e6,
    requests_per_second=1e6,
)
MOST_DEATHS = 15  # of one client: hellos are limited

Restart = Callable[[], Awaitable[Site]]


# the log, as it is stored


class StoredLog:
    """What the store has of the table, read entry by entry."""

    def __init__(self, store: Store, name: LogId) -> None:
        self._store, self._name = store, name
        self._kept: Kept[Table] | None = None

    async def read(self) -> Table:
        """The table as it is stored now."""
        after = -1 if self._kept is None else self._kept.position
        entries = await self._store.entries(self._name, after)
        if self._kept is None:
            self._kept = replay(TABLES, self._name, Saved(entries[0], None, ()))
            entries = entries[1:]
        if entries:
            self._kept = follow(TABLES, self._name, self._kept, entries)
        return self._kept.state


# a game, followed line by line


class Game:
    """A table of 66 and its clients. `followed` counts the diagrams."""

    def __init__(self, here: Site, table: str, clients: list[Client], chance: Random, death: float = 0.0) -> None:
        self.here, self.table, self.clients = here, LogId(table), clients
        self.chance, self.death = chance, death
        self.log = StoredLog(here.server.host.store, self.table)
        self.followed: Counter[str] = Counter()
        self.deaths = self.batches = 0
        self.restarts: dict[int, Restart] = {}
        """After so many batches the server stops before the last ack, and another one goes on."""
        self._sent = ""

    async def play(self) -> None:
        """From the start of the game to its end."""
        active = self.clients[0]
        await active.guest.command(self.table, "start")
        await until(lambda: all(client.has_begun for client in self.clients))
        while "error" in await active.act({"type": "StartGame"}):  # the last client has not acknowledged the table's
            await asyncio.sleep(0.001)
        self._sent = "StartGame"
        diagram: Diagram | None = self._diagrams("Phase A")[0]
        while diagram is not None:
            diagram, active = await self._follow(diagram, active)

    def _diagrams(self, phase: str) -> list[Diagram]:
        return [diagram for diagram in DIAGRAMS if diagram.phase.startswith(phase)]

    async def _follow(self, diagram: Diagram, active: Client) -> tuple[Diagram | None, Client]:
        """Follow one diagram, line by line. What comes next, and who is then active."""
        self.followed[diagram.title] += 1
        cast = self._cast(diagram, active)
        seqs: dict[Client, int] = {}
        note = ""
        for step in diagram.steps:
            match step:
                case Sends():
                    await self._send(step, cast)
                case Works():
                    pass  # that it is in the log is checked with the batch that tells it
                case Batch():
                    seqs = await self._receive(step, cast)
                case Acks():
                    order = [cast[name] for name in step.clients if name in cast]
                    await self._acknowledge(order, seqs, is_gate=note == "Wait for all acks")
                    note = ""
                case Note():
                    note = step.text
        return await self._proceed(note, active)

    def _cast(self, diagram: Diagram, active: Client) -> dict[str, Client]:
        """Client 2 is the active one, except where a round starts: there it is the sender, client 1."""
        others = [client for client in self.clients if client is not active]
        names = ("C2", "C3") if diagram.phase.startswith("Phase A") else ("C1", "C3")
        leading = "C1" if diagram.phase.startswith("Phase A") else "C2"
        return {leading: active, **dict(zip(names, others, strict=False))}

    # its lines

    async def _send(self, step: Sends, cast: dict[str, Client]) -> None:
        if self._sent in step.names:
            self._sent = ""
            return
        (name,), client = step.names, cast[step.client]
        told = await self._told()
        answer = await client.act({"type": name, **client.arguments(name, step.fields)})
        assert "error" not in answer, (name, answer)
        if name == "StartNextRound":
            self._sent = name
        stored = await self.log.read()
        assert sum(stored.told.values()) > sum(told.values()), "accepted is stored"

    async def _receive(self, step: Batch, cast: dict[str, Client]) -> dict[Client, int]:
        """Every client that the line names is told it, and no other. It was stored before."""
        seqs = {}
        for name, (type_, fields) in step.told.items():
            if name not in cast:
                continue
            client = cast[name]
            seq, message = await client.next_message()
            stored = await self.log.read()
            assert stored.told[PlayerId(client.guest.player)] >= seq, "it is persisted, then told"
            assert message["type"] == type_, (message, step)
            assert set(message) - OURS.get(type_, set()) == {"type", *fields}
            client.learn(message)
            seqs[client] = seq
        assert all(not client.inbox for client in self.clients), "nothing else is told before the acks"
        self.batches += 1
        return seqs

    async def _acknowledge(self, order: list[Client], seqs: dict[Client, int], *, is_gate: bool) -> None:
        """The acks come one by one. Until the last one is here, nothing moves."""
        told = await self._told()
        *first, last = order
        for client in first:
            await self._perhaps_die(client)
            await client.ack(seqs[client])
            if is_gate:
                await self._refused_to_all()
                assert await self._told() == told, "the next batch waits for every ack"
                assert all(not each.inbox for each in self.clients)
        if restart := self.restarts.pop(self.batches, None):
            await self._go_on_elsewhere(restart, last)
        await self._perhaps_die(last)
        await last.ack(seqs[last])

    async def _refused_to_all(self) -> None:
        """No client may act while acks are missing."""
        for client in self.clients:
            answer = await client.act({"type": "TakeCardFromDeck"})
            assert answer["error"]["code"] == "AcksMissing", answer

    async def _told(self) -> dict[PlayerId, int]:
        """How many updates every client was told, as it is stored."""
        return dict((await self.log.read()).told)

    async def _perhaps_die(self, client: Client) -> None:
        """A client that dies before its ack, and comes back with or without its memory, is told the same again."""
        if self.chance.random() >= self.death or client.deaths == MOST_DEATHS:
            return
        self.deaths += 1
        before = client.newest
        await client.die()
        await client.connect(self.chance.choice([None, client.acked]))
        assert await client.next_message() == before

    async def _go_on_elsewhere(self, restart: Restart, missing: Client) -> None:
        """All clients connect to another server. The one whose ack is missing is told the same again."""
        here, before = await restart(), missing.newest
        self.log = StoredLog(here.server.host.store, self.table)
        for client in self.clients:
            client.guest.site = here
            await client.connect(client.acked)
        assert await missing.next_message() == before

    # from one diagram to the next

    async def _proceed(self, text: str, active: Client) -> tuple[Diagram | None, Client]:
        if "Proceed to phase" in text:
            return self._chosen(text.removeprefix("Proceed to phase ")[0], active), active
        if self._sent == "StartNextRound":
            return self._diagrams("Phase A")[0], active
        if not text.startswith("Proceed"):
            return None, active
        await until(lambda: any(client.inbox for client in self.clients))
        first = next(client for client in self.clients if client.inbox)
        message = first.inbox[0][1]
        if message["type"] == "NextTurn":
            return self._diagrams("Phase B")[0], self._at(message["playerIndex"])
        if message["type"] == "RoundFinished":
            return self._titled("Round is finished"), self._at(message["nextPlayerIndex"])
        assert message["type"] == "GameFinished", message
        return self._titled("Game is finished"), active

    def _at(self, seat: int) -> Client:
        return next(client for client in self.clients if client.seat == seat)

    def _titled(self, start: str) -> Diagram:
        return next(diagram for diagram in DIAGRAMS if diagram.title.startswith(start))

    def _chosen(self, phase: str, active: Client) -> Diagram:
        """The diagram of what the active client chooses to do."""
        offered = self._diagrams(f"Phase {phase}")
        names = [send.names[0] for diagram in offered if (send := diagram.first_send)]
        name = active.choose(names)
        found = [diagram for diagram in offered if (send := diagram.first_send) and send.names == (name,)]
        if name == "Discard":
            return next(diagram for diagram in found if self._is_for(diagram, active.drawn))
        if name == "ShowCards":
            return next(each for each in found if each.title.endswith("succeed" if active.has_pair else "fail"))
        (only,) = found
        return only

    @staticmethod
    def _is_for(diagram: Diagram, value: int) -> bool:
        """Whether a diagram is drawn for the discard of this value: `(7 or 8)`, or `(simple)`."""
        return (
            f"({value} or" in diagram.title
            or f"or {value})" in diagram.title
            or ("(simple)" in diagram.title and not 7 <= value <= 12)
        )


async def seated(here: Site, players: int, seed: str, death: float = 0.0) -> Game:
    """A table with so many clients, all of them connected."""
    guests = [await here.register(f"Client {number}") for number in range(1, players + 1)]
    table = await here.table(*guests, game="66")
    chance = Random(seed)
    clients = [Client(guest, table, chance) for guest in guests]
    for client in clients:
        await client.connect()
    return Game(here, table, clients, chance, death)


@pytest.fixture
def deal(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes the server draw a known seed."""
    return lambda seed: monkeypatch.setattr("turnstile.server.commands.new_seed", lambda: Seed(seed))


def play(players: int, seed: str, death: float = 0.0) -> Game:
    """A whole game."""

    async def main() -> Game:
        async with site(FAST) as here:
            game = await seated(here, players, seed, death)
            await game.play()
            return game

    return run(main())


def test_there_are_sixteen_diagrams_and_all_of_them_are_read() -> None:
    assert len(DIAGRAMS) == 16
    assert len({diagram.title for diagram in DIAGRAMS}) == 16
    lines = sum(len(step.told) for diagram in DIAGRAMS for step in diagram.batches)
    assert lines == (Path(__file__).parent / "sixtysix_diagrams.md").read_text().count("S->>C")


def test_three_clients_follow_every_diagram(deal: Callable[[str], None]) -> None:
    followed: Counter[str] = Counter()
    for number in range(3):
        deal(f"diagrams {number}")
        followed += play(3, f"diagrams {number}").followed
    assert set(followed) == {diagram.title for diagram in DIAGRAMS}


def test_a_server_that_does_not_wait_for_acks_is_noticed(
    deal: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    deal("impatient")
    monkeypatch.setattr("turnstile.table.news.Telling.is_awaited", False)
    with pytest.raises(ExceptionGroup) as caught:
        play(3, "impatient")
    assert caught.value.subgroup(lambda fault: "before the acks" in str(fault)) is not None


@pytest.mark.parametrize("players", [2, 3])
def test_a_client_that_dies_between_two_acks_gets_the_same_batch_again(
    players: int, deal: Callable[[str], None]
) -> None:
    deal("deaths")
    game = play(players, "deaths", death=0.1)
    assert game.deaths > 10


def test_the_server_that_stops_between_two_acks_tells_the_same_batch_again(deal: Callable[[str], None]) -> None:
    deal("restarts")

    async def main() -> None:
        loop = current()
        disk = Disk()
        async with AsyncExitStack() as stack:

            async def start() -> Site:
                await stack.aclose()
                store = MemoryStore(lambda: round(loop.time() * 1000), disk)
                return await stack.enter_async_context(site(FAST, store))

            game = await seated(await start(), 3, "restarts")
            game.restarts = dict.fromkeys((1, 3, 8, 21, 34), start)
            await game.play()
            assert not game.restarts

    run(main())
