"""Strangers who speak as the referee of a match: a player of ours hears none of them, and tells them nothing."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.agents.agents_in_process import in_process_agents, run
from tests.agents.foreign import foreign_league
from tests.agents.loops import until
from tests.agents.player.stage import Stage, stage
from tests.agents.wire.wired import post
from tests.agents.wire.zoo import Body
from turnstile.league.player.state import Phase

KEY, OTHER_KEY = "tok-0123456789abcdef-mine", "tok-0123456789abcdef-theirs"
BAD_TOKEN = 4001
TO_PLAYERS = ("GAME_INVITATION", "CHOOSE_PARITY_CALL", "GAME_OVER")


def said(message_type: str, match: str = "R1M1", round_id: int = 1) -> Body:
    """The fields of a message as the referee itself would write them."""
    ids: Body = {"match_id": match, "league_id": "foreign", "round_id": round_id, "game_type": "even_odd"}
    result: Body = {"status": "DRAW", "winner_player_id": None, "drawn_number": None, "choices": {}, "reason": "-"}
    context = {"opponent_id": "P02", "round_id": round_id, "your_standings": {}}
    more: dict[str, Body] = {
        "GAME_INVITATION": {"role_in_match": "PLAYER_A", "opponent_id": "P02"},
        "CHOOSE_PARITY_CALL": {"player_id": "P01", "context": context},
        "GAME_MOVE_CALL": {
            "player_id": "P01",
            "move_number": 1,
            "move_request": {"move_type": "any", "valid_options": [1, 2], "context": {**context, "view": {}}},
        },
        "GAME_OVER": {"game_result": result},
        "GAME_ERROR": {"error_code": "E001", "error_name": "TIMEOUT_ERROR", "affected_player": "P01"},
    }
    return {**ids, **more[message_type]}


class Keyed:
    """A player whose match was announced with a key, and whoever speaks to it as its referee."""

    def __init__(self, on: Stage) -> None:
        self.on = on

    async def announce(self, match: str = "R1M1", round_id: int = 1, key: str = KEY) -> Body:
        entry = {"match_id": match, "player_A_id": "P01", "player_B_id": "P02", "referee_id": "REF01"}
        entry |= {"referee_endpoint": "http://localhost:1/mcp", "game_type": "even_odd", "player_A_key": key}
        return await self.on.say(
            "ROUND_ANNOUNCEMENT", "league_manager", league_id="foreign", round_id=round_id, matches=[entry]
        )

    async def say(self, message_type: str, token: str | None = None, **where: Any) -> Body:
        shown = {} if token is None else {"auth_token": token}
        return await self.on.say(message_type, **said(message_type, **where), **shown)


EVERYTHING = ("GAME_INVITATION", "CHOOSE_PARITY_CALL", "GAME_MOVE_CALL", "GAME_OVER", "GAME_ERROR")


@pytest.mark.parametrize("token", [None, "tok-another", OTHER_KEY])
def test_A6_a_player_tells_nothing_to_who_does_not_show_the_key_of_its_match(tmp_path: Path, token: str | None) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter(strategy="always:odd")
            keyed = Keyed(on)
            await keyed.announce()

            async def be_turned_down() -> None:
                before = on.state
                for kind in EVERYTHING:
                    assert (await keyed.say(kind, token))["code"] == BAD_TOKEN
                assert on.state is before

            await be_turned_down()
            assert (await keyed.say("GAME_INVITATION", KEY))["accept"]
            await be_turned_down()
            assert (await keyed.say("CHOOSE_PARITY_CALL", KEY))["parity_choice"] == "odd"
            await be_turned_down()
            assert on.state.phase is Phase.WAITING_FOR_RESULT
            assert (await keyed.say("GAME_ERROR", KEY))["message_type"] == "GAME_ERROR_ACK"
            assert (await keyed.say("GAME_OVER", KEY))["message_type"] == "GAME_OVER_ACK"
            await be_turned_down()
            assert KEY not in on.here.journal.getvalue()
            assert KEY not in (await post(on.player.port, None, "/health", "GET")).body.decode()

    run(play())


def test_A6_a_player_asks_for_the_key_after_a_restart_and_of_a_round_that_waits(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter()
            keyed = Keyed(on)
            await keyed.announce()
            await keyed.say("GAME_INVITATION", KEY)
            await keyed.announce("R2M1", 2, OTHER_KEY)
            port = on.player.port
            await on.player.drop()
            await on.enter(port=port)
            for token in (None, KEY):
                assert (await keyed.say("GAME_INVITATION", token, match="R2M1", round_id=2))["code"] == BAD_TOKEN
            assert (await keyed.say("GAME_OVER"))["code"] == BAD_TOKEN
            assert (await keyed.say("GAME_INVITATION", OTHER_KEY, match="R2M1", round_id=2))["accept"]

    run(play())


def test_A6_what_was_said_before_the_announcement_is_judged_by_what_is_known_when_its_turn_comes(
    tmp_path: Path,
) -> None:
    """A stranger's invitation and result stand in the queue behind the announcement that brings the key."""

    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter()
            keyed = Keyed(on)
            lock = on.player.host.work.keeper.lock
            await lock.acquire()
            waiting = len(lock._waiters or ())
            told = [asyncio.create_task(keyed.announce())]
            for kind in (None, "GAME_INVITATION", "GAME_OVER"):
                if kind is not None:
                    told.append(asyncio.create_task(keyed.say(kind)))
                waiting += 1
                await until(lambda waiting=waiting: len(lock._waiters or ()) == waiting)  # type: ignore[misc]
            lock.release()
            answers = await asyncio.gather(*told)
            assert [answer.get("code") for answer in answers] == [None, BAD_TOKEN, BAD_TOKEN]
            assert on.state.phase is Phase.WAITING_FOR_ROUND

    run(play())


def test_A6_a_referee_shows_each_player_the_key_of_its_own_and_nobody_else_sees_it(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:
            await league.enter("P01")
            await league.enter("P02")
            keys = {"player_A_key": KEY, "player_B_key": OTHER_KEY}
            await league.announce(league.entry("R1M1", **keys))
            await league.reports.get()
            for kind in TO_PLAYERS:
                assert {said["auth_token"] for said in league.heard("P01", kind)} == {KEY}
                assert {said["auth_token"] for said in league.heard("P02", kind)} == {OTHER_KEY}
            await until(lambda: "R1M1" in league.here.match_files())
            left = repr(league.here.match_files()) + league.here.journal.getvalue()
            health = await post(league.referee.port, None, "/health", "GET")
            assert not any(key in left + health.body.decode() for key in keys.values())

    run(play())


def test_A6_a_league_of_ours_is_played_with_keys_and_a_stranger_learns_no_choice(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            manager = await here.manager(2)
            ana = await here.player("Ana", "always:odd")
            await here.player("Bo", "always:even")
            await here.referee()
            learned: list[Body] = []
            while not ana.host.work.state.history:
                fields = said("CHOOSE_PARITY_CALL")
                envelope = {"protocol": "league.v2", "message_type": "CHOOSE_PARITY_CALL", "sender": "referee:REF01"}
                body = {"jsonrpc": "2.0", "id": 7, "method": "choose_parity", "params": {**envelope, **fields}}
                learned.append((await post(ana.port, body)).json)
            await until(lambda: manager.host.work.state.phase == "LEAGUE_COMPLETE")
            assert "parity_choice" not in repr(learned)
            assert [tally.technical_losses for tally in manager.host.work.state.tallies] == [0, 0]

    run(play())
