"""Bad input over the WebSocket: each case has a code and a sentence, changes nothing and disturbs nobody else."""

import asyncio

import pytest

from tests.agents.loops import pass_time, run, until
from tests.server.matches import seated, status, still_plays
from tests.server.servers import site
from turnstile.host import Refused
from turnstile.host.answers import Code as HostCode
from turnstile.kernel.machine import Rejection
from turnstile.server.play.session import MOST_BAD_FRAMES
from turnstile.server.play.socket import MOST_FRAME

NOT_JSON = {
    "nothing": "",
    "text": "hello",
    "cut off": '{"type":"ack","upto":1',
    "more than one": '{"type":"pong"}{"type":"pong"}',
    "not an object": '["ack", 1]',
    "a number": "1",
    "repeated key": '{"type":"ack","upto":1,"upto":2}',
    "repeated key within a move": '{"type":"act","id":"a","move":{"type":"Pick","card":"C","card":"E"}}',
    "repeated key with spaces": '{"type" : "act", "id":"a:b","move":{"a":1,"a":"::"}}',
    "NaN": '{"type":"ack","upto":NaN}',
    "infinite": '{"type":"ack","upto":1e999}',
    "lone surrogate": '{"type":"resign","id":"\\ud800"}',
    "NUL": '{"type":"resign","id":"a\\u0000"}',
    "900 deep": '{"type":"act","id":"a","move":' + "[" * 900 + "]" * 900 + "}",
    "33 deep": '{"type":"act","id":"a","move":' + "[" * 33 + "]" * 33 + "}",
    "10,000 brackets": "[" * 10_000,
    "4,301 digits": '{"type":"ack","upto":' + "9" * 4_301 + "}",
    "true as 1": '{"type":"ack","upto":true}',
    "a fraction": '{"type":"ack","upto":1.5}',
    "a text as a number": '{"type":"ack","upto":"1"}',
}


WRONG_FIELDS = {
    "no type": '{"upto":1}',
    "unknown type": '{"type":"cheat"}',
    "type of the server": '{"type":"update","seq":1}',
    "type in other letters": '{"type":"Ack","upto":1}',
    "null as type": '{"type":null}',
    "unknown field": '{"type":"ack","upto":1,"as":"bo"}',
    "another player": '{"type":"resign","id":"a","player":"bo"}',
    "missing field": '{"type":"act","id":"a"}',
    "no id": '{"type":"resign"}',
    "empty id": '{"type":"resign","id":""}',
    "id too long": '{"type":"resign","id":"%s"}' % ("x" * 65),
    "negative ack": '{"type":"ack","upto":-1}',
    "words too long": '{"type":"addWords","id":"a","words":"%s"}' % ("x" * 201),
    "a bot joins": '{"type":"join","id":"a","kind":"bot"}',
}


@pytest.mark.parametrize("frame", [*NOT_JSON.values(), *WRONG_FIELDS.values()], ids=[*NOT_JSON, *WRONG_FIELDS])
def test_P13_a_bad_frame_is_refused_and_the_connection_goes_on(frame: str) -> None:
    async def main() -> None:
        async with site() as here:
            _, _, _, wire, other = await seated(here)
            await wire.drop(frame)
            error = await wire.until("error")
            assert error["code"] == "BadFrame"
            assert error["message"].endswith(".")
            assert here.server.counts.errors["BadFrame"] == 1
            await still_plays(wire)
            await still_plays(other)

    run(main())


def test_P13_utf_16_is_refused() -> None:
    async def main() -> None:
        async with site() as here:
            _, _, _, wire, _ = await seated(here)
            await wire.socket._writer.send_frame('{"type":"pong"}'.encode("utf-16"), 1)
            assert (await wire.until("error"))["code"] == "BadFrame"

    run(main())


def test_a_binary_frame_is_refused() -> None:
    async def main() -> None:
        async with site() as here:
            _, _, _, wire, _ = await seated(here)
            await wire.socket.send_bytes(b'{"type":"pong"}')
            error = await wire.until("error")
            assert (error["code"], error["message"]) == ("BadFrame", "Frames are text, not binary.")
            await still_plays(wire)

    run(main())


def test_a_client_that_sends_bad_frames_again_and_again_is_closed() -> None:
    async def main() -> None:
        async with site() as here:
            _, _, _, wire, other = await seated(here)
            for _ in range(MOST_BAD_FRAMES + 1):
                await wire.drop("{}")
            assert await wire.closed() == 4000
            await still_plays(other)

    run(main())


def test_S4_a_client_is_not_closed_for_acks_that_the_store_could_not_take(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with site() as here:
            _, _, _, mine, _ = await seated(here)

            async def refuse(*_: object) -> Refused:
                return Refused(Rejection(HostCode.BUSY, "PostgreSQL cannot be reached."))

            with monkeypatch.context() as busy:
                busy.setattr(here.server.host, "acknowledge", refuse)
                for _ in range(MOST_BAD_FRAMES + 1):
                    await mine.send("ack", upto=0)
                    assert (await mine.until("error"))["code"] == "Busy"
            await still_plays(mine)

    run(main())


def test_P14_a_frame_that_is_too_large_is_not_read() -> None:
    async def main() -> None:
        async with site() as here:
            _, _, _, wire, other = await seated(here)
            await wire.drop(" " * (MOST_FRAME + 1))
            message = await wire.socket.receive()
            while message.type.name == "TEXT":
                message = await wire.socket.receive()
            assert message.data == 1009
            await until(lambda: len(here.server.sessions) == 1)
            assert here.server.counts.closed[1009] == 1
            await still_plays(other)

    run(main())


def test_a_frame_of_the_largest_size_is_read() -> None:
    async def main() -> None:
        async with site() as here:
            _, _, _, wire, _ = await seated(here)
            await wire.drop('{"type":"pong"}'.ljust(MOST_FRAME))
            await wire.drop('{"type":"pong"}'.ljust(126))
            await wire.drop('{"type":"pong"}'.ljust(125))
            await still_plays(wire)
            assert here.server.counts.frames_in["pong"] == 3

    run(main())


# order


def test_the_first_frame_must_be_a_hello() -> None:
    async def main() -> None:
        async with site() as here:
            for frame in ('{"type":"pong"}', '{"type":"resign","id":"a"}', "?"):
                wire = await here.socket()
                await wire.drop(frame)
                assert await wire.closed() == 4000

    run(main())


def test_a_connection_without_a_hello_is_closed_after_five_seconds() -> None:
    async def main() -> None:
        async with site() as here:
            wire = await here.socket()
            await until(lambda: len(here.server.sessions) == 1)
            pass_time(5)
            assert await wire.closed() == 4008

    run(main())


def test_another_version_of_the_protocol_is_refused() -> None:
    async def main() -> None:
        async with site() as here:
            wire = await here.socket()
            await wire.send("hello", v=2, table="t")
            assert await wire.closed() == 4006

    run(main())


@pytest.mark.parametrize(
    ("token", "table", "code"),
    [
        ("wrong", "own", 4001),
        ("own", "none", 4004),
        (None, "none", 4004),
        (None, "private", 4003),
        ("own", "private", 4003),
    ],
)
def test_a_hello_that_is_refused_closes_with_its_code(token: str | None, table: str, code: int) -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            tables = {"own": await here.table(ana), "none": "none", "private": await here.table(bo, inviteOnly=True)}
            wire = await here.socket()
            given = {} if token is None else {"token": ana.token if token == "own" else token}  # noqa: S105
            await wire.send("hello", v=1, table=tables[table], **given)
            assert await wire.closed() == code
            assert here.server.counts.closed[code] == 1

    run(main())


# who


def test_P1_a_spectator_cannot_do_what_a_player_does() -> None:
    async def main() -> None:
        async with site() as here:
            _, _, table, _, _ = await seated(here)
            wire = await here.socket()
            assert (await wire.hello(table))["seat"] is None
            await wire.send("resign", id="a")
            answer = await wire.until("answer")
            assert (answer["id"], answer["error"]["code"]) == ("a", "NoToken")

    run(main())


def test_an_ack_of_a_spectator_is_ignored() -> None:
    """Also of a player who watches: a client may acknowledge all that it reads, whether it has a seat or not."""

    async def main() -> None:
        async with site() as here:
            _, _, table, _, _ = await seated(here)
            cy = await here.register("Cy")
            for token in (None, cy.token):
                wire = await here.socket()
                await wire.hello(table, token)
                for upto in range(MOST_BAD_FRAMES + 1):
                    await wire.send("ack", upto=upto)
                await wire.send("pong", upto=7)
                await wire.send("resign", id="a", upto=7)
                frames = [await wire.next(), await wire.next()]
                assert [frame["type"] for frame in frames] == ["status", "answer"]
            live = here.server.host.tables.live[table]  # type: ignore[index]
            assert live.cursors == {}

    run(main())


def test_P1_a_move_for_another_seat_is_refused() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo, table, mine, other = await seated(here)
            await ana.command(table, "start")
            update, _ = await asyncio.gather(mine.until_actions(), other.until_actions())
            move = {**update["actions"][0], "player": bo.player}
            await mine.send("act", id="a", move=move)
            assert (await mine.until("answer"))["error"]["code"] == "NotYourSeat"

    run(main())


def test_P2_a_move_that_is_none_is_refused_with_a_sentence() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table, mine, other = await seated(here)
            await ana.command(table, "start")
            await asyncio.gather(mine.until_actions(), other.until_actions())
            moves: list[object] = [{"type": "Pick"}, None, 1, [], {"type": "Cheat", "player": ana.player}]
            for number, move in enumerate(moves):
                await mine.send("act", id=f"a{number}", move=move)
                answer = await mine.until("answer")
                assert answer["error"]["code"] in ("InvalidEvent", "NotAMove"), answer
            view = await ana.ask("GET", f"/api/tables/{table}/view")
            assert view["seq"] == mine.seq

    run(main())


def test_P6_N18_an_ack_of_the_future_is_refused() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table, mine, _ = await seated(here)
            await ana.command(table, "start")
            await mine.until("update")
            await mine.send("ack", upto=99)
            error = await mine.until("error")
            assert error["code"] == "FutureAck"
            live = here.server.host.tables.live[table]  # type: ignore[index]
            assert live.cursors == {}

    run(main())


def test_P6_P24_a_command_with_an_ack_of_the_future_is_refused_over_both_ways() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table, mine, _ = await seated(here)
            await ana.command(table, "start")
            await mine.until("update")
            resign = {"type": "resign", "id": "a", "upto": 99}
            await mine.send("resign", id="a", upto=99)
            answer = await mine.until("answer")
            assert (answer["id"], answer["error"]["code"]) == ("a", "FutureAck")
            assert await ana.refusal("POST", f"/api/tables/{table}/commands", resign) == (409, "FutureAck")
            assert (await status(here, table))["result"] is None
            await still_plays(mine)

    run(main())


def test_P4_a_move_decided_on_an_update_of_the_future_is_refused() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table, mine, other = await seated(here)
            await ana.command(table, "start")
            update, _ = await asyncio.gather(mine.until_actions(), other.until_actions())
            for number, seen in enumerate((99, -1)):
                await mine.send("act", id=f"a{number}", move=update["actions"][0], seen=seen)
                assert (await mine.until("answer"))["error"]["code"] in ("FutureVersion", "StaleVersion")

    run(main())


def test_N1_N3_a_repeated_command_gets_its_answer_again_and_a_reused_id_is_refused() -> None:
    async def main() -> None:
        async with site() as here:
            ana, _, table, mine, other = await seated(here)
            await ana.command(table, "start")
            update, _ = await asyncio.gather(mine.until_actions(), other.until_actions())
            move = update["actions"][0]
            await mine.send("act", id="a", move=move)
            first = await mine.until("answer")
            if "error" in first:  # the other player had not acknowledged yet
                await until(lambda: here.server.host.tables.live[table].state.phase.value == "Playing")  # type: ignore[index]
                await mine.send("act", id="a", move=move)
                first = await mine.until("answer")
            assert "error" not in first
            await mine.send("act", id="a", move=move)
            assert await mine.until("answer") == first
            await mine.send("resign", id="a")
            assert (await mine.until("answer"))["error"]["code"] == "IdReused"

    run(main())
