"""The server: people and programs play over the network. It adds identity, HTTP, WebSocket and limits to a host, and
knows no rules.

`Server` puts its parts together, `app.serving` runs it, `http.ENDPOINTS` describes the HTTP interface and `play.frames`
the WebSocket.
"""

from turnstile.server.app import App, Running, serving
from turnstile.server.endpoint import Auth, Call, Endpoint, endpoint
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
    "endpoint",
    "serving",
]
