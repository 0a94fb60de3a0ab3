"""Matches as a table with one row for each decision, in Arrow's format. Needs pyarrow: `pip install 'turnstile[data]'`.

A row shows a decision as its player met it: what the seat could see, what was legal, and what the player chose. The end
of the match is in every row, so that a row is an example to learn from. The rows of all seats together show more than
any single player saw, but each row shows only what its seat saw, unless the states are asked for.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pyarrow as pa

from turnstile.kernel import Move, Rejection
from turnstile.kernel.values import encode
from turnstile.lab.results import Header, shares

if TYPE_CHECKING:
    from turnstile.lab.simulation import SimulatedMatch

TEXT = pa.string()
NAME = pa.dictionary(pa.int16(), pa.string())


class Column(NamedTuple):
    name: str
    kind: pa.DataType
    description: str


COLUMNS = (
    Column("match", pa.int64(), "The number of the match, from 1."),
    Column("step", pa.int32(), "How many events the match had before this decision, those of the dealer included."),
    Column("seat", pa.int8(), "The seat of the player who decides, from 0."),
    Column("player", NAME, "The player's id in the match."),
    Column("bot", NAME, "The bot that chose."),
    Column("observation", TEXT, "What the seat could see: its view of the match, as JSON."),
    Column("actions", TEXT, "All legal moves, as a JSON list."),
    Column("choice", TEXT, "The move that was chosen, as JSON."),
    Column("choice_index", pa.int16(), "The position of the choice in `actions`, from 0."),
    Column("won", pa.bool_(), "Whether the seat was among the winners of the match."),
    Column("share", pa.float64(), "The seat's share of the win: winners share it, without winners all do."),
    Column("score", pa.float64(), "The seat's score at the end of the match; null if the game has none."),
    Column("moves", pa.int32(), "How many moves the whole match had."),
)
STATE = Column("state", TEXT, "Hidden information: the full state of the match before the decision, as JSON.")


def columns(*, with_states: bool) -> tuple[Column, ...]:
    return (*COLUMNS, STATE) if with_states else COLUMNS


def schema(header: Header | None = None, *, with_states: bool) -> pa.Schema:
    """The columns with their descriptions. The header is in the metadata, with the descriptions again for all readers
    that do not know the metadata of single columns."""
    found = columns(with_states=with_states)
    fields = [pa.field(each.name, each.kind, metadata={"description": each.description}) for each in found]
    if header is None:
        return pa.schema(fields)
    descriptions = {each.name: each.description for each in found}
    about = {**msgspec.to_builtins(header), "hiddenInformation": with_states, "columns": descriptions}
    return pa.schema(fields, metadata={"turnstile": encode(about)})


class DecisionBatches:
    """Collects the rows of matches, one Arrow batch for each match, as a stream that another process can read."""

    def __init__(self, *, with_states: bool) -> None:
        self._with_states = with_states
        self._schema = schema(with_states=with_states)
        self._sink = pa.BufferOutputStream()
        packed = pa.ipc.IpcWriteOptions(compression="zstd", emit_dictionary_deltas=True)
        self._stream = pa.ipc.new_stream(self._sink, self._schema, options=packed)

    def add(self, match: "SimulatedMatch") -> None:
        values: list[list[Any]] = [list(column) for column in zip(*self._rows(match), strict=True)]
        arrays = [pa.array(column, each.type) for column, each in zip(values, self._schema, strict=True)]
        self._stream.write_batch(pa.record_batch(arrays, schema=self._schema))

    def finish(self) -> bytes:
        self._stream.close()
        return bytes(self._sink.getvalue())

    def _rows(self, match: "SimulatedMatch") -> Iterator[tuple[Any, ...]]:
        """Replays the match. It shows every decision as it was met, whatever the bots looked at."""
        game, outcome = match.game, match.outcome
        seats = {player: seat for seat, player in enumerate(match.players)}
        share = shares(match.winning_seats, len(seats))
        state: Any = game.new(match.players, match.options, match.seed)
        for step, event in enumerate(match.events):
            assert not isinstance(state, Rejection)
            if isinstance(event, Move):
                player, legal = event.player, game.actions(state, event.player)
                row = (
                    match.number,
                    step,
                    seats[player],
                    player,
                    match.bots[seats[player]],
                    encode(game.view(state, player)).decode(),
                    encode(legal).decode(),
                    encode(event).decode(),
                    legal.index(event),
                    seats[player] in match.winning_seats,
                    share[seats[player]],
                    outcome.scores.get(player),
                    match.moves,
                )
                yield (*row, encode(state).decode()) if self._with_states else row
            state = game.machine.apply(state, event)


def read_batches(stream: bytes) -> Iterator[pa.RecordBatch]:
    """The batches that `DecisionBatches` has made."""
    yield from pa.ipc.open_stream(pa.py_buffer(stream))
