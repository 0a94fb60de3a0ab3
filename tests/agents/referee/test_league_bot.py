"""A player of the league as a bot: a real one, over HTTP, asked by the small referee of a contest."""

import asyncio
from pathlib import Path
from random import Random

import pytest

from tests.agents.agents_in_process import InProcessAgents, Running, in_process_agents, run
from tests.agents.loops import until
from turnstile.agents.player.process import PlayerProcess
from turnstile.agents.referee.league_bot import load_league_bot
from turnstile.kernel import PlayerId, Seed
from turnstile.lab.contests import Contest, arena_seatings
from turnstile.lab.contests.contest import play_matches
from turnstile.lab.environment.task import settle
from turnstile.lab.own_bots import BotFailed, close_bots
from turnstile.lab.results import ResultLine
from turnstile.registry import find_game


async def enter(here: InProcessAgents, strategy: str, **more: bool) -> Running:
    """A player that is registered with a manager which begins no league."""
    await here.manager()
    player = await here.player("Juniper", strategy, **more)
    await until(lambda: player.host.work.state.player_id is not None)
    return player


async def play(game: str, player: str, opponent: str, deals: int) -> list[ResultLine]:
    """A contest against one opponent, each deal from both seats."""
    bots = f"league:{player}", opponent
    contest = Contest(game, bots, b"{}", Seed("7"), deals, arena_seatings(bots, 2), seconds=5.0)

    def play_all() -> list[ResultLine]:
        try:
            return [match.result for match in play_matches(contest, range(contest.matches))]
        finally:
            close_bots()

    return await asyncio.to_thread(play_all)


def test_in_even_odd_every_draw_is_a_match_of_the_league(tmp_path: Path) -> None:
    """The player hears the results. In a second contest it is told of later rounds than in the first."""

    async def main() -> None:
        async with in_process_agents(tmp_path) as here:
            player = await enter(here, "always:odd", accepts_unannounced=True)
            first = await play("even-odd", player.endpoint, "always-even", 1)
            second = await play("even-odd", player.endpoint, "always-even", 1)
            assert [match.scores for match in first] == [match.scores for match in second]
            history = player.host.work.state.history
            assert len(history) == 40
            assert {(match.my_choice, match.opponent_choice) for match in history} == {("odd", "even")}
            wins = sum(match.result == "WIN" for match in history[:10])
            assert first[0].scores == (3 * wins, 3 * (10 - wins))

    run(main())


def test_another_game_is_one_match_and_every_decision_a_move_of_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with in_process_agents(tmp_path) as here:
            player = await enter(here, "bot", accepts_unannounced=True)
            matches = await play("e-card", player.endpoint, "random", 1)
            history = player.host.work.state.history
            results = [{(): "DRAW", (seat,): "WIN"}.get(match.winners, "LOSS") for seat, match in enumerate(matches)]
            assert [(match.game_type, match.result) for match in history] == [("e-card", each) for each in results]

    run(main())


def test_a_player_that_does_not_take_part_is_told_in_a_sentence(tmp_path: Path) -> None:
    async def main() -> None:
        async with in_process_agents(tmp_path) as here:
            player = await enter(here, "always:odd")
            with pytest.raises(BotFailed) as failed:
                await play("even-odd", player.endpoint, "random", 1)
            assert "has not accepted an invitation: it answered 'IGNORED'" in failed.value.sentence
            assert "--accept-unannounced" in failed.value.sentence
            with pytest.raises(BotFailed, match="error 4002"):
                await play("even-odd", f"{player.endpoint}#P07", "random", 1)
            await player.stop()
            with pytest.raises(BotFailed, match="has not answered GAME_INVITATION: no connection can be made"):
                await play("even-odd", player.endpoint, "random", 1)

    run(main())


def test_a_player_that_is_called_too_often_is_called_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        monkeypatch.setattr(PlayerProcess, "quota", (200, 5))
        async with in_process_agents(tmp_path) as here:
            player = await enter(here, "always:odd", accepts_unannounced=True)
            matches = await play("even-odd", player.endpoint, "always-even", 1)  # 60 calls
            assert len(matches) == 2

    run(main())


def test_a_match_that_was_interrupted_is_not_taken_for_the_next_one(tmp_path: Path) -> None:
    """The player is still in it, and would repeat its answers."""

    async def main() -> None:
        async with in_process_agents(tmp_path) as here:
            player = await enter(here, "bot", accepts_unannounced=True)
            game = find_game("e-card")
            assert game is not None
            ana, bo = PlayerId("ana"), PlayerId("bo")
            dealt = settle(game, game.new((ana, bo), game.read_options(b"{}"), Seed("7")))
            actions = game.actions(dealt, ana)
            bot = load_league_bot(game, player.endpoint, 5.0)
            assert await asyncio.to_thread(bot, game.view(dealt, ana), actions, Random(1)) in actions
            await asyncio.to_thread(bot.close)
            assert len(await play("e-card", player.endpoint, "random", 1)) == 2

    run(main())
