"""Players that a manager was given a list of, and what it tells everybody: again, to one who was not there."""

from pathlib import Path

import pytest

from tests.agents.agents_in_process import in_process_agents, run
from tests.agents.loops import hurry, until
from tests.agents.manager.test_process import UNWATCHED, managed, register_referee
from tests.agents.test_leagues import start
from tests.agents.wire.zoo import Body, by_tool, living, played, result
from tests.agents.wire.zoo import Said as Told
from turnstile.agents.manager.beginning import LISTEN_SECONDS
from turnstile.agents.manager.process import ManagerProcess
from turnstile.agents.process import calls
from turnstile.agents.process.process import CannotStart
from turnstile.league.manager.state import Options
from turnstile.league.referee.calls import NOTIFICATION_TIMER, PLAYER_TIMERS
from turnstile.net.addresses import OPEN_NETWORK, allowing


def test_players_that_cannot_register_are_listed(tmp_path: Path) -> None:
    async def play() -> None:
        async with living(by_tool) as one, living(by_tool) as other:
            players = [("Foreign", one.url), ("Strange", other.url)]
            async with managed(tmp_path, players=players, ends_with_league=True) as (here, manager):
                referee = await here.referee()
                await until(lambda: bool(manager.host.work.state.referees))
                await start(here.url)
                await referee.ended()
                await manager.ended()
                (match,) = here.match_files().values()
                assert match["result"]["choices"] == {"P01": "odd", "P02": "odd"}

    run(play())


def by_everything(body: Body) -> Told:
    """A player that understands whatever it is told."""
    return result(body, played(body["params"]))


@pytest.mark.parametrize(
    "kind", ["ROUND_ANNOUNCEMENT", "LEAGUE_STANDINGS_UPDATE", "ROUND_COMPLETED", "LEAGUE_COMPLETED"]
)
def test_what_is_told_to_everybody_is_told_again_to_one_who_could_not_be_reached(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "pause", lambda number: 0.0)
    hung_up = 0

    def away_for_a_moment(body: Body) -> Told:
        nonlocal hung_up
        if body.get("params", {}).get("message_type") == kind and hung_up < 4:
            hung_up += 1
            raise ConnectionError
        return by_everything(body)

    async def play() -> None:
        async with living(away_for_a_moment) as one, living(by_everything) as other:
            players = [("Foreign", one.url), ("Strange", other.url)]
            async with in_process_agents(tmp_path) as here:
                manager = await here.manager(players=players, ends_with_league=True)
                await here.referee()
                await until(lambda: bool(manager.host.work.state.referees))
                await start(here.url)
                await manager.ended()
        heard = [body["params"]["message_type"] for body in one.heard if "params" in body]
        assert hung_up == 4
        assert heard.count(kind) == 5

    run(play())


def test_who_is_gone_is_called_once_for_each_piece_of_news_and_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "pause", lambda number: 0.0)

    async def play() -> None:
        async with living(by_everything) as one:
            async with living(by_everything) as gone:
                pass
            async with in_process_agents(tmp_path) as here:
                players = [("Gone", gone.url), ("Here", one.url)]
                manager = await here.manager(players=players, ends_with_league=True, options=UNWATCHED)
                referee = await here.referee()
                await until(lambda: bool(manager.host.work.state.referees))
                async with referee.running_out(PLAYER_TIMERS[0], NOTIFICATION_TIMER):
                    await start(here.url)
                    await manager.ended()
            lines = here.journal.getvalue().splitlines()
            failed = [line.partition("Failed to send ")[2].split()[0] for line in lines if "[league_manager] F" in line]
            assert failed == ["ROUND_ANNOUNCEMENT"] * 4 + [
                "LEAGUE_STANDINGS_UPDATE",
                "ROUND_COMPLETED",
                "LEAGUE_COMPLETED",
            ]

    run(play())


def test_a_listed_player_that_may_not_be_called_is_refused_at_once(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            with pytest.raises(CannotStart, match="Foreign cannot be called"):
                ManagerProcess(here.settings("league"), Options(), players=[("Foreign", "http://10.0.0.1/mcp")])

    run(play())


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (("Foreign", "http://127.0.0.1:1/mcp"), "Foreign cannot take part: Duplicate name."),
        (("foreign ", "http://127.0.0.1:2/mcp"), "foreign  cannot take part: Duplicate name."),
        (("Strange", "http://localhost:1/mcp"), "Strange cannot take part: Duplicate endpoint."),
        (("\u202e", "http://127.0.0.1:2/mcp"), "cannot take part: Name missing."),
    ],
)
def test_A7_a_listed_player_that_cannot_take_part_is_refused_at_once(
    tmp_path: Path, other: tuple[str, str], why: str
) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            with pytest.raises(CannotStart, match=why):
                await here.manager(2, players=[("Foreign", "http://127.0.0.1:1/mcp"), other])

    run(play())


def test_A7_a_listed_player_whose_place_is_taken_is_refused_after_a_restart(tmp_path: Path) -> None:
    async def play() -> None:
        reach = allowing(OPEN_NETWORK, "127.0.0.0/8")
        listed = [("Foreign", "http://127.0.0.1:1/mcp")]
        async with in_process_agents(tmp_path) as here:
            manager = await here.manager(players=listed, reach=reach)
            await manager.stop()
            with pytest.raises(CannotStart, match="Foreign cannot take part: Duplicate name"):
                await here.manager(players=[("Foreign", "http://127.0.0.1:2/mcp")], port=manager.port, reach=reach)
            manager = await here.manager(players=listed, port=manager.port, reach=reach)
            assert len(manager.host.work.state.players) == 1

    run(play())


def test_A7_nobody_is_listed_for_a_league_that_has_begun(tmp_path: Path) -> None:
    async def play() -> None:
        listed = [("Foreign", "http://127.0.0.1:1/mcp"), ("Strange", "http://127.0.0.1:2/mcp")]
        async with managed(tmp_path, players=listed) as (here, manager):
            await register_referee(manager, "Whistle", "http://127.0.0.1:3/mcp")
            await hurry(start(here.url), LISTEN_SECONDS / 10)  # nobody is at those endpoints
            await manager.drop()
            more = [*listed, ("Other", "http://127.0.0.1:4/mcp")]
            with pytest.raises(CannotStart, match="Other cannot take part: Registration closed"):
                await here.manager(players=more, port=manager.port)
            await here.manager(players=listed, port=manager.port)

    run(play())
