"""The figures of a run, and how they are shown."""

from collections.abc import Sequence

import msgspec
from rich import box
from rich.console import Console
from rich.table import Table


class Delays(msgspec.Struct, frozen=True):
    """Milliseconds from a move to an update that it causes."""

    p50: float
    p95: float
    p99: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "Delays | None":
        if not seconds:
            return None
        ordered = sorted(seconds)
        p50, p95, p99 = (round(1000 * ordered[min(len(ordered) - 1, int(len(ordered) * part))], 2) for part in PARTS)
        return cls(p50, p95, p99)


PARTS = (0.5, 0.95, 0.99)


class Figures(msgspec.Struct, kw_only=True):
    """What one run has shown. CPU is in milliseconds for each accepted move, memory in kB."""

    contestant: str
    processes: int
    tables: int
    players: int
    seconds: float
    moves: int
    moves_per_second: float
    to_mover: Delays | None
    to_others: Delays | None
    server_cpu: float
    database_cpu: float = 0.0
    server_load: float
    """The part of its core that the server used."""
    client_load: float
    memory_per_table: float | None = None
    """With the connections of its players, before the first move."""
    memory_per_table_in_play: float | None = None
    """The same at the end of the run, with the updates that are kept for readers."""
    memory_per_connection: float | None = None
    matches: int = 0
    """Matches that have ended."""
    refusals: dict[str, int] = {}
    disturbance: str = ""
    abuser_sent: int = 0
    abuser_closed: int = 0
    """How often the server closed the connection of the abuser."""
    checked_tables: int = 0
    """Tables whose log was held against what their clients saw; nothing was wrong, or there would be no figures."""
    checked_updates: int = 0
    checked_samples: int = 0
    """Updates that were looked for in the store at the moment when they arrived."""


HEADINGS = (
    "server",
    "tables",
    "moves/s",
    "to mover ms",
    "to others ms",
    "CPU ms/move",
    "of database",
    "kB/table",
    "in play",
    "kB/conn",
    "load",
    "clients",
    "checked",
)


def show(all_figures: Sequence[Figures], console: Console) -> None:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in HEADINGS:
        table.add_column(heading, justify="left" if heading == "server" else "right", no_wrap=True)
    for each in all_figures:
        table.add_row(*_row(each))
    console.print(table)
    console.print("Delays are p50 / p95 / p99 from the move to the update that it causes.", soft_wrap=True)


def _row(figures: Figures) -> tuple[str, ...]:
    name = figures.contestant if figures.processes == 1 else f"{figures.contestant} x {figures.processes}"
    return (
        f"{name} {figures.disturbance}".strip(),
        str(figures.tables),
        f"{figures.moves_per_second:,.0f}",
        _delays(figures.to_mover),
        _delays(figures.to_others),
        f"{figures.server_cpu:.3f}",
        f"{figures.database_cpu:.3f}" if figures.database_cpu else "-",
        _or_dash(figures.memory_per_table),
        _or_dash(figures.memory_per_table_in_play),
        _or_dash(figures.memory_per_connection),
        f"{figures.server_load:.0%}",
        f"{figures.client_load:.0%}",
        f"{figures.checked_updates:,}" if figures.checked_updates else "-",
    )


def _delays(delays: Delays | None) -> str:
    return "-" if delays is None else f"{delays.p50:.1f} / {delays.p95:.1f} / {delays.p99:.1f}"


def _or_dash(number: float | None) -> str:
    return "-" if number is None else f"{number:.0f}"
