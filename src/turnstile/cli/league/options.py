"""Options that the league commands share, and the checks of their values."""

from collections.abc import Callable, Iterable
from ipaddress import ip_network
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import click

from turnstile.agents.launch.defaults import MANAGER_URL
from turnstile.cli.errors import unknown_name
from turnstile.cli.json_option import json_option
from turnstile.cli.numbers import number
from turnstile.kernel.values import LONGEST_ID
from turnstile.league.protocol.words import DEFAULT_LEAGUE, GAME_TYPE, LeagueId

F = TypeVar("F", bound=Callable[..., Any])


def endpoint(context: click.Context, parameter: click.Parameter, url: str | None) -> str | None:
    """The URL of an agent, or a usage error for a URL that no setting would allow."""
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
    """Check a list of hosts and networks."""
    from turnstile.net.addresses import NAME

    for entry in entries:
        try:
            ip_network(entry)
        except ValueError as fault:
            if "/" in entry or not NAME.fullmatch(entry.lower()):
                raise click.BadParameter(f"Invalid host or network {entry!r}: {fault}.") from None
    return entries


def agent_name(context: click.Context, parameter: click.Parameter, name: str | None) -> str | None:
    """Reject a name that the league would not show in full: one that is too long or has unprintable characters."""
    if name is not None and not (name.isprintable() and len(name) <= LONGEST_ID):
        raise click.BadParameter(f"Invalid name {name!r}: give at most {LONGEST_ID} printable characters.")
    return name


def name_option(role: str) -> Callable[[F], F]:
    """The name of an agent."""
    words = f"The display name; by default {role}-PORT. Agents with --port 0 need different names."
    return click.option("--name", callback=agent_name, help=words)


shutdown_option = click.option(
    "--accept-shutdown",
    "accepts_shutdown",
    is_flag=True,
    help="Exit when the league manager sends SHUTDOWN_COMMAND. By default the message is rejected as unknown.",
)
COMMON = (
    click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on."),
    click.option(
        "--endpoint",
        metavar="URL",
        callback=endpoint,
        help="The URL of this agent for others, if not http://HOST:PORT/mcp. A player or referee on 0.0.0.0 needs it.",
    ),
    click.option(
        "--data",
        type=click.Path(file_okay=False, path_type=Path),
        default=Path("SHARED"),
        show_default=True,
        help="The folder for matches, histories and logs.",
    ),
    click.option("--store", metavar="FILE|URL", help="The store of the log; by default a file in the data folder."),
    click.option(
        "--time-scale",
        "time_scale",
        type=click.FloatRange(0, 1, min_open=True),
        callback=number,
        default=1.0,
        show_default=True,
        help="Shorten all time limits: 0.1 makes 30 seconds 3. All agents of a league need the same value.",
    ),
    click.option(
        "--allow",
        multiple=True,
        metavar="HOST|NETWORK",
        callback=places,
        help="Allow calls to agents at this host or network. By default only this machine is allowed. May be repeated.",
    ),
    click.option("--public", is_flag=True, help="Allow calls to agents on the internet, over https."),
    click.option(
        "--log-format",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="Log lines as text for people or as JSON for programs.",
    ),
    click.option(
        "--log-file",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Write the log to this file instead of stderr.",
    ),
    json_option("When ready, print a line of JSON: role, name, endpoint, port, pid, and perhaps a hint."),
    click.option(
        "--with-launcher",
        is_flag=True,
        hidden=True,
        help="Exit when standard input is closed, as it is when the launcher ends.",
    ),
)
"""The options that all agents have, except the port."""


def common(port: int) -> Callable[[F], F]:
    """The options that all agents have, with the default port of this kind of agent."""
    port_option = click.option(
        "--port",
        type=click.IntRange(0, 65535),
        default=port,
        show_default=True,
        help="The port to listen on; 0 takes any free port, and the same one after a restart.",
    )

    def add(command: F) -> F:
        for option in reversed((port_option, *COMMON)):
            command = option(command)
        return command

    return add


game_option = click.option(
    "--game", "game_type", default=GAME_TYPE, show_default=True, help="The game to play; any game for two players."
)


def refuse_game(game_type: str) -> None:
    """Raise a usage error for a game that no league can play."""
    from turnstile.agents.strategies.games import games_for_two

    if game_type not in games_for_two():
        raise unknown_name("league game", game_type, games_for_two())


def refuse_misfits(strategies: Iterable[str], game_type: str) -> None:
    """Raise a usage error for a strategy that does not know the game."""
    from turnstile.agents.strategies.strategies import strategies_for

    fitting = strategies_for(game_type)
    for text in strategies:
        if text not in fitting and text.partition(":")[0] not in ("python", "command"):
            named = ", ".join((*fitting, "python:MODULE:FUNCTION", "command:PROGRAM"))
            raise click.UsageError(f"Invalid strategy {text!r} for {game_type}. Choose one of: {named}.")


manager_option = click.option(
    "--manager",
    default=MANAGER_URL,
    show_default=True,
    metavar="URL",
    callback=endpoint,
    help="The URL of the league manager.",
)

league_option = click.option(
    "--league",
    "league_id",
    show_default=f"{DEFAULT_LEAGUE.removesuffix(GAME_TYPE)}GAME",
    help="The id of the league: letters, digits, dots, hyphens and underscores.",
)


def league_named(league_id: str | None, game_type: str) -> LeagueId:
    """The league with this id, by default one named after the game. A usage error if no folder can have that name."""
    from turnstile.durable.files import LONGEST_PART, part_of_path

    text = DEFAULT_LEAGUE.replace(GAME_TYPE, game_type) if league_id is None else league_id
    if part_of_path(text) is None:
        raise click.UsageError(
            f"Invalid league id {text!r}: use at most {LONGEST_PART} letters, digits, dots, hyphens and underscores, "
            "without a dot at the start."
        )
    return LeagueId(text)
