"""Who may referee: where a league has a key, nobody is given matches who does not show it."""

from pathlib import Path
from typing import Any

import pytest

from tests.agents.agents_in_process import in_process_agents, run
from tests.agents.loops import until
from tests.agents.manager.test_process import managed, meta, say
from turnstile.agents.manager.process import KEY_MISSING
from turnstile.net.addresses import OPEN_NETWORK, allowing

KEY = "a key of the organisers"
BEYOND = allowing(OPEN_NETWORK, "127.0.0.0/8")


@pytest.mark.parametrize("shown", [{}, {"auth_token": ""}, {"auth_token": "another"}, {"auth_token": f"{KEY} "}])
def test_A6_a_referee_without_the_key_is_rejected_in_words(tmp_path: Path, shown: dict[str, Any]) -> None:
    async def play() -> None:
        async with managed(tmp_path, referee_key=KEY) as (_, manager):
            entry = meta("Fair", "http://127.0.0.1:1/mcp")
            answer = await say(manager, "REFEREE_REGISTER_REQUEST", "referee:x", referee_meta=entry, **shown)
            assert (answer["status"], answer["reason"]) == ("REJECTED", KEY_MISSING)
            assert manager.host.work.state.referees == ()
            right = await say(manager, "REFEREE_REGISTER_REQUEST", "referee:x", referee_meta=entry, auth_token=KEY)
            assert right["status"] == "ACCEPTED"
            player = meta("Ana", "http://127.0.0.1:2/mcp")
            assert (await say(manager, "LEAGUE_REGISTER_REQUEST", player_meta=player))["status"] == "ACCEPTED"

    run(play())


def test_A6_a_referee_of_ours_shows_the_key_and_again_after_a_restart(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            manager = await here.manager(referee_key=KEY)
            stranger = await here.referee("Stranger")
            assert KEY_MISSING in str((await stranger.ended()).failure)
            whistle = await here.referee("Whistle", key=KEY)
            await until(lambda: whistle.host.work.state.referee_id is not None)
            port = whistle.port
            await whistle.drop()
            before = here.journal.getvalue().count("ACCEPTED")
            await here.referee("Whistle", port, key=KEY)
            await until(lambda: here.journal.getvalue().count("Sent REFEREE_REGISTER_REQUEST") == 3)
            assert before > 0
            assert KEY_MISSING not in here.journal.getvalue().rpartition("Sent REFEREE_REGISTER_REQUEST")[2]
            assert len(manager.host.work.state.referees) == 1
            assert KEY not in here.journal.getvalue()

    run(play())


def test_A6_a_key_is_made_and_told_where_others_than_this_machine_are_called(tmp_path: Path) -> None:
    async def play() -> None:
        told: list[str] = []
        async with managed(tmp_path, reach=BEYOND, verifies_endpoints=False, tell=told.append) as (here, manager):
            entry = meta("Fair", "http://127.0.0.1:1/mcp")
            turned_down = await say(manager, "REFEREE_REGISTER_REQUEST", "referee:x", referee_meta=entry)
            assert turned_down["status"] == "REJECTED"
            key = told[0].rpartition(" ")[2]
            answer = await say(manager, "REFEREE_REGISTER_REQUEST", "referee:x", referee_meta=entry, auth_token=key)
            assert answer["status"] == "ACCEPTED"
            assert key not in here.journal.getvalue()
            await manager.drop()
            await here.manager(port=manager.port, reach=BEYOND, tell=told.append)
            assert told[1] == told[0]  # referees that were told it can come back

    run(play())


@pytest.mark.parametrize("more", [{}, {"reach": BEYOND, "is_open_to_referees": True, "verifies_endpoints": False}])
def test_a_league_of_this_machine_and_one_that_is_open_ask_for_no_key(tmp_path: Path, more: dict[str, Any]) -> None:
    async def play() -> None:
        told: list[str] = []
        async with managed(tmp_path, tell=told.append, **more) as (_, manager):
            entry = meta("Fair", "http://127.0.0.1:1/mcp")
            answer = await say(manager, "REFEREE_REGISTER_REQUEST", "referee:x", referee_meta=entry)
            assert answer["status"] == "ACCEPTED"
            assert told == []

    run(play())
