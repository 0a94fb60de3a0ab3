"""The log of a whole league, line by line: everything that was sent and received, and what went wrong."""

import json
import re
from pathlib import Path

import pytest

from tests.agents.company import company, run
from tests.agents.loops import until
from tests.agents.test_player_agent import stage
from turnstile.agents.player import PlayerHost

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
    while_it_is_played = "\n".join(line for line in journal.splitlines() if "] Match over (" not in line)
    for secret in ("tok-", "=odd", "odd)", "seed"):
        assert secret not in while_it_is_played
    for name in ("P01", "P02"):
        lines = [line for line in journal.splitlines() if f"[{name}] " in line]
        told, heard = (
            next(at for at, line in enumerate(lines) if what in line) for what in ("Match over", "Received GAME_OVER")
        )
        assert told > heard  # a choice may be read by others when the match is over, and not before


def test_when_the_league_is_over_a_player_says_how_it_did(tmp_path: Path) -> None:
    async def play() -> str:
        async with company(tmp_path) as here:
            manager = await here.manager(2, ends_with_league=True)
            others = [
                await here.referee(),
                *[await here.player(name, f"always:{side}") for name, side in SIDES.items()],
            ]
            for running in (manager, *others):
                await running.ended()
            return here.journal.getvalue()

    journal = run(play())
    ends = re.findall(r"\[P0[12]\] \[R1M1\] Match over \((.*)\)", journal)
    assert len(ends) == 2
    for end in ends:
        assert re.fullmatch(
            r"result=(WIN|LOSS), opponent=P0[12], my_choice=(even|odd), opponent_choice=(even|odd), "
            r"drawn_number=\d+, is_fair=true",
            end,
        )
    for rank, points, wins in ((1, 3, 1), (2, 0, 0)):
        counts = f"rank={rank}, players=2, points={points}, wins={wins}, draws=0, losses={1 - wins}"
        assert journal.count(f" League over ({counts}, technical_losses=0, matches_played=1)") == 1


SIDES = {"Juniper": "odd", "Sorrel": "even"}


def test_a_result_that_cannot_be_read_is_a_line_and_a_flag_in_the_history(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter(strategy="always:odd")
            for number in (1, 2):
                await on.announce(f"R{number}M1", number)
                await on.invite(f"R{number}M1", number)
                await on.call(f"R{number}M1")
                if number == 1:
                    said = await on.say("GAME_OVER", match_id="R1M1", game_type="even_odd", game_result="won!")
                    assert said["message_type"] == "GAME_OVER_ACK"
            await on.complete()
            await on.complete()
            await on.player.ended()
            journal = on.here.journal.getvalue()
            assert "[P01] [R1M1] The result cannot be read: the match is kept without one." in journal
            assert "[P01] [R2M1] Match over (opponent=P02, my_choice=odd)" in journal
            assert journal.count("League over (") == 1
            unread, unheard = on.here.history("P01")["matches"]
            assert (unread["result"], unheard["result"]) == (None, None)
            assert (unread["is_unreadable"], unheard.get("is_unreadable")) == (True, None)

    run(play())


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
        ("python:tests.agents.waiting:crash", r"The strategy has failed, .* was ended by signal 6, and said nothing\."),
        ("command:sh -c 'exit 3'", r"The strategy has failed, .*: sh ended with exit status 3, and said nothing\."),
    ],
)
def test_a_strategy_that_crashes_is_a_critical_line(tmp_path: Path, strategy: str, why: str) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter(strategy=strategy)
            await on.announce()
            await on.invite()
            assert (await on.call())["parity_choice"] == "even"
            assert re.search(rf"\[P01\] \[R1M1\] CRITICAL: {why}", on.here.journal.getvalue())

    run(play())


def test_a_strategy_that_is_late_is_a_critical_line(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter(strategy="python:tests.agents.waiting:never")
            await on.announce()
            await on.invite()
            await on.call_in_vain()
            line = "[P01] [R1M1] CRITICAL: The strategy was late: the player has said even."
            assert line in on.here.journal.getvalue()

    run(play())


def test_every_line_of_a_log_for_programs_is_json_whatever_a_strategy_says(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            settings = on.here.settings("Juniper", log_as_json=True)
            on.player = await on.here.start(PlayerHost(settings, "python:tests.agents.waiting:rambling"))
            await until(lambda: on.state.player_id is not None)
            await on.announce()
            await on.invite()
            assert (await on.call())["parity_choice"] == "even"
            lines = [json.loads(line) for line in on.here.journal.getvalue().splitlines()]
            said = [line["text"] for line in lines if line["kind"] == "strategy"]
            assert said[:2] == ["even? odd?", "Traceback (most recent call last):"]
            assert said[-1] == "ValueError: \N{REPLACEMENT CHARACTER}[31mred"
            assert [line["match"] for line in lines if line["kind"] == "strategy"] == ["R1M1"] * len(said)

    run(play())
