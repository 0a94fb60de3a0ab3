"""The choices of a player in a terminal: what the player types for each, how they are listed and explained."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from turnstile.cli.terminals import Terminal
from turnstile.cli.terminals.words import join_words
from turnstile.kernel import Move

Choices = Mapping[str, Move]
"""The actions by what the player types for them, in the order of the list."""

LEAVE = ("q", "quit", "exit")
HELP = ("?", "h", "help")


def choices_of(terminal: Terminal[Any], actions: Sequence[Move]) -> Choices:
    """The choices, those under one heading next to each other. The keys are those of the game, or else numbers."""
    headings = list(dict.fromkeys(map(terminal.heading, actions)))
    listed = sorted(actions, key=lambda action: headings.index(terminal.heading(action)))
    keys = [terminal.key(action) for action in listed]
    known = [key for key in keys if key is not None]
    if len(set(known)) == len(listed):
        return dict(zip(known, listed, strict=True))
    return {str(number): action for number, action in enumerate(listed, start=1)}


def listing(terminal: Terminal[Any], choices: Choices) -> RenderableType:
    """The choices: one below the other, or side by side under a common heading."""
    parts: list[RenderableType] = []
    label = terminal.label or terminal.name
    for heading, group in groupby(choices.items(), key=lambda item: terminal.heading(item[1])):
        under = list(group)
        if heading and len(under) > 1:
            parts += [Text(heading), _side_by_side([f"{key:>3}  {label(action)}" for key, action in under])]
        else:
            parts += [Text(f"{key:>3}  {terminal.name(action)}") for key, action in under]
    return Group(*parts)


def _side_by_side(texts: Sequence[str]) -> RenderableType:
    return Columns([Text(text) for text in texts], padding=(0, 1), equal=True)


def explanation(rules: str, terminal: Terminal[Any], choices: Choices) -> RenderableType:
    """The rules, and what each choice means."""
    from rich.markdown import Markdown  # slow to import, and only needed when a player asks

    meanings = Table.grid(padding=(0, 2))
    for meaning, under in groupby(
        choices.items(), key=lambda item: terminal.meaning(item[1]) or terminal.name(item[1])
    ):
        meanings.add_row(Text(f"  {span([key for key, _ in under])}"), Text(meaning))
    return Group(Markdown(rules), Text(), Text("Your choices now", style="bold"), meanings)


def span(keys: Sequence[str]) -> str:
    """Keys in short: `3`, `3 to 7`, or `3, 5, 9`."""
    numbers = [int(key) if key.isdecimal() else None for key in keys]
    is_run = None not in numbers and numbers == list(range(int(keys[0]), int(keys[0]) + len(keys)))
    return f"{keys[0]} to {keys[-1]}" if is_run and len(keys) > 1 else ", ".join(keys)


def reminder(choices: Choices) -> str:
    """The sentence that says what a player may type."""
    keys = list(choices)
    is_counted = keys == [str(number) for number in range(1, len(keys) + 1)]
    which = f"a number from 1 to {len(keys)}" if is_counted and len(keys) > 1 else join_words(keys, "or")
    return f"Type {which}, ? for the rules, or q to leave."
