"""What referees say to a player, completed by its host: who speaks, who is addressed, how much time is left."""

from datetime import datetime

from msgspec import UNSET
from msgspec.structs import replace

from turnstile.agents.wire.envelope import read_time
from turnstile.agents.wire.remarks import remark
from turnstile.kernel.values import wire_name
from turnstile.league.player.state import State
from turnstile.league.protocol.messages import Call, ChooseParityCall, FromReferee, GameMoveCall, LeagueMessage
from turnstile.league.protocol.words import Address, MatchId, referee_address


def with_time_left(message: LeagueMessage, now: datetime, time_scale: float) -> LeagueMessage:
    """A call, with the time that is left until its deadline, by the time scale of the machine. Others have none."""
    if not isinstance(message, Call):
        return message
    deadline = read_time(message.deadline) if message.deadline else None
    if deadline is None:
        return replace(message, milliseconds_left=UNSET)
    if deadline <= now:
        remark(f"{wire_name(type(message))} from {message.sender} with a deadline that is over", str(message.deadline))
    return replace(message, milliseconds_left=round(1000 * (deadline - now).total_seconds() / time_scale))


def with_addresses(state: State, message: LeagueMessage, *, is_signed: bool) -> LeagueMessage:
    """What a referee says, with what it left out: its own name, and to whom it speaks. Both are known here."""
    if not isinstance(message, FromReferee):
        return message
    referee = None if is_signed else referee_of(state, message.match_id)
    if referee is not None:
        message = replace(message, sender=referee)
    if isinstance(message, ChooseParityCall | GameMoveCall) and not message.player_id and state.player_id:
        message = replace(message, player_id=state.player_id)
    return message


def referee_of(state: State, match: MatchId) -> Address | None:
    """The referee of a match: the one that has begun it, else the one that was announced."""
    if state.match is not None and state.match.match_id == match:
        return state.match.referee
    ids = (each.referee_id for each in state.announcements_of(match) if each.referee_id is not None)
    return next((referee_address(referee) for referee in ids), None)
