"""Broadcasts to foreign agents: what acknowledges one, what refuses it, and in which form the next one goes out."""

from typing import Any

import pytest

from tests.agents.loops import run
from tests.agents.wire import zoo
from tests.agents.wire.wired import (
    ERROR,
    MATCH,
    OVER,
    PLAYER,
    US,
    asked,
    referee,
    told,
)
from tests.agents.wire.zoo import Animal, Manners, living
from turnstile.agents.wire.caller import Caller
from turnstile.agents.wire.dialect import REFUSALS_PER_FULL_TRY, Dialects, Form, forms_of
from turnstile.agents.wire.replies import Receipt, acknowledgement, is_refusal
from turnstile.agents.wire.rpc import Fault
from turnstile.league.protocol.management import Ping
from turnstile.league.protocol.messages import (
    GameErrorAck,
    GameOverAck,
    RoundAnnouncement,
    RoundAnnouncementAck,
)
from turnstile.league.protocol.words import DEFAULT_LEAGUE, RefereeId, referee_address


@pytest.mark.parametrize(
    ("status", "body"),
    [(200, {"status": "RECEIVED"}), (200, b"thanks"), (500, {"oops": 1}), (200, None), (404, b"<html>"), (405, None)],
)
def test_any_answer_to_a_broadcast_acknowledges_it(status: int, body: Any) -> None:
    async def main() -> None:
        async with living(lambda _: (status, body)) as animal, Caller() as caller:
            assert isinstance(await told(caller, animal.url, OVER), GameOverAck)

    run(main())


def test_a_broadcast_that_was_refused_in_all_forms_is_told_in_one_and_now_and_then_in_all() -> None:
    async def main() -> list[Any]:
        async with living(zoo.not_found) as animal, Caller() as caller:
            for _ in range(REFUSALS_PER_FULL_TRY + 2):
                assert isinstance(await told(caller, animal.url, OVER), GameOverAck)
            return [body.get("method") for body in animal.heard]

    forms = len(forms_of("GAME_OVER"))
    heard = run(main())
    alone = ["notify_match_result"] * (REFUSALS_PER_FULL_TRY - 1)
    assert heard[forms : forms + len(alone)] == alone
    assert heard[forms + len(alone) : -1] == heard[:forms]
    assert heard[-1] == "notify_match_result"


def test_a_refused_broadcast_is_remembered_for_its_endpoint_and_its_type_alone() -> None:
    async def main() -> None:
        async with living(zoo.not_found) as one, living(zoo.not_found) as other, Caller() as caller:
            for animal, message, forms in ((one, OVER, 7), (one, ERROR, 6), (other, OVER, 7), (one, OVER, 1)):
                before = len(animal.heard)
                await told(caller, animal.url, message)
                assert len(animal.heard) == before + forms

    run(main())


def test_a_refused_broadcast_is_tried_in_all_forms_when_a_question_has_worked_in_another() -> None:
    """The endpoint may have been starting, or it takes broadcasts in the form that has just been found."""
    dialect = Dialects().of("http://localhost:1/mcp")
    dialect.refused("GAME_OVER")
    assert dialect.forms("GAME_OVER") == [Form.TOOL]
    dialect.worked("GAME_INVITATION", Form.TYPE)
    assert dialect.forms("GAME_OVER") == [Form.TYPE, *(form for form in forms_of("GAME_OVER") if form is not Form.TYPE)]
    dialect.refused("GAME_OVER")
    dialect.worked("CHOOSE_PARITY_CALL", Form.TYPE)
    assert dialect.forms("GAME_OVER") == [Form.TYPE]


def test_a_broadcast_that_is_taken_again_is_forgotten_as_refused() -> None:
    is_deaf = [True]

    def manners(body: Any) -> zoo.Said:
        return zoo.not_found(body) if is_deaf else zoo.by_type(body)

    async def main() -> None:
        async with living(manners) as animal, Caller() as caller:
            await told(caller, animal.url, OVER)
            is_deaf.clear()
            for forms in (1,) * (REFUSALS_PER_FULL_TRY - 1) + (2, 1):  # the second of all forms is understood
                before = len(animal.heard)
                assert isinstance(await told(caller, animal.url, OVER), GameOverAck)
                assert len(animal.heard) == before + forms

    run(main())


REFUSED: dict[str, tuple[zoo.Said, str]] = {
    "-32601": (zoo.not_found({"id": 1}), "error -32601"),
    "error of its own": ((200, {"error": {"code": 7, "message": "no"}}), "error 7"),
    "422": ((422, {"detail": "?"}), "HTTP 422"),
    "500": ((500, b"<h1>Internal Server Error</h1>"), "HTTP 500"),
    "tool error": ((200, {"result": {**zoo.content("Unknown tool"), "isError": True}}), "tool error"),
}


@pytest.mark.parametrize(("refusal", "status"), REFUSED.values(), ids=list(REFUSED))
def test_a_refusal_is_given_as_what_it_is_and_acknowledges_a_broadcast_with_that_status(
    refusal: zoo.Said, status: str
) -> None:
    async def main() -> None:
        async with living(lambda _: refusal) as animal, Caller() as caller:
            answer = await asked(caller, animal.url, OVER)
            assert is_refusal(answer)
            found = acknowledgement(OVER, PLAYER, answer)
            assert isinstance(found, GameOverAck)
            assert found.status == status

    run(main())


def test_only_what_says_so_is_an_acknowledgement_and_any_other_answer_is_a_receipt() -> None:
    async def main() -> None:
        for said, expected in (
            (
                {"message_type": "GAME_OVER_ACK", "status": "noted"},
                GameOverAck(status="noted", player_id=US, match_id=MATCH),
            ),
            ({"message_type": "GAME_OVER"}, Receipt(200)),
            ({"status": "ok"}, Receipt(200, "ok")),
        ):
            async with living(lambda body, said=said: zoo.result(body, said)) as animal, Caller() as caller:  # type: ignore[misc]
                assert await asked(caller, animal.url, OVER) == expected

    run(main())


REFUSALS: dict[str, zoo.Said] = {
    "invalid request": (200, {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid Request"}, "id": None}),
    "no JSON": (400, {"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": None}),
    "HTTP 400": (400, {"detail": "bad"}),
    "HTTP 500": (500, {"detail": "KeyError: 'method'"}),
    "error of its own": (200, {"error": {"code": 1, "message": "no method"}}),
    "ok": (200, {"status": "ok"}),
}


@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=list(REFUSALS))
def test_who_refuses_a_fallback_for_one_broadcast_is_told_the_next_as_prescribed(refusal: zoo.Said) -> None:
    """It knows no GAME_ERROR, in any form; GAME_OVER it knows as it should."""

    def manners(body: Any) -> zoo.Said:
        return zoo.by_tool(body) if "method" in body else refusal

    async def main() -> list[Any]:
        async with living(manners) as animal, Caller() as caller:
            assert isinstance(await told(caller, animal.url, ERROR), GameErrorAck)
            before = len(animal.heard)
            assert isinstance(await told(caller, animal.url, OVER), GameOverAck)
            return animal.heard[before:]

    (heard,) = run(main())
    assert heard["method"] == "notify_match_result"


@pytest.mark.parametrize("manners", [zoo.by_mcp, zoo.by_receive_tools], ids=["by_mcp", "by_receive_tools"])
def test_who_knows_tools_alone_hears_the_broadcast_that_comes_first(manners: Manners) -> None:
    async def main() -> Any:
        async with living(manners) as animal, Caller() as caller:
            assert isinstance(await told(caller, animal.url, OVER), GameOverAck)
            before = len(animal.heard)
            assert isinstance(await told(caller, animal.url, OVER), GameOverAck)
            assert len(animal.heard) == before + 1
            return animal.heard[-1]

    heard = run(main())
    assert heard["params"]["arguments"]["message_type"] == "GAME_OVER"


def test_a_referee_that_refuses_its_matches_has_not_taken_them_and_a_player_that_does_has_heard_of_them() -> None:
    def busy(body: Any) -> zoo.Said:
        return 200, {"jsonrpc": "2.0", "id": body.get("id"), "error": {"code": -32000, "message": "too many matches"}}

    async def main() -> None:
        async with living(busy) as animal, Caller() as caller:
            round_three = RoundAnnouncement(league_id=DEFAULT_LEAGUE, round_id=3, matches=())
            ways: dict[str, Any] = {"who": referee(), "conversation": "c", "seconds": 5}
            by = referee_address(RefereeId("REF09"))
            refused = await caller.call(animal.url, round_three, to=by, **ways)
            assert refused == Fault(-32000, "too many matches")
            assert acknowledgement(round_three, by, refused) is None
            heard = await caller.call(animal.url, round_three, to=PLAYER, **ways)
            assert isinstance(acknowledgement(round_three, PLAYER, heard), RoundAnnouncementAck)

    run(main())


def test_who_does_not_know_a_ping_is_there_all_the_same_and_is_asked_once() -> None:
    async def main() -> Animal:
        async with living(zoo.not_found) as animal, Caller() as caller:
            ping, by = Ping(league_id=DEFAULT_LEAGUE, round_id=3), referee_address(RefereeId("REF09"))
            came = await caller.call(animal.url, ping, who=referee(), to=by, conversation="c", seconds=5)
            assert came == Fault(-32601, "Method not found")
            answer = acknowledgement(ping, by, came)
            assert isinstance(answer, RoundAnnouncementAck)
            assert (answer.referee_id, answer.round_id) == ("REF09", 3)
            return animal

    assert len(run(main()).heard) == 1
