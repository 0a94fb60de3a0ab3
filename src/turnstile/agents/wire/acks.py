"""Acknowledgements that come to the manager as requests of their own, as some agents send them: who gives which."""

from typing import TypeVar

from msgspec import UNSET
from msgspec.structs import replace

from turnstile.league.protocol.messages import (
    LeagueCompletedAck,
    RoundAnnouncementAck,
    RoundCompletedAck,
    StandingsUpdateAck,
)
from turnstile.league.protocol.words import Address

Acknowledgement = RoundAnnouncementAck | StandingsUpdateAck | RoundCompletedAck | LeagueCompletedAck
A = TypeVar("A", bound=Acknowledgement)

ONLY_NOTED = (StandingsUpdateAck, RoundCompletedAck)
"""Those that nobody waits for."""


def given_by(agent: Address, ack: A) -> A | None:
    """An acknowledgement as this agent gives it; `None` if it names another."""
    role, _, name = agent.partition(":")
    own = f"{role}_id"
    named = {field: getattr(ack, field, UNSET) for field in ("player_id", "referee_id")}
    if any(held and (field, held) != (own, name) for field, held in named.items()):
        return None
    return replace(ack, **{own: name})
