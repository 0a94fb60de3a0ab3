"""`turnstile simulate`: many matches between bots, and what came of them."""

import json
import os
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import click
from msgspec.structs import asdict
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from turnstile.cli.arguments import (
    INTERRUPTED,
    bot_named,
    game_argument,
    options_option,
    read_options,
    read_seed,
    refuse_company,
    refuse_match,
)
from turnstile.kernel import AnyGame
from turnstile.kernel.values import encode
from turnstile.lab import Plan, Totals, summary
from turnstile.lab import simulate as run
from turnstile.lab.statistics import Rate, Summary

PART_OF_IT = "... "
"""How the name of a fact begins that says more about the fact before it; see `Study.tally`."""


@click.command()
@game_argument
@click.option(
    "--matches", "-n", type=click.IntRange(1), default=1000, show_default=True, help="How many matches to play."
)
@click.option(
    "--bots", "bot_names", help="The bots, a name for each seat, separated by commas; one name seats it everywhere."
)
@click.option(
    "--players", type=click.IntRange(2), help="How many sit at the table; as many as there are bots, or the fewest."
)
@click.option(
    "--seed", help="The same seed gives the same result, whatever the number of processes. Drawn if not given."
)
@click.option(
    "--processes",
    type=click.IntRange(1),
    default=os.cpu_count() or 1,
    show_default="all cores",
    help="How many to run at once.",
)
@click.option(
    "--records",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write a record of every match into this folder.",
)
@click.option("--json", "as_json", is_flag=True, help="Print for programs instead of people; see above.")
@options_option
def simulate(
    game: AnyGame,
    matches: int,
    bot_names: str | None,
    players: int | None,
    seed: str | None,
    processes: int,
    records: Path | None,
    as_json: bool,
    options: str,
) -> None:
    """Let bots play many matches on all cores, and print the rates with their 95 % intervals.

    \b
    Examples:
      turnstile simulate e-card --matches 100000
      turnstile simulate e-card --bots equilibrium,random --seed 7 --json

    \b
    --json prints an object. A rate is {"times", "chances", "rate", "low", "high"}, low to high its 95 % interval:
      game, seed, matches, bots  text, text, a number, and the name of the bot at each seat
      options                    the options of the game, as they were given
      wins                       {player: rate}: matches that the player alone has won
      shared                     a rate: matches that several players or nobody has won
      meanPoints                 {player: number}
      facts                      {fact: rate}; a rate may have "parts": {part: rate}
      moves                      {"mean", "low", "high", "shortest", "median", "longest"}, of a match
    """
    plan = Plan(game.name, seats(game, bot_names, players), options.encode(), read_seed(seed), records)
    refuse_match(game, plan.players, read_options(game, options))
    if records:
        records.mkdir(parents=True, exist_ok=True)
    totals, stopped = played(plan, matches, processes)
    if totals.matches:
        result = summary(plan, totals)
        if as_json:
            click.echo(encode(for_programs(plan, result)))
        else:
            tell(game, result)
    if stopped:
        click.echo(f"Stopped after {totals.matches:,} of {matches:,} matches.", err=True)
        sys.exit(INTERRUPTED)


def seats(game: AnyGame, bot_names: str | None, players: int | None) -> tuple[str, ...]:
    """One bot for each seat."""
    named = (
        tuple(bot_named(game, name.strip()) for name in bot_names.split(",")) if bot_names else (bot_named(game, None),)
    )
    count = players or max(len(named), game.seats[0])
    refuse_company(game, count)
    if len(named) not in (1, count):
        raise click.UsageError(f"Name one bot, or one for each of the {count} seats, not {len(named)}.")
    return named * count if len(named) == 1 else named


def played(plan: Plan, matches: int, processes: int) -> tuple[Totals, bool]:
    """Everything that was counted, with a progress bar meanwhile; and whether somebody stopped it."""
    totals, began = Totals(), time.monotonic()
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(plan.game, total=matches, rate="")
        try:
            with closing(run(plan, matches, processes)) as parts:
                for part in parts:
                    totals.add(part)
                    rate = totals.matches / (time.monotonic() - began)
                    progress.update(task, completed=totals.matches, rate=f"{rate:,.0f} matches/s")
        except KeyboardInterrupt:
            return totals, True
    return totals, False


def tell(game: AnyGame, result: Summary) -> None:
    """The result as a table."""
    table = Table(
        "",
        "rate",
        "95 % interval",
        "out of",
        title=f"{game.title}: {result.matches:,} matches, seed {escape(result.seed)}",
    )
    for player, rate in result.wins.items():
        table.add_row(f"{player} wins the match", *cells(rate))
    if result.shared.times:
        table.add_row("the win is shared or nobody's", *cells(result.shared))
    table.add_section()
    for fact, rate in result.facts.items():
        table.add_row(fact, *cells(rate))
    table.add_section()
    for player, points in result.mean_points.items():
        table.add_row(f"mean points of {player}", f"{points:.3f}", "", "")
    moves = result.moves
    table.add_row("mean moves a match", f"{moves.mean:.2f}", f"{moves.low:.2f} to {moves.high:.2f}", "")
    table.add_row("shortest, median, longest", f"{moves.shortest}, {moves.median}, {moves.longest}", "", "")
    Console().print(table)


def for_programs(plan: Plan, result: Summary) -> dict[str, Any]:
    """The result as nested objects: what `tell` shows indented below a fact is a part of it."""
    facts: dict[str, dict[str, Any]] = {}
    fact = ""
    for name, rate in result.facts.items():
        if name.startswith(PART_OF_IT) and fact:
            facts[fact].setdefault("parts", {})[name.removeprefix(PART_OF_IT)] = asdict(rate)
        else:
            fact, facts[name] = name, asdict(rate)
    options = json.loads(plan.options)
    return {**json.loads(encode(result)), "bots": plan.bots, "options": options, "facts": facts}


def cells(rate: Rate) -> tuple[str, str, str]:
    if not rate.chances:
        return "", "", "0"
    return f"{rate.rate:.2%}", f"{rate.low:.2%} to {rate.high:.2%}", f"{rate.chances:,}"
