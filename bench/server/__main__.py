"""`python -m bench.server`: many tables on a real server, over real WebSockets."""

import asyncio
import sys
from collections.abc import Iterator

import click
import msgspec
import uvloop
from rich.console import Console

from bench.server import boardgame
from bench.server.figures import Figures, show
from bench.server.run import Plan, run
from turnstile.registry import names

TABLES = (1, 50, 200, 500, 1000)
STORES = ("sqlite", "postgresql")


@click.command()
@click.option("--tables", type=int, multiple=True, help=f"How many tables; may be repeated. Default: {TABLES}.")
@click.option("--players", type=click.IntRange(2, 4), default=2, show_default=True, help="Players at each table.")
@click.option("--game", type=click.Choice(names()), default="e-card", show_default=True)
@click.option("--store", type=click.Choice(STORES), multiple=True, help="Default: both.")
@click.option("--processes", type=click.IntRange(1), multiple=True, help="Of PostgreSQL. Default: 1, 2 and 3.")
@click.option("--seconds", type=float, default=10.0, show_default=True, help="How long each run is measured.")
@click.option("--rate", type=float, default=0.0, help="Moves a second, all tables together. Default: as many as go.")
@click.option("--abuser", type=float, default=0.0, help="A client that sends so many messages a second.")
@click.option("--watchers", type=int, default=0, help="So many spectators that hardly read.")
@click.option("--check", "most_checked", type=int, default=200, show_default=True, help="Tables to check, at most.")
@click.option(
    "--boardgame/--no-boardgame", "is_beside", default=True, help="Run boardgame.io beside it, where node is there."
)
@click.option("--json", "is_json", is_flag=True, help="Print JSON instead of a table.")
def main(
    tables: tuple[int, ...],
    players: int,
    game: str,
    store: tuple[str, ...],
    processes: tuple[int, ...],
    seconds: float,
    rate: float,
    abuser: float,
    watchers: int,
    most_checked: int,
    is_beside: bool,
    is_json: bool,
) -> None:
    """Play random moves at many tables of a server, and show what that costs.

    The server runs on one core, its clients on the other. Every run ends with a check of what the clients saw against
    the log: a run that lost, doubled or invented something ends with an error instead of figures.

    \b
    python -m bench.server                                       all of it
    python -m bench.server --store sqlite --tables 200
    python -m bench.server --store sqlite --tables 500 --rate 1500
    python -m bench.server --store sqlite --tables 200 --rate 500 --abuser 1000 --watchers 200
    """
    base = Plan(game=game, players=players, seconds=seconds, rate=rate, most_checked=most_checked)
    plans = list(_plans(base, tables or TABLES, store or STORES, processes or (1, 2, 3)))
    if abuser or watchers:
        plans = [each for plan in plans for each in (plan, _disturbed(plan, abuser, watchers))]
    results = [_measured(plan, uvloop.run(run(plan))) for plan in plans]
    if is_beside and game == "e-card" and players == 2:
        results += _boardgame(base, tables or TABLES)
    if is_json:
        click.echo(msgspec.json.format(msgspec.json.encode(results)).decode())
    else:
        show(results, Console(width=200))


def _measured(plan: Plan, figures: Figures) -> Figures:
    if sys.stderr.isatty():
        click.echo(f"{figures.contestant} x {plan.processes}, {plan.tables} tables: done", err=True)
    return figures


def _boardgame(base: Plan, tables: tuple[int, ...]) -> list[Figures]:
    """E-Card in boardgame.io, or a sentence that says why not."""
    plans = [msgspec.structs.replace(base, tables=number) for number in tables]
    try:
        return [
            _measured(plan, asyncio.run(boardgame.run(plan, contestant)))
            for contestant in (boardgame.IN_MEMORY, boardgame.IN_FILES)
            for plan in plans
        ]
    except boardgame.Missing as missing:
        click.echo(str(missing), err=True)
        return []


def _plans(base: Plan, tables: tuple[int, ...], stores: tuple[str, ...], processes: tuple[int, ...]) -> Iterator[Plan]:
    for store in stores:
        for count in processes if store == "postgresql" else (1,):
            for number in tables:
                yield msgspec.structs.replace(base, store=store, processes=count, tables=number)


def _disturbed(plan: Plan, abuser: float, watchers: int) -> Plan:
    return msgspec.structs.replace(plan, abuser_rate=abuser, watchers=watchers)


if __name__ == "__main__":
    main()
