"""`turnstile solve`: the equilibrium of a game that is small enough, and what each bot loses to its best opponent."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from random import Random

import click
from rich.markup import escape
from rich.table import Table

from turnstile.bots import bots_of
from turnstile.bots.names import SEARCH
from turnstile.cli.arguments import game_argument
from turnstile.cli.bots import bot_failure, find_bot, split_names
from turnstile.cli.console import plain_console
from turnstile.cli.errors import Failed
from turnstile.cli.interrupts import INTERRUPTED
from turnstile.cli.json_option import json_option
from turnstile.cli.progress import progress_bar
from turnstile.cli.streams import ignore_closed_pipes, stdout_on_stderr
from turnstile.cli.terminals import terminal_of
from turnstile.kernel import AnyGame, AnySubgame, Value
from turnstile.kernel.values import encode
from turnstile.lab.own_bots import BotFailed, close_bots, load_bot
from turnstile.lab.solver import GameTree, Solution, TooLarge, build_tree, response_value, strategy_of
from turnstile.lab.solver import solve as approach
from turnstile.registry import study_of

SEED = "solve"  # bots that are asked many times get the same generator every time


class Choice(Value, frozen=True):
    """With which probability the solution takes one action."""

    seat: str
    situation: str
    action: str
    probability: str


class Loss(Value, frozen=True):
    """What a bot wins at one seat against the opponent that does best against it, and what that costs it."""

    bot: str
    seat: str
    wins: float
    loss: float
    is_exact: bool


class Report(Value, frozen=True):
    """All that the command has found."""

    game: str
    part: str
    value: str
    gap: float
    nodes: int
    rounds: int
    strategy: tuple[Choice, ...]
    bots: tuple[Loss, ...]


@click.command()
@game_argument
@click.option("--bots", "bot_names", help="The bots to examine, separated by commas; by default all but search.")
@click.option(
    "--rounds", type=click.IntRange(1), default=10_000, show_default=True, help="The most rounds of CFR+ to play."
)
@click.option(
    "--draws",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="How often to ask a bot whose probabilities cannot be computed.",
)
@json_option("Print JSON for programs; see above.")
def solve(game: AnyGame, bot_names: str | None, rounds: int, draws: int, as_json: bool) -> None:
    """Solve a game that is small enough, and print the strategy.

    Builds the tree of all ways to play from the rules, and lets two players learn from their regrets (CFR+). The result
    is rounded to fractions. If no player can gain by another strategy, which is computed exactly, the fractions are an
    equilibrium, and it says so. Otherwise it says how much a player could still gain.

    Then it computes for each bot how much it wins against the opponent that does best against it, and what it loses
    compared with the equilibrium. A bot that draws with random.choice only is computed exactly. Any other bot is asked
    --draws times in every situation; its loss is an estimate, and a little too high. If the solution is not exact, all
    losses are estimates. A bot may be your own: see 'turnstile arena --help'.

    \b
    Examples:
      turnstile solve e-card
      turnstile solve e-card --bots equilibrium,search:400 --draws 100

    \b
    --json prints an object:
      game, part     text: what was solved
      value          text, a fraction: what the first player wins on average
      gap            number: what both players could still gain; 0 if the solution is exact
      nodes, rounds  the size of the tree, the rounds of CFR+
      strategy       a list of {"seat", "situation", "action", "probability"}; a probability is text, a fraction
      bots           a list of {"bot", "seat", "wins", "loss", "isExact"}
    """
    subgame = study_of(game).subgame
    if subgame is None:
        raise Failed(f"{game.title} cannot be solved: its study names no part that is small enough (docs/bots.md).")
    names = tuple(find_bot(game, name) for name in split_names(bot_names)) if bot_names else default_bots(game)
    try:
        tree = build_tree(game, subgame)
    except TooLarge as fault:
        raise Failed(f"{fault} It is too large to solve.") from None
    solution: Solution | None = None
    losses: list[Loss] = []
    is_interrupted = False
    try:
        solution = find_solution(tree, rounds)
        losses += losses_of(game, subgame, tree, solution, names, draws)
    except KeyboardInterrupt:
        is_interrupted = True
    except BotFailed as fault:
        raise bot_failure(fault) from None
    finally:
        close_bots()
    if solution is not None:
        print_report(game, report_of(game, subgame, tree, solution, losses), as_json)
    if is_interrupted:
        click.echo("Stopped.", err=True)
        raise click.exceptions.Exit(INTERRUPTED)


def default_bots(game: AnyGame) -> tuple[str, ...]:
    """All bots but `search`, which takes its time."""
    return tuple(name for name in bots_of(game) if name != SEARCH)


def find_solution(tree: GameTree, rounds: int) -> Solution:
    """The solution after so many rounds, or the first exact one, behind a progress bar."""
    with progress_bar(plain_console(stderr=True), "{task.fields[gap]}", is_transient=True) as progress:
        task = progress.add_task("rounds of CFR+", total=rounds, gap="")
        for solution in approach(tree, rounds):
            progress.update(task, completed=solution.rounds, gap=f"gap {float(solution.gap):.6f}")
    return solution


def losses_of(
    game: AnyGame, subgame: AnySubgame, tree: GameTree, solution: Solution, names: Sequence[str], draws: int
) -> Iterator[Loss]:
    """What each bot loses at each seat. A progress bar counts the decisions that the bots were asked about."""
    heed_closed_pipes = ignore_closed_pipes()  # of programs: if one dies, this process must not
    values = (solution.value, tree.total - solution.value)
    with progress_bar(plain_console(stderr=True), is_transient=True) as progress, stdout_on_stderr():
        for name in names:
            task = progress.add_task(escape(name), total=len(tree.infosets))
            found = strategy_of(load_bot(game, name), tree, draws, Random(SEED), partial(progress.advance, task))
            for player, seat, value in zip(tree.players, subgame.seats, values, strict=True):
                wins = tree.total - response_value(tree, tree.other(player), found.strategy)
                loss = max(0.0, float(value - wins))  # an estimated value may be too low
                yield Loss(name, seat, float(wins), loss, found.is_exact and solution.gap == 0)
    heed_closed_pipes()


def report_of(game: AnyGame, subgame: AnySubgame, tree: GameTree, solution: Solution, losses: Sequence[Loss]) -> Report:
    return Report(
        game=game.name,
        part=subgame.title,
        value=str(solution.value),
        gap=float(solution.gap),
        nodes=tree.size,
        rounds=solution.rounds,
        strategy=tuple(choices_of(game, subgame, tree, solution)),
        bots=tuple(losses),
    )


def choices_of(game: AnyGame, subgame: AnySubgame, tree: GameTree, solution: Solution) -> Iterator[Choice]:
    """The solution in words, seat by seat. Forced moves are left out."""
    words = terminal_of(game, tree.players)
    for player, seat in zip(tree.players, subgame.seats, strict=True):
        for info in tree.infosets:
            if info.player == player and len(info.actions) > 1:
                for action, chance in zip(info.actions, solution.strategy[info], strict=True):
                    yield Choice(seat, subgame.situation(info.view), words.name(action), str(chance))


def print_report(game: AnyGame, report: Report, as_json: bool) -> None:
    if as_json:
        click.echo(encode(report))
        return
    console = plain_console()
    table = Table("", "situation", "action", "probability", title=escape(f"{game.title}, {report.part}"))
    before = ""
    for choice in report.strategy:
        if before and choice.seat != before:
            table.add_section()
        table.add_row(choice.seat if choice.seat != before else "", choice.situation, choice.action, choice.probability)
        before = choice.seat
    console.print(table)
    console.print(sentence_of_value(report))
    if report.bots:
        console.print(table_of_losses(report.bots))


def sentence_of_value(report: Report) -> str:
    tree = f"({report.nodes:,} nodes, {report.rounds:,} rounds of CFR+)"
    if report.gap == 0:
        return f"The first player wins {report.value} on average. This is exact: no player can gain. {tree}"
    return f"The first player wins about {float(Fraction(report.value)):.6f}; players can gain {report.gap:.6f}. {tree}"


def table_of_losses(losses: Sequence[Loss]) -> Table:
    table = Table("bot", "seat", "wins at least", "loses", "", title="Against the opponent that does best against it")
    for loss in losses:
        source = "exact" if loss.is_exact else "estimated"
        table.add_row(escape(loss.bot), loss.seat, f"{loss.wins:.4f}", f"{loss.loss:.4f}", source)
    return table
