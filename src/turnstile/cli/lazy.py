"""Groups of commands that import the module of a command only when the command runs.

The help of a group needs the name and one sentence of each command, so the group keeps both itself.
"""

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any, NamedTuple

import click

from turnstile.cli.interrupts import exit_on_interrupt


class Place(NamedTuple):
    """Where a command is defined, and the sentence that the help of its group shows."""

    path: str
    """`module:attribute`"""
    short_help: str


class LazyCommands(MutableMapping[str, click.Command]):
    """Commands by name. Looking one up imports its module; listing the names imports nothing."""

    def __init__(self, places: Mapping[str, Place]) -> None:
        self.places = dict(places)
        self.loaded: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self.loaded:
            module, _, attribute = self.places[name].path.partition(":")
            with exit_on_interrupt():
                self.loaded[name] = getattr(import_module(module), attribute)
        return self.loaded[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self.loaded[name] = command

    def __delitem__(self, name: str) -> None:
        del self.loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self.places, **self.loaded})

    def __len__(self) -> int:
        return len({**self.places, **self.loaded})


class LazyGroup(click.Group):
    """A group that knows where its commands are. Without a command it shows its help."""

    def __init__(self, name: str | None = None, *, places: Mapping[str, Place], **settings: Any) -> None:
        super().__init__(name, LazyCommands(places), no_args_is_help=False, **settings)
        self.places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of the table, in which a newcomer should read of them."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.short_help) for name, place in self.places.items()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)
