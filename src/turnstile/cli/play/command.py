"""`turnstile play`: a game in the terminal, against bots here, or at a table of a server."""

from pathlib import Path
from random import Random
from typing import Any

import click
from rich.markup import escape

from turnstile.cli.arguments import (
    game_argument,
    options_option,
    read_options,
    read_seed,
    refuse_folder,
    refuse_player_count,
)
from turnstile.cli.bots import bot_failure, find_bot, find_server_bot, quiet_bot
from turnstile.cli.console import plain_console
from turnstile.cli.interrupts import INTERRUPTED
from turnstile.cli.play.terminal_player import Left, TerminalPlayer
from turnstile.cli.terminals import sentence_of
from turnstile.kernel import AnyGame, Event, Outcome, PlayerId, Rejection, Seed
from turnstile.kernel.chance import commit, derive
from turnstile.kernel.record import save, write
from turnstile.lab.game_faults import game_faults, refusal_fault
from turnstile.lab.match import Participant, next_event, seated
from turnstile.lab.own_bots import BotFailed, close_bots


@click.command()
@game_argument
@click.option("--bot", "bot_name", help="The bot to play against; by default the best one.")
@click.option(
    "--players",
    type=click.IntRange(2),
    help="How many players, including you; by default the fewest that the game takes.",
)
@click.option("--name", help="Your name. On a server it is the name that others see, and it is kept there.")
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
@click.option("--server", help="Play at a table of this server, such as http://localhost:8000.")
@click.option("--invite", is_flag=True, help="With --server: play with people. Prints a link for them, and waits.")
@click.option("--join", "link", help="Play at the table of this invitation link.")
@click.option("--table", help="With --server: play at this table.")
@click.option("--new", "is_new", is_flag=True, help="With --server: open a new table, even if one is unfinished.")
def play(
    game: AnyGame,
    bot_name: str | None,
    players: int | None,
    name: str | None,
    seed: str | None,
    path: Path | None,
    options: str,
    server: str | None,
    link: str | None,
    table: str | None,
    invite: bool,
    is_new: bool,
) -> None:
    """Play a game against bots, or at a table of a server.

    Type the number of a choice; `?` shows the rules and explains the choices, `q` leaves the match. A match on a server
    goes on: the same command comes back to it.

    \b
    Examples:
      turnstile play e-card
      turnstile play up-down --players 4
      turnstile play e-card --bot random --record match.jsonl
      turnstile play e-card --server http://localhost:8000
      turnstile play e-card --server http://localhost:8000 --invite --name Ana
      turnstile play e-card --join 'http://localhost:8000/table/...#invite=...'
    """
    refuse_folder(path)
    if server is not None or link is not None:
        if seed is not None:
            raise click.UsageError("The server draws the seed: leave --seed out.")
        count = _count(game, players)
        from turnstile.cli.play.online import Wish, play_online  # the libraries of the network, only when they are used

        bot = None if invite else find_server_bot(game, bot_name)
        read_options(game, options)
        status = play_online(
            Wish(game, server, link, table, name, count, bot, options, is_invitation=invite, is_new=is_new, path=path)
        )
        raise click.exceptions.Exit(status)
    if table is not None or invite or is_new:
        raise click.UsageError("--table, --invite and --new need a --server.")
    rivals = _rivals(game, players)
    match = TerminalMatch(
        game,
        PlayerId(name or "you"),
        find_bot(game, bot_name),
        rivals,
        read_seed(seed),
        read_options(game, options),
    )
    is_interrupted = False
    try:
        with game_faults(game):
            match.play()
    except (Left, KeyboardInterrupt) as leaving:
        is_interrupted = isinstance(leaving, KeyboardInterrupt)
        match.console.print("You leave the table. Come back soon.")
    except BotFailed as fault:
        raise bot_failure(fault) from None
    finally:
        close_bots()
    if path:
        path.write_bytes(match.record())
        click.echo(f"The record is in {path}. Check it with: turnstile verify {path}")
    if is_interrupted:
        raise click.exceptions.Exit(INTERRUPTED)


def _count(game: AnyGame, players: int | None) -> int:
    count = players or game.seats[0]
    refuse_player_count(game, count)
    return count


def _rivals(game: AnyGame, players: int | None) -> tuple[PlayerId, ...]:
    count = _count(game, players)
    return (PlayerId("bot"),) if count == 2 else tuple(PlayerId(f"bot {number}") for number in range(1, count))


class TerminalMatch:
    """A match of one person against bots: reads the choices of the person, and prints what happens."""

    def __init__(
        self, game: AnyGame, me: PlayerId, bot: str, rivals: tuple[PlayerId, ...], seed: Seed, options: Any
    ) -> None:
        self.game, self.me, self.seed, self.options = game, me, seed, options
        self.players = (me, *rivals)
        self.bot_name = bot
        self.console = plain_console(highlight=False)
        self.player = TerminalPlayer(game, me, self.players, self.console)
        self.events: list[Event] = []
        self.participants: dict[PlayerId, Participant] = {me: self.player.choose}
        for number, rival in enumerate(rivals):
            self.participants[rival] = seated(quiet_bot(game, bot), Random(derive(seed, "bot", number)))

    def play(self) -> None:
        """Play the match from the first event to the last."""
        state = self.game.new(self.players, self.options, self.seed)
        if isinstance(state, Rejection):
            raise click.UsageError(state.sentence)
        self.console.print(
            f"[bold]{escape(self.game.title)}[/] against {escape(self.bot_name)}. ? shows the rules, q leaves."
        )
        self.console.print(f"[dim]The table has committed to its seed: {commit(self.seed)}[/]")
        while (outcome := self.game.outcome(state)) is None:
            event = next_event(self.game, state, self.participants)
            step = self.game.machine.step(state, event)
            if isinstance(step, Rejection):
                raise refusal_fault(self.game, state, event, step)
            self.events.append(event)
            state = step.state
            for message in step.told(self.me):
                self.player.tell(message)
        self._finish(outcome)

    def record(self) -> bytes:
        record = write(self.game, self.players, self.options, self.seed, self.events)
        assert not isinstance(record, Rejection)
        return save(record)

    def _finish(self, outcome: Outcome) -> None:
        praise = " Well played!" if self.me in outcome.winners else ""
        self.console.print(f"[bold]{escape(sentence_of(outcome, self.me))}[/][bold green]{praise}[/]")
        self.console.print(
            f"[dim]The seed was {escape(self.seed)}; its SHA-256 is the commitment shown at the start.[/]"
        )
