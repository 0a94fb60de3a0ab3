"""The server: people and programs play over the network. It adds identity, HTTP, WebSocket and limits to a host, and
knows no rules.

`Server` puts its parts together, `serving` runs it, `http.ENDPOINTS` describes the HTTP interface and `play.frames` the
WebSocket. What is named here is imported when it is used, so that `settings` alone costs little.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turnstile.server.app import App, Running, serving
    from turnstile.server.endpoint import Auth, Call, Endpoint
    from turnstile.server.errors import Code, Problem
    from turnstile.server.server import Server
    from turnstile.server.settings import ServerSettings

__all__ = [
    "App",
    "Auth",
    "Call",
    "Code",
    "Endpoint",
    "Problem",
    "Running",
    "Server",
    "ServerSettings",
    "serving",
]

_MODULES = {
    "app": ("App", "Running", "serving"),
    "endpoint": ("Auth", "Call", "Endpoint"),
    "errors": ("Code", "Problem"),
    "server": ("Server",),
    "settings": ("ServerSettings",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
