"""Shows a league in a terminal: rounds and standings as they change, and a table at the end."""

import sys
import time
from collections.abc import Mapping, Sequence
from types import TracebackType

import click
from msgspec import UNSET, UnsetType
from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from turnstile.agents.page.scoreboard import (
    Health,
    Place,
    Progress,
    Scoreboard,
    champions_sentence,
    leaders,
    names_in_words,
    shared_ranks,
)
from turnstile.agents.player.failures import Failing
from turnstile.agents.process.journal import printable, short
from turnstile.cli.console import plain_console
from turnstile.kernel.values import encode
from turnstile.league.protocol.words import LeagueValue

MOST_SHOWN = 12  # rows of the table while the league runs
LEFT = ("Player", "Id")
DROPPED_FIRST = ("Id", "Played", "TL")  # columns, if the terminal is too narrow for all


class Glimpse(LeagueValue, frozen=True, kw_only=True):
    """The state of a league at one moment, as a terminal shows it: a line of `--json`."""

    league_id: str
    progress: Progress
    rounds_completed: int
    total_rounds: int
    matches_completed: int
    total_matches: int
    standings: tuple[Place, ...]
    waits_for: str | None = None
    """What the league needs before it can continue, in words."""
    warnings: tuple[str, ...] | UnsetType = UNSET
    """What is wrong with its referees, in sentences."""
    failing: tuple[Failing, ...] | UnsetType = UNSET
    """The strategies that failed, at the end of a league that was run here."""


def glimpse(board: Scoreboard) -> Glimpse:
    a_round = board.total_matches // max(board.total_rounds, 1)  # all rounds have equally many, one after the other
    return Glimpse(
        league_id=board.league_id,
        progress=board.progress,
        rounds_completed=board.matches_completed // max(a_round, 1),
        total_rounds=board.total_rounds,
        matches_completed=board.matches_completed,
        total_matches=board.total_matches,
        standings=board.places,
        waits_for=board.waits_for,
        warnings=tuple(map(_warning, filter(_is_refusing, board.agents))) or UNSET,
    )


def _is_refusing(agent: Health) -> bool:
    return agent.refuses_matches is True


def _warning(agent: Health) -> str:
    told = f"{printable(agent.display_name)} ({short(agent.address)}) {printable(agent.condition)}"
    return f"{told}; they go to another referee."


def at_end_of(number: int, now: Glimpse) -> Glimpse:
    """The state of the league when this round ended.

    The standings are the current ones, which may include matches of the next round.
    """
    done = number * now.total_matches // now.total_rounds
    return replace(now, progress=Progress.RUNNING, rounds_completed=number, matches_completed=done, waits_for=None)


class Show:
    """Shows a league: live in a terminal, else a line after each round, or lines of JSON.

    In JSON the line of the last round is the final line. Of a league that is resumed, the rounds that ended before are
    not printed again.
    """

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self._began: float | None = None
        self._ended: float | None = None
        """When the last match ended; the agents take a moment longer to exit."""
        self._done_before = 0
        self._round: int | None = None
        """The last round that was printed, or had ended before."""
        console = plain_console(stderr=True)
        self._live = Live(console=console, refresh_per_second=8) if console.is_terminal and not as_json else None

    def __enter__(self) -> "Show":
        if self._live:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: object, trace: TracebackType | None) -> None:
        self.end()

    def end(self) -> None:
        """Stop the live display and clear it, to make room for the table."""
        if self._live:
            self._live.update(Text(""))
            self._live.stop()
            self._live = None

    def say(self, sentence: str) -> None:
        """Print a sentence beside the table."""
        if self._live:
            self._live.console.print(Text(sentence))
        else:
            click.echo(sentence, err=True)

    def update(self, now: Glimpse) -> None:
        """Show the current state. May be called at any time."""
        if self._began is None and now.progress is Progress.RUNNING:
            self.begin(now.matches_completed)
        if self._ended is None and now.progress is Progress.COMPLETED:
            self._ended = time.monotonic()
        if self._live:
            self._live.update(self._picture(now))
        else:
            self._catch_up(now)

    def begin(self, done: int = 0) -> None:
        """Measure the rate from now on; `done` matches were played before."""
        self._began, self._done_before = time.monotonic(), done

    def _catch_up(self, now: Glimpse) -> None:
        """Print a line for each round that ended since the last call; in JSON, not for the last round."""
        before = now.rounds_completed if self._round is None else self._round
        last = now.total_rounds - 1 if self.as_json else now.total_rounds
        for ended in range(before + 1, min(now.rounds_completed, last) + 1):
            self._line(at_end_of(ended, now))
        self._round = max(before, now.rounds_completed)

    def _line(self, now: Glimpse) -> None:
        if self.as_json:
            click.echo(encode(now))
        else:
            ended = f"Round {now.rounds_completed} of {now.total_rounds} is over"
            click.echo(f"{ended}: {self._matches(now)}{leading(now)}", err=True)
        sys.stdout.flush()

    def _matches(self, now: Glimpse) -> str:
        done = f"{now.matches_completed:,} of {now.total_matches:,} matches"
        if self._began is None or now.matches_completed == self._done_before:
            return done
        seconds = (self._ended or time.monotonic()) - self._began
        rate = (now.matches_completed - self._done_before) / max(seconds, 0.001)
        return f"{done}, {rate:,.1f} a second"

    def _picture(self, now: Glimpse) -> Group:
        assert self._live is not None
        present = min(now.rounds_completed + 1, now.total_rounds)
        how_far = f"round {present} of {now.total_rounds}, {self._matches(now)}"
        title = Text(f"{printable(now.league_id)}: {how_far if now.waits_for is None else waiting(now.waits_for)}")
        bar = ProgressBar(total=max(now.total_matches, 1), completed=now.matches_completed, width=60)
        return Group(title, bar, table_of(now.standings[:MOST_SHOWN], self._live.console.width))

    def finish(self, now: Glimpse) -> None:
        """Print the final table, and the strategies that failed."""
        self._tell(now)
        for failing in now.failing or ():
            click.echo(str(failing), err=True)

    def _tell(self, now: Glimpse) -> None:
        if self.as_json:
            self._catch_up(now)
            if now.progress is Progress.COMPLETED:  # otherwise no round has ended since the last line
                click.echo(encode(now))
            return
        self.table(now)

    def table(self, now: Glimpse) -> None:
        """Print the table with the champion, or with what the league waits for."""
        console = plain_console()
        how_far = "not begun" if now.progress is Progress.PENDING else self._matches(now)
        console.print(table_of(now.standings, console.width, title=f"{printable(now.league_id)}: {how_far}"))
        if now.waits_for is not None:
            console.print(Text(f"The league {waiting(now.waits_for)}."), soft_wrap=True)
        for warning in now.warnings or ():
            console.print(Text(f"Warning: {warning}"), soft_wrap=True)
        if now.progress is Progress.COMPLETED and now.standings:
            console.print(Text(champions(now.standings)), soft_wrap=True)


def waiting(what: str) -> str:
    return f"waits for {printable(what)}"


def champions(standings: Sequence[Place]) -> str:
    """Who won, alone or with others, and by how much."""
    return champions_sentence(standings, printable)


def table_of(places: Sequence[Place], width: int, title: str | None = None) -> Table:
    """The table, with as many columns as fit into the width."""
    columns: dict[str, list[str]] = {
        "Rank": [str(rank) for rank in shared_ranks(places)],
        "Player": [printable(place.display_name) for place in places],
        "Id": [printable(place.player_id) for place in places],
        "Played": [str(place.played) for place in places],
        "W": [str(place.wins) for place in places],
        "D": [str(place.draws) for place in places],
        "L": [str(place.losses) for place in places],
        "TL": [str(place.technical_losses) for place in places],
        "Points": [str(place.points) for place in places],
    }
    for dropped in DROPPED_FIRST:
        if _width(columns) > width:
            del columns[dropped]
    table = Table(title=None if title is None else Text(title))
    for label in columns:
        table.add_column(label, justify="left" if label in LEFT else "right")
    for row in zip(*columns.values(), strict=True):
        table.add_row(*map(Text, row))
    return table


def _width(columns: Mapping[str, Sequence[str]]) -> int:
    """The width of a table with these columns and lines between them."""
    return 1 + sum(3 + max(map(cell_len, (label, *cells))) for label, cells in columns.items())


def leading(now: Glimpse) -> str:
    """Who leads, one player or several, while matches are played."""
    if not now.standings or not now.matches_completed:
        return ""
    first = leaders(now.standings)
    return f"; {names_in_words(first, printable)} {'leads' if len(first) == 1 else 'lead'}"
