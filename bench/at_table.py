"""A game at its table, beside the game alone: the same moves through `table.step` and `table.apply`.

The table adds seats, streams, gates and clocks: everyone acknowledges at once, and the smallest company plays. Moves
are counted, in all four: what the dealer does and what is acknowledged between two of them belongs to the first.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bench.harness import Contest, Contestant, Run
from bench.tables import Wanted, header, history
from turnstile.host.logs import TableEvent
from turnstile.kernel import AnyGame, Event, Rejection
from turnstile.kernel.chance import mix
from turnstile.kernel.values import Instant
from turnstile.registry import find_game
from turnstile.table.machine import Table, open_table, table
from turnstile.table.values import Act, Phase, State

MOVES = 600  # about as many in each contest, however long a match is
TO_THE_END = 1_000_000


@dataclass(frozen=True, slots=True)
class Recorded:
    """A match at a table: the table and the match before it, and what happened to the one and to the other."""

    table: Table
    table_events: tuple[TableEvent, ...]
    match: Any
    match_events: tuple[Event, ...]
    moves: int


Play = Callable[[AnyGame, Recorded], Iterator[Any]]
"""Plays a match again; gives the state of the match whenever somebody is to move, and at the end."""


def contest_of(name: str) -> Contest:
    game = find_game(name)
    assert game is not None
    one = recorded(game)
    times = max(1, MOVES // one.moves)
    with_news = f"the table around it, with everyone's news: {len(one.table_events)} events for {one.moves} moves"
    return Contest(
        name=f"{name} at a table",
        title=f"{game.title} at a table, and alone",
        unit="move",
        units=one.moves * times,
        baseline="game.step",
        contestants=(
            _contestant("game.step", "the game's machine alone, with its messages", game_step, game, one, times),
            _contestant("game.apply", "the game's machine alone, states only", game_apply, game, one, times),
            _contestant("table.step", with_news, table_step, game, one, times),
            _contestant("table.apply", "the table around it, as a log is replayed", table_apply, game, one, times),
        ),
    )


def recorded(game: AnyGame) -> Recorded:
    wanted = Wanted("table", TO_THE_END)
    start = open_table(header(game, wanted, Instant(0)))
    assert not isinstance(start, Rejection), start
    happened = list(history(game, start, wanted))
    last = happened[-1][1]
    assert last.seed is not None
    match = game.new(last.players, game.options(), mix(last.seed, last.words))
    acts = [event for event, _ in happened if isinstance(event, Act)]
    fed = tuple(_fed(game, match, acts))
    return Recorded(start, tuple(event for event, _ in happened), match, fed, len(acts))


def _fed(game: AnyGame, match: Any, acts: list[Act]) -> Iterator[Event]:
    """The moves, and what the dealer does between them."""
    moves = iter(acts)
    while game.outcome(match) is None:
        event = game.dealer(match) or game.machine.read_event(bytes(next(moves).move))
        assert not isinstance(event, Rejection), event
        match = game.machine.apply(match, event)
        yield event


def game_step(game: AnyGame, match: Recorded) -> Iterator[Any]:
    step, state = game.machine.step, match.match
    yield state
    for event in match.match_events:
        taken = step(state, event)
        assert type(taken) is not Rejection
        state = taken.state  # type: ignore[union-attr]
        yield state


def game_apply(game: AnyGame, match: Recorded) -> Iterator[Any]:
    apply, state = game.machine.apply, match.match
    yield state
    for event in match.match_events:
        state = apply(state, event)
        yield state


def table_step(game: AnyGame, match: Recorded) -> Iterator[Any]:
    state = match.table
    for event in match.table_events:
        taken = table.step(state, event)
        assert type(taken) is not Rejection
        state = taken.state  # type: ignore[union-attr]
        yield state


def table_apply(game: AnyGame, match: Recorded) -> Iterator[Any]:
    state = match.table
    for event in match.table_events:
        state = table.apply(state, event)  # type: ignore[assignment]
        yield state


def _contestant(name: str, about: str, play: Play, game: AnyGame, match: Recorded, times: int) -> Contestant:
    def trail() -> Iterator[Any]:
        for state in play(game, match):
            yield from _when_somebody_is_to_move(game, state)

    def prepare() -> Run:
        def run() -> Any:
            for _ in range(times):
                for state in play(game, match):
                    last = state
            return list(_when_somebody_is_to_move(game, last))

        return run

    return Contestant(name=name, about=about, trail=trail, prepare=prepare)


def _when_somebody_is_to_move(game: AnyGame, state: Any) -> Iterator[Any]:
    """What game and table share: the match when it is the players' turn, and at its end."""
    if isinstance(state, State):
        if state.phase in (Phase.PLAYING, Phase.FINISHED):
            yield state.match
    elif game.outcome(state) is not None or game.dealer(state) is None:
        yield state
