"""The log of a whole league, line by line: everything that was sent and received, and what went wrong."""

import re
from pathlib import Path

import pytest

from tests.agents.company import company, run
from tests.agents.test_player_agent import SHORT, stage

ANSWERS = {
    "LEAGUE_REGISTER_REQUEST": "LEAGUE_REGISTER_RESPONSE",
    "REFEREE_REGISTER_REQUEST": "REFEREE_REGISTER_RESPONSE",
    "ROUND_ANNOUNCEMENT": "ROUND_ANNOUNCEMENT_ACK",
    "GAME_INVITATION": "GAME_JOIN_ACK",
    "LEAGUE_QUERY": "LEAGUE_QUERY_RESPONSE",
    "CHOOSE_PARITY_CALL": "CHOOSE_PARITY_RESPONSE",
    "GAME_OVER": "GAME_OVER_ACK",
    "MATCH_RESULT_REPORT": "MATCH_RESULT_ACK",
    "LEAGUE_STANDINGS_UPDATE": "STANDINGS_UPDATE_ACK",
    "ROUND_COMPLETED": "ROUND_COMPLETED_ACK",
    "LEAGUE_COMPLETED": "LEAGUE_COMPLETED_ACK",
}


def test_A20_everything_sent_and_received_has_its_line_and_no_line_has_a_secret(tmp_path: Path) -> None:
    async def play() -> str:
        async with company(tmp_path) as here:
            manager = await here.manager(2, ends_with_league=True)
            others = [await here.referee(), await here.player("Juniper", "always:odd"), await here.player("Sorrel")]
            for running in (manager, *others):
                await running.ended()
            return here.journal.getvalue()

    journal = run(play())
    for question, answer in ANSWERS.items():
        asked, answered = (len(re.findall(rf"\] Received {name} from", journal)) for name in (question, answer))
        sent, replied = (len(re.findall(rf"\] Sent {name} to", journal)) for name in (question, answer))
        assert asked == sent == answered == replied > 0, question
    for line in (
        "[P01] [R1M1] Sent GAME_JOIN_ACK to REF01 (accept=true)",
        "[league_manager] [R1M1] Sent MATCH_RESULT_ACK to REF01 (status=ACCEPTED)",
        "[REF01] Sent LEAGUE_COMPLETED_ACK to league_manager",
    ):
        assert line in journal, line
    for secret in ("tok-", "=odd", "odd)", "seed"):
        assert secret not in journal


def test_what_changes_nothing_is_no_transition(tmp_path: Path) -> None:
    async def play() -> None:
        async with company(tmp_path) as here:
            manager = await here.manager(2, ends_with_league=True)
            await here.referee()
            for name in ("Juniper", "Sorrel"):
                await here.player(name)
            await manager.ended()
            lines = [line for line in here.journal.getvalue().splitlines() if "State transition" in line]
            assert lines
            queries = [line for line in lines if "(event: LEAGUE_QUERY)" in line]
            assert len(queries) == 1  # the one that tells the commitment of the match; the others only ask
            assert all(re.search(r"\(event: \S+\)$", line) for line in lines)
            counted = sum(each.host.agent.meter.transitions.total() for each in here.running)
            assert counted == len(lines)

    run(play())


@pytest.mark.parametrize(
    ("strategy", "why"),
    [
        ("python:tests.agents.waiting:never", r"The strategy was late: the player has said even\."),
        ("python:tests.agents.waiting:crash", r"The strategy has failed, .* was ended by signal 6, and said nothing\."),
        ("command:sh -c 'exit 3'", r"The strategy has failed, .*: sh ended with exit status 3, and said nothing\."),
    ],
)
def test_a_strategy_that_is_late_or_crashes_is_a_critical_line(tmp_path: Path, strategy: str, why: str) -> None:
    async def play() -> None:
        async with stage(tmp_path, SHORT if "never" in strategy else 1.0) as on:
            await on.enter(strategy=strategy)
            await on.announce()
            await on.invite()
            assert (await on.call())["parity_choice"] == "even"
            assert re.search(rf"\[P01\] \[R1M1\] CRITICAL: {why}", on.here.journal.getvalue())

    run(play())
