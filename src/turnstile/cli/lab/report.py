"""`turnstile report`: one page with plots about the matches of a simulation, a tournament or a league."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import click
import msgspec

from turnstile.cli.console import plain_console
from turnstile.cli.json_option import json_option
from turnstile.cli.progress import progress_bar
from turnstile.lab.results import ResultLine
from turnstile.reports.analysis import Analysis, analyse
from turnstile.reports.errors import Unreadable
from turnstile.reports.reading import Source, read_source

MATCHES_IN_A_STEP = 1_000  # of the progress bar


@click.command()
@click.argument("path", metavar="FILE", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="PAGE",
    help="The page to write; by default beside FILE, with the same name and the ending .html.",
)
@click.option(
    "--png",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write the plots as PNG pictures into this folder, too. Needs: pip install 'turnstile[plots]'",
)
@json_option("Print the numbers as JSON for programs, and write no page unless --out is given.")
def report(path: Path, out: Path | None, png: Path | None, as_json: bool) -> None:
    """Make a page with plots from a simulation, a tournament or a league.

    It shows who wins, with 95 % intervals; ratings over the matches; who beats whom; whether seats and roles matter;
    and the distributions of scores and lengths. The page is one file that needs no other and no network.

    \b
    FILE is one of:
      matches.jsonl, matches.parquet  made by 'turnstile simulate GAME --out FILE'
      the file of a tournament        made by 'turnstile tournament'
      the data folder of a league     made by 'turnstile league run', SHARED by default. The league's own report has
                                      its rounds and every match; this page has the statistics

    \b
    Examples:
      turnstile simulate up-down --bots counter,random --out matches.jsonl
      turnstile report matches.jsonl
      turnstile report matches.jsonl --out report.html --png plots
      turnstile report SHARED --out league.html
    """
    if png is not None and find_spec("matplotlib") is None:
        raise click.UsageError("--png needs another package: pip install 'turnstile[plots]'.")
    page = None if as_json and out is None else out or default_page(path)
    if page is not None and page.exists() and page.samefile(path):
        raise click.UsageError(f"The page would replace {path}: choose another --out.")
    source, analysis = read_and_count(path)
    if as_json:
        click.echo(msgspec.json.encode(analysis))
    if page is not None:
        write_page(source, analysis, page)
    if png is not None:
        write_pictures(analysis, png)


def read_and_count(path: Path) -> tuple[Source, Analysis]:
    try:
        source = read_source(path)
        analysis = analyse(source.header, behind_bar(source))
    except Unreadable as fault:
        raise click.ClickException(str(fault)) from None
    if not analysis.matches:
        raise click.ClickException(f"{path} has no finished match.")
    return source, analysis


def behind_bar(source: Source) -> Iterator[ResultLine]:
    """The matches, with a progress bar on a terminal while they are read."""
    console = plain_console(stderr=True)
    if not console.is_terminal:
        yield from source.matches
        return
    with progress_bar(console, is_transient=True) as progress:
        task = progress.add_task("matches", total=source.header.matches)
        for number, match in enumerate(source.matches, start=1):
            yield match
            if number % MATCHES_IN_A_STEP == 0:
                progress.update(task, completed=number)


def default_page(path: Path) -> Path:
    return path / "statistics.html" if path.is_dir() else path.with_suffix(".html")


def write_page(source: Source, analysis: Analysis, out: Path) -> None:
    from turnstile.durable.files import write_whole  # here, because --json needs neither files nor templates
    from turnstile.reports.figures import figures_of
    from turnstile.reports.page import render_report

    page = render_report(source.header, analysis, figures_of(analysis), source.own_page)
    write_whole(out, page.encode())
    click.echo(f"The report: {out}", err=True)


def write_pictures(analysis: Analysis, folder: Path) -> None:
    from turnstile.reports.figures import figures_of
    from turnstile.reports.png import write_pngs  # here, because matplotlib is optional and large

    written = write_pngs(figures_of(analysis), folder)
    click.echo(f"{len(written)} plots: {folder}", err=True)
