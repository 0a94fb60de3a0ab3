"""The protocol of the server as a page, and as OpenAPI and AsyncAPI: all from the endpoints and frames themselves."""

from collections.abc import Iterator, Sequence
from typing import Any, Union

import msgspec
from msgspec.structs import fields

from tools.words import code, default, document, in_words, one_line, parts, table
from turnstile.host.answers import Code as HostCode
from turnstile.kernel.machine import Refusal
from turnstile.kernel.values import Value
from turnstile.server.contract import DESCRIBED, asyncapi, openapi
from turnstile.server.contract.asyncapi import ABOUT, FROM_CLIENTS, FROM_SERVER, close_codes
from turnstile.server.contract.openapi import limit_sentence
from turnstile.server.endpoint import ALWAYS, Auth, Endpoint
from turnstile.server.errors import Code, status_of
from turnstile.server.limits import LIMITS, LimitName
from turnstile.server.play.frames import TABLE_MESSAGES, TableChanged
from turnstile.table.sight import TableStatus
from turnstile.table.values import Code as TableCode

INTRO = (
    "Everything that goes over the wire between the [server](server.md) and its clients. The same as documents for "
    "programs: [OpenAPI](openapi.json) for HTTP and [AsyncAPI](asyncapi.json) for the WebSocket; a server serves its "
    "own at `/openapi.json` and `/asyncapi.json`. The JSON Schemas of a game's events, messages, view and options are "
    "at `/api/games/{game}/schemas/{part}`."
)
ERRORS = (
    "Every error is an [ErrorBody](#errorbody). The code is for programs, the sentence for people. A request that is "
    "refused has changed nothing. A code that is not in this list comes from the game of the table, with status 409."
)


def documents() -> dict[str, str]:
    """The documents for programs, by the names of their files."""
    found = {"openapi.json": openapi(DESCRIBED), "asyncapi.json": asyncapi()}
    return {
        name: msgspec.json.format(msgspec.json.encode(each), indent=1).decode() + "\n" for name, each in found.items()
    }


def protocol_page() -> str:
    """The page."""
    frames = [*FROM_CLIENTS, *FROM_SERVER]
    return document(
        "# The protocol",
        INTRO,
        "## HTTP",
        f"Any request may also get the errors {', '.join(f'{code(each)} ({status_of(each)})' for each in ALWAYS)}.",
        f"For all requests together: {limit_sentence([LimitName.REQUESTS], LIMITS)}",
        *(block for endpoint in DESCRIBED for block in _endpoint(endpoint)),
        "## WebSocket",
        ABOUT,
        "## Frames from clients",
        *(block for frame in FROM_CLIENTS for block in _struct(frame)),
        "## Frames from the server",
        *(block for frame in FROM_SERVER for block in _struct(frame)),
        "## Close codes",
        close_codes().partition(": ")[2],
        "## Errors",
        ERRORS,
        table(["code", "status"], _codes()),
        "## Values",
        "What requests, answers and frames are made of.",
        *(block for struct in _values(frames) for block in _struct(struct)),
    )


# HTTP


def _endpoint(endpoint: Endpoint) -> Iterator[str]:
    yield f"### {endpoint.method} {endpoint.path}"
    yield one_line(endpoint.doc)
    yield "\n".join(f"- {line}" for line in _facts(endpoint))
    if endpoint.query is not None:
        yield _field_table(endpoint.query, "query")


def _facts(endpoint: Endpoint) -> Iterator[str]:
    yield (
        "For anyone; a token that is given must be valid."
        if endpoint.auth is Auth.ANYONE
        else "For players: needs a token."
    )
    if endpoint.body_type is not None:
        yield f"Body: {in_words(endpoint.body_type)}; at most {endpoint.most_bytes} bytes."
    media = ", ".join(map(code, endpoint.media_types))
    answer = "" if endpoint.response is None else f"{in_words(endpoint.response)}, "
    yield f"Answer: {endpoint.status}, {answer}{media}."
    if endpoint.events:
        yield f"In a stream, each event or line: {in_words(Union[endpoint.events])}."
    if own := [each for each in endpoint.all_errors if each not in ALWAYS]:
        more = ", and codes of the table and its game" if endpoint.is_open_ended else ""
        yield f"Errors: {', '.join(f'{code(each)} ({endpoint.error_status(each)})' for each in own)}{more}."
    if endpoint.limits:
        yield limit_sentence(endpoint.limits, LIMITS)


# structs


def _struct(struct: type[Any]) -> Iterator[str]:
    yield f"### {struct.__name__}"
    if doc := one_line(struct.__doc__):
        yield doc
    if fields(_fields_of(struct)) or struct.__struct_config__.tag:
        yield _field_table(struct, "field")


def _field_table(struct: type[Any], head: str) -> str:
    config = struct.__struct_config__
    tag = [[code(config.tag_field), code(config.tag)]] if config.tag else []
    told = [[code(field.encode_name), in_words(field.type) + default(field)] for field in fields(_fields_of(struct))]
    return table([head, "type"], [*tag, *told])


def _fields_of(struct: type[Any]) -> type[Any]:
    """The frame with the status of a table has the fields of the status."""
    return TableStatus if struct is TableChanged else struct


def _values(frames: Sequence[type[Any]]) -> list[type[Value]]:
    """What the bodies and frames are made of, and what that is made of."""
    known: list[type[Any]] = [TableStatus, *TABLE_MESSAGES]
    for endpoint in DESCRIBED:
        known += [
            part
            for kind in (endpoint.body_type, endpoint.response, *endpoint.events, endpoint.error_body)
            for part in parts(kind)
        ]
    known = list(dict.fromkeys([*frames, *known]))
    for struct in known:  # grows while we go through it
        known += dict.fromkeys(part for field in fields(struct) for part in parts(field.type) if part not in known)
    return sorted((each for each in known if each not in frames), key=lambda struct: struct.__name__)


def _codes() -> list[list[str]]:
    of_endpoints = [each for endpoint in DESCRIBED for each in endpoint.all_errors]
    codes = dict.fromkeys([*Code, *HostCode, *TableCode, *Refusal, *of_endpoints])
    return [[code(each), str(status_of(each))] for each in codes]
