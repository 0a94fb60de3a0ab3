"""`turnstile league run`: a whole league, with a process for each agent or in this process."""

import asyncio
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from turnstile.agents.launch.children import DidNotStart
from turnstile.agents.launch.plan import CannotResume, Plan
from turnstile.agents.page.projection import scoreboard_of
from turnstile.agents.page.scoreboard import Scoreboard
from turnstile.agents.strategies.custom import CustomFunction, refuse_strategy
from turnstile.agents.strategies.strategies import UnknownStrategy, find_function
from turnstile.cli.interrupts import INTERRUPTED
from turnstile.cli.league.show import Show, glimpse
from turnstile.cli.streams import exit_on_closed_pipe, ignore_closed_pipes
from turnstile.durable.files import replaceable, write_whole
from turnstile.kernel.chance import Commitment, Seed, derive, new_seed
from turnstile.league.local.league import Entrant, LocalLeague
from turnstile.league.local.player import Strategy
from turnstile.league.protocol.messages import MatchResultReport
from turnstile.league.protocol.words import MatchId
from turnstile.store.protocol import CannotOpen, InUse
from turnstile.store.sqlite.files import FileLock

if TYPE_CHECKING:
    from turnstile.agents.launch.league_processes import LeagueProcesses

__all__ = ["Plan", "refuse_strategies", "run_in_process", "run_processes"]

WAS_OVER = "This league was over already. To run another one, use another --league or --data."
RESUME = "Stopped. Everything is stored: run the same command again to resume."


def refuse_strategies(strategies: Iterable[str]) -> None:
    """Raise a usage error for a strategy that cannot be used, before anything is started."""
    with _unknown_strategy_as_usage_error():
        for text in dict.fromkeys(strategies):
            refuse_strategy(text)


@contextmanager
def _unknown_strategy_as_usage_error() -> Iterator[None]:
    try:
        yield
    except UnknownStrategy as fault:
        raise click.UsageError(str(fault)) from None


# a process for each agent


def run_processes(plan: Plan, *, as_json: bool) -> None:
    ignore_closed_pipes()
    try:
        with _run_lock(plan), Show(as_json=as_json) as show:
            processes, board, stopped = asyncio.run(_until_over(plan, show))
            show.end()
            if board is not None:
                show.finish(replace(glimpse(board), failing=processes.failing()))
    except BrokenPipeError as fault:
        exit_on_closed_pipe(fault)
    if stopped is not None:
        click.echo(RESUME, err=True)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # everything is done and printed
        raise click.exceptions.Exit(stopped)
    click.echo(f"The report: {plan.report}", err=True)


@contextmanager
def _run_lock(plan: Plan) -> Iterator[None]:
    """Hold the lock of this league, or say which process holds it. A killed run holds no lock."""
    plan.stores.mkdir(parents=True, exist_ok=True, mode=0o700)  # the logs contain tokens and seeds
    try:
        lock = FileLock(plan.stores / "run")
    except InUse as fault:
        raise click.ClickException(f"The league {plan.league_id} is running already: {fault}") from None
    except CannotOpen as fault:
        raise click.ClickException(str(fault)) from None
    try:
        yield
    finally:
        lock.let_go()


async def _until_over(plan: Plan, show: Show) -> tuple["LeagueProcesses", Scoreboard | None, int | None]:
    """Run the league. Returns its processes, the last board, and the exit status if a signal stopped it."""
    from turnstile.agents.launch.league_processes import LeagueProcesses  # only here: it loads an HTTP client

    latest: Scoreboard | None = None
    stopped: int | None = None

    def see(board: Scoreboard) -> None:
        nonlocal latest
        latest = board
        show.update(glimpse(board))

    processes = LeagueProcesses(plan, lambda home: show.say(f"The league can be watched at {home}/"), see)
    running = asyncio.ensure_future(processes.run())

    def stop(status: int) -> None:
        """Stop once: a second signal must not keep the agents from being stopped cleanly."""
        nonlocal stopped
        if stopped is None:
            stopped = status
            running.cancel()

    for number, status in ((signal.SIGINT, INTERRUPTED), (signal.SIGTERM, 0)):
        asyncio.get_running_loop().add_signal_handler(number, stop, status)
    try:
        board = await running
        if processes.was_over:
            show.say(WAS_OVER)
        return processes, board, None
    except asyncio.CancelledError:
        is_early = stopped is None  # Ctrl-C, before the handlers above were there
        return processes, latest, INTERRUPTED if is_early else stopped
    except (DidNotStart, CannotResume) as fault:
        raise click.ClickException(str(fault)) from None


# in this process


def run_in_process(plan: Plan, *, as_json: bool, report_to: Path | None) -> None:
    """Play the league in virtual time. Only the report is written, if there is a file for it."""
    if report_to is not None:
        with _report_faults(report_to):  # find out before anything is played
            folder = replaceable(report_to).parent
            folder.mkdir(parents=True, exist_ok=True)
            TemporaryFile(dir=folder).close()
    seed = Seed(plan.seed) if plan.seed is not None else new_seed()
    custom = _custom_strategies(plan.strategies)
    local = _local_league(plan, seed, custom)
    reports: dict[MatchId, MatchResultReport] = {}
    commitments: dict[MatchId, Commitment] = {}
    is_stopped = False
    with Show(as_json=as_json) as show:
        show.update(glimpse(scoreboard_of(local.manager.state, (), reports)))
        show.begin()
        try:
            for played in local.run():
                if report_to is not None:
                    reports.update((each.match_id, each) for each in played.results)
                    given = zip(played.results, played.commitments, strict=True)
                    commitments.update((each.match_id, word) for each, word in given if word is not None)
                show.update(glimpse(scoreboard_of(local.manager.state, (), reports)))
        except KeyboardInterrupt:
            is_stopped = True
        show.end()
        state = local.manager.state
        failing = tuple(each.failing for each in custom.values() if each.failing is not None)
        show.finish(replace(glimpse(scoreboard_of(state, (), reports)), failing=failing))
    if report_to is not None:
        from turnstile.agents.page.render import render_report  # here, because most runs write no report themselves

        rounds = range(1, state.total_rounds + 1)
        with _report_faults(report_to):
            board = scoreboard_of(state, rounds, reports, commitments=commitments)
            write_whole(report_to, render_report(board).encode())
        click.echo(f"The report: {report_to}", err=True)
    if is_stopped:
        raise click.exceptions.Exit(INTERRUPTED)


@contextmanager
def _report_faults(report: Path) -> Iterator[None]:
    """Turn a fault of the file system into a sentence that names the report."""
    try:
        yield
    except OSError as fault:
        raise click.ClickException(f"The report {report} cannot be written: {fault.strerror}.") from None


def _custom_strategies(strategies: Iterable[str]) -> dict[str, CustomFunction]:
    """The user-supplied strategies. A usage error for one that cannot be called in this process."""
    with _unknown_strategy_as_usage_error():
        custom = [text for text in dict.fromkeys(strategies) if find_function(text, Seed("any")) is None]
        return {text: CustomFunction(text) for text in custom}


def _local_league(plan: Plan, seed: Seed, custom: dict[str, CustomFunction]) -> LocalLeague:
    def strategy(name: str, text: str) -> Strategy:
        return find_function(text, derive(seed, name)) or custom[text]

    return LocalLeague(
        [Entrant(name, strategy(name, text)) for name, text in zip(plan.names, plan.strategies, strict=True)],
        seed,
        referees=plan.referees,
        at_a_time=plan.capacity,
        league_id=plan.league_id,
        game_type=plan.game_type,
        time_scale=plan.time_scale,
    )
