"""Updates over HTTP: long poll, server-sent events and lines of JSON on one address."""

import asyncio
from typing import Any

import pytest

from tests.agents.loops import pass_time, run, until
from tests.server.matches import resign_while_read, started
from tests.server.servers import site
from tests.server.streams import EVENTS, LINES, events, lines, phase, stream
from turnstile.host.live import Live
from turnstile.kernel.values import LogId, PlayerId
from turnstile.net.serving import ABORT
from turnstile.server.updates import KEEP_ALIVE_SECONDS, Dialect, Stream, update_frames
from turnstile.store.protocol import Busy, ReadOnly, SeatLine


def test_a_long_poll_brings_what_is_there_at_once() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table = await started(here)
            found = await ana.ask("GET", f"/api/tables/{table}/updates")
            assert [update["seq"] for update in found["updates"]] == [1]
            assert (found["seat"], found["after"], found["top"]) == (ana.player, 0, 1)
            assert found["status"]["phase"] == "Starting"

    run(main())


def test_a_long_poll_waits_for_the_next_update_and_no_longer_than_it_was_told() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo, table = await started(here)
            await bo.ask("GET", f"/api/tables/{table}/updates")
            await ana.ask("GET", f"/api/tables/{table}/updates")
            waiting = asyncio.create_task(ana.ask("GET", f"/api/tables/{table}/updates?after=1&wait=30"))
            await until(lambda: len(here.server.readers) == 1)
            await bo.ask("POST", f"/api/tables/{table}/ack", {"upto": 1})  # the last that the table waits for
            found = await waiting
            assert found["updates"][0]["seq"] == 2
            top = found["top"]
            nothing = asyncio.create_task(ana.ask("GET", f"/api/tables/{table}/updates?after={top}&wait=30"))
            await until(lambda: len(here.server.readers) == 1)
            await asyncio.sleep(0.01)
            pass_time(31)
            assert (await nothing)["updates"] == []

    run(main())


def test_a_long_poll_has_the_status_of_its_last_update(monkeypatch: pytest.MonkeyPatch) -> None:
    """The match ends while the poll reads older updates from the log: the caller need not ask again to learn of it."""

    async def main() -> None:
        async with site() as here:
            ana, bo, table = await started(here)
            resign_while_read(monkeypatch, bo, table)
            found = await ana.ask("GET", f"/api/tables/{table}/updates")
            assert (found["updates"][-1]["seq"], found["top"]) == (2, 2)
            assert found["status"]["phase"] == "Finished"

    run(main())


def test_to_ask_for_what_follows_an_update_is_to_acknowledge_it() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo, table = await started(here)
            for guest in (ana, bo):
                await guest.ask("GET", f"/api/tables/{table}/updates")
                await guest.ask("GET", f"/api/tables/{table}/updates?after=1")
            assert phase(here, table) == "Playing" or phase(here, table) == "Gathering"

    run(main())


def test_N9_after_an_update_that_does_not_exist_the_stream_starts_from_what_was_acknowledged() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table = await started(here)
            found = await ana.ask("GET", f"/api/tables/{table}/updates?after=99")
            assert found["after"] == 0
            assert [update["seq"] for update in found["updates"]] == [1]
            assert found["updates"][0]["view"] is None or found["updates"][0]["view"]

    run(main())


def test_N8_the_newest_reader_of_a_seat_counts_and_the_old_one_is_told_why() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table = await started(here)
            await ana.ask("GET", f"/api/tables/{table}/updates")
            old = asyncio.create_task(ana.refusal("GET", f"/api/tables/{table}/updates?after=1&wait=60"))
            await until(lambda: len(here.server.readers) == 1)
            response = await stream(ana, table, EVENTS, "?after=1")
            assert await old == (409, "Replaced")
            wire = await ana.hello(table)
            frames = [frame async for _, frame in events(response)]
            assert (frames[-1]["type"], frames[-1]["code"]) == ("bye", 4009)
            await wire.close()

    run(main())


def test_C14_a_long_poll_ends_when_the_server_stops_and_when_the_player_logs_out() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            table = await here.table(ana, bo)
            polls = [
                asyncio.create_task(guest.refusal("GET", f"/api/tables/{table}/updates?wait=60")) for guest in (ana, bo)
            ]
            await until(lambda: len(here.server.sessions) == 2)
            await ana.ask("POST", "/api/me/logout-everywhere")
            assert await polls[0] == (503, "Stopping")
            _, last = await asyncio.gather(here.stop(), polls[1])
            assert last == (503, "Stopping")

    run(main())


def test_a_client_that_leaves_its_long_poll_is_no_reader_any_more() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table = await started(here)
            await ana.ask("GET", f"/api/tables/{table}/updates")
            waiting = asyncio.create_task(ana.ask("GET", f"/api/tables/{table}/updates?after=1&wait=60"))
            await until(lambda: len(here.server.readers) == 1)
            waiting.cancel()
            await until(lambda: len(here.server.readers) == 0)

    run(main())


@pytest.mark.parametrize("headers", [{}, EVENTS], ids=["poll", "stream"])
def test_N8_a_request_for_updates_whose_client_has_left_takes_no_seat(
    monkeypatch: pytest.MonkeyPatch, headers: dict[str, str]
) -> None:
    """The store does not answer, and the client gives up: what it has asked for is left off."""

    async def main() -> None:
        async with site() as here:
            ana, _, table = await started(here)
            asked, left_off, number_line = asyncio.Event(), asyncio.Event(), here.server.host.store.number_line

            async def number_never(log: LogId, seat: str) -> SeatLine | None:
                asked.set()
                try:
                    await left_off.wait()
                finally:
                    left_off.set()
                return await number_line(log, seat)

            monkeypatch.setattr(here.server.host.store, "number_line", number_never)
            asking = asyncio.create_task(ana.ask("GET", f"/api/tables/{table}/updates", headers=headers))
            await asked.wait()
            monkeypatch.undo()
            asking.cancel()
            try:
                await left_off.wait()
            finally:
                left_off.set()
            newer = await ana.hello(table)
            await newer.send("resign", id="a")
            assert "error" not in await newer.until("answer")

    run(main())


@pytest.mark.parametrize("headers", [EVENTS, LINES], ids=["events", "lines"])
def test_a_stream_carries_the_frames_of_the_websocket(headers: dict[str, str]) -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo, table = await started(here)
            response = await stream(ana, table, headers)
            frames = (frame async for _, frame in events(response)) if headers is EVENTS else lines(response)
            welcome = await anext(frames)
            assert (welcome["type"], welcome["seat"], welcome["v"]) == ("welcome", ana.player, 1)
            assert (await anext(frames))["type"] == "status"
            first = await anext(frames)
            assert (first["type"], first["seq"]) == ("update", 1)
            await bo.ask("GET", f"/api/tables/{table}/updates")
            for guest in (ana, bo):
                await guest.ask("POST", f"/api/tables/{table}/ack", {"upto": 1})
            while (frame := await anext(frames))["type"] != "update":
                pass
            assert frame["seq"] == 2
            response.close()
            await until(lambda: len(here.server.sessions) == 0 and len(here.server.readers) == 0)

    run(main())


def test_an_event_has_the_number_and_history_of_its_update_and_a_browser_resumes_with_it() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table = await started(here)
            response = await stream(ana, table, EVENTS)
            marks = events(response)
            while (event := await anext(marks))[1]["type"] != "update":
                assert event[0] is None
            assert event[0] == f"1-{event[1]['history']}"
            response.close()
            for mark, resumed in ((event[0], True), ("1", True), ("1-abcdef012345", False)):
                again = await stream(ana, table, {**EVENTS, "Last-Event-ID": mark})
                welcome = (await anext(events(again)))[1]
                assert (welcome["after"], welcome["resumed"]) == (int(resumed), resumed)
                again.close()

    run(main())


@pytest.mark.parametrize(("headers", "sign"), [(EVENTS, b":\n"), (LINES, b"\n")], ids=["events", "lines"])
def test_N14_a_quiet_stream_sends_a_sign_of_life(headers: dict[str, str], sign: bytes) -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table = await started(here)
            response = await stream(ana, table, headers)
            while b'"update"' not in await response.content.readline():
                pass
            if headers is EVENTS:
                assert await response.content.readline() == b"\n"
            pass_time(KEEP_ALIVE_SECONDS)
            assert await response.content.readline() == sign
            response.close()

    run(main())


def test_P26_a_stream_ends_when_its_player_logs_out_everywhere() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table = await started(here)
            response = await stream(ana, table, LINES)
            await ana.ask("POST", "/api/me/logout-everywhere")
            frames = [frame async for frame in lines(response)]
            assert frames[-1]["code"] == 4202

    run(main())


def test_a_stream_that_is_opened_while_the_server_begins_to_stop_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table = await started(here)
            attach = here.server.host.attach

            async def stop_and_attach(*given: Any) -> Any:
                here.server.is_stopping = True
                await here.server.sessions.stop()
                return await attach(*given)

            monkeypatch.setattr(here.server.host, "attach", stop_and_attach)
            frames = [frame async for frame in lines(await stream(ana, table, LINES))]
            assert frames[-1]["code"] == 4100

    run(main())


def test_a_reader_over_http_is_present() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo, table = await started(here)
            wire = await bo.hello(table)
            response = await stream(ana, table, LINES)
            assert await wire.until("presence") == {"type": "presence", "player": ana.player, "here": True}
            response.close()
            await until(lambda: len(here.server.readers) == 1)
            pass_time(4)
            assert await wire.until("presence") == {"type": "presence", "player": ana.player, "here": False}
            await wire.close()

    run(main())


def test_V6_a_stream_that_is_read_too_slowly_is_cut_off() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table = await started(here)
            reader = await here.server.readers.open(LogId(table), PlayerId(ana.player), None)
            stream = Stream(here.server, update_frames(here.server, reader), Dialect.LINES, "an address")
            aborted, blocked = asyncio.Event(), asyncio.Event()

            async def send(message: Any) -> None:
                if message["type"] == "http.response.body":
                    blocked.set()
                    await asyncio.Event().wait()  # the client reads nothing

            async def receive() -> Any:
                await asyncio.Event().wait()

            serving = asyncio.create_task(stream({"extensions": {ABORT: aborted.set}}, receive, send))
            await blocked.wait()
            pass_time(here.server.settings.slow_seconds + 1)
            await aborted.wait()
            await serving
            assert len(here.server.readers) == len(here.server.sessions) == 0

    run(main())


def test_S5_a_store_that_can_neither_be_written_nor_read_refuses_a_reader_and_the_server_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As during a failover: writing is not permitted any more, and then the log cannot be read either."""

    async def main() -> None:
        async with site() as here:
            ana, _, table = await started(here)
            found = await ana.ask("GET", f"/api/tables/{table}/updates")
            histories = iter([found["history"]])

            async def refuse_writing(*_: object) -> None:
                raise ReadOnly("The database is a standby.")

            async def read_once(*_: object) -> str:
                for history in histories:
                    return str(history)
                raise Busy("PostgreSQL cannot be reached.")

            path = f"/api/tables/{table}/updates?after=1&history={found['history']}"
            with monkeypatch.context() as failover:
                failover.setattr(here.server.host.store, "number_line", refuse_writing)
                failover.setattr(Live, "history", read_once)
                assert await ana.refusal("GET", path) == (503, "Busy")
            assert (await ana.ask("GET", path))["resumed"]

    run(main())


def test_a_table_without_spectators_has_no_stream_for_them() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            table = await here.table(ana, settings={"spectators": False})
            for headers in (EVENTS, LINES, {}):
                refused = await here.refusal("GET", f"/api/tables/{table}/updates", headers=headers)
                assert refused == (403, "NoSpectators")

    run(main())


def test_P20_a_seat_is_read_with_its_own_token_only() -> None:
    async def main() -> None:
        async with site() as here:
            _, _, table = await started(here)
            cy = await here.register("Cy")
            found = await cy.ask("GET", f"/api/tables/{table}/updates")
            assert found["seat"] is None
            unknown = PlayerId("p-0")
            refused = await cy.refusal("GET", f"/api/tables/{table}/updates?player={unknown}")
            assert refused == (400, "BadRequest")

    run(main())
