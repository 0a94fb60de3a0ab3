"""`turnstile league run`: a whole league at once, of processes or within one."""

import asyncio
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

import click
from msgspec.structs import replace

from turnstile.agents.launch.children import DidNotStart
from turnstile.agents.launch.league_processes import CannotGoOn, LeagueProcesses, Plan
from turnstile.agents.page.projection import scoreboard_of
from turnstile.agents.page.scoreboard import Scoreboard
from turnstile.agents.process.files import write_whole
from turnstile.agents.strategies.custom import Called, refuse_strategy
from turnstile.agents.strategies.strategies import UnknownStrategy, find_function
from turnstile.cli.arguments import INTERRUPTED
from turnstile.cli.league.show import Show, glimpse
from turnstile.cli.streams import die_of_pipe, outlive_pipes
from turnstile.kernel.chance import Commitment, Seed, derive, new_seed
from turnstile.league.local.league import Entrant, LocalLeague
from turnstile.league.local.player import Strategy
from turnstile.league.protocol.messages import MatchResultReport
from turnstile.league.protocol.words import MatchId
from turnstile.store.protocol import CannotOpen, InUse
from turnstile.store.sqlite.files import FileLock

__all__ = ["Plan", "refuse_strategies", "run_in_process", "run_processes"]

WAS_OVER = "This league was over already. For another one give another --league or --data."
GO_ON = "Stopped. Everything is kept: the same command goes on where it was."


def refuse_strategies(strategies: Iterable[str]) -> None:
    """A usage error for a strategy that cannot be asked, before anything is started."""
    for text in dict.fromkeys(strategies):
        try:
            refuse_strategy(text)
        except UnknownStrategy as fault:
            raise click.UsageError(str(fault)) from None


# of processes


def run_processes(plan: Plan, *, as_json: bool) -> None:
    outlive_pipes()
    try:
        with _alone(plan), Show(as_json=as_json) as show:
            processes, board, stopped = asyncio.run(_until_over(plan, show))
            show.end()
            if board is not None:
                show.finish(replace(glimpse(board), failing=processes.failing()))
    except BrokenPipeError as fault:
        die_of_pipe(fault)
    if stopped is not None:
        click.echo(GO_ON, err=True)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done, and said: there is nothing left to interrupt
        sys.exit(stopped)
    click.echo(f"The report: {plan.report}", err=True)


@contextmanager
def _alone(plan: Plan) -> Iterator[None]:
    """Whoever else runs this league is named at once. A run that was killed runs nothing; its agents are leaving."""
    plan.stores.mkdir(parents=True, exist_ok=True, mode=0o700)  # logs have tokens and seeds in them
    try:
        held = FileLock(plan.stores / "run")
    except InUse as fault:
        raise click.ClickException(f"The league {plan.league_id} is being run: {fault}") from None
    except CannotOpen as fault:
        raise click.ClickException(str(fault)) from None
    try:
        yield
    finally:
        held.let_go()


async def _until_over(plan: Plan, show: Show) -> tuple[LeagueProcesses, Scoreboard | None, int | None]:
    """Who has played, the last board, and the status to exit with where somebody has stopped the league."""
    latest: Scoreboard | None = None
    stopped: int | None = None

    def see(board: Scoreboard) -> None:
        nonlocal latest
        latest = board
        show.update(glimpse(board))

    processes = LeagueProcesses(plan, lambda home: show.say(f"The league can be watched at {home}/"), see)
    running = asyncio.ensure_future(processes.run())

    def stop(status: int) -> None:
        """Once: who is impatient does not keep the agents from being ended in order."""
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
        return processes, latest, stopped
    except (DidNotStart, CannotGoOn) as fault:
        raise click.ClickException(str(fault)) from None


# within one process


def run_in_process(plan: Plan, *, as_json: bool, report_to: Path | None) -> None:
    """Play the league in virtual time. Only its report is written, if that is wanted."""
    if report_to is not None:
        with _naming(report_to):  # before anything is played
            report_to.parent.mkdir(parents=True, exist_ok=True)
            TemporaryFile(dir=report_to.parent).close()
    seed = Seed(plan.seed) if plan.seed is not None else new_seed()
    own = _called(plan.strategies)
    local = _local(plan, seed, own)
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
        failing = tuple(each.failing for each in own.values() if each.failing is not None)
        show.finish(replace(glimpse(scoreboard_of(state, (), reports)), failing=failing))
    if report_to is not None:
        from turnstile.agents.page.render import render_report  # here, because most runs write no report themselves

        rounds = range(1, state.total_rounds + 1)
        with _naming(report_to):
            board = scoreboard_of(state, rounds, reports, commitments=commitments)
            write_whole(report_to, render_report(board).encode())
        click.echo(f"The report: {report_to}", err=True)
    if is_stopped:
        sys.exit(INTERRUPTED)


@contextmanager
def _naming(report: Path) -> Iterator[None]:
    """What cannot be written is the report, wherever it was tried."""
    try:
        yield
    except OSError as fault:
        raise click.ClickException(f"The report {report} cannot be written: {fault.strerror}.") from None


def _called(strategies: Iterable[str]) -> dict[str, Called]:
    """Those that are somebody's own. A usage error for what cannot be asked within this process."""
    try:
        return {text: Called(text) for text in dict.fromkeys(strategies) if find_function(text, Seed("any")) is None}
    except UnknownStrategy as fault:
        raise click.UsageError(str(fault)) from None


def _local(plan: Plan, seed: Seed, own: dict[str, Called]) -> LocalLeague:
    def strategy(name: str, text: str) -> Strategy:
        return find_function(text, derive(seed, name)) or own[text]

    return LocalLeague(
        [Entrant(name, strategy(name, text)) for name, text in zip(plan.names, plan.strategies, strict=True)],
        seed,
        referees=plan.referees,
        at_a_time=plan.capacity,
        league_id=plan.league_id,
        game_type=plan.game_type,
        time_scale=plan.time_scale,
    )
