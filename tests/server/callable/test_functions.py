"""The callable functions on the wire, byte by byte, over real sockets."""

import asyncio
import json
from typing import Any

import pytest

from tests.agents.loops import run
from tests.server.callable.calls import Caller, callers, choice, play, send
from tests.server.callable.queries import is_my_turn
from tests.server.servers import Site, site
from turnstile.server import ServerSettings

PREFIXES = ["/callable/", "/demo-project/us-central1/"]
INT64 = "type.googleapis.com/google.protobuf.Int64Value"


async def started(here: Site, *names: str, **options: Any) -> tuple[str, list[Caller]]:
    room, players = await callers(here, *names, **options)
    await players[0].call("startGame", roomId=room)
    return room, players


async def bettors(room: str, players: list[Caller]) -> list[Caller]:
    order = (await players[0].game(room))["currentRound"]["bettingOrder"]
    return [next(caller for caller in players if caller.player == player) for player in order]


@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_whole_match_is_played_by_callable_functions_alone(prefix: str) -> None:
    async def main() -> None:
        async with site() as here:
            room, players = await callers(here, "Ana", "Bo", "Cleo", maxRoundSize=2)
            for caller in players:
                caller.prefix = prefix
            assert (await players[0].game(room))["status"] == "waiting"
            await players[0].call("startGame", roomId=room)
            assert (await players[1].game(room))["status"] == "betting"  # no player has acknowledged anything
            await play(room, players)
            ended = await players[2].game(room)
            assert [each["roundNumber"] for each in ended["completedRounds"]] == [1, 2, 3]

    run(main())


def test_the_answer_is_a_result_and_nothing_else() -> None:
    async def main() -> None:
        async with site() as here:
            room, (ana, _) = await callers(here, "Ana", "Bo")
            status, text = await ana.send("startGame", {"roomId": room, "playerId": ana.player})
            assert (status, text) == (200, f'{{"result":{{"roomId":"{room}","seq":1}}}}')

    run(main())


def test_the_errors_of_the_specification_have_its_texts() -> None:
    async def main() -> None:
        async with site() as here:
            room, players = await callers(here, "Ana", "Bo", maxRoundSize=2)
            ana, bo = players
            told = await bo.error("startGame", roomId=room)
            assert told == (403, "PERMISSION_DENIED", "Only admin can start game")
            await ana.call("startGame", roomId=room)
            first, last = await bettors(room, players)
            told = await last.error("placeBet", bet=0)
            assert told == (400, "FAILED_PRECONDITION", "Not your turn to bet")
            told = await first.error("placeBet", bet=2)
            assert told == (400, "OUT_OF_RANGE", "Bet must be from 0 to 1.")
            await first.call("placeBet", bet=0)
            told = await last.error("placeBet", bet=1)
            assert told == (400, "FAILED_PRECONDITION", "Last player cannot make sum equal to round size")
            await last.call("placeBet", bet=0)
            card = (await first.game(room))["currentRound"]["mesa"]
            told = await first.error("playCard", card=card)
            assert told == (400, "FAILED_PRECONDITION", "Not your turn")
            told = await last.error("playCard", card=card)
            assert told == (400, "FAILED_PRECONDITION", "Card not in hand")

    run(main())


def test_a_player_who_holds_the_pinta_must_follow_it() -> None:
    async def main() -> None:
        async with site() as here:
            room, players = await started(here, "Ana", "Bo", maxRoundSize=7)
            while True:
                game = await players[0].game(room)
                (active,) = [caller for caller in players if is_my_turn(game, caller.player)]
                own = await active.game(room)
                hand = next(each["hand"] for each in own["players"] if each["id"] == active.player)
                pinta = own["currentRound"]["currentHand"] and own["currentRound"]["currentHand"]["pinta"]
                wrong = [card for card in hand if card["suit"] != pinta]
                if pinta and wrong and len(wrong) < len(hand):
                    told = await active.error("playCard", card=wrong[0])
                    assert told == (400, "FAILED_PRECONDITION", "Must follow pinta suit")
                    return
                name, data = choice(own, active.player)
                await active.call(name, **data)

    run(main())


def test_one_player_is_too_few() -> None:
    async def main() -> None:
        async with site() as here:
            room, (ana,) = await callers(here, "Ana")
            told = await ana.error("startGame", roomId=room)
            assert told == (400, "FAILED_PRECONDITION", "At least two players are needed to start the game")

    run(main())


def test_the_details_of_an_error_have_its_code() -> None:
    async def main() -> None:
        async with site() as here:
            room, (_, bo) = await callers(here, "Ana", "Bo")
            _, text = await bo.send("startGame", {"roomId": room, "playerId": bo.player})
            assert text == (
                '{"error":{"status":"PERMISSION_DENIED","message":"Only admin can start game",'
                '"details":{"code":"NotAdmin"}}}'
            )

    run(main())


def test_playerId_must_be_the_callers_own() -> None:
    async def main() -> None:
        async with site() as here:
            room, (ana, bo) = await callers(here, "Ana", "Bo")
            for caller, player in ((bo, ana.player), (ana, ""), (ana, "nobody")):
                told = await caller.error("startGame", roomId=room, playerId=player)
                assert told == (403, "PERMISSION_DENIED", "playerId must be your own.")
            assert (await ana.game(room))["status"] == "waiting"

    run(main())


def test_without_a_roomId_the_one_running_table_is_meant() -> None:
    async def main() -> None:
        async with site() as here:
            room, players = await callers(here, "Ana", "Bo")
            ana, bo = players
            told = await ana.error("placeBet", bet=0)
            assert told == (400, "FAILED_PRECONDITION", "You have no running table of Up-Down: give a roomId.")
            await ana.call("startGame", roomId=room)
            first, _ = await bettors(room, players)
            other = await here.table(bo.guest, ana.guest, game="up-down")  # waits, so it does not count
            assert (await first.call("placeBet", bet=0))["roomId"] == room
            await bo.call("startGame", roomId=other)
            first, _ = await bettors(other, players)
            told = await first.error("placeBet", bet=0)
            assert told == (400, "FAILED_PRECONDITION", "You have several running tables of Up-Down: give a roomId.")
            assert (await first.call("placeBet", bet=0, roomId=other))["roomId"] == other

    run(main())


def test_tables_of_other_games_and_unknown_tables_are_not_found() -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            for room in (await here.table(ana, bo, game="e-card"), "nowhere"):
                status, name, _ = await Caller(ana).error("startGame", roomId=room)
                assert (status, name) == (404, "NOT_FOUND")
                assert (await ana.refusal("GET", f"/callable/games/{room}")) == (404, "NoSuchTable")

    run(main())


def test_a_caller_without_a_seat_may_not_act() -> None:
    async def main() -> None:
        async with site() as here:
            room, _ = await started(here, "Ana", "Bo")
            stranger = Caller(await here.register("Cleo"))
            status, name, _ = await stranger.error("placeBet", bet=0, roomId=room)
            assert (status, name) == (403, "PERMISSION_DENIED")
            told = await stranger.error("startGame", roomId=room)
            assert told[:2] == (400, "FAILED_PRECONDITION")  # the match has begun

    run(main())


def test_a_connected_player_acknowledges_for_itself() -> None:
    async def main() -> None:
        async with site() as here:
            room, (ana, bo) = await callers(here, "Ana", "Bo")
            wire = await bo.guest.hello(room)
            await ana.call("startGame", roomId=room)
            assert (await ana.game(room))["status"] == "waiting"
            update = await wire.until("update")
            await wire.send("ack", upto=update["seq"])
            while (await ana.game(room))["status"] != "betting":
                await asyncio.sleep(0.001)

    run(main())


def test_a_reader_that_comes_after_the_start_misses_no_update() -> None:
    async def main() -> None:
        async with site() as here:
            room, (_, bo) = await started(here, "Ana", "Bo")
            wire = await bo.guest.hello(room)
            assert (await wire.until("update"))["seq"] == 1

    run(main())


def test_a_match_that_was_started_otherwise_begins_with_the_first_look_of_its_callers() -> None:
    async def main() -> None:
        async with site() as here:
            room, (ana, bo) = await callers(here, "Ana", "Bo")
            await ana.guest.command(room, "start")
            assert (await ana.game(room))["status"] == "waiting"
            await bo.send("placeBet", {"playerId": bo.player, "bet": 0})  # a call acknowledges, accepted or not
            assert (await ana.game(room))["status"] == "betting"

    run(main())


# the argument

CASES: list[tuple[Any, str]] = [
    ({"data": {}, "more": 1}, "INVALID_ARGUMENT"),
    ({}, "INVALID_ARGUMENT"),
    ([], "INVALID_ARGUMENT"),
    ({"data": None}, "INVALID_ARGUMENT"),
    ({"data": {"playerId": "p", "bet": 1, "more": 2}}, "INVALID_ARGUMENT"),
    ({"data": {"playerId": "p", "bet": "1"}}, "INVALID_ARGUMENT"),
    ({"data": {"playerId": "p", "bet": True}}, "INVALID_ARGUMENT"),
    ({"data": {"playerId": "p", "bet": 1.5}}, "INVALID_ARGUMENT"),
    ({"data": {"playerId": "p", "bet": 2**60}}, "INVALID_ARGUMENT"),
    ({"data": {"playerId": "p", "bet": {"@type": INT64, "value": "9" * 20}}}, "INVALID_ARGUMENT"),
    ({"data": {"playerId": "p", "bet": {"@type": INT64, "value": "9" * 5000}}}, "INVALID_ARGUMENT"),
    ({"data": {"playerId": "p", "bet": {"@type": INT64, "value": "x"}}}, "INVALID_ARGUMENT"),
    ({"data": {"playerId": "p", "bet": {"@type": INT64}}}, "INVALID_ARGUMENT"),
    ({"data": {"playerId": "p", "bet": {"@type": "other", "value": "1"}}}, "INVALID_ARGUMENT"),
    ({"data": {"playerId": "p", "bet": 1, "roomId": "r" * 65}}, "INVALID_ARGUMENT"),
    (b'{"data": 1, "data": 2}', "INVALID_ARGUMENT"),
    (b"{", "INVALID_ARGUMENT"),
    (b'{"data": "' + b"x" * 70_000 + b'"}', "INVALID_ARGUMENT"),
]


@pytest.mark.parametrize(("body", "name"), CASES, ids=lambda case: str(case)[:60])
def test_bad_data_is_refused(body: Any, name: str) -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            status, text = await send(here, "/callable/placeBet", body, token=ana.token)
            told = json.loads(text)
            assert (status, told["error"]["status"]) == (400, name), text

    run(main())


def test_numbers_may_come_as_objects_and_charset_is_tolerated() -> None:
    async def main() -> None:
        async with site() as here:
            room, players = await started(here, "Ana", "Bo")
            first, _ = await bettors(room, players)
            data = {"playerId": first.player, "bet": {"@type": INT64, "value": "0"}, "roomId": None}
            status, _ = await first.send("placeBet", data, **{"Content-Type": "application/json; charset=utf-8"})
            assert status == 200

    run(main())


@pytest.mark.parametrize("card", [{"suit": "hearts", "rank": "1"}, {"suit": "H", "rank": "2"}, "AH", {}, None])
def test_a_card_has_a_suit_and_a_rank(card: Any) -> None:
    async def main() -> None:
        async with site() as here:
            _, (ana, _) = await started(here, "Ana", "Bo")
            status, name, _ = await ana.error("playCard", card=card)
            assert (status, name) == (400, "INVALID_ARGUMENT")

    run(main())


def test_other_methods_and_media_types_are_invalid_arguments() -> None:
    async def main() -> None:
        async with site() as here:
            for method in ("GET", "PUT"):
                async with here.client.request(method, here.url + "/callable/startGame") as response:
                    assert response.status == 400
                    assert (await response.json())["error"]["status"] == "INVALID_ARGUMENT"
            ana = await here.register("Ana")
            plain = {"Content-Type": "text/plain"}
            status, text = await send(here, "/callable/startGame", {"data": {}}, token=ana.token, **plain)
            assert (status, json.loads(text)["error"]["status"]) == (400, "INVALID_ARGUMENT")

    run(main())


def test_without_a_valid_token_a_call_is_unauthenticated() -> None:
    async def main() -> None:
        async with site() as here:
            for token in (None, "wrong"):
                status, text = await send(here, "/callable/startGame", {"data": {}}, token=token)
                assert (status, json.loads(text)["error"]["status"]) == (401, "UNAUTHENTICATED")

    run(main())


@pytest.mark.parametrize("prefix", PREFIXES)
def test_there_are_no_other_functions(prefix: str) -> None:
    async def main() -> None:
        async with site() as here:
            status, text = await send(here, prefix + "stopGame", {"data": {}})
            assert (status, json.loads(text)["error"]["status"]) == (404, "NOT_FOUND")
            status, text = await send(here, prefix + "stopGame", {"data": {}}, Accept="text/event-stream")
            assert (status, json.loads(text.removeprefix("data: "))["error"]["status"]) == (200, "NOT_FOUND")

    run(main())


SLOW = ServerSettings(port=0, operations_port=0, dev=True, commands_per_second=0.5)


def test_too_many_calls_exhaust_a_resource() -> None:
    async def main() -> None:
        async with site(SLOW) as here:
            ana = Caller(await here.register("Ana"))
            found = {(await ana.error("placeBet", bet=0))[:2] for _ in range(3)}
            assert found == {(400, "FAILED_PRECONDITION"), (429, "RESOURCE_EXHAUSTED")}

    run(main())


def test_after_too_many_calls_the_caller_is_told_how_long_to_wait() -> None:
    """As everywhere: which limit, how many seconds, and the header that programs know."""

    async def main() -> None:
        async with site(SLOW) as here:
            ana = Caller(await here.register("Ana"))
            while (await ana.error("placeBet", bet=0))[0] != 429:
                pass
            body = {"data": {"playerId": ana.player, "bet": 0}}
            headers = {"Authorization": f"Bearer {ana.guest.token}"}
            async with here.client.post(here.url + "/callable/placeBet", json=body, headers=headers) as response:
                details = (await response.json())["error"]["details"]
                assert (details["code"], details["limit"]) == ("TooFast", "commands")
                assert 0 < details["seconds"] <= 2
                assert response.headers["Retry-After"] in ("1", "2")

    run(main())


# streams


def test_a_stream_ends_with_the_result_or_with_the_error_and_its_status_is_200() -> None:
    async def main() -> None:
        async with site() as here:
            room, players = await callers(here, "Ana", "Bo")
            ana, bo = players
            events = {"Accept": "text/event-stream"}
            status, text = await bo.send("startGame", {"roomId": room, "playerId": bo.player}, **events)
            error = json.loads(text.removeprefix("data: "))["error"]
            assert (status, error["message"]) == (200, "Only admin can start game")
            status, text = await ana.send("startGame", {"roomId": room, "playerId": ana.player}, **events)
            assert (status, text) == (200, f'data: {{"result":{{"roomId":"{room}","seq":1}}}}\n\n')
            for body, token in (({"data": None}, ana.guest.token), ({"data": {}}, "wrong"), (b"{", None)):
                status, text = await send(here, "/callable/placeBet", body, token=token, **events)
                assert status == 200
                assert set(json.loads(text.removeprefix("data: "))) == {"error"}

    run(main())
