"""The option `--json`, which all commands that print for programs spell the same way."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def json_option(words: str) -> Callable[[F], F]:
    """Adds `--json`; `words` say what it prints."""
    return click.option("--json", "as_json", is_flag=True, help=words)
