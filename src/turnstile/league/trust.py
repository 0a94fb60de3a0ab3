"""All credentials of the league: how each is made, and how each is checked.

credential           made by, from            shown by -> to          proves                           kept by
-------------------  -----------------------  ----------------------  -------------------------------  ----------------
agent token          manager, league secret   agent -> manager        who the sender is                agent
recipient token      agent, its token         agent -> all others     nothing: league.v2 requires one  -
manager proof        manager, agent token     manager -> agent        the manager is the sender        agent
match key            manager, league secret   referee -> player       the sender referees the match    referee, player
conversation         referee, match seed      player -> referee       the referee called the player    -
registration secret  agent, random            agent -> manager        the same agent registers again   agent (2)
claim                agent, name and secret   manager -> agent        the agent is registering now     agent (3)
nonce                manager, random          manager -> agent, back  the agent is at its endpoint     manager (3)
referee key          operator or manager (1)  referee -> manager      the operator admits the referee  both: options
admin token          operator                 caller -> manager       the operator starts the league   manager: options

(1) from the league secret. (2) the manager keeps its digest. (3) until the challenge is answered.

"Kept" means in the log of the agent. The manager and the referees store none of what they derive: they derive it again
from the league secret and from the seed of the match. Manager proofs and match keys travel as `auth_token`.

`derive` is the only derivation and `is_equal` the only comparison. The edge draws what is random, sends and stores.
docs/decisions/0014-tokens.md gives the reasons.
"""

from collections.abc import Collection
from hashlib import sha256
from hmac import compare_digest, digest

from msgspec import Struct, UnsetType

from turnstile.kernel.chance import Seed
from turnstile.kernel.values import PlayerId
from turnstile.league.protocol.management import RefereeRegisterRequest, RunMatch
from turnstile.league.protocol.messages import (
    LeagueCompleted,
    LeagueMessage,
    LeagueRegisterRequest,
    LeagueStandingsUpdate,
    MatchResultAck,
    RoundAnnouncement,
    RoundCompleted,
)
from turnstile.league.protocol.words import LEAGUE_MANAGER, Address, MatchId, RefereeId

TOKEN_DIGITS = 32
CONVERSATION_DIGITS = 24
LONGEST_LABEL = 40  # characters of a match id in a conversation id

FROM_MANAGER = (RoundAnnouncement, RunMatch, LeagueStandingsUpdate, RoundCompleted, LeagueCompleted, MatchResultAck)
"""The messages that an agent accepts from the league manager alone."""


def derive(secret: str, purpose: str) -> str:
    """The HMAC-SHA256 of a purpose, in hexadecimal: the secret cannot be found from it."""
    return digest(secret.encode(), purpose.encode(), "sha256").hex()


def is_equal(shown: str | None, expected: str) -> bool:
    """Compares what was shown with what is expected, in a time that does not depend on where they differ."""
    return compare_digest((shown or "").encode(errors="replace"), expected.encode(errors="replace"))


# tokens


def agent_token(secret: Seed, agent: Address) -> str:
    """The token that the manager gives to an agent: the same one whenever the agent registers."""
    return f"tok-{agent.partition(':')[2].lower()}-{derive(secret, agent)[:TOKEN_DIGITS]}"


def id_in_token(token: str) -> str:
    """The id of the agent that a token names, whether or not the token is valid; empty if it names none."""
    return token.split("-")[1].upper() if token.count("-") == 2 else ""


def recipient_token(token: str, to: str | None) -> str:
    """The token that an agent shows to a recipient. `None` is a caller that may be any agent.

    The agent's own token is for the manager alone: a player could report results with its referee's token. League.v2
    requires a token in every message, so every other recipient gets one that is worth nothing elsewhere.
    """
    return token if to == LEAGUE_MANAGER else f"tok-{derive(token, to or '')[:TOKEN_DIGITS]}"


# the manager


def manager_proof(secret: Seed, agent: Address) -> str:
    """The token that the manager shows to an agent. It can be made only with the agent's own token."""
    return derive(agent_token(secret, agent), LEAGUE_MANAGER)


def is_from_manager(proof: str | None, token: str | None, sender: str | None) -> bool:
    """Checks that a message comes from the league manager.

    `proof` is what the manager gave to the agent at registration. Other managers give none: only the sender that the
    message names is checked then, which proves nothing.
    """
    if proof is not None:
        return is_equal(token, proof)
    return sender is None or sender.lower().startswith(LEAGUE_MANAGER)


# matches


def match_key(secret: Seed, match: MatchId, referee: RefereeId, player: PlayerId) -> str:
    """The token that a referee shows to a player in a match. If the match gets another referee, the key changes."""
    return f"tok-{derive(secret, f'match {match} referee {referee} player {player}')[:TOKEN_DIGITS]}"


def opens_match(keys: Collection[str], shown: str | None) -> bool:
    """Checks that a message about a match shows a key of it. A match without keys is open to any referee."""
    return not keys or any(is_equal(shown, key) for key in keys)


def match_conversation(seed: Seed, match: MatchId, player: str) -> str:
    """The id of the conversation of a referee with a player. A post that shows it comes from this player.

    It is derived from the seed of the match, so a referee that restarts continues the same conversation.
    """
    return f"conv-{match.lower()[:LONGEST_LABEL]}-{derive(seed, f'conversation {player}')[:CONVERSATION_DIGITS]}"


# registration


def default_referee_key(secret: Seed) -> str:
    """The key that a referee must show to register, if the operator has not chosen one."""
    return f"key-{derive(secret, 'the key of the referees')[:TOKEN_DIGITS]}"


def digest_of(secret: str | UnsetType) -> str | None:
    """The digest of a registration secret: the manager stores it, and anybody may see it."""
    return sha256(secret.encode(errors="replace")).hexdigest() if secret else None


class Claim(Struct, frozen=True):
    """Identifies a registration request: the name, and the digest of the secret if there is one."""

    display_name: str
    secret_digest: str | None = None


def claim_of(request: LeagueRegisterRequest | RefereeRegisterRequest) -> Claim:
    meta = request.meta
    return Claim(meta.display_name, digest_of(meta.registration_secret))


class LeagueChallenge(LeagueMessage, frozen=True, tag="LEAGUE_CHALLENGE", kw_only=True):
    """Asks an agent whether it is registering at this address, under this name. An extension of league.v2."""

    nonce: str
    display_name: str
    secret_digest: str | None = None


class LeagueChallengeResponse(LeagueMessage, frozen=True, tag="LEAGUE_CHALLENGE_RESPONSE", kw_only=True):
    """Confirms the registration, with the nonce of the challenge."""

    nonce: str


def new_challenge(claim: Claim, nonce: str) -> LeagueChallenge:
    return LeagueChallenge(nonce=nonce, display_name=claim.display_name, secret_digest=claim.secret_digest)


def answer_challenge(challenge: LeagueChallenge, claim: Claim | None) -> LeagueChallengeResponse | None:
    """Confirms a challenge about the agent's own request. `None` for any other.

    `claim` is what the agent asks for at the moment, if anything. So no agent can register the address of another.
    """
    is_own = Claim(challenge.display_name, challenge.secret_digest) == claim
    return LeagueChallengeResponse(nonce=challenge.nonce) if is_own else None
