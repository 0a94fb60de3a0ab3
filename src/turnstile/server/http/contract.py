"""The contract over HTTP: OpenAPI, AsyncAPI, and the schemas of every game."""

from functools import cache
from typing import Any

import msgspec
from starlette.responses import Response

from turnstile.kernel.values import encode
from turnstile.server.endpoint import JSON, Auth, Call, endpoint
from turnstile.server.errors import Code, Problem
from turnstile.server.http.games import public_schemas
from turnstile.server.tables import find_installed

SCHEMA = "application/schema+json"


@endpoint("GET", "/openapi.json", response=dict[str, Any], auth=Auth.ANYONE)
async def get_openapi(call: Call[None, None]) -> Response:
    """The HTTP interface as an OpenAPI document, with the limits of this server."""
    return Response(_openapi(tuple(call.server.limits.table.items())), media_type=JSON)


@cache
def _openapi(limits: tuple[Any, ...]) -> bytes:
    from turnstile.server.contract import DESCRIBED, openapi

    return msgspec.json.encode(openapi(DESCRIBED, dict(limits)))


@endpoint("GET", "/asyncapi.json", response=dict[str, Any], auth=Auth.ANYONE)
async def get_asyncapi(call: Call[None, None]) -> Response:
    """The WebSocket as an AsyncAPI document."""
    return Response(_asyncapi(), media_type=JSON)


@cache
def _asyncapi() -> bytes:
    from turnstile.server.contract import asyncapi

    return msgspec.json.encode(asyncapi())


@endpoint(
    "GET",
    "/api/games/{game}/schemas/{part}",
    auth=Auth.ANYONE,
    media_types=(SCHEMA,),
    errors=(Code.NO_GAME, Code.NOT_FOUND),
)
async def get_schema(call: Call[None, None]) -> Response:
    """The JSON Schema of a part of a game: `events`, `messages`, `view` or `options`."""
    schemas = public_schemas(find_installed(call.path["game"]))
    found = schemas.get(call.path["part"])
    if found is None:
        raise Problem(Code.NOT_FOUND, f"A game has the schemas {', '.join(schemas)}.")
    return Response(encode(found), media_type=SCHEMA)


ENDPOINTS = (get_openapi, get_asyncapi, get_schema)
