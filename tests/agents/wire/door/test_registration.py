"""Registration at the door of an agent, and the challenge that proves an endpoint."""

from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from tests.agents.loops import run
from tests.agents.wire import zoo
from tests.agents.wire.wired import (
    CALL,
    INVITATION,
    US,
    Player,
    asked,
    post,
)
from tests.agents.wire.zoo import Animal, living
from turnstile.agents.wire.caller import Caller
from turnstile.agents.wire.door import REGISTRATION, Door
from turnstile.agents.wire.envelope import Identity
from turnstile.agents.wire.incoming import Incoming
from turnstile.league.protocol.messages import (
    ChooseParityCall,
    LeagueMessage,
    LeagueRegisterRequest,
    LeagueRegisterResponse,
)
from turnstile.league.protocol.values import PlayerMeta
from turnstile.league.protocol.words import Address, Registration
from turnstile.league.trust import Claim, claim_of
from turnstile.net.serving import served


def test_a_player_can_register_by_the_second_door() -> None:
    async def handle(incoming: Incoming) -> LeagueMessage:
        assert isinstance(incoming.message, LeagueRegisterRequest)
        meta = incoming.message.player_meta
        assert (meta.display_name, meta.contact_endpoint) == ("Sorrel", "http://localhost:8102/mcp")
        assert (meta.version, meta.game_types) == ("1.2", ("even_odd",))
        return LeagueRegisterResponse(status=Registration.ACCEPTED, player_id=US)

    door = Door(Identity(Address("league_manager")), (LeagueRegisterRequest,), handle, posts=REGISTRATION)
    body = {"display_name": "Sorrel", "version": "1.2", "endpoint": "http://localhost:8102/mcp"}

    async def main() -> None:
        async with served(door) as serving:
            answer = await post(serving.port, body, "/register")
            assert (answer.json["status"], answer.json["player_id"], answer.json["reason"]) == ("ACCEPTED", "P05", None)
            assert (await post(serving.port, [body], "/register")).json["error"]["code"] == -32600
            assert (await post(serving.port, body, "/register", Content_Type="text/plain")).status == 415

    run(main())


def test_A7_only_who_has_asked_for_it_answers_a_challenge() -> None:
    player = Player()

    async def main() -> None:
        async with served(player.door()) as serving, Caller() as caller:
            url = f"http://localhost:{serving.port}/mcp"
            manager = Identity(Address("league_manager"))
            assert not await caller.challenge(url, Claim("Juniper", "digest"), who=manager, seconds=5)
            player.who.claim = Claim("Juniper", "digest")
            assert await caller.challenge(url, Claim("Juniper", "digest"), who=manager, seconds=5)
            assert not await caller.challenge(url, Claim("Sorrel", "digest"), who=manager, seconds=5)
            assert not await caller.challenge(url, Claim("Juniper"), who=manager, seconds=5)
            assert not await caller.challenge(url, Claim("Juniper", "another"), who=manager, seconds=5)
            assert not await caller.challenge(
                "http://localhost:1/mcp", Claim("Juniper", "digest"), who=manager, seconds=5
            )

    run(main())
    assert player.heard == []


def test_A8_who_knows_no_challenge_is_asked_once() -> None:
    """Whoever lives at an address that a stranger names has not asked for more."""

    async def main() -> Animal:
        async with living(zoo.not_found) as animal, Caller() as caller:
            manager = Identity(Address("league_manager"))
            assert not await caller.challenge(animal.url, Claim("Juniper"), who=manager, seconds=5)
            return animal

    assert [body["method"] for body in run(main()).heard] == ["league_challenge"]


def test_A7_who_registers_can_be_challenged_by_that_name() -> None:
    """The challenge comes while the registration is still being answered."""
    manager = Identity(Address("league_manager"))
    player = Player()

    async def main() -> Any:
        async with served(player.door()) as home, Caller() as manager_calls, Caller() as player_calls:

            async def handle(incoming: Incoming) -> LeagueMessage:
                assert isinstance(incoming.message, LeagueRegisterRequest)
                meta = incoming.message.player_meta
                is_there = await manager_calls.challenge(
                    meta.contact_endpoint, claim_of(incoming.message), who=manager, seconds=5
                )
                status = Registration.ACCEPTED if is_there else Registration.REJECTED
                return LeagueRegisterResponse(status=status, player_id=US if is_there else None)

            meta = PlayerMeta(
                display_name="Juniper",
                version="1",
                game_types=("even_odd",),
                contact_endpoint=f"http://localhost:{home.port}/mcp",
            )
            async with served(Door(manager, (LeagueRegisterRequest,), handle)) as office:
                return await player_calls.call(
                    f"http://localhost:{office.port}/mcp",
                    LeagueRegisterRequest(player_meta=meta),
                    who=player.who,
                    to=Address("league_manager"),
                    conversation="c",
                    seconds=10,
                )

    assert run(main()).status is Registration.ACCEPTED


def test_our_agents_understand_each_other_at_once() -> None:
    player = Player()

    async def main() -> None:
        async with served(player.door()) as serving, Caller() as caller:
            for message in (INVITATION, CALL):
                await asked(caller, f"http://localhost:{serving.port}/mcp", message)

    run(main())
    invitation, call = (incoming.message for incoming in player.heard)
    assert isinstance(call, ChooseParityCall)
    assert call.deadline, "the host of the referee has added it"
    assert (invitation, replace(call, deadline=UNSET)) == (INVITATION, CALL)
    assert {incoming.peer for incoming in player.heard} == {"127.0.0.1"}
