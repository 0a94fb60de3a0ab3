"""How contests look in a terminal: tables, and plain sentences about what is certain."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from turnstile.cli.console import plain_console
from turnstile.kernel import AnyGame
from turnstile.lab.contests import Contest
from turnstile.lab.contests.paired import Mean
from turnstile.lab.contests.pairs import PairResult

if TYPE_CHECKING:  # its module imports openskill, which only tournaments need
    from turnstile.lab.contests.standings import Standings

INTERVAL = "95 % interval"
"""The second line of a column's header, where each cell has a mean and below it the interval."""
WIDEST = 10_000  # characters: as wide as a table wants to be


def print_tournament(game: AnyGame, contest: Contest, standings: "Standings") -> None:
    """Print the standings, the cross table, the seats, and which differences are certain."""
    console = plain_console()
    console.print(_standings_table(game, contest, standings))
    console.print(_fitting_cross_table(console, contest, standings))
    console.print(_seats_table(standings))
    for line in verdict(standings.pairs, len(contest.players)):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def whole_words_table(*headers: str, title: str) -> Table:
    """A table that breaks words where the window is narrow: half a name could be that of several bots."""
    return Table(*(Column(header, overflow="fold") for header in headers), title=title)


def _standings_table(game: AnyGame, contest: Contest, standings: "Standings") -> Table:
    deals = "1 deal" if standings.deals == 1 else f"{standings.deals:,} deals"
    played = f"{deals} x {len(contest.seatings)} seatings = {standings.matches:,} matches"
    table = whole_words_table(
        *("", "bot", f"rating\n{INTERVAL}", f"wins\n{INTERVAL}", "mean score"),
        title=f"{escape(game.title)}: {played}, seed {escape(contest.seed)}",
    )
    for place, each in enumerate(standings.bots, start=1):
        rating = f"{each.rating.mu:.2f}\n{each.rating.low:.2f} to {each.rating.high:.2f}"
        table.add_row(str(place), escape(each.bot), rating, cell(each.wins), f"{each.mean_score:.2f}")
    return table


def _fitting_cross_table(console: Console, contest: Contest, standings: "Standings") -> Table:
    """The cross table. If the window is too narrow for the intervals, it has none."""
    table = _cross_table(contest, standings, cell)
    needed = console.measure(table, options=console.options.update(max_width=WIDEST)).maximum
    return table if needed <= console.width else _cross_table(contest, standings, short_cell)


def _cross_table(contest: Contest, standings: "Standings", text_of: Callable[[Mean | None], str]) -> Table:
    """How often the bot of a row came out ahead of the bot of a column. A column has the place of its bot."""
    ahead: dict[tuple[str, str], Mean] = {}
    for pair in standings.pairs:
        ahead[pair.bot, pair.other] = pair.ahead
        ahead[pair.other, pair.bot] = Mean(1 - pair.ahead.mean, 1 - pair.ahead.high, 1 - pair.ahead.low)
    what = "wins against" if len(contest.players) == 2 else "comes out ahead of"
    title = f"How often a row {what} a column; a tie counts half"
    bots = [each.bot for each in standings.bots]
    table = whole_words_table("", "bot", *(str(place) for place in range(1, len(bots) + 1)), title=title)
    for place, row in enumerate(bots, start=1):
        table.add_row(str(place), escape(row), *(text_of(ahead.get((row, column))) for column in bots))
    return table


def _seats_table(standings: "Standings") -> Table:
    seats = (f"seat {each.seat}" for each in standings.seats)
    table = whole_words_table("wins on", *seats, title="What the seats are worth")
    for bot in standings.bots:
        table.add_row(escape(bot.bot), *map(cell, bot.wins_by_seat))
    table.add_section()
    table.add_row("all bots", *(cell(each.wins) for each in standings.seats))
    return table


def verdict(pairs: Sequence[PairResult], players: int) -> Iterator[str]:
    """Which differences are certain, in sentences."""
    correction = f", corrected for {len(pairs)} pairs by Holm's method" if len(pairs) > 1 else ""
    yield f"Paired test over deals, 5 % risk of a wrong claim{correction}:"
    for pair in sorted(pairs, key=lambda each: each.corrected_p):
        yield f"  {pair_sentence(pair, players)}"


def pair_sentence(pair: PairResult, players: int) -> str:
    """What the matches of two bots say."""
    figures = (
        f"{pair.ahead.mean:.1%} of {pair.matches:,} matches ({range_text(pair.ahead)}), {p_text(pair.corrected_p)}"
    )
    if not pair.is_certain:
        return f"{pair.bot} and {pair.other}: no certain difference. {pair.bot} has {figures}."
    verb = "wins against" if players == 2 else "comes out ahead of"
    if pair.ahead.mean > 0.5:
        return f"{pair.bot} is stronger than {pair.other}: it {verb} it in {figures}."
    return f"{pair.bot} is weaker than {pair.other}: it {verb} it in only {figures}."


def cell(mean: Mean | None) -> str:
    return "" if mean is None else f"{mean.mean:.1%}\n{range_text(mean)}"


def short_cell(mean: Mean | None) -> str:
    return "" if mean is None else f"{mean.mean:.1%}"


def range_text(mean: Mean) -> str:
    return f"{mean.low:.1%} to {mean.high:.1%}"


def p_text(p: float) -> str:
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}"
