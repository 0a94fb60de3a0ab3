"""`turnstile matches`: manages the stored logs of tables and of league agents."""

import click

from turnstile.cli.lazy import LazyGroup, Place

COMMANDS = {
    "list": Place("turnstile.cli.matches.commands:list_", "List tables"),
    "show": Place("turnstile.cli.matches.commands:show", "Show a table"),
    "export": Place("turnstile.cli.matches.upkeep:export", "Write records of finished matches"),
    "prune": Place("turnstile.cli.matches.upkeep:prune", "Delete finished tables for good"),
    "check": Place("turnstile.cli.matches.upkeep:check", "Check tables for damage; all of them by default"),
    "rebuild": Place("turnstile.cli.matches.upkeep:rebuild", "Rebuild the rows of tables from their logs"),
}


@click.group(cls=LazyGroup, places=COMMANDS)
def matches() -> None:
    """Manage stored tables: list, show, export, prune, check, rebuild.

    The commands work on the logs of league agents too. Only one process can open a SQLite file at a time: stop the
    server first. PostgreSQL can be used while servers run.

    \b
    Examples:
      turnstile matches list --store tables.db
      turnstile matches export --all-finished --to records
      turnstile matches prune --finished-before 30d --export records
    """
