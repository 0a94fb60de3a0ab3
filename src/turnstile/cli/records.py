"""`turnstile replay` and `turnstile verify`: a record told again, and whether it is what it seems."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Any, NoReturn

import click
from rich.console import Console
from rich.markup import escape

from turnstile.cli.arguments import game_of, read_record
from turnstile.cli.terminals import Terminal, sentence_of, terminal_of
from turnstile.kernel import Event, Move, PlayerId, Rejection, Step, encode
from turnstile.kernel.record import Record, Replay, refuse_deal
from turnstile.kernel.record import replay as play_again

record_argument = click.argument(
    "record", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
)


@click.command()
@record_argument
@click.option("--until", type=click.IntRange(0), help="Stop after so many events, and show the match there.")
@click.option("--player", help="Tell the match as this player has heard it; the first player by default.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print each step as a line of JSON: number, event, trace, effects, state."
)
def replay(record: Path, until: int | None, player: str | None, as_json: bool) -> None:
    """Play a record again, and tell it in the words in which a player heard it at the table; `>` marks its own choices.

    With --json the whole state and all messages are printed, as they are on the wire.

    \b
    Examples:
      turnstile replay match.jsonl
      turnstile replay match.jsonl --player bot --until 10
      turnstile replay match.jsonl --json
    """
    loaded = read_record(record)
    if isinstance(loaded, Rejection):
        refuse_replay(loaded)
    replayed = play_again(loaded, game_of(loaded))
    if isinstance(replayed, Rejection):
        refuse_replay(replayed)
    listener = listener_in(loaded, player)
    if as_json:
        print_steps(replayed, until)
    else:
        tell_steps(loaded, replayed, listener, until)


def refuse_replay(fault: Rejection) -> NoReturn:
    click.echo(f"turnstile replay: {fault.sentence}", err=True)
    sys.exit(1)


def listener_in(record: Record, name: str | None) -> PlayerId:
    """The player who hears the match again, or a usage error that says who has played."""
    players = record.header.players
    if name is not None and name not in players:
        raise click.UsageError(f"{name} has not played in this match; the players are: {', '.join(players)}.")
    return players[0] if name is None else PlayerId(name)


def print_steps(replayed: Replay[Any], until: int | None) -> None:
    """A line of JSON for each step."""
    for number, (event, step) in enumerate(steps_of(replayed, until), start=1):
        told = {"number": number, "event": event, "trace": step.trace, "effects": step.effects, "state": step.state}
        click.echo(encode(told))


def tell_steps(record: Record, replayed: Replay[Any], player: PlayerId, until: int | None) -> None:
    """What `player` chose and was told, each event with its number."""
    game, players = game_of(record), record.header.players
    terminal = terminal_of(game, players)
    console = Console(highlight=False, soft_wrap=True)
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
    """What a player did or was told when something happened; what another did of which it was told nothing, too."""
    sentences = [terminal.tell(message, player) for message in step.told(player)]
    told = [line for sentence in sentences for line in sentence.splitlines() if line]
    if not isinstance(event, Move) or (told and event.player != player):
        return told
    return [f"{'>' if event.player == player else f'{event.player}:'} {terminal.name(event)}", *told]


def steps_of(replayed: Replay[Any], until: int | None) -> list[tuple[Event, Step[Any]]]:
    """The events and their steps, all of them or the first few."""
    return list(zip(replayed.events, replayed.steps, strict=True))[:until]


@click.command()
@record_argument
@click.option("--json", "as_json", is_flag=True, help="Print for programs instead of people.")
def verify(record: Path, as_json: bool) -> None:
    """Check a record: its chain of hashes, that it replays to the bit, and that the deal was fair.

    It also says whether the match was played to its end; one that was not can be a sound record all the same.

    \b
    Example:
      turnstile verify match.jsonl
    """
    loaded = read_record(record)
    checks = verified(loaded)
    passed = not any(checks.values())
    if as_json:
        answers = {check.value: fault or "passed" for check, fault in checks.items()}
        click.echo(encode({"passed": passed, "checks": answers, "finished": is_finished(loaded)}))
    else:
        console = Console(highlight=False, soft_wrap=True)
        for check, fault in checks.items():
            verdict = (
                f"[bold red]failed[/]  {SENTENCES[check]}: {escape(fault.sentence)}"
                if fault
                else f"[green]passed[/]  {SENTENCES[check]}"
            )
            console.print(verdict)
        if not isinstance(loaded, Rejection):
            console.print(escape(ending(loaded)) if loaded.end.outcome else f"[yellow]{escape(ending(loaded))}[/]")
    sys.exit(0 if passed else 1)


def is_finished(record: Record | Rejection) -> bool | None:
    """Whether the recorded match was played to its end; `None` where the record cannot be read."""
    return None if isinstance(record, Rejection) else record.end.outcome is not None


def ending(record: Record) -> str:
    """A line that says how the recorded match ended."""
    outcome = record.end.outcome
    if outcome is None:
        return f"unfinished  the match was left before its end, after {len(record.happened)} events; nobody has won"
    return f"finished  {sentence_of(outcome)}"


class Check(StrEnum):
    CHAIN = "chain"
    REPLAY = "replay"
    DEAL = "deal"


SENTENCES = {
    Check.CHAIN: "every line follows from the one before",
    Check.REPLAY: "every event leads to the same state again, to the bit",
    Check.DEAL: "the deal is the one that was committed to",
}


def verified(record: Record | Rejection) -> dict[Check, Rejection | None]:
    """Each check with what is wrong; those after a failure are not tried."""
    if isinstance(record, Rejection):
        return {Check.CHAIN: record}
    game = game_of(record)
    replayed: Replay[Any] | Rejection = play_again(record, game)
    if isinstance(replayed, Rejection):
        return {Check.CHAIN: None, Check.REPLAY: replayed}
    return {Check.CHAIN: None, Check.REPLAY: None, Check.DEAL: refuse_deal(record, game, replayed)}
