"""The documents describe what the server does, and refer to nothing that is not there."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from tests.agents.loops import run
from tests.server.servers import site
from tests.server.streams import EVENTS, events, stream
from turnstile.kernel.values import encode
from turnstile.registry import names
from turnstile.server.contract import DESCRIBED, asyncapi, openapi
from turnstile.server.endpoint import Auth
from turnstile.server.limits import LimitName
from turnstile.server.play.closing import CloseCode

DOCUMENTS = json.loads(encode({"/openapi.json": openapi(DESCRIBED), "/asyncapi.json": asyncapi()}))


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inner in value.values():
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)


def _find(document: Any, reference: str) -> Any:
    for key in reference.removeprefix("#/").split("/"):
        document = document[key]
    return document


@pytest.mark.parametrize("path", DOCUMENTS)
def test_every_reference_leads_somewhere(path: str) -> None:
    for reference in _references(DOCUMENTS[path]):
        assert _find(DOCUMENTS[path], reference)


@pytest.mark.parametrize("path", DOCUMENTS)
def test_every_schema_is_one(path: str) -> None:
    for schema in DOCUMENTS[path]["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("path", DOCUMENTS)
def test_the_names_of_schemas_are_words_and_no_paths_of_modules(path: str) -> None:
    components = DOCUMENTS[path]["components"]["schemas"]
    assert [name for name in components if not name.isidentifier()] == []


def test_types_that_share_a_name_are_told_apart() -> None:
    components = DOCUMENTS["/openapi.json"]["components"]["schemas"]
    assert "Gathering" in components["TablePhase"]["enum"]
    assert "betting" in components["UpdownPhase"]["enum"]


def test_every_endpoint_is_described_with_its_errors_and_limits() -> None:
    document = DOCUMENTS["/openapi.json"]
    for endpoint in DESCRIBED:
        operation = document["paths"][endpoint.path][endpoint.method.lower()]
        assert operation["summary"]
        for limit in ("requests", *endpoint.limits):
            assert f"`{limit}`" in operation["description"]
        for code in endpoint.all_errors:
            response = _find(document, operation["responses"][str(endpoint.error_status(code))]["$ref"])
            assert f"`{code}`" in response["description"]
        assert (operation["security"] == [{"token": []}]) is (endpoint.auth is Auth.PLAYER)


def test_every_close_code_is_described() -> None:
    text = DOCUMENTS["/asyncapi.json"]["channels"]["play"]["description"]
    assert [code for code in CloseCode if f"- {code.value}: " not in text] == []


def test_a_server_serves_its_contract() -> None:
    async def main() -> None:
        async with site() as here:
            served = await here.ask("GET", "/openapi.json")
            assert served["paths"].keys() == DOCUMENTS["/openapi.json"]["paths"].keys()
            assert served["components"] == DOCUMENTS["/openapi.json"]["components"]
            assert await here.ask("GET", "/asyncapi.json") == DOCUMENTS["/asyncapi.json"]

    run(main())


def test_the_served_document_has_the_limits_of_its_server() -> None:
    async def main() -> None:
        async with site() as here:
            told = (await here.ask("GET", "/openapi.json"))["paths"]["/api/tables"]["post"]["description"]
            limit = here.server.limits.table[LimitName.TABLES]
            assert f"{limit.burst:g} tables opened at once" in told

    run(main())


@pytest.mark.parametrize("game", names())
def test_the_schemas_of_every_game_are_there(game: str) -> None:
    async def main() -> None:
        async with site() as here:
            for part in ("events", "messages", "view", "options"):
                found = await here.ask("GET", f"/api/games/{game}/schemas/{part}")
                Draft202012Validator.check_schema(found)
            for hidden in ("state", "seed"):
                assert await here.refusal("GET", f"/api/games/{game}/schemas/{hidden}") == (404, "NotFound")
            assert await here.refusal("GET", "/api/games/chess/schemas/view") == (404, "NoSuchGame")

    run(main())


def test_streams_are_as_the_document_says() -> None:
    document = DOCUMENTS["/openapi.json"]

    def check(path: str, event: Any) -> None:
        described = document["paths"][path]["get"]["responses"]["200"]["content"]["text/event-stream"]["schema"]
        schema = {**described["contentSchema"], "components": document["components"]}
        Draft202012Validator(schema).validate(event)
        with pytest.raises(ValidationError):
            Draft202012Validator(schema).validate({"changed": 5, "type": "?"})

    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo)
            listed = events(await here.client.get(f"{here.url}/api/tables", headers=EVENTS))
            check("/api/tables", (await anext(listed))[1])
            told = events(await stream(ana, table, EVENTS))
            await ana.command(table, "start")
            seen = set[str]()
            while not seen >= {"welcome", "status", "update"}:
                _, event = await anext(told)
                seen.add(event["type"])
                check("/api/tables/{table}/updates", event)
            await here.server.sessions.stop()
            check("/api/tables", (await anext(listed))[1])
            check("/api/tables/{table}/updates", [event async for _, event in told][-1])

    run(main())


def test_updates_of_a_long_poll_and_the_messages_of_the_table_are_as_the_document_says() -> None:
    document = DOCUMENTS["/openapi.json"]

    def validator(name: str) -> Draft202012Validator:
        return Draft202012Validator({**document["components"]["schemas"][name], "components": document["components"]})

    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo)
            await ana.command(table, "start")
            await bo.command(table, "resign")
            updates = f"/api/tables/{table}/updates?after=0"
            found = await ana.ask("GET", updates)
            validator("UpdatesAnswer").validate(found)
            validator("WholeUpdate").validate(await ana.ask("GET", f"/api/tables/{table}/view"))
            told = [message for update in found["updates"] for message in update["messages"]]
            validator("MatchStarting").validate(told[0])
            validator("MatchEnded").validate(told[-1])
            for message in (told[0], told[-1], {"no": "type"}):
                message.pop("players", message.pop("result", None))
                spoiled = {"seq": 1, "messages": [message], "actions": [], "view": None}
                assert not validator("PolledUpdate").is_valid(spoiled)
                assert not validator("WholeUpdate").is_valid(spoiled)

    run(main())


def test_frames_are_as_the_document_says() -> None:
    document = DOCUMENTS["/asyncapi.json"]
    payloads = {each["name"]: each["payload"] for each in document["components"]["messages"].values()}

    def check(frame: Any) -> None:
        schema = {**payloads[frame["type"]], "components": document["components"]}
        Draft202012Validator(schema).validate(frame)

    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo)
            wire = await ana.hello(table)
            check(wire.welcomed)
            other = await bo.hello(table)
            seen = set[str]()
            await wire.send("start", id="1")
            await wire.send("resign", id="2")
            await other.drop("{}")
            await other.drop(json.dumps({"type": "leave", "id": "3"}))
            while not seen >= {"status", "answer", "presence", "update"}:
                frame = await wire.next()
                seen.add(frame["type"])
                check(frame)
            check(await other.until("error"))
            check(await other.until("answer"))

    run(main())
