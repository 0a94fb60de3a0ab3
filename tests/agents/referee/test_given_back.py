"""A match that is given to another referee, and back: it belongs to one at a time, and no honest player loses by it."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.agents.agents_in_process import InProcessAgents, Running, in_process_agents, run
from tests.agents.foreign import foreign_league, joins
from tests.agents.loops import pass_time, until
from tests.agents.wire.zoo import Body
from turnstile.agents.manager.running import RunningManager
from turnstile.agents.referee.matches import GIVEN_AWAY, REPORT_PAUSE_SECONDS
from turnstile.league.manager.state import Phase
from turnstile.league.registering import pause

WAITING = "python:tests.agents.waiting:choose"
CHOOSING = "WAITING_FOR_CHOICE_REQUEST -> CHOOSING_PARITY"


class League:
    """A manager without patience, two referees, and two players that choose when the test lets them."""

    def __init__(self, here: InProcessAgents, gates: Path) -> None:
        self.here, self.gates = here, gates
        self.manager: Running
        self.referees: list[Running] = []

    async def begin(self, referees: int = 2) -> None:
        self.manager = await self.here.manager(2, options={"most_unanswered": 1})
        for name in ("Whistle", "Flute")[:referees]:
            referee = await self.here.referee(name)
            await until(lambda referee=referee: referee.host.work.state.referee_id is not None)  # type: ignore[misc]
            self.referees.append(referee)
        for name in ("Juniper", "Sorrel"):
            await self.here.player(name, WAITING)
        await self.until_choosing(1)

    async def until_choosing(self, times: int) -> None:
        """Both players have been asked so many times in all, and wait."""
        await until(lambda: self.here.journal.getvalue().count(CHOOSING) == 2 * times)

    async def lose(self, number: int, phase: Phase) -> None:
        """A referee dies, and is given up."""
        await self.referees[number].drop()
        async with self.manager.running_out(f"referee REF0{number + 1}"):
            await until(lambda: not self.work.state.referees[number].is_up)
        await until(lambda: self.work.state.phase is phase)

    async def come_back(self, number: int) -> None:
        name, port = ("Whistle", "Flute")[number], self.referees[number].port
        self.referees[number] = await self.here.referee(name, port)

    def let_choose(self) -> None:
        (self.gates / "1").touch()

    async def until_complete(self) -> None:
        await until(lambda: self.work.state.phase is Phase.LEAGUE_COMPLETE)

    @property
    def work(self) -> RunningManager:
        work: RunningManager = self.manager.host.work
        return work

    @property
    def result(self) -> Any:
        return self.manager.host._records.reports["R1M1"]


@pytest.fixture
def gates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    gates = tmp_path / "gates"
    gates.mkdir()
    monkeypatch.setenv("GATES", str(gates))
    return gates


def test_a_match_that_is_given_away_and_back_is_begun_anew_and_both_players_play_it(
    tmp_path: Path, gates: Path
) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            league = League(here, gates)
            await league.begin()
            await league.lose(0, Phase.PLAYING_ROUND)
            await league.until_choosing(2)
            await league.lose(1, Phase.WAITING_FOR_REFEREE)
            await league.come_back(0)
            await league.until_choosing(3)
            league.let_choose()
            await league.until_complete()
            assert league.result.sender == "referee:REF01"
            assert league.result.result.details.status != "TECHNICAL_LOSS"
            assert GIVEN_AWAY in here.journal.getvalue()
            assert sum(tally.played for tally in league.work.state.tallies) == 2

    run(play())


def test_the_files_of_other_referees_are_removed_when_the_result_is_booked(tmp_path: Path, gates: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            league = League(here, gates)
            await league.begin()
            await until(lambda: "R1M1" in here.match_files())
            await league.lose(0, Phase.PLAYING_ROUND)
            await league.until_choosing(2)
            await until(lambda: set(here.match_files()) == {"R1M1", "R1M1.REF02"})
            league.let_choose()
            await league.until_complete()
            await league.referees[1].stop()
            files = here.match_files()
            assert {name: file["referee_id"] for name, file in files.items()} == {"R1M1": "REF02"}
            await league.come_back(0)
            await until(lambda: GIVEN_AWAY in here.journal.getvalue())
            await league.referees[0].ended()
            assert here.match_files() == files

    run(play())


def test_a_referee_that_comes_back_while_another_has_its_match_calls_no_player(tmp_path: Path, gates: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            league = League(here, gates)
            await league.begin()
            await league.lose(0, Phase.PLAYING_ROUND)
            await league.until_choosing(2)
            before = here.journal.getvalue().count("[REF01] [R1M1] Sent")
            await league.come_back(0)
            await until(lambda: GIVEN_AWAY in here.journal.getvalue())
            league.let_choose()
            await league.until_complete()
            assert league.result.sender == "referee:REF02"
            assert here.journal.getvalue().count("[REF01] [R1M1] Sent") == before

    run(play())


def test_a_referee_that_comes_back_before_its_manager_asks_until_there_is_an_answer(
    tmp_path: Path, gates: Path
) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            league = League(here, gates)
            await league.begin(referees=1)
            await league.referees[0].drop()
            await league.manager.stop()
            await league.come_back(0)
            await until(lambda: "Failed to send LEAGUE_QUERY" in here.journal.getvalue())
            league.let_choose()
            league.manager = await here.manager(2, port=league.manager.port, options={"most_unanswered": 1})
            pass_time(pause(0))
            await league.until_complete()
            assert league.result.result.details.status != "TECHNICAL_LOSS"
            assert GIVEN_AWAY not in here.journal.getvalue()

    run(play())


def test_a_result_reaches_a_manager_within_10_seconds_of_its_return_however_long_it_was_away(
    tmp_path: Path, gates: Path
) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            league = League(here, gates)
            await league.begin(referees=1)
            await league.manager.stop()
            league.let_choose()
            async with league.referees[0].running_out("league_manager"):
                await until(lambda: "REPORTING_RESULT -> MATCH_COMPLETE" in here.journal.getvalue())
            assert here.match_files()["R1M1"]["lifecycle"]["is_reported"] is False
            for _ in range(20):  # 100 seconds more
                failures = here.journal.getvalue().count("Failed to send MATCH_RESULT_REPORT")
                pass_time(REPORT_PAUSE_SECONDS)
                await until(
                    lambda failures=failures: (  # type: ignore[misc]
                        here.journal.getvalue().count("Failed to send MATCH_RESULT_REPORT") > failures
                    )
                )
            league.manager = await here.manager(2, port=league.manager.port)
            assert REPORT_PAUSE_SECONDS < 10
            pass_time(REPORT_PAUSE_SECONDS)
            await league.until_complete()
            await until(lambda: here.match_files()["R1M1"]["lifecycle"]["is_reported"] is True)

    run(play())


def test_a_result_that_the_manager_refuses_is_not_told_again(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:
            league.is_deaf = True
            await league.enter("P01")
            await league.enter("P02")
            async with league.referee.running_out("league_manager"):
                await league.hand_out()
                await until(lambda: "REPORTING_RESULT -> MATCH_COMPLETE" in league.here.journal.getvalue())
            await until(lambda: not league.referee.host._matches._unbooked)
            sent = league.here.journal.getvalue().count("Sent MATCH_RESULT_REPORT")
            assert sent == 5  # four times by the machine, and once more

    run(play())


def test_a_match_that_a_referee_plays_is_begun_anew_when_it_is_announced_as_given_away_and_back(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path) as league:
            hold = asyncio.Event()

            async def slow(fields: Body) -> Body:
                if fields["message_type"] == "CHOOSE_PARITY_CALL":
                    await hold.wait()
                return joins(fields)

            for player in ("P01", "P02"):
                await league.enter(player, slow)
            await league.announce(league.entry("R1M1", referee_id="REF01"))
            for player in ("P01", "P02"):
                await until(lambda player=player: bool(league.heard(player, "CHOOSE_PARITY_CALL")))  # type: ignore[misc]
            for _ in range(2):  # the same number changes nothing
                await league.announce(league.entry("R1M1", referee_id="REF01", reassignments=2))
            for player in ("P01", "P02"):
                await until(lambda player=player: len(league.heard(player, "CHOOSE_PARITY_CALL")) == 2)  # type: ignore[misc]
                assert len(league.heard(player, "GAME_INVITATION")) == 2
            commitments = {call["context"]["commitment"] for call in league.heard("P01", "CHOOSE_PARITY_CALL")}
            assert len(commitments) == 1, "nobody knows the number, so it stays"
            hold.set()
            report = await league.reports.get()
            assert report["result"]["details"]["reassignments"] == 2
            await until(lambda: not league.referee.host._matches)
            await league.announce(league.entry("R1M1", referee_id="REF01", reassignments=4))
            again = await league.reports.get()
            assert again["result"]["details"]["reassignments"] == 4
            assert again["result"]["details"]["seed"] != report["result"]["details"]["seed"], (
                "its players know the number"
            )

    run(play())


def test_a_match_that_waits_for_its_turn_is_taken_anew_when_it_was_given_away_and_back(tmp_path: Path) -> None:
    async def play() -> None:
        async with foreign_league(tmp_path, capacity=1) as league:
            hold = asyncio.Event()

            async def slow(fields: Body) -> Body:
                await hold.wait()
                return joins(fields)

            await league.enter("P01", slow)
            await league.enter("P02")
            await league.announce(*(league.entry(f"R1M{number}", referee_id="REF01") for number in (1, 2)))
            for _ in range(2):
                await league.announce(league.entry("R1M2", referee_id="REF01", reassignments=2))
            assert league.referee.host._matches.waiting == 1
            hold.set()
            reports = [await league.reports.get() for _ in range(2)]
            told = {report["match_id"]: report["result"]["details"]["reassignments"] for report in reports}
            assert told == {"R1M1": 0, "R1M2": 2}

    run(play())
