"""Our caller among foreign agents: each of them joins and chooses, and is understood."""

from contextlib import suppress
from typing import Any

import pytest

from tests.agents.loops import run
from tests.agents.wire import zoo
from tests.agents.wire.wired import (
    CALL,
    CHOSEN,
    INVITATION,
    JOINED,
    OVER,
    US,
    asked,
    post,
    referee,
    told,
)
from tests.agents.wire.zoo import Manners, living
from turnstile.agents.wire.caller import Caller, Unreached
from turnstile.agents.wire.dialect import Dialects, forms_of
from turnstile.agents.wire.door import Door
from turnstile.agents.wire.envelope import POSTED
from turnstile.agents.wire.incoming import Incoming
from turnstile.agents.wire.remarks import Remarks, remark_context
from turnstile.agents.wire.replies import Receipt
from turnstile.agents.wire.rpc import Fault
from turnstile.league.protocol.messages import (
    ChooseParityResponse,
    GameJoinAck,
    GameOverAck,
    LeagueMessage,
)
from turnstile.net.serving import served


def names(manners: Manners) -> str:
    return manners.__name__


@pytest.mark.parametrize("manners", zoo.DIALECTS, ids=names)
def test_a_join_and_a_choice_come_from_every_dialect(manners: Manners) -> None:
    async def main() -> None:
        async with living(manners) as animal, Caller() as caller:
            assert await asked(caller, animal.url, INVITATION) == JOINED
            assert await asked(caller, animal.url, CALL) == CHOSEN
            assert isinstance(await told(caller, animal.url, OVER), GameOverAck)

    run(main())


@pytest.mark.parametrize("manners", zoo.DIALECTS, ids=names)
def test_what_worked_is_remembered_for_each_endpoint(manners: Manners) -> None:
    async def main() -> None:
        async with living(manners) as animal, Caller() as caller:
            await asked(caller, animal.url, INVITATION)
            await asked(caller, animal.url, CALL)
            before = len(animal.heard)
            assert await asked(caller, animal.url, INVITATION) == JOINED
            assert await asked(caller, animal.url, CALL) == CHOSEN
            assert len(animal.heard) == before + 2

    run(main())


def test_a_dialect_found_with_the_invitation_is_tried_first_with_the_choice() -> None:
    async def main() -> None:
        async with living(zoo.by_params_message) as animal, Caller() as caller:
            await asked(caller, animal.url, INVITATION)
            before = len(animal.heard)
            await asked(caller, animal.url, CALL)
            assert len(animal.heard) == before + 1

    run(main())


def test_an_error_is_an_answer_as_soon_as_some_form_has_worked() -> None:
    busy = {"jsonrpc": "2.0", "error": {"code": -32000, "message": "busy"}, "id": None}

    def manners(body: Any) -> zoo.Said:
        return zoo.by_tool(body) if body["method"] == "handle_game_invitation" else (200, busy)

    async def main() -> None:
        async with living(manners) as animal, Caller() as caller:
            await asked(caller, animal.url, INVITATION)
            before = len(animal.heard)
            assert await asked(caller, animal.url, CALL) == Fault(-32000, "busy")
            assert len(animal.heard) == before + 1

    run(main())


def test_who_speaks_as_prescribed_is_asked_once_and_with_an_integer_id() -> None:
    async def main() -> list[Any]:
        async with living(zoo.by_tool) as animal, Caller() as caller:
            await asked(caller, animal.url, INVITATION)
            await asked(caller, animal.url, CALL)
            return animal.heard

    first, second = run(main())
    assert (first["method"], second["method"]) == ("handle_game_invitation", "choose_parity")
    assert [type(heard["id"]) for heard in (first, second)] == [int, int]
    assert first["id"] != second["id"]


# receipts


@pytest.mark.parametrize("word", ["RECEIVED", "acknowledged", "pending"])
def test_a_receipt_that_says_so_is_one_and_nobody_is_asked_twice(word: str) -> None:
    async def main() -> None:
        async with living(lambda body: zoo.result(body, {"status": word})) as animal, Caller() as caller:
            assert await asked(caller, animal.url, INVITATION) == Receipt(200, word)
            assert len(animal.heard) == 1

    run(main())


def test_ok_is_no_join_and_who_says_nothing_else_is_asked_in_every_form_each_time() -> None:
    """It may understand one of them, and post its answer."""

    async def main() -> None:
        async with living(lambda _: (200, {"status": "ok"})) as animal, Caller() as caller:
            for times in (1, 2):
                assert await asked(caller, animal.url, INVITATION) == Receipt(200, "ok")
                assert len(animal.heard) == times * len(forms_of("GAME_INVITATION"))

    run(main())


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (
            (200, {"status": "received"}),
            "Received a receipt for GAME_INVITATION from player:P05: HTTP 200, status='received'",
        ),
        ((200, {"status": "ok"}), "Received a receipt for GAME_INVITATION from player:P05: HTTP 200, status='ok'"),
        ((204, None), "Received a receipt for GAME_INVITATION from player:P05: HTTP 204"),
        (
            (200, {"status": "\x1b[2J" + "x" * 1000}),
            "player:P05 answers GAME_INVITATION with neither what was asked nor an error: HTTP 200, status='\\x1b[2J"
            + 52 * "x",
        ),
        (
            (422, {"detail": "?"}),
            "player:P05 answers GAME_INVITATION with neither what was asked nor an error: HTTP 422",
        ),
    ],
    ids=range(5),
)
def test_that_nothing_came_but_a_receipt_is_said_once(said: zoo.Said, line: str) -> None:
    lines: list[str] = []

    async def main() -> None:
        async with living(lambda _: said) as animal, Caller() as caller:
            with remark_context(Remarks(lines.append)):
                for _ in range(2):
                    assert isinstance(await asked(caller, animal.url, INVITATION), Receipt)

    run(main())
    assert lines == [line]


@pytest.mark.parametrize("status", [200, 201, 202, 204])
def test_a_receipt_without_a_word_is_one(status: int) -> None:
    async def main() -> None:
        async with living(lambda _: (status, None)) as animal, Caller() as caller:
            assert await asked(caller, animal.url, INVITATION) == Receipt(status)

    run(main())


def test_what_is_no_json_is_not_outdone_by_a_failure_that_says_nothing() -> None:
    def manners(body: Any) -> zoo.Said:
        return (200, b"<html>") if body.get("method") == "handle_game_invitation" else (500, {"detail": "KeyError"})

    async def main() -> None:
        async with living(manners) as animal, Caller() as caller:
            with pytest.raises(Unreached, match="no answer that can be read"):
                await asked(caller, animal.url, INVITATION)

    run(main())


def test_the_dialects_of_endless_endpoints_are_not_all_remembered() -> None:
    dialects = Dialects(most=10)
    first = dialects.of("http://localhost:1/mcp")
    for port in range(2, 12):
        dialects.of(f"http://localhost:{port}/mcp")
        if port < 11:
            assert dialects.of("http://localhost:1/mcp") is first
    assert len(dialects._known) == 10


@pytest.mark.parametrize("starting", [(500, b"starting"), (200, {"status": "starting"})])
def test_who_understood_nothing_at_first_is_asked_in_every_form_the_next_time(starting: zoo.Said) -> None:
    """A player that is just starting may answer anything."""
    is_ready: list[bool] = []

    def manners(body: Any) -> zoo.Said:
        return zoo.bare(body) if is_ready else starting

    async def main() -> None:
        async with living(manners) as animal, Caller() as caller:
            with suppress(Unreached):
                assert await asked(caller, animal.url, INVITATION) == Receipt(200, "starting")
            is_ready.append(True)
            assert await asked(caller, animal.url, INVITATION) == JOINED

    run(main())


# the ids are those of the exchange


def test_a_wrong_player_id_and_a_wrong_match_id_in_a_reply_are_those_of_the_call() -> None:
    def manners(body: Any) -> zoo.Said:
        return zoo.result(body, {"accept": True, "player_id": "P99", "match_id": "R9M9", "sender": "player:P98"})

    async def main() -> None:
        async with living(manners) as animal, Caller() as caller:
            assert await asked(caller, animal.url, INVITATION) == JOINED

    run(main())


@pytest.mark.parametrize(
    "said", [{"accept": False}, {"accepted": False}, {"status": "rejected"}, {"status": "DECLINED"}], ids=str
)
def test_who_declines_declines_in_so_many_words(said: dict[str, Any]) -> None:
    async def main() -> None:
        async with living(lambda body: zoo.result(body, said)) as animal, Caller() as caller:
            declined = await asked(caller, animal.url, INVITATION)
            assert isinstance(declined, GameJoinAck)
            assert (declined.accept, declined.player_id) == (False, US)

    run(main())


def test_who_declines_what_is_repeated_is_invited_once() -> None:
    seen: list[str] = []

    def manners(body: Any) -> zoo.Said:
        seen.append(body["params"]["match_id"])
        return zoo.result(body, {"accept": len(seen) == 1})

    async def main() -> None:
        async with living(manners) as animal, Caller() as caller:
            assert await asked(caller, animal.url, INVITATION) == JOINED

    run(main())
    assert len(seen) == 1


def test_a_join_and_a_choice_that_are_posted_reach_the_referee() -> None:
    """The exchange of the call gives a receipt; the answer comes to the referee's own door."""
    posted: list[Incoming] = []

    async def handle(incoming: Incoming) -> LeagueMessage:
        posted.append(incoming)
        return POSTED

    async def main() -> None:
        door = Door(referee(), (GameJoinAck, ChooseParityResponse), handle)

        async def manners(body: Any) -> zoo.Said:
            fields = body["params"]
            said = {"sender": "players:P05", "match_id": fields["match_id"]}
            if fields["message_type"] == "GAME_INVITATION":
                answer = {**said, "status": "JOINED"}
                taken = await post(
                    serving.port, {"jsonrpc": "2.0", "id": 1, "method": "game_join_ack", "params": answer}
                )
            else:
                answer = {**said, "type": "RESPONSE_PARITY_CHOOSE", "choice": "ODD"}
                taken = await post(serving.port, answer)
            assert taken.json.get("result", taken.json)["status"] == "ok"
            return zoo.result(body, {"status": "received"})

        async with served(door) as serving, living(manners) as animal, Caller() as caller:
            assert await asked(caller, animal.url, INVITATION) == Receipt(200, "received")
            assert await asked(caller, animal.url, CALL) == Receipt(200, "received")

    run(main())
    assert [incoming.message for incoming in posted] == [JOINED, CHOSEN]
    assert [incoming.sender for incoming in posted] == ["player:P05", "player:P05"]
