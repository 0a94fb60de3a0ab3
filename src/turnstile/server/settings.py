"""The settings of a server: flags, the environment, a TOML file, and one list from which all of them come.

A flag counts more than the environment, the environment more than the file, the file more than the default.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from turnstile.kernel.values import Value

PREFIX = "TURNSTILE_"
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


class LogFormat(StrEnum):
    TEXT = "text"
    JSON = "json"


class LogLevel(StrEnum):
    INFO = "info"
    DEBUG = "debug"


class InvalidSettings(ValueError):
    """The server does not start with these settings. The sentence says why, and what to do."""


Port = Annotated[int, Meta(ge=0, le=65_535)]
Count = Annotated[int, Meta(ge=1)]
Rate = Annotated[float, Meta(gt=0, le=1e9)]
Seconds = Annotated[float, Meta(gt=0, le=86_400)]
Hours = Annotated[float, Meta(gt=0, le=100_000)]


def _doc(text: str) -> Meta:
    return Meta(description=text)


class ServerSettings(Value, frozen=True):
    """All settings, with their defaults. The descriptions are those of the flags and of the docs."""

    host: Annotated[str, _doc("The address to listen on.")] = "127.0.0.1"
    port: Annotated[Port, _doc("The port to listen on; 0 is any that is free.")] = 8000
    store: Annotated[str, _doc("The store: a SQLite file, or postgresql://user@host/database.")] = "turnstile.db"
    dev: Annotated[
        bool,
        _doc(
            "For authors of games: load a game again when its file changes, and show what its rules do. "
            "It also starts with settings that are not safe on a public address."
        ),
    ] = False
    game: Annotated[
        tuple[str, ...], _doc("A game that is not installed, as FILE.py or FILE.py:NAME. It needs --dev.")
    ] = ()
    public_url: Annotated[
        str | None, _doc("The address at which browsers reach the server, such as https://play.example.org.")
    ] = None
    hosts: Annotated[
        tuple[str, ...], _doc("Further host names that the server answers to, besides those of this machine.")
    ] = ()
    origins: Annotated[
        tuple[str, ...], _doc("Origins of other sites whose pages may use the server, such as https://example.org.")
    ] = ()
    trusted_proxies: Annotated[
        tuple[str, ...], _doc("Addresses or networks of proxies whose X-Forwarded-For counts.")
    ] = ()
    operations_host: Annotated[str, _doc("The address of /healthz, /readyz and /metrics.")] = "127.0.0.1"
    operations_port: Annotated[Port, _doc("Their port; 0 is any that is free.")] = 9464
    log_format: Annotated[LogFormat, _doc("Lines of text, or of JSON.")] = LogFormat.TEXT
    log_level: Annotated[LogLevel, _doc("How much is logged: debug adds every command that is refused.")] = (
        LogLevel.INFO
    )
    most_connections: Annotated[Count, _doc("Connections at once.")] = 4096
    most_connections_per_address: Annotated[
        Count, _doc("WebSockets and streams at once from one address, and as many HTTP connections.")
    ] = 200
    most_open_tables: Annotated[Count, _doc("Tables that are not over which one player may have opened.")] = 50
    unstarted_hours: Annotated[
        Hours,
        _doc("How long a table may wait for its match while none of its players is connected. Then it is closed."),
    ] = 24.0
    requests_per_second: Annotated[
        Rate, _doc("HTTP requests a second from one address; five times as many at once.")
    ] = 200.0
    frames_per_second: Annotated[Rate, _doc("Frames a second on one WebSocket; three times as many at once.")] = 100.0
    commands_per_second: Annotated[Rate, _doc("Commands a second by one player; three times as many at once.")] = 100.0
    limit_factor: Annotated[Rate, _doc("Multiplies every limit on how often; for load tests.")] = 1.0
    beat_seconds: Annotated[
        Seconds, _doc("How often a WebSocket is pinged. One that is silent for two beats is closed.")
    ] = 20.0
    step_seconds: Annotated[
        Seconds, _doc("How much CPU time one step of a game may take. A game that takes longer loses its match.")
    ] = 1.0
    slow_seconds: Annotated[Seconds, _doc("How long a reader may be behind before its connection is closed.")] = 10.0
    stop_seconds: Annotated[
        Seconds, _doc("How long requests may take to finish when the server stops, and the store after them.")
    ] = 5.0


FIELDS = msgspec.structs.fields(ServerSettings)


def description_of(name: str) -> str:
    """The description of a setting."""
    _, *metas = get_args(get_type_hints(ServerSettings, include_extras=True)[name])
    return str(next(meta.description for meta in metas if meta.description))


def variable_of(name: str) -> str:
    """The variable of the environment for a setting."""
    return PREFIX + name.upper()


def flag_of(name: str) -> str:
    return "--" + name.replace("_", "-")


# reading


def read_settings(
    flags: Mapping[str, Any], environment: Mapping[str, str] | None = None, file: Path | None = None
) -> ServerSettings:
    """The settings from all three sources. Raises `InvalidSettings`."""
    environment = os.environ if environment is None else environment
    found = {} if file is None else _read_file(file)
    sources = dict.fromkeys(found, str(file))
    for field in FIELDS:
        if (variable := variable_of(field.name)) in environment:
            found[field.name], sources[field.name] = _from_text(field.name, environment[variable]), f"${variable}"
    for name, value in flags.items():
        if value is not None and value != ():
            found[name] = value
            sources.pop(name, None)
    renamed = {field.encode_name: found.pop(field.name) for field in FIELDS if field.name in found}
    if found:
        raise InvalidSettings(f"Unknown setting: {', '.join(found)}.")
    try:
        return msgspec.convert(renamed, ServerSettings, strict=False)
    except msgspec.ValidationError as fault:
        raise InvalidSettings(_with_flag(str(fault), sources)) from None


def _with_flag(fault: str, sources: Mapping[str, str]) -> str:
    """What is wrong with a setting, under the name that its operator knows, and where it comes from if not a flag."""
    names = {field.encode_name: field.name for field in FIELDS}
    found = re.fullmatch(r"(.*) - at `\$\.(\w+).*`", fault)
    if found is None:
        return f"Invalid setting: {fault}."
    name = names[found[2]]
    source = f" It comes from {sources[name]}." if name in sources else ""
    return f"Invalid setting {flag_of(name)}: {found[1]}.{source}"


def _read_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as fault:
        raise InvalidSettings(f"The settings in {path} cannot be read: {fault.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeError) as fault:
        raise InvalidSettings(f"The settings in {path} are not TOML: {fault}.") from None


def _from_text(name: str, text: str) -> Any:
    """Lists are separated by commas in the environment."""
    default = getattr(ServerSettings(), name)
    if isinstance(default, tuple):
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


# safety


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def refuse_unsafe(settings: ServerSettings) -> str | None:
    """Why a server must not start with these settings; `None` if it may. With `dev` it may always."""
    if settings.dev:
        return None
    faults = [
        not is_loopback(settings.host)
        and settings.public_url is None
        and f"{settings.host} can be reached from other machines: say with --public-url at which https:// address",
        settings.public_url is not None
        and not settings.public_url.startswith("https://")
        and "tokens would travel in the clear: --public-url must begin with https://",
        not is_loopback(settings.operations_host)
        and f"metrics would be public: --operations-host {settings.operations_host} is not this machine",
        any(origin in ("*", "null") for origin in settings.origins)
        and "every site could use the server in a browser: name the --origins one by one",
        any(ip_network(proxy).prefixlen == 0 for proxy in settings.trusted_proxies)
        and "every client could choose its own address, and so its limits: name the --trusted-proxies",
    ]
    found = [fault for fault in faults if fault]
    return f"Unsafe settings: {'; '.join(found)}. Add --dev to start all the same." if found else None


def check_settings(settings: ServerSettings) -> None:
    """Raises `InvalidSettings` for settings with which a server cannot start, or must not."""
    if settings.game and not settings.dev:
        raise InvalidSettings("--game is for authors of games: add --dev, or install the game.")
    for proxy in settings.trusted_proxies:
        try:
            ip_network(proxy)
        except ValueError as fault:
            raise InvalidSettings(f"Invalid --trusted-proxies: {fault}.") from None
    for url in (*settings.origins, *([settings.public_url] if settings.public_url else [])):
        if url not in ("*", "null") and not _is_origin(url):
            raise InvalidSettings(f"Invalid origin {url}: give scheme and host only, such as https://example.org.")
    for host in settings.hosts:
        if not _is_host(host):
            raise InvalidSettings(f"Invalid --hosts {host}: give a name or an address only, such as example.org.")
    if (refused := refuse_unsafe(settings)) is not None:
        raise InvalidSettings(refused)


def _is_origin(text: str) -> bool:
    """Whether a text is the scheme, host and perhaps port of a site, and nothing else."""
    found = re.fullmatch(r"https?://(\[[^]]*\]|[^:]*)(:\d{1,5})?", text)
    return found is not None and _is_host(found[1].strip("[]"))


def _is_host(text: str) -> bool:
    """Whether a text is the name of a host, or an address."""
    try:
        ip_address(text)
    except ValueError:
        return re.fullmatch(r"[\w-]+(\.[\w-]+)*\.?", text) is not None
    return True


def allowed_hosts(settings: ServerSettings) -> frozenset[str]:
    """The names in a `Host` header that the server answers to, without ports."""
    public = urlsplit(settings.public_url).hostname if settings.public_url else None
    own = [settings.host] if not is_everywhere(settings.host) else []
    return frozenset(name.lower() for name in (*LOCAL_HOSTS, *own, *settings.hosts, *([public] if public else [])))


def is_everywhere(host: str) -> bool:
    return host in ("0.0.0.0", "::", "")  # noqa: S104
