"""Options that the commands of the league share, and what is refused as soon as it is said."""

from collections.abc import Callable, Iterable
from ipaddress import ip_network
from math import isnan
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import click

from turnstile.agents.launch.defaults import MANAGER_URL
from turnstile.kernel.values import LONGEST_ID
from turnstile.league.protocol.words import DEFAULT_LEAGUE, GAME_TYPE, LeagueId

F = TypeVar("F", bound=Callable[..., Any])


def endpoint(context: click.Context, parameter: click.Parameter, url: str | None) -> str | None:
    """The address of an agent. Whether it may be called is another question: here it could never be."""
    from turnstile.net.addresses import THIS_MACHINE, allowing, refusal

    if url is not None and (why := refusal(url, allowing(THIS_MACHINE, host_of(url)))):
        raise click.BadParameter(f"{url!r} is {why}; give it as http://HOST:PORT/mcp.")
    return url


def host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def places(context: click.Context, parameter: click.Parameter, entries: tuple[str, ...]) -> tuple[str, ...]:
    """Hosts and networks."""
    from turnstile.net.addresses import NAME

    for entry in entries:
        try:
            ip_network(entry)
        except ValueError as fault:
            if "/" in entry or not NAME.fullmatch(entry.lower()):
                raise click.BadParameter(f"{entry!r} is neither a host nor a network: {fault}.") from None
    return entries


def number(context: click.Context, parameter: click.Parameter, value: float) -> float:
    """A range of numbers lets through what is none: it is neither too small nor too large."""
    if isnan(value):
        raise click.BadParameter("nan is no number.")
    return value


def agent_name(context: click.Context, parameter: click.Parameter, name: str | None) -> str | None:
    """A name as a league shows it: it would leave out what cannot be printed, and what is too long."""
    if name is not None and not (name.isprintable() and len(name) <= LONGEST_ID):
        raise click.BadParameter(f"{name!r} is no name: give at most {LONGEST_ID} letters, all of them visible ones.")
    return name


def name_option(role: str) -> Callable[[F], F]:
    """What an agent is called, and what it is called by default."""
    words = f"What it is called; by default {role} and the port. With --port 0, two need two names."
    return click.option("--name", callback=agent_name, help=words)


shutdown_option = click.option(
    "--accept-shutdown",
    "accepts_shutdown",
    is_flag=True,
    help="End when the league manager sends SHUTDOWN_COMMAND. By default the command is unknown.",
)
COMMON = (
    click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on."),
    click.option(
        "--endpoint",
        metavar="URL",
        callback=endpoint,
        help="How others reach this agent, if not at http://HOST:PORT/mcp; a player or referee at 0.0.0.0 needs it.",
    ),
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
        "time_scale",
        type=click.FloatRange(0, 1, min_open=True),
        callback=number,
        default=1.0,
        show_default=True,
        help="Shorten all time limits: 0.1 makes 30 seconds 3. The same for all agents of a league.",
    ),
    click.option(
        "--allow",
        multiple=True,
        metavar="HOST|NETWORK",
        callback=places,
        help="Call agents there. By default, and only then, those on this machine. May be repeated.",
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
        help="Say when it is ready as a line of JSON: role, name, endpoint, port, pid, and a hint if there is one.",
    ),
    click.option("--with-launcher", is_flag=True, hidden=True, help="End with whoever holds our standard input."),
)
"""The options that all agents have, but for the port."""


def common(port: int) -> Callable[[F], F]:
    """The options that all agents have; each kind has a port of its own."""
    port_option = click.option(
        "--port",
        type=click.IntRange(0, 65535),
        default=port,
        show_default=True,
        help="The port to listen on; 0 is any that is free, and the same again after a restart.",
    )

    def add(command: F) -> F:
        for option in reversed((port_option, *COMMON)):
            command = option(command)
        return command

    return add


game_option = click.option(
    "--game", "game_type", default=GAME_TYPE, show_default=True, help="What is played: any game for two."
)


def refuse_game(game_type: str) -> None:
    """A usage error for a game that no league can play."""
    from turnstile.agents.strategies.games import games_for_two

    if game_type not in games_for_two():
        raise click.UsageError(f"No league can play {game_type!r}; there are: {', '.join(games_for_two())}.")


def refuse_misfits(strategies: Iterable[str], game_type: str) -> None:
    """A usage error for a strategy that knows nothing of the game: it would move at random, or as another does."""
    from turnstile.agents.strategies.strategies import strategies_for

    fitting = strategies_for(game_type)
    for text in strategies:
        if text not in fitting and text.partition(":")[0] not in ("python", "command"):
            named = ", ".join((*fitting, "python:MODULE:FUNCTION", "command:PROGRAM"))
            raise click.UsageError(f"{text!r} is no strategy for {game_type}; there are: {named}.")


manager_option = click.option(
    "--manager",
    default=MANAGER_URL,
    show_default=True,
    metavar="URL",
    callback=endpoint,
    help="Where the league manager is.",
)

league_option = click.option(
    "--league",
    "league_id",
    show_default=f"{DEFAULT_LEAGUE.removesuffix(GAME_TYPE)}GAME",
    help="The id of the league: letters, digits, dots, hyphens and underscores.",
)


def league_named(league_id: str | None, game_type: str) -> LeagueId:
    """The league that was asked for, or one for this game. A usage error where no folder could be named after it."""
    from turnstile.agents.process.files import part_of_path

    text = DEFAULT_LEAGUE.replace(GAME_TYPE, game_type) if league_id is None else league_id
    if part_of_path(text) is None:
        raise click.UsageError(f"{text!r} cannot be the name of a folder.")
    return LeagueId(text)
