"""`turnstile tournament`: bots play a round robin, and the standings say which differences are certain."""

import json
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from turnstile.cli.arguments import (
    game_argument,
    options_option,
    read_options,
    read_seed,
    refuse_folder,
    refuse_match,
)
from turnstile.cli.bots import find_different_bots
from turnstile.cli.interrupts import INTERRUPTED
from turnstile.cli.json_option import json_option
from turnstile.cli.lab.contest_tables import print_tournament
from turnstile.cli.lab.playing import (
    MATCHES,
    contest_player_count,
    crew_for,
    on_option,
    play_behind_bar,
    players_option,
    processes_option,
    seconds_option,
    seed_option,
)
from turnstile.kernel import AnyGame, Seed
from turnstile.kernel.values import encode
from turnstile.lab.contests import Contest, Played, play_contest, tournament_seatings
from turnstile.lab.contests.results_file import ResultsFile, UnusableFile, header_of, open_results, read_header
from turnstile.lab.contests.seatings import seatings_of_company
from turnstile.lab.contests.standings import Standings, standings_of
from turnstile.lab.jobs import Crew
from turnstile.lab.results import ResultLine


@click.command()
@game_argument
@click.option("--bots", "bot_names", required=True, help="The bots, separated by commas; at least two.")
@click.option(
    "--matches",
    "-n",
    type=MATCHES,
    default=100,
    show_default=True,
    help="How many matches the same bots play with each other, rounded up to whole deals.",
)
@players_option
@seed_option
@processes_option
@on_option
@seconds_option
@click.option(
    "--out",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write every match to this file, as JSON lines. An interrupted tournament continues from it.",
)
@click.option("--resume", is_flag=True, help="Continue the tournament in the file of --out.")
@json_option("Print JSON for programs; see above.")
@options_option
def tournament(
    game: AnyGame,
    bot_names: str,
    matches: int,
    players: int | None,
    seed: str | None,
    processes: int,
    where: str,
    seconds: float,
    path: Path | None,
    resume: bool,
    as_json: bool,
    options: str,
) -> None:
    """Let bots play a round robin, and print who is better, and how certain that is.

    Every deal is played by all seatings, so that luck and seats favour no bot: with two players, each pair plays it
    twice. With more players, each combination of bots plays it in all rotations, in both directions. A bot may be your
    own: see 'turnstile arena --help'.

    \b
    Examples:
      turnstile tournament 66 --bots attentive,search,random --matches 200
      turnstile tournament up-down --players 4 --bots counter,search,random,mine:choose --out up-down.jsonl
      turnstile tournament up-down --players 4 --bots counter,search,random,mine:choose --out up-down.jsonl --resume

    \b
    --json prints an object. A mean is {"mean", "low", "high"}; low to high is its 95 % interval:
      game, gameVersion, options, seed, players  what was played
      deals, matches, isComplete                 whole deals and their matches; whether all have been played
      bots   best first: {"bot", "matches", "rating": {"mu", "sigma", "low", "high"}, "wins": a mean,
             "winsBySeat": means, "meanScore"}; a shared win counts in part, and several seats in a match are averaged
      pairs  {"bot", "other", "matches", "ahead": a mean, "scoreDifference": a mean, "p", "correctedP", "isCertain"}:
             how often bot came out ahead of other, and by how many points
      seats  {"seat", "wins": a mean}: what a seat is worth to all bots together
    """
    contest = _contest(game, bot_names, matches, players, seed, seconds, options)
    contest = _with_seed_of_file(contest, path, seed, resume)
    crew = crew_for(processes, where, contest.bots)
    with _results(game, contest, path) as file:
        played, is_interrupted = _play(contest, crew, file)
    if len(played) >= len(contest.seatings):
        standings = standings_of(contest, played)
        if as_json:
            click.echo(encode(_for_programs(game, contest, standings)))
        else:
            print_tournament(game, contest, standings)
    if is_interrupted:
        how = "The file has them: the same command with --resume continues." if path else "Use --out to continue later."
        click.echo(f"Stopped after {len(played):,} of {contest.matches:,} matches. {how}", err=True)
        raise click.exceptions.Exit(INTERRUPTED)


def _contest(
    game: AnyGame,
    bot_names: str,
    matches: int,
    players: int | None,
    seed: str | None,
    seconds: float,
    options: str,
) -> Contest:
    """What is to be played, or a usage error."""
    bots = find_different_bots(game, bot_names, seconds)
    count = contest_player_count(game, players)
    seatings = tournament_seatings(bots, count)
    deals = -(-matches // seatings_of_company(bots, count))
    contest = Contest(game.name, bots, options.encode(), read_seed(seed), deals, seatings, seconds)
    refuse_match(game, contest.players, read_options(game, options))
    return contest


def _with_seed_of_file(contest: Contest, path: Path | None, seed: str | None, resume: bool) -> Contest:
    """The contest, with the seed of the file that it continues if none was given."""
    if path is None:
        if resume:
            raise click.UsageError("--resume needs --out: the file of the tournament to continue.")
        return contest
    refuse_folder(path)
    if not resume:
        if path.exists():
            raise click.UsageError(f"{path} exists. Continue it with --resume, or choose another file.")
        return contest
    try:
        header = read_header(path)
    except UnusableFile as fault:
        raise click.UsageError(str(fault)) from None
    return contest if header is None or seed is not None else replace(contest, seed=Seed(header.seed))


@contextmanager
def _results(game: AnyGame, contest: Contest, path: Path | None) -> Iterator[ResultsFile | None]:
    """The file of the tournament, if there is one."""
    try:
        with open_results(path, header_of(contest, game.version)) if path else nullcontext() as file:
            yield file
    except UnusableFile as fault:
        raise click.UsageError(str(fault)) from None


def _play(contest: Contest, crew: Crew, file: ResultsFile | None) -> tuple[list[ResultLine], bool]:
    """Play all matches that are not in the file. Returns all matches, and whether Ctrl-C stopped it."""
    played = list(file.matches) if file else []

    def keep(matches: list[Played]) -> int:
        results = [match.result for match in matches]
        if file:
            file.append(results)
        played.extend(results)
        return len(results)

    done = len(played)
    is_interrupted = play_behind_bar(play_contest(contest, done, crew), keep, contest.game, contest.matches, done)
    return played, is_interrupted


def _for_programs(game: AnyGame, contest: Contest, standings: Standings) -> dict[str, Any]:
    return {
        "game": game.name,
        "gameVersion": game.version,
        "options": json.loads(contest.options),
        "seed": contest.seed,
        "players": len(contest.players),
        "isComplete": standings.deals == contest.deals,
        **json.loads(encode(standings)),
    }
