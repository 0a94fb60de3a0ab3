"""`turnstile replay` and `turnstile verify`: a record step by step, and whether it is what it seems."""

import sys
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from turnstile.cli.arguments import game_of, read_record
from turnstile.kernel import AnyGame, Rejection, encode
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
    game = None if isinstance(loaded, Rejection) else game_of(loaded)
    replayed = loaded if isinstance(loaded, Rejection) or game is None else play_again(loaded, game)
    if isinstance(replayed, Rejection):
        click.echo(f"turnstile replay: {replayed.sentence}", err=True)
        sys.exit(1)
    assert isinstance(replayed, Replay)
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

    \b
    Example:
      turnstile verify match.jsonl
    """
    checks = verified(read_record(record))
    fault = next((check for check in checks.values() if isinstance(check, Rejection)), None)
    if as_json:
        click.echo(
            encode({"passed": fault is None, "checks": {name: check or "passed" for name, check in checks.items()}})
        )
    else:
        console = Console(highlight=False, soft_wrap=True)
        for name, check in checks.items():
            sign = f"[bold red]failed[/]  {name}: {check.sentence}" if check else f"[green]passed[/]  {name}"
            console.print(sign)
    sys.exit(1 if fault else 0)


def verified(record: Record | Rejection) -> dict[str, Rejection | None]:
    """Each check by name, with what is wrong; those after a failure are not tried."""
    checks: dict[str, Rejection | None] = {}
    checks["every line follows from the one before"] = record if isinstance(record, Rejection) else None
    if isinstance(record, Rejection):
        return checks
    game: AnyGame = game_of(record)
    replayed: Replay[Any] | Rejection = play_again(record, game)
    checks[f"all {len(record.happened)} events replay to the same states"] = (
        replayed if isinstance(replayed, Rejection) else None
    )
    if not isinstance(replayed, Rejection):
        checks["the deal is the one that was committed to"] = refuse_deal(record, game, replayed)
    return checks
