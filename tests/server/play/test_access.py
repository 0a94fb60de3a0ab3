"""Who may open a WebSocket and keep it: tokens that become void, other sites, too many connections."""

import asyncio
import json

import aiohttp
import pytest
from msgspec.structs import replace

from tests.agents.loops import current, pass_time, run, until
from tests.server.matches import playing, started
from tests.server.servers import SETTINGS, site
from turnstile.kernel.values import LogId, PlayerId
from turnstile.server.play.session import Session
from turnstile.server.play.sessions import CHECK_COUNTS, Sessions
from turnstile.store.memory import Disk, MemoryStore

# tokens


def test_P26_a_token_that_another_process_made_void_is_noticed_within_seconds() -> None:
    async def main() -> None:
        disk, loop = Disk(), current()
        store = MemoryStore(lambda: round(loop.time() * 1000), disk, is_shared=True)
        async with site(store=store) as here:
            ana, bo, table = await started(here)
            mine, _ = await ana.hello(table), await bo.hello(table)
            await here.server.directory.replace_tokens(PlayerId(ana.player), b"x" * 32, here.server.host.store.now())
            pass_time(3)
            assert await mine.closed() == 4202
            assert len(here.server.sessions) == 1

    run(main())


def test_P26_a_command_is_refused_whose_token_was_not_checked_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the check of all tokens cannot be done, each command is checked by itself."""

    async def main() -> None:
        disk, loop = Disk(), current()
        store = MemoryStore(lambda: round(loop.time() * 1000), disk, is_shared=True)
        monkeypatch.setattr(Sessions, "keep_checking", lambda _: asyncio.sleep(3600))
        async with site(store=store) as here:
            ana, bo, table = await started(here)
            mine, other = await ana.hello(table), await bo.hello(table)
            await here.server.directory.replace_tokens(PlayerId(ana.player), b"x" * 32, here.server.host.store.now())
            pass_time(CHECK_COUNTS + 1)
            for wire in (mine, other):
                await wire.send("resign", id="a")
            assert await mine.closed() == 4202
            assert "error" not in await other.until("answer")
            result = here.server.host.tables.live[LogId(table)].state.result
            assert result is not None
            assert result.winners == (ana.player,)

    run(main())


def test_P26_frames_that_wait_when_the_player_logs_out_do_not_count() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table, mine, _ = await playing(here)
            session = next(each for each in here.server.sessions._connected if each.player == ana.player)
            here.server.sessions.log_out(PlayerId(ana.player))
            assert isinstance(session, Session)
            session._socket._inbox.append(b'{"type":"resign","id":"a"}')
            assert await mine.closed() == 4202
            await until(lambda: len(here.server.sessions) == 1)
            assert here.server.host.tables.live[LogId(table)].state.result is None

    run(main())


def test_a_connection_goes_on_with_a_new_token_of_the_same_player() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo, table = await started(here)
            code = (await ana.ask("POST", "/api/me/codes", status=201))["code"]
            token = (await here.ask("POST", "/api/codes", {"code": code}))["token"]
            wire = await ana.hello(table)
            await wire.send("auth", token=token)
            await wire.send("addWords", id="a", words="x")
            assert "error" not in await wire.until("answer")
            await wire.send("auth", token=bo.token)
            assert await wire.closed() == 4001

    run(main())


# the door


@pytest.mark.parametrize(
    ("headers", "status", "counted"),
    [
        ({"Origin": "https://evil.example"}, 403, "WrongOrigin"),
        ({"Origin": "null"}, 403, "WrongOrigin"),
        ({"Host": "evil.example"}, 421, "WrongHost"),
        ({"Host": "evil.example", "Origin": "http://evil.example"}, 421, "WrongHost"),
    ],
    ids=["origin", "null origin", "host", "rebinding"],
)
def test_P25_A21_a_page_of_another_site_cannot_open_a_websocket(
    headers: dict[str, str], status: int, counted: str
) -> None:
    async def main() -> None:
        async with site() as here:
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await here.socket(headers=headers)
            assert refused.value.status == status
            assert len(here.server.sessions) == 0
            assert here.server.counts.errors == {counted: 1}

    run(main())


def test_P25_a_page_of_this_server_or_of_an_allowed_site_can() -> None:
    async def main() -> None:
        async with site(replace(SETTINGS, origins=("https://friend.example",))) as here:
            for origin in (here.url, "https://friend.example"):
                wire = await here.socket(headers={"Origin": origin})
                await wire.close()

    run(main())


def test_there_is_no_other_websocket() -> None:
    async def main() -> None:
        async with site() as here:
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await here.client.ws_connect(here.url + "/api/tables")
            assert refused.value.status == 404
            assert (await here.refusal("GET", "/api/play"))[0] == 404

    run(main())


KEY, VERSION = "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==", "Sec-WebSocket-Version: 13"


@pytest.mark.parametrize(
    ("method", "headers"),
    [
        ("POST", (KEY, VERSION)),
        ("GET", (VERSION,)),
        ("GET", (KEY, "Sec-WebSocket-Version: 8")),
        ("GET", (KEY, VERSION, "X-Long: " + "x" * 10_000)),
        ("GET", (KEY, VERSION, *(f"X-{number}: x" for number in range(200)))),
    ],
    ids=["POST", "no key", "other version", "long header", "many headers"],
)
def test_P16_a_handshake_that_is_none_is_refused_with_a_sentence(method: str, headers: tuple[str, ...]) -> None:
    async def main() -> None:
        async with site() as here:
            reader, writer = await asyncio.open_connection("127.0.0.1", here.running.port)
            more = ("Host: localhost", "Upgrade: websocket", "Connection: Upgrade", *headers)
            writer.write("\r\n".join((f"{method} /api/play HTTP/1.1", *more, "", "")).encode())
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 400 "), head
            error = json.loads(body)["error"]
            assert error["code"] == "BadRequest"
            assert error["message"].endswith(".")
            assert here.server.counts.errors == {"BadRequest": 1}
            writer.close()

    run(main())


def test_R1_connections_of_one_address_are_limited() -> None:
    async def main() -> None:
        async with site(replace(SETTINGS, most_connections_per_address=2)) as here:
            wires = [await here.socket() for _ in range(2)]
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await here.socket()
            assert refused.value.status == 429
            assert refused.value.headers is not None
            assert refused.value.headers["Retry-After"] == "1"
            await wires[0].close()
            await until(lambda: len(here.server.sessions) == 1)
            await here.socket()

    run(main())
