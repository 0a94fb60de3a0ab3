"""Why a connection is closed. The hundred of a code says what a client does: 40xx stop, 41xx back off, 42xx at once."""

from enum import IntEnum

from turnstile.host import Ending
from turnstile.host.answers import Code as HostCode
from turnstile.server.errors import Code, Problem


class CloseCode(IntEnum):
    """Codes are protocol: add to them, never change one."""

    DONE = 1000
    BROKEN = 1002
    TOO_LARGE = 1009
    BAD_FRAME = 4000
    BAD_TOKEN = 4001
    NOT_YOUR_SEAT = 4003
    NO_TABLE = 4004
    OTHER_VERSION = 4006
    NO_HELLO = 4008
    REPLACED = 4009
    STOPPING = 4100
    TOO_SLOW = 4101
    TOO_FAST = 4102
    NO_PONG = 4103
    OVERLOADED = 4104
    RESYNC = 4200
    MOVED = 4201
    TOKEN_EXPIRED = 4202


TEXTS = {
    CloseCode.DONE: "Goodbye.",
    CloseCode.BROKEN: "This is not a WebSocket frame.",
    CloseCode.TOO_LARGE: "The frame was too large.",
    CloseCode.BAD_FRAME: "Too many invalid frames.",
    CloseCode.BAD_TOKEN: "This token is not valid.",
    CloseCode.NOT_YOUR_SEAT: "You have no seat at this table, and it takes no spectators.",
    CloseCode.NO_TABLE: "There is no such table.",
    CloseCode.OTHER_VERSION: "This server speaks another version of the protocol.",
    CloseCode.NO_HELLO: "No hello came in time.",
    CloseCode.REPLACED: "A newer connection has taken this seat.",
    CloseCode.STOPPING: "This server is stopping; connect again.",
    CloseCode.TOO_SLOW: "You read too slowly; connect again, nothing is lost.",
    CloseCode.TOO_FAST: "You send too fast.",
    CloseCode.NO_PONG: "No frame came for two beats.",
    CloseCode.OVERLOADED: "The table cannot be used now; try again.",
    CloseCode.RESYNC: "The table was restored; say hello again.",
    CloseCode.MOVED: "Connect again.",
    CloseCode.TOKEN_EXPIRED: "This token is no longer valid.",
}

RETRY_MS = {40: 0, 41: 1_000, 42: 0, 10: 0}
"""How long a client waits before it connects again, by the hundred of the code. Clients add jitter."""

OF_ENDING = {
    Ending.REPLACED: CloseCode.REPLACED,
    Ending.SEAT_CHANGED: CloseCode.MOVED,
    Ending.STOPPING: CloseCode.STOPPING,
    Ending.RESTORED: CloseCode.RESYNC,
    Ending.UNREADABLE: CloseCode.OVERLOADED,
    Ending.PUT_ASIDE: CloseCode.NO_TABLE,
    Ending.GONE: CloseCode.NO_TABLE,
    Ending.CLOSED: CloseCode.DONE,
}

OF_CODE: dict[str, CloseCode] = {
    Code.BAD_TOKEN: CloseCode.BAD_TOKEN,
    Code.NO_TOKEN: CloseCode.BAD_TOKEN,
    Code.TOO_FAST: CloseCode.TOO_FAST,
    HostCode.NO_SPECTATORS: CloseCode.NOT_YOUR_SEAT,
    HostCode.NO_TABLE: CloseCode.NO_TABLE,
    HostCode.PUT_ASIDE: CloseCode.NO_TABLE,
    HostCode.STOPPING: CloseCode.STOPPING,
    HostCode.BUSY: CloseCode.OVERLOADED,
    HostCode.STORAGE_FULL: CloseCode.OVERLOADED,
    HostCode.READ_ONLY: CloseCode.OVERLOADED,
    HostCode.OUTCOME_UNKNOWN: CloseCode.OVERLOADED,
}
"""How a connection is closed whose hello is refused with a code. All other codes: the table cannot be played here."""


class Closed(Exception):
    """The connection ends: with a `bye` that says why, then with the code."""

    def __init__(self, code: CloseCode, text: str | None = None, retry_ms: int | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.text = TEXTS[code] if text is None else text
        self.retry_ms = RETRY_MS[code // 100] if retry_ms is None else retry_ms


def closed_by(problem: Problem) -> Closed:
    """How a connection ends whose hello has this problem."""
    code = OF_CODE.get(problem.code, CloseCode.NO_TABLE)
    seconds = problem.details.seconds
    return Closed(code, problem.details.message, round(seconds * 1000) if isinstance(seconds, float) else None)
