"""Bots by name, as commands take them. Kept apart from the other arguments because few commands need bots."""

import click

from turnstile.bots import bots_of
from turnstile.bots.names import SEARCH
from turnstile.cli.errors import unknown_name
from turnstile.kernel import AnyGame


def find_bot(game: AnyGame, name: str | None) -> str:
    """The name of a bot that plays this game, by default the best one; or a usage error that lists the bots."""
    known = bots_of(game)
    if name is not None and name.partition(":")[0] == SEARCH in known and name not in known:
        raise click.UsageError(
            f"Invalid budget in {name!r}: write search:500 for 500 imagined matches, or search:0.2s for a time."
        )
    if name is not None and name not in known:
        raise unknown_name(f"{game.name} bot", name, tuple(known))
    return name or next(iter(known))
