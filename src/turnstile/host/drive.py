"""The work that a server does for a table: moves of bots, acknowledgements of bots, the table after a rematch.

Bots act through the same door as everyone: they are given a view and the actions, and send a command.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import TYPE_CHECKING

from msgspec import Raw
from msgspec.structs import replace

from turnstile.bots import bots_of, random_bot
from turnstile.host.answers import Code, Refused, is_passing
from turnstile.host.turns import Turns
from turnstile.kernel.game import AnyGame
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import Instant, LogId, Move, PlayerId, encode
from turnstile.table.machine import Table
from turnstile.table.play import game_of
from turnstile.table.sight import bot_of, bots_to_move, needs_server
from turnstile.table.values import Act, Phase, RematchFailed, Succeeded

if TYPE_CHECKING:
    from turnstile.host.host import Host
    from turnstile.host.live import Live

log = logging.getLogger("turnstile.host")

Think = Callable[[Callable[[], Move]], Awaitable[Move]]
"""Runs the choice of a bot where no other table has to wait for it."""

PrepareRematch = Callable[[LogId, LogId], Awaitable[None]]
"""Called with a table and the one after it, before that is opened. It may be called several times."""

MOST_THINKERS = 2
"""Bots that think at once. More would not be faster, and would keep the event loop waiting for longer."""

MOST_THINKERS_EACH = 1
"""Of the tables that one player has opened. Two would not be faster either: only one of them runs at a time."""

THINKERS = ThreadPoolExecutor(MOST_THINKERS, thread_name_prefix="bot")

NO_TIME_YET = Instant(0)  # the host puts in when a command came


def new_turns() -> Turns:
    """The order in which the bots of a host think."""
    return Turns(MOST_THINKERS, MOST_THINKERS_EACH)


async def prepare_nothing(table: LogId, successor: LogId) -> None:
    """Nothing is to be done before a rematch."""


async def in_a_thread(choose: Callable[[], Move]) -> Move:
    return await asyncio.get_running_loop().run_in_executor(THINKERS, choose)


async def drive(host: "Host", live: "Live") -> None:
    """Do what the table needs until it waits for a player, it is let go, or an attempt changes nothing."""
    before = None
    while _is_kept(host, live) and needs_server(live.state) and live.state is not before:
        before = live.state
        if before.phase is Phase.REMATCHED:
            await _open_successor(host, live)
        elif before.phase is Phase.PLAYING:
            await _move(host, live, bots_to_move(before)[0])
        else:
            await host.pass_gate(live.name)


def _is_kept(host: "Host", live: "Live") -> bool:
    """Whether this is the table as the host has it, and not one that was forgotten meanwhile."""
    return not host.is_stopping and host.tables.live.get(live.name) is live


async def _move(host: "Host", live: "Live", player: PlayerId) -> None:
    """Make a bot's move for the state it was chosen in. Its random id cannot be guessed.

    The bots of all tables that one player has opened take turns with those of the others.
    """
    state = live.state
    game, name, seen = game_of(state), bot_of(state, player), state.told[player]
    assert name is not None, "it is a bot that is to move"
    try:
        async with host.turns.of(state.header.admin):
            if live.state is not state or not _is_kept(host, live):
                return  # the match has gone on meanwhile, or the host stops
            move = await host.think(lambda: chosen(game, name, state, player, host.chance))
    except Exception as bug:
        await host.fail(live, bug)
        return
    command = Act(player, f"bot {host.chance.getrandbits(128):032x}", NO_TIME_YET, Raw(encode(move)), seen)
    await host.move(live.name, command)


def chosen(game: AnyGame, name: str, state: Table, player: PlayerId, chance: Random) -> Move:
    """The choice of a bot, made from its player's view. If it fails or is not offered, a random one counts."""
    view, actions = game.view(state.match, player), game.actions(state.match, player)
    bot = bots_of(game).get(name, random_bot)
    try:
        move = bot(view, actions, chance)
    except Exception:
        log.exception("Table %s: the bot %s failed", state.header.table, name)
        return random_bot(view, actions, chance)
    if move not in actions:
        log.error("Table %s: the bot %s chose what it was not offered", state.header.table, name)
        return random_bot(view, actions, chance)
    return move


async def _open_successor(host: "Host", live: "Live") -> None:
    """Open the table after a rematch, with the same players from the first. It may be tried several times.

    If the table is refused for good, there is no rematch.
    """
    state = live.state
    assert state.successor is not None, "a rematch was agreed on"
    seats = tuple(replace(seat, is_away=False) for seat in state.seats)
    await host.prepare_rematch(live.name, state.successor)
    answer = await host.open(replace(state.header, table=state.successor, at=state.now, seats=seats))
    if not isinstance(answer, Refused):
        await host.notice(live.name, Succeeded)
    elif not is_passing(answer):
        log.error("Table %s has no rematch: %s", live.name, answer.error.sentence)
        await host.notice(live.name, RematchFailed)


def refuse_bot(game: AnyGame, name: str) -> Rejection | None:
    """Why no such bot can take a seat."""
    known: Sequence[str] = tuple(bots_of(game))
    if name in known:
        return None
    return Rejection(Code.UNKNOWN_BOT, f"{game.title} has no bot {name}; there are: {', '.join(known)}.")
