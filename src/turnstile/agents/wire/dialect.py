"""The dialects of other agents: the forms in which a message can be sent, and which of them an endpoint understands.

A message is sent in the form that worked last time, and at first in the form of league.v2. If the endpoint does not
understand it, the next form is tried at once. The machines do not know of this.
"""

from collections import OrderedDict
from enum import Enum, auto

from turnstile.agents.wire.envelope import Fields, split_envelope
from turnstile.agents.wire.methods import OLD_CHOICE_METHOD, RECEIVE_METHODS, method_of
from turnstile.agents.wire.rpc import TOOL_CALL, request_frame

MOST_ENDPOINTS = 10_000
REFUSALS_PER_FULL_TRY = 16
"""A notification that was refused in all forms is sent in one form only. After so many refusals all are tried again."""


class Form(Enum):
    """How a message can be sent, in the order in which the forms are tried."""

    TOOL = auto()  # the tool as method, the message as `params`: league.v2
    OLD_CHOICE = auto()  # the same, with the old name of the choice
    TYPE = auto()  # the message type as method
    WRAPPED = auto()  # `handle_message`, with the message in `params.message`
    BARE = auto()  # the message alone, without JSON-RPC
    RECEIVE_CALL = auto()  # MCP's `tools/call`, with the message as `arguments` and a tool name of `RECEIVE_METHODS`
    TOOL_CALL = auto()  # the same, with the usual tool name
    NESTED = auto()  # the envelope alone, with the rest of the message in `data`


def forms_of(message_type: str) -> list[Form]:
    """The forms of a message. Our challenge has one: only our agents know it."""
    if message_type == "LEAGUE_CHALLENGE":
        return [Form.TOOL]
    absent = {
        Form.OLD_CHOICE: message_type != "CHOOSE_PARITY_CALL",
        Form.RECEIVE_CALL: message_type not in RECEIVE_METHODS,
    }
    return [form for form in Form if not absent.get(form)]


def frame_message(form: Form, fields: Fields, number: int) -> Fields:
    """A message in this form, as the body of a request."""
    message_type = str(fields["message_type"])
    match form:
        case Form.TOOL:
            return request_frame(method_of(message_type), fields, number)
        case Form.OLD_CHOICE:
            return request_frame(OLD_CHOICE_METHOD, fields, number)
        case Form.TYPE:
            return request_frame(message_type, fields, number)
        case Form.WRAPPED:
            return request_frame("handle_message", {"message": fields}, number)
        case Form.BARE:
            return fields
        case Form.RECEIVE_CALL:
            return request_frame(TOOL_CALL, {"name": RECEIVE_METHODS[message_type], "arguments": fields}, number)
        case Form.TOOL_CALL:
            return request_frame(TOOL_CALL, {"name": method_of(message_type), "arguments": fields}, number)
        case Form.NESTED:
            envelope, rest = split_envelope(fields)
            return {**envelope, "data": rest}


class Dialect:
    """The forms that one endpoint understands, as far as they are known."""

    __slots__ = ("_latest", "_refusals", "_worked")

    def __init__(self) -> None:
        self._worked: dict[str, Form] = {}
        self._latest: Form | None = None
        self._refusals: dict[str, int] = {}
        """The number of refusals in a row of a notification, by its type."""

    @property
    def is_known(self) -> bool:
        """Whether a form has worked at this endpoint. From then on an error is an answer, and not about the form."""
        return bool(self._worked)

    def forms(self, message_type: str) -> list[Form]:
        """The forms to try for a message, in this order."""
        forms = forms_of(message_type)
        first = self._worked.get(message_type, self._latest)
        if first in forms:
            forms.remove(first)
            forms.insert(0, first)
        is_full_try = self._refusals.get(message_type, 0) % REFUSALS_PER_FULL_TRY == 0
        return forms if is_full_try else forms[:1]

    def worked(self, message_type: str, form: Form) -> None:
        """A question was answered. The same form is tried first for all messages, also for those refused so far."""
        if form is not self._latest:
            self._refusals.clear()
        self._worked[message_type] = self._latest = form

    def heard(self, message_type: str, form: Form | None = None) -> None:
        """A notification was not refused. This proves little: some agents answer `ok` to anything.

        `form`: the form in which it was accepted after others had been refused. It says nothing about other messages.
        """
        self._refusals.pop(message_type, None)
        if form is not None:
            self._worked[message_type] = form

    def refused(self, message_type: str) -> None:
        """A notification was refused in every form that was tried."""
        self._refusals[message_type] = self._refusals.get(message_type, 0) + 1


class Dialects:
    """The dialects of the endpoints that were called most recently."""

    def __init__(self, most: int = MOST_ENDPOINTS) -> None:
        self._most = most
        self._known: OrderedDict[str, Dialect] = OrderedDict()

    def of(self, endpoint: str) -> Dialect:
        dialect = self._known.pop(endpoint, None) or Dialect()
        self._known[endpoint] = dialect
        if len(self._known) > self._most:
            self._known.popitem(last=False)
        return dialect
