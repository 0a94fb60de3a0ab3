"""What an agent says of itself: a line for every transition, everything sent and received, and what went wrong.

For people a line looks as the specification has it; for programs it is an object. Lines start empty and name what they
show: of a message its type, who sent it, and the few fields listed here. So no token, no seed and no choice is ever in
the line of a message, whatever is added to the messages later. A player says in a line of its own what it has decided:
its log is for its owner alone.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TextIO

from turnstile.kernel.machine import AUTO, Hop
from turnstile.kernel.values import Message, wire_name

LONGEST_WORD = 200  # characters of anything that others have written

SHOWN = {
    "GAME_JOIN_ACK": ("accept",),
    "GAME_ERROR": ("error_code", "error_name"),
    "LEAGUE_ERROR": ("error_code", "error_name"),
    "LEAGUE_REGISTER_RESPONSE": ("status", "reason"),
    "REFEREE_REGISTER_RESPONSE": ("status", "reason"),
    "ROUND_ANNOUNCEMENT": ("round_id",),
    "ROUND_COMPLETED": ("round_id", "next_round_id"),
    "LEAGUE_STANDINGS_UPDATE": ("round_id",),
    "MATCH_RESULT_ACK": ("status",),
    "RUN_MATCH_ACK": ("status",),
    "LEAGUE_STATUS": ("status",),
    "ACK": ("status",),
    "SHUTDOWN_COMMAND": ("reason",),
    "LEAGUE_QUERY": ("query_type",),
    "LEAGUE_QUERY_RESPONSE": ("query_type", "success"),
}
"""The fields that are shown of a message, by its type."""


class Level(StrEnum):
    """How much a line matters. Anything but `INFO` stands before the text."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    CRITICAL = "critical"


Clock = Callable[[], int]


class Journal:
    """Where an agent's lines go. `agent` is who it is now; before it is registered, its name."""

    def __init__(self, agent: str, out: TextIO, now: Clock, *, as_json: bool = False) -> None:
        """`now` gives milliseconds since 1970."""
        self.agent = agent
        self._out = out
        self._now = now
        self.trouble: str | None = None
        """What has gone wrong at last."""
        self.lines_lost = 0
        self._as_json = as_json

    def transition(self, match: str | None, hop: Hop) -> None:
        text = f"State transition: {hop.source} -> {hop.target} (event: {event_of(hop)})"
        self._write(match, text, {"kind": "transition", **transition_of(hop)})

    def sent(self, match: str | None, message: Message, to: str) -> None:
        name, more = wire_name(type(message)), loggable_fields(message)
        text = f"Sent {name} to {short(to)}{_bracketed(more)}"
        self._write(match, text, {"kind": "sent", "message_type": name, "to": short(to), **more})

    def received(self, match: str | None, message: Message, by: str) -> None:
        name, more = wire_name(type(message)), loggable_fields(message)
        text = f"Received {name} from {short(by)}{_bracketed(more)}"
        self._write(match, text, {"kind": "received", "message_type": name, "from": short(by), **more})

    def answered(self, match: str | None, message: Message, by: str, came: str, detail: str) -> None:
        """Something came in answer to a message that is no message itself: an error, or no more than a status."""
        name, word = wire_name(type(message)), printable(detail)
        text = f"Received {came} from {short(by)} in answer to {name}" + (f": {word}" if word else "")
        self.trouble = text
        self._write(
            match, text, {"kind": "answered", "message_type": name, "from": short(by), "came": came, "detail": word}
        )

    def refused(self, match: str | None, message: str, by: str, code: str, level: Level = Level.WARNING) -> None:
        """Something came that is not expected now, or not from its sender."""
        text = f"Turned down {message} from {short(by)} ({code})"
        self._write(match, text, {"kind": "refused", "message_type": message, "from": short(by), "code": code}, level)

    def failed(self, match: str | None, message: Message, to: str, why: str) -> None:
        name = wire_name(type(message))
        self.trouble = printable(why)
        text = f"Failed to send {name} to {short(to)}: {printable(why)}"
        self._write(match, text, {"kind": "failed", "message_type": name, "to": short(to), "why": printable(why)})

    def note(self, text: str, match: str | None = None) -> None:
        self.trouble = printable(text)
        self._write(match, printable(text), {"kind": "note", "text": printable(text)})

    def over(self, what: str, match: str | None, account: dict[str, Any]) -> None:
        """A match or a league is over, and what it has come to."""
        told = {name: _plain(value) for name, value in account.items()}
        self._write(match, f"{what} over{_bracketed(told)}", {"kind": f"{what.lower()}_over", **told})

    def remark(self, text: str) -> None:
        """Something that is odd, and no trouble."""
        self._write(None, f"Noted: {printable(text)}", {"kind": "remark", "text": printable(text)})

    def said(self, line: str, match: str) -> None:
        """A line of what the strategy prints beside its choice, whole: how much of it is kept is decided before."""
        text = _visible(line.expandtabs().rstrip())
        self._write(match, f"The strategy says: {text}", {"kind": "strategy", "text": text})

    def decided(self, match: str, choice: str) -> None:
        """What a player has decided, when it decides. The line stays with the player: it is never sent."""
        self._write(match, f"Decision: {printable(choice)}", {"kind": "decision", "choice": printable(choice)})

    def warning(self, text: str, match: str | None = None) -> None:
        """Something unexpected that the agent deals with."""
        self._write(match, printable(text), {"kind": "warning", "text": printable(text)}, Level.WARNING)

    def critical(self, text: str, match: str | None = None) -> None:
        """Something that the operator of the agent should know of: the agent goes on, but not as it was meant to."""
        self._write(match, printable(text), {"kind": "critical", "text": printable(text)}, Level.CRITICAL)

    def _write(self, match: str | None, text: str, said: dict[str, Any], level: Level = Level.INFO) -> None:
        self._put(self._object(match, said, level) if self._as_json else self._line(match, text, level))

    def _line(self, match: str | None, text: str, level: Level) -> str:
        where = f" [{printable(match)}]" if match else ""
        mark = "" if level is Level.INFO else f"{level.upper()}: "
        return f"[{self._instant('seconds')}] [{printable(self.agent)}]{where} {mark}{text}"

    def _object(self, match: str | None, said: dict[str, Any], level: Level) -> str:
        who = {"at": self._instant("milliseconds"), "agent": printable(self.agent), "match": match and printable(match)}
        return json.dumps({**who, "level": level, **said})

    def _put(self, line: str) -> None:
        """Write a line. That its disk is full, or that nobody reads it any more, is counted, and stops nothing."""
        try:
            self._out.write(f"{line}\n")
            self._out.flush()
        except OSError:
            self.lines_lost += 1

    def _instant(self, precision: str) -> str:
        at = datetime.fromtimestamp(self._now() / 1000, UTC)
        return at.isoformat(timespec=precision).replace("+00:00", "Z")


def event_of(hop: Hop) -> str:
    """What has led from one state to another, as the specification calls it.

    That is the message, or the internal event: `timeout_player_A` for a timer. Only where the specification has a name
    for what a message completes, or for what happens by itself, it is that: `both_players_arrived`, `number_drawn`.
    """
    if hop.cause == AUTO:
        return hop.label.replace(" ", "_") or AUTO
    is_named = "_" in hop.label and " " not in hop.label
    return hop.label if is_named and hop.cause.isupper() else hop.cause


def transition_of(hop: Hop) -> dict[str, str]:
    """A transition for programs. Where its event can lead to several states, `branch` says why to this one."""
    told = {"from": hop.source, "to": hop.target, "event": event_of(hop)}
    return {**told, "branch": hop.label} if hop.label and hop.cause != AUTO else told


def loggable_fields(message: Message) -> dict[str, Any]:
    """What may be shown of a message."""
    fields = SHOWN.get(wire_name(type(message)), ())
    return {field: _plain(getattr(message, field)) for field in fields if hasattr(message, field)}


def _plain(value: object) -> object:
    return value if value is None or isinstance(value, bool | int) else printable(str(value))


def _bracketed(fields: dict[str, Any]) -> str:
    said = ", ".join(f"{name}={json.dumps(value)}" for name, value in fields.items() if value is not None)
    return f" ({said})".replace('"', "") if said else ""


def short(address: str) -> str:
    """`player:P01` as `P01`; the league manager as it is."""
    return printable(address.partition(":")[2] or address)


def printable(text: str) -> str:
    """What others wrote, on one line and not too long, with nothing in it that a terminal would obey."""
    return _visible(" ".join(text[:LONGEST_WORD].split()))


def _visible(line: str) -> str:
    """A line with nothing in it that a terminal would obey."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in line)
