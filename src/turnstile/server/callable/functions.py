"""The callable functions of Up-Down: `startGame`, `placeBet`, `playCard`. The table decides whether they are allowed.

Each has two addresses: `/callable/NAME`, and `/PROJECT/REGION/NAME` as the emulator of Firebase has it.
"""

import secrets
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from msgspec import Meta, Raw
from starlette.responses import Response

from turnstile.games.updown.cards import Card
from turnstile.games.updown.moves import PlaceBet, PlayCard
from turnstile.host import Refused
from turnstile.host.answers import Code as HostCode
from turnstile.kernel.values import LONGEST_ID, LogId, Move, Value, encode
from turnstile.server.callable.preflight import preflight_of
from turnstile.server.callable.rooms import acknowledge_for, acknowledge_for_absent, find_room
from turnstile.server.callable.statuses import http_status_of
from turnstile.server.callable.wire import (
    CallBody,
    CallFailure,
    EventResponse,
    accepts_events,
    decode_data,
    result_response,
    write_call_problem,
)
from turnstile.server.commands import ActCommand, AnyCommand, StartCommand
from turnstile.server.door import read_headers
from turnstile.server.endpoint import JSON, Auth, Call, Endpoint
from turnstile.server.errors import Code, Problem, problem_of
from turnstile.server.limits import LimitName
from turnstile.server.people import Person
from turnstile.server.updates import EVENTS
from turnstile.table.values import Code as TableCode

if TYPE_CHECKING:
    from turnstile.server.server import Server

D = TypeVar("D", bound="CallData")

LARGEST_NUMBER = 2**53

RoomId = Annotated[str, Meta(min_length=1, max_length=LONGEST_ID)]


class CallData(Value, frozen=True):
    """What every function takes: the caller's own id."""

    player_id: str


class StartGameData(CallData, frozen=True):
    room_id: RoomId


class PlaceBetData(CallData, frozen=True):
    bet: Annotated[int, Meta(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER)]
    room_id: RoomId | None = None


class PlayCardData(CallData, frozen=True):
    card: Card
    room_id: RoomId | None = None


class Called(Value, frozen=True):
    """The result of every function. `seq`: the caller's newest update, which is the id of its newest document."""

    room_id: LogId
    seq: int


class StartGameCall(Value, frozen=True):
    data: StartGameData


class PlaceBetCall(Value, frozen=True):
    data: PlaceBetData


class PlayCardCall(Value, frozen=True):
    data: PlayCardData


class CalledResult(Value, frozen=True):
    """The answer to a call that took effect."""

    result: Called


Work = Callable[["Server", Person, D], Awaitable[Called]]

ERRORS = (
    HostCode.NO_TABLE,
    HostCode.PUT_ASIDE,
    HostCode.GAME_FAILED,
    Code.NOT_ONE_TABLE,
    TableCode.NOT_ADMIN,
    TableCode.NOT_SEATED,
    TableCode.NOT_YOUR_SEAT,
)
FORMAT = (
    'It is a Firebase callable function: `{{"data": ...}}` in, `{{"result": ...}}` out. Also at `/PROJECT/REGION/{}`.'
)


def callable_function(name: str, as_type: type[D], described: type[Value]) -> Callable[[Work[D]], tuple[Endpoint, ...]]:
    """Make a function callable at both of its addresses. `described`: its body in the contract."""

    def make(work: Work[D]) -> tuple[Endpoint, ...]:
        async def handle(call: Call[CallBody, None]) -> Response:
            data = decode_data(call.body, as_type)
            _check_caller(call.person, data)
            working = work(call.server, call.person, data)
            if accepts_events(read_headers(call.request.scope["headers"])):
                return EventResponse(working, call.server.counts)
            return result_response(await working)

        paths = (f"/callable/{name}", f"/{{project}}/{{region}}/{name}")
        doc = f"{work.__doc__} {FORMAT.format(name)}"
        rest = {"described_request": described, "response": CalledResult, "limit": LimitName.COMMANDS}
        posts = [_endpoint(path, name, doc, handle, **rest) for path in paths]
        return (*posts, *map(preflight_of, posts))

    return make


def _endpoint(path: str, name: str, doc: str, handle: Any, **rest: Any) -> Endpoint:
    return Endpoint(
        method="POST",
        path=path,
        name=name,
        doc=doc,
        handle=handle,
        request=CallBody,
        media_types=(JSON, EVENTS),
        events=(CalledResult, CallFailure),
        errors=ERRORS,
        is_open_ended=True,
        write_problem=write_call_problem,
        error_body=CallFailure,
        error_status=http_status_of,
        **rest,
    )


def _check_caller(person: Person, data: CallData) -> None:
    if data.player_id != person.player:
        raise Problem(TableCode.NOT_YOUR_SEAT, "playerId must be your own.")


@callable_function("startGame", StartGameData, StartGameCall)
async def start_game(server: "Server", person: Person, data: StartGameData) -> Called:
    """Start the match. For the admin of the room, once two players or more sit there."""
    room = await find_room(server, person.player, LogId(data.room_id))
    called = await _submit(server, person, room, StartCommand(new_id()))
    await acknowledge_for_absent(server, room)
    return called


@callable_function("placeBet", PlaceBetData, PlaceBetCall)
async def place_bet(server: "Server", person: Person, data: PlaceBetData) -> Called:
    """Bet how many hands of this round the caller will win."""
    return await _act(server, person, data.room_id, PlaceBet(person.player, data.bet))


@callable_function("playCard", PlayCardData, PlayCardCall)
async def play_card(server: "Server", person: Person, data: PlayCardData) -> Called:
    """Play a card from the caller's hand."""
    return await _act(server, person, data.room_id, PlayCard(person.player, data.card))


async def _act(server: "Server", person: Person, room_id: str | None, move: Move) -> Called:
    """Make a move. A player who calls has seen what the table waits for."""
    room = await find_room(server, person.player, None if room_id is None else LogId(room_id))
    await acknowledge_for(server, room, person.player)
    return await _submit(server, person, room, ActCommand(id=new_id(), move=Raw(encode(move))))


async def _submit(server: "Server", person: Person, room: LogId, command: AnyCommand) -> Called:
    answer = await server.tables.submit(person, room, command)
    if isinstance(answer, Refused):
        raise problem_of(answer.error)
    return Called(room, answer.seq)


def new_id() -> str:
    """The id of a command. A call has no id of its own, so a call that is repeated is another command."""
    return f"call {secrets.token_hex(16)}"


async def refuse_unknown(call: Call[CallBody, None]) -> Response:
    """There are no other functions."""
    raise Problem(Code.NOT_FOUND, "There is no such function.")


REGION = "[a-z]+-[a-z]+[0-9]+"
"""What a region looks like, such as `us-central1`. An unknown function is told by it from any other unknown address."""

_unknown = [
    _endpoint(path, "unknownFunction", refuse_unknown.__doc__ or "", refuse_unknown, auth=Auth.ANYONE)
    for path in ("/callable/{function}", f"/{{project}}/{{region:{REGION}}}/{{function}}")
]

ENDPOINTS: Sequence[Endpoint] = (*start_game, *place_bet, *play_card, *_unknown, *map(preflight_of, _unknown))

DESCRIBED: Sequence[Endpoint] = (start_game[0], place_bet[0], play_card[0])
"""The functions at their own addresses: those of the emulator are the same."""
