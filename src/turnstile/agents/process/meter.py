"""How an agent is doing, in numbers: how long its machines were in each state, what they did, which calls failed.

For `GET /health` as JSON, and for Prometheus at `/metrics`. Labels are from fixed sets: machines, states, message types
and outcomes; no name that somebody else chose becomes one.
"""

from collections import Counter
from collections.abc import Callable, Hashable
from enum import StrEnum
from typing import Any

from turnstile.kernel.machine import Hop

Now = Callable[[], int]


class CallOutcome(StrEnum):
    """What came of a call that an agent made."""

    ANSWERED = "answered"
    RECEIPT = "receipt"
    FAULT = "fault"
    UNREACHED = "unreached"


class Meter:
    """Counts. `now` gives milliseconds."""

    def __init__(self, now: Now) -> None:
        self._now = now
        self._since: dict[Hashable, tuple[str, str, int]] = {}
        self.milliseconds: Counter[tuple[str, str]] = Counter()
        self.transitions: Counter[tuple[str, str, str]] = Counter()
        self.calls: Counter[tuple[str, str]] = Counter()
        self.exchanges: Counter[tuple[str, str]] = Counter()
        self.file_failures = 0
        self.unfair_draws = 0

    # what happens

    def enter(self, key: Hashable, machine: str, state: str) -> None:
        """A machine, known by `key`, is in this state from now on."""
        self.leave(key)
        self._since[key] = (machine, state, self._now())

    def leave(self, key: Hashable) -> None:
        """A machine is not run here any more."""
        if key in self._since:
            machine, state, since = self._since.pop(key)
            self.milliseconds[machine, state] += self._now() - since

    def passed(self, machine: str, hop: Hop) -> None:
        self.transitions[machine, hop.source, hop.target] += 1

    def called(self, message_type: str, outcome: CallOutcome) -> None:
        self.calls[message_type, outcome] += 1

    def exchanged(self, message_type: str, outcome: str) -> None:
        """Somebody asked something of this agent, and was answered: with a reply's type, or an error's code."""
        self.exchanges[message_type, outcome] += 1

    # what is shown

    def spent(self) -> Counter[tuple[str, str]]:
        """Milliseconds in each state of each machine, the present ones included."""
        total = Counter(self.milliseconds)
        for machine, state, since in self._since.values():
            total[machine, state] += self._now() - since
        return total

    def standing(self) -> Counter[tuple[str, str]]:
        """How many machines are in each state now."""
        return Counter((machine, state) for machine, state, _ in self._since.values())

    def summary(self) -> dict[str, Any]:
        """For `/health`."""
        return {
            "states": _nested(self.standing()),
            "seconds_in_state": _nested({key: spent / 1000 for key, spent in self.spent().items()}),
            "transitions": self.transitions.total(),
            "calls": _nested(self.calls),
            "exchanges": _nested(self.exchanges),
            "file_failures": self.file_failures,
            "unfair_draws": self.unfair_draws,
        }

    def prometheus(self) -> str:
        """For `/metrics`, in the text format of Prometheus."""
        lines = [
            *_family("transitions_total", "counter", ("machine", "from", "to"), self.transitions),
            *_family(
                "state_seconds_total",
                "counter",
                ("machine", "state"),
                {key: spent / 1000 for key, spent in self.spent().items()},
            ),
            *_family("machines", "gauge", ("machine", "state"), self.standing()),
            *_family("calls_total", "counter", ("message_type", "outcome"), self.calls),
            *_family("exchanges_total", "counter", ("message_type", "outcome"), self.exchanges),
            *_family("file_failures_total", "counter", (), {(): self.file_failures}),
            *_family("unfair_draws_total", "counter", (), {(): self.unfair_draws}),
        ]
        return "\n".join(lines) + "\n"


def _nested(counts: Any) -> dict[str, dict[str, float]]:
    nested: dict[str, dict[str, float]] = {}
    for (outer, inner), number in sorted(counts.items()):
        nested.setdefault(outer, {})[inner] = number
    return nested


def _family(name: str, kind: str, labels: tuple[str, ...], counts: Any) -> list[str]:
    full = f"turnstile_league_{name}"
    lines = [f"# TYPE {full} {kind}"]
    for key, number in sorted(counts.items()):
        named = ",".join(f'{label}="{value}"' for label, value in zip(labels, key, strict=True))
        lines.append(f"{full}{{{named}}} {number}" if named else f"{full} {number}")
    return lines
