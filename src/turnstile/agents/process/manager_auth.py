"""Where a message comes from: from the league manager, or from this machine.

The manager makes agents play, forfeit and end, so nobody else may say what it says.

Our managers give every agent a proof when it registers, and show it as their token from then on. Other managers give
none: of what they say only the sender is looked at, and that says whatever its writer wants.
"""

import asyncio
import hmac
from ipaddress import ip_address

from turnstile.agents.wire.incoming import Incoming
from turnstile.agents.wire.rpc import Fault
from turnstile.league.protocol.management import RunMatch
from turnstile.league.protocol.messages import (
    LeagueCompleted,
    LeagueStandingsUpdate,
    MatchResultAck,
    RoundAnnouncement,
    RoundCompleted,
)
from turnstile.league.protocol.words import LEAGUE_MANAGER

BY_MANAGER = (RoundAnnouncement, RunMatch, LeagueStandingsUpdate, RoundCompleted, LeagueCompleted, MatchResultAck)
"""What the league manager says, and nobody else."""

BAD_TOKEN = Fault(3001, "bad token")


def is_from_this_machine(incoming: Incoming) -> bool:
    return incoming.peer != "" and ip_address(incoming.peer).is_loopback


async def comes_within(seconds: float, event: asyncio.Event) -> bool:
    """Whether something has happened, or happens so soon: news may overtake the answer to a registration."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True


def is_by_manager(incoming: Incoming, proof: str | None) -> bool:
    """Whether the league manager says this, as far as an agent can tell that was given this proof, or none."""
    if proof is not None:
        return hmac.compare_digest((incoming.auth_token or "").encode(errors="replace"), proof.encode(errors="replace"))
    return incoming.sender is None or incoming.sender.lower().startswith(LEAGUE_MANAGER)
