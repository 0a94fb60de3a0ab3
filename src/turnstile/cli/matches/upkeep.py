"""`turnstile matches export`, `prune`, `check` and `rebuild`."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import click

from turnstile.cli.matches.stores import (
    FAULTY,
    KINDS,
    Verdict,
    age,
    finish,
    in_store,
    json_option,
    one_by_one,
    read_age,
    store_option,
    tables_argument,
    tell,
)
from turnstile.durable import upkeep
from turnstile.durable.files import PRIVATE, PUBLIC, write_whole
from turnstile.durable.log import CannotGoOn, tag_of
from turnstile.durable.upkeep import Code, every, read_entries, save_entries
from turnstile.host.logs import TABLES
from turnstile.host.records import record_of
from turnstile.kernel import Rejection
from turnstile.kernel.record import save
from turnstile.kernel.values import LogId
from turnstile.store.directory import DirectoryStore
from turnstile.store.log import Damaged
from turnstile.store.protocol import Store

folder = click.Path(file_okay=False, path_type=Path)

# export


@click.command()
@tables_argument
@store_option
@click.option("--all-finished", is_flag=True, help="Export every finished match.")
@click.option(
    "--to",
    "target",
    type=click.Path(file_okay=False, path_type=Path, allow_dash=True),
    default=Path(),
    show_default="this folder",
    help="The folder for the records, each named TABLE.jsonl; `-` prints the record of a single table.",
)
@json_option
def export(tables: tuple[str, ...], store: str, all_finished: bool, target: Path, as_json: bool) -> None:
    """Write records of finished matches.

    Of a table this is the record of its match, which 'turnstile verify' and 'turnstile replay' read. Of an agent of a
    league it is the log itself, a line of JSON for each entry, in a file that only you can read. A match or a league
    that is not over is refused, because its record would reveal secrets. A file appears under its name only when it is
    complete and on the disk; an existing file with different content is not overwritten.

    \b
    Examples:
      turnstile matches export 7f3a
      turnstile matches export 7f3a --to - | turnstile verify -
      turnstile matches export --all-finished --to records
    """
    if bool(tables) is all_finished:
        raise click.UsageError("Name the tables to export, or use --all-finished.")
    if str(target) == "-":
        if len(tables) != 1 or as_json:
            raise click.UsageError("--to - prints the record of a single table: name one table, and leave out --json.")
        return _print(LogId(tables[0]), store)

    async def work(opened: Store) -> list[Verdict]:
        names = await _finished(opened) if all_finished else [LogId(table) for table in tables]
        return await one_by_one(names, "Exporting", lambda name: exported(opened, name, target), as_json)

    verdicts = in_store(store, work)
    finish([verdict for verdict in verdicts if not (all_finished and _is_nothing_to_export(verdict))])
    return None


def _print(name: LogId, store: str) -> None:
    written = in_store(store, lambda opened: written_log(opened, name))
    if isinstance(written, Rejection):
        verdict = Verdict(name, error=written)
        tell(verdict, as_json=False)
        return finish([verdict])
    return click.echo(written.data, nl=False)


async def _finished(store: Store) -> list[LogId]:
    return [name async for name, row in every(store, is_open=False) if not row.note]


def _is_nothing_to_export(verdict: Verdict) -> bool:
    return verdict.error is not None and verdict.error.code in (Code.NO_MATCH, Code.OTHER_VERSION)


class WrittenLog(NamedTuple):
    """What is exported of a log."""

    data: bytes
    is_secret: bool


async def written_log(store: Store, name: LogId) -> WrittenLog | Rejection:
    """The record of the match at a table, or the whole log of a machine of the league; or why there is none."""
    log = await read_entries(store, name)
    if isinstance(log, Rejection):
        return log
    if tag_of(log.header) in ("", TABLES.tag):
        record = record_of(name, log)
        return record if isinstance(record, Rejection) else WrittenLog(save(record), is_secret=False)
    reading = await upkeep.read(KINDS, store, name)
    if isinstance(reading, Rejection):
        return reading
    if reading.row.is_open:
        return Rejection(Code.NOT_OVER, f"{name} is not over; its log holds seeds and tokens.")
    return WrittenLog(save_entries((log.header, *log.entries)), is_secret=True)


async def exported(store: Store, name: LogId, target: Path) -> Verdict:
    """Write what is exported of a log to its own file."""
    written = await written_log(store, name)
    if isinstance(written, Rejection):
        return Verdict(name, error=written)
    path = target / f"{quote(name, safe='')}.jsonl"
    if refused := keep(path, written.data, PRIVATE if written.is_secret else PUBLIC):
        return Verdict(name, error=refused)
    return Verdict(name, done=f"written to {path}", file=str(path))


def keep(path: Path, data: bytes, mode: int) -> Rejection | None:
    """Write a file and wait until it is on the disk. A file with other content is left alone."""
    if path.exists() and path.read_bytes() != data:
        return Rejection("FileExists", f"{path} exists with different content; move it away first.")
    write_whole(path, data, mode=mode)
    return None


# prune


@click.command()
@tables_argument
@store_option
@click.option(
    "--finished-before",
    callback=read_age,
    metavar="AGE",
    help="All tables that finished at least this long ago: 30d, 12h, 2w.",
)
@click.option("--export", "target", type=folder, help="First write the record of each table into this folder.")
@click.option("--put-aside", is_flag=True, help="Also prune named tables that were put aside; their content is lost.")
@click.option(
    "--without-result", is_flag=True, help="Also prune matches whose result cannot be stored first; it is lost."
)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
def prune(
    tables: tuple[str, ...],
    store: str,
    finished_before: int | None,
    target: Path | None,
    put_aside: bool,
    without_result: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Delete finished tables for good.

    The results and ratings of their matches stay: what no server has stored yet is stored first. With --export, a
    table is deleted only after its record is on the disk.

    \b
    Examples:
      turnstile matches prune 7f3a
      turnstile matches prune --finished-before 30d --export records --yes
    """
    if bool(tables) is (finished_before is not None):
        raise click.UsageError("Name the tables to prune, or use --finished-before AGE.")
    if finished_before is None:
        names = [LogId(table) for table in tables]
    else:
        names = in_store(store, lambda opened: _finished_before(opened, finished_before))
    if not (yes or not names or _is_certain(len(names), finished_before)):
        raise click.ClickException("Nothing was pruned.")
    options = PruneOptions(target, put_aside, without_result)
    verdicts = in_store(store, lambda opened: _pruned_all(opened, names, options, as_json))
    finish(verdicts)


class PruneOptions(NamedTuple):
    """`target`: the folder for the records."""

    target: Path | None
    put_aside: bool
    without_result: bool


def _is_certain(count: int, finished_before: int | None) -> bool:
    """Ask for confirmation. The end of input counts as no."""
    which = "" if finished_before is None else f", finished {age(finished_before)} ago or earlier"
    tables = "1 table" if count == 1 else f"{count:,} tables"
    try:
        return click.confirm(f"Delete {tables}{which}, for good?", err=True)
    except click.Abort:
        click.echo("\nNothing was pruned.", err=True)
        raise


async def _finished_before(store: Store, milliseconds: int) -> list[LogId]:
    latest = store.now() - milliseconds
    return [name async for name, row in every(store, is_open=False) if not row.note and row.changed <= latest]


async def _pruned_all(
    store: DirectoryStore, names: Sequence[LogId], options: PruneOptions, as_json: bool
) -> list[Verdict]:
    unbooked = {name async for name in _unbooked(store)}
    return await one_by_one(names, "Pruning", lambda name: _pruned(store, name, options, name in unbooked), as_json)


async def _unbooked(store: DirectoryStore) -> AsyncIterator[LogId]:
    """The closed tables whose matches have no stored result. A server leaves few of them."""
    after: LogId | None = None
    while found := await store.directory.unbooked(after):
        for name in found:
            yield name
        after = found[-1]


async def _pruned(store: DirectoryStore, name: LogId, options: PruneOptions, is_unbooked: bool) -> Verdict:
    """Delete a table, or say why it was not deleted."""
    row = await store.row(name)
    if row is None:
        return Verdict(name, error=Rejection(Code.NO_LOG, f"There is no log {name}."))
    if row.note and not options.put_aside:
        why = "This table was put aside: repair and rebuild it, or use --put-aside to delete it."
        return Verdict(name, error=Rejection(Code.NOT_OVER, why))
    kept = Verdict(name) if options.target is None else await exported(store, name, options.target)
    if kept.error is not None and kept.error.code != Code.NO_MATCH:
        return kept
    if is_unbooked and not options.without_result and (refused := await _refuse_unbooked(store, name)):
        return Verdict(name, error=refused)
    if not await store.prune(name):
        why = "This is not over: only finished tables and league agents can be pruned."
        return Verdict(name, error=Rejection(Code.NOT_OVER, why))
    return Verdict(name, done="pruned" if kept.file is None else f"pruned, {kept.done}", file=kept.file)


async def _refuse_unbooked(store: DirectoryStore, name: LogId) -> Rejection | None:
    """Store the result of a match, or say why the table must stay until that is done."""
    from turnstile.server.results.booking import book_closed_table  # only now: other commands need no ratings

    try:
        await book_closed_table(store, name)
    except (Damaged, CannotGoOn) as fault:
        why = f"The result of this match is not stored yet, and cannot be read here: {fault}"
        return Rejection(Code.NOT_BOOKED, f"{why} Use --without-result to lose it.")
    return None


# check


@click.command()
@tables_argument
@store_option
@json_option
def check(tables: tuple[str, ...], store: str, as_json: bool) -> None:
    """Check tables for damage; all of them by default.

    Checks the chain of hashes, the replay, and the caches beside the log, and prints what is wrong. A table of an older
    version of its game is listed too, but does not count as damaged. Exits with 1 if a table is damaged.

    \b
    Examples:
      turnstile matches check
      turnstile matches check 7f3a --json
    """

    async def work(opened: Store) -> list[Verdict]:
        async def one(name: LogId) -> Verdict:
            fault = await upkeep.check(KINDS, opened, name)
            return Verdict(name, error=fault) if fault else Verdict(name, done="sound")

        return await one_by_one(await _named_or_all(opened, tables), "Checking", one, as_json)

    verdicts = in_store(store, work)
    faulty = [verdict for verdict in verdicts if verdict.error and verdict.error.code in (*FAULTY, Code.NO_LOG)]
    if not as_json:
        click.echo(f"{len(verdicts):,} checked, {len(faulty):,} faulty.")
    finish(faulty)


async def _named_or_all(store: Store, tables: Sequence[str]) -> list[LogId]:
    return [LogId(table) for table in tables] or [name async for name, _ in every(store)]


# rebuild


@click.command()
@tables_argument
@store_option
@json_option
def rebuild(tables: tuple[str, ...], store: str, as_json: bool) -> None:
    """Rebuild the rows of tables from their logs.

    Rebuilds all tables by default, and drops their snapshots. Use it to bring back a table that was put aside, after
    its log or its game has been repaired. A table whose log is still damaged, or belongs to an older version of its
    game, is listed and left unchanged.

    \b
    Examples:
      turnstile matches rebuild
      turnstile matches rebuild 7f3a
    """

    async def work(opened: Store) -> list[Verdict]:
        async def one(name: LogId) -> Verdict:
            fault = await upkeep.rebuild(KINDS, opened, name)
            return Verdict(name, error=fault) if fault else Verdict(name, done="rebuilt")

        return await one_by_one(await _named_or_all(opened, tables), "Rebuilding", one, as_json)

    verdicts = in_store(store, work)
    finish([verdict for verdict in verdicts if verdict.error and verdict.error.code != Code.OTHER_VERSION])
