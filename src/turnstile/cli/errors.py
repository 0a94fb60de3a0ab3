"""Errors that end a command. `turnstile.cli.main` prints each as one sentence and exits with its status."""

from collections.abc import Sequence
from difflib import get_close_matches

import click

FAILED = 1
REFUSED = 2


class Failed(click.ClickException):
    """The command ran, and its answer is bad news: a damaged record, a manager that does not answer."""

    exit_code = FAILED


def unknown_name(kind: str, name: str, known: Sequence[str], context: click.Context | None = None) -> click.UsageError:
    """The usage error for a name that is not among the known ones: it lists them, and suggests a similar one."""
    close = get_close_matches(name, known, n=1, cutoff=0.4)
    hint = f" Did you mean {close[0]}?" if close else ""
    return click.UsageError(f"There is no {kind} {name!r}. Choose one of: {', '.join(known)}.{hint}", context)
