"""The log of an agent: a line for every transition, every message sent and received, and every problem.

A line for people has the format of the specification; a line for programs is a JSON object. Of a message a line shows
the type, the sender and the fields listed here, nothing else. So no token, seed or choice is ever logged with a
message, even if fields are added to messages later. A player logs its decision in a separate line: only its owner reads
that log.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TextIO

from turnstile.kernel.machine import AUTO, Hop
from turnstile.kernel.values import Message, wire_name
from turnstile.net.text import one_line, visible

LONGEST_WORD = 200  # characters of a text that another agent has written

LOGGED_FIELDS = {
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
"""The fields of a message that may be logged, by its type."""


class Level(StrEnum):
    """The severity of a line. Every level but `INFO` is written before the text."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    CRITICAL = "critical"


class Journal:
    """Writes the log of an agent. `agent` is its id, or its name before it is registered."""

    def __init__(self, agent: str, out: TextIO, now: Callable[[], int], *, as_json: bool = False) -> None:
        """`now` gives milliseconds since 1970."""
        self.agent = agent
        self._out = out
        self._now = now
        self.trouble: str | None = None
        """The latest problem."""
        self.lines_lost = 0
        self._as_json = as_json

    def transition(self, match: str | None, hop: Hop) -> None:
        text = f"State transition: {hop.source} -> {hop.target} (event: {event_of(hop)})"
        self._write("transition", match, text, transition_of(hop))

    def sent(self, match: str | None, message: Message, to: str) -> None:
        name, more = wire_name(type(message)), loggable_fields(message)
        text = f"Sent {name} to {short(to)}{_in_brackets(more)}"
        self._write("sent", match, text, {"message_type": name, "to": short(to), **more})

    def received(self, match: str | None, message: Message, by: str) -> None:
        name, more = wire_name(type(message)), loggable_fields(message)
        text = f"Received {name} from {short(by)}{_in_brackets(more)}"
        self._write("received", match, text, {"message_type": name, "from": short(by), **more})

    def answered(self, match: str | None, message: Message, by: str, came: str, detail: str) -> None:
        """A message was answered with an error, or with a status only."""
        name, word = wire_name(type(message)), printable(detail)
        self.trouble = f"Received {came} from {short(by)} in answer to {name}" + (f": {word}" if word else "")
        said = {"message_type": name, "from": short(by), "came": came, "detail": word}
        self._write("answered", match, self.trouble, said)

    def refused(self, match: str | None, message: str, by: str, code: str, level: Level = Level.WARNING) -> None:
        """A message was refused: it is not expected now, or not from this sender."""
        text = f"Turned down {message} from {short(by)} ({code})"
        self._write("refused", match, text, {"message_type": message, "from": short(by), "code": code}, level)

    def failed(self, match: str | None, message: Message, to: str, why: str) -> None:
        name = wire_name(type(message))
        self.trouble = printable(why)
        text = f"Failed to send {name} to {short(to)}: {self.trouble}"
        self._write("failed", match, text, {"message_type": name, "to": short(to), "why": self.trouble})

    def note(self, text: str, match: str | None = None) -> None:
        self.trouble = printable(text)
        self._write_text("note", match, text)

    def over(self, what: str, match: str | None, account: dict[str, Any]) -> None:
        """A match or a league is over, with its result."""
        told = {name: _plain(value) for name, value in account.items()}
        self._write(f"{what.lower()}_over", match, f"{what} over{_in_brackets(told)}", told)

    def remark(self, text: str) -> None:
        """A deviation that is not a problem."""
        self._write_text("remark", None, text, "Noted: ")

    def strategy_output(self, line: str, match: str) -> None:
        """A whole line of the strategy's output. The caller limits how much of it is logged."""
        text = visible(line.expandtabs().rstrip())
        self._write("strategy", match, f"The strategy says: {text}", {"text": text})

    def decision(self, match: str, choice: str) -> None:
        """The decision of a player, at the time of the decision. This line is never sent."""
        self._write("decision", match, f"Decision: {printable(choice)}", {"choice": printable(choice)})

    def warning(self, text: str, match: str | None = None) -> None:
        """Something unexpected that the agent can handle."""
        self._write_text("warning", match, text, level=Level.WARNING)

    def critical(self, text: str, match: str | None = None) -> None:
        """Something that the operator should know: the agent continues, but not as intended."""
        self._write_text("critical", match, text, level=Level.CRITICAL)

    def _write_text(self, kind: str, match: str | None, text: str, prefix: str = "", level: Level = Level.INFO) -> None:
        text = printable(text)
        self._write(kind, match, f"{prefix}{text}", {"text": text}, level)

    def _write(self, kind: str, match: str | None, text: str, said: dict[str, Any], level: Level = Level.INFO) -> None:
        """Writes a line. If the disk is full or the output is closed, the line is counted as lost."""
        line = self._object(kind, match, said, level) if self._as_json else self._line(match, text, level)
        try:
            self._out.write(f"{line}\n")
            self._out.flush()
        except OSError:
            self.lines_lost += 1

    def _line(self, match: str | None, text: str, level: Level) -> str:
        where = f" [{printable(match)}]" if match else ""
        mark = "" if level is Level.INFO else f"{level.upper()}: "
        return f"[{self._instant('seconds')}] [{printable(self.agent)}]{where} {mark}{text}"

    def _object(self, kind: str, match: str | None, said: dict[str, Any], level: Level) -> str:
        who = {"at": self._instant("milliseconds"), "agent": printable(self.agent), "match": match and printable(match)}
        return json.dumps({**who, "level": level, "kind": kind, **said})

    def _instant(self, precision: str) -> str:
        at = datetime.fromtimestamp(self._now() / 1000, UTC)
        return at.isoformat(timespec=precision).replace("+00:00", "Z")


def event_of(hop: Hop) -> str:
    """The event of a transition, as the specification calls it.

    That is the message or the internal event, such as `timeout_player_A`. If the specification names what a message
    completes, or what happens by itself, it is that name: `both_players_arrived`, `number_drawn`.
    """
    if hop.cause == AUTO:
        return hop.label.replace(" ", "_") or AUTO
    is_named = "_" in hop.label and " " not in hop.label
    return hop.label if is_named and hop.cause.isupper() else hop.cause


def transition_of(hop: Hop) -> dict[str, str]:
    """A transition for programs. If its event can lead to several states, `branch` names the reason for this one."""
    told = {"from": hop.source, "to": hop.target, "event": event_of(hop)}
    return {**told, "branch": hop.label} if hop.label and hop.cause != AUTO else told


def loggable_fields(message: Message) -> dict[str, Any]:
    """The fields of a message that may be logged."""
    fields = LOGGED_FIELDS.get(wire_name(type(message)), ())
    return {field: _plain(getattr(message, field)) for field in fields if hasattr(message, field)}


def _plain(value: object) -> object:
    return value if value is None or isinstance(value, bool | int) else printable(str(value))


def _in_brackets(fields: dict[str, Any]) -> str:
    said = ", ".join(f"{name}={json.dumps(value)}" for name, value in fields.items() if value is not None)
    return f" ({said})".replace('"', "") if said else ""


def short(address: str) -> str:
    """`P01` for `player:P01`; the address of the league manager is not shortened."""
    return printable(address.partition(":")[2] or address)


def printable(text: str) -> str:
    """A text of another agent, on one line, shortened, and without terminal control characters."""
    return one_line(text[:LONGEST_WORD])
