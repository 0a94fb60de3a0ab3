"""The commands of `turnstile league`: their options, and the checks that need no agent.

The HTTP client and server that agents use are imported inside the commands, so that `--help` answers at once.
"""

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from turnstile.agents.launch.defaults import DEFAULT_CAPACITY, MANAGER_PORT, PLAYER_PORT, REFEREE_PORT
from turnstile.cli.json_option import json_option
from turnstile.cli.league.options import (
    common,
    game_option,
    league_named,
    league_option,
    manager_option,
    name_option,
    refuse_game,
    refuse_misfits,
    shutdown_option,
)
from turnstile.cli.numbers import number
from turnstile.kernel.chance import Seed
from turnstile.league.manager.state import MOST_PLAYERS, Options
from turnstile.league.protocol.words import GAME_TYPE, LeagueId

DEFAULT_STRATEGIES = ("random", "history", "alternating", "always:even")
OTHER_STRATEGIES = ("bot", "random")


@click.command()
@common(MANAGER_PORT)
@league_option
@game_option
@click.option(
    "--players",
    "expected",
    type=click.IntRange(2),
    help="Start when this many players and a referee have registered. By default, wait for 'turnstile league start'.",
)
@click.option(
    "--most-players",
    type=click.IntRange(2, 10_000),
    default=MOST_PLAYERS,
    show_default=True,
    help="Accept at most this many players.",
)
@click.option(
    "--player",
    "listed",
    multiple=True,
    metavar="NAME=URL",
    help="Add a player that cannot register itself. May be repeated.",
)
@click.option(
    "--verify-endpoints/--no-verify-endpoints",
    "verifies",
    default=None,
    help="Challenge every agent that registers, at its endpoint. On by default if --allow or --public is used.",
)
@click.option(
    "--admin-token",
    envvar="TURNSTILE_ADMIN_TOKEN",
    metavar="TOKEN",
    help="Accept START_LEAGUE from any machine that sends this token. By default only this machine may send it.",
)
@click.option(
    "--referee-key",
    envvar="TURNSTILE_REFEREE_KEY",
    metavar="KEY",
    help="Accept only referees with this key. By default one is made and printed if --allow or --public is used.",
)
@click.option(
    "--open-referees",
    is_flag=True,
    help="Accept any referee without a key. A referee decides the results of its matches.",
)
@click.option("--once", is_flag=True, help="Exit when the league is over and all agents have been told.")
@click.option(
    "--shut-down-agents",
    is_flag=True,
    help="If the manager is stopped before the league is over, send SHUTDOWN_COMMAND to all agents.",
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
    """Run the league manager.

    It registers the agents, pairs the players, announces the rounds and keeps the standings.

    \b
    Start with four players:       turnstile league manager --players 4
    Start on command:              turnstile league manager, and then: turnstile league start
    Add a player by its endpoint:  turnstile league manager --player Other=http://localhost:8150/mcp
    """
    from turnstile.agents.manager.process import ManagerProcess
    from turnstile.cli.league.agents import run

    refuse_game(game_type)
    if expected is not None and expected > most_players:
        raise click.UsageError(
            f"--players {expected} is more than --most-players {most_players}: raise --most-players."
        )
    league = league_named(league_id, game_type)
    options = Options(league_id=league, game_type=game_type, expected_players=expected, most_players=most_players)
    players = [read_player(entry) for entry in listed]
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


@click.command()
@common(REFEREE_PORT)
@manager_option
@shutdown_option
@name_option("Referee")
@click.option(
    "--capacity",
    type=click.IntRange(1, 10_000),
    default=DEFAULT_CAPACITY,
    show_default=True,
    help="How many matches to run at a time; further matches wait.",
)
@click.option(
    "--trust-posts/--no-trust-posts",
    default=None,
    help="Accept an answer that a player posts without the conversation id of its question, if the player acknowledged "
    "the question. By default only from this machine, and only without --allow and --public.",
)
@click.option("--key", envvar="TURNSTILE_REFEREE_KEY", metavar="KEY", help="The --referee-key of the league manager.")
def referee(name: str | None, capacity: int, trust_posts: bool | None, key: str | None, **given: Any) -> None:
    """Run a referee.

    It runs the matches that the manager assigns to it, and reports their results. It exits when the league is over and
    its matches have ended; with status 1 if it cannot register.

    \b
    On the manager's machine:      turnstile league referee
    A second one:                  turnstile league referee --name Flag --port 8002
    With a manager elsewhere:      turnstile league referee --manager http://HOST:8000/mcp --allow HOST --key KEY
    """
    from turnstile.agents.referee.process import RefereeProcess
    from turnstile.cli.league.agents import run

    run(
        lambda settings: RefereeProcess(settings, capacity=capacity, trusts_posts=trust_posts, key=key or ""),
        name=name or default_name("Referee", given["port"]),
        **given,
    )


@click.command()
@common(PLAYER_PORT)
@manager_option
@shutdown_option
@name_option("Player")
@click.option("--strategy", default="random", show_default=True, help="The strategy that chooses the moves; see above.")
@click.option("--seed", help="The seed of the random strategy, to repeat a run.")
@click.option(
    "--accept-unannounced",
    is_flag=True,
    help="Accept invitations to matches that were not announced; some leagues need this.",
)
def player(name: str | None, strategy: str, seed: str | None, accept_unannounced: bool, **given: Any) -> None:
    """Run a player.

    It exits when the league is over; with status 1 if it cannot register.

    \b
    Strategies:
      random                   even or odd with equal probability
      always:even, always:odd  always the same
      alternating              even, odd, even, odd
      history                  the opposite of what the opponent has chosen most often
      bot, bot:NAME            for games other than Even/Odd: the best bot of the game, or the bot NAME
      python:MODULE:FUNCTION   your function: it takes a dictionary and returns "even" or "odd"
      command:PROGRAM          your program: it reads a line of JSON and prints "even" or "odd"

    Your strategy runs in a separate process, which is killed if it takes too long; the player then answers "even". In
    other games your strategy gets the moves as move.request.valid_options, and returns one of them or its number.
    """
    from turnstile.agents.player.process import PlayerProcess
    from turnstile.agents.process.process import Settings
    from turnstile.agents.strategies.custom import refuse_strategy
    from turnstile.cli.league.agents import run

    def make(settings: Settings) -> PlayerProcess:
        refuse_strategy(strategy)
        drawn = None if seed is None else Seed(seed)
        return PlayerProcess(settings, strategy, seed=drawn, accepts_unannounced=accept_unannounced)

    run(make, name=name or default_name("Player", given["port"]), **given)


@click.command()
@manager_option
@click.option("--league", "league_id", help="Start only if the manager runs this league.")
@click.option(
    "--token",
    envvar="TURNSTILE_ADMIN_TOKEN",
    metavar="TOKEN",
    help="The --admin-token of the manager; not needed on the manager's own machine.",
)
def start(manager: str, league_id: str | None, token: str | None) -> None:
    """Start a league whose manager waits for this command.

    Exits with 1 if the league does not start, or is over.

    \b
    Example:
      turnstile league manager &
      turnstile league start
    """
    from turnstile.cli.league.ask import ask_to_start

    ask_to_start(manager, None if league_id is None else LeagueId(league_id), token)


@click.command()
@manager_option
@json_option("Print a line of JSON for programs; see above.")
def status(manager: str, as_json: bool) -> None:
    """Show the progress of a league and its standings.

    Also says what the league waits for. Exits with 1 if the manager does not answer.

    The line of JSON has league_id, progress (pending, running or completed), rounds_completed, total_rounds,
    matches_completed, total_matches, standings (best first), and waits_for: in words, or null. If a referee refuses
    its matches, warnings has a sentence about it.
    """
    from turnstile.cli.league.ask import ask_for_board

    ask_for_board(manager, as_json=as_json)


@click.command()
@click.option("--players", type=click.IntRange(2, 10_000), default=8, show_default=True, help="How many players.")
@click.option("--referees", type=click.IntRange(1, 1_000), default=2, show_default=True, help="How many referees.")
@click.option(
    "--strategy",
    "strategies",
    multiple=True,
    help="The strategy of the first player, the second, and so on, then from the start. By default one of each kind.",
)
@game_option
@league_option
@click.option(
    "--in-process",
    is_flag=True,
    help="Run everything in this process, in virtual time: by far the fastest, but nothing is stored; see above.",
)
@click.option(
    "--time-scale",
    "time_scale",
    type=click.FloatRange(0, 1, min_open=True),
    callback=number,
    default=1.0,
    show_default=True,
    help="Shorten all time limits: 0.1 makes 30 seconds 3. No effect with --in-process.",
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
    help="The folder for matches, histories, logs and the report. Not used with --in-process.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The port of the manager; by default any free port."
)
@click.option("--seed", help="The seed of the random strategies; with --in-process, of everything random.")
@click.option(
    "--report",
    "report_to",
    type=click.Path(dir_okay=False, path_type=Path),
    help="With --in-process: write the report to this file. Without it, the report is in the data folder.",
)
@json_option("Print a line of JSON after each round, like 'turnstile league status --json'.")
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
    """Run a whole league, and show its rounds and standings.

    \b
    A process for each agent, and a web page:  turnstile league run --players 8 --referees 2
    In one process, much faster:               turnstile league run --players 8 --in-process
    Your strategy against ours:                turnstile league run --strategy python:mine:choose --strategy random

    If a league of processes is stopped with Ctrl-C (exit status 130) or SIGTERM (0), or is killed, the same command
    resumes it.

    --in-process stores nothing but the --report. It uses virtual time, so --time-scale and --data have no effect. A
    python: strategy that hangs stops the league, and command: strategies are refused.
    """
    from turnstile.cli.league import run as league_run

    source = click.get_current_context().get_parameter_source("time_scale")
    if in_process and source is not ParameterSource.DEFAULT:
        click.echo("--time-scale has no effect with --in-process, which uses virtual time.", err=True)
    refuse_game(game_type)
    if report_to is not None and not in_process:
        raise click.UsageError("--report needs --in-process; without it the report is in the data folder.")
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


def default_name(role: str, port: int) -> str:
    """The name of an agent that was given none. It is the same after a restart."""
    return f"{role}-{port}" if port else role


def read_player(entry: str) -> tuple[str, str]:
    """The name and the endpoint in `NAME=URL`."""
    name, is_given, url = entry.partition("=")
    if not (name and is_given and url):
        raise click.UsageError(f"Invalid --player {entry!r}: give NAME=URL.")
    return name, url
