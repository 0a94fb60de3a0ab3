"""Compares endpoints: two URLs that are written differently may lead to the same place."""

from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import unquote, urlsplit

THIS_MACHINE = "localhost"
PORTS = {"http": 80, "https": 443}

Home = tuple[str, str, int | None, str]
"""Scheme, host, port and path."""


@lru_cache(maxsize=16_384)
def home_of(endpoint: str) -> Home:
    """The normal form of an endpoint. It is only for comparison; agents are called at the endpoint as given."""
    try:
        parts = urlsplit(endpoint)
        port = parts.port or PORTS.get(parts.scheme)
    except ValueError:
        return "", "", None, endpoint  # not a URL: equal only to itself
    return parts.scheme, _host(parts.hostname or ""), port, _path(unquote(parts.path))


def _host(name: str) -> str:
    """A host in lower case. All names of this machine are one host, because a server may listen on all of them."""
    name = name.rstrip(".")
    if name == THIS_MACHINE or name.endswith(f".{THIS_MACHINE}"):
        return THIS_MACHINE
    try:
        address = ip_address(name)
    except ValueError:
        return name
    return THIS_MACHINE if address.is_loopback else str(address)


def _path(path: str) -> str:
    """A path without double slashes, `.` and `..`."""
    steps: list[str] = []
    for step in path.split("/"):
        if step == "..":
            del steps[-1:]
        elif step not in ("", "."):
            steps.append(step)
    return "/".join(steps)
