"""Which addresses may be called. Agents register their own URLs, and a malicious agent may register a foreign one.

A URL is checked when an agent registers, and its address again at each connection: a name is resolved once, the result
is checked, and the connection goes to exactly that address. A league on one machine calls this machine only; any other
league calls only public addresses, over https. Organisers can allow further hosts and networks.
"""

import asyncio
import re
import socket
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import lru_cache, partial
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

import msgspec
from aiohttp.abc import AbstractResolver, ResolveResult
from msgspec.structs import replace

LONGEST_URL = 512
PATH_END = "/mcp"

IpAddress = IPv4Address | IPv6Address

LOOPBACK = ("127.0.0.0/8", "::1/128")
CARRIERS = tuple(
    IPv6Network(net) for net in ("::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32")
)
"""IPv6 addresses that embed IPv4 ones. No agent needs them, and they could disguise a forbidden address."""

NAME = re.compile(r"(?=.{1,253}$)LABEL(\.LABEL)*\.?".replace("LABEL", r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?"))

LOCALHOST = ("127.0.0.1", "::1")
"""The addresses of `localhost`, whatever a resolver says. IPv4 first: many servers on `localhost` listen there only."""

LOOKUP_SECONDS = 5.0
LOOKUPS = ThreadPoolExecutor(2, "lookup")
"""The threads that look up names at registration. Calls use other threads, so slow names do not delay them."""


class Reach(msgspec.Struct, frozen=True):
    """Which addresses an agent may call: these networks and hosts, and all public addresses if `is_public`."""

    networks: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    is_public: bool = False

    def allows(self, address: IpAddress) -> bool:
        if any(address in ip_network(net) for net in self.networks):
            return True
        is_carrier = isinstance(address, IPv6Address) and any(address in net for net in CARRIERS)
        return self.is_public and address.is_global and not address.is_multicast and not is_carrier

    def names(self, host: str) -> bool:
        """Whether the organisers have allowed a host explicitly, by its name or address."""
        if host in self.hosts:
            return True
        address = _literal(host)
        return address is not None and any(address in ip_network(net) for net in self.networks)


THIS_MACHINE = Reach(networks=LOOPBACK)
OPEN_NETWORK = Reach(is_public=True)


def reach_of(more: Sequence[str], *, is_public: bool) -> Reach:
    """What a league with these options may call. A league that calls other machines does not call this one.

    Otherwise an agent from elsewhere could make us call a service that is meant for this machine only.
    """
    if not is_public and not more:
        return THIS_MACHINE
    return allowing(OPEN_NETWORK if is_public else Reach(), *more)


def allowing(reach: Reach, *more: str) -> Reach:
    """The same reach with additional networks (`10.1.0.0/16`), addresses or host names."""
    networks = tuple(str(ip_network(entry)) for entry in more if _is_network(entry))
    hosts = tuple(entry.lower() for entry in more if not _is_network(entry))
    return replace(reach, networks=reach.networks + networks, hosts=reach.hosts + hosts)


def _is_network(entry: str) -> bool:
    return _literal(entry.partition("/")[0]) is not None


def refusal(url: str, reach: Reach) -> str | None:
    """Why a URL may not be called, judged by its text alone; `None` if it may."""
    return "no plain URL" if len(url) > LONGEST_URL else _refusal(url, reach)


@lru_cache(10_000)
def _refusal(url: str, reach: Reach) -> str | None:
    if not re.fullmatch(r"[!-~]+", url) or "\\" in url:
        return "no plain URL"
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname or ""
    except ValueError:
        return "no plain URL"
    return _fault_of(parts) or _fault_of_host(host, reach) or _fault_of_way(parts.scheme, host, port, reach)


def _fault_of(parts: SplitResult) -> str | None:
    if parts.scheme not in ("http", "https"):
        return "neither http nor https"
    if "@" in parts.netloc:
        return "a URL with a user in it"
    if not parts.path.endswith(PATH_END) or parts.query or parts.fragment:
        return f"a URL that does not end in {PATH_END}"
    return None


def _fault_of_host(host: str, reach: Reach) -> str | None:
    address = _literal(host)
    if address is not None:
        return None if host in reach.hosts or reach.allows(address) else "an address that may not be called"
    if not NAME.fullmatch(host):
        return "no host"
    if re.fullmatch(r"\d+|0x[0-9a-f]*", host.rstrip(".").rpartition(".")[2]):
        return "an address that is not written in full"  # decimal, hexadecimal, octal, too short
    if _is_localhost(host) and host not in reach.hosts and not any(map(reach.allows, map(ip_address, LOCALHOST))):
        return "an address that may not be called"
    return None


def _fault_of_way(scheme: str, host: str, port: int | None, reach: Reach) -> str | None:
    if port == 0:
        return "no port"
    if scheme == "http" and reach.is_public and not reach.names(host):
        return "http, where only https may be called"
    return None


def _literal(host: str) -> IpAddress | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _is_localhost(host: str) -> bool:
    return host.rstrip(".") == "localhost" or host.rstrip(".").endswith(".localhost")


async def refusal_at_registration(url: str, reach: Reach, resolver: "Resolver | None" = None) -> str | None:
    """Like `refusal`, but it also resolves the host's name."""
    why = refusal(url, reach)
    host = urlsplit(url).hostname or "" if why is None else ""
    if why is not None or _literal(host) is not None:
        return why
    try:
        async with asyncio.timeout(LOOKUP_SECONDS):
            await (resolver or Resolver(reach, LOOKUPS)).resolve(host)
    except TimeoutError:
        return f"{host} could not be resolved in time"
    except OSError as fault:
        return str(fault.strerror or fault)
    return None


class Resolver(AbstractResolver):
    """Resolves a host to the addresses that may be called. The client connects to these only."""

    def __init__(self, reach: Reach, lookups: Executor | None = None) -> None:
        """`lookups`: the threads that look up names; by default those of the event loop."""
        self.reach = reach
        self.lookups = lookups

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = LOCALHOST if _is_localhost(host) else await self.look_up(host)
        vouched = host.lower() in self.reach.hosts
        kept = [address for address in found if vouched or self.reach.allows(ip_address(address))]
        if not kept:
            raise OSError(None, f"{host} leads to an address that may not be called")
        return [_resolved(host, address, port) for address in kept]

    async def look_up(self, host: str) -> tuple[str, ...]:
        """The addresses that DNS gives, each once."""
        look = partial(socket.getaddrinfo, host, None, type=socket.SOCK_STREAM)
        found = await asyncio.get_running_loop().run_in_executor(self.lookups, look)
        return tuple(dict.fromkeys(str(address[0]) for *_, address in found))

    async def close(self) -> None:
        """There is nothing to close."""


def _resolved(host: str, address: str, port: int) -> ResolveResult:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    flags = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
    return ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=flags)
