"""What the commands on stored tables share: the store that they open and close, and the line printed for a table."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

import click

from turnstile.agents.process.logs import KINDS as LEAGUE_KINDS
from turnstile.cli.json_option import json_option as json_option_of
from turnstile.durable.upkeep import Code, Kinds
from turnstile.host.logs import TABLES
from turnstile.kernel import Rejection
from turnstile.kernel.values import LogId, Value, encode
from turnstile.net.text import one_line
from turnstile.store.directory import DirectoryStore
from turnstile.store.opening import open_existing
from turnstile.store.protocol import StoreFault

T = TypeVar("T")

DEFAULT = "turnstile.db"
KINDS: Kinds = {TABLES.tag: TABLES, **{kind.tag: kind for kind in LEAGUE_KINDS}}
"""Every kind of log that a server or an agent of the league writes."""
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
FAULTY = (Code.DAMAGED, Code.STALE_CACHE, Code.PUT_ASIDE)

store_option = click.option(
    "--store",
    envvar="TURNSTILE_STORE",
    default=DEFAULT,
    show_default=f"{DEFAULT} in this folder, or $TURNSTILE_STORE",
    metavar="FILE|URL",
    help="The store: a SQLite file, or postgresql://user@host/database.",
)
json_option = json_option_of("Print a line of JSON for each table.")
tables_argument = click.argument("tables", nargs=-1, metavar="[TABLE]...")


def in_store(where: str, work: Callable[[DirectoryStore], Coroutine[Any, Any, T]]) -> T:
    """Open a store, do some work on it and return its result. Faults of the store become one sentence."""

    async def run() -> T:
        async with _opened(where) as store:
            return await work(store)

    try:
        return asyncio.run(run())
    except StoreFault as fault:
        raise click.ClickException(str(fault)) from None


@asynccontextmanager
async def _opened(where: str) -> AsyncIterator[DirectoryStore]:
    store = await open_existing(where)
    try:
        yield store
    finally:
        await store.close()


class Verdict(Value, frozen=True):
    """The result of a command for one table."""

    table: LogId
    done: str | None = None
    error: Rejection | None = None
    file: str | None = None


def tell(verdict: Verdict, as_json: bool) -> None:
    """Print the line of a table: on standard output if the command succeeded, else on standard error."""
    if as_json:
        click.echo(encode(verdict))
    elif verdict.error is not None:
        click.echo(f"{one_line(verdict.table)}: {one_line(verdict.error.sentence)}", err=True)
    else:
        click.echo(f"{one_line(verdict.table)}: {verdict.done}")


def finish(verdicts: Sequence[Verdict]) -> None:
    """Exit with the status for all tables: 1 if one is damaged, 2 if one was refused."""
    codes = {verdict.error.code for verdict in verdicts if verdict.error is not None}
    if codes:
        sys.exit(1 if codes & set(FAULTY) else 2)


async def one_by_one(
    tables: Sequence[LogId], what: str, work: Callable[[LogId], Awaitable[Verdict]], as_json: bool
) -> list[Verdict]:
    """Do the same work for every table, with a progress bar in a terminal. Ctrl-C keeps what was done so far."""
    verdicts = []
    with _progress(what, len(tables)) as advance:
        for table in tables:
            verdict = await work(table)
            tell(verdict, as_json)
            verdicts.append(verdict)
            advance()
    return verdicts


@contextmanager
def _progress(what: str, total: int) -> Iterator[Callable[[], None]]:
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from turnstile.cli.console import plain_console
    from turnstile.cli.progress import progress_bar

    with progress_bar(plain_console(stderr=True), is_transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda: progress.advance(task)


# words and numbers


def read_age(context: click.Context, parameter: click.Parameter, text: str | None) -> int | None:
    """A span of time such as 30d, in milliseconds."""
    found = re.fullmatch(r"(\d{1,6})([smhdw])", text or "")
    if text is not None and found is None:
        raise click.UsageError(
            f"Invalid age {text!r}: give a number and one of s, m, h, d, w, such as 30d or 12h.", context
        )
    return int(found[1]) * UNITS[found[2]] * 1000 if found else None


def age(milliseconds: int) -> str:
    """A span of time in the largest unit that makes it at least 2."""
    seconds = max(0, milliseconds) // 1000
    unit = next((unit for unit in "dhm" if seconds >= 2 * UNITS[unit]), "s")
    return f"{seconds // UNITS[unit]}{unit}"
