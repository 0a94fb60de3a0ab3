"""A referee among strangers: assignments of every kind, answers of every kind, and one result of each match."""

import asyncio
import json
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.agents.agents_in_process import in_process_agents, run
from tests.agents.foreign import ForeignLeague, foreign_league, joins
from tests.agents.loops import until
from tests.agents.wire.zoo import Body, living, result
from tests.agents.wire.zoo import Said as Answer
from turnstile.league.referee.calls import MANAGER_TIMER, PLAYER_TIMERS


async def gone(league: ForeignLeague) -> None:
    await until(lambda: not league.referee.host.health()["matches_under_way"])


def file_of(data: Path, match: str = "R1M1") -> Any:
    return json.loads((data / "data" / "matches" / "foreign" / f"{match}.json").read_text())


def is_finished(path: Path) -> bool:
    return bool(json.loads(path.read_text())["lifecycle"]["state"] == "FINISHED")


def test_a_match_that_is_handed_out_on_its_own_is_led_and_reported(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:
            await league.enter("P01", lambda fields: joins(fields, "even"))
            await league.enter("P02")
            said = await league.hand_out()
            assert (said.json["result"]["message_type"], said.json["result"]["status"]) == (
                "RUN_MATCH_ACK",
                "acknowledged",
            )
            report = await league.reports.get()
            assert report["auth_token"] == "tok-ref01-secret"  # noqa: S105
            assert report["result"]["details"]["choices"] == {"P01": "even", "P02": "odd"}
            await gone(league)
            written = file_of(tmp_path)
            assert written["result"]["winner_player_id"] == report["result"]["winner"]
            assert written["result"]["score"] == report["result"]["score"]
            assert written["lifecycle"]["state"] == "FINISHED"
            hops = written["lifecycle"]["transitions"]
            events = {hop["to"]: hop["event"] for hop in hops if hop["from"] != hop["to"]}
            assert events | {"IDLE": "cleanup_complete"} == {
                "WAITING_FOR_PLAYERS": "match_assigned",
                "COLLECTING_CHOICES": "both_players_arrived",
                "DRAWING_NUMBER": "CHOOSE_PARITY_RESPONSE",
                "NOTIFYING_PLAYERS": "number_drawn",
                "REPORTING_RESULT": "players_notified",
                "MATCH_COMPLETE": "MATCH_RESULT_ACK",
                "IDLE": "cleanup_complete",  # which may not have been written yet
            }

    run(play())


def test_of_a_round_a_referee_takes_the_matches_with_its_id_or_else_its_endpoint_and_each_once(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:
            for player in ("P01", "P02"):
                await league.enter(player)
            port = league.referee.port
            mine = [
                league.entry("R1M1", referee_id="REF01", referee_endpoint="http://elsewhere:1/mcp"),
                league.entry("R1M2", referee_endpoint=f"http://localhost:{port}/mcp"),
            ]
            others = [
                league.entry("R1M3", referee_id="REF02"),
                league.entry("R1M4", referee_endpoint="http://localhost:1/mcp"),
            ]
            said = await league.announce(*mine, *others)
            assert said.json["result"]["message_type"] == "ROUND_ANNOUNCEMENT_ACK"
            assert said.json["result"]["referee_id"] == "REF01"
            await league.announce(*mine, *others)
            await league.hand_out("R1M1")
            reported = {(await league.reports.get())["match_id"] for _ in range(2)}
            assert reported == {"R1M1", "R1M2"}
            await gone(league)
            matches = [body["match_id"] for body in league.heard("P01", "GAME_OVER")]
            assert sorted(matches) == ["R1M1", "R1M2"]

    run(play())


def test_a_match_that_gave_up_reporting_is_reported_again_when_the_manager_announces_it_again(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:
            for player in ("P01", "P02"):
                await league.enter(player)
            league.is_deaf = True
            async with league.referee.running_out(MANAGER_TIMER):
                await league.hand_out()
                written = tmp_path / "data/matches/foreign/R1M1.json"
                await until(lambda: written.exists() and is_finished(written))
                await gone(league)
            assert not file_of(tmp_path)["lifecycle"]["is_reported"]
            league.is_deaf = False
            await league.hand_out()
            assert (await league.reports.get())["match_id"] == "R1M1"
            await until(lambda: bool(file_of(tmp_path)["lifecycle"]["is_reported"]))
            assert len(league.heard("P01", "GAME_OVER")) == 1

    run(play())


def test_the_file_of_a_match_that_another_referee_may_have_is_not_written_over(tmp_path: Path) -> None:
    async def play() -> None:
        theirs = tmp_path / "data" / "matches" / "foreign" / "R1M1.json"
        theirs.parent.mkdir(parents=True)
        theirs.write_text('{"referee_id": "REF09"}')
        async with foreign_league(tmp_path) as league:
            for player in ("P01", "P02"):
                await league.enter(player)
            league.is_deaf = True
            beside = theirs.with_name("R1M1.REF01.json")
            async with league.referee.running_out(MANAGER_TIMER):
                await league.hand_out()
                await until(lambda: beside.exists() and is_finished(beside))
                assert file_of(tmp_path) == {"referee_id": "REF09"}
                await gone(league)
            league.is_deaf = False
            await league.hand_out()
            await league.reports.get()
            await until(lambda: file_of(tmp_path)["referee_id"] == "REF01")  # now it is known whose match it was

    run(play())


def test_ids_that_are_no_names_of_files_leave_no_file_and_the_match_is_played(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:
            for player in ("P01", "P02"):
                await league.enter(player)
            await league.hand_out("../../" + "x" * 300)
            assert (await league.reports.get())["match_id"] == "../../" + "x" * 300
            await gone(league)
            assert not list(tmp_path.glob("**/*x*.json"))

    run(play())


def seed_of(league: ForeignLeague) -> Any:
    return next(iter(league.referee.host._matches._all.values())).given.seed


def test_a_match_that_comes_before_the_answer_to_the_registration_waits_for_it(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            go = asyncio.Event()

            async def manage(body: Body) -> Answer:
                await go.wait()
                told = {"message_type": "REFEREE_REGISTER_RESPONSE", "status": "ACCEPTED", "referee_id": "REF01"}
                return result(body, told)

            async with living(manage) as manager:
                here.url = manager.url
                league = ForeignLeague(here, AsyncExitStack())
                league.referee = await here.referee()
                announced = asyncio.create_task(league.announce())
                await until(lambda: bool(manager.heard))
                go.set()
                assert (await announced).json["result"]["message_type"] == "ROUND_ANNOUNCEMENT_ACK"

    run(play())


# answers


def test_A1_an_answer_after_the_deadline_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:

            async def silent(fields: Body) -> Body:
                if fields["message_type"] == "CHOOSE_PARITY_CALL":
                    await asyncio.Event().wait()
                return joins(fields)

            await league.enter("P01", silent)
            await league.enter("P02")
            await league.hand_out()
            await league.wait_in_vain("CHOOSE_PARITY_CALL")
            report = await league.reports.get()
            assert (report["result"]["winner"], report["result"]["details"]["status"]) == ("P02", "TECHNICAL_LOSS")
            calls = league.heard("P01", "CHOOSE_PARITY_CALL")
            assert len(calls) == 4
            await until(lambda: file_of(tmp_path)["result"] is not None)
            before = file_of(tmp_path)["result"]
            late = await league.post(
                "CHOOSE_PARITY_RESPONSE",
                "player:P01",
                match_id="R1M1",
                player_id="P01",
                parity_choice="even",
                conversation_id=calls[0]["conversation_id"],
            )
            assert late.json.get("error", {}).get("code") == 4003 or late.json["result"]["status"] == "IGNORED"
            assert file_of(tmp_path)["result"] == before

    run(play())


@pytest.mark.parametrize("kind", ["GAME_INVITATION", "CHOOSE_PARITY_CALL"])
def test_an_answer_that_comes_after_its_time_counts_while_it_is_still_waited_for(tmp_path: Path, kind: str) -> None:
    """The first question is answered when the second has come, which is not answered at all."""

    async def play() -> None:
        async with foreign_league(tmp_path) as league:
            asked_again = asyncio.Event()

            async def tardy(fields: Body) -> Body:
                if fields["message_type"] == kind:
                    if len(league.heard("P01", kind)) > 1:
                        asked_again.set()
                        await asyncio.Event().wait()
                    await asked_again.wait()
                return joins(fields, "even")

            await league.enter("P01", tardy)
            await league.enter("P02")
            await league.hand_out()
            await until(lambda: bool(league.heard("P01", kind)))
            await league.referee.run_out(PLAYER_TIMERS[0])
            report = await league.reports.get()
            assert report["result"]["details"]["choices"] == {"P01": "even", "P02": "odd"}
            assert len(league.heard("P01", kind)) == 2

    run(play())


def test_an_answer_that_is_posted_counts_while_it_is_waited_for(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:

            async def posting(fields: Body) -> Body:
                """Gives receipts, and answers in requests of its own, as some players do."""
                answer = joins(fields, "even")
                if "message_type" in answer:
                    ids = {"match_id": fields["match_id"], "player_id": "P01"}
                    envelope = {"conversation_id": fields["conversation_id"]}
                    said = {key: value for key, value in answer.items() if key != "message_type"}
                    posted = await league.post(answer["message_type"], "player:P01", **envelope, **ids, **said)
                    assert posted.json["result"]["status"] == "ok"
                return {"status": "received"}

            await league.enter("P01", posting)
            await league.enter("P02")
            await league.hand_out()
            report = await league.reports.get()
            assert report["result"]["details"]["choices"] == {"P01": "even", "P02": "odd"}

    run(play())


def test_A5_an_answer_belongs_to_the_one_who_was_asked_whatever_it_says(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:

            def pretender(fields: Body) -> Body:
                return {**joins(fields, "even"), "player_id": "P02", "match_id": "R9M9", "sender": "player:P02"}

            await league.enter("P01", pretender)
            await league.enter("P02")
            await league.hand_out()
            report = await league.reports.get()
            assert report["result"]["details"]["choices"] == {"P01": "even", "P02": "odd"}

    run(play())


def test_A6_nobody_answers_for_another_though_it_gives_that_name(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path, trusts_posts=False) as league:
            asked = asyncio.Event()

            async def slow(fields: Body) -> Body:
                if fields["message_type"] == "CHOOSE_PARITY_CALL":
                    await asked.wait()
                return joins(fields, "odd")

            await league.enter("P01", lambda fields: joins(fields, "even"))
            await league.enter("P02", slow)
            await league.hand_out()
            await until(lambda: bool(league.heard("P02", "CHOOSE_PARITY_CALL")))
            mine = league.heard("P01", "CHOOSE_PARITY_CALL")[0]["conversation_id"]
            for conversation in (mine, "conv-r1m1-001", None):
                forged: dict[str, Any] = {"match_id": "R1M1", "player_id": "P02", "conversation_id": conversation}
                for kind, said in (
                    ("GAME_JOIN_ACK", {"accept": False}),
                    ("CHOOSE_PARITY_RESPONSE", {"parity_choice": "even"}),
                ):
                    answer = await league.post(kind, "player:P02", **forged, **said)
                    assert answer.json["error"]["code"] == 4002
            asked.set()
            report = await league.reports.get()
            assert report["result"]["details"]["choices"] == {"P01": "even", "P02": "odd"}

    run(play())


def test_who_posts_about_a_match_it_is_not_in_or_that_is_not_there_is_told_so(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:
            hold = asyncio.Event()

            async def slow(fields: Body) -> Body:
                await hold.wait()
                return joins(fields)

            await league.enter("P01", slow)
            await league.enter("P02")
            await league.hand_out()
            await until(lambda: bool(league.heard("P01", "GAME_INVITATION")))
            join = {"accept": True}
            stranger = await league.post("GAME_JOIN_ACK", "player:P09", match_id="R1M1", player_id="P09", **join)
            assert stranger.json["error"]["code"] == 4002
            elsewhere = await league.post("GAME_JOIN_ACK", "player:P01", match_id="R7M7", player_id="P01", **join)
            assert elsewhere.json["error"]["code"] == 4003
            nowhere = await league.post("GAME_JOIN_ACK", "player:P09", match_id="R7M7", player_id="P09", **join)
            assert nowhere.json["error"]["code"] == 4003
            early = await league.post(
                "CHOOSE_PARITY_RESPONSE", "player:P01", match_id="R1M1", player_id="P01", parity_choice="odd"
            )
            assert early.json["result"]["status"] == "IGNORED"
            hold.set()
            assert (await league.reports.get())["result"]["details"]["status"] != "TECHNICAL_LOSS"

    run(play())


def test_A20_before_the_end_no_file_no_journal_and_no_page_tells_a_choice_a_seed_or_a_token(
    tmp_path: Path,
) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:
            hold = asyncio.Event()

            async def slow(fields: Body) -> Body:
                if fields["message_type"] == "CHOOSE_PARITY_CALL":
                    await hold.wait()
                return joins(fields)

            await league.enter("P01", lambda fields: joins(fields, "even"))
            await league.enter("P02", slow)
            await league.hand_out()
            path = tmp_path / "data/matches/foreign/R1M1.json"
            await until(lambda: path.exists() and '"CHOOSE_PARITY_RESPONSE"' in path.read_text())
            seed = seed_of(league)
            page = await get(league.referee.port, "/health") + await get(league.referee.port, "/metrics")
            everything = path.read_text() + league.here.journal.getvalue() + page
            for secret in ('"even"', "even,", "=even", '"parity_choice"', seed, "tok-"):
                assert secret not in everything, secret
            assert "Received CHOOSE_PARITY_RESPONSE from P01" in everything
            hold.set()
            await league.reports.get()
            await gone(league)
            assert seed in path.read_text()
            assert "tok-" not in path.read_text() + league.here.journal.getvalue()
            assert seed not in league.here.journal.getvalue()

    run(play())


async def get(port: int, path: str) -> str:
    import aiohttp

    async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{port}{path}") as answer:
        assert answer.status == 200
        return await answer.text()
