"""A person at a terminal: is told what happens, is shown the match, and chooses."""

import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console

from turnstile.cli.games import rules_of
from turnstile.cli.terminals import Terminal, terminal_of
from turnstile.cli.terminals.choices import HELP, LEAVE, Choices, choices_of, explanation, listing, reminder
from turnstile.kernel import AnyGame, Message, Move, PlayerId, Players


class Left(Exception):
    """The player has left the table."""


class TerminalPlayer:
    """One player of a match. It gets views and actions, and knows no rules."""

    def __init__(self, game: AnyGame, me: PlayerId, players: Players, console: Console) -> None:
        self.game, self.me, self.console = game, me, console
        self.terminal: Terminal[Any] = terminal_of(game, players)

    def tell(self, message: Message) -> None:
        """Print what a message says."""
        if sentence := self.terminal.tell(message, self.me):
            self.console.print(sentence, markup=False)

    def choose(self, view: Any, actions: Sequence[Move]) -> Move:
        """Ask the player for a choice. If there is only one, it is made at once, and the player is told so.

        Raises `Left`.
        """
        why = self.terminal.missing(view, self.me, actions)
        if len(actions) == 1:
            self.console.print(f"Your only choice: {self.terminal.name(actions[0])}. {why}".rstrip(), markup=False)
            return actions[0]
        choices = choices_of(self.terminal, actions)
        self._show(view, choices, why)
        while (answer := self._line()) not in choices:
            if answer in LEAVE:
                raise Left
            if answer in HELP:
                self.console.print(explanation(rules_of(self.game), self.terminal, choices))
            else:
                self.console.print(f"{reminder(choices)} {why}".rstrip(), markup=False)
        return choices[answer]

    def _show(self, view: Any, choices: Choices, why: str) -> None:
        self.console.print()
        self.console.print(self.terminal.show(view, self.me))
        self.console.print(listing(self.terminal, choices))
        if why:
            self.console.print(why, markup=False)

    def _line(self) -> str:
        if sys.stdin is None:
            raise Left
        try:
            return self.console.input("> ").strip().lower()
        except EOFError:
            self.console.print()
            raise Left from None
        except KeyboardInterrupt:
            self.console.print()
            raise
