"""A player among strangers: a manager and a referee that are none of ours, and say whatever a test has them say."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.agents.agents_in_process import Running, in_process_agents, run
from tests.agents.loops import until
from tests.agents.player.stage import stage
from tests.agents.wire.wired import post
from turnstile.agents.player.process import PlayerProcess
from turnstile.agents.process.process import Settings
from turnstile.agents.strategies.strategies import Choice
from turnstile.agents.wire.envelope import format_time, utc_now
from turnstile.league.player.rounds import CHOICE_TIMER
from turnstile.league.player.state import Question, State
from turnstile.league.protocol.words import MAX_RETRIES
from turnstile.league.registering import REGISTER_TIMER


def test_a_player_goes_through_a_league_and_ends_with_it(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter(strategy="always:odd")
            assert (await on.announce())["message_type"] == "ROUND_ANNOUNCEMENT_ACK"
            joined = await on.invite()
            assert (joined["message_type"], joined["accept"]) == ("GAME_JOIN_ACK", True)
            assert joined["auth_token"].startswith("tok-")
            assert "secret" not in joined["auth_token"]  # the manager alone is shown it
            assert (await on.call())["parity_choice"] == "odd"
            assert (await on.finish())["message_type"] == "GAME_OVER_ACK"
            assert (await on.complete())["message_type"] == "LEAGUE_COMPLETED_ACK"
            ended = await on.player.ended()
            assert ended.failure is None
            history = on.here.history("P01")
            assert history["stats"] == {"total_matches": 1, "wins": 1, "losses": 0, "draws": 0}
            assert history["matches"][0]["my_choice"] == "odd"

    run(play())


def test_what_is_repeated_is_given_the_same_answer(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter()
            await on.announce()
            assert [(await on.invite())["accept"] for _ in range(3)] == [True] * 3
            assert len({(await on.call())["parity_choice"] for _ in range(3)}) == 1
            assert [(await on.finish())["message_type"] for _ in range(2)] == ["GAME_OVER_ACK"] * 2
            await until(lambda: (tmp_path / "data/players/P01/history.json").exists())
            assert on.here.history("P01")["stats"]["total_matches"] == 1

    run(play())


def test_calls_that_come_while_the_strategy_thinks_are_all_answered_when_it_has_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATES", str(tmp_path))

    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter(strategy="python:tests.agents.waiting:choose")
            await on.announce()
            await on.invite()
            calls = [asyncio.create_task(on.call()) for _ in range(3)]
            await until(lambda: len(on.player.host.agent._open) == 3)
            (tmp_path / "1").touch()
            assert [(await call)["parity_choice"] for call in calls] == ["odd"] * 3

    run(play())


@pytest.mark.parametrize(
    "strategy", ["python:tests.agents.waiting:crash", "command:echo seven", "command:no-such-program"]
)
def test_a_strategy_that_fails_costs_its_choice_at_once(tmp_path: Path, strategy: str) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter(strategy=strategy)
            await on.announce()
            await on.invite()
            assert (await on.call())["parity_choice"] == "even"
            assert "The strategy has failed" in on.here.journal.getvalue()

    run(play())


def test_a_bug_in_how_a_strategy_is_asked_costs_a_choice_and_is_seen(tmp_path: Path) -> None:
    async def bug(question: Question) -> Choice:
        raise LookupError("what nobody thought of")

    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter()
            on.player.host._strategy = bug
            await on.announce()
            await on.invite()
            assert (await on.call())["parity_choice"] == "even"
            assert (await on.finish())["message_type"] == "GAME_OVER_ACK"
            assert "CRITICAL: The strategy has failed, and a default is taken: LookupError: what nobody thought of" in (
                on.here.journal.getvalue()
            )

    run(play())


def test_a_strategy_that_hangs_costs_its_choice_when_time_is_nearly_over(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter(strategy="python:tests.agents.waiting:never")
            await on.announce()
            await on.invite()
            assert (await on.call_in_vain())["parity_choice"] == "even"
            assert on.player.host._thinking is None

    run(play())


@pytest.mark.parametrize(
    ("deadline", "longest"),
    [("2000-01-01T00:00:00Z", 29.0), ("not a time", 29.0), (7, 29.0), ("2999-01-01T00:00:00Z", 29.0), (None, 29.0)],
)
def test_a_deadline_that_says_nothing_leaves_the_player_its_own_countdown(
    tmp_path: Path, deadline: object, longest: float
) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter(strategy="python:tests.agents.waiting:never")
            call = await on.until_choosing(deadline=deadline, milliseconds_left=1)
            assert on.countdown() == longest
            await on.player.run_out(CHOICE_TIMER)
            await call

    run(play())


def test_the_countdown_ends_before_the_deadline_that_the_referee_has_given(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter(strategy="python:tests.agents.waiting:never")
            deadline = format_time(utc_now() + timedelta(seconds=20))
            call = await on.until_choosing(deadline=deadline)
            assert 0 < on.countdown() <= 19
            assert (on.state.match.deadline, on.state.match.your_standings.wins) == (deadline, 2)
            await on.player.run_out(CHOICE_TIMER)
            assert (await call)["parity_choice"] == "even"

    run(play())


def test_a_player_that_is_told_a_short_table_says_what_it_has_counted_itself(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter(strategy="always:odd")
            await on.announce()
            await on.invite()
            await on.call()
            await on.finish()
            await on.complete([{"rank": 1, "player_id": "P01", "points": 3}, {"rank": 2, "player_id": "P02"}])
            await on.player.ended()
            (line,) = [line for line in on.here.journal.getvalue().splitlines() if "League over" in line]
            assert line.endswith(
                "(rank=1, players=2, points=3, wins=1, draws=0, losses=0, technical_losses=0, matches_played=1)"
            )

    run(play())


# registration


def test_a_player_that_cannot_reach_the_manager_gives_up_with_a_sentence(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            here.url = "http://127.0.0.1:1/mcp"
            player = await here.player("Juniper")
            await tries_to_register(player)
            ended = await player.ended()
            assert ended.failure is not None
            assert ended.failure.startswith(
                "Failed to register with League Manager at http://127.0.0.1:1/mcp: no connection "
            )
            again = await here.player("Juniper", port=player.port)  # and begins anew when it is started again
            await tries_to_register(again)
            assert (await again.ended()).failure == ended.failure

    run(play())


async def tries_to_register(player: Running) -> None:
    """It reaches nobody, however often it tries; the pauses between are over as soon as they begin."""
    for tries in range(MAX_RETRIES):
        await until(lambda tries=tries: is_waiting_after(player.host.work.state, tries))  # type: ignore[misc]
        await player.run_out(REGISTER_TIMER)


def is_waiting_after(state: State, tries: int) -> bool:
    return state.is_unreached and state.retry_count == tries


@pytest.mark.parametrize(
    ("name", "sender"),
    [
        ("Alpha", "player:alpha"),
        (" Red  Fox ", "player:red-fox"),
        ("\xc4", "player:\xe4"),
    ],
)
def test_before_it_has_an_id_a_player_is_called_by_its_name_in_lower_case(name: str, sender: str) -> None:
    assert PlayerProcess(Settings(name=name)).who.sender == sender


def test_a_player_that_is_rejected_gives_up_with_a_sentence(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            on.answers = [on.rejected("League full")]
            on.player = await on.here.player("Juniper")
            assert (await on.player.ended()).failure == "Registration was rejected: League full"

    run(play())


def test_a_player_whose_name_is_taken_takes_another(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            on.answers = [on.rejected("Duplicate name"), on.accepted("P01")]
            await on.enter()
            names = [body["player_meta"]["display_name"] for body in on.registered]
            assert names[0] == "Juniper"
            assert names[1].startswith("Juniper-")
            assert on.player.host.who.claim is None, "nothing is claimed any more"

    run(play())


# whom it believes


def test_what_is_not_for_it_is_answered_with_an_error_or_ignored(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter()
            early = await on.invite()
            assert (early["message_type"], early["status"]) == ("ACK", "IGNORED")
            await on.announce()
            assert (await on.invite("R9M9"))["code"] == 4003
            await on.invite()
            context = {"opponent_id": "P02", "round_id": 1}
            ids: dict[str, Any] = {"match_id": "R1M1", "player_id": "P01", "context": context}
            assert (await on.say("CHOOSE_PARITY_CALL", "referee:REF09", **ids))["code"] == 4005
            assert (await on.say("CHOOSE_PARITY_CALL", **{**ids, "player_id": "P07"}))["code"] == 4002

    run(play())


def test_whoever_runs_a_player_reads_why_it_turns_an_invitation_down_that_nobody_announced(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter()
            await on.invite()
            await on.announce()
            await on.invite("R1M9")
            other: dict[str, Any] = {"league_id": "another", "round_id": 1, "match_id": "R1M8", "opponent_id": "P02"}
            await on.say("GAME_INVITATION", role_in_match="PLAYER_A", game_type="even_odd", **other)
            await on.invite()
            await on.invite("R1M7")
            said = [line for line in on.here.journal.getvalue().splitlines() if "--accept-unannounced" in line]
            assert [line.partition("] [P01] ")[2].partition(" A player")[0] for line in said] == [
                "[R1M1] Round 1 was not announced with this match.",
                "[R1M9] R1M9 is not the match that this player is waiting for.",
            ]

    run(play())


def test_a_player_that_takes_anything_takes_an_invitation_that_nobody_announced(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter(accepts_unannounced=True)
            assert (await on.invite())["accept"] is True

    run(play())


def test_an_id_that_leads_elsewhere_leaves_no_file(tmp_path: Path) -> None:
    async def play() -> None:
        data = tmp_path / "inner" / "data"
        async with stage(data) as on:
            on.answers = [on.accepted("../../../evil")]
            await on.enter()
            await on.announce()
            await on.invite()
            await on.call()
            await on.finish()
            await on.player.stop()
            found = [path.relative_to(tmp_path) for path in tmp_path.glob("**/*.json")]
            assert found == []
            assert "No history is kept" in on.here.journal.getvalue()

    run(play())


def test_its_health_and_figures_can_be_asked_for(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter()
            health = json.loads((await post(on.player.port, b"", "/health", "GET")).body)
            assert (health["status"], health["role"], health["agent"], health["state"]) == (
                "ok",
                "player",
                "P01",
                "REGISTERED",
            )
            assert health["calls"] == {"LEAGUE_REGISTER_REQUEST": {"answered": 1}}
            figures = (await post(on.player.port, b"", "/metrics", "GET")).body.decode()
            assert 'turnstile_league_machines{machine="player",state="REGISTERED"} 1' in figures
            assert (
                'turnstile_league_calls_total{message_type="LEAGUE_REGISTER_REQUEST",outcome="answered"} 1' in figures
            )

    run(play())
