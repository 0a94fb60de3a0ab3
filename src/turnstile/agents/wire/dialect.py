"""The dialects of other agents: the forms in which a message can be put, and which of them an endpoint understands.

A message goes out in the form that worked last time; at first in the one that the protocol prescribes. When it is not
understood, the next one is tried at once. No machine knows of this.
"""

from collections import OrderedDict
from enum import Enum, auto

from turnstile.agents.wire.envelope import ENVELOPE
from turnstile.agents.wire.methods import OLD_CHOICE_TOOL, tool_of
from turnstile.agents.wire.rpc import TOOL_CALL, Fields

MOST_ENDPOINTS = 10_000
REFUSALS_PER_FULL_TRY = 16
"""A message that is only told and was refused in all forms is told in one; after so many refusals again in all."""


class Form(Enum):
    """How a message can be put, in the order in which that is tried."""

    TOOL = auto()
    """The tool as method, the message as `params`: league.v2."""
    OLD_CHOICE = auto()
    """The same, with the other name of the choice."""
    TYPE = auto()
    """The message type as method."""
    WRAPPED = auto()
    """`handle_message`, with the message in `params.message`."""
    BARE = auto()
    """The message alone, without JSON-RPC."""
    RECEIVE_CALL = auto()
    """MCP's `tools/call`, with the message as `arguments`, and a tool of another name."""
    TOOL_CALL = auto()
    """The same, with the tool itself."""
    NESTED = auto()
    """The envelope alone, with the rest of the message in `data`."""


RECEIVE_TOOLS = {"GAME_INVITATION": "receive_game_invitation", "GAME_OVER": "receive_game_over"}
"""What some call their tools who know them by `tools/call` alone; the others are called as everywhere."""


def forms_of(message_type: str) -> list[Form]:
    """The forms that there are for such a message. Ours alone, which nobody has a dialect for, has one."""
    if message_type == "LEAGUE_CHALLENGE":
        return [Form.TOOL]
    absent = {
        Form.OLD_CHOICE: message_type != "CHOOSE_PARITY_CALL",
        Form.RECEIVE_CALL: message_type not in RECEIVE_TOOLS,
    }
    return [form for form in Form if not absent.get(form)]


def framed(form: Form, fields: Fields, number: int) -> Fields:
    """A whole message in this form, as the body of a request."""
    message_type = str(fields["message_type"])
    match form:
        case Form.TOOL:
            return _request(tool_of(message_type), fields, number)
        case Form.OLD_CHOICE:
            return _request(OLD_CHOICE_TOOL, fields, number)
        case Form.TYPE:
            return _request(message_type, fields, number)
        case Form.WRAPPED:
            return _request("handle_message", {"message": fields}, number)
        case Form.BARE:
            return fields
        case Form.RECEIVE_CALL:
            return _request(TOOL_CALL, {"name": RECEIVE_TOOLS[message_type], "arguments": fields}, number)
        case Form.TOOL_CALL:
            return _request(TOOL_CALL, {"name": tool_of(message_type), "arguments": fields}, number)
        case Form.NESTED:
            envelope = {name: fields[name] for name in ENVELOPE if name in fields}
            return {**envelope, "data": {name: held for name, held in fields.items() if name not in ENVELOPE}}


def _request(method: str, params: Fields, number: int) -> Fields:
    return {"jsonrpc": "2.0", "method": method, "params": params, "id": number}


class Dialect:
    """How one endpoint wants to be spoken to, as far as that is known."""

    __slots__ = ("_latest", "_refusals", "_worked")

    def __init__(self) -> None:
        self._worked: dict[str, Form] = {}
        self._latest: Form | None = None
        self._refusals: dict[str, int] = {}
        """How often a message that is only told was refused in a row, by its type."""

    @property
    def is_known(self) -> bool:
        """Some form has worked at this endpoint: an error is an answer now, and not a sign of a wrong form."""
        return bool(self._worked)

    def forms(self, message_type: str) -> list[Form]:
        """The forms to try for such a message, in this order."""
        forms = forms_of(message_type)
        first = self._worked.get(message_type, self._latest)
        if first in forms:
            forms.remove(first)
            forms.insert(0, first)
        is_full_try = self._refusals.get(message_type, 0) % REFUSALS_PER_FULL_TRY == 0
        return forms if is_full_try else forms[:1]

    def worked(self, message_type: str, form: Form) -> None:
        """A question was answered: others may be best put in the same way. What was refused may be taken like this."""
        if form is not self._latest:
            self._refusals.clear()
        self._worked[message_type] = self._latest = form

    def heard(self, message_type: str) -> None:
        """Something that is only told was not refused. That may mean little: some answer `ok` to anything."""
        self._refusals.pop(message_type, None)

    def heard_at_last(self, message_type: str, form: Form) -> None:
        """The same, and other forms had been refused before. It means nothing for other messages."""
        self.heard(message_type)
        self._worked[message_type] = form

    def refused(self, message_type: str) -> None:
        """Something that is only told was refused in every form that was tried."""
        self._refusals[message_type] = self._refusals.get(message_type, 0) + 1


class Dialects:
    """The dialects of all endpoints that were called lately."""

    def __init__(self, most: int = MOST_ENDPOINTS) -> None:
        self._most = most
        self._known: OrderedDict[str, Dialect] = OrderedDict()

    def of(self, endpoint: str) -> Dialect:
        dialect = self._known.pop(endpoint, None) or Dialect()
        self._known[endpoint] = dialect
        if len(self._known) > self._most:
            self._known.popitem(last=False)
        return dialect
