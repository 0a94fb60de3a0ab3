"""Which addresses are called, and which are not (A8): at registration, and again at each connection."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import wait

import pytest

from tests.agents.loops import pass_time, run
from tests.agents.wire import zoo
from tests.agents.wire.wired import INVITATION, JOINED, asked
from tests.agents.wire.zoo import living
from turnstile.agents.wire.caller import Caller, Unreached
from turnstile.agents.wire.envelope import Identity
from turnstile.league.protocol.words import LEAGUE_MANAGER
from turnstile.league.trust import Claim
from turnstile.net.addresses import (
    LOOKUP_SECONDS,
    LOOKUPS,
    OPEN_NETWORK,
    THIS_MACHINE,
    Reach,
    Resolver,
    _refusal,
    allowing,
    reach_of,
    refusal,
    refusal_at_registration,
)

LOOPBACK = [
    "http://localhost:8101/mcp",
    "http://LOCALHOST:8101/mcp",
    "http://localhost.:8101/mcp",
    "http://player.localhost:8101/mcp",
    "http://127.0.0.1:8101/mcp",
    "http://127.9.9.9/mcp",
    "http://[::1]:8101/mcp",
]
NOWHERE = [
    "http://0.0.0.0:80/mcp",
    "http://[::]/mcp",
    "http://10.0.0.1/mcp",
    "http://172.16.5.5/mcp",
    "http://192.168.1.1/mcp",
    "http://100.64.0.1/mcp",
    "http://169.254.169.254/mcp",
    "http://192.0.2.1/mcp",
    "http://198.18.0.1/mcp",
    "http://224.0.0.1/mcp",
    "http://240.0.0.1/mcp",
    "http://255.255.255.255/mcp",
    "http://[fe80::1]/mcp",
    "http://[fe80::1%25eth0]/mcp",
    "http://[fc00::1]/mcp",
    "http://[fd00:ec2::254]/mcp",
    "http://[ff02::1]/mcp",
    "http://[::ffff:127.0.0.1]/mcp",
    "http://[::ffff:7f00:1]/mcp",
    "http://[::ffff:8.8.8.8]/mcp",
    "http://[64:ff9b::7f00:1]/mcp",
    "http://[2002:7f00:1::]/mcp",
    "http://[2001:0:7f00:1::]/mcp",
    "http://[::127.0.0.1]/mcp",
]
OTHER_SPELLINGS = [
    "http://2130706433/mcp",
    "http://0x7f000001/mcp",
    "http://0x7f.1/mcp",
    "http://0177.0.0.1/mcp",
    "http://127.1/mcp",
    "http://127.0.0.1./mcp",
    "http://127.0.0.0x1/mcp",
    "http://\uff11\uff12\uff17.0.0.1/mcp",
    "http://127\u30020.0.1/mcp",
]
NO_URLS = [
    "",
    "localhost:8101/mcp",
    "//localhost/mcp",
    "ftp://localhost/mcp",
    "file:///mcp",
    "gopher://localhost/mcp",
    "javascript:alert(1)/mcp",
    "http:///mcp",
    "http://localhost:8101",
    "http://localhost:8101/",
    "http://localhost:8101/api",
    "http://localhost:8101/mcp?x=1",
    "http://localhost:8101/mcp#x",
    "http://localhost:8101/x#/mcp",
    "http://user@localhost/mcp",
    "http://localhost@evil.example/mcp",
    "http://user:secret@localhost/mcp",
    "http://@localhost/mcp",
    "http://localhost:0/mcp",
    "http://localhost:99999/mcp",
    "http://localhost:x/mcp",
    "http://local host/mcp",
    "http://localhost\\@evil.example/mcp",
    "http://localhost\r\nX: y/mcp",
    "http://[::1/mcp",
    "http://[localhost]/mcp",
    "http://-x-/mcp",
    "http://a..b/mcp",
    "http://" + "a" * 64 + ".example/mcp",
    "http://" + "a." * 130 + "example/mcp",
    "http://%6cocalhost/mcp",
    "http://localhost/" + "x" * 600 + "/mcp",
]
PUBLIC = ["https://player.example.org/mcp", "https://8.8.8.8:8443/mcp", "https://[2606:4700::1111]/agents/7/mcp"]


@pytest.mark.parametrize("url", LOOPBACK)
def test_A8_this_machine_is_called_in_a_league_of_its_own_and_in_no_other(url: str) -> None:
    assert refusal(url, THIS_MACHINE) is None
    assert refusal(url, OPEN_NETWORK) is not None
    assert refusal(url.replace("http:", "https:"), OPEN_NETWORK) is not None


@pytest.mark.parametrize("url", NOWHERE + OTHER_SPELLINGS + NO_URLS)
@pytest.mark.parametrize("reach", [THIS_MACHINE, OPEN_NETWORK], ids=["this machine", "open network"])
def test_A8_what_is_nobodys_public_address_is_never_called(url: str, reach: Reach) -> None:
    assert refusal(url, reach) is not None
    assert refusal(url.replace("http:", "https:"), reach) is not None


@pytest.mark.parametrize("url", PUBLIC)
def test_A8_the_open_network_is_called_over_https(url: str) -> None:
    assert refusal(url, OPEN_NETWORK) is None
    assert refusal(url.replace("https:", "http:"), OPEN_NETWORK) is not None


@pytest.mark.parametrize("url", PUBLIC[1:])
def test_A8_a_league_on_this_machine_calls_nobody_else(url: str) -> None:
    assert refusal(url, THIS_MACHINE) is not None


@pytest.mark.parametrize("url", ["http://127.0.0.1:8101/mcp", "http://[::1]:8101/mcp", "http://localhost:8101/mcp"])
def test_A8_a_league_that_reaches_further_than_this_machine_does_not_call_it(url: str) -> None:
    assert refusal(url, reach_of((), is_public=False)) is None
    wider = ((("10.0.0.0/8",), False), (("agents.internal",), False), ((), True), (("10.0.0.0/8",), True))
    for more, is_public in wider:
        assert refusal(url, reach_of(more, is_public=is_public)) == "an address that may not be called"
    assert refusal("http://10.1.2.3/mcp", reach_of(("10.0.0.0/8",), is_public=False)) is None
    assert refusal("http://127.0.0.1:8101/mcp", reach_of(("10.0.0.0/8", "127.0.0.1"), is_public=False)) is None


def test_A8_organisers_allow_more() -> None:
    reach = allowing(OPEN_NETWORK, "10.1.0.0/16", "192.168.7.7", "Agents.internal", "fd12::/16")
    for url in (
        "http://10.1.2.3:8101/mcp",
        "http://192.168.7.7/mcp",
        "http://agents.internal:8101/mcp",
        "http://[fd12::1]/mcp",
        "https://player.example.org/mcp",
    ):
        assert refusal(url, reach) is None, url
    for url in ("http://10.2.0.1/mcp", "http://192.168.7.8/mcp", "http://other.internal/mcp", "http://127.0.0.1/mcp"):
        assert refusal(url, reach) is not None, url


# names


class Lying(Resolver):
    """A name system in the hands of somebody else. Each look finds the next answer."""

    def __init__(self, reach: Reach, *answers: str) -> None:
        super().__init__(reach)
        self.answers = list(answers)
        self.looks = 0

    async def look_up(self, host: str) -> tuple[str, ...]:
        self.looks += 1
        return (self.answers.pop(0),)


def failing(resolving: Callable[[], Awaitable[object]]) -> str:
    async def main() -> None:
        await resolving()

    with pytest.raises(OSError, match="may not be called") as raised:
        run(main())
    return str(raised.value)


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.1", "fe80::1"])
def test_A8_a_name_that_leads_to_nobodys_public_address_is_not_called(address: str) -> None:
    failing(lambda: Lying(OPEN_NETWORK, address).resolve("innocent.example", 443))


def test_A8_of_several_addresses_only_those_are_tried_that_may_be() -> None:
    class Both(Resolver):
        async def look_up(self, host: str) -> tuple[str, ...]:
            return ("10.0.0.1", "8.8.8.8", "::1")

    found = run(Both(OPEN_NETWORK).resolve("innocent.example", 443))
    assert [each["host"] for each in found] == ["8.8.8.8"]


def test_A8_a_name_that_changes_its_mind_after_the_check_is_checked_again_at_the_connection() -> None:
    """DNS rebinding: public when it registers, something else when it is called."""

    async def main() -> None:
        async with living(zoo.by_tool) as victim, Caller(OPEN_NETWORK) as caller:
            caller.resolver = Lying(OPEN_NETWORK, "127.0.0.1")
            with pytest.raises(Unreached):
                await asked(caller, f"https://innocent.example:{victim.port}/mcp", INVITATION)
            assert caller.resolver.looks == 1
            assert victim.heard == []

    run(main())


def test_A8_the_connection_is_made_to_the_very_address_that_was_checked() -> None:
    """One look, and no second one by whoever connects: the second would lead elsewhere."""

    async def main() -> None:
        async with living(zoo.by_tool) as animal, Caller(THIS_MACHINE) as caller:
            caller.resolver = Lying(THIS_MACHINE, "127.0.0.1", "10.255.255.1")
            assert await asked(caller, f"http://agent.example:{animal.port}/mcp", INVITATION) == JOINED
            assert caller.resolver.looks == 1

    run(main())


def test_A8_a_bad_address_is_not_even_looked_up() -> None:
    async def main() -> None:
        async with Caller(OPEN_NETWORK) as caller:
            caller.resolver = Lying(OPEN_NETWORK)
            with pytest.raises(Unreached):
                await asked(caller, "https://127.0.0.1/mcp", INVITATION)
            assert caller.resolver.looks == 0

    run(main())


def test_localhost_is_this_machine_whatever_a_resolver_says_and_ipv4_comes_first() -> None:
    found = run(Resolver(THIS_MACHINE).resolve("localhost", 8101))
    assert [(each["host"], each["port"]) for each in found] == [("127.0.0.1", 8101), ("::1", 8101)]


def test_who_is_admitted_at_registration() -> None:
    assert run(refusal_at_registration("http://localhost:8101/mcp", THIS_MACHINE)) is None
    assert run(refusal_at_registration("http://127.0.0.1:8101/mcp", THIS_MACHINE)) is None
    assert run(refusal_at_registration("http://127.0.0.1:8101/mcp", OPEN_NETWORK)) is not None
    assert run(refusal_at_registration("http://127.0.0.1:8101/", THIS_MACHINE)) is not None


def test_A8_a_name_is_looked_up_at_registration() -> None:
    url = "https://innocent.example/mcp"
    assert run(refusal_at_registration(url, OPEN_NETWORK, Lying(OPEN_NETWORK, "8.8.8.8"))) is None
    assert run(refusal_at_registration(url, OPEN_NETWORK, Lying(OPEN_NETWORK, "10.0.0.1"))) is not None


def test_A19_names_that_take_long_to_look_up_are_refused_and_hold_up_nobody_else() -> None:
    over = threading.Event()

    async def main() -> None:
        slow = [LOOKUPS.submit(over.wait) for _ in range(40)]
        caller = Caller(OPEN_NETWORK)
        caller.resolver = for_calls = Lying(OPEN_NETWORK)
        try:
            url, manager = "https://innocent.example/mcp", Identity(LEAGUE_MANAGER)
            admitting = asyncio.create_task(refusal_at_registration(url, OPEN_NETWORK))
            challenging = asyncio.create_task(
                caller.challenge(url, Claim("Juniper"), who=manager, seconds=LOOKUP_SECONDS)
            )
            await asyncio.sleep(0)
            assert "127.0.0.1" in await Resolver(THIS_MACHINE).look_up("localhost")
            assert not admitting.done()
            assert not challenging.done()
            pass_time(LOOKUP_SECONDS)
            assert await admitting == "innocent.example could not be resolved in time"
            assert not await challenging
            assert for_calls.looks == 0
        finally:
            over.set()
            wait(slow)
            await caller.close()

    run(main())


def test_A19_what_is_too_long_for_a_URL_is_not_remembered() -> None:
    _refusal.cache_clear()
    assert refusal("http://localhost/" + "x" * 60_000 + "/mcp", THIS_MACHINE) == "no plain URL"
    assert _refusal.cache_info().currsize == 0


def test_a_name_is_looked_up_where_all_names_are() -> None:
    assert "127.0.0.1" in run(Resolver(THIS_MACHINE).look_up("localhost"))
