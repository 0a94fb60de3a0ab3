"""The client against servers that do what ours does rarely: gaps, restored streams, every kind of close."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

import pytest
from aiohttp import web

from tests.agents.loops import hurry, run
from turnstile.client import Client, Closed, Refused, Seat, Unreachable
from turnstile.client.backoff import LONGEST, Backoff, is_final

Script = Callable[["Peer"], Awaitable[None]]


class Peer:
    """The server's side of one connection, as a script plays it."""

    def __init__(self, socket: web.WebSocketResponse) -> None:
        self._socket = socket

    async def hear(self, kind: str) -> Any:
        """The next frame of the client, which must be of this type."""
        frame = json.loads((await self._socket.receive()).data)
        assert frame["type"] == kind, frame
        return frame

    async def say(self, kind: str, **fields: Any) -> None:
        await self._socket.send_str(json.dumps({"type": kind, **fields}, separators=(",", ":")))

    async def welcome(self, after: int = 0, beat: float = 20.0, table: str = "t") -> None:
        await self.say("welcome", v=1, table=table, seat="ana", after=after, top=9, now=0, beat=beat, here=["ana"])

    async def update(self, seq: int, **fields: Any) -> None:
        given = {"messages": [], "actions": [], **({} if "changed" in fields else {"view": {"n": seq}}), **fields}
        await self.say("update", seq=seq, **given)

    async def end(self, code: int) -> None:
        await self.say("bye", code=code, retryMs=0, text=f"Closed with {code}.")
        await self._socket.close(code=code)


async def served(work: Callable[[Client, Seat], Awaitable[None]], *scripts: Script) -> None:
    """Let a seat talk to a server that plays a script for each connection."""
    left, faults = list(scripts), list[BaseException]()

    async def play(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        try:
            await left.pop(0)(Peer(socket))
            async for _ in socket:
                pass
        except BaseException as fault:
            faults.append(fault)
            raise
        return socket

    app = web.Application()
    app.router.add_get("/api/play", play)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    listening = web.TCPSite(runner, "127.0.0.1", 0)
    await listening.start()
    port = runner.addresses[0][1]
    try:
        async with Client(f"http://127.0.0.1:{port}") as client, client.watch("t") as seat:
            await work(client, seat)
    finally:
        await runner.cleanup()
    assert not faults, faults
    assert not left, "not every script was played"


async def first_of(client: Client, seat: Seat) -> None:
    await anext(seat)


def test_a_gap_is_mended_on_the_same_connection() -> None:
    async def script(peer: Peer) -> None:
        assert "last" not in await peer.hear("hello")
        await peer.welcome()
        await peer.update(1)
        await peer.hear("ack")
        await peer.update(3)
        assert (await peer.hear("hello"))["last"] == 1
        await peer.welcome(after=1)
        await peer.update(2)
        await peer.hear("ack")

    async def work(client: Client, seat: Seat) -> None:
        assert [(await anext(seat)).seq for _ in range(2)] == [1, 2]

    run(served(work, script))


def test_what_is_still_said_about_a_table_that_was_left_is_passed_over() -> None:
    async def at_both(peer: Peer) -> None:
        await peer.hear("hello")
        await peer.welcome()
        await peer.update(1)
        assert (await peer.hear("ack"))["upto"] == 1
        assert (await peer.hear("act"))["move"] == "late"
        hello = await peer.hear("hello")
        assert (hello["table"], hello.get("last")) == ("next", None)
        await peer.update(2)
        await peer.say("status", phase="Closed")
        await peer.say("presence", player="bo", here=True)
        await peer.welcome(table="t")
        await peer.update(3)
        await peer.welcome(table="next")
        await peer.update(1, view={"n": "first of the next table"})

    async def move(client: Client, seat: Seat) -> None:
        assert (await anext(seat)).seq == 1
        late = asyncio.create_task(seat.ask("act", move="late"))
        while not seat._pending:
            await asyncio.sleep(0)
        await seat.move_to("next")
        with pytest.raises(Closed, match="left"):
            await late
        turn = await anext(seat)
        assert (turn.seq, turn.view) == (1, {"n": "first of the next table"})
        assert (seat.status, seat.here, seat.is_over) == (None, {"ana"}, False)

    run(served(move, at_both))


def test_a_seat_that_is_cut_off_while_it_moves_comes_back_at_the_next_table() -> None:
    async def cut(peer: Peer) -> None:
        await peer.hear("hello")
        await peer.welcome()
        await peer.update(1)
        await peer.hear("ack")
        assert (await peer.hear("hello"))["table"] == "next"
        await peer.end(4200)

    async def again(peer: Peer) -> None:
        hello = await peer.hear("hello")
        assert (hello["table"], hello.get("last")) == ("next", None)
        await peer.welcome(table="next")
        await peer.update(1)

    async def move(client: Client, seat: Seat) -> None:
        await anext(seat)
        await seat.move_to("next")
        assert (await anext(seat)).seq == 1

    run(served(move, cut, again))


def test_S8_after_a_restored_store_the_seat_starts_over() -> None:
    async def before(peer: Peer) -> None:
        await peer.hear("hello")
        await peer.welcome()
        await peer.update(1)
        await peer.hear("ack")
        await peer.update(2, changed={"in": {"n": {"set": 7}}}, history="of 2")
        await peer.hear("ack")
        await peer.end(4200)

    async def after(peer: Peer) -> None:
        hello = await peer.hear("hello")
        assert (hello["last"], hello["history"]) == (2, "of 2")
        await peer.welcome(after=0)
        await peer.update(1, view={"n": "other"})
        assert (await peer.hear("ack"))["upto"] == 1

    async def work(client: Client, seat: Seat) -> None:
        turns = [await anext(seat) for _ in range(3)]
        assert [(turn.seq, turn.view["n"]) for turn in turns] == [(1, 1), (2, 7), (1, "other")]

    run(served(work, before, after))


def test_an_acknowledgement_travels_with_a_move_that_is_made_at_once() -> None:
    async def script(peer: Peer) -> None:
        await peer.hear("hello")
        await peer.welcome()
        await peer.update(1, actions=["x"])
        act = await peer.hear("act")
        assert (act["upto"], act["seen"], act["move"]) == (1, 1, "x")
        await peer.say("news of a later release", surely="ignored")
        await peer.say("answer", id=act["id"], seq=1)

    async def work(client: Client, seat: Seat) -> None:
        turn = await anext(seat)
        assert await seat.act(turn.actions[0])

    run(served(work, script))


def test_a_command_without_an_answer_is_sent_again_with_its_id() -> None:
    ids: list[str] = []

    async def lost(peer: Peer) -> None:
        await peer.hear("hello")
        await peer.welcome()
        ids.append((await peer.hear("resign"))["id"])
        await peer.end(4201)

    async def unsure(peer: Peer) -> None:
        await peer.hear("hello")
        await peer.welcome()
        ids.append((await peer.hear("resign"))["id"])
        await peer.say("answer", id=ids[0], seq=0, error={"code": "OutcomeUnknown", "message": "Unsure."})
        ids.append((await peer.hear("resign"))["id"])
        await peer.say("answer", id=ids[0], seq=0, error={"code": "NotSeated", "message": "No."})

    async def work(client: Client, seat: Seat) -> None:
        with pytest.raises(Refused, match="No"):
            await seat.resign()
        assert len(ids) == 3
        assert len(set(ids)) == 1

    run(served(work, lost, unsure))


def test_a_move_that_is_overtaken_returns_false_and_one_before_the_gate_is_tried_again() -> None:
    async def script(peer: Peer) -> None:
        await peer.hear("hello")
        await peer.welcome()
        await peer.update(1)
        first = await peer.hear("act")
        await peer.say("answer", id=first["id"], seq=2, error={"code": "StaleVersion", "message": "Old."})
        second = await peer.hear("act")
        await peer.say("answer", id=second["id"], seq=1, error={"code": "AcksMissing", "message": "Wait."})
        third = await peer.hear("act")
        assert (third["move"], third["seen"]) == (second["move"], second["seen"])
        await peer.say("answer", id=third["id"], seq=1)

    async def work(client: Client, seat: Seat) -> None:
        await anext(seat)
        assert not await seat.act("x")
        assert await seat.act("y")

    run(served(work, script))


def test_a_closed_table_ends_after_its_last_update() -> None:
    async def script(peer: Peer) -> None:
        await peer.hear("hello")
        await peer.say("welcome", v=1, table="t", seat="ana", after=0, top=2, now=0, beat=20.0, here=[])
        await peer.say("status", table="t", game="e-card", phase="Closed", admin="ana", seats=[])
        for seq in (1, 2):
            await peer.update(seq)
            await peer.hear("ack")

    async def work(client: Client, seat: Seat) -> None:
        assert [turn.seq async for turn in seat] == [1, 2]
        assert seat.status is not None
        assert seat.status.is_over

    run(served(work, script))


@pytest.mark.parametrize("code", [4000, 4001, 4003, 4009, 4099, 1009])
def test_codes_40xx_end_the_seat(code: int) -> None:
    async def script(peer: Peer) -> None:
        await peer.hear("hello")
        await peer.end(code)

    async def work(client: Client, seat: Seat) -> None:
        with pytest.raises(Closed, match=f"Closed with {code}") as closed:
            await anext(seat)
        assert closed.value.code == code

    run(served(work, script))


@pytest.mark.parametrize("code", [4100, 4103, 4199, 4200, 4299, 1001, 1000])
def test_other_codes_make_the_seat_connect_again(code: int) -> None:
    async def script(peer: Peer) -> None:
        await peer.hear("hello")
        await peer.end(code)

    async def again(peer: Peer) -> None:
        await peer.hear("hello")
        await peer.welcome()
        await peer.update(1)
        await peer.hear("ack")

    run(hurry(served(first_of, script, again), 1.0))


def test_N6_a_silent_server_is_left_after_some_beats() -> None:
    async def silent(peer: Peer) -> None:
        await peer.hear("hello")
        await peer.welcome(beat=5.0)
        await peer.say("ping", top=0)
        await peer.hear("pong")

        closing = await peer._socket.receive()
        assert closing.type.name in ("CLOSE", "CLOSED", "CLOSING", "ERROR"), closing

    async def again(peer: Peer) -> None:
        await peer.hear("hello")
        await peer.welcome()
        await peer.update(1)
        await peer.hear("ack")

    run(hurry(served(first_of, silent, again), 1.0))


def test_waiting_has_full_jitter_and_a_limit() -> None:
    backoff = Backoff(Random(1))
    waits = [backoff.seconds(4100) for _ in range(1000)]
    assert 0 <= min(waits) < 0.1
    assert 9.0 < max(waits) <= LONGEST
    assert all(wait <= 0.25 * 2**number for number, wait in enumerate(waits[:5]))
    backoff.reset()
    assert backoff.seconds(4200) == 0.0
    assert 0.0 < backoff.seconds(4200) <= 0.5
    assert 3.0 <= backoff.seconds(4100, at_least=3.0) <= 4.0
    assert not is_final(4100)


def test_a_request_that_may_be_repeated_is_tried_again() -> None:
    async def main() -> None:
        statuses = [503, 429, 200, 500]

        async def answer(request: web.Request) -> web.Response:
            status = statuses.pop(0)
            error = {"error": {"code": "Overloaded", "message": "Wait.", "seconds": 0.1}}
            return web.json_response({"games": []} if status == 200 else error, status=status)

        app = web.Application()
        app.router.add_get("/api/games", answer)
        app.router.add_post("/api/players", answer)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        async with Client(f"http://127.0.0.1:{runner.addresses[0][1]}/") as client:
            assert await client.games() == ()
            with pytest.raises(Refused) as refused:
                await client.register("Ana")
            assert (refused.value.status, refused.value.seconds) == (500, 0.1)
        await runner.cleanup()
        async with Client(client.url) as client:
            with pytest.raises(Unreachable):
                await client.register("Ana")

    run(hurry(main(), 1.0))


def test_an_answer_that_is_no_json_is_refused_with_its_status() -> None:
    async def main() -> None:
        async def answer(request: web.Request) -> web.Response:
            return web.Response(text="<h1>Bad gateway</h1>", status=502)

        app = web.Application()
        app.router.add_get("/api/me", answer)
        app.router.add_get("/api/play", answer)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        async with Client(f"http://127.0.0.1:{runner.addresses[0][1]}") as client:
            with pytest.raises(Refused, match="HTTP status 502") as refused:
                await client.log_in("x")
            assert refused.value.code == "Http502"
            async with client.watch("t") as seat:
                waiting = asyncio.ensure_future(anext(seat))
                await asyncio.sleep(0.1)
                assert not waiting.done(), "it connects again"
                waiting.cancel()
        await runner.cleanup()

    run(main())
