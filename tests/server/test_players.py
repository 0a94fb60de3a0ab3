"""Players: register, rename, log out everywhere, codes for other devices."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec.structs import replace

from tests.agents.loops import pass_time, run, until
from tests.server.servers import SETTINGS, site
from turnstile.kernel.values import PlayerId
from turnstile.server.limits import LIMITS, LimitName
from turnstile.server.people import KNOWN_SECONDS
from turnstile.server.play.sessions import CHECK_EVERY
from turnstile.server.readers import Reader
from turnstile.store.directory import RegisteredPlayer

WRONG = "wrong"


def test_a_player_registers_and_gets_a_token_that_only_the_answer_shows() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("  Ana  Maria ")
            assert await ana.ask("GET", "/api/me") == {"player": ana.player, "name": "Ana Maria"}
            page = await here.ask("GET", f"/api/players/{ana.player}")
            assert (page["player"], page["name"]) == (ana.player, "Ana Maria")
            assert ana.token not in repr(page)

    run(main())


def test_a_player_is_renamed_and_keeps_its_id() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            assert await ana.ask("PATCH", "/api/me", {"name": "Anna"}) == {"player": ana.player, "name": "Anna"}
            assert (await ana.ask("GET", "/api/me"))["name"] == "Anna"

    run(main())


@pytest.mark.parametrize("name", ["", "   ", "x" * 33, "a\u202eb", "a\x1b[31m", "a\nb\x00", "\u2800 \u3164"])
def test_P17_a_name_that_is_too_long_or_not_printable_is_refused(name: str) -> None:
    async def main() -> None:
        async with site() as here:
            status, code = await here.refusal("POST", "/api/players", {"name": name})
            assert (status, code) in ((400, "BadName"), (400, "BadRequest"))

    run(main())


def test_P17_markup_in_a_name_is_kept_as_data() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("<b>Ana</b>")
            assert (await ana.ask("GET", "/api/me"))["name"] == "<b>Ana</b>"

    run(main())


def test_log_out_everywhere_makes_every_token_void_but_the_new_one() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            new = (await ana.ask("POST", "/api/me/logout-everywhere"))["token"]
            assert await ana.refusal("GET", "/api/me") == (401, "BadToken")
            assert (await here.ask("GET", "/api/me", token=new))["player"] == ana.player

    run(main())


def test_P26_log_out_everywhere_closes_the_connections_of_the_player() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo)
            mine, other = await ana.hello(table), await bo.hello(table)
            await ana.ask("POST", "/api/me/logout-everywhere")
            assert await mine.closed() == 4202
            await other.send("resign", id="1")
            assert (await other.until("answer"))["error"]["code"] == "WrongPhase"

    run(main())


def test_P26_a_token_that_becomes_void_while_it_is_checked_is_void(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            table = await here.table(ana)
            found, answered = asyncio.Event(), asyncio.Event()

            async def find_and_wait(token: bytes) -> RegisteredPlayer | None:
                player = await find(token)
                if not answered.is_set():
                    found.set()
                    await answered.wait()
                return player

            find = here.server.directory.player_by_token
            monkeypatch.setattr(here.server.directory, "player_by_token", find_and_wait)
            pass_time(KNOWN_SECONDS)
            wire = await here.socket()
            await wire.send("hello", v=1, table=table, token=ana.token)
            await found.wait()
            await here.server.people.log_out_everywhere(PlayerId(ana.player))
            here.server.sessions.log_out(PlayerId(ana.player))
            answered.set()
            assert await wire.closed() == 4001
            assert await ana.refusal("GET", "/api/me") == (401, "BadToken")

    run(main())


def test_P26_a_stream_that_is_opened_while_its_player_logs_out_is_closed_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            table = await here.table(ana)

            async def log_out_and_open(*given: Any, **named: Any) -> Reader:
                await ana.ask("POST", "/api/me/logout-everywhere")
                return await open_reader(*given, **named)

            open_reader = here.server.readers.open
            monkeypatch.setattr(here.server.readers, "open", log_out_and_open)
            headers = {"Accept": "application/x-ndjson", "Authorization": f"Bearer {ana.token}"}
            response = await here.client.get(f"{here.url}/api/tables/{table}/updates", headers=headers)
            assert json.loads(await response.content.readline())["seat"] == ana.player
            pass_time(CHECK_EVERY)
            assert json.loads((await response.content.read()).splitlines()[-1])["code"] == 4202

    run(main())


def test_P26_a_request_does_not_count_whose_token_becomes_void_while_its_body_comes() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            begun = asyncio.Event()

            async def body() -> AsyncIterator[bytes]:
                yield b'{"game": '
                await begun.wait()
                yield b'"e-card"}'

            headers = {"Authorization": f"Bearer {ana.token}", "Content-Type": "application/json"}
            asking = asyncio.create_task(here.client.post(here.url + "/api/tables", data=body(), headers=headers))
            await until(lambda: bool(here.server.limits.quota(LimitName.TABLES)._buckets))
            await ana.ask("POST", "/api/me/logout-everywhere")
            begun.set()
            assert (await asking).status == 401
            assert (await here.ask("GET", "/api/tables"))["tables"] == []

    run(main())


def test_a_code_takes_the_player_to_another_device_once() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            made = await ana.ask("POST", "/api/me/codes", status=201)
            assert made["link"] == f"{here.url}/#code={made['code']}"
            assert made["qr"].startswith("<svg")
            found = await here.ask("POST", "/api/codes", {"code": made["code"].lower()})
            assert found["player"] == ana.player
            assert (await here.ask("GET", "/api/me", token=found["token"]))["name"] == "Ana"
            assert (await ana.ask("GET", "/api/me"))["name"] == "Ana"
            assert await here.refusal("POST", "/api/codes", {"code": made["code"]}) == (403, "BadCode")

    run(main())


def test_a_code_is_not_valid_after_ten_minutes() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            made = await ana.ask("POST", "/api/me/codes", status=201)
            pass_time(601)
            assert await here.refusal("POST", "/api/codes", {"code": made["code"]}) == (403, "BadCode")

    run(main())


def test_P10_only_the_hash_of_a_token_is_kept() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            assert len(ana.token) == 43  # 256 bits
            assert ana.token not in repr(here.disk.people)
            assert ana.token not in repr(vars(here.server.people))

    run(main())


def test_P11_an_address_that_gives_many_wrong_tokens_must_wait_and_the_player_does_not() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            burst = int(LIMITS[LimitName.BAD_TOKENS].burst)
            for _ in range(burst):
                assert await here.refusal("GET", "/api/me", token=WRONG) == (401, "BadToken")
            assert await here.refusal("GET", "/api/me", token=WRONG) == (429, "TooFast")
            assert (await ana.ask("GET", "/api/me"))["name"] == "Ana"

    run(main())


def test_P12_a_token_in_the_address_is_not_looked_at() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            assert await here.refusal("GET", f"/api/me?token={ana.token}") == (401, "NoToken")
            assert await here.refusal("GET", f"/api/me/tables?token={ana.token}") == (401, "NoToken")

    run(main())


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic YTpi", "Bearer " + "x" * 200])
def test_a_token_in_another_form_is_refused(header: str) -> None:
    async def main() -> None:
        async with site() as here:
            assert await here.refusal("GET", "/api/me", headers={"Authorization": header}) == (401, "BadToken")
            # also where no token is needed: what is given must be right
            assert await here.refusal("GET", "/api/games", headers={"Authorization": header}) == (401, "BadToken")

    run(main())


def test_registrations_are_limited_and_the_error_names_the_limit_and_the_seconds() -> None:
    async def main() -> None:
        async with site() as here:
            for number in range(int(LIMITS[LimitName.REGISTRATIONS].burst)):
                await here.register(f"player {number}")
            async with here.client.post(here.url + "/api/players", json={"name": "one more"}) as response:
                error = (await response.json())["error"]
                assert response.status == 429
                assert (error["code"], error["limit"]) == ("TooFast", "registrations")
                assert 0 < error["seconds"] <= float(response.headers["Retry-After"])
            pass_time(error["seconds"])
            await here.register("one more")

    run(main())


def test_links_are_those_of_the_public_address() -> None:
    async def main() -> None:
        settings = replace(SETTINGS, public_url="https://play.example.org")
        async with site(settings) as here:
            ana = await here.register("Ana")
            made = await ana.ask("POST", "/api/me/codes", status=201)
            assert made["link"].startswith("https://play.example.org/#code=")

    run(main())


def test_N1_a_registration_that_is_sent_again_makes_no_second_player() -> None:
    async def main() -> None:
        async with site() as here:
            wanted = {"name": "Ana", "id": "0123456789abcdef"}
            first = await here.ask("POST", "/api/players", wanted, status=201)
            assert await here.refusal("POST", "/api/players", wanted) == (409, "PlayerExists")
            assert (await here.ask("GET", "/api/me", token=first["token"]))["player"] == first["player"]
            other = await here.ask("POST", "/api/players", {**wanted, "id": "fedcba9876543210"}, status=201)
            assert other["player"] != first["player"]

    run(main())
