"""A table as one seat may see it: as a value for programs, and in words. It is whole each time.

It is made from the seat's own updates and from the public status of the table: nothing else is looked at.
"""

import json
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from turnstile.kernel.values import Instant, LogId, PlayerId, Value
from turnstile.server.mcp.actions import name_actions
from turnstile.server.mcp.updates import SeatUpdate
from turnstile.server.mcp.words import Names, message_in_words, view_in_words
from turnstile.table.sight import TableStatus
from turnstile.table.values import Kind, Phase, Seat

MOST_MESSAGES = 40
"""Of what has happened, the newest messages are told."""
OVER = (Phase.FINISHED, Phase.REMATCHED, Phase.CLOSED)


class PlayerAt(Value, frozen=True):
    """A player at the table. `name` is what people call it."""

    player: PlayerId
    name: str
    kind: Kind
    is_away: bool


class Situation(Value, frozen=True, kw_only=True):
    """A table as the caller may see it. If there is nothing new, or nothing to see, only the first four fields are
    there."""

    table: LogId
    seq: Annotated[int, Meta(description="The newest update: give it as `since`, and as `seq` when you act on it.")]
    your_turn: bool
    next: Annotated[str, Meta(description="What to do next.")]
    game: str | UnsetType = UNSET
    phase: Phase | UnsetType = UNSET
    seat: PlayerId | UnsetType | None = UNSET
    """The caller's player id; `null` for a spectator."""
    players: tuple[PlayerAt, ...] | UnsetType = UNSET
    seconds_left: float | UnsetType = UNSET
    """What is left on the caller's running clock."""
    since: int | UnsetType = UNSET
    happened: Annotated[tuple[Any, ...], Meta(description="Messages after update `since`.")] | UnsetType = UNSET
    left_out: Annotated[int, Meta(description="How many older messages are not in `happened`.")] | UnsetType = UNSET
    view: Annotated[Any, Meta(description="The match as the caller may see it.")] = UNSET
    actions: Annotated[tuple[str, ...], Meta(description="What the caller may do now.")] | UnsetType = UNSET
    result: Annotated[Any, Meta(description="How the match ended.")] = UNSET


class Followed(msgspec.Struct, frozen=True):
    """What a reader has got: the status, the messages after update `since`, and the newest update, whole."""

    status: TableStatus
    since: int
    messages: tuple[dict[str, Any], ...]
    newest: SeatUpdate | None


def is_turn(status: TableStatus, newest: SeatUpdate | None) -> bool:
    """Whether the table waits for a move of this seat."""
    return status.phase is Phase.PLAYING and newest is not None and bool(newest.actions)


def situation_of(
    followed: Followed, seat: PlayerId | None, names: dict[PlayerId, str], now: Instant, *, has_actions: bool
) -> Situation:
    """The situation. `names`: of registered players; the others are called by their ids."""
    status, newest = followed.status, followed.newest
    turn = is_turn(status, newest)
    seq = followed.since if newest is None else newest.seq
    due = status.clocks.get(seat) if seat is not None else None
    cut = max(0, len(followed.messages) - MOST_MESSAGES)
    return Situation(
        table=status.table,
        seq=seq,
        your_turn=turn,
        next=_advice(status, seat, seq, turn=turn),
        game=status.game,
        phase=status.phase,
        seat=seat,
        players=tuple([_player(each, names) for each in status.seats]),
        seconds_left=UNSET if due is None else max(0.0, (due - now) / 1000),
        since=followed.since,
        happened=followed.messages[cut:],
        left_out=cut or UNSET,
        view=None if newest is None else newest.view,
        actions=tuple(name_actions(newest.actions)) if turn and newest is not None and has_actions else UNSET,
        result=UNSET if status.result is None else msgspec.to_builtins(status.result),
    )


def without_news(status: TableStatus, seq: int) -> Situation:
    """The short answer to a wait in which nothing happened."""
    advice = f"Nothing new. Call wait with since={seq} again."
    return Situation(table=status.table, seq=seq, your_turn=False, next=advice)


def after_leaving(table: LogId) -> Situation:
    """The short answer to a caller who has left a table that takes no spectators."""
    return Situation(table=table, seq=0, your_turn=False, next="You have left the table.")


def _player(seat: Seat, names: dict[PlayerId, str]) -> PlayerAt:
    return PlayerAt(seat.player, names.get(seat.player, seat.player), seat.kind, seat.is_away)


def _advice(status: TableStatus, seat: PlayerId | None, seq: int, *, turn: bool) -> str:
    if turn:
        return f"It is your turn: call act with seq={seq}."
    if status.phase in OVER:
        return "The table is closed." if status.result is None else "The match is over."
    if status.phase is Phase.SEATING and status.admin == seat:
        return "Call start_match when enough players are here, or wait for them."
    if seat is None:
        return f"You have no seat. Call wait with since={seq} to watch, or join_table before the match."
    return f"Call wait with since={seq}."


# in words


def in_text(situation: Situation) -> str:
    """The situation in words. What it cuts is in the value."""
    if isinstance(situation.players, UnsetType):
        return situation.next
    return "\n".join(_lines(situation, _names(situation, situation.players)))


def _lines(situation: Situation, names: Names) -> Iterator[str]:
    yield f"Table {situation.table}: {situation.game}, {situation.phase}. Players: {', '.join(names.values())}."
    if situation.happened:
        more = f" ({situation.left_out} older messages left out)" if situation.left_out else ""
        yield f"Since update {situation.since}{more}:"
        yield from (f"- {message_in_words(message, names)}" for message in situation.happened)
    if situation.view is not None:
        yield f"You see, as of update {situation.seq}:"
        yield from view_in_words(situation.view, names)
    if situation.result is not UNSET:
        yield f"Result: {_result_in_words(situation.result, names)}."
    if not isinstance(situation.seconds_left, UnsetType):
        yield f"Your clock: {situation.seconds_left:.0f} s left."
    if not isinstance(situation.actions, UnsetType):
        yield f"Your actions: {'  '.join(situation.actions)}"
    yield situation.next


def _result_in_words(result: dict[str, Any], names: Names) -> str:
    winners = [names.get(player, player) for player in result["winners"]]
    won = f"{' and '.join(winners)} won" if winners else "no winner"
    return f"{result['how']}, {won}"


def _names(situation: Situation, players: tuple[PlayerAt, ...]) -> Names:
    """How the words call each player: the reader is `you`."""
    quoted = {each.player: json.dumps(each.name, ensure_ascii=False) for each in players}
    if len(set(quoted.values())) < len(quoted):
        quoted = {player: f"{name} (seat {at})" for at, (player, name) in enumerate(quoted.items())}
    return {player: "you" if player == situation.seat else name for player, name in quoted.items()}
