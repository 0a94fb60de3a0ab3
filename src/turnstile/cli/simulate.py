"""`turnstile simulate`: many matches between bots, and the rates of what happened in them."""

import json
import os
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import click
from msgspec.structs import asdict
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from turnstile.cli.arguments import (
    game_argument,
    options_option,
    read_options,
    read_seed,
    refuse_match,
    refuse_player_count,
)
from turnstile.cli.bots import find_bot
from turnstile.cli.interrupts import INTERRUPTED
from turnstile.cli.json_option import json_option
from turnstile.cli.progress import progress_bar
from turnstile.kernel import AnyGame
from turnstile.kernel.values import encode
from turnstile.lab import Plan, Totals, summary
from turnstile.lab import simulate as run
from turnstile.lab.statistics import Rate, Summary

PART_OF_IT = "... "
"""The prefix of a fact that is a part of the fact before it; see `Study.tally`."""


@click.command()
@game_argument
@click.option(
    "--matches", "-n", type=click.IntRange(1), default=1000, show_default=True, help="How many matches to play."
)
@click.option("--bots", "bot_names", help="The bots, separated by commas: one for each seat, or one for all seats.")
@click.option(
    "--players",
    type=click.IntRange(2),
    help="How many players; by default one for each bot named, or the fewest that the game takes.",
)
@click.option(
    "--seed",
    help="Repeat a result: the same seed gives the same result with any number of processes. Random by default.",
)
@click.option(
    "--processes",
    type=click.IntRange(1),
    default=os.cpu_count() or 1,
    show_default="all cores",
    help="How many processes to use.",
)
@click.option(
    "--records",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write a record of every match into this folder.",
)
@json_option("Print JSON for programs; see above.")
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
    """Let bots play many matches, and print how often each wins.

    Uses all cores. Every rate comes with its 95 % interval. The bot search takes a budget: search:500 imagines 500
    matches for each decision, search:0.2s thinks for 0.2 seconds.

    \b
    Examples:
      turnstile simulate e-card --matches 100000
      turnstile simulate e-card --bots equilibrium,random --seed 7 --json
      turnstile simulate up-down --bots search:500,counter --matches 20

    \b
    --json prints an object. A rate is {"times", "chances", "rate", "low", "high"}; low to high is its 95 % interval:
      game, seed, matches, bots  text, text, a number, and the name of the bot at each seat
      options                    the options of the game, as given
      wins                       {player: rate}: matches that only this player won
      shared                     a rate: matches with several winners or none
      meanPoints                 {player: number}
      facts                      {fact: rate}; a rate may have "parts": {part: rate}
      moves                      {"mean", "low", "high", "shortest", "median", "longest"} moves of a match
    """
    plan = Plan(game.name, bots_by_seat(game, bot_names, players), options.encode(), read_seed(seed), records)
    refuse_match(game, plan.players, read_options(game, options))
    if records:
        records.mkdir(parents=True, exist_ok=True)
    totals, is_interrupted = play_all(plan, matches, processes)
    if totals.matches:
        result = summary(plan, totals)
        if as_json:
            click.echo(encode(summary_for_programs(plan, result)))
        else:
            print_summary(game, result)
    if is_interrupted:
        click.echo(f"Stopped after {totals.matches:,} of {matches:,} matches.", err=True)
        raise click.exceptions.Exit(INTERRUPTED)


def bots_by_seat(game: AnyGame, bot_names: str | None, players: int | None) -> tuple[str, ...]:
    """The name of a bot for each seat."""
    named = (
        tuple(find_bot(game, name.strip()) for name in bot_names.split(",")) if bot_names else (find_bot(game, None),)
    )
    count = players or max(len(named), game.seats[0])
    refuse_player_count(game, count)
    if len(named) not in (1, count):
        raise click.UsageError(f"Name one bot, or one for each of the {count} seats, not {len(named)}.")
    return named * count if len(named) == 1 else named


def play_all(plan: Plan, matches: int, processes: int) -> tuple[Totals, bool]:
    """Play the matches behind a progress bar. Returns what was counted, and whether Ctrl-C stopped it."""
    totals, began = Totals(), time.monotonic()
    with progress_bar(Console(stderr=True), "{task.fields[rate]}") as progress:
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


def print_summary(game: AnyGame, result: Summary) -> None:
    """Print the result as a table."""
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
        table.add_row("several players win, or none", *cells(result.shared))
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


def summary_for_programs(plan: Plan, result: Summary) -> dict[str, Any]:
    """The result as nested objects. A fact that the table shows as part of another is nested in it."""
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
