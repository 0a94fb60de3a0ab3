"""The league on the command line: its agents, each a process of its own; a whole league at once; and a word to one."""

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from turnstile.agents.launch.defaults import DEFAULT_CAPACITY, MANAGER_PORT, PLAYER_PORT, REFEREE_PORT
from turnstile.cli.league.options import (
    common,
    game_option,
    league_named,
    league_option,
    manager_option,
    name_option,
    number,
    refuse_game,
    refuse_misfits,
    shutdown_option,
)
from turnstile.kernel.chance import Seed
from turnstile.league.manager.state import MOST_PLAYERS, Options
from turnstile.league.protocol.words import GAME_TYPE, LeagueId

# Agents bring a client and a server of HTTP along. They are imported by who runs one, so that all else starts fast.

DEFAULT_STRATEGIES = ("random", "history", "alternating", "always:even")
OTHER_STRATEGIES = ("bot", "random")


@click.group(no_args_is_help=False, invoke_without_command=True)
@click.pass_context
def league(context: click.Context) -> None:
    """The Even/Odd league: agents that play each other over HTTP (league.v2).

    \b
    A whole league at once:
      turnstile league run --players 8 --referees 2

    \b
    Four agents make a league, each in a terminal of its own, the manager first:
      turnstile league manager --players 2
      turnstile league referee
      turnstile league player --name Juniper --port 8101
      turnstile league player --name Sorrel --port 8102 --strategy history

    A manager without --players waits for: turnstile league start

    Every agent keeps a log in the data folder and goes on where it was when it is started again. Matches are written
    to DATA/data/matches/LEAGUE, a player's history to DATA/data/players/ID. GET /health and /metrics say how it is.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@league.command()
@common(MANAGER_PORT)
@league_option
@game_option
@click.option(
    "--players",
    "expected",
    type=click.IntRange(2),
    help="Begin when so many players and a referee have registered; else wait for 'turnstile league start'.",
)
@click.option(
    "--most-players", type=click.IntRange(2, 10_000), default=MOST_PLAYERS, show_default=True, help="Then it is full."
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
@click.option(
    "--referee-key",
    envvar="TURNSTILE_REFEREE_KEY",
    metavar="KEY",
    help="Let in only referees that show it. One is made and told if others than this machine are called.",
)
@click.option("--open-referees", is_flag=True, help="Let any referee in: it can decide matches as it likes.")
@click.option("--once", is_flag=True, help="Exit when the league is over and everybody has been told.")
@click.option(
    "--shut-down-agents",
    is_flag=True,
    help="When it is stopped before the league is over, tell all agents to shut down (SHUTDOWN_COMMAND).",
)
def manager(
    league_id: str | None,
    game_type: str,
    expected: int | None,
    most_players: int,
    listed: tuple[str, ...],
    verifies: bool | None,
    admin_token: str | None,
    referee_key: str | None,
    open_referees: bool,
    once: bool,
    shut_down_agents: bool,
    **given: Any,
) -> None:
    """Run the league manager: it registers, pairs, announces, keeps the table.

    \b
    Begin by itself with four players:  turnstile league manager --players 4
    Begin when it is told to:           turnstile league manager, and then: turnstile league start
    With a player of another kind:      turnstile league manager --player Other=http://localhost:8150/mcp
    """
    from turnstile.cli.league.agents import ManagerProcess, run

    refuse_game(game_type)
    if expected is not None and expected > most_players:
        raise click.UsageError(f"With --most-players {most_players} there are never --players {expected}.")
    league = league_named(league_id, game_type)
    options = Options(league_id=league, game_type=game_type, expected_players=expected, most_players=most_players)
    players = [_listed(entry) for entry in listed]
    run(
        lambda settings: ManagerProcess(
            settings,
            options,
            players=players,
            verifies_endpoints=verifies,
            admin_token=admin_token,
            referee_key=referee_key,
            is_open_to_referees=open_referees or None,
            tell=lambda line: click.echo(line, err=True),
            ends_with_league=once,
            shuts_down_agents=shut_down_agents,
        ),
        name=league,
        **given,
    )


@league.command()
@common(REFEREE_PORT)
@manager_option
@shutdown_option
@name_option("Referee")
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
    help="Take posted answers that do not carry the conversation id of their question, for a player that has answered "
    "it with a receipt. By default those from this machine, if only this machine is called.",
)
@click.option(
    "--key", envvar="TURNSTILE_REFEREE_KEY", metavar="KEY", help="What the league manager wants to see of a referee."
)
def referee(name: str | None, capacity: int, trust_posts: bool | None, key: str | None, **given: Any) -> None:
    """Run a referee: it takes the matches that the manager gives it, and reports how they ended.

    It exits when the league is over and none of its matches is under way; with status 1 when it cannot register.

    \b
    On the manager's machine:  turnstile league referee
    A second one:              turnstile league referee --name Flag --port 8002
    Of a manager elsewhere:    turnstile league referee --manager http://HOST:8000/mcp --allow HOST --key KEY
    """
    from turnstile.cli.league.agents import RefereeProcess, run

    run(
        lambda settings: RefereeProcess(settings, capacity=capacity, trusts_posts=trust_posts, key=key or ""),
        name=name or _name("Referee", given["port"]),
        **given,
    )


@league.command()
@common(PLAYER_PORT)
@manager_option
@shutdown_option
@name_option("Player")
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
    from turnstile.agents.strategies.custom import refuse_strategy
    from turnstile.cli.league.agents import PlayerProcess, Settings, run

    def make(settings: Settings) -> PlayerProcess:
        refuse_strategy(strategy)
        drawn = None if seed is None else Seed(seed)
        return PlayerProcess(settings, strategy, seed=drawn, accepts_unannounced=accept_unannounced)

    run(
        make,
        name=name or _name("Player", given["port"]),
        **given,
    )


@league.command()
@manager_option
@click.option("--league", "league_id", help="Only if it is this league.")
@click.option(
    "--token",
    envvar="TURNSTILE_ADMIN_TOKEN",
    metavar="TOKEN",
    help="What the manager was given as --admin-token; it is not needed on the manager's own machine.",
)
def start(manager: str, league_id: str | None, token: str | None) -> None:
    """Begin a league whose manager waits for it. Exits with 1 if it does not begin, or is over.

    \b
    turnstile league manager &
    turnstile league start
    """
    from turnstile.cli.league.ask import ask_to_start

    ask_to_start(manager, None if league_id is None else LeagueId(league_id), token)


@league.command()
@manager_option
@click.option("--json", "as_json", is_flag=True, help="A line of JSON, for programs; see above.")
def status(manager: str, as_json: bool) -> None:
    """Show how far a league has got, what it waits for, and its table. Exits with 1 if its manager does not answer.

    The line of JSON has league_id, progress (pending, running or completed), rounds_completed, total_rounds,
    matches_completed, total_matches, standings (best first), and waits_for: in words, or null. If a referee refuses
    its matches, warnings has a sentence about it.
    """
    from turnstile.cli.league.ask import ask_for_board

    ask_for_board(manager, as_json=as_json)


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
@league_option
@click.option(
    "--in-process",
    is_flag=True,
    help="All in this process, in virtual time: by far the fastest. For counting; see above.",
)
@click.option(
    "--time-scale",
    "time_scale",
    type=click.FloatRange(0, 1, min_open=True),
    callback=number,
    default=1.0,
    show_default=True,
    help="Shorten all time limits: 0.1 makes 30 seconds 3. Of processes; virtual time needs none.",
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
    help="The folder for matches, histories, logs and the report of processes.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Of the manager; by default any that is free.")
@click.option("--seed", help="What random strategies draw from; within one process, all that is drawn.")
@click.option(
    "--report",
    "report_to",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Within one process: write the report there. Processes write it into the data folder.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="A line of JSON for each round that ends, as 'turnstile league status --json' prints it, for programs.",
)
def run(
    players: int,
    strategies: tuple[str, ...],
    game_type: str,
    league_id: str | None,
    in_process: bool,
    report_to: Path | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Run a whole league, show its rounds and standings as they change, and end with a table.

    \b
    Processes, and a page to watch:  turnstile league run --players 8 --referees 2
    The same, much faster:           turnstile league run --players 8 --in-process
    Your strategy among ours:        turnstile league run --strategy python:mine:choose --strategy random

    Stopped with Ctrl-C (status 130) or SIGTERM (0), or killed, a league of processes goes on where it was when the same
    command is given again.

    With --in-process nothing is kept but the --report, and no time passes: --time-scale and --data change nothing, a
    python: strategy that hangs hangs the league, and command: is refused.
    """
    from turnstile.cli.league import run as league_run

    source = click.get_current_context().get_parameter_source("time_scale")
    if in_process and source is not ParameterSource.DEFAULT:
        click.echo("--time-scale changes nothing here: with --in-process no time passes.", err=True)
    refuse_game(game_type)
    if report_to is not None and not in_process:
        raise click.UsageError("--report is for --in-process; processes write their report into the data folder.")
    chosen = strategies or (DEFAULT_STRATEGIES if game_type == GAME_TYPE else OTHER_STRATEGIES)
    league_run.refuse_strategies(chosen)
    refuse_misfits(chosen, game_type)
    plan = league_run.Plan(
        league_id=league_named(league_id, game_type),
        strategies=[chosen[number % len(chosen)] for number in range(players)],
        game_type=game_type,
        **given,
    )
    if in_process:
        league_run.run_in_process(plan, as_json=as_json, report_to=report_to)
    else:
        league_run.run_processes(plan, as_json=as_json)


def _name(role: str, port: int) -> str:
    """A name that is the same after a restart."""
    return f"{role}-{port}" if port else role


def _listed(entry: str) -> tuple[str, str]:
    name, is_given, url = entry.partition("=")
    if not (name and is_given and url):
        raise click.UsageError(f"{entry!r} is no player: give NAME=URL.")
    return name, url
