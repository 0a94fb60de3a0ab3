"""Checks before a league begins: the same league as before, valid listed players, and agents that listen."""

import asyncio
from collections.abc import Iterable
from typing import Protocol

from turnstile.agents.process.process import CannotStart
from turnstile.league.manager.register import add_agent, refuse_new, repeated_place
from turnstile.league.manager.state import MOST_PLAYERS, Options, Phase, State
from turnstile.league.protocol.messages import LeagueRegisterRequest
from turnstile.league.protocol.values import PlayerMeta
from turnstile.league.protocol.words import Address, player_address

LISTEN_SECONDS = 5.0  # before the league begins without the agent


class Probing(Protocol):
    """Finds out whether a port is open."""

    async def listens(self, endpoint: str, seconds: float) -> bool: ...


# agents that listen: some register before they do


async def silent_among_last(state: State, calls: Probing, seconds: float) -> list[tuple[Address, str]]:
    """Wait until the last player and the last referee listen. Those that do not in time, with endpoints."""
    last = last_agents(state)
    listening = await asyncio.gather(*(calls.listens(endpoint, seconds) for _, endpoint in last))
    return [agent for agent, is_open in zip(last, listening, strict=True) if not is_open]


def last_agents(state: State) -> list[tuple[Address, str]]:
    """The player and the referee that registered last, and their endpoints."""
    count = len(state.players)
    everybody = all_agents(state)
    return everybody[:count][-1:] + everybody[count:][-1:]


def all_agents(state: State) -> list[tuple[Address, str]]:
    """Players, then referees, each with its endpoint, in the order of registration."""
    addresses = [*map(player_address, state.player_ids), *(referee.address for referee in state.referees)]
    return list(zip(addresses, state.endpoints, strict=True))


# the league and its players


def listed_player(name: str, endpoint: str, game_type: str) -> LeagueRegisterRequest:
    """The registration of a player that cannot register itself."""
    meta = PlayerMeta(display_name=name, version="0.0.0", game_types=(game_type,), contact_endpoint=endpoint)
    return LeagueRegisterRequest(player_meta=meta)


def refuse_other_league(state: State, given: Options) -> None:
    """Raises `CannotStart` if the options differ from those of the league in the store, which would ignore them."""
    kept = state.options
    asked = (
        (given.league_id, kept.league_id),
        (given.game_type, kept.game_type),
        (given.expected_players or kept.expected_players, kept.expected_players),
        (kept.most_players if given.most_players == MOST_PLAYERS else given.most_players, kept.most_players),
    )
    if any(now != before for now, before in asked):
        begun = "which is over" if state.phase is Phase.LEAGUE_COMPLETE else "which is not over"
        size = kept.expected_players or len(state.players)
        raise CannotStart(
            f"This folder holds the league {kept.league_id} of {size} players at {kept.game_type}, {begun}: "
            "give the same options again, or another --league or --data."
        )


def refuse_listed(state: State, listed: Iterable[LeagueRegisterRequest]) -> None:
    """Raises `CannotStart` for a listed player that the league would reject. It would not learn of it otherwise."""
    for request in [each for each in listed if repeated_place(state, each) is None]:
        if (why := refuse_new(state, request)) is not None:
            raise CannotStart(f"The player {request.meta.display_name} cannot take part: {why}.")
        state = add_agent(state, request)
