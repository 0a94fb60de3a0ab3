"""Foreign agents that know no broadcasts: how often they are told, and what the log says that they answered."""

from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.agents.agents_in_process import InProcessAgents, in_process_agents, run
from tests.agents.wire import zoo
from tests.agents.wire.zoo import Animal, Body, Manners, living
from turnstile.agents.wire.dialect import REFUSALS_PER_FULL_TRY, forms_of

BROADCASTS = ("ROUND_ANNOUNCEMENT", "LEAGUE_STANDINGS_UPDATE", "ROUND_COMPLETED", "LEAGUE_COMPLETED", "GAME_OVER")
REFUSALS: dict[str, tuple[zoo.Said, str]] = {
    "-32601": (zoo.not_found({}), "error -32601"),
    "422": ((422, {"detail": "?"}), "HTTP 422"),
    "500": ((500, {"detail": "KeyError"}), "HTTP 500"),
}


def message_of(body: Body) -> Body:
    """The league message in a request, in whichever form it came."""
    params = body.get("params", body)
    fields = params.get("message", params.get("arguments", params))
    return {**fields, **fields.get("data", {})} if isinstance(fields, dict) else {}


def only_asked(refusal: zoo.Said) -> Callable[[Body], zoo.Said]:
    """A player that answers questions as it should, and refuses everything that it is only told."""

    def manners(body: Body) -> zoo.Said:
        is_question = body.get("method") in ("handle_game_invitation", "choose_parity")
        return zoo.by_tool(body) if is_question else refusal

    return manners


@asynccontextmanager
async def league_of(data: Path, *players: Manners) -> AsyncIterator[tuple[InProcessAgents, list[Animal]]]:
    """A league of ours among these players, when it is over."""
    async with AsyncExitStack() as stack:
        animals = [await stack.enter_async_context(living(manners)) for manners in players]
        here = await stack.enter_async_context(in_process_agents(data))
        listed = [(f"Animal {number}", animal.url) for number, animal in enumerate(animals)]
        manager = await here.manager(len(animals), players=listed, ends_with_league=True)
        referee = await here.referee()
        for agent in (manager, referee):
            assert (await agent.ended()).failure is None
        yield here, animals


def test_who_knows_no_broadcasts_is_told_each_in_all_forms_once_and_then_in_one(tmp_path: Path) -> None:
    async def play() -> list[Counter[str]]:
        async with league_of(tmp_path, *[only_asked(zoo.not_found({}))] * 6) as (_, animals):
            return [Counter(message_of(body)["message_type"] for body in animal.heard) for animal in animals]

    rounds = 5
    assert rounds < REFUSALS_PER_FULL_TRY
    for heard in run(play()):
        assert heard["GAME_INVITATION"] == heard["CHOOSE_PARITY_CALL"] == rounds
        for kind in ("ROUND_ANNOUNCEMENT", "LEAGUE_STANDINGS_UPDATE", "ROUND_COMPLETED", "GAME_OVER"):
            assert heard[kind] == len(forms_of(kind)) + rounds - 1, kind
        assert heard["LEAGUE_COMPLETED"] == len(forms_of("LEAGUE_COMPLETED"))


@pytest.mark.parametrize(("refusal", "came"), REFUSALS.values(), ids=list(REFUSALS))
def test_the_log_says_what_came_and_never_that_a_refusal_was_an_acknowledgement(
    tmp_path: Path, refusal: zoo.Said, came: str
) -> None:
    async def play() -> tuple[str, dict[str, Any]]:
        async with league_of(tmp_path, *[only_asked(refusal)] * 2) as (here, _):
            return here.journal.getvalue(), here.match_files()["R1M1"]

    log, match = run(play())
    for kind in BROADCASTS:
        for player in ("P01", "P02"):
            assert f"Received {came} from {player} in answer to {kind}" in log
    for kind in ("ROUND_ANNOUNCEMENT", "STANDINGS_UPDATE", "ROUND_COMPLETED", "LEAGUE_COMPLETED", "GAME_OVER"):
        assert f"Received {kind}_ACK from P" not in log
    acks = [said["message"]["status"] for said in match["transcript"] if said["message_type"] == "GAME_OVER_ACK"]
    assert acks == [came, came]


def test_an_answer_that_is_no_refusal_and_no_acknowledgement_is_logged_as_what_it_is(tmp_path: Path) -> None:
    async def play() -> str:
        async with league_of(tmp_path, zoo.bare, zoo.bare) as (here, _):
            return here.journal.getvalue()

    log = run(play())
    for kind in BROADCASTS:
        assert f"Received HTTP 200 from P01 in answer to {kind}: " in log
    assert "_ACK from P01 (status" not in log


def test_a_refused_GAME_ERROR_is_logged_as_refused(tmp_path: Path) -> None:
    def choosing_badly_at_first(body: Body) -> zoo.Said:
        if body.get("method") != "choose_parity":
            return only_asked(zoo.not_found({}))(body)
        calls.append(body)
        return zoo.result(body, {"parity_choice": "seven" if len(calls) == 1 else "odd"})

    async def play() -> str:
        async with league_of(tmp_path, choosing_badly_at_first, zoo.by_tool) as (here, _):
            return here.journal.getvalue()

    calls: list[Body] = []
    log = run(play())
    assert "Received error -32601 from P01 in answer to GAME_ERROR: Method not found" in log
    assert "Received GAME_ERROR_ACK" not in log
