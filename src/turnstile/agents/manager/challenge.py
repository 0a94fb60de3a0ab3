"""The challenge: whether the agent at an address is the one that has registered with it.

An extension of league.v2. The league manager sends a nonce to the address, with the name that wants to be registered
there, and the digest of the secret that came with the request. An agent gives back the nonce for the request that it is
making itself at that moment, and for no other: so nobody can register the address of somebody else.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from turnstile.agents.wire.envelope import Claim, Identity
from turnstile.agents.wire.rpc import Fault
from turnstile.league.manager.register import digest_of
from turnstile.league.protocol.management import RefereeRegisterRequest
from turnstile.league.protocol.messages import LeagueMessage, LeagueRegisterRequest

NOT_MINE = 4002
"""The code for a challenge to a request that is not the agent's own."""


class LeagueChallenge(LeagueMessage, frozen=True, tag="LEAGUE_CHALLENGE", kw_only=True):
    """Somebody wants to be registered at this address, by this name. Is it you?"""

    nonce: str
    display_name: str
    secret_digest: str | None = None


class LeagueChallengeResponse(LeagueMessage, frozen=True, tag="LEAGUE_CHALLENGE_RESPONSE", kw_only=True):
    """It is; and this is what you sent me."""

    nonce: str


def new_challenge(claim: Claim) -> LeagueChallenge:
    nonce = secrets.token_hex(16)
    return LeagueChallenge(nonce=nonce, display_name=claim.display_name, secret_digest=claim.secret_digest)


def met(challenge: LeagueChallenge, who: Identity) -> LeagueChallengeResponse | Fault:
    """How an agent answers a challenge."""
    if Claim(challenge.display_name, challenge.secret_digest) != who.claim:
        return Fault(NOT_MINE, "No agent of that name is registering from here")
    return LeagueChallengeResponse(nonce=challenge.nonce)


def claim_of(request: LeagueRegisterRequest | RefereeRegisterRequest) -> Claim:
    meta = request.player_meta if isinstance(request, LeagueRegisterRequest) else request.referee_meta
    return Claim(meta.display_name, digest_of(meta.registration_secret))


@contextmanager
def claiming(message: LeagueMessage, who: Identity) -> Iterator[None]:
    """While a request for registration waits for its answer, its sender may be challenged about it."""
    if not isinstance(message, LeagueRegisterRequest | RefereeRegisterRequest):
        yield
        return
    claim = who.claim = claim_of(message)
    try:
        yield
    finally:
        if who.claim is claim:  # and has not asked again meanwhile
            who.claim = None
