"""Matches that a referee is given, and whether they can be played."""

from turnstile.agents.wire.lenient import invalid_fields
from turnstile.agents.wire.rpc import INVALID_PARAMS, Fault
from turnstile.kernel.chance import Seed
from turnstile.league.protocol.management import RunMatch
from turnstile.league.protocol.values import AnnouncedMatch
from turnstile.league.protocol.words import RefereeId
from turnstile.league.referee.play import refuse_assignment


def as_announced(message: RunMatch, me: RefereeId, endpoint: str) -> AnnouncedMatch:
    """A match that was handed out on its own, as it would stand in the announcement of its round."""
    return AnnouncedMatch(
        match_id=message.match_id,
        player_a_id=message.player_a_id,
        player_b_id=message.player_b_id,
        referee_endpoint=endpoint,
        game_type=message.game_type,
        referee_id=me,
        player_a_endpoint=message.player_a_endpoint,
        player_b_endpoint=message.player_b_endpoint,
    )


def unplayable(match: AnnouncedMatch) -> Fault | None:
    """Why a match cannot be led here: it does not say where its players are, or its game is not known."""
    ends = {"player_A_endpoint": match.player_a_endpoint, "player_B_endpoint": match.player_b_endpoint}
    missing = [f"matches.{name}" for name, end in ends.items() if not end]
    if missing:
        return invalid_fields(missing)
    refused = refuse_assignment(match, Seed("any"))
    return None if refused is None else Fault(INVALID_PARAMS, refused.sentence)
