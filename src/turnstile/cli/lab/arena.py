"""`turnstile arena`: one bot, usually one's own, plays against each of the others."""

from collections.abc import Sequence
from typing import Any

import click
from rich.markup import escape

from turnstile.cli.arguments import (
    game_argument,
    options_option,
    read_options,
    read_seed,
    refuse_match,
)
from turnstile.cli.bots import find_different_bots
from turnstile.cli.console import plain_console
from turnstile.cli.interrupts import INTERRUPTED
from turnstile.cli.json_option import json_option
from turnstile.cli.lab.contest_tables import INTERVAL, cell, pair_sentence, whole_words_table
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
from turnstile.kernel import AnyGame, Value
from turnstile.kernel.values import encode
from turnstile.lab.contests import Contest, Played, arena_seatings, play_contest
from turnstile.lab.contests.pairs import PairResult, pair_results, whole_deals

USUAL_WIDTH = 80  # characters of a window


class Opponent(Value, frozen=True):
    """One opponent: the result against it, and how long both thought about a decision."""

    result: PairResult
    milliseconds: float | None
    opponent_milliseconds: float | None


@click.command()
@game_argument
@click.option(
    "--bots",
    "bot_names",
    required=True,
    help="Your bot and its opponents, separated by commas; see above.",
)
@click.option(
    "--matches",
    "-n",
    type=MATCHES,
    default=100,
    show_default=True,
    help="How many matches to play against each opponent, rounded up to whole deals.",
)
@players_option
@seed_option
@processes_option
@on_option
@seconds_option
@json_option("Print JSON for programs; see above.")
@options_option
def arena(
    game: AnyGame,
    bot_names: str,
    matches: int,
    players: int | None,
    seed: str | None,
    processes: int,
    where: str,
    seconds: float,
    as_json: bool,
    options: str,
) -> None:
    """Let one bot, such as your own, play against each of the others.

    The first bot of the list plays against all others. Every deal is played once from each seat. With more than two
    players, the opponent has all other seats.

    \b
    A bot is named by
      attentive                    the name of a built-in bot: 'turnstile games GAME' lists them
      mine:choose                  a Python function in mine.py, here or on Python's path
      path/to/mine.py:choose       a Python function in a file
      "cmd:./mybot --fast"         a program: a line of JSON in, a line out, for each decision
      league:http://HOST:PORT/mcp  a player of the league, over league.v2

    \b
    A function gets the view of its player and the actions, and returns one of them or its number, from 0:
      def choose(view, actions, rng):     # rng is a seeded random.Random, and may be left out
          return rng.choice(actions)

    A program reads {"game", "match", "player", "view", "actions", "random"} and answers with the number of an action,
    or with the action. It runs on for many matches. docs/tournaments.md describes both.

    \b
    Examples:
      turnstile arena 66 --bots mine:choose,attentive,random --matches 200
      turnstile arena even-odd --bots "cmd:python3 mybot.py",reader --seed 7 --time-limit 2

    \b
    --json prints an object. A mean is {"mean", "low", "high"}; low to high is its 95 % interval:
      game, seed, bot, players, isComplete  what was played
      opponents  {"result": {"bot", "other", "matches", "ahead": a mean, "scoreDifference": a mean, "p",
                 "correctedP", "isCertain"}, "milliseconds", "opponentMilliseconds"}; the times are those of a
                 decision, null for a bot that does not think
    """
    bots = find_different_bots(game, bot_names, seconds)
    count = contest_player_count(game, players)
    seatings, deals = arena_seatings(bots, count), -(-matches // count)
    contest = Contest(game.name, bots, options.encode(), read_seed(seed), deals, seatings, seconds)
    refuse_match(game, contest.players, read_options(game, options))
    played: list[Played] = []

    def keep(more: list[Played]) -> int:
        played.extend(more)
        return len(more)

    crew = crew_for(processes, where, bots)
    is_interrupted = play_behind_bar(play_contest(contest, 0, crew), keep, game.name, contest.matches, 0)
    opponents = opponents_of(contest, played)
    if as_json and opponents:
        click.echo(encode(_for_programs(contest, opponents, len(played) == contest.matches)))
    elif opponents:
        _print(game, contest, opponents)
    if is_interrupted:
        click.echo(f"Stopped after {len(played):,} of {contest.matches:,} matches.", err=True)
        raise click.exceptions.Exit(INTERRUPTED)


def opponents_of(contest: Contest, matches: Sequence[Played]) -> list[Opponent]:
    """The results against each opponent, in whole deals."""
    first, *others = contest.bots
    whole = whole_deals(contest, [match.result for match in matches])
    found = []
    for result in pair_results([(first, other) for other in others], whole):
        common = [match for match in matches[: len(whole)] if result.other in match.result.seats]
        found.append(Opponent(result, _milliseconds(first, common), _milliseconds(result.other, common)))
    return found


def _milliseconds(bot: str, matches: Sequence[Played]) -> float | None:
    """The mean time of a decision. A bot that only draws is not measured."""
    thinking = [
        each for match in matches for name, each in zip(match.result.seats, match.thinking, strict=True) if name == bot
    ]
    decisions = sum(each.decisions for each in thinking)
    return 1000 * sum(each.seconds for each in thinking) / decisions if decisions else None


def _print(game: AnyGame, contest: Contest, opponents: Sequence[Opponent]) -> None:
    first, count = contest.bots[0], len(contest.players)
    what = "wins" if count == 2 else "ahead"
    matches = opponents[0].result.matches  # in whole deals, so that each opponent has as many
    table = whole_words_table(
        *("against", f"{what}\n{INTERVAL}", f"score difference\n{INTERVAL}", "ms a\ndecision", "opponent's\nms"),
        title=f"{escape(game.title)}: {escape(first)}, {matches:,} matches each, seed {escape(contest.seed)}",
    )
    console = plain_console()
    for column in table.columns[1:]:
        column.no_wrap = console.width >= USUAL_WIDTH  # then only names are broken, never numbers
    for each in opponents:
        points = each.result.score_difference
        table.add_row(
            escape(each.result.other),
            cell(each.result.ahead),
            f"{points.mean:+.2f}\n{points.low:+.2f} to {points.high:+.2f}",
            *(_time(time) for time in (each.milliseconds, each.opponent_milliseconds)),
        )
    console.print(table)
    for each in opponents:
        console.print(pair_sentence(each.result, count), markup=False, highlight=False, soft_wrap=True)


def _time(milliseconds: float | None) -> str:
    return "-" if milliseconds is None else f"{milliseconds:.3g}"


def _for_programs(contest: Contest, opponents: Sequence[Opponent], is_complete: bool) -> dict[str, Any]:
    return {
        "game": contest.game,
        "seed": contest.seed,
        "bot": contest.bots[0],
        "players": len(contest.players),
        "isComplete": is_complete,
        "opponents": opponents,
    }
