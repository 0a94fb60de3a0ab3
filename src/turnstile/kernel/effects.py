"""What a machine wants done. Effects are values: a host carries them out once the step that caused them is durable."""

from collections.abc import Iterable
from math import isfinite

from turnstile.kernel.values import ByPlayer, Event, Message, PlayerId, Timeout, Value

LONGEST_TIMER = 366 * 24 * 3600.0


class Effect(Value, frozen=True, tag_field="type", tag=True):
    """Something for the host to do."""


class Tell(Effect, frozen=True):
    """Messages for players, in ordered batches: at a gated table each waits until the one before is acknowledged."""

    batches: tuple[ByPlayer[Message], ...]

    @classmethod
    def all(cls, players: Iterable[PlayerId], message: Message) -> "Tell":
        """The same message for all of these players, in one batch."""
        return cls((ByPlayer.same(players, message),))


class Send(Effect, frozen=True, omit_defaults=True):
    """A message for another agent, by its name. If it cannot be delivered, `on_failure` comes back as an event."""

    to: str
    message: Message
    on_failure: Event | None = None
    """`None` if the machine does not need to know that the message was lost."""


class Arm(Effect, frozen=True):
    """Start a timer, or start it anew. When it runs out, `event` comes back as an ordinary event."""

    timer: str
    seconds: float
    event: Timeout

    def __post_init__(self) -> None:
        if not (isfinite(self.seconds) and 0 < self.seconds <= LONGEST_TIMER):
            raise ValueError(f"The timer {self.timer!r} cannot run for {self.seconds} seconds.")


class Disarm(Effect, frozen=True):
    """Stop a timer; nothing happens if it is not running."""

    timer: str
