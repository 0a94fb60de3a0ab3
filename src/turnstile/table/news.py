"""What everyone is told: the streams of the seats and of the spectators.

Every step of the game tells some players something, batch by batch. A player who is told nothing, and yet sees or may
do something else than before, is told `null`: look again. So a stream shows every change that its player may see, and
nothing about those it may not. No gate waits for a `null`: the sequence diagrams of a game know its messages alone.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Raw
from msgspec.structs import replace

from turnstile.kernel.effects import Effect
from turnstile.kernel.game import AnyGame, Players
from turnstile.kernel.machine import Deferred
from turnstile.kernel.values import ByPlayer, Message, PlayerId, encode
from turnstile.table.values import NOTHING, Batch, Note, State, Told

News = tuple[State[Any], list[Effect | Deferred]]
"""A table with its streams grown, and the effects that say by what."""


def batches_of(game: AnyGame, before: State[Any], match: Any, told: Sequence[ByPlayer[Message]]) -> tuple[Batch, ...]:
    """What a step of the game tells, with a `null` in the last batch for those who only see something else."""
    batches = [tuple(Note(player, Raw(encode(message))) for player, message in batch.items()) for batch in told]
    silent = [player for player in before.players if not any(player in batch for batch in told)]
    changed = tuple(Note(player, NOTHING) for player in silent if sees_another(game, before.match, match, player))
    if changed:
        batches = [*batches[:-1], batches[-1] + changed] if batches else [changed]
    return tuple(batches)


def same(players: Players, message: Raw) -> Batch:
    """The same for all of these players."""
    return tuple(Note(player, message) for player in players)


def sees_another(game: AnyGame, before: Any, after: Any, player: PlayerId | None) -> bool:
    """Whether a player (`None`: a spectator) sees, or may do, something else than before."""
    if game.view(before, player) != game.view(after, player):
        return True
    return player is not None and game.actions(before, player) != game.actions(after, player)


def told(game: AnyGame, state: State[Any], batches: Iterable[Batch]) -> News:
    """These batches at the end of the streams."""
    messages: dict[PlayerId, list[Raw]] = {}
    for batch in batches:
        for note in batch:
            messages.setdefault(note.player, []).append(note.message)
    counts = {player: state.told[player] + len(new) for player, new in messages.items()}
    awaited = {
        player: _last_message(state.told[player], new) or state.awaited[player] for player, new in messages.items()
    }
    after = replace(state, told=ByPlayer({**state.told, **counts}), awaited=ByPlayer({**state.awaited, **awaited}))
    effects: list[Effect | Deferred] = [
        _deferred(game, after, player, state.told[player] + 1, tuple(new))
        for player in state.players
        if (new := messages.get(player))
    ]
    return after, effects


def _last_message(before: int, new: Sequence[Raw]) -> int | None:
    """The number of the last of these updates that brings a message, after so many before."""
    return max((seq for seq, message in enumerate(new, start=before + 1) if message != NOTHING), default=None)


def shown(game: AnyGame, state: State[Any], message: Raw = NOTHING) -> News:
    """One more update for the spectators."""
    after = replace(state, watched=state.watched + 1)
    return after, [_deferred(game, after, None, after.watched, (message,))]


def _deferred(
    game: AnyGame, state: State[Any], player: PlayerId | None, seq: int, messages: tuple[Raw, ...]
) -> Deferred:
    """The effect, to be made when somebody wants it: replaying a log asks for states alone."""

    def make() -> Told:
        match = state.match
        view = None if match is None else game.view(match, player)
        actions = () if match is None or player is None or state.result else game.actions(match, player)
        return Told(player, seq, messages, view, actions)

    return make
