"""Decides who may use the tools for authors. Everything else in this folder is called only after these checks."""

from typing import Any

from turnstile.host.live import Live
from turnstile.kernel.values import PlayerId
from turnstile.server.dev.seats import companions_of
from turnstile.server.endpoint import Call
from turnstile.server.errors import Code, Problem
from turnstile.server.settings import ServerSettings, is_loopback
from turnstile.table.values import Kind


def is_for_authors(settings: ServerSettings) -> bool:
    """Whether a server offers the tools for authors: it runs with `--dev`, and for this machine alone."""
    is_known_elsewhere = settings.public_url or settings.hosts or settings.origins or settings.trusted_proxies
    return settings.dev and is_loopback(settings.host) and not is_known_elsewhere


def check_author(call: Call[Any, Any]) -> None:
    """Refuse a caller on another machine, and every caller of a server that is not for authors. Raises `Problem`."""
    if not is_for_authors(call.server.settings):
        raise Problem(
            Code.NOT_FOR_AUTHORS,
            "This is for authors of games: it needs 'turnstile serve --dev' on an address of this machine.",
        )
    if not is_loopback(call.address):
        raise Problem(Code.NOT_FOR_AUTHORS, "This is for authors of games, on the machine of the server only.")


async def check_alone(call: Call[Any, Any]) -> None:
    """Refuse to show a table, unless the caller opened it and holds every seat that is not a bot's. Raises `Problem`.

    So no step and no view that is shown is a secret from another player.
    """
    check_author(call)
    if not await call.server.readers.look(call.table, lambda live: is_alone(live, call.person.player)):
        raise Problem(
            Code.NOT_ALONE,
            "You did not open this table, or another player sits there; open one at which you hold all seats.",
        )


def is_alone(live: Live, player: PlayerId) -> bool:
    """Whether a player opened a table, sits there, and holds every seat that is not a bot's."""
    state = live.state
    own = {player, *companions_of(player, len(state.seats))}
    is_own = state.header.admin == player and player in state.players
    return is_own and all(seat.kind is Kind.BOT or seat.player in own for seat in state.seats)
