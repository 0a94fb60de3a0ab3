"""What commands that play many matches share: their options, the progress bar, and the errors of bots and workers."""

import os
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import replace
from typing import Any, TypeVar

import click

from turnstile.cli.arguments import refuse_player_count
from turnstile.cli.bots import bot_failure
from turnstile.cli.console import plain_console
from turnstile.cli.numbers import number
from turnstile.cli.progress import progress_bar
from turnstile.cli.streams import ignore_closed_pipes, stdout_on_stderr
from turnstile.kernel import AnyGame
from turnstile.lab.jobs import Crew, RayUnavailable, WorkersLost
from turnstile.lab.own_bots import USUAL_SECONDS, BotFailed, close_bots, plays_one_match_at_a_time

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

MATCHES = click.IntRange(1, 10**12)
"""How many matches may be asked for."""
LONGEST_SECONDS = 24 * 60 * 60

players_option = click.option(
    "--players",
    type=click.IntRange(2),
    help="How many players; by default the fewest that the game takes.",
)
seed_option = click.option(
    "--seed",
    help="Repeat a result: the same seed gives the same result with any number of processes. Random by default.",
)
processes_option = click.option(
    "--processes",
    type=click.IntRange(1),
    default=os.cpu_count() or 1,
    show_default="all cores",
    help="How many processes to use.",
)
on_option = click.option(
    "--on",
    "where",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Play on this machine, or on a Ray cluster: that of RAY_ADDRESS, or one that is started here.",
)
seconds_option = click.option(
    "--time-limit",
    "seconds",
    type=click.FloatRange(0, LONGEST_SECONDS, min_open=True),
    callback=number,
    default=USUAL_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="How long a program or a league agent may think about one decision.",
)


def contest_player_count(game: AnyGame, players: int | None) -> int:
    """How many players a match between bots has: by default the fewest that the game takes, but at least two."""
    count = players or max(2, game.seats[0])
    refuse_player_count(game, count)
    return count


def crew_for(processes: int, where: str, bots: Iterable[str]) -> Crew:
    """Who plays the matches. A bot that plays one match at a time needs a single process here."""
    crew = Crew(processes, "ray" if where == "ray" else "local")
    single = next(filter(plays_one_match_at_a_time, bots), None)
    if single is None:
        return crew
    if crew.on == "ray":
        raise click.UsageError(f"{single} plays one match at a time: leave out --on ray.")
    return replace(crew, processes=1)


def play_behind_bar(
    parts: Generator[T, None, None], take: Callable[[T], int], title: str, total: int, done: int
) -> bool:
    """Take all parts behind a progress bar, and say whether Ctrl-C stopped it.

    `take` returns how many matches a part has. `total` matches are to be played; `done` of them were played before.
    """
    heed_closed_pipes = ignore_closed_pipes()  # of programs and workers: if one dies, this process must not
    began, played = time.monotonic(), 0
    with progress_bar(plain_console(stderr=True), "{task.fields[rate]}") as progress, stdout_on_stderr():
        task = progress.add_task(title, total=total, completed=done, rate="")
        try:
            with closing(parts):
                for part in parts:
                    played += take(part)
                    rate = played / (time.monotonic() - began)
                    progress.update(task, completed=done + played, rate=f"{_figures(rate)} matches/s")
        except KeyboardInterrupt:
            return True
        except BotFailed as fault:
            raise bot_failure(fault) from None
        except (WorkersLost, RayUnavailable) as fault:
            raise click.ClickException(str(fault)) from None
        finally:
            close_bots()
    heed_closed_pipes()  # the results may be piped to a program that reads only their beginning
    return False


def _figures(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.2f}"
