"""Players over HTTP: register, the caller's own account, codes for other devices."""

from urllib.parse import quote

import segno

from turnstile.kernel.values import Instant, PlayerId, Value
from turnstile.server.chosen_ids import ChosenId
from turnstile.server.endpoint import Auth, Call, endpoint
from turnstile.server.errors import Code
from turnstile.server.limits import LimitName
from turnstile.server.people import Person


class NewPlayer(Value, frozen=True):
    """A player who registers. A second request with the same `id` makes no second player, and is refused: the server
    keeps only a hash of the token, and cannot show it again."""

    name: str
    id: ChosenId | None = None


class NewName(Value, frozen=True):
    name: str


class PlayerWithToken(Value, frozen=True):
    """A player, and a secret token, which is shown this once."""

    player: PlayerId
    name: str
    token: str


class NewToken(Value, frozen=True):
    """A secret token, which is shown this once."""

    token: str


class DeviceCode(Value, frozen=True):
    """A code that works once, until `expires`. `link` has it behind `#`, and `qr` is the link as SVG."""

    code: str
    link: str
    qr: str
    expires: Instant


class UsedCode(Value, frozen=True):
    code: str


class Nothing(Value, frozen=True):
    """An empty object."""


@endpoint(
    "POST",
    "/api/players",
    request=NewPlayer,
    response=PlayerWithToken,
    status=201,
    auth=Auth.ANYONE,
    errors=(Code.BAD_NAME, Code.PLAYER_EXISTS),
    limit=LimitName.REGISTRATIONS,
)
async def register(call: Call[NewPlayer, None]) -> PlayerWithToken:
    """Register a player. The answer has its secret token, which is never shown again."""
    person, token = await call.server.people.register(call.body.name, call.body.id)
    return PlayerWithToken(person.player, person.name, token)


@endpoint("GET", "/api/me", response=Person)
async def get_me(call: Call[None, None]) -> Person:
    """The caller's own account."""
    return call.person


@endpoint("PATCH", "/api/me", request=NewName, response=Person, errors=(Code.BAD_NAME,), limit=LimitName.RENAMES)
async def rename(call: Call[NewName, None]) -> Person:
    """Change the caller's name. The id stays."""
    return await call.server.people.rename(call.person.player, call.body.name)


@endpoint("DELETE", "/api/me", response=Nothing)
async def delete_me(call: Call[None, None]) -> Nothing:
    """Delete the caller's account: its name and all its tokens. Before that the caller gives up at all its tables: it
    leaves those whose match has not begun, closes those of them that it opened, and resigns in every running match.

    If the store cannot do that now, the account stays: send the request again. Finished matches stay under its id.
    """
    await call.server.tables.give_up_all(call.person)
    await call.server.people.delete(call.person.player)
    call.server.sessions.log_out(call.person.player)
    await call.server.tables.give_up_rest(call.person)
    return Nothing()


@endpoint("POST", "/api/me/logout-everywhere", response=NewToken, limit=LimitName.RENAMES)
async def log_out_everywhere(call: Call[None, None]) -> NewToken:
    """Make all tokens of the caller void, close its connections, and give it a new token."""
    token = await call.server.people.log_out_everywhere(call.person.player)
    call.server.sessions.log_out(call.person.player)
    return NewToken(token)


@endpoint("POST", "/api/me/codes", response=DeviceCode, status=201, limit=LimitName.RENAMES)
async def make_code(call: Call[None, None]) -> DeviceCode:
    """A code that takes the caller to another device. It works once, within ten minutes."""
    code, expires = await call.server.people.make_code(call.person.player)
    link = f"{call.server.url_of(call.request)}/#code={quote(code)}"
    return DeviceCode(code, link, segno.make(link).svg_inline(), expires)


@endpoint(
    "POST",
    "/api/codes",
    request=UsedCode,
    response=PlayerWithToken,
    auth=Auth.ANYONE,
    errors=(Code.BAD_CODE,),
    limit=LimitName.CODES,
)
async def use_code(call: Call[UsedCode, None]) -> PlayerWithToken:
    """Use a code from another device: the same player, with a token for this device."""
    person, token = await call.server.people.use_code(call.body.code)
    return PlayerWithToken(person.player, person.name, token)


ENDPOINTS = (register, get_me, rename, delete_me, log_out_everywhere, make_code, use_code)
