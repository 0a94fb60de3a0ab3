"""Our caller among foreign agents: each of them joins and chooses, and is understood."""

from contextlib import suppress
from typing import Any

import pytest

from tests.agents import zoo
from tests.agents.loops import run
from tests.agents.wired import CALL, CHOSEN, ERROR, INVITATION, JOINED, OVER, US, asked, post, referee
from tests.agents.zoo import Animal, Manners, living
from turnstile.agents.caller import Caller, Unreached
from turnstile.agents.dialect import Dialects, forms_of
from turnstile.agents.envelope import POSTED
from turnstile.agents.incoming import Incoming
from turnstile.agents.remarks import Remarks, hearing
from turnstile.agents.replies import Receipt
from turnstile.agents.rpc import Fault
from turnstile.agents.server import Door
from turnstile.agents.serving import served
from turnstile.league.management import Ping
from turnstile.league.messages import (
    ChooseParityResponse,
    GameErrorAck,
    GameJoinAck,
    GameOverAck,
    LeagueMessage,
    RoundAnnouncement,
    RoundAnnouncementAck,
)
from turnstile.league.words import DEFAULT_LEAGUE, RefereeId, player_address, referee_address


def names(manners: Manners) -> str:
    return manners.__name__


@pytest.mark.parametrize("manners", zoo.DIALECTS, ids=names)
def test_a_join_and_a_choice_come_from_every_dialect(manners: Manners) -> None:
    async def main() -> None:
        async with living(manners) as animal, Caller() as caller:
            assert await asked(caller, animal.url, INVITATION) == JOINED
            assert await asked(caller, animal.url, CALL) == CHOSEN
            assert isinstance(await asked(caller, animal.url, OVER), GameOverAck)

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
            with hearing(Remarks(lines.append)):
                for _ in range(2):
                    assert isinstance(await asked(caller, animal.url, INVITATION), Receipt)

    run(main())
    assert lines == [line]


@pytest.mark.parametrize("status", [202, 204])
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


# broadcasts


@pytest.mark.parametrize(
    ("status", "body"),
    [(200, {"status": "RECEIVED"}), (200, b"thanks"), (500, {"oops": 1}), (200, None), (404, b"<html>"), (405, None)],
)
def test_any_answer_to_a_broadcast_acknowledges_it(status: int, body: Any) -> None:
    async def main() -> None:
        async with living(lambda _: (status, body)) as animal, Caller() as caller:
            assert isinstance(await asked(caller, animal.url, OVER), GameOverAck)

    run(main())


def test_who_knows_no_broadcast_has_heard_it_all_the_same_and_nothing_is_learnt_from_that() -> None:
    async def main() -> Animal:
        async with living(zoo.not_found) as animal, Caller() as caller:
            for _ in range(3):
                assert isinstance(await asked(caller, animal.url, OVER), GameOverAck)
            return animal

    forms = forms_of("GAME_OVER")
    heard = run(main()).heard
    assert len(heard) == 3 * len(forms)
    assert [body["method"] for body in heard[:: len(forms)]] == ["notify_match_result"] * 3


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
            assert isinstance(await asked(caller, animal.url, ERROR), GameErrorAck)
            before = len(animal.heard)
            assert isinstance(await asked(caller, animal.url, OVER), GameOverAck)
            return animal.heard[before:]

    (heard,) = run(main())
    assert heard["method"] == "notify_match_result"


@pytest.mark.parametrize("manners", [zoo.by_mcp, zoo.by_receive_tools], ids=names)
def test_who_knows_tools_alone_hears_the_broadcast_that_comes_first(manners: Manners) -> None:
    async def main() -> Any:
        async with living(manners) as animal, Caller() as caller:
            assert isinstance(await asked(caller, animal.url, OVER), GameOverAck)
            before = len(animal.heard)
            assert isinstance(await asked(caller, animal.url, OVER), GameOverAck)
            assert len(animal.heard) == before + 1
            return animal.heard[-1]

    heard = run(main())
    assert heard["params"]["arguments"]["message_type"] == "GAME_OVER"


def test_a_referee_that_refuses_its_matches_has_not_taken_them_and_a_player_that_does_has_heard_of_them() -> None:
    def busy(body: Any) -> zoo.Said:
        return 200, {"jsonrpc": "2.0", "id": body.get("id"), "error": {"code": -32000, "message": "too many matches"}}

    async def main() -> None:
        async with living(busy) as animal, Caller() as caller:
            told = RoundAnnouncement(league_id=DEFAULT_LEAGUE, round_id=3, matches=())
            ways: dict[str, Any] = {"who": referee(), "conversation": "c", "seconds": 5}
            refused = await caller.call(animal.url, told, to=referee_address(RefereeId("REF09")), **ways)
            assert refused == Fault(-32000, "too many matches")
            assert isinstance(await caller.call(animal.url, told, to=player_address(US), **ways), RoundAnnouncementAck)

    run(main())


def test_who_does_not_know_a_ping_is_there_all_the_same_and_is_asked_once() -> None:
    async def main() -> Animal:
        async with living(zoo.not_found) as animal, Caller() as caller:
            ping = Ping(league_id=DEFAULT_LEAGUE, round_id=3)
            answer = await caller.call(
                animal.url, ping, who=referee(), to=referee_address(RefereeId("REF09")), conversation="c", seconds=5
            )
            assert isinstance(answer, RoundAnnouncementAck)
            assert (answer.referee_id, answer.round_id) == ("REF09", 3)
            return animal

    assert len(run(main()).heard) == 1


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
