"""`turnstile play`: a game against bots in the terminal."""

import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import click
from rich.console import Console
from rich.markup import escape

from turnstile.bots import bots_of
from turnstile.cli.arguments import (
    game_argument,
    options_option,
    read_options,
    read_seed,
    refuse_folder,
    refuse_player_count,
)
from turnstile.cli.bots import find_bot
from turnstile.cli.games import rules_of
from turnstile.cli.interrupts import INTERRUPTED
from turnstile.cli.terminals import Terminal, sentence_of, terminal_of
from turnstile.cli.terminals.choices import HELP, LEAVE, Choices, choices_of, explanation, listing, reminder
from turnstile.kernel import AnyGame, Event, Move, Outcome, PlayerId, Rejection, Seed, Step
from turnstile.kernel.chance import commit, derive
from turnstile.kernel.record import save, write
from turnstile.lab.match import Participant, next_event, seated


class Left(Exception):
    """The player has left the table."""


@click.command()
@game_argument
@click.option("--bot", "bot_name", help="The bot to play against; by default the best one.")
@click.option(
    "--players",
    type=click.IntRange(2),
    help="How many players, including you; by default the fewest that the game takes.",
)
@click.option("--name", default="you", show_default=True, help="Your name in the match.")
@click.option(
    "--seed", help="Any text; the same seed deals the same match again. By default a secret random one of 256 bits."
)
@click.option(
    "--record",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a record of the match to this file.",
)
@options_option
def play(
    game: AnyGame,
    bot_name: str | None,
    players: int | None,
    name: str,
    seed: str | None,
    path: Path | None,
    options: str,
) -> None:
    """Play a game against bots.

    Type the number of a choice; `?` shows the rules and explains the choices, `q` leaves the match.

    \b
    Examples:
      turnstile play e-card
      turnstile play up-down --players 4
      turnstile play e-card --bot random --record match.jsonl
    """
    refuse_folder(path)
    rivals = _rivals(game, players)
    match = TerminalMatch(
        game,
        PlayerId(name),
        find_bot(game, bot_name),
        rivals,
        read_seed(seed),
        read_options(game, options),
    )
    is_interrupted = False
    try:
        match.play()
    except (Left, KeyboardInterrupt) as leaving:
        is_interrupted = isinstance(leaving, KeyboardInterrupt)
        match.console.print("You leave the table. Come back soon.")
    if path:
        path.write_bytes(match.record())
        click.echo(f"The record is in {path}. Check it with: turnstile verify {path}")
    if is_interrupted:
        raise click.exceptions.Exit(INTERRUPTED)


def _rivals(game: AnyGame, players: int | None) -> tuple[PlayerId, ...]:
    count = players or game.seats[0]
    refuse_player_count(game, count)
    return (PlayerId("bot"),) if count == 2 else tuple(PlayerId(f"bot {number}") for number in range(1, count))


class TerminalMatch:
    """A match of one person against bots: reads the choices of the person, and prints what happens."""

    def __init__(
        self, game: AnyGame, me: PlayerId, bot: str, rivals: tuple[PlayerId, ...], seed: Seed, options: Any
    ) -> None:
        self.game, self.me, self.seed, self.options = game, me, seed, options
        self.players = (me, *rivals)
        self.bot_name = bot
        self.terminal: Terminal[Any] = terminal_of(game, self.players)
        self.console = Console(highlight=False)
        self.events: list[Event] = []
        self.participants: dict[PlayerId, Participant] = {me: self._ask}
        for number, rival in enumerate(rivals):
            self.participants[rival] = seated(bots_of(game)[bot], Random(derive(seed, "bot", number)))

    def play(self) -> None:
        """Play the match from the first event to the last."""
        state = self.game.new(self.players, self.options, self.seed)
        if isinstance(state, Rejection):
            raise click.UsageError(state.sentence)
        self.console.print(f"[bold]{self.game.title}[/] against {self.bot_name}. ? shows the rules, q leaves.")
        self.console.print(f"[dim]The table has committed to its seed: {commit(self.seed)}[/]")
        while (outcome := self.game.outcome(state)) is None:
            event = next_event(self.game, state, self.participants)
            step = self.game.machine.step(state, event)
            assert isinstance(step, Step), f"the machine rejected an action that it had offered: {step}"
            self.events.append(event)
            state = step.state
            self._tell(step)
        self._finish(outcome)

    def record(self) -> bytes:
        record = write(self.game, self.players, self.options, self.seed, self.events)
        assert not isinstance(record, Rejection)
        return save(record)

    def _tell(self, step: Step[Any]) -> None:
        for message in step.told(self.me):
            if sentence := self.terminal.tell(message, self.me):
                self.console.print(sentence, markup=False)

    def _ask(self, view: Any, actions: Sequence[Move]) -> Move:
        """Ask the player for a choice. If there is only one, it is made at once, and the player is told so."""
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

    def _finish(self, outcome: Outcome) -> None:
        praise = " Well played!" if self.me in outcome.winners else ""
        self.console.print(f"[bold]{escape(sentence_of(outcome, self.me))}[/][bold green]{praise}[/]")
        self.console.print(
            f"[dim]The seed was {escape(self.seed)}; its SHA-256 is the commitment shown at the start.[/]"
        )
