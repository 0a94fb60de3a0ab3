"""The progress bar of commands that take a while."""

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


def progress_bar(console: Console, *more: str, is_transient: bool = False) -> Progress:
    """A bar with its description, how many of how many are done, `more` columns of text, and the time remaining."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), *map(TextColumn, more))
    return Progress(*columns, TimeRemainingColumn(), console=console, transient=is_transient)
