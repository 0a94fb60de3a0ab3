"""Bots by name, as commands take them. Kept apart from the other arguments because few commands need bots."""

import csv
from collections.abc import Sequence
from random import Random
from typing import Any

import click

from turnstile.bots import Bot, bots_of
from turnstile.cli.errors import Failed, unknown_name
from turnstile.cli.streams import ignore_closed_pipes, stdout_on_stderr
from turnstile.kernel import AnyGame, Move
from turnstile.lab.own_bots import USUAL_SECONDS, BotFailed, InvalidBot, is_own, load_bot


def split_names(text: str) -> list[str]:
    """The names in a list with commas. A name with a comma is put between double quotes."""
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True))]


def find_bot(game: AnyGame, name: str | None, seconds: float = USUAL_SECONDS) -> str:
    """The name of a bot that plays this game, by default the best one; or a usage error that lists the bots.

    A bot that the user brings is loaded, so that an error shows before anything is played.
    """
    known = tuple(bots_of(game))
    if name is None:
        return known[0]
    if ":" not in name and name not in known:
        raise unknown_name(f"{game.name} bot", name, known)
    try:
        with stdout_on_stderr():
            load_bot(game, name, seconds)
    except InvalidBot as fault:
        raise click.UsageError(str(fault)) from None
    return name


def find_different_bots(game: AnyGame, names: str, seconds: float) -> tuple[str, ...]:
    """The bots of a contest: at least two, all different."""
    bots = tuple(find_bot(game, name, seconds) for name in split_names(names))
    twice = next((bot for bot in bots if bots.count(bot) > 1), None)
    if twice is not None:
        raise click.UsageError(f"{twice} is named twice: the bots must be different.")
    if len(bots) < 2:
        raise click.UsageError("Name at least two bots, separated by commas.")
    return bots


def find_server_bot(game: AnyGame, name: str | None) -> str:
    """The name of a bot that a server has, too."""
    if name is not None and is_own(game, name):
        raise click.UsageError(f"A server has its own bots only: {', '.join(bots_of(game))}.")
    return find_bot(game, name)


def quiet_bot(game: AnyGame, name: str) -> Bot[Any]:
    """A bot that cannot print between the lines of a match: a bot that the user brings prints on standard error."""
    bot = load_bot(game, name)
    if not is_own(game, name):
        return bot
    ignore_closed_pipes()  # of programs: if one dies, this process must not

    def choose(view: Any, actions: Sequence[Move], rng: Random) -> Move:
        with stdout_on_stderr():
            return bot(view, actions, rng)

    return choose


def bot_failure(fault: BotFailed) -> Failed:
    """The error for a bot that failed. What its author needs to see is printed first, as it is."""
    if fault.detail.strip():
        click.echo(f"{fault.detail.rstrip()}\n", err=True)
    return Failed(fault.sentence)
