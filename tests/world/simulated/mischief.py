"""What bad players try: other people's seats, old commands, futures, garbage. None of it may have an effect."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Raw
from msgspec.structs import replace

from tests.world.simulated.client import NOW, Player
from turnstile.kernel.chance import Seed
from turnstile.kernel.values import LogId, PlayerId
from turnstile.table.values import Act, AddBot, Close, Command, Join, Start

if TYPE_CHECKING:
    from tests.world.world import World

FAR = 1_000  # updates that no match here ever has


async def be_bad(world: "World", player: Player) -> None:
    """Try something now and then, as long as the storm lasts."""
    while world.is_stormy and not player.is_done:
        await world.pause(world.people.random())
        if world.people.random() < player.manners.replays and player.sent:
            _replay(world, player)
        if world.people.random() < player.manners.spoofs:
            _spoof(world, player)


def _replay(world: "World", player: Player) -> None:
    """An old command once more: as it was, or with other content under the same id."""
    command = world.people.choice(player.sent)
    if world.people.random() < 0.5 and isinstance(command, Act):
        command = replace(command, seen=(command.seen or 0) + FAR)
    world.mail.send(player.name, player.plan.name, command, lambda _: None)


def _spoof(world: "World", player: Player) -> None:
    trick = world.people.randrange(4)
    if trick == 0:
        world.mail.acknowledge(player, world.any_process(), player.have + FAR)
    elif trick == 1:
        player.connect(player.have + FAR)
    else:
        table = player.plan.name if trick == 2 else LogId("elsewhere")
        command = world.people.choice(TRICKS)(player)
        world.forbidden.add((table, command.player, command.id))
        world.mail.send(player.name, table, command, lambda _: None)


def _act(player: Player, move: bytes, seen: int | None) -> Command:
    assert player.player is not None
    return Act(player.player, player.new_id(), NOW, Raw(move), seen)


def _other_seat(player: Player) -> Command:
    """A move that is offered to it, in the name of another."""
    others = [name for name in (*player.plan.people, *player.plan.bots) if name != player.player]
    moves = player.newest.actions if player.newest else []
    mine = bytes(moves[0]) if moves else b'{"type":"Pick","player":"%s","card":"C"}' % str(player.player).encode()
    theirs = mine.replace(b'"%s"' % str(player.player).encode(), b'"%s"' % others[0].encode())
    return _act(player, theirs, player.have)


def _stranger(player: Player) -> Command:
    return Act(PlayerId("mallory"), player.new_id(), NOW, _offered(player), None)


def _offered(player: Player) -> Raw:
    """Something the player may do, if there is anything."""
    return player.newest.actions[0] if player.newest and player.newest.actions else Raw(b"{}")


def _start(player: Player) -> Command:
    return Start(PlayerId("mallory"), player.new_id(), NOW, Seed("mine"))


TRICKS: tuple[Callable[[Player], Command], ...] = (
    _other_seat,
    _stranger,
    _start,
    lambda player: _act(player, b"garbage", player.have),
    lambda player: _act(player, b'{"type":"Start","seed":"1"}', player.have),
    lambda player: _act(player, b"{}", -1),
    lambda player: _act(player, bytes(_offered(player)), player.have + FAR),
    lambda player: Join(player.player or PlayerId("x"), player.new_id(), NOW),
    lambda player: Close(PlayerId("mallory"), player.new_id(), NOW),
    lambda player: AddBot(PlayerId("mallory"), player.new_id(), NOW, PlayerId("robot"), PlayerId("random")),
)
