"""Connections: the newest counts, the beat, slow readers, the end of a server."""

import asyncio
import gc
import weakref
from typing import Any

import pytest

from tests.agents.loops import be_patient, pass_time, run, until
from tests.server.matches import playing, started
from tests.server.servers import answer_late, site
from turnstile.host import Ending, Update
from turnstile.kernel.values import LogId, PlayerId
from turnstile.server.limits import LIMITS, LimitName
from turnstile.server.play.session import HELLO_SECONDS
from turnstile.server.play.socket import CLOSE_SECONDS, FULL

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


def test_N8_a_hello_whose_client_has_left_takes_the_seat_from_no_newer_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The store does not answer, the client gives up and connects again: only then is its first hello answered."""

    async def main() -> None:
        async with site() as here:
            ana, _, table = await started(here)
            late = answer_late(monkeypatch, here.server.directory)
            left = await here.socket()
            await left.send("hello", v=1, table=table, token=ana.token)
            await late.asked.wait()
            (socket,) = here.server.sessions._sockets
            await left.socket.close()
            await until(lambda: socket not in here.server.sessions._sockets)
            monkeypatch.undo()
            newer = await ana.hello(table)
            late.answered.set()
            await until(lambda: len(here.server.sessions) <= 1)
            await newer.send("resign", id="a")
            assert "error" not in await newer.until("answer")

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


# the beat


def test_a_client_whose_hello_the_store_answers_late_is_not_told_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table = await started(here)
            late = answer_late(monkeypatch, here.server.directory)
            wire = await here.socket()
            hello = asyncio.create_task(wire.hello(table, ana.token))
            await late.asked.wait()
            pass_time(HELLO_SECONDS + 1)
            await asyncio.sleep(0.01)
            late.answered.set()
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


def test_a_client_that_answers_the_beat_stays_while_its_command_waits_for_the_store(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table = await started(here)
            wire = await ana.hello(table)
            await wire.until("update")
            goes_on = asyncio.Event()
            commit = here.server.host.store.commit
            socket: Any = next(iter(here.server.sessions._connected))._socket  # type: ignore[attr-defined]

            async def commit_late(*given: Any) -> Any:
                await goes_on.wait()
                return await commit(*given)

            monkeypatch.setattr(here.server.host.store, "commit", commit_late)
            await wire.send("addWords", id="a", words="x")
            for number in range(3):
                pass_time(20)
                await wire.until("ping")
                await wire.send("pong")
                await until(lambda waiting=number: len(socket._inbox) > waiting)  # type: ignore[misc]
            goes_on.set()
            assert "error" not in await wire.until("answer")

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


def test_V6_a_client_that_says_goodbye_and_reads_no_more_is_gone_soon() -> None:
    """Else its player would be here for ever, and a server that stops would wait for it."""

    async def main() -> None:
        async with site() as here:
            ana, _, table = await started(here)
            wire = await ana.hello(table)
            (socket,) = here.server.sessions._sockets
            writer = wire.socket._writer
            assert writer is not None
            writer.transport.pause_reading()
            while not socket.transport.get_write_buffer_size():
                socket.transport.write(bytes(10_000))
            await writer.close()
            try:
                await until(lambda: not socket._is_open)
                pass_time(CLOSE_SECONDS)
                await until(lambda: not here.server.sessions._sockets)
                assert len(here.server.sessions) == len(here.server.readers) == 0
            finally:
                writer.transport.abort()

    run(main())


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
