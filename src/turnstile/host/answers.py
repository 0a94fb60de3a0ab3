"""The answers of a host: accepted, or refused with a reason. Refusals by the table and by the game pass through."""

import logging
from enum import StrEnum

from turnstile.durable.storing import PASSING as MAY_PASS
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import Value
from turnstile.store.protocol import Busy, ReadOnly, StorageFull, StoreFault, Unknown, Unstorable
from turnstile.table.values import Accepted

log = logging.getLogger("turnstile.host")

PASSING = (*MAY_PASS, Unstorable)
"""Store faults that lead to a refusal of the request. Any other fault ends the process."""


class Code(StrEnum):
    """Why a host turns something down, besides the reasons of the table and of the game."""

    NO_TABLE = "NoSuchTable"
    TABLE_EXISTS = "TableExists"
    PUT_ASIDE = "TablePutAside"
    ID_REUSED = "IdReused"
    NO_SPECTATORS = "NoSpectators"
    FUTURE_UPDATE = "FutureUpdate"
    OTHER_HISTORY = "OtherHistory"
    BUSY = "Busy"
    STORAGE_FULL = "StorageFull"
    READ_ONLY = "ReadOnly"
    OUTCOME_UNKNOWN = "OutcomeUnknown"
    UNSTORABLE = "Unstorable"
    STOPPING = "Stopping"
    GAME_FAILED = "GameFailed"
    UNKNOWN_BOT = "UnknownBot"


STOPPING = Rejection(Code.STOPPING, "This server is stopping; connect again.")

_CODES = {
    Busy: Code.BUSY,
    ReadOnly: Code.READ_ONLY,
    StorageFull: Code.STORAGE_FULL,
    Unknown: Code.OUTCOME_UNKNOWN,
    Unstorable: Code.UNSTORABLE,
}
TRY_AGAIN = {*_CODES.values(), Code.STOPPING} - {Code.UNSTORABLE}
"""Codes of refusals that say nothing but: try again."""


class Refused(Value, frozen=True):
    """The answer to a refused request: the reason, and the newest update of the sender's stream."""

    error: Rejection
    seq: int = 0


Answer = Accepted | Refused


_SENTENCES = {
    Code.BUSY: "The store of this server does not answer now; try again.",
    Code.READ_ONLY: "The store of this server cannot be written now; try again later.",
    Code.STORAGE_FULL: "The store of this server is full; try again later.",
    Code.OUTCOME_UNKNOWN: "The store of this server has not said whether this was done; send the same again.",
}


def passing(fault: StoreFault) -> Rejection:
    """The answer when the store could not do it now. Why it could not is for the operator."""
    code = _CODES[type(fault)]
    if code not in _SENTENCES:
        return Rejection(code, str(fault))
    log.warning("The store: %s", fault)
    return Rejection(code, _SENTENCES[code])


def is_passing(answer: object) -> bool:
    """Whether this is a refusal that says nothing but: try again."""
    return isinstance(answer, Refused) and answer.error.code in TRY_AGAIN
