"""How a referee is given its matches: under every name, with little said of them, and with too little."""

from pathlib import Path
from typing import Any

import pytest

from tests.agents.agents_in_process import run
from tests.agents.foreign import foreign_league
from tests.agents.referee.test_process import gone
from tests.agents.wire.wired import post
from tests.agents.wire.zoo import Body
from turnstile.agents.referee import process as referee_module
from turnstile.kernel.values import LogId
from turnstile.store.protocol import Busy, Row


@pytest.mark.parametrize(
    ("method", "message_type"),
    [
        ("start_match", "START_MATCH"),
        ("START_MATCH", None),
        ("start_match", None),
        ("assign_match", "MATCH_ASSIGNMENT"),
        ("assign_match", None),
        ("handle_message", "match_assignment"),
    ],
)
def test_a_match_is_handed_out_under_other_names_too_and_without_league_and_round(
    tmp_path: Path, method: str, message_type: str | None
) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:
            for player in ("P01", "P02"):
                await league.enter(player)
            for match, round_id in (("R3M1", 3), ("final", 1)):
                fields = {**league.entry(match), "message_type": message_type}
                said = await post(
                    league.referee.port, {"jsonrpc": "2.0", "id": 7, "method": method, "params": without_null(fields)}
                )
                assert said.json["result"]["status"] == "acknowledged"
                report = await league.reports.get()
                assert (report["match_id"], report["round_id"]) == (match, round_id)
                assert report["league_id"] == "league_2025_even_odd"  # the one it has registered with

    run(play())


def without_null(fields: Body) -> Body:
    return {name: held for name, held in fields.items() if held is not None}


def test_a_match_without_the_addresses_of_its_players_is_refused_and_costs_nobody_anything(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:
            for player in ("P01", "P02"):
                await league.enter(player)
            one = {"player_A_endpoint": None}
            both = {**one, "player_B_endpoint": None}
            given = league.entry("R1M1", round_id=1, **one)
            alone = (await league.post("RUN_MATCH", **given)).json["result"]
            assert (alone["message_type"], alone["status"]) == ("RUN_MATCH_ACK", "error")
            none = (await league.announce(league.entry("R1M2", **both), league.entry("R1M3", **one))).json["error"]
            assert none["code"] == -32602
            assert none["data"]["fields"] == ["matches.player_A_endpoint", "matches.player_B_endpoint"]  # of the first
            assert not league.referee.host._matches
            some = await league.announce(league.entry("R1M2", **both), league.entry("R1M4"))
            assert some.json["result"]["message_type"] == "ROUND_ANNOUNCEMENT_ACK"
            assert (await league.reports.get())["match_id"] == "R1M4"
            assert "[R1M2] This match cannot be played" in league.here.journal.getvalue()
            await gone(league)
            known = await league.announce(league.entry("R1M4", **both))  # it is over, and reported again
            assert known.json["result"]["message_type"] == "ROUND_ANNOUNCEMENT_ACK"
            assert (await league.reports.get())["match_id"] == "R1M4"
            assert league.reports.empty()

    run(play())


def test_a_match_that_a_round_lists_twice_is_played_once_and_holds_up_no_other(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:
            for player in ("P01", "P02"):
                await league.enter(player)
            said = await league.announce(league.entry("R1M1"), league.entry("R1M1"), league.entry("R1M2"))
            assert said.json["result"]["message_type"] == "ROUND_ANNOUNCEMENT_ACK"
            assert {(await league.reports.get())["match_id"] for _ in range(2)} == {"R1M1", "R1M2"}
            await gone(league)
            assert league.reports.empty()

    run(play())


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"game_type": "chess"}, "There is no game chess"),
        ({"player_B_id": "P01"}, "A match has two different players"),
    ],
)
def test_a_match_that_is_none_is_refused_and_takes_nobody_s_place(tmp_path: Path, wrong: Body, why: str) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path, capacity=1) as league:
            for player in ("P01", "P02"):
                await league.enter(player)
            refused = (await league.announce(league.entry("R1M1", **wrong))).json["error"]
            assert refused["code"] == -32602
            assert refused["message"].startswith(why)
            await league.announce(league.entry("R1M1", **wrong), league.entry("R1M2"))
            assert (await league.reports.get())["match_id"] == "R1M2"
            await gone(league)
            assert f"[R1M1] This match cannot be played. {why}" in league.here.journal.getvalue()

    run(play())


def test_a_match_whose_game_is_gone_when_its_turn_comes_is_put_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(referee_module, "unplayable", lambda match: None)  # as it was when the match was assigned

    async def play() -> None:
        async with foreign_league(tmp_path, capacity=1) as league:
            for player in ("P01", "P02"):
                await league.enter(player)
            await league.announce(league.entry("R1M1", game_type="chess"), league.entry("R1M2"))
            assert (await league.reports.get())["match_id"] == "R1M2"
            await gone(league)
            assert "[R1M1] This match cannot be played. There is no game chess" in league.here.journal.getvalue()

    run(play())


def test_a_store_that_is_busy_for_a_moment_costs_no_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:
            for player in ("P01", "P02"):
                await league.enter(player)
            store = league.referee.host.agent.store
            row, asked = store.row, []

            async def busy_at_first(table: LogId) -> Row | None:
                asked.append(table)
                if len(asked) == 3:
                    raise Busy("Too much is waiting.")
                return await row(table)  # type: ignore[no-any-return]

            monkeypatch.setattr(store, "row", busy_at_first)
            names = {"R1M1", "R1M2", "R1M3"}
            await league.announce(*(league.entry(name) for name in names))
            assert {(await league.reports.get())["match_id"] for _ in names} == names

    run(play())


def test_a_referee_acknowledges_the_end_of_the_league_by_its_name(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:
            totals: dict[str, Any] = {
                "total_rounds": 1,
                "total_matches": 1,
                "champion": {"player_id": "P01"},
                "final_standings": [],
            }
            said = await league.post("LEAGUE_COMPLETED", league_id="another", **totals)
            assert said.json["result"]["status"] == "IGNORED"
            said = await league.post("LEAGUE_COMPLETED", league_id="league_2025_even_odd", **totals)
            told = said.json["result"]
            assert (told["message_type"], told["status"]) == ("LEAGUE_COMPLETED_ACK", "ACKNOWLEDGED")
            assert told["referee_id"] == "REF01"
            assert "player_id" not in told
            await league.referee.ended()

    run(play())
