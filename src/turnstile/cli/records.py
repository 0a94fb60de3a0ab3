"""`turnstile replay` and `turnstile verify`: a record step by step, and whether it is what it seems."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape

from turnstile.cli.arguments import game_of, read_record
from turnstile.cli.terminals import sentence_of
from turnstile.kernel import Rejection, encode
from turnstile.kernel.record import Record, Replay, refuse_deal
from turnstile.kernel.record import replay as play_again

record_argument = click.argument(
    "record", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
)


@click.command()
@record_argument
@click.option("--until", type=click.IntRange(0), help="Stop after so many events, and print the state there.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print each step as a line of JSON: event, trace, effects, state."
)
def replay(record: Path, until: int | None, as_json: bool) -> None:
    """Play a record again, step by step.

    \b
    Examples:
      turnstile replay match.jsonl
      turnstile replay match.jsonl --until 10 --json
    """
    loaded = read_record(record)
    replayed = loaded if isinstance(loaded, Rejection) else play_again(loaded, game_of(loaded))
    if isinstance(replayed, Rejection):
        click.echo(f"turnstile replay: {replayed.sentence}", err=True)
        sys.exit(1)
    steps = list(zip(replayed.events, replayed.steps, strict=True))[:until]
    for number, (event, step) in enumerate(steps, start=1):
        if as_json:
            told = {"number": number, "event": event, "trace": step.trace, "effects": step.effects, "state": step.state}
            click.echo(encode(told))
        else:
            way = ", ".join(
                f"{hop.source} -> {hop.target}{f' ({hop.label})' if hop.label else ''}" for hop in step.trace
            )
            click.echo(f"{number:>4}  {encode(event).decode()}\n      {way}")
    if until is not None and not as_json:
        click.echo(encode(replayed.states[len(steps)]))


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
