"""The errors of callable functions: a status that the Firebase client knows, and the texts of the specification."""

from enum import StrEnum

from turnstile.games.updown.rules import (
    CARD_NOT_IN_HAND,
    LAST_BET_MAKES_SUM,
    MUST_FOLLOW_PINTA,
    NOT_YOUR_TURN,
    NOT_YOUR_TURN_TO_BET,
    ONLY_ADMIN_CAN_START,
    TOO_FEW_PLAYERS,
)
from turnstile.games.updown.state import Code as UpDownCode
from turnstile.host.answers import Code as HostCode
from turnstile.kernel.machine import Refusal
from turnstile.server.errors import Code, Problem
from turnstile.table.values import Code as TableCode


class CallStatus(StrEnum):
    """The statuses of a callable function. The client loses the message of an error with any other status."""

    INVALID_ARGUMENT = "INVALID_ARGUMENT"
    FAILED_PRECONDITION = "FAILED_PRECONDITION"
    OUT_OF_RANGE = "OUT_OF_RANGE"
    UNAUTHENTICATED = "UNAUTHENTICATED"
    PERMISSION_DENIED = "PERMISSION_DENIED"
    NOT_FOUND = "NOT_FOUND"
    ABORTED = "ABORTED"
    ALREADY_EXISTS = "ALREADY_EXISTS"
    RESOURCE_EXHAUSTED = "RESOURCE_EXHAUSTED"
    CANCELLED = "CANCELLED"
    INTERNAL = "INTERNAL"
    UNKNOWN = "UNKNOWN"
    DATA_LOSS = "DATA_LOSS"
    UNIMPLEMENTED = "UNIMPLEMENTED"
    UNAVAILABLE = "UNAVAILABLE"
    DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED"


HTTP_STATUSES = {
    CallStatus.INVALID_ARGUMENT: 400,
    CallStatus.FAILED_PRECONDITION: 400,
    CallStatus.OUT_OF_RANGE: 400,
    CallStatus.UNAUTHENTICATED: 401,
    CallStatus.PERMISSION_DENIED: 403,
    CallStatus.NOT_FOUND: 404,
    CallStatus.ABORTED: 409,
    CallStatus.ALREADY_EXISTS: 409,
    CallStatus.RESOURCE_EXHAUSTED: 429,
    CallStatus.CANCELLED: 499,
    CallStatus.INTERNAL: 500,
    CallStatus.UNKNOWN: 500,
    CallStatus.DATA_LOSS: 500,
    CallStatus.UNIMPLEMENTED: 501,
    CallStatus.UNAVAILABLE: 503,
    CallStatus.DEADLINE_EXCEEDED: 504,
}

STATUS_OF: dict[str, CallStatus] = {
    Code.BAD_REQUEST: CallStatus.INVALID_ARGUMENT,
    Code.TOO_LARGE: CallStatus.INVALID_ARGUMENT,
    Code.TOO_SLOW: CallStatus.DEADLINE_EXCEEDED,
    Code.WRONG_MEDIA_TYPE: CallStatus.INVALID_ARGUMENT,
    Code.WRONG_METHOD: CallStatus.INVALID_ARGUMENT,
    Code.WRONG_HOST: CallStatus.PERMISSION_DENIED,
    Code.WRONG_ORIGIN: CallStatus.PERMISSION_DENIED,
    Code.NOT_FOUND: CallStatus.NOT_FOUND,
    Code.NO_TOKEN: CallStatus.UNAUTHENTICATED,
    Code.BAD_TOKEN: CallStatus.UNAUTHENTICATED,
    Code.TOO_FAST: CallStatus.RESOURCE_EXHAUSTED,
    Code.OVERLOADED: CallStatus.UNAVAILABLE,
    Code.INTERNAL: CallStatus.INTERNAL,
    HostCode.NO_TABLE: CallStatus.NOT_FOUND,
    HostCode.PUT_ASIDE: CallStatus.NOT_FOUND,
    HostCode.BUSY: CallStatus.UNAVAILABLE,
    HostCode.STORAGE_FULL: CallStatus.UNAVAILABLE,
    HostCode.READ_ONLY: CallStatus.UNAVAILABLE,
    HostCode.OUTCOME_UNKNOWN: CallStatus.UNAVAILABLE,
    HostCode.STOPPING: CallStatus.UNAVAILABLE,
    HostCode.UNSTORABLE: CallStatus.INVALID_ARGUMENT,
    HostCode.GAME_FAILED: CallStatus.INTERNAL,
    TableCode.NOT_ADMIN: CallStatus.PERMISSION_DENIED,
    TableCode.NOT_SEATED: CallStatus.PERMISSION_DENIED,
    TableCode.NOT_YOUR_SEAT: CallStatus.PERMISSION_DENIED,
    TableCode.NOT_A_MOVE: CallStatus.INVALID_ARGUMENT,
    Refusal.INVALID_EVENT: CallStatus.INVALID_ARGUMENT,
    UpDownCode.ONLY_ADMIN_CAN_START: CallStatus.PERMISSION_DENIED,
    UpDownCode.UNKNOWN_PLAYER: CallStatus.PERMISSION_DENIED,
    UpDownCode.BET_OUT_OF_RANGE: CallStatus.OUT_OF_RANGE,
}
"""The status of each code. All others are conflicts with the state of the table: `FAILED_PRECONDITION`."""

SPECIFIED = (
    ONLY_ADMIN_CAN_START,
    NOT_YOUR_TURN_TO_BET,
    LAST_BET_MAKES_SUM,
    NOT_YOUR_TURN,
    CARD_NOT_IN_HAND,
    MUST_FOLLOW_PINTA,
)
"""The errors of the specification."""

TEXT_OF: dict[str, str] = {
    **{rejection.code: rejection.sentence for rejection in SPECIFIED},
    TableCode.NOT_ADMIN: ONLY_ADMIN_CAN_START.sentence,
    Refusal.INVALID_PLAYERS: TOO_FEW_PLAYERS.sentence,
}
"""The exact text of an error, also where the table refuses the call in its own words. Other codes have a sentence."""


def call_status_of(code: str) -> CallStatus:
    return STATUS_OF.get(code, CallStatus.FAILED_PRECONDITION)


def http_status_of(code: str) -> int:
    return HTTP_STATUSES[call_status_of(code)]


def call_text_of(problem: Problem) -> str:
    return TEXT_OF.get(problem.code, problem.details.message)
