"""Who is let into the league, under which name and with which token, and who somebody is that shows one.

Whether an endpoint may be called at all is for the host to say, before a request comes here.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from unicodedata import name as letter_name
from unicodedata import normalize

from msgspec.structs import replace

from turnstile.kernel.values import LONGEST_ID, PlayerId
from turnstile.league.manager.state import (
    MOST_CAPACITY,
    MOST_REFEREES,
    Player,
    Referee,
    State,
    player_id,
    referee_id,
)
from turnstile.league.protocol.endpoints import home_of
from turnstile.league.protocol.errors import LeagueErrorName, league_error, written
from turnstile.league.protocol.management import (
    LeagueError,
    RefereeMeta,
    RefereeRegisterRequest,
    RefereeRegisterResponse,
)
from turnstile.league.protocol.messages import LeagueRegisterRequest, LeagueRegisterResponse, PlayerMeta
from turnstile.league.protocol.words import (
    Address,
    RefereeId,
    Registration,
    player_address,
    referee_address,
)
from turnstile.league.registering import DUPLICATE_NAME
from turnstile.league.trust import agent_token, digest_of, id_in_token, is_equal, manager_proof

LEAGUE_FULL = "League full"
DUPLICATE_ENDPOINT = "Duplicate endpoint"
NAME_MISSING = "Name missing"
NAME_MIXED = "Name mixes alphabets"
REGISTRATION_CLOSED = "Registration closed"
UNSUPPORTED_GAME = "Unsupported game"
UNSUPPORTED_VERSION = f"Unsupported protocol version: {written(LeagueErrorName.PROTOCOL_VERSION_MISMATCH)}"

OLDEST_VERSION = 2
LOOKALIKES = {"LATIN", "GREEK", "CYRILLIC"}
"""Alphabets with letters that look the same. A name has letters of one of them."""


# requests


def repeated_player(state: State, meta: PlayerMeta) -> int | None:
    """The place of the player that registers again, under the same name and the same endpoint."""
    return _repeated(state.players, meta)


def repeated_referee(state: State, meta: RefereeMeta) -> int | None:
    return _repeated(state.referees, meta)


def refuse_repeat(
    state: State, member: Player | Referee, event: LeagueRegisterRequest | RefereeRegisterRequest, address: Address
) -> str | None:
    """Why whoever asks again cannot be the one that it says it is: what it says, everybody knows.

    Who had a secret shows it again. Who had none shows its token, where name and endpoint are not enough.
    """
    meta = event.player_meta if isinstance(event, LeagueRegisterRequest) else event.referee_meta
    if member.secret_digest is not None:
        is_same = is_equal(digest_of(meta.registration_secret), member.secret_digest)
        return None if is_same else DUPLICATE_NAME
    return None if state.options.trusts_repeats or event.known_as == address else DUPLICATE_NAME


def refuse_player(state: State, meta: PlayerMeta) -> str | None:
    """Why a new player cannot take part, while registration is open."""
    if refused := _refuse_kind(state, meta):
        return refused
    if len(state.players) >= state.options.most_players:
        return LEAGUE_FULL
    return REGISTRATION_CLOSED if state.is_complete else _refuse_name(state, state.players, meta)


def refuse_referee(state: State, meta: RefereeMeta) -> str | None:
    """Why a new referee cannot take part, while the league is not over."""
    if len(state.referees) >= MOST_REFEREES:
        return LEAGUE_FULL
    return _refuse_kind(state, meta) or _refuse_name(state, state.referees, meta)


def with_player(state: State, meta: PlayerMeta) -> State:
    entered = Player(
        display_name=cleaned(meta.display_name),
        contact_endpoint=meta.contact_endpoint,
        secret_digest=digest_of(meta.registration_secret),
    )
    return replace(state, players=(*state.players, entered))


def with_referee(state: State, meta: RefereeMeta) -> State:
    entered = Referee(
        referee_id=referee_id(len(state.referees) + 1),
        display_name=cleaned(meta.display_name),
        contact_endpoint=meta.contact_endpoint,
        secret_digest=digest_of(meta.registration_secret),
        capacity=capacity_of(meta),
        shows_keys=meta.shows_keys is True,
    )
    return replace(state, referees=(*state.referees, entered))


def capacity_of(meta: RefereeMeta) -> int:
    return min(max(1, meta.max_concurrent_matches), MOST_CAPACITY)


def _repeated(members: Sequence[Player | Referee], meta: PlayerMeta | RefereeMeta) -> int | None:
    key, home = name_key(meta.display_name), home_of(meta.contact_endpoint)
    for place, member in enumerate(members):
        if home_of(member.contact_endpoint) == home and name_key(member.display_name) == key:
            return place
    return None


def _refuse_kind(state: State, meta: PlayerMeta | RefereeMeta) -> str | None:
    if is_too_old(meta.protocol_version):
        return UNSUPPORTED_VERSION
    return None if state.options.game_type in meta.game_types else UNSUPPORTED_GAME


def _refuse_name(state: State, alike: Sequence[Player | Referee], meta: PlayerMeta | RefereeMeta) -> str | None:
    """Names are taken among players, or among referees; endpoints among all."""
    if not cleaned(meta.display_name):
        return NAME_MISSING
    if is_mixed(meta.display_name):
        return NAME_MIXED
    key = name_key(meta.display_name)
    if any(name_key(member.display_name) == key for member in alike):
        return DUPLICATE_NAME
    everybody: Sequence[Player | Referee] = (*state.players, *state.referees)
    home = home_of(meta.contact_endpoint)
    taken = any(home_of(member.contact_endpoint) == home for member in everybody)
    return DUPLICATE_ENDPOINT if taken else None


# names and versions


@lru_cache(maxsize=16_384)
def cleaned(name: str) -> str:
    """A name as it is shown: what cannot be printed is left out, and so is what is too long."""
    printable = "".join(letter for letter in normalize("NFKC", name) if letter.isprintable())
    return printable.strip()[:LONGEST_ID].rstrip()


@lru_cache(maxsize=16_384)
def name_key(name: str) -> str:
    """What two names have in common that look the same."""
    return normalize("NFKC", cleaned(name).casefold())


def is_mixed(name: str) -> bool:
    """Whether a name has letters of several alphabets that look the same, and may pass for another."""
    alphabets = {letter_name(letter, "").partition(" ")[0] for letter in cleaned(name) if letter.isalpha()}
    return len(alphabets & LOOKALIKES) > 1


def is_too_old(version: str) -> bool:
    """Whether this is a version before 2.0.0. What is no version at all, like `league.v2`, tells nothing."""
    number = re.match(r"(\d{1,9})(\.|$)", version.strip())
    return number is not None and int(number[1]) < OLDEST_VERSION


# answers


def player_accepted(state: State, place: int) -> LeagueRegisterResponse:
    given = player_id(place + 1)
    return LeagueRegisterResponse(
        status=Registration.ACCEPTED,
        player_id=given,
        auth_token=agent_token(state.secret, player_address(given)),
        league_id=state.league_id,
        manager_proof=manager_proof(state.secret, player_address(given)),
    )


def referee_accepted(state: State, place: int) -> RefereeRegisterResponse:
    given = state.referees[place]
    return RefereeRegisterResponse(
        status=Registration.ACCEPTED,
        referee_id=given.referee_id,
        auth_token=agent_token(state.secret, given.address),
        league_id=state.league_id,
        manager_proof=manager_proof(state.secret, given.address),
    )


def player_rejected(reason: str) -> LeagueRegisterResponse:
    return LeagueRegisterResponse(status=Registration.REJECTED, reason=reason)


def referee_rejected(reason: str) -> RefereeRegisterResponse:
    return RefereeRegisterResponse(status=Registration.REJECTED, reason=reason)


# tokens


def is_member(state: State, agent: str) -> bool:
    """Whether this is the address of somebody who takes part."""
    role, _, name = agent.partition(":")
    if role == "player":
        return state.player_at(PlayerId(name)) is not None
    return role == "referee" and state.referee_at(RefereeId(name)) is not None


def authenticate(state: State, sender: str | None, shown: str | None) -> Address | LeagueError:
    """For hosts: who says this. The token decides; who claims to be somebody else is not believed."""
    if not shown:
        return league_error(LeagueErrorName.AUTH_TOKEN_MISSING, "A message carries the token of its sender.")
    agent = _named(state, id_in_token(shown))
    claimed = None if sender is None else Address(sender)
    if claimed is not None and (stranger := _refuse_stranger(state, claimed)):
        return stranger
    if agent is None or not is_equal(shown, agent_token(state.secret, agent)):
        return league_error(LeagueErrorName.AUTH_TOKEN_INVALID, "This is not the token of its sender.")
    if claimed not in (None, agent):
        return league_error(LeagueErrorName.AUTH_TOKEN_INVALID, "This is the token of somebody else.")
    return agent


def _named(state: State, name: str) -> Address | None:
    """The agent that has this id."""
    if state.player_at(PlayerId(name)) is not None:
        return player_address(PlayerId(name))
    return referee_address(RefereeId(name)) if state.referee_at(RefereeId(name)) is not None else None


def _refuse_stranger(state: State, claimed: Address) -> LeagueError | None:
    role, _, agent = claimed.partition(":")
    if role == "player" and state.player_at(PlayerId(agent)) is None:
        return league_error(LeagueErrorName.PLAYER_NOT_REGISTERED, "No such player is registered.")
    if role == "referee" and state.referee_at(RefereeId(agent)) is None:
        return league_error(LeagueErrorName.REFEREE_NOT_REGISTERED, "No such referee is registered.")
    return None
