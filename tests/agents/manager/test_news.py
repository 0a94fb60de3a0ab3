"""What a league manager tells those who look on: that something has changed, and nothing once it stops."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import aiohttp
from msgspec.structs import asdict

from tests.agents.agents_in_process import in_process_agents, run
from tests.agents.manager.test_process import managed, register, say
from tests.agents.page.boards import board
from turnstile.agents.page.change_signal import ChangeSignal
from turnstile.agents.page.render import render_page
from turnstile.agents.page.routes import ReportCache
from turnstile.agents.page.scoreboard import Scoreboard
from turnstile.kernel.values import PlayerId


def test_an_answer_that_has_changed_nothing_is_no_news(tmp_path: Path) -> None:
    async def play() -> None:
        async with managed(tmp_path) as (_, manager):
            token = (await register(manager, "Juniper"))["auth_token"]
            known = manager.host._changes.version
            league = {"league_id": "league_2025_even_odd"}
            assert (await say(manager, "LEAGUE_QUERY", "player:P01", auth_token=token, **league))["success"]
            assert (await register(manager, "Juniper", "http://127.0.0.1:2/mcp"))["status"] == "REJECTED"
            assert (await register(manager, "Juniper"))["auth_token"] == token
            assert manager.host._changes.version == known
            await register(manager, "Sorrel", "http://127.0.0.1:2/mcp")
            assert manager.host._changes.version > known

    run(play())


def test_a_manager_that_stops_keeps_nobody_listening(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here, aiohttp.ClientSession() as session:
            manager = await here.manager()
            async with session.get(manager.endpoint.replace("/mcp", "/events")) as news:
                assert await news.content.readuntil(b"\n\n") == b"retry: 2000\n\n"
                await manager.stop()
                assert await news.content.read() == b""  # to its proper end: nothing was broken off
            assert "rror" not in here.journal.getvalue()

    run(play())


def test_the_board_of_a_report_is_made_where_the_league_changes() -> None:
    def whole() -> Scoreboard:
        asyncio.get_running_loop()  # there is none anywhere else
        return board(5)

    assert "Champion" in run(ReportCache(whole, ChangeSignal()).latest())


def test_players_are_looked_up_once_for_all_that_a_page_shows_of_a_round() -> None:
    looked_up = 0

    class Counting(Scoreboard, frozen=True, kw_only=True):
        @property
        def names(self) -> Mapping[PlayerId, str]:
            nonlocal looked_up
            looked_up += 1
            return {}

    render_page(Counting(**asdict(board(3))), 1)
    assert looked_up == 1
