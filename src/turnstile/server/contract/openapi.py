"""The HTTP interface as an OpenAPI 3.1 document."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from importlib.metadata import version
from typing import Any

import msgspec

from turnstile.kernel.values import LONGEST_ID
from turnstile.server.contract.schemas import PREFIX, Schema, Schemas, one_line, summary_of
from turnstile.server.endpoint import JSON, Auth, Endpoint
from turnstile.server.limits import LIMITS, Limit, LimitName

ABOUT = (
    "Play turn-based games with hidden information: open tables, send commands, read updates. Every error has a code "
    "for programs and a sentence for people. A request that is refused has changed nothing. Games and their own "
    "messages are described at /api/games/{game}; the WebSocket at /asyncapi.json."
)
PATH_WORDS = {
    "table": "The id of a table.",
    "player": "The id of a player.",
    "game": "The name of a game.",
    "part": "`events`, `messages`, `view` or `options`.",
}
BEARER = "token"
OTHER_CODE = ""
"""Stands for a code of a game, which the server does not know."""
RETRY_AFTER: Schema = {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}}
Limits = Mapping[LimitName, Limit]


def openapi(endpoints: Sequence[Endpoint], limits: Limits = LIMITS) -> dict[str, Any]:
    """The document. `limits` are those of the server that serves it."""
    schemas = Schemas([kind for endpoint in endpoints for kind in _types(endpoint)])
    paths: dict[str, dict[str, Any]] = {}
    errors = Errors()
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, schemas, errors, limits)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Turnstile", "version": version("turnstile"), "description": ABOUT},
        "paths": paths,
        "components": {
            "schemas": schemas.components,
            "responses": errors.responses,
            "securitySchemes": {BEARER: {"type": "http", "scheme": "bearer", "description": "A player's token."}},
        },
    }


def _types(endpoint: Endpoint) -> list[Any]:
    query = [] if endpoint.query is None else [field.type for field in msgspec.structs.fields(endpoint.query)]
    kinds = (endpoint.body_type, endpoint.response, *endpoint.events, endpoint.error_body)
    return [*query, *(kind for kind in kinds if kind is not None)]


def _operation(endpoint: Endpoint, schemas: Schemas, errors: "Errors", limits: Limits) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": endpoint.name,
        "summary": summary_of(endpoint.doc),
        "description": f"{one_line(endpoint.doc)}\n\n{limit_sentence((LimitName.REQUESTS, *endpoint.limits), limits)}",
        "parameters": [*_path_parameters(endpoint), *_query_parameters(endpoint, schemas)],
        "responses": {**_success(endpoint, schemas), **errors.of(endpoint)},
        "security": [{BEARER: []}] if endpoint.auth is Auth.PLAYER else [{}, {BEARER: []}],
    }
    if endpoint.body_type is not None:
        content = {JSON: {"schema": schemas.of(endpoint.body_type)}}
        about = f"At most {endpoint.most_bytes} bytes."
        operation["requestBody"] = {"description": about, "required": True, "content": content}
    return operation


def limit_sentence(names: Sequence[LimitName], limits: Limits) -> str:
    """How often something may be asked."""
    return f"Limits: {'; '.join(f'`{name}`, {_limit(limits[name])}' for name in names)}."


def _limit(limit: Limit) -> str:
    rate = f"{limit.rate:g} a second" if limit.rate >= 1 else f"one in {1 / limit.rate:g} seconds"
    return f"{limit.burst:g} {limit.doc} at once by one {limit.per}, then {rate}"


# parameters


def _path_parameters(endpoint: Endpoint) -> list[Schema]:
    names = [segment[1:-1] for segment in endpoint.segments if segment.startswith("{")]
    schema = {"type": "string", "minLength": 1, "maxLength": LONGEST_ID}
    return [
        {"name": name, "in": "path", "required": True, "description": PATH_WORDS[name], "schema": schema}
        for name in names
    ]


def _query_parameters(endpoint: Endpoint, schemas: Schemas) -> list[Schema]:
    if endpoint.query is None:
        return []
    return [
        {
            "name": field.encode_name,
            "in": "query",
            "required": field.required,
            "schema": _without_null(schemas.of(field.type)),
        }
        for field in msgspec.structs.fields(endpoint.query)
    ]


def _without_null(schema: Schema) -> Schema:
    """A query leaves out what JSON would say with `null`."""
    choices = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    return choices[0] if len(choices) == 1 else schema


# responses


def _success(endpoint: Endpoint, schemas: Schemas) -> dict[str, Any]:
    schema = {} if endpoint.response is None else schemas.of(endpoint.response)
    stream = _stream(endpoint, schemas)
    content = {each: {"schema": schema if each == JSON else stream} for each in endpoint.media_types}
    return {str(endpoint.status): {"description": "Done.", "content": content}}


def _stream(endpoint: Endpoint, schemas: Schemas) -> Schema:
    """A text; if it is a stream of values, with the schema of what an event or a line of it has."""
    if not endpoint.events:
        return {"type": "string"}
    about = "A stream. The data of each event, or each line that is not empty, is JSON with this schema."
    schema = {"anyOf": [schemas.of(each) for each in endpoint.events]}
    return {"type": "string", "description": about, "contentMediaType": JSON, "contentSchema": schema}


class Errors:
    """The answers that are errors. Endpoints with the same ones share them."""

    def __init__(self) -> None:
        self.responses: dict[str, Any] = {}

    def of(self, endpoint: Endpoint) -> dict[str, Any]:
        """The errors of an endpoint by status, each with its codes."""
        by_status: dict[int, list[str]] = {}
        for code in endpoint.all_errors:
            by_status.setdefault(endpoint.error_status(code), []).append(str(code))
        if endpoint.is_open_ended:
            by_status.setdefault(endpoint.error_status(OTHER_CODE), [])
        return {
            str(status): {"$ref": f"#/components/responses/{self._name(status, _error(endpoint, status, codes))}"}
            for status, codes in sorted(by_status.items())
        }

    def _name(self, status: int, response: dict[str, Any]) -> str:
        """The name under which a response is kept: that of its status, with a number if there are several."""
        number = 1
        while (name := f"Error{status}" if number == 1 else f"Error{status}-{number}") in self.responses:
            if self.responses[name] == response:
                return name
            number += 1
        self.responses[name] = response
        return name


def _error(endpoint: Endpoint, status: int, codes: Sequence[str]) -> dict[str, Any]:
    schema: Schema = {"$ref": PREFIX + endpoint.error_body.__name__}
    told = f"{HTTPStatus(status).phrase}: {', '.join(f'`{code}`' for code in codes)}"
    if endpoint.is_open_ended and status == endpoint.error_status(OTHER_CODE):
        told += ", or a code of the table or of its game"
    elif not endpoint.is_open_ended:
        code = {"properties": {"code": {"enum": sorted(codes)}}}
        schema = {"allOf": [schema, {"properties": {"error": code}}]}
    response: dict[str, Any] = {"description": f"{told}.", "content": {JSON: {"schema": schema}}}
    if status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        response["headers"] = {"Retry-After": RETRY_AFTER}
    return response
