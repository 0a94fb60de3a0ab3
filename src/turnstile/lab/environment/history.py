"""The history of a match, and of it what one player has seen and done: its own stream, with perfect recall."""

from typing import Any

from turnstile.kernel import AnyGame, Event, Move, PlayerId, Rejection, encode
from turnstile.kernel.changes import change_between
from turnstile.lab.encoding.text import to_plain
from turnstile.registry import find_game


class Moment:
    """A state of a match, and how it came about. It never changes, so moments share their past."""

    __slots__ = ("_streams", "event", "game", "parent", "state")

    def __init__(self, game: AnyGame, state: Any, parent: "Moment | None" = None, event: Event | None = None) -> None:
        self.game = game
        self.state = state
        self.parent = parent
        self.event = event
        self._streams: dict[PlayerId, str] = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> "Moment":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """A moment is pickled as its first state and its events. Its game must be installed where it is read."""
        events: list[Event] = []
        moment = self
        while moment.parent is not None and moment.event is not None:
            events.append(moment.event)
            moment = moment.parent
        return _read_moment, (self.game.name, moment.state, events[::-1])

    def after(self, event: Event) -> "Moment":
        """The moment after this event, and after everything that the dealer then does by itself."""
        return self._next(event).settled()

    def _next(self, event: Event) -> "Moment":
        state = self.game.machine.apply(self.state, event)
        assert not isinstance(state, Rejection), f"{event}: {state.sentence}"
        return Moment(self.game, state, self, event)

    def settled(self) -> "Moment":
        """The first moment from this one on in which a player can move, or the match is over."""
        moment = self
        while self.game.outcome(moment.state) is None and (due := self.game.dealer(moment.state)) is not None:
            moment = moment._next(due)
        return moment

    def stream(self, player: PlayerId) -> str:
        """All that a player has seen, heard and done so far, a line each. Two histories with equal streams are
        indistinguishable to the player."""
        unknown: list[Moment] = []
        moment: Moment | None = self
        while moment is not None and player not in moment._streams:
            unknown.append(moment)
            moment = moment.parent
        for each in reversed(unknown):
            before = "" if each.parent is None else each.parent._streams[player]
            each._streams[player] = "\n".join(filter(None, [before, *each._news(player)]))
        return self._streams[player]

    def _news(self, player: PlayerId) -> list[str]:
        """What this moment adds to the stream of a player."""
        sight = to_plain(self.game.view(self.state, player))
        if self.parent is None or self.event is None:
            return [f"sees {_line(sight)}"]
        done = [f"does {_line(self.event)}"] if isinstance(self.event, Move) and self.event.player == player else []
        step = self.game.machine.step(self.parent.state, self.event)
        assert not isinstance(step, Rejection), "the event was applied before"
        told = [f"is told {_line(message)}" for message in step.told(player)]
        change = change_between(to_plain(self.game.view(self.parent.state, player)), sight)
        return [*done, *told, *([f"sees {_line(change)}"] if change else [])]


def _read_moment(name: str, state: Any, events: list[Event]) -> Moment:
    game = find_game(name)
    if game is None:
        raise LookupError(f"This is a match of {name}, which is not installed here.")
    moment = Moment(game, state)
    for event in events:
        moment = moment._next(event)
    return moment


def _line(value: Any) -> str:
    return encode(to_plain(value)).decode()
