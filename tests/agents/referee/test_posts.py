"""Answers that are posted: with a proof that they were asked for, or on one machine without it."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.agents.agents_in_process import run
from tests.agents.foreign import ForeignLeague, foreign_league, joins
from tests.agents.loops import until
from tests.agents.wire.zoo import Body
from turnstile.net.addresses import THIS_MACHINE, Reach, allowing

WIDER = allowing(THIS_MACHINE, "10.1.0.0/16")


async def with_poster(league: ForeignLeague, said: list[Body]) -> None:
    """P01 gives receipts and posts its answers without the conversation id; P02 is as it should be."""

    async def posting(fields: Body) -> Body:
        answer = joins(fields, "even")
        kind = answer.pop("message_type", None)
        if kind is not None:
            ids = {"match_id": fields["match_id"], "player_id": "P01"}
            posted = await league.post(kind, "player:P01", **ids, **answer)
            said.append(posted.json)
        return {"status": "received"}

    await league.enter("P01", posting)
    await league.enter("P02")


@pytest.mark.parametrize(("reach", "trusts"), [(THIS_MACHINE, None), (WIDER, True)])
def test_a_referee_that_trusts_posts_takes_them_without_a_conversation(
    tmp_path: Path, reach: Reach, trusts: bool | None
) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path, reach=reach, trusts_posts=trusts) as league:
            said: list[Body] = []
            await with_poster(league, said)
            await league.hand_out()
            assert (await league.reports.get())["result"]["details"]["choices"] == {"P01": "even", "P02": "odd"}
            assert [body["result"]["status"] for body in said] == ["ok", "ok"]

    run(play())


@pytest.mark.parametrize(("reach", "trusts"), [(THIS_MACHINE, False), (WIDER, None)])
def test_any_other_referee_refuses_them(tmp_path: Path, reach: Reach, trusts: bool | None) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path, reach=reach, trusts_posts=trusts) as league:
            said: list[Body] = []
            await with_poster(league, said)
            await league.hand_out()
            await league.wait_in_vain("GAME_INVITATION")
            assert (await league.reports.get())["result"]["winner"] == "P02"
            assert {body["error"]["code"] for body in said} == {4002}

    run(play())


def test_A6_nobody_answers_for_its_opponent_with_its_own_conversation_though_posts_are_trusted(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path, trusts_posts=True) as league:
            asked = asyncio.Event()

            async def slow(fields: Body) -> Body:
                await asked.wait()
                return joins(fields)

            await league.enter("P01")
            await league.enter("P02", slow)
            await league.hand_out()
            await until(lambda: bool(league.heard("P01", "GAME_INVITATION")))
            mine = league.heard("P01", "GAME_INVITATION")[0]["conversation_id"]
            forged: dict[str, Any] = {"match_id": "R1M1", "player_id": "P02", "conversation_id": mine}
            answer = await league.post("GAME_JOIN_ACK", "player:P02", accept=False, **forged)
            assert answer.json["error"]["code"] == 4002
            asked.set()
            assert (await league.reports.get())["result"]["details"]["status"] != "TECHNICAL_LOSS"

    run(play())


# what is not asked for any more


async def waiting_for_p02(league: ForeignLeague, until_asked: str, match: str = "R1M1") -> asyncio.Event:
    """P01 answers at once, P02 when it is let; it has been asked."""
    let = asyncio.Event()

    async def slow(fields: Body) -> Body:
        if fields["message_type"] == until_asked:
            await let.wait()
        return joins(fields)

    await league.enter("P01")
    await league.enter("P02", slow)
    await league.hand_out(match)
    await until(lambda: bool(league.heard("P02", until_asked)))
    return let


def test_a_second_choice_counts_and_is_answered_as_one_that_does_though_its_player_is_warned(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path, trusts_posts=True) as league:
            let = await waiting_for_p02(league, "CHOOSE_PARITY_CALL")
            work = next(iter(league.referee.host._matches._all.values()))
            await until(lambda: work.state.seats[0].has_answered)
            shown = league.heard("P01", "CHOOSE_PARITY_CALL")[0]["conversation_id"]
            ids = {"match_id": "R1M1", "player_id": "P01", "conversation_id": shown}
            posted = await league.post("CHOOSE_PARITY_RESPONSE", "player:P01", parity_choice="even", **ids)
            assert posted.json["result"]["status"] == "ok"
            posted = await league.post("CHOOSE_PARITY_RESPONSE", "player:P01", parity_choice="seven", **ids)
            assert posted.json["error"]["code"] == 4004
            let.set()
            assert (await league.reports.get())["result"]["details"]["choices"] == {"P01": "even", "P02": "odd"}
            await until(lambda: len(league.heard("P01", "GAME_ERROR")) == 2)
            told = {error["error_name"] for error in league.heard("P01", "GAME_ERROR")}
            assert told == {"INVALID_STATE", "INVALID_CHOICE"}

    run(play())


def test_a_choice_that_nobody_has_asked_for_yet_is_ignored(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path, trusts_posts=True) as league:
            let = await waiting_for_p02(league, "GAME_INVITATION")
            assert await late(league, "R1M1") == ("ACK", "IGNORED")
            assert not league.heard("P01", "GAME_ERROR"), "anybody may have said it"
            shown = league.heard("P01", "GAME_INVITATION")[0]["conversation_id"]
            assert await late(league, "R1M1", conversation_id=shown) == ("ACK", "IGNORED")
            await until(lambda: bool(league.heard("P01", "GAME_ERROR")))
            assert league.heard("P01", "GAME_ERROR")[0]["error_name"] == "INVALID_STATE"
            let.set()
            assert (await league.reports.get())["result"]["details"]["choices"] == {"P01": "odd", "P02": "odd"}

    run(play())


def test_what_is_posted_about_a_match_that_is_over_is_ignored_wherever_its_player_is_now(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path, trusts_posts=True) as league:
            (await waiting_for_p02(league, "CHOOSE_PARITY_CALL")).set()
            await league.reports.get()
            await until(lambda: not league.referee.host.health()["matches_under_way"])
            assert await late(league, "R1M1") == ("ACK", "IGNORED")
            let = await waiting_for_p02(league, "GAME_INVITATION", "R2M1")
            assert await late(league, "R1M1") == ("ACK", "IGNORED")
            assert not league.heard("P01", "GAME_ERROR")
            assert await late(league, "R9M9") == 4003
            assert not league.heard("P01", "GAME_ERROR"), "anybody may have said it"
            shown = league.heard("P01", "GAME_INVITATION")[-1]["conversation_id"]
            assert await late(league, "R9M9", conversation_id=shown) == 4003
            await until(lambda: bool(league.heard("P01", "GAME_ERROR")))
            assert league.heard("P01", "GAME_ERROR")[0]["error_name"] == "MATCH_NOT_FOUND"
            let.set()
            await league.reports.get()

    run(play())


def test_what_is_posted_about_a_match_that_still_waits_is_ignored(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path, trusts_posts=True, capacity=1) as league:
            let = await waiting_for_p02(league, "GAME_INVITATION")
            await league.hand_out("R1M2")
            assert await late(league, "R1M2") == ("ACK", "IGNORED")
            let.set()
            for _ in range(2):
                assert (await league.reports.get())["result"]["details"]["choices"] == {"P01": "odd", "P02": "odd"}

    run(play())


async def late(league: ForeignLeague, match: str, **shown: str) -> Any:
    """What P01 hears when it posts a choice in this match."""
    fields = {"match_id": match, "player_id": "P01", "parity_choice": "even", **shown}
    posted = (await league.post("CHOOSE_PARITY_RESPONSE", "player:P01", **fields)).json
    if "error" in posted:
        return posted["error"]["code"]
    return posted["result"]["message_type"], posted["result"]["status"]
