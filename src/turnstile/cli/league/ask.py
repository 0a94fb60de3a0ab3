"""Asks a league manager to start its league, or for its progress."""

import asyncio

import aiohttp
import click

from turnstile.agents.page.scoreboard import Progress, Scoreboard
from turnstile.agents.process.journal import printable
from turnstile.agents.wire.caller import Caller, Unreached
from turnstile.agents.wire.envelope import Identity, new_conversation
from turnstile.agents.wire.replies import Answered
from turnstile.agents.wire.rpc import Fault
from turnstile.cli.errors import Failed
from turnstile.cli.league.options import host_of
from turnstile.cli.league.show import Show, glimpse
from turnstile.kernel.values import Malformed, decode, encode
from turnstile.league.manager.machine import LAUNCHER
from turnstile.league.protocol.management import LeagueStatus, StartLeague
from turnstile.league.protocol.words import LEAGUE_MANAGER, LeagueId
from turnstile.net.addresses import THIS_MACHINE, allowing

SECONDS = 10.0
CHECK_MANAGER = " Start a manager with 'turnstile league manager', or give its URL with --manager."
NOT_A_MANAGER = "answers, but not like a league manager. Check the URL given with --manager."


def ask_to_start(manager: str, league_id: LeagueId | None, token: str | None) -> None:
    try:
        answer = asyncio.run(_call_start(manager, league_id, token))
    except Unreached as fault:
        raise Failed(f"{manager} does not answer: {fault}.{CHECK_MANAGER}") from None
    if isinstance(answer, Fault):
        raise Failed(f"The league does not start: {_reason(answer)}")
    if not isinstance(answer, LeagueStatus):
        raise Failed(f"{manager} {NOT_A_MANAGER}")
    if answer.status == Progress.COMPLETED:
        raise Failed(f"The league does not start: {printable(answer.league_id)} is over.")
    league, status = printable(answer.league_id), printable(answer.status)
    click.echo(f"{league} is {status}: round {answer.current_round} of {answer.total_rounds}.")


async def _call_start(manager: str, league_id: LeagueId | None, token: str | None) -> Answered:
    async with Caller(allowing(THIS_MACHINE, host_of(manager))) as caller:
        return await caller.call(
            manager,
            StartLeague(league_id=league_id),
            who=Identity(LAUNCHER, token),
            to=LEAGUE_MANAGER,
            conversation=new_conversation(),
            seconds=SECONDS,
        )


def _reason(fault: Fault) -> str:
    """The reason in a LEAGUE_ERROR, or else the message of the fault. A manager of others may send anything."""
    context = fault.data.get("context") if isinstance(fault.data, dict) else None
    reason = context.get("reason") if isinstance(context, dict) else None
    return printable(reason if isinstance(reason, str) else fault.message)


def ask_for_board(manager: str, *, as_json: bool) -> None:
    try:
        board = asyncio.run(_fetch_board(manager))
    except (aiohttp.ClientResponseError, Malformed):
        raise Failed(f"{manager} {NOT_A_MANAGER}") from None
    except (aiohttp.ClientError, TimeoutError):
        raise Failed(f"{manager} does not answer.{CHECK_MANAGER}") from None
    now = glimpse(board)
    if as_json:
        click.echo(encode(now))
    else:
        Show(as_json=False).table(now)


async def _fetch_board(manager: str) -> Scoreboard:
    url = f"{manager.removesuffix('/mcp')}/board.json"
    timeout = aiohttp.ClientTimeout(total=SECONDS)
    async with aiohttp.ClientSession(timeout=timeout) as session, session.get(url) as answer:
        answer.raise_for_status()
        return decode(await answer.read(), Scoreboard)
