"""`turnstile matches list` and `show`: what is stored. `upkeep` has the commands that change something."""

import sys
from itertools import chain
from typing import Any

import click
from msgspec import Raw

from turnstile.cli.arguments import complete_name
from turnstile.cli.matches.stores import KINDS, Verdict, age, in_store, json_option, store_option, tell
from turnstile.durable.upkeep import Reading, every, read
from turnstile.host.logs import TABLES, KeptTable
from turnstile.kernel import Rejection
from turnstile.kernel.chance import Commitment, Seed, commit
from turnstile.kernel.values import ByPlayer, Instant, LogId, Value, encode
from turnstile.net.text import one_line
from turnstile.registry import find_game
from turnstile.store.log import Position
from turnstile.store.protocol import Row, Store
from turnstile.table.sight import TableStatus, status
from turnstile.table.values import Seat

PUT_ASIDE = "put aside"


# list


class Listed(Value, frozen=True):
    """A table in a list."""

    table: LogId
    game: str
    phase: str
    players: tuple[str, ...]
    is_open: bool
    opened: Instant
    changed: Instant
    note: str


@click.command("list")
@store_option
@click.option("--open", "kind", flag_value="open", help="Only tables that are still open.")
@click.option("--finished", "kind", flag_value="finished", help="Only tables that are finished.")
@click.option("--put-aside", "kind", flag_value=PUT_ASIDE, help="Only tables that were put aside, with the reason.")
@click.option("--game", shell_complete=complete_name, help="Only tables of this game.")
@click.option("--limit", type=click.IntRange(1), help="At most this many tables; all of them by default.")
@json_option
def list_(store: str, kind: str | None, game: str | None, limit: int | None, as_json: bool) -> None:
    """List tables.

    Prints the id, game, phase, time since the last change, and players of each.

    \b
    Examples:
      turnstile matches list
      turnstile matches list --finished --game e-card --limit 20
      turnstile matches list --put-aside --json
    """

    async def work(opened: Store) -> None:
        is_open = None if kind is None else kind == "open"
        found = 0
        async for table, row in every(opened, is_open):
            if (kind is None or kind == kind_of(row)) and game in (None, row.game):
                click.echo(listed(table, row, opened.now(), as_json))
                found += 1
            if found == limit:
                return

    in_store(store, work)


def kind_of(row: Row) -> str:
    return PUT_ASIDE if row.note else "open" if row.is_open else "finished"


def listed(table: LogId, row: Row, now: Instant, as_json: bool) -> str:
    """The line of a table."""
    if as_json:
        facts = (row.game, row.phase, row.players, row.is_open, row.opened, row.changed, row.note)
        return encode(Listed(table, *facts)).decode()
    phase = PUT_ASIDE if row.note else row.phase
    line = f"{one_line(table):<24}  {row.game:<9} {phase:<10} {age(now - row.changed):>5}  {', '.join(row.players)}"
    return f"{one_line(line)}  ({one_line(row.note)})" if row.note else line.rstrip()


# show


class Fairness(Value, frozen=True):
    """What proves that a deal was fair, once the match is over."""

    seed: Seed
    words: ByPlayer[str]


class Shown(Value, frozen=True):
    """What the operator may see of a table: until the match is over, only what a spectator may see."""

    status: TableStatus
    game_version: int
    options: Raw
    opened: Instant
    changed: Instant
    entries: Position
    events: int
    commitment: Commitment | None
    fairness: Fairness | None
    view: Any


class ShownTimer(Value, frozen=True):
    """A timer that runs."""

    name: str
    due: Instant


@click.command()
@click.argument("table")
@store_option
@json_option
def show(table: str, store: str, as_json: bool) -> None:
    """Show a table.

    Prints its players, its phase or result, and what proves that the deal was fair. Before a match is over, it prints
    only what a spectator may see: no hands and no seed. Of an agent of a league, it prints the phase and the timers.

    \b
    Examples:
      turnstile matches show 7f3a
      turnstile matches show 7f3a --json
    """
    name = LogId(table)

    async def work(opened: Store) -> tuple[Reading | Rejection, Row | None, Instant]:
        return await read(KINDS, opened, name), await opened.row(name), opened.now()

    reading, row, now = in_store(store, work)
    if isinstance(reading, Rejection):
        tell(Verdict(name, error=reading), as_json)
        sys.exit(2 if row is None else 1)
    if reading.kind is TABLES:
        facts = facts_of(reading.kept)
        click.echo(encode(facts) if as_json else "\n".join(sentences(facts, row, now)))
    else:
        machine = machine_of(name, reading)
        click.echo(encode(machine) if as_json else "\n".join(machine_sentences(machine, row, now)))


class ShownMachine(Value, frozen=True):
    """What the operator may see of a machine of the league: only the phase, because its state holds secrets."""

    log: LogId
    machine: str
    phase: str
    is_open: bool
    opened: Instant
    changed: Instant
    entries: Position
    time_scale: float
    timers: tuple[ShownTimer, ...]


def machine_of(name: LogId, reading: Reading) -> ShownMachine:
    kept, row = reading.kept, reading.row
    return ShownMachine(
        log=name,
        machine=row.game,
        phase=row.phase,
        is_open=row.is_open,
        opened=row.opened,
        changed=row.changed,
        entries=kept.position,
        time_scale=kept.state.header.time_scale,
        timers=tuple(ShownTimer(timer.name, timer.due) for timer in kept.state.timed.timers),
    )


def machine_sentences(facts: ShownMachine, row: Row | None, now: Instant) -> list[str]:
    """The facts for people, a line each."""
    scale = "" if facts.time_scale == 1 else f", all timers at {facts.time_scale:g} of their length"
    lines = {
        "log": facts.log,
        "put aside": row.note if row else "",
        "machine": f"{facts.machine} of a league{scale}",
        "phase": facts.phase,
        "opened": f"{age(now - facts.opened)} ago",
        "changed": f"{age(now - facts.changed)} ago",
        "entries": str(facts.entries),
        "timers": ", ".join(timer.name for timer in facts.timers),
    }
    return [f"{name:<15} {one_line(text)}" for name, text in lines.items() if text]


def facts_of(kept: KeptTable) -> Shown:
    """What the operator may see of a table."""
    state, header = kept.state, kept.state.header
    is_over = state.result is not None
    is_public = is_over or (header.settings.spectators and header.settings.delay == 0)
    game = find_game(header.game)
    return Shown(
        status=status(state),
        game_version=header.game_version,
        options=header.options,
        opened=header.at,
        changed=state.now,
        entries=kept.position,
        events=state.events,
        commitment=None if state.seed is None else commit(state.seed),
        fairness=Fairness(state.seed, state.words) if is_over and state.seed is not None else None,
        view=game.view(state.match, None) if game and state.match is not None and is_public else None,
    )


def sentences(facts: Shown, row: Row | None, now: Instant) -> list[str]:
    """The facts for people, a line each."""
    told = facts.status
    note = row.note if row else ""
    lines = {
        "table": told.table,
        "put aside": note,
        "game": f"{told.game}, version {facts.game_version}, options {bytes(facts.options).decode()}",
        "phase": told.phase,
        "opened": f"{age(now - facts.opened)} ago by {told.admin}",
        "changed": f"{age(now - facts.changed)} ago",
        "settings": encode(told.settings).decode(),
        "log": f"{facts.entries} entries, {facts.events} events of the game",
        "result": _result(told),
        "next table": told.successor or "",
        "commitment": facts.commitment or "",
        "seed": facts.fairness.seed if facts.fairness else "",
        "words": encode(facts.fairness.words).decode() if facts.fairness and facts.fairness.words else "",
        "spectators see": "" if facts.view is None else encode(facts.view).decode(),
    }
    seats = [f"{'seat':<15} {_seat(seat)}" for seat in told.seats]
    known = [f"{name:<15} {one_line(text)}" for name, text in lines.items() if text]
    return list(chain(known[:1], seats, known[1:]))


def _seat(seat: Seat) -> str:
    away = ", away" if seat.is_away else ""
    return f"{one_line(seat.player)} ({seat.kind}{f' {seat.bot}' if seat.bot else ''}{away})"


def _result(told: TableStatus) -> str:
    if told.result is None:
        return ""
    won = ", ".join(told.result.winners) or "nobody"
    why = f" ({told.result.reason})" if told.result.reason else ""
    scores = f", scores {encode(told.result.scores).decode()}" if told.result.scores else ""
    return f"{told.result.how}{why}: {won} won{scores}"
