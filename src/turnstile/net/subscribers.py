"""Who stands behind an address, as far as limits are concerned."""

from functools import lru_cache
from ipaddress import IPv6Address, ip_address

NETWORK_BITS = 64


def unmapped(address: str) -> str:
    """An address of IPv4 as such: a listener for IPv6 sees it as `::ffff:192.0.2.1`."""
    found = _ipv6(address)
    return address if found is None or found.ipv4_mapped is None else str(found.ipv4_mapped)


@lru_cache(4096)
def subscriber_of(address: str) -> str:
    """An address as limits count it: one of IPv6 as its network of 64 bits.

    Every subscriber has such a network at least, and can take another address in it for each request.
    """
    address = unmapped(address)
    found = _ipv6(address)
    if found is None or found.is_loopback:
        return address
    rest = 128 - NETWORK_BITS
    return f"{IPv6Address(int(found) >> rest << rest)}/{NETWORK_BITS}"


def _ipv6(address: str) -> IPv6Address | None:
    try:
        found = ip_address(address)
    except ValueError:
        return None
    return found if isinstance(found, IPv6Address) else None
