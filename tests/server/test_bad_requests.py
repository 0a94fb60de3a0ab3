"""Bad input over HTTP: each case has a code, a sentence and the right status, and changes nothing."""

import asyncio
import json

import pytest
from msgspec.structs import replace

from tests.agents.loops import pass_time, run
from tests.server.servers import SETTINGS, Site, site
from turnstile.net.crowd import Crowd
from turnstile.server.door import MOST_BYTES, Door
from turnstile.server.endpoint import Auth
from turnstile.server.http import ENDPOINTS
from turnstile.server.play.socket import MOST_FRAME
from turnstile.store.protocol import Busy, ReadOnly, StoreFault, Unknown

JSON = {"Content-Type": "application/json"}

BODIES = {
    "nothing": b"",
    "text": b"name=Ana",
    "cut off": b'{"name":"Ana"',
    "more": b'{"name":"Ana"} {}',
    "a list": b'["Ana"]',
    "null": b"null",
    "repeated key": b'{"name":"Ana","name":"Bo"}',
    "unknown field": b'{"name":"Ana","admin":true}',
    "missing field": b"{}",
    "wrong type": b'{"name":1}',
    "null as text": b'{"name":null}',
    "NaN": b'{"name":NaN}',
    "infinite": b'{"name":1e999}',
    "lone surrogate": b'{"name":"\\ud800"}',
    "NUL": b'{"name":"a\\u0000"}',
    "900 deep": b'{"name":' + b"[" * 900 + b"]" * 900 + b"}",
    "60,000 brackets": b"[" * 60_000,
    "4,301 digits": b'{"name":' + b"9" * 4_301 + b"}",
    "UTF-16": '{"name":"Ana"}'.encode("utf-16"),
    "wrong UTF-8": b'{"name":"\xff"}',
}


async def post(here: Site, body: bytes, headers: dict[str, str]) -> tuple[int, str]:
    async with here.client.post(here.url + "/api/players", data=body, headers=headers) as response:
        error = json.loads(await response.read())["error"]
        assert error["message"].endswith(".")
        return response.status, error["code"]


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_P13_a_bad_body_is_refused(body: bytes) -> None:
    async def main() -> None:
        async with site() as here:
            assert await post(here, body, JSON) == (400, "BadRequest")
            assert here.server.counts.errors == {"BadRequest": 1}
            assert not here.disk.people.players

    run(main())


def test_P14_a_body_that_is_too_large_is_not_read() -> None:
    async def main() -> None:
        async with site() as here:
            large = b'{"name":"' + b"x" * MOST_BYTES + b'"}'
            assert await post(here, large, JSON) == (413, "TooLarge")

            async def pieces() -> object:
                for start in range(0, len(large), 8192):
                    yield large[start : start + 8192]

            async with here.client.post(here.url + "/api/players", data=pieces(), headers=JSON) as response:
                assert response.status == 413

    run(main())


def test_P14_P24_a_command_may_be_as_long_as_a_frame_and_no_longer() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            table = await here.table(ana)
            path, given = f"{here.url}/api/tables/{table}/commands", {**JSON, "Authorization": f"Bearer {ana.token}"}
            for length, expected in ((MOST_FRAME, 200), (MOST_FRAME + 1, 413)):
                body = json.dumps({"type": "addBot", "id": "a", "name": "Robot", "bot": "random"}).ljust(length)
                async with here.client.post(path, data=body, headers=given) as response:
                    assert response.status == expected, await response.text()

    run(main())


BEGUN = (
    b"POST /api/players HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{"
)


def test_R1_a_body_that_comes_too_slowly_is_not_waited_for() -> None:
    async def main() -> None:
        async with site() as here:
            reader, writer = await asyncio.open_connection("127.0.0.1", here.running.port)
            writer.write(BEGUN)
            await writer.drain()
            await asyncio.sleep(0.01)
            pass_time(11)
            assert b" 408 " in await reader.readline()
            writer.close()

    run(main())


def test_C14_a_server_that_stops_does_not_fail_for_a_body_that_is_still_to_come(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def main() -> None:
        async with site(replace(SETTINGS, stop_seconds=0.1)) as here:
            _, writer = await asyncio.open_connection("127.0.0.1", here.running.port)
            writer.write(BEGUN)
            await writer.drain()
            await asyncio.sleep(0.01)
        writer.close()

    run(main())
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize("kind", ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonx"])
def test_a_body_of_another_media_type_is_refused(kind: str) -> None:
    async def main() -> None:
        async with site() as here:
            headers = {"Content-Type": kind} if kind else {"Content-Type": "application/octet-stream"}
            assert await post(here, b'{"name":"Ana"}', headers) == (415, "WrongMediaType")

    run(main())


def test_the_charset_of_json_is_tolerated() -> None:
    async def main() -> None:
        async with site() as here:
            headers = {"Content-Type": "application/json; charset=utf-8"}
            async with here.client.post(here.url + "/api/players", data=b'{"name":"Ana"}', headers=headers) as response:
                assert response.status == 201

    run(main())


@pytest.mark.parametrize("path", ["/", "/api", "/api/nothing", "/api/tables/t/nothing", "/api/players/x/y", "/metrics"])
def test_an_address_without_anything_is_refused(path: str) -> None:
    async def main() -> None:
        async with site() as here:
            assert await here.refusal("GET", path) == (404, "NotFound")

    run(main())


def test_a_wrong_method_is_refused_with_the_right_ones() -> None:
    async def main() -> None:
        async with site() as here, here.client.put(here.url + "/api/me") as response:
            assert (response.status, response.headers["Allow"]) == (405, "GET, PATCH, DELETE")
            assert (await response.json())["error"]["code"] == "WrongMethod"

    run(main())


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=999", "limit=x", "limit=1&limit=2", "unknown=1", "after=-1", "after=~", "open=maybe"]
)
def test_a_bad_query_is_refused(query: str) -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            assert await ana.refusal("GET", f"/api/me/tables?{query}") == (400, "BadRequest")

    run(main())


@pytest.mark.parametrize("query", ["after=-1", "after=x", "wait=61", "wait=-1", "wait=nan", "after=1&after=2"])
def test_a_bad_query_for_updates_is_refused(query: str) -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            table = await here.table(ana)
            assert await ana.refusal("GET", f"/api/tables/{table}/updates?{query}") == (400, "BadRequest")

    run(main())


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({"Host": "evil.example"}, (421, "WrongHost")),
        ({"Host": ""}, (421, "WrongHost")),
        ({"Host": "localhost.evil.example"}, (421, "WrongHost")),
        ({"Origin": "https://evil.example"}, (403, "WrongOrigin")),
        ({"Origin": "null"}, (403, "WrongOrigin")),
    ],
)
def test_A21_P25_foreign_hosts_and_origins_are_refused(headers: dict[str, str], reason: tuple[int, str]) -> None:
    async def main() -> None:
        async with site() as here:
            assert await here.refusal("POST", "/api/players", {"name": "Ana"}, headers=headers) == reason
            assert not here.disk.people.players

    run(main())


def test_the_pages_of_an_allowed_site_may_read_answers_and_those_of_no_other() -> None:
    async def main() -> None:
        friend = "https://friend.example"
        async with site(replace(SETTINGS, origins=(friend,))) as here:
            async with here.client.get(here.url + "/api/games", headers={"Origin": friend}) as response:
                assert response.headers["Access-Control-Allow-Origin"] == friend
            asked = {"Origin": friend, "Access-Control-Request-Method": "POST"}
            async with here.client.options(here.url + "/api/players", headers=asked) as response:
                assert (response.status, response.headers["Access-Control-Allow-Methods"]) == (204, "POST")
                assert response.headers["Access-Control-Allow-Origin"] == friend
            async with here.client.get(here.url + "/api/games", headers={"Origin": here.url}) as response:
                assert "Access-Control-Allow-Origin" not in response.headers

    run(main())


def test_requests_of_one_address_are_limited() -> None:
    async def main() -> None:
        async with site(replace(SETTINGS, requests_per_second=2.0)) as here:
            for _ in range(10):
                await here.ask("GET", "/api/games")
            assert await here.refusal("GET", "/api/games") == (429, "TooFast")
            pass_time(1)
            await here.ask("GET", "/api/games")

    run(main())


def test_N15_the_address_in_a_header_counts_only_if_a_trusted_proxy_has_sent_it() -> None:
    async def main() -> None:
        def forged(number: int) -> dict[str, str]:
            return {"X-Forwarded-For": f"10.9.9.9, 198.51.100.{number}"}

        limited = replace(SETTINGS, requests_per_second=1.0)
        async with site(limited) as here:
            for number in range(5):
                await here.ask("GET", "/api/games", headers=forged(number))
            assert await here.refusal("GET", "/api/games", headers=forged(9)) == (429, "TooFast")
        async with site(replace(limited, trusted_proxies=("127.0.0.0/8",))) as here:
            for number in range(10):
                await here.ask("GET", "/api/games", headers=forged(number))
            for _ in range(5):
                await here.ask("GET", "/api/games", headers=forged(77))
            forged_more = {"X-Forwarded-For": "192.0.2.1, 198.51.100.77"}
            assert await here.refusal("GET", "/api/games", headers=forged_more) == (429, "TooFast")

    run(main())


def test_N15_an_address_of_ipv4_is_the_same_to_a_listener_for_ipv6() -> None:
    door = Door(replace(SETTINGS, trusted_proxies=("10.0.0.0/8",)))
    told = {b"x-forwarded-for": b"192.0.2.1"}
    assert door.address_of({"client": ("::ffff:10.0.0.1", 1)}, told) == "192.0.2.1"
    assert door.address_of({"client": ("::ffff:192.0.2.7", 1)}, told) == "192.0.2.7"
    assert door.is_proxy("::ffff:10.0.0.1")


def test_R1_a_network_of_ipv6_counts_as_one_address() -> None:
    """Every subscriber has a whole one, and could take another address in it for each request."""
    door = Door(SETTINGS)
    found = {door.address_of({"client": (f"2001:db8::{number}:1", 1)}, {}) for number in range(9)}
    assert found == {"2001:db8::/64"}
    assert door.address_of({"client": ("2001:db8:0:1::1", 1)}, {}) == "2001:db8:0:1::/64"
    assert door.address_of({"client": ("::1", 1)}, {}) == "::1"
    crowd = Crowd(2, bytes, door.is_proxy)
    assert [crowd.enter(f"2001:db8::{number}") for number in range(3)] == [True, True, False]
    crowd.leave("2001:db8::9")
    assert crowd.enter("2001:db8::3")


def test_N12_while_the_store_does_not_answer_commands_are_refused_and_may_be_sent_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana)
            store, join = here.server.host.store, {"type": "join", "id": "a"}
            with monkeypatch.context() as patch:

                async def busy(*_: object) -> bool:
                    raise Busy("The store does not answer.")

                patch.setattr(store, "commit", busy)
                assert await bo.refusal("POST", f"/api/tables/{table}/commands", join) == (503, "Busy")
            await bo.ask("POST", f"/api/tables/{table}/commands", join)

    run(main())


def test_N12_while_the_store_does_not_answer_nobody_registers_and_no_stream_is_opened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            table = await here.table(ana)
            pass_time(5)  # what is known of the token does not count any more

            async def busy(*_: object) -> bool:
                raise Busy("The store does not answer.")

            with monkeypatch.context() as patch:
                for name in ("add_player", "player_by_token"):
                    patch.setattr(type(here.server.directory), name, busy)
                assert await here.refusal("POST", "/api/players", {"name": "Bo"}) == (503, "Busy")
                assert await ana.refusal("GET", "/api/me") == (503, "Busy")
                wire = await here.socket()
                await wire.send("hello", v=1, table=table, token=ana.token)
                assert await wire.closed() == 4104
            await ana.hello(table)

    run(main())


def test_a_failure_of_ours_is_an_answer_too_and_says_nothing_of_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with site() as here:

            async def fail(*_: object) -> None:
                raise RuntimeError("the secret reason")

            monkeypatch.setattr(here.server.people, "find", fail)
            async with here.client.get(here.url + "/api/players/x") as response:
                assert response.status == 500
                assert "secret" not in await response.text()
            assert here.server.counts.errors["Internal"] == 1

    run(main())


def test_every_endpoint_for_players_needs_a_token_before_anything_else() -> None:
    async def main() -> None:
        async with site() as here:
            for endpoint in ENDPOINTS:
                if endpoint.auth is Auth.PLAYER:
                    path = endpoint.path.replace("{table}", "none")
                    assert await here.refusal(endpoint.method, path) == (401, "NoToken"), endpoint.name

    run(main())


def test_every_endpoint_is_described() -> None:
    assert len({endpoint.name for endpoint in ENDPOINTS}) == len(ENDPOINTS)
    for endpoint in ENDPOINTS:
        assert endpoint.doc.endswith("."), endpoint.name
        assert (
            endpoint.response is not None
            or endpoint.media_types != ("application/json",)
            or endpoint.name == "get_view"
        )


@pytest.mark.parametrize("path", ["/api/me/codes", "/callable/startGame", "/mcp"])
def test_an_answer_with_status_401_says_how_to_give_a_token(path: str) -> None:
    async def main() -> None:
        async with site() as here:
            given = {"Authorization": "Bearer nobody", "Accept": "application/json"}
            async with here.client.post(here.url + path, headers=given, json={"data": {}}) as response:
                assert response.status == 401, await response.text()
                assert response.headers["WWW-Authenticate"].partition(" ")[0] == "Bearer"

    run(main())


FAULTS = [
    Busy("PostgreSQL cannot be reached at db.internal."),
    ReadOnly("/var/tables.db is read-only."),
    Unknown("lost"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
def test_N12_S5_a_caller_learns_when_to_ask_again_and_the_operator_why_the_store_fails(
    fault: StoreFault, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        async with site() as here:

            async def fail(*_: object) -> None:
                raise fault

            monkeypatch.setattr(here.server.people, "find", fail)
            async with here.client.get(here.url + "/api/players/x") as response:
                assert (response.status, response.headers["Retry-After"]) == (503, "1")
                assert str(fault) not in await response.text()
            assert f"The store: {fault}" in caplog.messages

    run(main())
