"""A referee that refuses its matches in every form: it is warned of, and its matches go to another."""

from pathlib import Path

import pytest

from tests.agents.agents_in_process import in_process_agents, run
from tests.agents.loops import until
from tests.agents.manager.test_process import register_referee
from tests.agents.wire.zoo import Body, living
from tests.agents.wire.zoo import Said as Answer
from turnstile.cli.league.show import Show, glimpse
from turnstile.league.manager.state import Phase


def refusing(status: int, code: int) -> Answer:
    return status, {"jsonrpc": "2.0", "error": {"code": code, "message": "what?"}, "id": 1}


@pytest.mark.parametrize(("status", "code"), [(200, -32601), (422, -32602), (500, -32000), (404, 7)])
def test_a_referee_that_refuses_its_rounds_is_warned_of_and_its_matches_go_to_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], status: int, code: int
) -> None:
    async def play() -> None:
        async with in_process_agents(tmp_path) as here, living(lambda body: refusing(status, code)) as deaf:
            manager = await here.manager(2)
            assert (await register_referee(manager, "Deaf", deaf.url))["referee_id"] == "REF01"
            await here.referee("Whistle")
            for name in ("Juniper", "Sorrel"):
                await here.player(name)
            await until(lambda: "refuses its matches" in here.journal.getvalue())
            (shown,) = [agent for agent in manager.host.board().agents if agent.address == "referee:REF01"]
            assert (shown.condition, shown.is_well) == (f"refuses its matches (error {code})", False)
            Show(as_json=False).table(glimpse(manager.host.board()))
            warning = f"Deaf (REF01) refuses its matches (error {code}); they go to another referee."
            assert f"Warning: {warning}\n" in capsys.readouterr().out
            assert glimpse(manager.host.board()).warnings == (warning,)
            async with manager.running_out("referee REF01"):
                await until(lambda: manager.host.work.state.phase is Phase.LEAGUE_COMPLETE)
            assert manager.host._records.reports["R1M1"].sender == "referee:REF02"
            warned = f"WARNING: REF01 refuses its matches in every form (error {code})."
            assert here.journal.getvalue().count(warned) == 1

    run(play())


def test_a_referee_that_takes_its_matches_after_all_is_not_warned_of_any_more(tmp_path: Path) -> None:
    async def play() -> None:
        is_deaf = True

        def say(body: Body) -> Answer:
            if is_deaf:
                return refusing(200, -32601)
            return 200, {"jsonrpc": "2.0", "result": {"status": "ok"}, "id": body.get("id")}

        async with in_process_agents(tmp_path) as here, living(say) as late:
            manager = await here.manager(2)
            await register_referee(manager, "Late", late.url)
            for name in ("Juniper", "Sorrel"):
                await here.player(name)
            await until(lambda: bool(glimpse(manager.host.board()).warnings))
            is_deaf = False
            async with manager.running_out("referee REF01"):
                await until(lambda: not glimpse(manager.host.board()).warnings)

    run(play())
