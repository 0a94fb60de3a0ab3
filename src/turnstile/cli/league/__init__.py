"""`turnstile league`: runs a whole league or one of its agents, and talks to a manager that runs."""

import click

from turnstile.cli.lazy import LazyGroup, Place

COMMANDS = {
    "run": Place("turnstile.cli.league.commands:run", "Run a whole league, and show its rounds and standings"),
    "manager": Place("turnstile.cli.league.commands:manager", "Run the league manager"),
    "referee": Place("turnstile.cli.league.commands:referee", "Run a referee"),
    "player": Place("turnstile.cli.league.commands:player", "Run a player"),
    "start": Place("turnstile.cli.league.commands:start", "Start a league whose manager waits for this command"),
    "status": Place("turnstile.cli.league.commands:status", "Show the progress of a league and its standings"),
}


@click.group(cls=LazyGroup, places=COMMANDS)
def league() -> None:
    """Run the Even/Odd league: agents that play each other over HTTP (league.v2).

    \b
    A whole league at once:
      turnstile league run --players 8 --referees 2

    \b
    The same agents one by one, each in its own terminal, the manager first:
      turnstile league manager --players 2
      turnstile league referee
      turnstile league player --name Juniper --port 8101
      turnstile league player --name Sorrel --port 8102 --strategy history

    A manager without --players waits for: turnstile league start

    Every agent keeps a log in the data folder and resumes from it after a restart. Matches are written to
    DATA/data/matches/LEAGUE, the history of a player to DATA/data/players/ID. GET /health and /metrics report the
    state of an agent.
    """
