"""Where an agent lives, however its address is written: two that are spelled differently may be the same door."""

from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import unquote, urlsplit

THIS_MACHINE = "localhost"
PORTS = {"http": 80, "https": 443}

Home = tuple[str, str, int | None, str]
"""Scheme, host, port and path."""


@lru_cache(maxsize=16_384)
def home_of(endpoint: str) -> Home:
    """What all spellings of an endpoint have in common. It is for comparing; called is what was given."""
    try:
        parts = urlsplit(endpoint)
        port = parts.port or PORTS.get(parts.scheme)
    except ValueError:
        return "", "", None, endpoint  # no URL, and like nothing else
    return parts.scheme, _host(parts.hostname or ""), port, _path(unquote(parts.path))


def _host(name: str) -> str:
    """A host in small letters. Whatever leads to this machine is one host: everybody may listen at all of it."""
    name = name.rstrip(".")
    if name == THIS_MACHINE or name.endswith(f".{THIS_MACHINE}"):
        return THIS_MACHINE
    try:
        address = ip_address(name)
    except ValueError:
        return name
    return THIS_MACHINE if address.is_loopback else str(address)


def _path(path: str) -> str:
    """Without what changes nothing: doubled slashes, `.`, and `..` together with what it leads out of."""
    steps: list[str] = []
    for step in path.split("/"):
        if step == "..":
            del steps[-1:]
        elif step not in ("", "."):
            steps.append(step)
    return "/".join(steps)
