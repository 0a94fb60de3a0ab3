"""The counters of an agent: the time in each state, transitions, calls and exchanges.

`GET /health` shows them as JSON, `/metrics` for Prometheus. The labels come from fixed sets (machines, states, message
types, outcomes), never from names that other agents choose.
"""

from collections import Counter
from collections.abc import Callable, Hashable
from enum import StrEnum
from typing import Any

from turnstile.kernel.machine import Hop
from turnstile.net.prometheus import family


class CallOutcome(StrEnum):
    """The result of a call that an agent made."""

    ANSWERED = "answered"
    RECEIPT = "receipt"
    FAULT = "fault"
    UNREACHED = "unreached"


class Meter:
    """The counters. `now` gives milliseconds."""

    def __init__(self, now: Callable[[], int]) -> None:
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
        """The machine `key` is in this state from now on."""
        self.leave(key)
        self._since[key] = (machine, state, self._now())

    def leave(self, key: Hashable) -> None:
        """The machine `key` no longer runs here."""
        if key in self._since:
            machine, state, since = self._since.pop(key)
            self.milliseconds[machine, state] += self._now() - since

    def count_transition(self, machine: str, hop: Hop) -> None:
        self.transitions[machine, hop.source, hop.target] += 1

    def count_call(self, message_type: str, outcome: CallOutcome) -> None:
        self.calls[message_type, outcome] += 1

    def count_exchange(self, message_type: str, outcome: str) -> None:
        """A request was answered. The outcome is the type of the reply, or the code of the error."""
        self.exchanges[message_type, outcome] += 1

    # what is shown

    def seconds_in_state(self) -> dict[tuple[str, str], float]:
        """The seconds in each state of each machine, including the present states."""
        total = Counter(self.milliseconds)
        for machine, state, since in self._since.values():
            total[machine, state] += self._now() - since
        return {key: milliseconds / 1000 for key, milliseconds in total.items()}

    def machines(self) -> Counter[tuple[str, str]]:
        """The number of machines in each state now."""
        return Counter((machine, state) for machine, state, _ in self._since.values())

    def summary(self) -> dict[str, Any]:
        """For `/health`."""
        return {
            "states": _nested(self.machines()),
            "seconds_in_state": _nested(self.seconds_in_state()),
            "transitions": self.transitions.total(),
            "calls": _nested(self.calls),
            "exchanges": _nested(self.exchanges),
            "file_failures": self.file_failures,
            "unfair_draws": self.unfair_draws,
        }

    def prometheus(self) -> str:
        """For `/metrics`, in the text format of Prometheus."""
        lines = [
            *family("turnstile_league_transitions_total", "counter", ("machine", "from", "to"), self.transitions),
            *family("turnstile_league_state_seconds_total", "counter", ("machine", "state"), self.seconds_in_state()),
            *family("turnstile_league_machines", "gauge", ("machine", "state"), self.machines()),
            *family("turnstile_league_calls_total", "counter", ("message_type", "outcome"), self.calls),
            *family("turnstile_league_exchanges_total", "counter", ("message_type", "outcome"), self.exchanges),
            *family("turnstile_league_file_failures_total", "counter", (), {(): self.file_failures}),
            *family("turnstile_league_unfair_draws_total", "counter", (), {(): self.unfair_draws}),
        ]
        return "\n".join(lines) + "\n"


def _nested(counts: Any) -> dict[str, dict[str, float]]:
    nested: dict[str, dict[str, float]] = {}
    for (outer, inner), number in sorted(counts.items()):
        nested.setdefault(outer, {})[inner] = number
    return nested
