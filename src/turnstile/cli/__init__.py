"""The command line. Each command is a module; this one gathers them and turns every failure into one sentence."""

import signal
import sys
from io import TextIOWrapper

import click

from turnstile.cli.arguments import INTERRUPTED
from turnstile.cli.check import check
from turnstile.cli.diagram import diagram
from turnstile.cli.games import games
from turnstile.cli.league import commands as league_commands
from turnstile.cli.matches import commands as matches_commands
from turnstile.cli.play import play
from turnstile.cli.records import replay, verify
from turnstile.cli.simulate import simulate
from turnstile.cli.step import step
from turnstile.cli.streams import forget_unwritten, open_closed

__all__ = ["main", "turnstile"]


@click.group(
    no_args_is_help=False,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="turnstile")
@click.pass_context
def turnstile(context: click.Context) -> None:
    """Turn-based games with hidden information, run by pure state machines.

    \b
    Play a game against a bot:      turnstile play e-card
    See what is installed:          turnstile games
    Draw the machine of a game:     turnstile diagram e-card
    Prove what can be proved:       turnstile check e-card
    Let bots play 100,000 matches:  turnstile simulate e-card --matches 100000
    Look after stored tables:       turnstile matches list --store tables.db
    Run an agent of the league:     turnstile league player --help

    Exit status: 0 all is well; 1 something was found wanting, such as a damaged record; 2 the command could not be
    understood or done; 130 it was stopped with Ctrl-C.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


groups = matches_commands.matches, league_commands.league
for command in (play, games, diagram, check, step, simulate, replay, verify, *groups):
    turnstile.add_command(command)


def main() -> None:
    """What the program `turnstile` does."""
    open_closed()
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # whoever has heard enough ends us quietly, as is usual
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without hearts still shows the rest
    try:
        status = turnstile.main(prog_name="turnstile", standalone_mode=False)
    except click.UsageError as fault:
        name = fault.ctx.command_path if fault.ctx else "turnstile"
        click.echo(f"{name}: {_sentence(fault.format_message())} See '{name} --help'.", err=True)
        status = 2
    except click.ClickException as fault:
        click.echo(f"turnstile: {_sentence(fault.format_message())}", err=True)
        status = 2
    except (click.Abort, KeyboardInterrupt):
        status = INTERRUPTED
    except OSError as fault:
        where = fault.filename or "Standard output, or a file"
        click.echo(f"turnstile: {where}: {_sentence(fault.strerror or str(fault))}", err=True)
        forget_unwritten()
        status = 2
    sys.exit(status or 0)


def _sentence(text: str) -> str:
    """One line that ends with a full stop."""
    line = " ".join(text.split())
    return line if line.endswith((".", "?", "!")) else f"{line}."
