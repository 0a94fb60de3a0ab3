"""Schemathesis tries every endpoint of a real server, with what its OpenAPI document allows and with what it does not.

Half of the requests about a table are about one that exists, so that commands reach a match.
"""

import asyncio
import threading
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case, CheckContext, GenerationMode, Response
from schemathesis.checks import CHECKS, load_all_checks

from tests.host.matches import at_once
from turnstile.host import Host
from turnstile.kernel.values import LONGEST_ID
from turnstile.server import Server, ServerSettings, serving
from turnstile.server.contract import DESCRIBED, openapi
from turnstile.store.memory import Disk, MemoryStore

EXAMPLES = 25
UNLIMITED = ServerSettings(
    port=0, operations_port=0, dev=True, requests_per_second=1e6, commands_per_second=1e6, limit_factor=1e6
)

schema = schemathesis.openapi.from_dict(openapi(DESCRIBED))
schema.config.generation.update(modes=[*GenerationMode], max_examples=EXAMPLES)


class Place:
    """A server in a thread, and a player with a table there."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.session = requests.Session()
        self.token = self._register()
        opened = self._ask("/api/tables", {"game": "e-card", "bots": ["random"]})
        self.table = opened["table"]
        self._ask(f"/api/tables/{self.table}/commands", {"type": "start", "id": "start"})

    def _register(self) -> str:
        answer = self.session.post(self.url + "/api/players", json={"name": "Ana"}, timeout=10)
        return str(answer.json()["token"])

    def _ask(self, path: str, body: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"}
        answer = self.session.post(self.url + path, json=body, headers=headers, timeout=10)
        assert answer.ok, answer.text
        return answer.json()

    def fresh_token(self) -> str:
        """The token of a player whose account a test may delete."""
        return self._register()


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    started: list[str] = []
    ready, loop = threading.Event(), asyncio.new_event_loop()
    stop = asyncio.Event()

    async def serve() -> None:
        store = MemoryStore(lambda: round(loop.time() * 1000), Disk(), is_shared=False)
        host = Host(store, think=at_once, chance=Random(7))
        async with serving(Server(host, store.directory, UNLIMITED)) as running:
            started.append(running.url)
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    ready.wait(10)
    try:
        yield Place(started[0])
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


def _checks(path: str) -> list[Any]:
    """All checks, with ours in place of the one that knows no refusals of what is well-formed.

    Firebase has its own answer to a callable function with another method than POST.
    """
    load_all_checks()
    left_out = {"positive_data_acceptance", *(["unsupported_method"] if path.startswith("/callable/") else [])}
    return [check for check in CHECKS.get_all() if check.__name__ not in left_out] + [is_understood]


def is_understood(_: CheckContext, response: Response, case: Case[Any]) -> None:
    """What the document allows may be refused, but not as malformed; only NUL in a text, which no schema can forbid."""
    if case.meta is not None and case.meta.generation.mode is GenerationMode.POSITIVE and response.status_code == 400:
        error = response.json()["error"]
        code = error["details"]["code"] if "details" in error else error["code"]
        assert code != "BadRequest" or "NUL" in error["message"], response.text


def _whole_numbers(value: Any) -> Any:
    """To a schema 7.0 is an integer; to us it is not."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case dict():
            return {key: _whole_numbers(inner) for key, inner in value.items()}
        case list():
            return [_whole_numbers(inner) for inner in value]
        case _:
            return value


@schema.parametrize()
@settings(
    max_examples=EXAMPLES, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
def test_every_endpoint_keeps_its_contract(case: Case[Any], place: Place) -> None:
    is_long_poll = case.operation.path.endswith("/updates")
    if is_long_poll and "wait" in (case.query or {}) and case.query["wait"] not in ("", None):
        case.query.pop("wait")
    table = str((case.path_parameters or {}).get("table", ""))
    if len(table) % 2 and len(table) <= LONGEST_ID:
        case.path_parameters["table"] = place.table
    case.body = _whole_numbers(case.body)
    ends_account = case.operation.path in ("/api/me", "/api/me/logout-everywhere") and case.method != "GET"
    token = place.fresh_token() if ends_account else place.token
    case.call_and_validate(
        base_url=place.url,
        headers={"Authorization": f"Bearer {token}"},
        session=place.session,
        checks=_checks(case.operation.path),
    )
