"""The challenge: whether the agent at an address is the one that has registered with it.

An extension of league.v2. The league manager sends a nonce to the address, with the name that wants to be registered
there. An agent gives back the nonce for the name by which it has just asked to be registered itself, and for no other:
so nobody can register the address of somebody else.
"""

import secrets

from turnstile.agents.envelope import Identity
from turnstile.agents.rpc import Fault
from turnstile.league.messages import LeagueMessage

NOT_MINE = 4002
"""The code for a challenge to a name that is not the agent's own."""


class LeagueChallenge(LeagueMessage, frozen=True, tag="LEAGUE_CHALLENGE", kw_only=True):
    """Somebody wants to be registered at this address, by this name. Is it you?"""

    nonce: str
    display_name: str


class LeagueChallengeResponse(LeagueMessage, frozen=True, tag="LEAGUE_CHALLENGE_RESPONSE", kw_only=True):
    """It is; and this is what you sent me."""

    nonce: str


def new_challenge(display_name: str) -> LeagueChallenge:
    return LeagueChallenge(nonce=secrets.token_hex(16), display_name=display_name)


def met(challenge: LeagueChallenge, who: Identity) -> LeagueChallengeResponse | Fault:
    """How an agent answers a challenge."""
    if challenge.display_name != who.display_name:
        return Fault(NOT_MINE, "No agent of that name has registered from here")
    return LeagueChallengeResponse(nonce=challenge.nonce)
