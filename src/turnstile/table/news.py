"""The streams of updates to the seats and to the spectators.

Every step of the game tells some players something, batch by batch. Each batch comes with the match as it is at that
moment, so a view never shows what a later batch tells. If a player's view or actions differ at the end of the step from
its last update, it gets the message `null`: look again. So a stream shows every change that its player may see, and
nothing else. No gate waits for a `null`, because a game's sequence diagrams contain its own messages only.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Raw
from msgspec.structs import replace

from turnstile.kernel.effects import Effect
from turnstile.kernel.game import AnyGame
from turnstile.kernel.machine import Deferred, Step
from turnstile.kernel.values import ByPlayer, Message, PlayerId, encode
from turnstile.table.messages import Told
from turnstile.table.values import NOTHING, Batch, Note, State

News = tuple[State[Any], list[Effect | Deferred]]
"""A table with longer streams, and the effects that carry the new updates."""


# what a step of the game tells


def batches_of(game: AnyGame, before: State[Any], step: Step[Any]) -> tuple[Batch[Any], ...]:
    """What a step of the game tells, with a `null` in the last batch for each player who must look again.

    In open play nothing waits, so everything that a step tells is one batch.
    """
    batches = _gated_batches(step) if game.gated else _open_batches(step)
    *earlier, last = batches or [Batch(())]
    nulls = [Note(eyes, NOTHING) for eyes in (*before.players, None) if _must_look(game, before, step, batches, eyes)]
    last = replace(last, notes=(*last.notes, *nulls))
    return (*earlier, last) if last.notes else ()


def _gated_batches(step: Step[Any]) -> list[Batch[Any]]:
    """Each batch with the state that its receivers see."""
    told = step.batches_with_states
    return [
        Batch(_notes(messages), None if state is step.state else state, is_last=number == len(told))
        for number, (messages, state) in enumerate(told, start=1)
    ]


def _open_batches(step: Step[Any]) -> list[Batch[Any]]:
    notes = [note for messages in step.batches for note in _notes(messages)]
    return [Batch(tuple(notes))] if notes else []


def _notes(messages: ByPlayer[Message]) -> tuple[Note, ...]:
    return tuple([Note(player, Raw(encode(message))) for player, message in messages.items()])


def _must_look(
    game: AnyGame, before: State[Any], step: Step[Any], batches: Sequence[Batch[Any]], eyes: PlayerId | None
) -> bool:
    """Whether the view or actions of a player (`None`: a spectator) differ after the step from its last update."""
    newest = next((batch for batch in reversed(batches) if any(note.player == eyes for note in batch.notes)), None)
    if newest is None:
        return _sees_another(game, before.match, step.state, eyes)
    if newest.is_last:
        return False
    has_seen = step.state if newest.match is None else newest.match
    may_act = eyes is not None and bool(game.actions(step.state, eyes))
    return may_act or game.view(has_seen, eyes) != game.view(step.state, eyes)


def _sees_another(game: AnyGame, before: Any, after: Any, eyes: PlayerId | None) -> bool:
    if game.view(before, eyes) != game.view(after, eyes):
        return True
    return eyes is not None and game.actions(before, eyes) != game.actions(after, eyes)


def keep_as_shown(batches: Iterable[Batch[Any]], match: Any) -> Iterator[Batch[Any]]:
    """Batches that wait while the match goes on: fix the match that their receivers will see with them."""
    return (replace(batch, match=match) if batch.match is None else batch for batch in batches)


def updates_in(batches: Iterable[Batch[Any]], player: PlayerId) -> int:
    """How many updates a player gets from these batches."""
    return sum(note.player == player for batch in batches for note in batch.notes)


# adding to the streams


def same_for_all(state: State[Any], message: Raw) -> Batch[Any]:
    """The same message for every seat and for the spectators."""
    return Batch(tuple([Note(eyes, message) for eyes in (*state.players, None)]))


def tell(game: AnyGame, state: State[Any], batch: Batch[Any]) -> News:
    """Append this batch to the streams."""
    new: dict[PlayerId | None, list[Raw]] = {}
    for note in batch.notes:
        new.setdefault(note.player, []).append(note.message)
    players = [player for player in state.players if player in new]
    counts = {player: state.told[player] + len(new[player]) for player in players}
    awaited = {player: _last_message(state.told[player], new[player]) or state.awaited[player] for player in players}
    after = replace(
        state,
        told=ByPlayer({**state.told, **counts}),
        awaited=ByPlayer({**state.awaited, **awaited}),
        watched=state.watched + len(new.get(None, ())),
    )
    effects: list[Effect | Deferred] = [
        _defer(game, after, batch, player, state.told[player] + 1, tuple(new[player])) for player in players
    ]
    if None in new:
        effects.append(_defer(game, after, batch, None, state.watched + 1, tuple(new[None])))
    return after, effects


def _last_message(before: int, new: Sequence[Raw]) -> int | None:
    """The number of the last of these updates that has a message; the first has the number `before` + 1."""
    return max((seq for seq, message in enumerate(new, start=before + 1) if message != NOTHING), default=None)


def _defer(
    game: AnyGame, state: State[Any], batch: Batch[Any], player: PlayerId | None, seq: int, messages: tuple[Raw, ...]
) -> Deferred:
    """The effect as a function, because replaying a log needs states only."""

    def make() -> Told:
        match = state.match if batch.match is None else batch.match
        if match is None:
            return Told(player, seq, messages, None, ())
        may_act = batch.is_last and state.result is None
        actions = game.actions(match, player) if may_act and player is not None else ()
        return Told(player, seq, messages, game.view(match, player), actions)

    return make
