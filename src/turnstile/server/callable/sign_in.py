"""The routes of the Auth emulator of Firebase that its client needs before it sends a token with a call.

A player's token is the custom token, the id token and the refresh token in one: it is opaque to the client, and void
once its player logs out everywhere. `expiresIn` only says when the client asks again.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from urllib.parse import parse_qs

import msgspec
from starlette.responses import Response

from turnstile.kernel.values import PlayerId, Value, encode
from turnstile.server.callable.preflight import preflight_of
from turnstile.server.door import FORM, Headers, read_body, read_headers
from turnstile.server.endpoint import JSON, Auth, Call, Endpoint, Handler
from turnstile.server.errors import Code, Problem
from turnstile.server.limits import LimitName
from turnstile.server.people import Person

ACCOUNTS = "/identitytoolkit.googleapis.com/v1/accounts:"
TOKENS = "/securetoken.googleapis.com/v1/token"

EXPIRES_IN = "3600"
"""Seconds, as text, after which the client asks for the same token again."""
GUEST = "Guest"
"""The name of a player who signs in without one."""

NO_PASSWORDS = "OPERATION_NOT_ALLOWED : There are no passwords here; sign in anonymously or with a custom token."
NOTHING_ELSE = (
    "OPERATION_NOT_ALLOWED : Accounts are signed in, looked up and renewed here; /api/me changes and deletes them."
)
ERROR_NAMES: dict[str, str] = {
    Code.TOO_FAST: "TOO_MANY_ATTEMPTS_TRY_LATER",
    Code.INTERNAL: "INTERNAL",
}
"""The names of errors as the client knows them. It shows those that it does not know as they are."""


# what the client sends: more than is needed, and more with every release


class CustomToken(msgspec.Struct, frozen=True):
    token: str


class NewAccount(msgspec.Struct, rename="camel", frozen=True):
    display_name: str | None = None
    email: str | None = None
    password: str | None = None


class IdToken(msgspec.Struct, rename="camel", frozen=True):
    id_token: str


# what it gets


class SignedIn(Value, frozen=True):
    id_token: str
    refresh_token: str
    expires_in: str
    local_id: PlayerId
    is_new_user: bool
    kind: str = "identitytoolkit#VerifyCustomTokenResponse"


class Account(Value, frozen=True):
    local_id: PlayerId
    display_name: str
    custom_auth: bool = True
    provider_user_info: tuple[Any, ...] = ()


class Accounts(Value, frozen=True):
    users: tuple[Account, ...]
    kind: str = "identitytoolkit#GetAccountInfoResponse"


class Renewed(msgspec.Struct, frozen=True):
    """Its names have underscores, unlike all others."""

    id_token: str
    access_token: str
    refresh_token: str
    user_id: PlayerId
    expires_in: str = EXPIRES_IN
    token_type: str = "Bearer"  # noqa: S105
    project_id: str = ""


class SignInError(Value, frozen=True):
    code: int
    message: str


class SignInFailure(Value, frozen=True):
    error: SignInError


def write_sign_in_problem(bad_token: str, problem: Problem, headers: Headers) -> Response:
    """An error as the client reads it: a name, and after a colon a sentence. `bad_token`: the name for such a token."""
    name = bad_token if problem.code == Code.BAD_TOKEN else ERROR_NAMES.get(problem.code, "INVALID_ARGUMENT")
    status = 400 if problem.status < 500 and problem.code != Code.TOO_FAST else problem.status
    return _failure(status, f"{name} : {problem.details.message}")


def _failure(status: int, message: str) -> Response:
    return Response(encode(SignInFailure(SignInError(status, message))), status, media_type=JSON)


# the routes


def sign_in_route(path: str, bad_token: str, **rest: Any) -> Callable[[Handler], Endpoint]:
    """An endpoint that anyone may call: its caller shows a token in the body, if at all."""

    def make(handle: Handler) -> Endpoint:
        return Endpoint(
            method="POST",
            path=path,
            name=handle.__name__,
            doc=handle.__doc__ or "",
            handle=handle,
            auth=Auth.ANYONE,
            write_problem=partial(write_sign_in_problem, bad_token),
            **rest,
        )

    return make


@sign_in_route(ACCOUNTS + "signInWithCustomToken", "INVALID_CUSTOM_TOKEN", request=CustomToken)
async def sign_in_with_custom_token(call: Call[CustomToken, None]) -> SignedIn:
    """Sign in with the token of a player."""
    return _signed_in(await _person(call, call.body.token), call.body.token, is_new=False)


@sign_in_route(ACCOUNTS + "signUp", "INVALID_ID_TOKEN", request=NewAccount, limit=LimitName.REGISTRATIONS)
async def sign_up(call: Call[NewAccount, None]) -> SignedIn | Response:
    """Sign in anonymously: this registers a player."""
    if call.body.email is not None or call.body.password is not None:
        return _failure(400, NO_PASSWORDS)
    person, token = await call.server.people.register(call.body.display_name or GUEST)
    return _signed_in(person, token, is_new=True)


@sign_in_route(ACCOUNTS + "lookup", "INVALID_ID_TOKEN", request=IdToken)
async def look_up(call: Call[IdToken, None]) -> Accounts:
    """The account of an id token."""
    person = await _person(call, call.body.id_token)
    return Accounts((Account(person.player, person.name),))


@sign_in_route(TOKENS, "INVALID_REFRESH_TOKEN")
async def renew_token(call: Call[None, None]) -> Response:
    """The same token again, for another hour."""
    body = await read_body(read_headers(call.request.scope["headers"]), call.request, media_type=FORM)
    fields = parse_qs(body.decode("latin-1"))
    (token,) = fields.get("refresh_token", [""])[-1:]
    person = await _person(call, token)
    return Response(encode(Renewed(token, token, token, person.player)), media_type=JSON)


@sign_in_route("/identitytoolkit.googleapis.com/v1/{method:accounts:[A-Za-z]+}", "INVALID_ID_TOKEN")
async def refuse_others(call: Call[None, None]) -> Response:
    """What else the client can do with accounts, in an error that it understands."""
    call.server.counts.count_error(Code.NOT_FOUND)
    return _failure(400, NO_PASSWORDS if "Password" in call.path["method"] else NOTHING_ELSE)


async def _person(call: Call[Any, Any], token: str) -> Person:
    person = await call.server.authenticate(token, call.address)
    assert person is not None, "there is a token"
    return person


def _signed_in(person: Person, token: str, *, is_new: bool) -> SignedIn:
    return SignedIn(token, token, EXPIRES_IN, person.player, is_new)


_POSTS = (sign_in_with_custom_token, sign_up, look_up, renew_token, refuse_others)
ENDPOINTS: Sequence[Endpoint] = (*_POSTS, *map(preflight_of, _POSTS))
