"""`turnstile simulate`: many matches between bots, and the rates of what happened in them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import asdict
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
from turnstile.cli.bots import find_bot, split_names
from turnstile.cli.console import plain_console
from turnstile.cli.interrupts import INTERRUPTED, interrupted_later
from turnstile.cli.json_option import json_option
from turnstile.cli.lab.playing import MATCHES, crew_for, on_option, play_behind_bar, processes_option, seed_option
from turnstile.kernel import AnyGame
from turnstile.kernel.values import encode
from turnstile.lab import Plan, Totals, summary
from turnstile.lab import simulate as run
from turnstile.lab.collectors import Output
from turnstile.lab.jobs import Crew
from turnstile.lab.results import VERSION, Header
from turnstile.lab.statistics import Rate, Summary

if TYPE_CHECKING:
    from turnstile.lab.output import Writer

PART_OF_IT = "... "
"""The prefix of a fact that is a part of the fact before it; see `Study.tally`."""


@click.command()
@game_argument
@click.option("--matches", "-n", type=MATCHES, default=1000, show_default=True, help="How many matches to play.")
@click.option("--bots", "bot_names", help="The bots, separated by commas: one for each seat, or one for all seats.")
@click.option(
    "--players",
    type=click.IntRange(2),
    help="How many players; by default one for each bot named, or the fewest that the game takes.",
)
@seed_option
@processes_option
@on_option
@click.option(
    "--records",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write a record of every match into this folder.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the matches to FILE: NAME.parquet has every decision, NAME.jsonl every result; see above.",
)
@click.option(
    "--god",
    is_flag=True,
    help="Add the full state to every decision, with everything that is hidden from the player.",
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
    where: str,
    records: Path | None,
    out: Path | None,
    god: bool,
    as_json: bool,
    options: str,
) -> None:
    """Let bots play many matches, and print how often each wins.

    Uses all cores, or with --on ray a Ray cluster. Every rate comes with its 95 % interval. The bot search takes a
    budget: search:500 imagines 500 matches for each decision, search:0.2s thinks for 0.2 seconds. A bot may be your
    own: see 'turnstile arena --help'.

    \b
    Examples:
      turnstile simulate e-card --matches 100000
      turnstile simulate e-card --bots equilibrium,random --seed 7 --json
      turnstile simulate up-down --bots search:500,counter --matches 20
      turnstile simulate up-down --bots counter,random --out matches.parquet
      turnstile simulate 66 --out matches.jsonl && turnstile report matches.jsonl

    \b
    --out writes the matches in their order. Ctrl-C leaves a complete file with the matches so far.
      NAME.parquet  one row for each decision: what the seat saw, the legal moves, the choice, and how the match ended
                    for the seat. For pandas, polars and others. Needs: pip install 'turnstile[data]'
      NAME.jsonl    a header and a line of JSON for each match: seats, winners, scores, moves. 'turnstile report' makes
                    a page with plots from it

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
    output = read_output(out, is_god=god)
    plan = Plan(game.name, bots_by_seat(game, bot_names, players), options.encode(), read_seed(seed), records, output)
    refuse_match(game, plan.players, read_options(game, options))
    crew = crew_for(processes, where, plan.bots)
    if records:
        records.mkdir(parents=True, exist_ok=True)
    with opened_output(game, plan, matches, out) as writer:
        totals, is_interrupted = play_all(plan, matches, crew, writer)
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
    named = tuple(find_bot(game, name) for name in split_names(bot_names)) if bot_names else (find_bot(game, None),)
    count = players or max(len(named), game.seats[0])
    refuse_player_count(game, count)
    if len(named) not in (1, count):
        raise click.UsageError(f"Name one bot, or one for each of the {count} seats, not {len(named)}.")
    return named * count if len(named) == 1 else named


def read_output(out: Path | None, *, is_god: bool) -> Output | None:
    """What to write to a file of this name. A usage error where that is impossible."""
    if out is None or out.suffix != ".parquet":
        if is_god:
            raise click.UsageError("--god adds states to decisions: it needs --out NAME.parquet.")
        if out is not None and out.suffix != ".jsonl":
            raise click.UsageError(f"--out {out} must end with .parquet, for decisions, or with .jsonl, for results.")
        return None if out is None else Output.RESULTS
    if find_spec("pyarrow") is None:
        raise click.UsageError("A Parquet file needs another package: pip install 'turnstile[data]'.")
    return Output.DECISIONS_AND_STATES if is_god else Output.DECISIONS


@contextmanager
def opened_output(game: AnyGame, plan: Plan, matches: int, out: Path | None) -> Iterator["Writer | None"]:
    """The output file, if one was asked for. It is complete when the context ends."""
    if out is None or plan.output is None:
        yield None
        return
    from turnstile.lab.output import open_output  # here, because most simulations write no file

    header = Header(
        kind="simulation",
        version=VERSION,
        game=game.name,
        game_version=game.version,
        options=json.loads(plan.options),
        bots=plan.bots,
        players=len(plan.bots),
        seed=plan.seed,
        matches=matches,
        hidden_information=plan.output is Output.DECISIONS_AND_STATES,
    )
    with open_output(out, plan.output, header) as writer:
        yield writer
    click.echo(f"Wrote {writer.matches:,} matches to {out}.", err=True)


def play_all(plan: Plan, matches: int, crew: Crew, writer: "Writer | None") -> tuple[Totals, bool]:
    """Play the matches behind a progress bar. Returns what was counted, and whether Ctrl-C stopped it."""
    totals = Totals()

    def add(part: Totals) -> int:
        with interrupted_later():
            totals.add(part)
            if writer is not None:
                writer.write(part.output)
        return part.matches

    is_interrupted = play_behind_bar(run(plan, matches, crew), add, plan.game, matches, 0)
    return totals, is_interrupted


def print_summary(game: AnyGame, result: Summary) -> None:
    """Print the result as a table."""
    table = Table(
        "",
        "rate",
        "95 % interval",
        "out of",
        title=f"{escape(game.title)}: {result.matches:,} matches, seed {escape(result.seed)}",
    )
    for player, rate in result.wins.items():
        table.add_row(f"{escape(player)} wins the match", *cells(rate))
    if result.shared.times:
        table.add_row("several players win, or none", *cells(result.shared))
    table.add_section()
    for fact, rate in result.facts.items():
        table.add_row(escape(fact), *cells(rate))
    table.add_section()
    for player, points in result.mean_points.items():
        table.add_row(f"mean points of {escape(player)}", f"{points:.3f}", "", "")
    moves = result.moves
    table.add_row("mean moves a match", f"{moves.mean:.2f}", f"{moves.low:.2f} to {moves.high:.2f}", "")
    table.add_row("shortest, median, longest", f"{moves.shortest}, {moves.median}, {moves.longest}", "", "")
    plain_console().print(table)


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
