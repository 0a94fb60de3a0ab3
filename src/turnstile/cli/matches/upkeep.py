"""`turnstile matches export`, `prune`, `check` and `rebuild`: what is done to stored tables."""

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import click

from turnstile.cli.stores import (
    WANTING,
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
from turnstile.host.records import Code as RecordCode
from turnstile.host.upkeep import Code, checked, every, rebuilt, recorded
from turnstile.kernel import Rejection
from turnstile.kernel.record import save
from turnstile.kernel.values import LogId
from turnstile.store.protocol import Store

folder = click.Path(file_okay=False, path_type=Path)

# export


@click.command()
@tables_argument
@store_option
@click.option("--all-finished", is_flag=True, help="Every match that is over.")
@click.option(
    "--to",
    "target",
    type=click.Path(file_okay=False, path_type=Path, allow_dash=True),
    default=Path(),
    show_default="this folder",
    help="The folder for the records, TABLE.jsonl each; `-` prints the only one.",
)
@json_option
def export(tables: tuple[str, ...], store: str, all_finished: bool, target: Path, as_json: bool) -> None:
    """Write records of matches that are over, for `turnstile verify` and `turnstile replay`.

    A match still being played is refused: its record would give the seed away. A record appears under its name only
    when it is whole and on the disk; a file of that name with something else in it is left alone.

    \b
    Examples:
      turnstile matches export 7f3a
      turnstile matches export 7f3a --to - | turnstile verify -
      turnstile matches export --all-finished --to records
    """
    if bool(tables) is all_finished:
        raise click.UsageError("Name tables to export, or say --all-finished.")
    if str(target) == "-":
        if len(tables) != 1 or as_json:
            raise click.UsageError("Standard output takes the record of one table, and nothing else.")
        return _print(LogId(tables[0]), store)

    async def work(opened: Store) -> list[Verdict]:
        names = await _finished(opened) if all_finished else [LogId(table) for table in tables]
        return await one_by_one(names, "Exporting", lambda name: exported(opened, name, target), as_json)

    verdicts = in_store(store, work)
    finish([verdict for verdict in verdicts if not (all_finished and _is_nothing_to_export(verdict))])
    return None


def _print(name: LogId, store: str) -> None:
    record = in_store(store, lambda opened: recorded(opened, name))
    if isinstance(record, Rejection):
        verdict = Verdict(name, error=record)
        tell(verdict, as_json=False)
        return finish([verdict])
    return click.echo(save(record), nl=False)


async def _finished(store: Store) -> list[LogId]:
    return [name async for name, row in every(store, is_open=False) if not row.note]


def _is_nothing_to_export(verdict: Verdict) -> bool:
    return verdict.error is not None and verdict.error.code in (RecordCode.NO_MATCH, RecordCode.OTHER_VERSION)


async def exported(store: Store, name: LogId, target: Path) -> Verdict:
    """The record of a match in a file of its own."""
    record = await recorded(store, name)
    if isinstance(record, Rejection):
        return Verdict(name, error=record)
    path = target / f"{quote(name, safe='')}.jsonl"
    if refused := keep(path, save(record)):
        return Verdict(name, error=refused)
    return Verdict(name, done=f"written to {path}", file=str(path))


def keep(path: Path, data: bytes) -> Rejection | None:
    """A file with this in it, on the disk when this returns: whole under its name, or not there at all."""
    _make_folder(path.parent)
    if path.exists() and path.read_bytes() != data:
        return Rejection("FileExists", f"{path} has something else in it; move it away first.")
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(draft, 0o644)  # the match is over: its record is for everyone
        os.replace(draft, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(draft)
        raise
    _sync_folder(path.parent)
    return None


def _make_folder(path: Path) -> None:
    """A folder, and those it is in, each on the disk before the next is made."""
    if not path.is_dir():
        _make_folder(path.parent)
        path.mkdir(exist_ok=True)
        _sync_folder(path.parent)


def _sync_folder(path: Path) -> None:
    """A name is on the disk when its folder is."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# prune


@click.command()
@tables_argument
@store_option
@click.option(
    "--finished-before", callback=read_age, metavar="AGE", help="All that are over for so long: 30d, 12h, 2w."
)
@click.option("--export", "target", type=folder, help="First write the record of each into this folder.")
@click.option("--put-aside", is_flag=True, help="Also named tables that were put aside: what they held is lost.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def prune(
    tables: tuple[str, ...],
    store: str,
    finished_before: int | None,
    target: Path | None,
    put_aside: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Forget tables that are over, for good. With --export, each only once its record is safely on the disk.

    \b
    Examples:
      turnstile matches prune 7f3a
      turnstile matches prune --finished-before 30d --export records --yes
    """
    if bool(tables) is (finished_before is not None):
        raise click.UsageError("Name tables to prune, or say --finished-before AGE.")
    if finished_before is None:
        names = [LogId(table) for table in tables]
    else:
        names = in_store(store, lambda opened: _finished_before(opened, finished_before))
    if not (yes or not names or _is_certain(len(names), finished_before)):
        raise click.ClickException("Nothing was pruned.")
    verdicts = in_store(store, lambda opened: _pruned_all(opened, names, target, put_aside, as_json))
    finish(verdicts)


def _is_certain(count: int, finished_before: int | None) -> bool:
    """Whether whoever sits there is. Nobody there is nobody who is."""
    which = "" if finished_before is None else f", over for {age(finished_before)} or more"
    tables = "1 table" if count == 1 else f"{count:,} tables"
    try:
        return click.confirm(f"Forget {tables}{which}, for good?", err=True)
    except click.Abort:
        click.echo("\nNothing was pruned.", err=True)
        raise


async def _finished_before(store: Store, milliseconds: int) -> list[LogId]:
    latest = store.now() - milliseconds
    return [name async for name, row in every(store, is_open=False) if not row.note and row.changed <= latest]


async def _pruned_all(
    store: Store, names: Sequence[LogId], target: Path | None, put_aside: bool, as_json: bool
) -> list[Verdict]:
    return await one_by_one(names, "Pruning", lambda name: pruned(store, name, target, put_aside), as_json)


async def pruned(store: Store, name: LogId, target: Path | None, put_aside: bool) -> Verdict:
    """A table forgotten; or why it was not."""
    row = await store.row(name)
    if row is None:
        return Verdict(name, error=Rejection(Code.NO_TABLE, f"There is no table {name}."))
    if row.note and not put_aside:
        why = "This table was put aside; mend and rebuild it, or say --put-aside."
        return Verdict(name, error=Rejection(RecordCode.NOT_OVER, why))
    kept = Verdict(name) if target is None else await exported(store, name, target)
    if kept.error is not None and kept.error.code != RecordCode.NO_MATCH:
        return kept
    if not await store.prune(name):
        return Verdict(name, error=Rejection(RecordCode.NOT_OVER, "This table is not over."))
    return Verdict(name, done="pruned" if kept.file is None else f"pruned, {kept.done}", file=kept.file)


# check


@click.command()
@tables_argument
@store_option
@json_option
def check(tables: tuple[str, ...], store: str, as_json: bool) -> None:
    """Check tables, all of them by default: the chain of hashes, the replay, and the caches beside the log.

    Prints what is wrong. A table of an older version of its game is named, too, and counts as sound.

    \b
    Examples:
      turnstile matches check
      turnstile matches check 7f3a --json
    """

    async def work(opened: Store) -> list[Verdict]:
        async def one(name: LogId) -> Verdict:
            fault = await checked(opened, name)
            return Verdict(name, error=fault) if fault else Verdict(name, done="sound")

        return await one_by_one(await _named_or_all(opened, tables), "Checking", one, as_json)

    verdicts = in_store(store, work)
    wanting = [verdict for verdict in verdicts if verdict.error and verdict.error.code in (*WANTING, Code.NO_TABLE)]
    if not as_json:
        click.echo(f"{len(verdicts):,} checked, {len(wanting):,} wanting.")
    finish(wanting)


async def _named_or_all(store: Store, tables: Sequence[str]) -> list[LogId]:
    return [LogId(table) for table in tables] or [name async for name, _ in every(store)]


# rebuild


@click.command()
@tables_argument
@store_option
@json_option
def rebuild(tables: tuple[str, ...], store: str, as_json: bool) -> None:
    """Make the rows of tables anew from their logs, and drop their snapshots; all tables by default.

    This is the way back for a table that was put aside, once its log or its game has been mended. One whose log is
    still damaged, or of an older version of its game, is left as it is and named.

    \b
    Examples:
      turnstile matches rebuild
      turnstile matches rebuild 7f3a
    """

    async def work(opened: Store) -> list[Verdict]:
        async def one(name: LogId) -> Verdict:
            fault = await rebuilt(opened, name)
            return Verdict(name, error=fault) if fault else Verdict(name, done="rebuilt")

        return await one_by_one(await _named_or_all(opened, tables), "Rebuilding", one, as_json)

    verdicts = in_store(store, work)
    finish([verdict for verdict in verdicts if verdict.error and verdict.error.code != RecordCode.OTHER_VERSION])
