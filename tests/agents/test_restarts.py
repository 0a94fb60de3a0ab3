"""Players and referees that are stopped, dropped and damaged, and started again."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.agents.agents_in_process import in_process_agents, run
from tests.agents.foreign import foreign_league, joins
from tests.agents.loops import pass_time, until
from tests.agents.player.stage import stage
from tests.agents.referee.test_process import file_of, gone, seed_of
from tests.agents.wire.zoo import Body
from tests.host.test_damage import flip
from turnstile.agents.player.process import PlayerProcess
from turnstile.agents.process.process import CannotStart
from turnstile.agents.process.runtime import STOPPING
from turnstile.agents.wire.envelope import ignored
from turnstile.kernel.values import PlayerId
from turnstile.league.player.state import Phase
from turnstile.league.protocol.messages import ChooseParityCall
from turnstile.league.protocol.values import ChoiceContext
from turnstile.league.protocol.words import Address, MatchId
from turnstile.league.registering import pause

# players


def test_A14_a_player_that_is_dropped_while_it_chooses_goes_on_and_tells_the_manager_that_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATES", str(tmp_path))

    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter(strategy="python:tests.agents.waiting:choose")
            lost = await on.until_choosing()
            await on.player.drop()
            await asyncio.wait([lost])
            lost.exception()
            on.player = await on.here.player("Juniper", "python:tests.agents.waiting:choose", port=on.player.port)
            await until(lambda: len(on.registered) == 2)
            assert on.registered[0]["player_meta"] == on.registered[1]["player_meta"]
            (tmp_path / "1").touch()
            assert (await on.call())["parity_choice"] == "odd"
            assert (await on.finish())["message_type"] == "GAME_OVER_ACK"

    run(play())


def test_A14_a_player_that_stops_while_a_call_is_stored_lets_nobody_wait_for_a_choice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATES", str(tmp_path))

    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter(strategy="python:tests.agents.waiting:choose")
            await on.announce()
            await on.invite()
            agent = on.player.host.agent

            def stop(state: Any) -> None:
                agent.stop()

            asked = ChoiceContext(opponent_id=PlayerId("P02"), round_id=1)
            referee = Address("referee:REF01")
            call = ChooseParityCall(
                sender=referee, match_id=MatchId("R1M1"), player_id=on.state.player_id, context=asked
            )
            reply = await agent.exchange(on.player.host.work, call, referee, stop)
            assert (reply, on.state.phase) == (ignored(STOPPING), Phase.CHOOSING_PARITY)

    run(play())


def test_T6_a_player_that_was_stopped_over_night_asks_its_strategy_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATES", str(tmp_path))

    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter(strategy="python:tests.agents.waiting:choose")
            lost = await on.until_choosing()
            await on.player.stop()
            assert (await lost)["status"] == "IGNORED"
            pass_time(8 * 3600)
            on.player = await on.here.player("Juniper", "python:tests.agents.waiting:choose", port=on.player.port)
            (tmp_path / "1").touch()
            assert (await on.call())["parity_choice"] == "odd"

    run(play())


def test_A14_a_player_that_comes_back_before_its_manager_does_tells_it_when_it_is_there(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            manager, player = await here.manager(), await here.player("Juniper")
            await until(lambda: player.host.work.state.player_id is not None)
            await player.stop()
            await manager.stop()
            await here.player("Juniper", port=player.port)
            await until(lambda: "Failed to send LEAGUE_REGISTER_REQUEST" in here.journal.getvalue())
            await here.manager(port=manager.port)
            pass_time(pause(0))
            await until(lambda: here.journal.getvalue().count("Received LEAGUE_REGISTER_REQUEST") == 2)

    run(play())


def test_a_player_that_is_started_somewhere_else_is_refused(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter()
            await on.player.stop()
            with pytest.raises(CannotStart, match="has taken part in its league as"):
                await on.here.start(PlayerProcess(on.here.settings("Juniper", endpoint="http://127.0.0.1:1/mcp")))

    run(play())


# referees


def test_a_referee_that_is_dropped_in_a_match_goes_on_with_it_and_with_those_that_wait(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path, capacity=1) as league:
            chosen = asyncio.Event()

            async def wait(fields: Body) -> Body:
                if fields["message_type"] == "CHOOSE_PARITY_CALL":
                    await chosen.wait()
                return joins(fields)

            await league.enter("P01", wait)
            await league.enter("P02")
            await league.announce(*(league.entry(f"R1M{number}", referee_id="REF01") for number in (1, 2, 3)))
            await until(lambda: bool(league.heard("P01", "CHOOSE_PARITY_CALL")))
            seed = seed_of(league)
            await league.referee.drop()
            league.referee = await league.here.referee(port=league.referee.port, capacity=1)
            await until(lambda: bool(league.referee.host._matches))
            assert seed_of(league) == seed
            chosen.set()
            reports = [(await league.reports.get())["match_id"] for _ in range(3)]
            assert reports == ["R1M1", "R1M2", "R1M3"]
            await gone(league)
            assert file_of(tmp_path)["result"]["seed"] == seed
            conversations = {body["conversation_id"] for body in league.heard("P01", "CHOOSE_PARITY_CALL")}
            assert len(conversations) == 3  # one a match, before and after

    run(play())


def test_T6_a_referee_that_was_stopped_over_night_asks_again_and_nobody_has_lost_by_that(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:
            is_morning = asyncio.Event()

            async def thinking(fields: Body) -> Body:
                if fields["message_type"] == "CHOOSE_PARITY_CALL":
                    await is_morning.wait()
                return joins(fields, "even")

            for player in ("P01", "P02"):
                await league.enter(player, thinking)
            await league.hand_out()
            for player in ("P01", "P02"):
                await until(lambda player=player: bool(league.heard(player, "CHOOSE_PARITY_CALL")))  # type: ignore[misc]
            await league.referee.stop()
            pass_time(8 * 3600)
            is_morning.set()
            league.referee = await league.here.referee(port=league.referee.port)
            report = await league.reports.get()
            assert report["result"]["details"]["choices"] == {"P01": "even", "P02": "even"}
            assert not league.heard("P01", "GAME_ERROR")

    run(play())


def test_U9_a_match_whose_log_is_damaged_is_put_aside_and_the_others_go_on(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:
            hold = asyncio.Event()

            async def slow(fields: Body) -> Body:
                await hold.wait()
                return joins(fields)

            await league.enter("P01", slow)
            await league.enter("P02")
            await league.announce(*(league.entry(f"R1M{number}", referee_id="REF01") for number in (1, 2)))
            await until(lambda: len(league.heard("P01", "GAME_INVITATION")) == 2)
            await league.referee.drop()
            flip(tmp_path / "state" / "referee-whistle.db", "match/Whistle/foreign/R1M1", 1)
            league.referee = await league.here.referee(port=league.referee.port)
            hold.set()
            assert (await league.reports.get())["match_id"] == "R1M2"
            assert "match/Whistle/foreign/R1M1 is damaged" in league.here.journal.getvalue()
            for _ in range(2):  # nobody knows a result yet: it is begun again
                await league.announce(
                    league.entry("R1M1", referee_id="REF01")
                )  # nobody knows a result: it is begun again
            report = await league.reports.get()
            assert (report["match_id"], report["result"]["details"]["status"]) == ("R1M1", "DRAW")
            await gone(league)
            assert league.reports.empty()

    run(play())


def test_U9_a_match_whose_log_is_damaged_when_players_know_its_result_is_not_begun_again(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:
            league.is_deaf = True
            await league.enter("P01")
            await league.enter("P02")
            await league.announce(league.entry("R1M1", referee_id="REF01"))
            await until(lambda: bool(league.heard("P01", "GAME_OVER") and league.heard("P02", "GAME_OVER")))
            await league.referee.drop()
            flip(tmp_path / "state" / "referee-whistle.db", "match/Whistle/foreign/R1M1", 1)
            league.is_deaf = False
            league.referee = await league.here.referee(port=league.referee.port)
            await league.announce(league.entry("R1M1", referee_id="REF01"))
            await gone(league)
            assert league.reports.empty()
            assert len(league.heard("P01", "GAME_INVITATION")) == 1

    run(play())
