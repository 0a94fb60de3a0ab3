"""The program `turnstile`: gathers the commands, and prints every error as one sentence.

A command is imported when it runs, so that each starts without the libraries that it does not use.
"""

import signal
import sys
from collections.abc import Sequence
from io import TextIOWrapper

import click

from turnstile.cli.errors import FAILED, REFUSED, Failed
from turnstile.cli.interrupts import INTERRUPTED
from turnstile.cli.lazy import LazyGroup, Place
from turnstile.cli.streams import discard_unwritten, replace_closed_streams

__all__ = ["main", "run", "turnstile"]

COMMANDS = {
    "serve": Place("turnstile.cli.server.serve:serve", "Serve tables over HTTP and WebSocket"),
    "play": Place("turnstile.cli.play.command:play", "Play a game against bots, or at a table of a server"),
    "games": Place("turnstile.cli.games:games", "List the installed games, or describe one of them"),
    "diagram": Place("turnstile.cli.diagram:diagram", "Draw a machine as a state diagram"),
    "check": Place("turnstile.cli.check:check", "Prove what can be proved about a machine, and sample the rest"),
    "step": Place("turnstile.cli.step:step", "Apply events to states, a line of JSON each"),
    "simulate": Place(
        "turnstile.cli.lab.simulate:simulate", "Let bots play many matches, and print how often each wins"
    ),
    "tournament": Place(
        "turnstile.cli.lab.tournament:tournament",
        "Let bots play a round robin, and print who is better, and how certain that is",
    ),
    "arena": Place("turnstile.cli.lab.arena:arena", "Let one bot, such as your own, play against each of the others"),
    "actions": Place(
        "turnstile.cli.lab.actions:actions", "List the action ids of a game, or what its observations hold"
    ),
    "report": Place(
        "turnstile.cli.lab.report:report", "Make a page with plots from a simulation, a tournament or a league"
    ),
    "solve": Place("turnstile.cli.lab.solve:solve", "Solve a game that is small enough, and print the strategy"),
    "replay": Place("turnstile.cli.records:replay", "Replay a record and tell the match as a player saw it"),
    "verify": Place("turnstile.cli.records:verify", "Check that a record is intact and that its deal was fair"),
    "matches": Place(
        "turnstile.cli.matches:matches", "Manage stored tables: list, show, export, prune, check, rebuild"
    ),
    "league": Place("turnstile.cli.league:league", "Run the Even/Odd league: agents that play each other over HTTP"),
}


@click.group(
    cls=LazyGroup,
    places=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="turnstile")
def turnstile() -> None:
    """Turn-based games with hidden information, run by pure state machines.

    \b
    Play a game against a bot:      turnstile play e-card
    Let others play over a network: turnstile serve
    List the installed games:       turnstile games
    Draw the machine of a game:     turnstile diagram e-card
    Prove what can be proved:       turnstile check e-card
    Let bots play 100,000 matches:  turnstile simulate e-card --matches 100000
    Compare bots:                   turnstile tournament 66 --bots attentive,random
    Try a bot of your own:          turnstile arena 66 --bots mine:choose,attentive
    Make a page of the results:     turnstile report matches.jsonl
    Solve a decisive round exactly: turnstile solve e-card
    Manage stored tables:           turnstile matches list --store tables.db
    Run a whole league:             turnstile league run --players 8

    'turnstile COMMAND --help' explains a command with examples.

    Exit status: 0 success; 1 the command found a problem, such as a damaged record; 2 the arguments are invalid, or
    the command could not be carried out; 130 stopped with Ctrl-C.
    """


def main() -> None:
    """The entry point of the program."""
    replace_closed_streams()
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # end quietly when the reader closes the pipe, as is usual
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ♥ still shows the rest
    status = run()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is over: one more Ctrl-C must not change the exit status
    sys.exit(status)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command, by default that of `sys.argv`, and return its exit status. An error is printed as one sentence."""
    try:
        status: int | None = turnstile.main(arguments, prog_name="turnstile", standalone_mode=False)
    except click.UsageError as fault:
        name = fault.ctx.command_path if fault.ctx else "turnstile"
        click.echo(f"{name}: {_sentence(fault.format_message())} See '{name} --help'.", err=True)
        return REFUSED
    except click.ClickException as fault:
        click.echo(f"turnstile: {_sentence(fault.format_message())}", err=True)
        return fault.exit_code if isinstance(fault, Failed) else REFUSED
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except OSError as fault:
        where = fault.filename or "Standard output, or a file"
        click.echo(f"turnstile: {where}: {_sentence(fault.strerror or str(fault))}", err=True)
        discard_unwritten()
        return REFUSED
    except Exception as fault:
        from turnstile.registry import PackageFault  # only now, because it is seldom needed

        if not isinstance(fault, PackageFault):
            raise  # a bug, which must be seen
        click.echo(f"{fault.detail}turnstile: {_sentence(fault.sentence)}", err=True)
        return FAILED
    return status or 0


def _sentence(text: str) -> str:
    """The text on one line that ends with a full stop."""
    line = " ".join(text.split())
    return line if line.endswith((".", "?", "!")) else f"{line}."
