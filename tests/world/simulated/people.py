"""Everyone at one table: the admin opens it and seats the bots, the others join, all play, some look on."""

import asyncio
from typing import TYPE_CHECKING, Any

from tests.world.plan import TablePlan
from tests.world.simulated.client import NOW, Player, Reader
from tests.world.simulated.mischief import be_bad
from turnstile.host import Host, Refused
from turnstile.kernel.chance import Seed
from turnstile.table.values import Accepted, AddBot, Command, Join, Phase, Start

if TYPE_CHECKING:
    from tests.world.world import World


class TablePeople:
    """The people of one table, and the order in which they come."""

    def __init__(self, world: "World", plan: TablePlan) -> None:
        self.world = world
        self.plan = plan
        self.players = [Player(world, plan, player, plan.manners[player]) for player in plan.people]
        self.spectators = [Reader(world, plan, f"spectator {n}@{plan.name}") for n in range(plan.spectators)]
        world.readers += [*self.players, *self.spectators]

    async def meet(self) -> None:
        """The whole evening, until the table is done and everyone has left."""
        await self._open()
        for player in self.players:
            assert player.player is not None
            await self._insist(player, Join(player.player, player.new_id(), NOW))
        admin = self.players[0]
        assert admin.player is not None
        for name in self.plan.bots:
            await self._insist(admin, AddBot(admin.player, admin.new_id(), NOW, name, "random"))  # type: ignore[arg-type]
        await self._insist(admin, Start(admin.player, admin.new_id(), NOW, Seed(f"{self.world.seed} {self.plan.name}")))
        await self._play()

    async def _insist(self, player: Player, command: Command) -> None:
        answer = await player.ask(command)
        if not isinstance(answer, Accepted):
            self.world.fail("seating", f"{player.name}: {command} is refused: {answer}")

    async def _open(self) -> None:
        """Ask for the table until it is there."""
        world, header = self.world, self.plan.header
        is_open = asyncio.Event()

        def answered(answer: Any) -> None:
            world.trace("open", header.table, answer)
            if isinstance(answer, Refused):
                world.mail.refused("admin", "open", answer)
            else:
                if header.table not in world.audits:
                    world.fail("durable", f"{header.table} was opened and is not there")
                is_open.set()

        def arrive(place: int) -> None:
            if (process := world.processes[place]) is not None:
                process.serve(call, answered, None)

        async def call(host: Host) -> Any:
            return await host.open(header)

        while not is_open.is_set():
            place = world.faults.randrange(len(world.processes))
            for delay in world.fates():
                world.elsewhere(delay, arrive, place)
            try:
                await asyncio.wait_for(is_open.wait(), 0.5)
            except TimeoutError:
                continue

    async def _play(self) -> None:
        world = self.world
        side = [work for reader in (*self.players, *self.spectators) for work in _lives(world, reader)]
        helpers = [world.loop.create_task(work) for work in side]
        playing = [world.loop.create_task(player.play()) for player in self.players]
        await asyncio.gather(*playing)
        await self._see_it_end()
        for reader in (*self.players, *self.spectators):
            reader.leave()
        await asyncio.gather(*helpers)

    async def _see_it_end(self) -> None:
        """Those who stayed have seen the whole match; those who left have left it to others."""
        audit = self.world.audits[self.plan.name]
        while audit.state.result is None or audit.state.phase is Phase.REMATCHED or not self._all_have_everything():
            await self.world.pause(0.5)
        if audit.state.agreed and audit.state.phase is Phase.CLOSED:
            self._check_successor()

    def _all_have_everything(self) -> bool:
        """Whether everyone who still listens has its stream to the end."""
        audit = self.world.audits[self.plan.name]
        spectators = self.spectators if self.plan.header.settings.spectators else []
        readers = [*self.players, *spectators]
        return all(reader.is_done or reader.have == len(audit.streams[reader.player]) for reader in readers)

    def _check_successor(self) -> None:
        """All have agreed to a rematch, and nothing in this world refuses a table for good: it is there."""
        audit = self.world.audits[self.plan.name]
        after = None if audit.state.successor is None else self.world.audits.get(audit.state.successor)
        if after is None:
            self.world.fail("rematch", f"{self.plan.name} is closed for a rematch whose table is not there")
            return
        seats = [(seat.player, seat.kind, seat.bot) for seat in audit.state.seats]
        if [(seat.player, seat.kind, seat.bot) for seat in after.state.seats] != seats:
            self.world.fail("rematch", f"{after.name} seats {after.state.seats}, not {seats}")
        self.world.reach("rematch")


def _lives(world: "World", reader: Reader) -> list[Any]:
    lives: list[Any] = [reader.stay_connected()]
    if isinstance(reader, Player):
        lives += [reader.keep_acknowledging(), be_bad(world, reader)]
        if reader.manners.gone_after is not None:
            lives.append(_go(world, reader, reader.manners.gone_after))
    return lives


async def _go(world: "World", player: Player, seconds: float) -> None:
    await world.pause(seconds)
    world.trace(player.name, "is gone for good")
    player.leave()
