"""The answer to a player's command. A command that is repeated gets its first answer again."""

from msgspec.structs import replace

from turnstile.durable.keeper import CommandTaken
from turnstile.host.answers import Answer, Code, Refused
from turnstile.host.drive import refuse_bot
from turnstile.host.live import Live
from turnstile.host.logs import TABLES, canonical, command_of, part_of_sender
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import decode
from turnstile.registry import find_game
from turnstile.store.protocol import Store
from turnstile.table.machine import Table
from turnstile.table.values import Accepted, AddBot, Command, Return

ID_REUSED = Rejection(Code.ID_REUSED, "This id was used for another command; take a new one.")


async def answer_command(live: Live, command: Command, store: Store) -> Answer:
    """Let a command happen at a table, and answer it. A player who was away is back by sending one."""
    if live.is_away(command.player):
        await live.take(lambda now: Return(now, command.player))
    command = canonical(live.state, command)
    try:
        refused = _refuse(live.state, command) or await live.take(lambda now: replace(command, at=now))
    except CommandTaken:
        refused = ID_REUSED
    seq = live.state.told.get(command.player, 0)
    if refused is None:
        return Accepted(seq)
    before = await store.find(live.name, command_of(command))
    if before is None:
        return Refused(refused, seq)
    if before.answer is None or part_of_sender(TABLES.read_event(live.name, before)) != part_of_sender(command):
        return Refused(ID_REUSED, seq)
    return decode(before.answer, Accepted)


def _refuse(state: Table, command: Command) -> Rejection | None:
    """Refuse an unknown bot: only the host knows which bots exist."""
    game = find_game(state.header.game)
    return refuse_bot(game, command.bot) if game and isinstance(command, AddBot) else None
