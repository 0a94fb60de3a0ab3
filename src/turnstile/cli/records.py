"""`turnstile replay` and `turnstile verify`: replays a record, and checks that it is intact and fair."""

from enum import StrEnum
from pathlib import Path
from typing import Any

import click
from rich.markup import escape

from turnstile.cli.arguments import game_of, read_record
from turnstile.cli.console import plain_console
from turnstile.cli.errors import FAILED, Failed
from turnstile.cli.json_option import json_option
from turnstile.cli.terminals import Terminal, sentence_of, terminal_of
from turnstile.kernel import Event, Move, PlayerId, Rejection, Step, encode
from turnstile.kernel.record import Record, Replay, refuse_deal
from turnstile.kernel.record import replay as replay_record

record_argument = click.argument(
    "record", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
)


@click.command()
@record_argument
@click.option("--until", type=click.IntRange(0), help="Stop after this many events, and show the match at that point.")
@click.option("--player", help="Tell the match as this player saw it; by default the first player.")
@json_option("Print each step as a line of JSON: number, event, trace, effects, state.")
def replay(record: Path, until: int | None, player: str | None, as_json: bool) -> None:
    """Replay a record and tell the match as a player saw it.

    `>` marks the choices of that player. --json prints the whole state and all messages instead, as they are on the
    wire. RECORD is a file; `-` is standard input. Exits with 1 if the record cannot be replayed.

    \b
    Examples:
      turnstile replay match.jsonl
      turnstile replay match.jsonl --player bot --until 10
      turnstile replay match.jsonl --json
    """
    loaded = read_record(record)
    if isinstance(loaded, Rejection):
        raise Failed(loaded.sentence)
    replayed = replay_record(loaded, game_of(loaded))
    if isinstance(replayed, Rejection):
        raise Failed(replayed.sentence)
    listener = find_player(loaded, player)
    if as_json:
        print_steps(replayed, until)
    else:
        tell_steps(loaded, replayed, listener, until)


def find_player(record: Record, name: str | None) -> PlayerId:
    """The player who is told the match, or a usage error that lists the players."""
    players = record.header.players
    if name is not None and name not in players:
        raise click.UsageError(f"{name} did not play in this match. Choose one of: {', '.join(players)}.")
    return players[0] if name is None else PlayerId(name)


def print_steps(replayed: Replay[Any], until: int | None) -> None:
    """Print a line of JSON for each step."""
    for number, (event, step) in enumerate(steps_of(replayed, until), start=1):
        told = {"number": number, "event": event, "trace": step.trace, "effects": step.effects, "state": step.state}
        click.echo(encode(told))


def tell_steps(record: Record, replayed: Replay[Any], player: PlayerId, until: int | None) -> None:
    """Print what `player` chose and was told, each event with its number."""
    game, players = game_of(record), record.header.players
    terminal = terminal_of(game, players)
    console = plain_console(highlight=False, soft_wrap=True)
    console.print(f"{game.title}: {', '.join(players)}. Told to {player}.", markup=False)
    steps = steps_of(replayed, until)
    for number, (event, step) in enumerate(steps, start=1):
        for place, line in enumerate(lines_of(event, step, terminal, player)):
            console.print(f"{'' if place else number:>4}  {line}", markup=False)
    state = replayed.states[len(steps)]
    outcome = game.outcome(state)
    if outcome is not None:
        console.print(sentence_of(outcome, player), markup=False)
    elif until is not None:
        console.print(terminal.show(game.view(state, player), player))
    else:
        console.print(escape(ending(record)))


def lines_of(event: Event, step: Step[Any], terminal: Terminal[Any], player: PlayerId) -> list[str]:
    """What a player did and was told at an event. A move of another player is named if the player was told nothing."""
    sentences = [terminal.tell(message, player) for message in step.told(player)]
    told = [line for sentence in sentences for line in sentence.splitlines() if line]
    if not isinstance(event, Move) or (told and event.player != player):
        return told
    return [f"{'>' if event.player == player else f'{event.player}:'} {terminal.name(event)}", *told]


def steps_of(replayed: Replay[Any], until: int | None) -> list[tuple[Event, Step[Any]]]:
    """The events with their steps: all of them, or the first `until`."""
    return list(zip(replayed.events, replayed.steps, strict=True))[:until]


@click.command()
@record_argument
@json_option("Print the checks as one JSON object.")
def verify(record: Path, as_json: bool) -> None:
    """Check that a record is intact and that its deal was fair.

    Checks the chain of hashes, that the replay gives the same states to the bit, and that the deal is the one that the
    table committed to. An unfinished match can be a valid record too; the last line says whether it was finished.
    RECORD is a file; `-` is standard input. Exits with 1 if a check fails.

    \b
    Examples:
      turnstile verify match.jsonl
      turnstile matches export 7f3a --to - | turnstile verify -
    """
    loaded = read_record(record)
    checks = check_record(loaded)
    passed = not any(checks.values())
    if as_json:
        answers = {check.value: fault or "passed" for check, fault in checks.items()}
        click.echo(encode({"passed": passed, "checks": answers, "finished": is_finished(loaded)}))
    else:
        console = plain_console(highlight=False, soft_wrap=True)
        for check, fault in checks.items():
            verdict = (
                f"[bold red]failed[/]  {SENTENCES[check]}: {escape(fault.sentence)}"
                if fault
                else f"[green]passed[/]  {SENTENCES[check]}"
            )
            console.print(verdict)
        if not isinstance(loaded, Rejection):
            console.print(escape(ending(loaded)) if loaded.end.outcome else f"[yellow]{escape(ending(loaded))}[/]")
    if not passed:
        raise click.exceptions.Exit(FAILED)


def is_finished(record: Record | Rejection) -> bool | None:
    """Whether the recorded match was played to its end; `None` if the record cannot be read."""
    return None if isinstance(record, Rejection) else record.end.outcome is not None


def ending(record: Record) -> str:
    """A line that says how the recorded match ended."""
    outcome = record.end.outcome
    if outcome is None:
        return f"unfinished  the match was left after {len(record.happened)} events; it has no winner"
    return f"finished  {sentence_of(outcome)}"


class Check(StrEnum):
    CHAIN = "chain"
    REPLAY = "replay"
    DEAL = "deal"


SENTENCES = {
    Check.CHAIN: "every line has the hash of the line before",
    Check.REPLAY: "the replay gives the same states, to the bit",
    Check.DEAL: "the deal is the one that the table committed to",
}


def check_record(record: Record | Rejection) -> dict[Check, Rejection | None]:
    """The fault that each check found, or `None`. The checks after a failed one are left out."""
    if isinstance(record, Rejection):
        return {Check.CHAIN: record}
    game = game_of(record)
    replayed: Replay[Any] | Rejection = replay_record(record, game)
    if isinstance(replayed, Rejection):
        return {Check.CHAIN: None, Check.REPLAY: replayed}
    return {Check.CHAIN: None, Check.REPLAY: None, Check.DEAL: refuse_deal(record, game, replayed)}
