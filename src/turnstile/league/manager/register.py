"""Decides which agents may enter the league, under which names, and how the manager answers them.

The host checks first whether an endpoint may be called at all.
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
    Phase,
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
    RefereeRegisterRequest,
    RefereeRegisterResponse,
)
from turnstile.league.protocol.messages import LeagueRegisterRequest, LeagueRegisterResponse
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
"""Alphabets that share letters of the same shape. A name uses at most one of them."""

Request = LeagueRegisterRequest | RefereeRegisterRequest
Response = LeagueRegisterResponse | RefereeRegisterResponse


# requests


def members(state: State, request: Request) -> Sequence[Player | Referee]:
    """The registered agents of the same role as the sender of a request."""
    return state.players if isinstance(request, LeagueRegisterRequest) else state.referees


def address_of(request: Request, place: int) -> Address:
    """The address of the agent at a place among the agents of its role."""
    if isinstance(request, LeagueRegisterRequest):
        return player_address(player_id(place + 1))
    return referee_address(referee_id(place + 1))


def repeated_place(state: State, request: Request) -> int | None:
    """The place of the agent that registered before with the same name and endpoint."""
    key, home = name_key(request.meta.display_name), home_of(request.meta.contact_endpoint)
    for place, member in enumerate(members(state, request)):
        if home_of(member.contact_endpoint) == home and name_key(member.display_name) == key:
            return place
    return None


def refuse_repeat(state: State, request: Request, place: int) -> str | None:
    """Why the manager does not believe an agent that registers again. Name and endpoint are public and prove nothing.

    An agent that registered with a secret shows it again. Without one it shows its token, unless the league
    `trusts_repeats`.
    """
    member = members(state, request)[place]
    if member.secret_digest is not None:
        is_same = is_equal(digest_of(request.meta.registration_secret), member.secret_digest)
        return None if is_same else DUPLICATE_NAME
    is_proved = state.options.trusts_repeats or request.known_as == address_of(request, place)
    return None if is_proved else DUPLICATE_NAME


def refuse_new(state: State, request: Request) -> str | None:
    """Why a new agent cannot take part: players before the league begins, referees until it is over."""
    is_player = isinstance(request, LeagueRegisterRequest)
    is_closed = state.phase is not Phase.ACCEPTING_REGISTRATIONS if is_player else state.phase is Phase.LEAGUE_COMPLETE
    if is_closed:
        return REGISTRATION_CLOSED
    if is_too_old(request.meta.protocol_version):
        return UNSUPPORTED_VERSION
    if state.options.game_type not in request.meta.game_types:
        return UNSUPPORTED_GAME
    if len(members(state, request)) >= (state.options.most_players if is_player else MOST_REFEREES):
        return LEAGUE_FULL
    return REGISTRATION_CLOSED if is_player and state.is_complete else _refuse_name(state, request)


def _refuse_name(state: State, request: Request) -> str | None:
    """A name is unique among the agents of a role, an endpoint among all agents."""
    name, home = request.meta.display_name, home_of(request.meta.contact_endpoint)
    if not clean_name(name):
        return NAME_MISSING
    if is_mixed(name):
        return NAME_MIXED
    if any(name_key(member.display_name) == name_key(name) for member in members(state, request)):
        return DUPLICATE_NAME
    return DUPLICATE_ENDPOINT if home in map(home_of, state.endpoints) else None


def add_agent(state: State, request: Request) -> State:
    """The league with a new agent, at the next place of its role."""
    name, digest = clean_name(request.meta.display_name), digest_of(request.meta.registration_secret)
    endpoint = request.meta.contact_endpoint
    if isinstance(request, LeagueRegisterRequest):
        player = Player(display_name=name, contact_endpoint=endpoint, secret_digest=digest)
        return replace(state, players=(*state.players, player))
    referee = Referee(
        referee_id=referee_id(len(state.referees) + 1),
        display_name=name,
        contact_endpoint=endpoint,
        secret_digest=digest,
        capacity=capacity_of(request),
        shows_keys=request.meta.shows_keys is True,
    )
    return replace(state, referees=(*state.referees, referee))


def capacity_of(request: RefereeRegisterRequest) -> int:
    return min(max(1, request.meta.max_concurrent_matches), MOST_CAPACITY)


# names and versions


@lru_cache(maxsize=16_384)
def clean_name(name: str) -> str:
    """A name as it is displayed: printable characters only, and not too long."""
    printable = "".join(letter for letter in normalize("NFKC", name) if letter.isprintable())
    return printable.strip()[:LONGEST_ID].rstrip()


@lru_cache(maxsize=16_384)
def name_key(name: str) -> str:
    """The same key for all names that look the same."""
    return normalize("NFKC", clean_name(name).casefold())


def is_mixed(name: str) -> bool:
    """Whether a name uses several of the alphabets that look alike, and so may imitate another name."""
    alphabets = {letter_name(letter, "").partition(" ")[0] for letter in clean_name(name) if letter.isalpha()}
    return len(alphabets & LOOKALIKES) > 1


def is_too_old(version: str) -> bool:
    """Whether this is a version before 2.0.0. A text that is not a version, like `league.v2`, is accepted."""
    number = re.match(r"(\d{1,9})(\.|$)", version.strip())
    return number is not None and int(number[1]) < OLDEST_VERSION


# answers


def accept(state: State, request: Request, place: int) -> Response:
    """The answer to an agent that takes part: its id, its token and how the manager will prove itself."""
    agent = address_of(request, place)
    if isinstance(request, LeagueRegisterRequest):
        response: Response = LeagueRegisterResponse(status=Registration.ACCEPTED, player_id=player_id(place + 1))
    else:
        response = RefereeRegisterResponse(status=Registration.ACCEPTED, referee_id=referee_id(place + 1))
    return replace(
        response,
        auth_token=agent_token(state.secret, agent),
        league_id=state.league_id,
        manager_proof=manager_proof(state.secret, agent),
    )


def reject(request: Request, reason: str) -> Response:
    kind = LeagueRegisterResponse if isinstance(request, LeagueRegisterRequest) else RefereeRegisterResponse
    return kind(status=Registration.REJECTED, reason=reason)


# tokens


def is_member(state: State, agent: str) -> bool:
    """Whether this is the address of a registered agent."""
    role, _, name = agent.partition(":")
    if role == "player":
        return state.player_at(PlayerId(name)) is not None
    return role == "referee" and state.referee_at(RefereeId(name)) is not None


def authenticate(state: State, sender: str | None, shown: str | None) -> Address | LeagueError:
    """For hosts: the sender of a message. The token decides; a claim to be another agent is an error."""
    if not shown:
        return league_error(LeagueErrorName.AUTH_TOKEN_MISSING, "A message carries the token of its sender.")
    agent = _named(state, id_in_token(shown))
    claimed = None if sender is None else Address(sender)
    if claimed is not None and (stranger := _refuse_stranger(state, claimed)):
        return stranger
    if agent is None or not is_equal(shown, agent_token(state.secret, agent)):
        return league_error(LeagueErrorName.AUTH_TOKEN_INVALID, "This is not the token of its sender.")
    if claimed not in (None, agent):
        return league_error(LeagueErrorName.AUTH_TOKEN_INVALID, "This is the token of another agent.")
    return agent


def _named(state: State, name: str) -> Address | None:
    """The address of the agent with this id."""
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
