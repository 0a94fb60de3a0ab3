"""The table as an inspectable machine, for `turnstile step table` and `turnstile check table`."""

from collections.abc import Sequence
from typing import Any

from msgspec import Raw

from turnstile.kernel.chance import Seed
from turnstile.kernel.inspect import Inspectable
from turnstile.kernel.machine import Refusal, Rejection
from turnstile.kernel.values import Instant, LogId, Malformed, PlayerId, Value, decode
from turnstile.registry import find_game, study_of
from turnstile.table.machine import Table, open_table, table
from turnstile.table.proofs import violation, worlds
from turnstile.table.values import Code, Header, Join, Settings, State


class Options(Value, frozen=True):
    """The game of a new table, the game's options, and the table's settings."""

    game: str
    game_options: Raw = Raw(b"{}")
    settings: Settings = Settings()


def new(players: Sequence[PlayerId], options: bytes, seed: Seed | None) -> Table | Rejection:
    """A table with these players; the first of them opened it."""
    try:
        chosen = decode(options, Options)
    except Malformed as fault:
        return Rejection(Refusal.INVALID_OPTIONS, f"Invalid options for a table: {fault}.")
    if not players:
        return Rejection(Refusal.INVALID_PLAYERS, "A table needs the player who opens it.")
    if seed is not None:
        return Rejection(Refusal.INVALID_SEED, "A table has no seed; the seed of the match comes with Start.")
    game, at = find_game(chosen.game), Instant(0)
    version = 0 if game is None else game.version
    state = open_table(
        Header(LogId("table"), chosen.game, version, chosen.game_options, players[0], at, chosen.settings)
    )
    for player in players:
        state = state if isinstance(state, Rejection) else table.apply(state, Join(player, "join", at))
    return state


def read(data: bytes) -> Table | Rejection:
    """A table from its JSON, with the match as a state of its game."""
    shape = table.read_state(data)
    if isinstance(shape, Rejection):
        return shape
    game = find_game(shape.header.game)
    if game is None:
        return Rejection(Code.UNKNOWN_GAME, f"There is no game {shape.header.game}.")
    try:
        state: Table = decode(data, State[game.machine.state])  # type: ignore[name-defined]
    except Malformed as fault:
        return Rejection(Refusal.INVALID_STATE, f"Invalid state of a table of {game.name}: {fault}.")
    return _refuse(state, study_of(game).violation) or state


def _refuse(state: Table, is_sound: Any) -> Rejection | None:
    """Why no table can be in this state; `None` when one can."""
    start = open_table(state.header)
    if isinstance(start, Rejection):
        return start
    fault = (is_sound(state.match) if state.match is not None else None) or violation(state)
    return Rejection(Refusal.INVALID_STATE, fault) if fault else None


inspectable = Inspectable(machine=table, title="Table", options=Options, new=new, read=read, worlds=worlds)
