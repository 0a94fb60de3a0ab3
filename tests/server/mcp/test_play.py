"""Models that know the tools alone play every game to its end."""

import asyncio
from typing import Any

import pytest

from tests.agents.loops import run
from tests.bots.toys import cups, sticks
from tests.server.mcp.models import model
from tests.server.servers import site
from turnstile.kernel import AnyGame
from turnstile.registry import lent, names


@pytest.mark.parametrize("game", names())
def test_a_model_plays_every_game_against_bots(game: str) -> None:
    async def main() -> None:
        async with site() as here:
            ana = await here.register("Ana")
            async with model(here.url, ana.token) as guest:
                end = await guest.play(await guest.sit_down_with_bots(game))
                assert end["result"]["how"] == "played"
                assert guest.acts > 0

    run(main())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("game", names())
def test_two_models_play_every_game_against_each_other(game: str, mode: str) -> None:
    async def main() -> None:
        async with site() as here:
            ana, bo = await here.register("Ana"), await here.register("Bo")
            async with model(here.url, ana.token, 1, mode) as first, model(here.url, bo.token, 2, mode) as second:
                made = await first.do("make_table", game=game)
                (listed,) = (await second.do("list_tables", game=game))["tables"]
                seen: Any = await second.do("join_table", table=listed["table"])
                started = asyncio.create_task(first.do("start_match", table=made["table"]))
                ends = await asyncio.gather(second.play(seen), _play_on(first, started))
                assert [end["result"]["how"] for end in ends] == ["played", "played"]
                assert ends[0]["result"] == ends[1]["result"]

    run(main())


@pytest.mark.parametrize("game", [sticks, cups], ids=lambda game: game.name)
def test_a_model_plays_a_game_that_is_not_ours(game: AnyGame) -> None:
    async def main() -> None:
        with lent(game):
            async with site() as here:
                ana = await here.register("Ana")
                async with model(here.url, ana.token) as guest:
                    end = await guest.play(await guest.sit_down_with_bots(game.name))
                    assert end["result"]["how"] == "played"

    run(main())


async def _play_on(guest: Any, started: "asyncio.Task[Any]") -> Any:
    return await guest.play(await started)
