"""The web client: static files that play every game in a browser, and the page that loads them. It holds no rules."""

from turnstile.web.page import web_routes

__all__ = ["web_routes"]
