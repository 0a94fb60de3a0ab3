"""SHUTDOWN_COMMAND: off unless it is switched on, and then obeyed when the league manager sends it."""

from pathlib import Path
from typing import Any

import pytest

from tests.agents.agents_in_process import InProcessAgents, Running, in_process_agents, run
from tests.agents.loops import until
from tests.agents.player.stage import stage
from tests.agents.wire.wired import post
from tests.agents.wire.zoo import Body
from turnstile.agents.player.process import PlayerProcess
from turnstile.agents.referee.process import RefereeProcess
from turnstile.league.player.state import Phase
from turnstile.league.protocol.words import Address
from turnstile.league.trust import manager_proof


async def command(agent: Running, token: str | None = None, sender: str = "league_manager") -> Body:
    """What an agent answers to a SHUTDOWN_COMMAND."""
    envelope: Body = {"protocol": "league.v2", "message_type": "SHUTDOWN_COMMAND", "sender": sender}
    fields = {**envelope, "reason": "maintenance", **({} if token is None else {"auth_token": token})}
    body = {"jsonrpc": "2.0", "id": 7, "method": "shutdown", "params": fields}
    answer: Body = (await post(agent.port, body)).json
    return answer


async def start_all(here: InProcessAgents, *, accepts: bool, **manager: Any) -> tuple[Running, list[Running]]:
    """A manager that waits for its league to begin, a referee and a player."""
    league = await here.manager(**manager)
    referee = await here.start(RefereeProcess(here.settings("Whistle", accepts_shutdown=accepts)))
    player = await here.start(PlayerProcess(here.settings("Juniper", accepts_shutdown=accepts)))
    await until(lambda: referee.host.work.state.referee_id and player.host.work.state.player_id)
    return league, [referee, player]


def proof_for(manager: Running, agent: Running) -> str:
    return manager_proof(manager.host.work.state.secret, Address(agent.host.who.sender))


def test_an_agent_that_is_not_told_otherwise_knows_no_shutdown_command(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            manager, agents = await start_all(here, accepts=False)
            for agent in agents:
                assert (await command(agent, proof_for(manager, agent)))["error"]["code"] == -32601
                assert (await post(agent.port, b"", "/health", "GET")).status == 200
            assert (await command(manager))["error"]["code"] == -32601

    run(play())


def test_an_agent_that_is_told_so_obeys_the_shutdown_command_of_its_manager(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            manager, agents = await start_all(here, accepts=True)
            for agent in agents:
                told = (await command(agent, proof_for(manager, agent)))["result"]
                assert (told["message_type"], told["status"]) == ("SHUTDOWN_ACK", "ACKNOWLEDGED")
                assert (await agent.ended()).failure is None
            journal = here.journal.getvalue()
            for name in ("REF01", "P01"):
                assert f"[{name}] Received SHUTDOWN_COMMAND from league_manager (reason=maintenance)" in journal
                assert f"[{name}] WARNING: The league manager shuts this agent down." in journal
                assert f"[{name}] Sent SHUTDOWN_ACK to league_manager" in journal

    run(play())


@pytest.mark.parametrize("token", [None, "", "tok-p01-0123", "\N{SNOWMAN}"])
def test_nobody_but_the_manager_shuts_an_agent_down(tmp_path: Path, token: str | None) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            _, agents = await start_all(here, accepts=True)
            for agent in agents:
                assert (await command(agent, token))["error"]["code"] == 3001
                assert (await post(agent.port, b"", "/health", "GET")).status == 200
            assert (
                here.journal.getvalue().count("WARNING: Turned down SHUTDOWN_COMMAND from league_manager (3001)") == 2
            )

    run(play())


def test_of_a_manager_that_gives_no_proof_only_the_sender_is_looked_at(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            on.player = await on.here.start(PlayerProcess(on.here.settings("Juniper", accepts_shutdown=True)))
            await until(lambda: on.state.player_id is not None)
            assert (await command(on.player, sender="referee:REF01"))["error"]["code"] == 3001
            assert (await command(on.player))["result"]["message_type"] == "SHUTDOWN_ACK"
            await on.player.ended()

    run(play())


def test_before_it_is_registered_an_agent_has_no_manager_that_could_shut_it_down(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            on.answers = [on.rejected("Duplicate name")]
            on.player = await on.here.start(PlayerProcess(on.here.settings("Juniper", accepts_shutdown=True)))
            await until(lambda: on.state.phase is Phase.UNREGISTERED and on.state.names_tried == 1)
            assert (await command(on.player))["error"]["code"] == 3001

    run(play())


def test_a_player_that_was_shut_down_goes_on_when_it_is_started_again(tmp_path: Path) -> None:
    async def play() -> None:
        async with stage(tmp_path) as on:
            settings = on.here.settings("Juniper", accepts_shutdown=True)
            on.player = await on.here.start(PlayerProcess(settings, "always:odd"))
            await until(lambda: on.state.player_id is not None)
            await on.announce()
            await on.invite()
            await command(on.player)
            await on.player.ended()
            on.player = await on.here.player("Juniper", "always:odd", port=on.player.port)
            assert (await on.call())["parity_choice"] == "odd"

    run(play())


@pytest.mark.parametrize("is_on", [True, False])
def test_a_manager_shuts_its_agents_down_when_it_is_stopped_if_that_is_switched_on(tmp_path: Path, is_on: bool) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            manager, agents = await start_all(here, accepts=True, shuts_down_agents=is_on)
            await manager.stop()
            if is_on:
                for agent in agents:
                    assert (await agent.ended()).failure is None
            assert [agent.task.done() for agent in agents] == [is_on] * 2
            assert ("[league_manager] Sent SHUTDOWN_COMMAND to P01" in here.journal.getvalue()) is is_on

    run(play())


def test_after_the_league_a_manager_says_nothing_more_to_anybody(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here:
            manager = await here.manager(2, ends_with_league=True, shuts_down_agents=True)
            await here.referee()
            for name in ("Juniper", "Sorrel"):
                await here.player(name)
            await manager.ended()
            assert "SHUTDOWN_COMMAND" not in here.journal.getvalue()

    run(play())
