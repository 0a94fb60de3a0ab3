"""A word to a league manager: that its league may begin, and how far it has got."""

import asyncio
import sys
from typing import NoReturn

import aiohttp
import click

from turnstile.agents.page.scoreboard import Progress, Scoreboard
from turnstile.agents.process.journal import printable
from turnstile.agents.wire.caller import Caller, Unreached
from turnstile.agents.wire.envelope import Identity, new_conversation
from turnstile.agents.wire.replies import Answered
from turnstile.agents.wire.rpc import Fault
from turnstile.cli.league.options import host_of
from turnstile.cli.league.show import Show, glimpse
from turnstile.kernel.values import Malformed, decode, encode
from turnstile.league.manager.machine import LAUNCHER
from turnstile.league.protocol.management import LeagueStatus, StartLeague
from turnstile.league.protocol.words import LEAGUE_MANAGER, LeagueId
from turnstile.net.addresses import THIS_MACHINE, allowing

FAILED = 1
SECONDS = 10.0


def ask_to_start(manager: str, league_id: LeagueId | None, token: str | None) -> None:
    try:
        told = asyncio.run(_told_to_start(manager, league_id, token))
    except Unreached as fault:
        _fail(f"{manager} does not answer: {fault}.")
    if isinstance(told, LeagueStatus):
        if told.status == Progress.COMPLETED:
            _fail(f"The league does not begin: {printable(told.league_id)} is over.")
        click.echo(f"{told.league_id} is {told.status}: round {told.current_round} of {told.total_rounds}.")
    elif isinstance(told, Fault):
        _fail(f"The league does not begin: {_reason(told)}")
    else:
        _fail(f"{manager} answers, but not as a league manager does.")


async def _told_to_start(manager: str, league_id: LeagueId | None, token: str | None) -> Answered:
    async with Caller(allowing(THIS_MACHINE, host_of(manager))) as caller:
        return await caller.call(
            manager,
            StartLeague(league_id=league_id),
            who=Identity(LAUNCHER, token),
            to=LEAGUE_MANAGER,
            conversation=new_conversation(),
            seconds=SECONDS,
        )


def _reason(told: Fault) -> str:
    """The sentence of a LEAGUE_ERROR, where there is one; what others write may be anything."""
    context = told.data.get("context") if isinstance(told.data, dict) else None
    reason = context.get("reason") if isinstance(context, dict) else None
    return printable(reason if isinstance(reason, str) else told.message)


def ask_for_board(manager: str, *, as_json: bool) -> None:
    try:
        board = asyncio.run(_board(manager))
    except (aiohttp.ClientResponseError, Malformed):
        _fail(f"{manager} answers, but not as a league manager does.")
    except (aiohttp.ClientError, TimeoutError):
        _fail(f"{manager} does not answer.")
    now = glimpse(board)
    if as_json:
        click.echo(encode(now))
    else:
        Show(as_json=False).table(now)


async def _board(manager: str) -> Scoreboard:
    url = f"{manager.removesuffix('/mcp')}/board.json"
    timeout = aiohttp.ClientTimeout(total=SECONDS)
    async with aiohttp.ClientSession(timeout=timeout) as session, session.get(url) as answer:
        answer.raise_for_status()
        return decode(await answer.read(), Scoreboard)


def _fail(sentence: str) -> NoReturn:
    click.echo(f"turnstile: {sentence}", err=True)
    sys.exit(FAILED)
