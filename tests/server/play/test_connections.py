"""Connections: resume from any break, the newest counts, presence, the beat, slow readers, the end of a server."""

import asyncio
import gc
import weakref
from typing import Any

import aiohttp
import pytest
from msgspec.structs import replace

from tests.agents.loops import be_patient, current, hurry, pass_time, run, until
from tests.server.servers import SETTINGS, Guest, Site, Wire, site
from turnstile.host import Ending, Update
from turnstile.kernel.values import Instant, LogId, PlayerId
from turnstile.server.elsewhere import COUNTS_FOR, SHARE_PAUSE
from turnstile.server.limits import LIMITS, LimitName
from turnstile.server.people import KNOWN_SECONDS
from turnstile.server.play.session import HELLO_SECONDS, Session
from turnstile.server.play.sessions import CHECK_COUNTS, Sessions
from turnstile.server.play.socket import FULL
from turnstile.server.readers import ABSENT_AFTER
from turnstile.store.directory import PlayerAtTable, RegisteredPlayer
from turnstile.store.memory import Disk, MemoryStore


async def started(here: Site) -> tuple[Guest, Guest, str]:
    ana, bo = await here.register("Ana"), await here.register("Bo")
    table = await here.table(ana, bo)
    await ana.command(table, "start")
    return ana, bo, table


async def playing(here: Site) -> tuple[Guest, Guest, str, Wire, Wire]:
    """Two players whose first move is due."""
    ana, bo, table = await started(here)
    mine, other = await ana.hello(table), await bo.hello(table)
    await asyncio.gather(mine.until_actions(), other.until_actions())
    live = here.server.host.tables.live[LogId(table)]
    await until(lambda: live.state.phase.value == "Playing")
    return ana, bo, table, mine, other


# resuming


def test_C5_a_client_that_comes_back_gets_what_it_has_not_seen_and_nothing_twice() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table, mine, other = await playing(here)
            last = mine.seq
            await mine.close()
            await other.send("resign", id="a")
            again = await ana.hello(table, last)
            assert (again.welcomed["after"], again.welcomed["top"] > last) == (last, True)
            assert (await again.until("update"))["seq"] == last + 1

    run(main())


def test_C6_N17_what_was_not_acknowledged_comes_again_and_the_ack_may_be_repeated() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table = await started(here)
            first = await ana.hello(table)
            body = await first.until("update")
            await first.close()
            again = await ana.hello(table)
            assert await again.until("update") == body
            for _ in range(3):
                await again.send("ack", upto=1)
            await again.send("addWords", id="w", words="heads")
            assert "error" not in await again.until("answer")

    run(main())


def test_a_hello_on_an_open_connection_starts_over_without_a_new_one() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table, mine, _ = await playing(here)
            top = mine.seq
            await mine.hello(table, ana.token, 1)
            seqs = [(await mine.until("update"))["seq"] for _ in range(top - 1)]
            assert seqs == list(range(2, top + 1))
            assert not here.server.counts.closed

    run(main())


def test_N9_S8_after_an_update_that_does_not_exist_the_client_gets_the_whole_newest_view() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table, mine, _ = await playing(here)
            again = await ana.hello(table, 99)
            welcome = again.welcomed
            assert welcome["after"] < welcome["top"] <= mine.seq
            update = await again.until("update")
            assert update["seq"] == welcome["after"] + 1
            assert update["view"]

    run(main())


def test_N10_a_client_far_behind_gets_the_whole_stream_without_a_gap() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table, mine, _ = await playing(here)
            top = mine.seq
            again = await ana.hello(table, 0)
            assert [(await again.until("update"))["seq"] for _ in range(top)] == list(range(1, top + 1))

    run(main())


def test_N11_another_process_has_the_same_stream() -> None:
    async def main() -> None:
        disk, loop = Disk(), current()
        stores = [MemoryStore(lambda: round(loop.time() * 1000), disk, is_shared=True) for _ in range(2)]
        async with (
            site(store=stores[0]) as here,
            site(store=stores[1]) as there,
        ):
            ana, bo, table = await started(here)
            mine = await ana.hello(table)
            first = await mine.until("update")
            elsewhere = await Guest(there, ana.player, ana.token).hello(table, 0)
            assert await elsewhere.until("update") == first
            far = await Guest(there, bo.player, bo.token).hello(table)
            await elsewhere.send("ack", upto=1)
            await far.send("ack", upto=(await far.until("update"))["seq"])
            pass_time(1)
            await far.until("update")

    run(main())


def test_C3_a_server_that_starts_again_goes_on_with_the_same_streams_and_answers() -> None:
    async def main() -> None:
        disk, loop = Disk(), current()
        store = MemoryStore(lambda: round(loop.time() * 1000), disk, is_shared=False)
        async with site(store=store) as here:
            ana, _, table, mine, other = await playing(here)
            await mine.send("resign", id="the end")
            first, last = await mine.until("answer"), mine.seq
            closed, _, _ = await asyncio.gather(mine.closed(), other.closed(), here.stop())
            assert closed == 4100
        store = MemoryStore(lambda: round(loop.time() * 1000), disk, is_shared=False)
        async with site(store=store) as there:
            again = await Guest(there, ana.player, ana.token).hello(table, last)
            await again.send("resign", id="the end")
            assert await again.until("answer") == first

    run(main())


# the newest counts


def test_N8_the_newest_connection_of_a_seat_wins() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table, mine, other = await playing(here)
            newer = await ana.hello(table, mine.seq)
            assert await mine.closed() == 4009
            await newer.send("resign", id="a")
            assert "error" not in await newer.until("answer")
            await until(lambda: len(here.server.readers) == 2)
            await other.until("update")

    run(main())


def test_N8_the_late_death_of_an_old_connection_does_not_touch_the_new_one() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table, mine, other = await playing(here)
            newer = await ana.hello(table, mine.seq)
            await mine.closed()
            await mine.close()
            pass_time(5)  # longer than an absence needs to count
            await newer.send("addWords", id="a", words="x")
            await newer.until("answer")
            await other.send("addWords", id="a", words="x")
            while (frame := await other.next())["type"] != "answer":
                assert frame["type"] != "presence", frame

    run(main())


def test_N7_a_client_that_reconnects_again_and_again_is_limited() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo, table = await started(here)
            burst = int(LIMITS[LimitName.HELLOS].burst)
            for _ in range(burst):
                wire = await ana.hello(table)
                await wire.close()
            wire = await here.socket()
            await wire.send("hello", v=1, table=table, token=ana.token)
            assert await wire.closed() == 4102
            await until(lambda: len(here.server.sessions) == 0 and len(here.server.readers) == 0)
            assert here.server.sessions._by_address.total() == 0
            await bo.hello(table)

    run(main())


@pytest.mark.parametrize(
    ("why", "code"),
    [
        (Ending.RESTORED, 4200),
        (Ending.UNREADABLE, 4104),
        (Ending.PUT_ASIDE, 4004),
        (Ending.GONE, 4004),
        (Ending.STOPPING, 4100),
        (Ending.SEAT_CHANGED, 4201),
    ],
)
def test_S8_a_line_that_the_host_ends_closes_the_connection_with_its_code(why: Ending, code: int) -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table = await started(here)
            wire = await ana.hello(table)
            await wire.until("update")
            for line in tuple(here.server.host.tables.live[LogId(table)].lines):
                line.end(why)
            assert await wire.closed() == code

    run(main())


def test_K9_a_stream_that_fails_ends_its_connection_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with site() as here:
            _, _, _, mine, other = await playing(here)

            def fail(*_: object) -> bytes:
                raise RuntimeError("a bug")

            session = next(each for each in here.server.sessions._connected if each.player == mine.welcomed["seat"])
            line = session._reader.line  # type: ignore[attr-defined]
            monkeypatch.setattr(line, "newest", fail)
            line.wake()
            assert await mine.closed() == 4104
            assert here.server.counts.errors["Internal"] == 1
            await other.send("addWords", id="a", words="x")
            await other.until("answer")

    run(main())


# who is here


def test_a_player_who_comes_and_goes_is_announced_once() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo, table = await started(here)
            mine = await ana.hello(table)
            assert mine.welcomed["here"] == [ana.player]
            other = await bo.hello(table)
            assert sorted(other.welcomed["here"]) == sorted([ana.player, bo.player])
            assert await mine.until("presence") == {"type": "presence", "player": bo.player, "here": True}
            await other.close()
            await until(lambda: len(here.server.readers) == 1)
            again = await bo.hello(table)  # within seconds: nobody hears of it
            await again.close()
            await until(lambda: len(here.server.readers) == 1)
            pass_time(4)
            assert await mine.until("presence") == {"type": "presence", "player": bo.player, "here": False}

    run(main())


def test_a_player_who_reconnects_is_here_for_one_who_came_in_between() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo, table = await started(here)
            mine = await ana.hello(table)
            await mine.close()
            await until(lambda: len(here.server.readers) == 0)
            other = await bo.hello(table)
            assert sorted(other.welcomed["here"]) == sorted([ana.player, bo.player])
            pass_time(4)
            assert await other.until("presence") == {"type": "presence", "player": ana.player, "here": False}

    run(main())


def test_N11_a_player_at_another_process_is_present_and_may_change_the_process() -> None:
    async def main() -> None:
        disk, loop = Disk(), current()
        stores = [MemoryStore(lambda: round(loop.time() * 1000), disk) for _ in range(2)]
        async with site(store=stores[0]) as here, site(store=stores[1]) as there:
            ana, bo, table = await started(here)
            mine = await ana.hello(table)
            await until(lambda: any(present for _, present in disk.people.presence.values()))
            other = await Guest(there, bo.player, bo.token).hello(table)
            assert other.welcomed["here"] == sorted([ana.player, bo.player])
            assert await mine.until("presence") == {"type": "presence", "player": bo.player, "here": True}
            moved = await bo.hello(table)
            assert await other.closed() == 4009
            back = await Guest(there, bo.player, bo.token).hello(table)
            assert await moved.closed() == 4009
            for _ in range(4):
                pass_time(ABSENT_AFTER / 2)
                await asyncio.sleep(2 * SHARE_PAUSE)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await mine.until("presence")
            await back.close()
            await until(lambda: not there.server.readers.is_here(LogId(table), PlayerId(bo.player)))
            assert await hurry(mine.until("presence"), 0.5) == {"type": "presence", "player": bo.player, "here": False}

    run(main())


def test_C17_a_player_at_a_process_that_has_died_is_absent_soon() -> None:
    async def main() -> None:
        loop = current()
        store = MemoryStore(lambda: round(loop.time() * 1000), Disk())
        async with site(store=store) as here:
            ana, bo, table = await started(here)
            mine = await ana.hello(table)
            there, until = {PlayerAtTable(LogId(table), PlayerId(bo.player))}, Instant(store.now() + COUNTS_FOR)
            await store.directory.share_presence("killed", there, until)
            assert (await hurry(mine.until("presence"), 0.5))["here"]
            assert not (await hurry(mine.until("presence"), 0.5))["here"]
            assert store.now() >= until

    run(main())


def test_V8_spectators_come_and_go_unannounced() -> None:
    async def main() -> None:
        async with site() as here:
            _, _, table, mine, other = await playing(here)
            for _ in range(5):
                wire = await here.socket()
                assert len((await wire.hello(table))["here"]) == 2
                await wire.close()
            await mine.send("addWords", id="a", words="x")
            while (frame := await mine.next())["type"] != "answer":
                assert frame["type"] != "presence"
            await other.close()

    run(main())


def test_V4_spectators_who_see_the_match_later_do_not_see_who_is_here_now() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo, settings={"delay": 5})
            await ana.hello(table)
            wire = await here.socket()
            assert (await wire.hello(table))["here"] == []
            await bo.hello(table)
            await ana.command(table, "start")
            frames = [await wire.next() for _ in range(2)]
            assert {frame["type"] for frame in frames} == {"status"}

    run(main())


def test_who_joins_over_the_websocket_reads_its_seat_from_then_on() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana)
            wire = await bo.hello(table)
            assert wire.welcomed["seat"] is None
            await wire.send("join", id="a")
            assert "error" not in await wire.until("answer")
            assert (await wire.until("welcome"))["seat"] == bo.player
            await ana.command(table, "start")
            assert (await wire.until("update"))["seq"] == 1

    run(main())


def test_who_leaves_over_the_websocket_is_a_spectator_from_then_on() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            wire = await bo.hello(await here.table(ana, bo))
            await wire.send("leave", id="a")
            assert (await wire.until("welcome"))["seat"] is None

    run(main())


@pytest.mark.parametrize("by_invitation", [False, True])
def test_V2_who_is_removed_from_its_seat_reads_it_no_more(by_invitation: bool) -> None:
    """At a table by invitation it may not even watch."""

    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo, inviteOnly=by_invitation)
            wire = await bo.hello(table)
            await ana.command(table, "remove", name=bo.player)
            assert await wire.closed() == 4201
            again = await here.socket()
            if by_invitation:
                await again.send("hello", v=1, table=table, token=bo.token)
                assert await again.closed() == 4003
            else:
                assert (await again.hello(table, bo.token))["seat"] is None

    run(main())


def test_a_player_who_watches_and_joins_by_another_way_is_sent_to_its_seat() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana)
            wire, other = await bo.hello(table), await here.socket()
            await other.hello(table)
            await bo.command(table, "join")
            assert await wire.closed() == 4201
            assert (await bo.hello(table)).welcomed["seat"] == bo.player
            assert (await other.until("status"))["phase"] == "Seating"

    run(main())


# the beat


def test_a_client_whose_hello_the_store_answers_late_is_not_told_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table = await started(here)
            asked, answered = asyncio.Event(), asyncio.Event()

            async def find_late(token: bytes) -> RegisteredPlayer | None:
                asked.set()
                await answered.wait()
                return await find(token)

            find = here.server.directory.player_by_token
            monkeypatch.setattr(here.server.directory, "player_by_token", find_late)
            pass_time(KNOWN_SECONDS)
            wire = await here.socket()
            hello = asyncio.create_task(wire.hello(table, ana.token))
            await asked.wait()
            pass_time(HELLO_SECONDS + 1)
            await asyncio.sleep(0.01)
            answered.set()
            assert (await hello)["seat"] == ana.player

    run(main())


def test_N6_a_client_that_is_silent_for_two_beats_is_closed() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table = await started(here)
            wire = await ana.hello(table)
            await wire.until("update")
            pass_time(20)
            assert await wire.until("ping") == {"type": "ping", "top": 1}
            pass_time(20)
            assert await wire.closed() == 4103

    run(main())


def test_a_client_that_answers_the_beat_stays_and_its_pong_may_acknowledge() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table = await started(here)
            wire = await ana.hello(table)
            await wire.until("update")
            for number in range(5):
                pass_time(20)
                await wire.until("ping")
                await wire.send("pong", upto=1)
                await until(lambda heard=number: here.server.counts.frames_in["pong"] > heard)  # type: ignore[misc]
            assert here.server.host.tables.live[LogId(table)].cursors[PlayerId(ana.player)] == 1

    run(main())


def test_an_ack_may_ride_on_a_command() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table = await started(here)
            wire = await ana.hello(table)
            await wire.until("update")
            await wire.send("addWords", id="a", words="x", upto=1)
            await wire.until("answer")
            assert here.server.host.tables.live[LogId(table)].cursors[PlayerId(ana.player)] == 1

    run(main())


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
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example", "Origin": "http://evil.example"}, 421),
    ],
    ids=["origin", "null origin", "host", "rebinding"],
)
def test_P25_A21_a_page_of_another_site_cannot_open_a_websocket(headers: dict[str, str], status: int) -> None:
    async def main() -> None:
        async with site() as here:
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await here.socket(headers=headers)
            assert refused.value.status == status
            assert len(here.server.sessions) == 0

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


def test_R1_connections_of_one_address_are_limited() -> None:
    async def main() -> None:
        async with site(replace(SETTINGS, most_connections_per_address=2)) as here:
            wires = [await here.socket() for _ in range(2)]
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await here.socket()
            assert refused.value.status == 429
            await wires[0].close()
            await until(lambda: len(here.server.sessions) == 1)
            await here.socket()

    run(main())


# slow readers


def test_V6_a_reader_that_is_too_slow_is_closed_and_loses_nothing() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table = await started(here)
            wire = await ana.hello(table)
            await wire.until("update")
            transport = wire.socket._writer.transport
            transport.pause_reading()
            session = next(iter(here.server.sessions._connected))
            reader: Any = session._reader  # type: ignore[attr-defined]
            big = Update(2, b'{"seq":2,"view":"' + b"x" * FULL * 64 + b'"}')
            socket: Any = session._socket  # type: ignore[attr-defined]
            socket.send(big.body)
            assert not socket.is_writable
            reader.line.live.notify()
            reader.line._shown = b""  # there is something to tell
            reader.line.wake()
            await asyncio.sleep(0.01)
            pass_time(11)
            await until(lambda: here.server.counts.closed[4101] == 1)
            pass_time(3)  # and is cut off
            await until(lambda: len(here.server.sessions) == 0 and socket._is_gone)
            be_patient(10)
            transport.abort()
            again = await ana.hello(table)
            assert (await again.until("update"))["seq"] == 1

    run(main())


# the end of a connection, and of a server


def test_the_parts_of_a_connection_that_has_ended_are_free_without_garbage_collection() -> None:
    """Players open a connection for every match. Collected in thousands, they would hold up everyone else."""

    async def main() -> None:
        async with site() as here:
            ana, bo, table = await started(here)
            wires = [await ana.hello(table), await bo.hello(table)]
            ended = [weakref.ref(socket) for socket in here.server.sessions._sockets]
            assert len(ended) == 2
            for wire in wires:
                await wire.close()
            await until(lambda: not here.server.sessions._sockets)
            for _ in range(5):  # what the loop has planned still refers to them
                await asyncio.sleep(0)
            assert [each() for each in ended] == [None, None]

    gc.disable()
    try:
        run(main())
    finally:
        gc.enable()


def test_C14_a_server_that_stops_tells_its_clients_to_come_back() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo, table = await started(here)
            wires = [await ana.hello(table), await bo.hello(table), await here.socket()]
            response = await here.client.get(here.url + "/api/tables", headers={"Accept": "text/event-stream"})
            *closed, _ = await asyncio.gather(*(wire.closed() for wire in wires), here.stop())
            assert closed == [4100, 4100, 4100]
            assert '"code":4100' in await response.text()

    run(main())
