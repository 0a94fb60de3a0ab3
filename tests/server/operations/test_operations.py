"""Health, readiness and metrics on a listener of their own; logs without secrets."""

import io
import json
import logging
import re

import pytest

from tests.agents.loops import pass_time, run
from tests.server.mcp.models import model
from tests.server.servers import Site, site
from turnstile.host.heartbeat import COVERED
from turnstile.server.operations.listener import Watchdog
from turnstile.server.operations.logs import MOST_REPEATS, LineFormatter, RepeatFilter, write_logs
from turnstile.server.people import new_token
from turnstile.server.settings import LogFormat, LogLevel
from turnstile.store.protocol import Busy, Outage, ReadOnly, Row


async def operations(here: Site, path: str, **rest: object) -> tuple[int, str]:
    async with here.client.get(here.running.operations_url + path, **rest) as response:  # type: ignore[arg-type]
        return response.status, await response.text()


def test_a_server_says_that_it_is_alive_and_ready() -> None:
    async def main() -> None:
        async with site() as here:
            assert await operations(here, "/healthz") == (200, "ok\n")
            assert await operations(here, "/readyz") == (200, "ready\n")

    run(main())


def test_S5_a_server_whose_store_does_not_answer_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with site() as here:

            async def busy(_: object) -> Row:
                raise Busy("It does not answer.")

            with monkeypatch.context() as patch:
                patch.setattr(here.server.host.store, "row", busy)
                assert await operations(here, "/readyz") == (503, "the store does not answer: Busy\n")
            here.server.is_stopping = True
            assert await operations(here, "/readyz") == (503, "stopping\n")

    run(main())


def test_S5_a_server_whose_store_cannot_be_written_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading goes on, such as from a database that has become a standby."""

    async def main() -> None:
        async with site() as here:

            async def refuse() -> Outage | None:
                raise ReadOnly("The database is a standby.")

            with monkeypatch.context() as patch:
                patch.setattr(here.server.host.store, "beat", refuse)
                pass_time(COVERED / 1000 + 1)
                assert await operations(here, "/readyz") == (503, "the store cannot be written: ReadOnly\n")
            assert await operations(here, "/readyz") == (200, "ready\n")

    run(main())


def test_a_server_that_stops_says_so_until_its_last_client_has_been_served(monkeypatch: pytest.MonkeyPatch) -> None:
    """A balancer then sends it no new clients, and does not take it for dead."""

    async def main() -> None:
        async with site() as here:
            stop, found = here.server.readers.elsewhere.leave, list[tuple[int, str]]()

            async def look_and_leave() -> None:
                found.extend([await operations(here, "/healthz"), await operations(here, "/readyz")])
                await stop()

            monkeypatch.setattr(here.server.readers.elsewhere, "leave", look_and_leave)
            await here.stop()
            assert found == [(200, "ok\n"), (503, "stopping\n")]

    run(main())


def test_U14_operations_are_not_part_of_the_public_interface() -> None:
    async def main() -> None:
        async with site() as here:
            for path in ("/healthz", "/readyz", "/metrics"):
                assert await here.refusal("GET", path) == (404, "NotFound")
            assert (await operations(here, "/api/games"))[0] == 404
            assert (await operations(here, "/metrics", headers={"Host": "evil.example"}))[0] == 421

    run(main())


def test_metrics_count_requests_frames_errors_and_closes() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            table = await here.table(ana)
            wire = await ana.hello(table)
            await wire.drop("?")
            await wire.until("error")
            await wire.send("resign", id="a")
            await wire.until("answer")
            _, text = await operations(here, "/metrics")
            lines = text.splitlines()
            assert 'turnstile_requests_total{endpoint="register",status="201"} 1.0' in lines
            assert 'turnstile_errors_total{code="BadFrame"} 1.0' in lines
            assert 'turnstile_errors_total{code="WrongPhase"} 1.0' in lines
            assert 'turnstile_frames_received_total{type="hello"} 1.0' in lines
            assert "turnstile_connections 1.0" in lines
            assert "turnstile_tables 1.0" in lines

    run(main())


def test_what_a_model_is_refused_is_counted_as_everything_else() -> None:
    async def main() -> None:
        async with site() as here, model(here.url, (await here.register("Ana")).token) as program:
            await program.refused("see")
            seen = await program.sit_down_with_bots("e-card")
            await program.refused("act", table=seen["table"], seq=seen["seq"], action="pick:ACE")
            _, text = await operations(here, "/metrics")
            for code in ("BadRequest", "NotAMove"):
                assert f'turnstile_errors_total{{code="{code}"}} 1.0' in text.splitlines()

    run(main())


def test_R8_no_name_of_a_player_a_table_or_a_path_becomes_a_label() -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana the Unforgettable")
            table = await here.table(ana)
            await here.refusal("GET", "/api/nothing/unforgettable")
            await here.refusal("GET", "/api/tables/unforgettable")
            await ana.refusal("POST", f"/api/tables/{table}/commands", {"type": "start", "id": "a"})
            wire = await ana.hello(table)
            await wire.drop('{"type":"unforgettable"}')
            await wire.until("error")
            _, text = await operations(here, "/metrics")
            for name in ("nforgettable", ana.player, table, ana.token):
                assert name not in text

    run(main())


def test_R10_a_loop_that_was_blocked_is_counted() -> None:
    async def main() -> None:
        import asyncio
        import time

        watchdog = Watchdog()
        watching = asyncio.create_task(watchdog.watch())
        await asyncio.sleep(0)
        time.sleep(0.25)  # what must never happen
        await asyncio.sleep(0.01)
        watching.cancel()
        assert watchdog.blocked == 1
        assert watchdog.longest > 0.1

    run(main())


# logs


def record(message: str, **extra: object) -> logging.LogRecord:
    made = logging.LogRecord("turnstile.server", logging.INFO, "", 0, message, (), None)
    vars(made).update(extra)
    return made


def test_a_line_of_json_has_the_table_the_seat_and_the_command() -> None:
    line = LineFormatter(LogFormat.JSON).format(record("refused", table="t", seat="ana", command="c1", other="?"))
    read = json.loads(line)
    assert {name: read[name] for name in ("level", "message", "table", "seat", "command")} == {
        "level": "info",
        "message": "refused",
        "table": "t",
        "seat": "ana",
        "command": "c1",
    }
    assert "other" not in read


@pytest.mark.parametrize("log_format", LogFormat)
def test_P12_a_log_never_holds_a_token(log_format: LogFormat) -> None:
    token = new_token()
    formatter = LineFormatter(log_format)
    assert token not in formatter.format(record(f"Authorization: Bearer {token}", table=token))
    try:
        raise RuntimeError(token)
    except RuntimeError as fault:
        made = record("failed")
        made.exc_info = (type(fault), fault, None)
    assert token not in formatter.format(made)


def test_P17_a_log_has_no_control_characters() -> None:
    line = LineFormatter(LogFormat.TEXT).format(record("a\x1b[31m\nb", seat="c\nd"))
    assert "\x1b" not in line
    assert "\n" not in line


def test_R7_a_message_that_is_repeated_fast_is_left_out() -> None:
    repeats = RepeatFilter()
    passed = [repeats.filter(record("the same")) for _ in range(100)]
    assert 0 < sum(passed) <= MOST_REPEATS + 1
    assert repeats.left_out == 100 - sum(passed)
    assert repeats.filter(record("another"))


def test_P12_what_a_server_logs_has_no_token_in_it() -> None:
    async def main() -> None:
        stream = io.StringIO()
        handler = write_logs(LogFormat.JSON, stream, LogLevel.DEBUG)
        logging.getLogger().setLevel(logging.DEBUG)
        try:
            async with site() as here:
                ana = await here.register("Ana")
                table = await here.table(ana)
                wire = await ana.hello(table)
                await wire.close()
                await here.refusal("GET", f"/api/me?token={ana.token}")
        finally:
            logging.getLogger().removeHandler(handler)
            logging.getLogger().setLevel(logging.WARNING)
            logging.getLogger("turnstile").setLevel(logging.NOTSET)
        assert ana.token not in stream.getvalue()

    run(main())


@pytest.mark.parametrize("level", LogLevel)
def test_a_refused_command_is_logged_with_its_table_seat_and_id_where_the_operator_wants_it(level: LogLevel) -> None:
    async def main() -> None:
        stream = io.StringIO()
        handler = write_logs(LogFormat.JSON, stream, level)
        try:
            async with site() as here:
                ana = await here.register("Ana")
                table = await here.table(ana, game="up-down")
                await ana.refusal("POST", f"/api/tables/{table}/commands", {"type": "start", "id": "by http"})
                wire = await ana.hello(table)
                await wire.send("start", id="by wire")
                await wire.until("answer")
                call = {"data": {"playerId": ana.player, "roomId": table}}
                await ana.ask("POST", "/callable/startGame", call, status=400)
                async with model(here.url, ana.token) as program:
                    await program.refused("start_match", table=table)
        finally:
            logging.getLogger().removeHandler(handler)
            logging.getLogger().setLevel(logging.WARNING)
            logging.getLogger("turnstile").setLevel(logging.NOTSET)
        found = [line for line in map(json.loads, stream.getvalue().splitlines()) if "command" in line]
        ids = [re.sub("[0-9a-f]{32}", "ID", line["command"]) for line in found]
        assert ids == (["by http", "by wire", "call ID", "mcp-start"] if level is LogLevel.DEBUG else [])
        for line in found:
            assert line["level"] == "debug"
            assert (line["table"], line["seat"], line["code"]) == (table, ana.player, "InvalidPlayers")

    run(main())
