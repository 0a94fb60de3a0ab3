"""The streams of updates to the seats and to the spectators.

Every step of the game tells some players something, batch by batch. Each batch comes with the match as it is at that
moment, so a view never shows what a later batch tells. A player whose view or actions differ at the end of the step
from its last update gets an update without messages: look again. So a stream shows every change that its player may
see, and nothing else. No gate waits for an update without messages, because a game's sequence diagrams contain its own
messages only.

What one step of the table tells one player is one update. In a gated game each batch is an update, because each is
acknowledged for itself.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from msgspec import Raw
from msgspec.structs import replace

from turnstile.kernel.effects import Effect
from turnstile.kernel.game import AnyGame
from turnstile.kernel.machine import Deferred, Step
from turnstile.kernel.values import ByPlayer, Event, Message, Move, PlayerId, encode
from turnstile.table.messages import Told
from turnstile.table.values import Batch, Note, State

Eyes = PlayerId | None
"""A player, or all spectators."""


# what players see


class Sight:
    """What each player sees and may do in one state of a match. The game is asked once for each."""

    __slots__ = ("_actions", "_views", "game", "match")

    def __init__(self, game: AnyGame, match: Any) -> None:
        self.game, self.match = game, match
        self._views: dict[Eyes, Any] = {}
        self._actions: dict[PlayerId, Any] = {}

    def view(self, eyes: Eyes) -> Any:
        if eyes not in self._views:
            self._views[eyes] = self.game.view(self.match, eyes)
        return self._views[eyes]

    def actions(self, player: PlayerId) -> Any:
        if player not in self._actions:
            self._actions[player] = self.game.actions(self.match, player)
        return self._actions[player]


_newest: Sight | None = None


def sight_of(game: AnyGame, match: Any) -> Sight:
    """What players see of this state. It is kept for the newest state: a step of the table asks several times."""
    global _newest
    sight = _newest
    if sight is None or sight.match is not match or sight.game is not game:
        sight = _newest = Sight(game, match)
    return sight


# what a step of the game tells


def batches_of(game: AnyGame, before: State[Any], event: Event, step: Step[Any]) -> tuple[Batch[Any], ...]:
    """What a step of the game tells. The last batch has a note for each player who must look again.

    In open play nothing waits, so everything that a step tells is one batch.
    """
    *earlier, last = _gated_batches(step) if game.gated else [Batch(_notes(step.batches))]
    mover = event.player if isinstance(event, Move) else None
    receivers = {note.player for note in last.notes}
    sight = sight_of(game, step.state)
    looking = [
        Note(eyes)
        for eyes in eyes_of(before)
        if eyes not in receivers and _must_look(sight, before.match, earlier, eyes, is_mover=eyes == mover)
    ]
    if looking:
        last = replace(last, notes=(*last.notes, *looking))
    return (*earlier, last) if last.notes else ()


def eyes_of(state: State[Any]) -> tuple[Eyes, ...]:
    """All who have a stream: the players, and the spectators where there may be some."""
    return (*state.players, None) if state.header.settings.spectators else state.players


def _gated_batches(step: Step[Any]) -> list[Batch[Any]]:
    """Each batch with the state that its receivers see; one that tells nothing, where there is none."""
    told = step.batches_with_states
    return [
        Batch(_notes([messages]), None if state is step.state else state, is_last=number == len(told))
        for number, (messages, state) in enumerate(told, start=1)
    ] or [Batch(())]


def _notes(batches: Iterable[ByPlayer[Message]]) -> tuple[Note, ...]:
    """What these batches tell, as one note for each receiver."""
    messages: dict[PlayerId, tuple[Raw, ...]] = {}
    for batch in batches:
        for player, message in batch.items():
            messages[player] = (*messages.get(player, ()), Raw(encode(message)))
    return tuple([Note(player, told) for player, told in messages.items()])


def _must_look(sight: Sight, before: Any, earlier: Sequence[Batch[Any]], eyes: Eyes, *, is_mover: bool) -> bool:
    """Whether a player (`None`: a spectator) whom the last batch tells nothing must look again.

    It must if what it sees or may do differs from its last update: the one from an earlier batch of this step, or the
    one before the step. The player who has moved always must: a move uses up its actions.
    """
    game = sight.game
    for batch in reversed(earlier):
        if any(note.player == eyes for note in batch.notes):
            may_act = eyes is not None and bool(sight.actions(eyes))
            has_seen_all = batch.match is None
            return may_act or not (has_seen_all or game.view(batch.match, eyes) == sight.view(eyes))
    if eyes is not None and (is_mover or game.actions(before, eyes) != sight.actions(eyes)):
        return True
    return bool(game.view(before, eyes) != sight.view(eyes))


def keep_as_shown(batches: Iterable[Batch[Any]], match: Any) -> Iterator[Batch[Any]]:
    """Batches that wait while the match goes on: fix the match that their receivers will see with them."""
    return (replace(batch, match=match) if batch.match is None else batch for batch in batches)


def updates_in(batches: Iterable[Batch[Any]], player: PlayerId) -> int:
    """How many updates a player gets from these batches of a gated game."""
    return sum(note.player == player for batch in batches for note in batch.notes)


# adding to the streams


class _Update:
    """An update that is being put together."""

    __slots__ = ("eyes", "match", "may_act", "messages", "seq")

    def __init__(self, eyes: Eyes, seq: int) -> None:
        self.eyes, self.seq = eyes, seq
        self.messages: tuple[Raw, ...] = ()
        self.match: Any = None
        self.may_act = False


class Telling:
    """The updates that one step of the table adds to the streams."""

    def __init__(self, game: AnyGame, state: State[Any]) -> None:
        self._game, self._acked = game, state.acked
        self._present = [seat.player for seat in state.seats if not seat.is_away]
        self._told, self._awaited, self._watched = dict(state.told), dict(state.awaited), state.watched
        self._updates: list[_Update] = []
        self._newest: dict[Eyes, _Update] = {}

    def add(self, batch: Batch[Any], match: Any) -> None:
        """Add a batch to the streams; `match` is the one on the table."""
        match = match if batch.match is None else batch.match
        for note in batch.notes:
            update = self._update_for(note.player)
            update.match, update.may_act = match, batch.is_last
            if note.messages:
                update.messages += note.messages
                if note.player is not None:
                    self._awaited[note.player] = update.seq

    def add_pending(self, state: State[Any]) -> tuple[Batch[Any], ...]:
        """Add the batches that are pending: all of them, or in a gated game until there is one to wait for.

        Returns the batches that are still pending.
        """
        pending = state.pending
        while pending and not (self._game.gated and self.is_awaited):
            self.add(pending[0], state.match)
            pending = pending[1:]
        return pending

    def _update_for(self, eyes: Eyes) -> _Update:
        """The update that takes what is told now: the one of this step, or a new one."""
        found = None if self._game.gated else self._newest.get(eyes)
        if found is None:
            found = self._newest[eyes] = _Update(eyes, self.number_for(eyes))
            self._updates.append(found)
            if eyes is None:
                self._watched = found.seq
            else:
                self._told[eyes] = found.seq
        return found

    def number_for(self, eyes: Eyes) -> int:
        """The number of the update that takes what is told next."""
        if not self._game.gated and eyes in self._newest:
            return self._newest[eyes].seq
        return (self._watched if eyes is None else self._told[eyes]) + 1

    @property
    def is_awaited(self) -> bool:
        """Whether a player who is present has not acknowledged the newest messages."""
        for player in self._present:  # noqa: SIM110  a generator would take twice as long
            if self._acked[player] < self._awaited[player]:
                return True
        return False

    def add_to(self, state: State[Any], **changes: Any) -> State[Any]:
        """The table with the longer streams, and with these changes."""
        if self._updates:
            changes |= {"told": ByPlayer(self._told), "awaited": ByPlayer(self._awaited), "watched": self._watched}
        return replace(state, **changes)

    def effects(self, *, is_over: bool = False) -> list[Effect | Deferred]:
        """What carries the updates. They are made only when they are wanted: replaying a log needs states alone."""
        return [partial(_told, self._game, update, is_over) for update in self._updates]


def _told(game: AnyGame, update: _Update, is_over: bool) -> Told:
    eyes, match = update.eyes, update.match
    if match is None:
        return Told(eyes, update.seq, update.messages, None, ())
    sight = sight_of(game, match)
    may_act = update.may_act and not is_over
    actions = sight.actions(eyes) if may_act and eyes is not None else ()
    return Told(eyes, update.seq, update.messages, sight.view(eyes), actions)
