"""How much the door of an agent takes: from one caller, from one address, and at once."""

import asyncio

from tests.agents.loops import run
from tests.agents.wire.wired import (
    FIELDS,
    Player,
    post,
    referee,
    request,
)
from turnstile.agents.wire.door import Door
from turnstile.agents.wire.incoming import Incoming
from turnstile.league.protocol.messages import (
    GameInvitation,
    LeagueMessage,
)
from turnstile.net.limits import Quota
from turnstile.net.serving import served


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_A11_who_asks_too_much_is_told_to_wait_and_the_others_are_not() -> None:
    clock = Clock()
    player = Player()
    door = player.door(per_agent=Quota(rate=2, burst=3, clock=clock))
    other = {**FIELDS, "auth_token": "tok-ref04"}

    async def main() -> None:
        async with served(door) as serving:
            statuses = [(await post(serving.port, request())).status for _ in range(4)]
            assert statuses == [200, 200, 200, 429]
            refused = await post(serving.port, request())
            assert (refused.headers["retry-after"], refused.json["error"]["code"]) == ("1", -32000)
            assert (await post(serving.port, request(other))).status == 200
            clock.now += 0.5
            assert [(await post(serving.port, request())).status for _ in range(2)] == [200, 429]

    run(main())
    assert len(player.heard) == 5


def test_A11_one_address_is_limited_whoever_it_says_it_is() -> None:
    door = Player().door(per_peer=Quota(rate=1, burst=2, clock=Clock()))

    async def main() -> list[int]:
        async with served(door) as serving:
            each = [{**FIELDS, "sender": f"referee:REF{number}", "auth_token": None} for number in range(4)]
            return [(await post(serving.port, request(fields))).status for fields in each]

    assert run(main()) == [200, 200, 429, 429]


def test_A11_buckets_are_forgotten_not_hoarded() -> None:
    quota = Quota(rate=1, burst=1, clock=Clock(), most_keys=100)
    for number in range(10_000):
        assert quota.wait_of(number) == 0
    assert len(quota._buckets) == 100


def test_no_more_requests_are_under_way_than_allowed() -> None:
    async def main() -> None:
        waiting, entered = asyncio.Event(), asyncio.Event()

        async def handle(incoming: Incoming) -> LeagueMessage:
            entered.set()
            await waiting.wait()
            return await Player().handle(incoming)  # type: ignore[return-value]

        door = Door(referee(), (GameInvitation,), handle, most_at_once=1)
        async with served(door) as serving:
            first = asyncio.create_task(post(serving.port, request()))
            await entered.wait()
            refused = await post(serving.port, request())
            assert (refused.status, refused.headers["retry-after"]) == (503, "1")
            waiting.set()
            assert (await first).status == 200
            assert (await post(serving.port, request())).status == 200

    run(main())
