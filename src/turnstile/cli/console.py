"""The console on which commands print tables and sentences."""

from rich.console import Console


def plain_console(*, stderr: bool = False, highlight: bool = True, soft_wrap: bool = False) -> Console:
    """A console that prints names as they are. Rich would make a picture of `:star:` in `mine:star: it wins`."""
    return Console(stderr=stderr, highlight=highlight, soft_wrap=soft_wrap, emoji=False)
