"""What comes too fast, in pieces, or is no frame at all."""

import asyncio
import contextlib
import json

import pytest
from msgspec.structs import replace

from tests.agents.loops import pass_time, run, until
from tests.server.matches import seated, started, still_plays
from tests.server.servers import SETTINGS, Site, answer_late, site
from turnstile.server.play import socket


def test_R1_a_client_that_sends_too_fast_is_closed_and_loses_nothing() -> None:
    async def main() -> None:
        async with site(replace(SETTINGS, frames_per_second=10.0)) as here:
            ana, _, table, mine, other = await seated(here)
            for _ in range(40):
                await mine.drop('{"type":"pong"}')
            assert await mine.closed() == 4102
            await still_plays(other)
            pass_time(1)
            again = await ana.hello(table)
            await still_plays(again)

    run(main())


def test_P3_commands_of_one_player_are_limited_over_all_its_connections() -> None:
    async def main() -> None:
        async with site(replace(SETTINGS, commands_per_second=2.0)) as here:
            _, _, _, mine, _ = await seated(here)
            for number in range(10):
                await mine.send("resign", id=f"{number}")
            assert await mine.closed() == 4102

    run(main())


def test_P16_a_flood_of_pings_and_of_fragments_is_closed() -> None:
    async def main() -> None:
        async with site(replace(SETTINGS, frames_per_second=10.0)) as here:
            _, _, _, mine, other = await seated(here)
            for _ in range(40):
                await mine.socket.ping()
            assert await mine.closed() == 4102
            writer = other.socket._writer
            assert writer is not None
            for _ in range(40):
                writer.transport.write(b"\x00\x81\x00\x00\x00\x00x" if _ else b"\x01\x81\x00\x00\x00\x00x")
            assert await other.closed() == 4102

    run(main())


def test_R9_nothing_is_left_of_a_client_that_floods_while_its_hello_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def main() -> None:
        async with site(replace(SETTINGS, frames_per_second=10.0)) as here:
            ana, _, table = await started(here)
            late = answer_late(monkeypatch, here.server.directory)
            wire = await here.socket()
            await wire.send("hello", v=1, table=table, token=ana.token)
            await late.asked.wait()
            for _ in range(40):
                await wire.drop('{"type":"pong"}')
            await until(lambda: here.server.counts.closed == {4102: 1})
            late.answered.set()
            await until(lambda: len(here.server.sessions) == 0)
            sent = here.server.counts.frames_out
            for _ in range(3):
                pass_time(here.server.settings.beat_seconds)
                await asyncio.sleep(0.01)
            assert here.server.counts.frames_out == sent

    run(main())


PING, TEXT = b"\x89\x80\x00\x00\x00\x00", b"\x81\x80\x00\x00\x00\x00"
PONG = b"\x8a\x00"


async def flooded(here: Site, flood: bytes) -> bytes:
    """All that the server sends to a client that sends this without a pause, and has not said hello."""
    reader, writer = await asyncio.open_connection("127.0.0.1", here.running.port)
    writer.write(f"GET /api/play HTTP/1.1\r\nHost: 127.0.0.1:{here.running.port}\r\n".encode())
    writer.write(b"Upgrade: websocket\r\nConnection: Upgrade\r\n")
    writer.write(b"Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n\r\n")
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101 ")
    writer.write(flood)
    told = b""
    with contextlib.suppress(ConnectionResetError):
        while data := await reader.read(65536):
            told += data
    writer.close()
    return told


def test_P16_a_flood_in_one_piece_is_not_read_to_its_end() -> None:
    """Every frame costs time that all others wait for. The limit is 30 frames at once."""

    async def main() -> None:
        async with site(replace(SETTINGS, frames_per_second=10.0)) as here:
            told = await flooded(here, PING * 20_000)
            assert told.count(PONG) < 1_000
            assert here.server.counts.closed == {4102: 1}

    run(main())


def test_P16_a_flood_of_whole_frames_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[bytes]()

    def count(data: bytes, mask: bytes) -> bytes:
        read.append(data)
        return data

    monkeypatch.setattr(socket, "apply_mask", count)

    async def main() -> None:
        async with site(replace(SETTINGS, frames_per_second=10.0)) as here:
            await flooded(here, TEXT * 20_000)

    run(main())
    assert len(read) < 100


@pytest.mark.parametrize(
    "data",
    [
        b"\xc1\x80abcd",
        b"\x91\x80abcd",
        b"\x83\x80abcd",
        b"\x81\x05hello",
        b"\x80\x80abcd",
        b"\x89\xfe\x00\x7eabcd" + b"x" * 126,
    ],
    ids=["reserved bit 1", "reserved bit 3", "reserved opcode", "not masked", "continues nothing", "long ping"],
)
def test_P16_what_is_no_websocket_frame_is_closed_as_the_protocol_says(data: bytes) -> None:
    async def main() -> None:
        async with site() as here:
            _, _, _, mine, other = await seated(here)
            writer = mine.socket._writer
            assert writer is not None
            writer.transport.write(data)
            message = await mine.socket.receive()
            while message.type.name == "TEXT":
                message = await mine.socket.receive()
            assert message.data == 1002
            await until(lambda: len(here.server.sessions) == 1)
            assert here.server.counts.closed == {1002: 1}
            await still_plays(other)

    run(main())


def test_P16_a_message_in_fragments_is_read_as_one() -> None:
    async def main() -> None:
        async with site() as here:
            _, _, _, mine, _ = await seated(here)
            writer = mine.socket._writer
            assert writer is not None
            zero = b"\x00\x00\x00\x00"
            writer.transport.write(b"\x01\x88" + zero + b'{"type":')
            writer.transport.write(b"\x89\x80" + zero)  # a ping in between
            writer.transport.write(b"\x80\x87" + zero + b'"pong"}')
            await still_plays(mine)
            assert here.server.counts.frames_in["pong"] == 1

    run(main())


def test_N5_half_a_frame_is_never_taken() -> None:
    async def main() -> None:
        async with site() as here:
            _, _, table, mine, other = await seated(here)
            writer = mine.socket._writer
            assert writer is not None
            body = json.dumps({"type": "leave", "id": "a"}).encode()
            writer.transport.write(b"\x81" + bytes([0x80 | len(body)]) + b"\x00\x00\x00\x00" + body[:-1])
            writer.transport.close()
            await until(lambda: len(here.server.sessions) == 1)
            assert len((await here.ask("GET", f"/api/tables/{table}"))["status"]["seats"]) == 2
            await still_plays(other)

    run(main())


def test_frames_that_arrive_byte_by_byte_are_read() -> None:
    async def main() -> None:
        async with site() as here:
            _, _, _, mine, _ = await seated(here)
            writer = mine.socket._writer
            assert writer is not None
            body = b'{"type":"pong"}'
            for byte in (b"\x81" + bytes([0x80 | len(body)]) + b"\x00\x00\x00\x00" + body) * 2:
                writer.transport.write(bytes([byte]))
                await asyncio.sleep(0)
            await still_plays(mine)
            assert here.server.counts.frames_in["pong"] == 2

    run(main())


def test_P15_compression_is_not_spoken() -> None:
    async def main() -> None:
        async with site() as here:
            wire = await here.socket(compress=15)
            assert wire.socket.compress == 0

    run(main())
