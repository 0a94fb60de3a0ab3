"""Logs of the server: one line an event, as text or as JSON, with the table, the seat and the command it is about.

A log never holds a secret: no body, header or query is written, and what looks like a token is blotted out all the
same. A message that is repeated fast is left out, and counted.
"""

import logging
import re
import sys
from datetime import UTC, datetime
from typing import Any, TextIO

import msgspec

from turnstile.net.limits import Quota
from turnstile.net.text import one_line
from turnstile.server.settings import LogFormat, LogLevel

FIELDS = ("table", "seat", "command", "address", "code")
"""What a line may say beside its message; given as `extra`."""
SECRET = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])")
"""A token: 32 bytes, in the letters of URLs."""
REPEATS_PER_SECOND, MOST_REPEATS = 5.0, 50.0
LONGEST_FIELD = 200


def blot_out(text: str) -> str:
    """A text without anything that looks like a token."""
    return SECRET.sub("***", text)


class LineFormatter(logging.Formatter):
    """One event as one line."""

    def __init__(self, log_format: LogFormat) -> None:
        super().__init__()
        self._is_json = log_format is LogFormat.JSON

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": blot_out(record.getMessage()),
        }
        line |= {name: _short(getattr(record, name)) for name in FIELDS if getattr(record, name, None) is not None}
        if record.exc_info:
            line["trace"] = blot_out(self.formatException(record.exc_info))
        if self._is_json:
            return msgspec.json.encode(line).decode()
        said = " ".join(f"{name}={line[name]}" for name in FIELDS if name in line)
        text = f"{line['at']} {line['level']} {one_line(line['message'])}" + (f" {said}" if said else "")
        return text + (f"\n{line['trace']}" if "trace" in line else "")


def _short(value: object) -> str:
    return one_line(blot_out(str(value)))[:LONGEST_FIELD]


class RepeatFilter(logging.Filter):
    """Leaves out messages that are repeated too fast."""

    def __init__(self) -> None:
        super().__init__()
        self._quota = Quota(REPEATS_PER_SECOND, MOST_REPEATS)
        self.left_out = 0

    def filter(self, record: logging.LogRecord) -> bool:
        if self._quota.wait_of((record.name, record.msg)):
            self.left_out += 1
            return False
        return True


def write_logs(log_format: LogFormat, stream: TextIO | None = None, level: LogLevel = LogLevel.INFO) -> logging.Handler:
    """Write the logs of everything in this process to a stream, by default to standard error.

    `level` is that of our own messages. Libraries would log the content of requests at the level of debugging.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(LineFormatter(log_format))
    handler.addFilter(RepeatFilter())
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    logging.getLogger("turnstile").setLevel(level.upper())
    for chatty in ("uvicorn", "mcp"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    return handler
