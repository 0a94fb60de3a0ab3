"""Errors of the server: a code for programs, a sentence for people, and an HTTP status for each code.

Refusals of the host, of the table and of a game pass through with their own codes. No sentence depends on what the
caller may not know.
"""

import math
from enum import StrEnum
from http import HTTPStatus

from msgspec import UNSET, UnsetType

from turnstile.durable.upkeep import Code as RecordCode
from turnstile.host.answers import Code as HostCode
from turnstile.kernel.machine import Refusal, Rejection
from turnstile.kernel.values import Value
from turnstile.table.values import Code as TableCode


class Code(StrEnum):
    """Why the server itself refuses a request. Codes are protocol: add to them, never rename one."""

    BAD_REQUEST = "BadRequest"
    BAD_FRAME = "BadFrame"
    TOO_LARGE = "TooLarge"
    TOO_SLOW = "TooSlow"
    WRONG_MEDIA_TYPE = "WrongMediaType"
    WRONG_HOST = "WrongHost"
    WRONG_ORIGIN = "WrongOrigin"
    NOT_FOUND = "NotFound"
    WRONG_METHOD = "WrongMethod"
    NO_TOKEN = "NoToken"  # noqa: S105
    BAD_TOKEN = "BadToken"  # noqa: S105
    BAD_CODE = "BadCode"
    BAD_NAME = "BadName"
    NO_PLAYER = "NoSuchPlayer"
    PLAYER_EXISTS = "PlayerExists"
    NO_GAME = "NoSuchGame"
    NEEDS_INVITATION = "NeedsInvitation"
    TOO_MANY_TABLES = "TooManyTables"
    NOT_ONE_TABLE = "NotOneTable"
    TOO_FAST = "TooFast"
    OVERLOADED = "Overloaded"
    REPLACED = "Replaced"
    INTERNAL = "Internal"
    NOT_INSTALLED = "NotInstalled"
    NOT_FOR_AUTHORS = "NotForAuthors"
    NOT_ALONE = "NotAlone"


STATUSES: dict[str, int] = {
    Code.BAD_REQUEST: 400,
    Code.BAD_FRAME: 400,
    Code.TOO_LARGE: 413,
    Code.TOO_SLOW: 408,
    Code.WRONG_MEDIA_TYPE: 415,
    Code.WRONG_HOST: 421,
    Code.WRONG_ORIGIN: 403,
    Code.NOT_FOUND: 404,
    Code.WRONG_METHOD: 405,
    Code.NO_TOKEN: 401,
    Code.BAD_TOKEN: 401,
    Code.BAD_CODE: 403,
    Code.BAD_NAME: 400,
    Code.NO_PLAYER: 404,
    Code.PLAYER_EXISTS: 409,
    Code.NO_GAME: 404,
    Code.NEEDS_INVITATION: 403,
    Code.TOO_MANY_TABLES: 429,
    Code.NOT_ONE_TABLE: 409,
    Code.TOO_FAST: 429,
    Code.OVERLOADED: 503,
    Code.REPLACED: 409,
    Code.INTERNAL: 500,
    Code.NOT_INSTALLED: 501,
    Code.NOT_FOR_AUTHORS: 403,
    Code.NOT_ALONE: 403,
    HostCode.NO_TABLE: 404,
    HostCode.PUT_ASIDE: 410,
    HostCode.NO_SPECTATORS: 403,
    HostCode.BUSY: 503,
    HostCode.STORAGE_FULL: 503,
    HostCode.READ_ONLY: 503,
    HostCode.OUTCOME_UNKNOWN: 503,
    HostCode.STOPPING: 503,
    HostCode.UNSTORABLE: 400,
    HostCode.GAME_FAILED: 500,
    TableCode.UNKNOWN_GAME: 404,
    TableCode.NOT_ADMIN: 403,
    TableCode.NOT_SEATED: 403,
    TableCode.NOT_YOUR_SEAT: 403,
    TableCode.NOT_A_MOVE: 400,
    Refusal.INVALID_EVENT: 400,
    Refusal.INVALID_OPTIONS: 400,
    Refusal.INVALID_PLAYERS: 400,
}
"""The HTTP status of each code. All others, a game's own among them, are conflicts with the state of the table: 409."""

OWN_CODES = frozenset(map(str, (*Code, *HostCode, *TableCode, *Refusal, *RecordCode)))
"""Every code that is not a game's own."""

CONFLICT = 409
SOON = 1
"""After how many seconds to try again, where nothing else is known."""


def status_of(code: str) -> int:
    return STATUSES.get(code, CONFLICT)


class ErrorDetails(Value, frozen=True):
    """What went wrong. `seq`: the newest update of the caller's stream. `limit`, `seconds`: which limit, and how long
    to wait."""

    code: str
    message: str
    seq: int | UnsetType = UNSET
    limit: str | UnsetType = UNSET
    seconds: float | UnsetType = UNSET


class ErrorBody(Value, frozen=True):
    """The body of every answer that is an error."""

    error: ErrorDetails


class Problem(Exception):
    """A request is refused: nothing has changed. It becomes an `ErrorBody`, or a frame of the WebSocket."""

    def __init__(
        self,
        code: str,
        sentence: str,
        *,
        seq: int | UnsetType = UNSET,
        limit: str | UnsetType = UNSET,
        seconds: float | UnsetType = UNSET,
        headers: tuple[tuple[bytes, bytes], ...] = (),
    ) -> None:
        super().__init__(sentence)
        self.details = ErrorDetails(code, sentence, seq, limit, seconds)
        self.headers = headers

    @property
    def code(self) -> str:
        return self.details.code

    @property
    def status(self) -> int:
        return status_of(self.details.code)

    @property
    def retry_after(self) -> int | None:
        """Whole seconds, for the header of this name: every answer has it whose caller may only wait."""
        if isinstance(self.details.seconds, float):
            return max(1, math.ceil(self.details.seconds))
        return SOON if self.status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE) else None


def problem_of(rejection: Rejection, seq: int | UnsetType = UNSET) -> Problem:
    """The refusal of a host, a table or a game as a problem of the request."""
    sentence = rejection.sentence
    return Problem(rejection.code, sentence if sentence.endswith((".", "!", "?")) else f"{sentence}.", seq=seq)
