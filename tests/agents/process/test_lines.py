"""The log of a whole league, line by line: everything that was sent and received, and what went wrong."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.agents.agents_in_process import in_process_agents, run
from tests.agents.loops import until
from tests.agents.player.stage import stage
from tests.agents.wire.zoo import Body, Said, living
from turnstile.agents.player import process as player_module
from turnstile.agents.player.process import PlayerProcess
from turnstile.kernel.effects import Send
from turnstile.league.player.state import Phase
from turnstile.league.protocol.messages import LeagueRegisterRequest
from turnstile.league.protocol.words import LEAGUE_MANAGER

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
        async with in_process_agents(tmp_path) as here:
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
    own = re.compile(r"\] \[P0[12]\] \[R1M1\] (Match over \(|Decision: )")
    of_others = "\n".join(line for line in journal.splitlines() if not own.search(line))
    for secret in ("tok-", "=odd", "odd)", ": odd", "seed"):
        assert secret not in of_others
    assert " WARNING: " not in journal, "nothing unexpected has happened"
    for name in ("P01", "P02"):
        lines = [line for line in journal.splitlines() if f"[{name}] " in line]
        decided, sent, heard, told = (
            next(at for at, line in enumerate(lines) if what in line)
            for what in ("Decision: ", "Sent CHOOSE_PARITY_RESPONSE", "Received GAME_OVER", "Match over")
        )
        assert decided < sent < heard < told


def test_when_the_league_is_over_a_player_says_how_it_did(tmp_path: Path) -> None:
    async def play() -> str:
        async with in_process_agents(tmp_path) as here:
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


def test_the_decision_is_logged_when_it_is_made(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter(strategy="always:odd")
            await on.announce()
            await on.invite()
            await on.call()
            await on.call()
            assert on.here.journal.getvalue().count("[P01] [R1M1] Decision: odd\n") == 1

    run(play())


def test_a_decision_that_the_player_had_to_make_itself_is_logged_too(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter(strategy="python:tests.agents.waiting:never")
            await on.announce()
            await on.invite()
            await on.call_in_vain()
            assert "[P01] [R1M1] Decision: even\n" in on.here.journal.getvalue()

    run(play())


def test_a_move_in_another_game_is_a_decision_too(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter(strategy="python:tests.agents.waiting:last_move")
            await on.announce()
            await on.invite()
            context = {"opponent_id": "P02", "round_id": 1, "view": {}}
            request = {"move_type": "Pick", "valid_options": [{"card": "E"}, {"card": "C"}], "context": context}
            ids: Body = {"match_id": "R1M1", "player_id": "P01", "game_type": "e-card", "move_number": 1}
            await on.say("GAME_MOVE_CALL", move_request=request, **ids)
            assert '[P01] [R1M1] Decision: {"card":"C"}\n' in on.here.journal.getvalue()

    run(play())


def test_a_reply_in_its_exchange_that_the_machine_refuses_is_a_warning(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter()
            work = on.player.host.work
            request = LeagueRegisterRequest(player_meta=work.state.meta)
            on.player.host.agent.calls.make(work.call_of(Send(LEAGUE_MANAGER, request)))
            late = "[P01] WARNING: Turned down LEAGUE_REGISTER_RESPONSE from league_manager (Ignored)"
            await until(lambda: late in on.here.journal.getvalue())

    run(play())


def test_transition_3_warns_when_the_player_sits_out(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter()
            for _ in range(2):
                told = await on.say("ROUND_ANNOUNCEMENT", "league_manager", league_id="foreign", round_id=3, matches=[])
                assert told["message_type"] == "ROUND_ANNOUNCEMENT_ACK"
            warning = "[P01] WARNING: Round 3 has no match for this player: it sits out."
            assert on.here.journal.getvalue().count(warning) == 1
            await on.announce("R4M1", 4)
            assert on.here.journal.getvalue().count("WARNING") == 1

    run(play())


@pytest.mark.parametrize("kind", ["ROUND_ANNOUNCEMENT", "GAME_INVITATION", "LEAGUE_COMPLETED"])
def test_a_league_message_before_registration_is_an_error_in_the_log_and_ignored(tmp_path: Path, kind: str) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            on.answers = [on.rejected("Duplicate name")]
            on.player = await on.here.player("Juniper")
            await until(lambda: on.state.phase is Phase.UNREGISTERED and on.state.names_tried == 1)
            say: dict[str, Callable[[], Awaitable[Body]]] = {
                "ROUND_ANNOUNCEMENT": lambda: on.announce(me="P01"),
                "GAME_INVITATION": on.invite,
                "LEAGUE_COMPLETED": on.complete,
            }
            told = await say[kind]()
            assert (told["message_type"], told["status"]) == ("ACK", "IGNORED")
            assert (on.state.phase, on.state.queued) == (Phase.UNREGISTERED, None)
            assert re.search(rf"ERROR: Turned down {kind} from \S+ \(Ignored\)", on.here.journal.getvalue())

    run(play())


def test_an_invitation_that_is_not_valid_is_an_error_in_the_log(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter()
            await on.announce()
            await on.invite("R1M9")
            assert "[P01] [R1M9] ERROR: Turned down GAME_INVITATION from REF01 (MatchNotFound)" in (
                on.here.journal.getvalue()
            )
            await on.finish()
            assert "[P01] [R1M1] WARNING: Turned down GAME_OVER from REF01 (Ignored)" in on.here.journal.getvalue()

    run(play())


def test_a_round_announced_while_the_player_registers_is_kept_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(player_module, "EARLY_SECONDS", 0.0)

    async def play() -> None:
        async with stage(tmp_path) as on:
            registered = asyncio.Event()

            async def manage(body: Body) -> Said:
                await registered.wait()
                return on.manage(body)

            async with living(manage) as manager:
                on.here.url = manager.url
                on.player = await on.here.player("Juniper")
                await until(lambda: on.state.phase is Phase.REGISTERING)
                assert (await on.announce(me="P01"))["status"] == "ACKNOWLEDGED"
                kept = "WARNING: ROUND_ANNOUNCEMENT from league_manager came before the registration was complete: kept"
                assert kept in on.here.journal.getvalue()
                registered.set()
                await until(lambda: on.state.phase is Phase.WAITING_FOR_ROUND)

    run(play())


def test_after_a_restart_everything_sent_and_received_has_its_line_with_its_match(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            await on.enter(strategy="always:odd")
            await on.announce()
            await on.invite()
            await on.player.stop()
            before = len(on.here.journal.getvalue())
            on.player = await on.here.player("Juniper", "always:odd", port=on.player.port)
            again = "[P01] Received LEAGUE_REGISTER_RESPONSE from league_manager (status=ACCEPTED)"
            await until(lambda: again in on.here.journal.getvalue()[before:])
            await on.call()
            await on.finish()
            since = on.here.journal.getvalue()[before:]
            for line in (
                "[P01] Sent LEAGUE_REGISTER_REQUEST to league_manager",
                "[P01] [R1M1] Received CHOOSE_PARITY_CALL from REF01",
                "[P01] [R1M1] Decision: odd",
                "[P01] [R1M1] Sent CHOOSE_PARITY_RESPONSE to REF01",
                "[P01] [R1M1] Received GAME_OVER from REF01",
                "[P01] [R1M1] State transition: WAITING_FOR_RESULT -> MATCH_COMPLETE (event: GAME_OVER)",
                "[P01] [R1M1] Sent GAME_OVER_ACK to REF01",
            ):
                assert line in since, line

    run(play())


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
        async with in_process_agents(tmp_path) as here:
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
            on.player = await on.here.start(PlayerProcess(settings, "python:tests.agents.waiting:rambling"))
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
