"""Agents of the league on the command line: the manager, a referee, a player, each a process of its own."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from turnstile.agents.defaults import DEFAULT_CAPACITY, MANAGER_PORT, MANAGER_URL, PLAYER_PORT, REFEREE_PORT
from turnstile.kernel.chance import Seed
from turnstile.league.manager_state import MOST_PLAYERS, Options
from turnstile.league.words import DEFAULT_LEAGUE, GAME_TYPE, LeagueId

# Agents bring a client and a server of HTTP along. They are imported by who runs one, so that all else starts fast.

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_STRATEGIES = ("random", "history", "alternating", "always:even")
OTHER_STRATEGIES = ("bot", "random")


@click.group()
def league() -> None:
    """The Even/Odd league: agents that play each other over HTTP (league.v2).

    \b
    A whole league at once:
      turnstile league run --players 8 --referees 2

    \b
    Three terminals make a league:
      turnstile league manager --players 2
      turnstile league referee
      turnstile league player --name Juniper --port 8101 &
      turnstile league player --name Sorrel --port 8102 --strategy history

    Every agent keeps a log in the data folder and goes on where it was when it is started again. Matches are written
    to DATA/data/matches/LEAGUE, a player's history to DATA/data/players/ID. GET /health and /metrics say how it is.
    """


def common(port: int) -> Callable[[F], F]:
    """The options that all agents have."""
    options = (
        click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on."),
        click.option(
            "--port",
            type=click.IntRange(0, 65535),
            default=port,
            show_default=True,
            help="The port to listen on; 0 is any that is free, and the same again after a restart.",
        ),
        click.option("--endpoint", metavar="URL", help="How others reach this agent, if not at http://HOST:PORT/mcp."),
        click.option(
            "--data",
            type=click.Path(file_okay=False, path_type=Path),
            default=Path("SHARED"),
            show_default=True,
            help="The folder for matches, histories and logs.",
        ),
        click.option("--store", metavar="FILE|URL", help="Where the log is kept, if not in the data folder."),
        click.option(
            "--time-scale",
            "pace",
            type=click.FloatRange(0, 1, min_open=True),
            default=1.0,
            show_default=True,
            help="Shorten all time limits: 0.1 makes 30 seconds 3. The same for all agents of a league.",
        ),
        click.option(
            "--allow",
            multiple=True,
            metavar="HOST|NETWORK",
            help="Call agents there, too; by default only those on this machine. May be repeated.",
        ),
        click.option("--public", is_flag=True, help="Call agents on the open network, over https."),
        click.option(
            "--log-format",
            type=click.Choice(["text", "json"]),
            default="text",
            show_default=True,
            help="Lines for people, or objects for programs.",
        ),
        click.option(
            "--log-file", type=click.Path(dir_okay=False, path_type=Path), help="Write the log there, not to stderr."
        ),
        click.option(
            "--json",
            "as_json",
            is_flag=True,
            help="Say when it is ready as a line of JSON, with the endpoint and port.",
        ),
    )

    def add(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return add


game_option = click.option(
    "--game", "game_type", default=GAME_TYPE, show_default=True, help="What is played: any game for two."
)


def refuse_game(game_type: str) -> None:
    """A usage error for a game that no league can play."""
    from turnstile.agents.games import games_for_two

    if game_type not in games_for_two():
        raise click.UsageError(f"No league can play {game_type!r}; there are: {', '.join(games_for_two())}.")


manager_option = click.option(
    "--manager", default=MANAGER_URL, show_default=True, metavar="URL", help="Where the league manager is."
)


@league.command()
@common(MANAGER_PORT)
@click.option("--league", "league_id", default=DEFAULT_LEAGUE, show_default=True, help="The id of the league.")
@game_option
@click.option(
    "--players",
    "expected",
    type=click.IntRange(2),
    help="Begin when so many players and a referee have registered; else wait for START_LEAGUE.",
)
@click.option(
    "--most-players", type=click.IntRange(2), default=MOST_PLAYERS, show_default=True, help="Then it is full."
)
@click.option(
    "--player",
    "listed",
    multiple=True,
    metavar="NAME=URL",
    help="A player that cannot register itself. May be repeated.",
)
@click.option(
    "--verify-endpoints/--no-verify-endpoints",
    "verifies",
    default=None,
    help="Let whoever registers answer a challenge at its address. By default if others than this machine are called.",
)
@click.option(
    "--admin-token",
    envvar="TURNSTILE_ADMIN_TOKEN",
    metavar="TOKEN",
    help="With it START_LEAGUE is taken from anywhere; without it from this machine alone.",
)
@click.option("--once", is_flag=True, help="Exit when the league is over and everybody has been told.")
def manager(
    league_id: str,
    game_type: str,
    expected: int | None,
    most_players: int,
    listed: tuple[str, ...],
    verifies: bool | None,
    admin_token: str | None,
    once: bool,
    **given: Any,
) -> None:
    """Run the league manager: it registers, pairs, announces, keeps the table.

    \b
    Begin by itself with four players:  turnstile league manager --players 4
    With a player of another kind:      turnstile league manager --player Other=http://localhost:8150/mcp
    """
    from turnstile.cli.league_agents import ManagerHost, run

    refuse_game(game_type)
    options = Options(
        league_id=LeagueId(league_id), game_type=game_type, expected_players=expected, most_players=most_players
    )
    players = [_listed(entry) for entry in listed]
    run(
        lambda settings: ManagerHost(
            settings,
            options,
            players=players,
            verifies_endpoints=verifies,
            admin_token=admin_token,
            ends_with_league=once,
        ),
        name=league_id,
        **given,
    )


@league.command()
@common(REFEREE_PORT)
@manager_option
@click.option("--name", help="What it is called; by default Referee and the port.")
@click.option(
    "--capacity",
    type=click.IntRange(1, 10_000),
    default=DEFAULT_CAPACITY,
    show_default=True,
    help="How many matches at a time; more wait.",
)
@click.option(
    "--trust-posts/--no-trust-posts",
    default=None,
    help="Take answers that are posted, though they do not carry the conversation id of their question. By default "
    "if only this machine is called.",
)
def referee(name: str | None, capacity: int, trust_posts: bool | None, **given: Any) -> None:
    """Run a referee: it takes the matches that the manager gives it, and reports how they ended."""
    from turnstile.cli.league_agents import RefereeHost, run

    run(
        lambda settings: RefereeHost(settings, capacity=capacity, trusts_posts=trust_posts),
        name=name or _name("Referee", given["port"]),
        **given,
    )


@league.command()
@common(PLAYER_PORT)
@manager_option
@click.option("--name", help="What it is called; by default Player and the port.")
@click.option("--strategy", default="random", show_default=True, help="Who chooses; see above.")
@click.option("--seed", help="What the random strategy draws from, so that a run can be repeated.")
@click.option(
    "--accept-unannounced", is_flag=True, help="Take invitations that no announcement preceded, as some leagues do."
)
def player(name: str | None, strategy: str, seed: str | None, accept_unannounced: bool, **given: Any) -> None:
    """Run a player. It exits when the league is over; with status 1 when it cannot register.

    \b
    Strategies:
      random                   either, as likely as the other
      always:even, always:odd  always the same
      alternating              even, odd, even, odd
      history                  the other side than the opponent has mostly chosen
      bot, bot:NAME            in other games than Even/Odd: the best bot of the game, or this one
      python:MODULE:FUNCTION   a function of yours: given a dictionary, it returns "even" or "odd"
      command:PROGRAM          a program of yours: a line of JSON on stdin, "even" or "odd" on stdout

    Yours is run in a process of its own, and killed when it is too late; then the player says "even". In another game
    it is offered moves, as move.request.valid_options, and gives one of them back, or its number.
    """
    from turnstile.cli.league_agents import PlayerHost, run

    run(
        lambda settings: PlayerHost(
            settings, strategy, seed=None if seed is None else Seed(seed), accepts_unannounced=accept_unannounced
        ),
        name=name or _name("Player", given["port"]),
        **given,
    )


@league.command()
@click.option("--players", type=click.IntRange(2, 10_000), default=8, show_default=True, help="How many players.")
@click.option("--referees", type=click.IntRange(1, 1_000), default=2, show_default=True, help="How many referees.")
@click.option(
    "--strategy",
    "strategies",
    multiple=True,
    help="Who chooses for the first player, the second, and so on from the first again. By default one of each kind.",
)
@game_option
@click.option("--league", "league_id", default=DEFAULT_LEAGUE, show_default=True, help="The id of the league.")
@click.option("--in-process", is_flag=True, help="All in this process, in virtual time: by far the fastest.")
@click.option(
    "--time-scale",
    "pace",
    type=click.FloatRange(0, 1, min_open=True),
    default=1.0,
    show_default=True,
    help="Shorten all time limits: 0.1 makes 30 seconds 3.",
)
@click.option(
    "--capacity",
    type=click.IntRange(1, 10_000),
    default=DEFAULT_CAPACITY,
    show_default=True,
    help="How many matches each referee runs at a time.",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("SHARED"),
    show_default=True,
    help="The folder for matches, histories, logs and the report.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Of the manager; by default any that is free.")
@click.option("--seed", help="What random strategies draw from; within one process, all that is drawn.")
@click.option(
    "--report",
    "report_to",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Within one process: write the report there. Processes write it into the data folder.",
)
@click.option("--json", "as_json", is_flag=True, help="A line of JSON for each round and at the end, for programs.")
def run(
    players: int,
    referees: int,
    strategies: tuple[str, ...],
    game_type: str,
    league_id: str,
    in_process: bool,
    pace: float,
    capacity: int,
    data: Path,
    port: int,
    seed: str | None,
    report_to: Path | None,
    as_json: bool,
) -> None:
    """Run a whole league, show its rounds and standings as they change, and end with a table.

    \b
    Processes, and a page to watch:  turnstile league run --players 8 --referees 2
    The same, much faster:           turnstile league run --players 8 --in-process
    Your strategy among ours:        turnstile league run --strategy python:mine:choose --strategy random

    Stopped with Ctrl-C, a league of processes goes on where it was when the same command is given again.
    """
    from turnstile.cli import league_run

    refuse_game(game_type)
    chosen = strategies or (DEFAULT_STRATEGIES if game_type == GAME_TYPE else OTHER_STRATEGIES)
    league_run.refuse_strategies(chosen)
    plan = league_run.Plan(
        league_id=LeagueId(league_id),
        strategies=[chosen[number % len(chosen)] for number in range(players)],
        referees=referees,
        data=data,
        port=port,
        capacity=capacity,
        pace=pace,
        seed=seed,
        game_type=game_type,
    )
    if in_process:
        league_run.run_in_process(plan, as_json=as_json, report_to=report_to)
    else:
        league_run.run_processes(plan, as_json=as_json)


def _name(role: str, port: int) -> str:
    return f"{role}-{port or os.getpid()}"


def _listed(entry: str) -> tuple[str, str]:
    name, is_given, url = entry.partition("=")
    if not (name and is_given and url):
        raise click.UsageError(f"{entry!r} is no player: give NAME=URL.")
    return name, url
