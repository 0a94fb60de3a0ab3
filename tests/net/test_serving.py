"""Servers that start and stop: on a port of their own, and without cutting anybody off who is being answered."""

import asyncio

import pytest
from starlette.responses import PlainTextResponse

from tests.agents.loops import pass_time, run, until
from tests.agents.wire.wired import INVITATION, JOINED, LONG, Player, asked
from turnstile.agents.wire.caller import Caller, Unreached
from turnstile.agents.wire.door import Door
from turnstile.agents.wire.envelope import ignored
from turnstile.agents.wire.exchange import Reply
from turnstile.agents.wire.incoming import Incoming
from turnstile.agents.wire.replies import Receipt
from turnstile.league.protocol.messages import GameInvitation
from turnstile.net import serving
from turnstile.net.serving import serve, served


def url(port: int) -> str:
    return f"http://localhost:{port}/mcp"


def test_a_port_that_is_taken_is_not_shared() -> None:
    async def main() -> None:
        async with served(Player().door()) as first:
            with pytest.raises(OSError, match="in use"):
                await serve(Player().door(), port=first.port)

    run(main())


def test_a_port_is_free_again_as_soon_as_its_server_has_stopped() -> None:
    async def main() -> None:
        async with Caller() as caller:
            port = 0
            for _ in range(3):
                async with served(Player().door(), port=port) as serving:
                    port = serving.port
                    assert await asked(caller, url(port), INVITATION) == JOINED
            with pytest.raises(Unreached):
                await asked(caller, url(port), INVITATION)

    run(main())


def test_V6_a_client_that_reads_nothing_of_its_answer_is_cut_off_and_a_slow_one_is_not() -> None:
    async def main() -> None:
        async with served(PlainTextResponse("x" * 40_000_000)) as here:
            reader, writer = await asyncio.open_connection("127.0.0.1", here.port)
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            connections = here._server.server_state.connections
            await until(lambda: any(each.flow.write_paused for each in connections))  # type: ignore[union-attr]
            for _ in range(3):
                await reader.readexactly(8_000_000)
                pass_time(serving.BEHIND_SECONDS)
                await asyncio.sleep(0.01)
            assert connections
            for _ in range(3):
                pass_time(serving.BEHIND_SECONDS)
                await asyncio.sleep(0.01)
            await until(lambda: not connections)
            writer.close()

    run(main())


class Thinking:
    """A player that answers when it is told to."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.may_answer = asyncio.Event()

    async def handle(self, incoming: Incoming) -> Reply:
        self.asked.set()
        await self.may_answer.wait()
        return JOINED

    def door(self) -> Door:
        return Door(Player().who, (GameInvitation,), self.handle)


def test_who_is_being_answered_is_answered_before_the_server_stops() -> None:
    async def main() -> None:
        player = Thinking()
        server = await serve(player.door(), grace_seconds=LONG)
        async with Caller() as caller:
            call = asyncio.create_task(asked(caller, url(server.port), INVITATION))
            await player.asked.wait()
            stopping = asyncio.create_task(server.stop())
            with pytest.raises(Unreached):
                await asked(caller, url(server.port), INVITATION)
            assert not stopping.done()
            player.may_answer.set()
            assert await call == JOINED
            await stopping
            await server.ended()

    run(main())


def test_who_takes_too_long_over_its_answer_is_not_waited_for() -> None:
    async def main() -> None:
        player = Thinking()
        server = await serve(player.door(), grace_seconds=0.05)
        async with Caller() as caller:
            call = asyncio.create_task(asked(caller, url(server.port), INVITATION))
            await player.asked.wait()
            await server.stop()
            with pytest.raises(Unreached):
                await call

    run(main())


def test_a_client_that_never_completes_its_request_leaves_no_trace_of_a_fault(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        serving = await serve(Player().door(), grace_seconds=0.05)
        _, writer = await asyncio.open_connection("127.0.0.1", serving.port)
        head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n"
        writer.write(f"{head}\r\n{{".encode())
        await asyncio.sleep(0.05)
        await serving.stop()
        writer.close()

    run(main())
    assert caplog.text == ""


def test_an_agent_runs_on_the_faster_loop() -> None:
    async def main() -> object:
        async def handle(incoming: Incoming) -> Reply:
            return ignored("not now")

        async with served(Door(Player().who, (GameInvitation,), handle)) as server, Caller() as caller:
            return await asked(caller, url(server.port), INVITATION)

    assert serving.run(main()) == Receipt(200, "IGNORED")
