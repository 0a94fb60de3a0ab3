"""The referee on its stand: how `turnstile step` opens and reads one, and what `turnstile check` walks."""

from collections.abc import Sequence

from turnstile.kernel.chance import Seed
from turnstile.kernel.machine import Refusal, Rejection
from turnstile.kernel.stand import Stand
from turnstile.kernel.values import Malformed, PlayerId, decode
from turnstile.league import referee_state, referee_world
from turnstile.league.referee import new as new_referee
from turnstile.league.referee import referee


def open_referee(players: Sequence[PlayerId], options: bytes, seed: Seed | None) -> referee_state.State | Rejection:
    """A registered referee without a match."""
    if players:
        return Rejection(Refusal.INVALID_PLAYERS, "A referee has no players; they come with match_assigned.")
    if seed is not None:
        return Rejection(Refusal.INVALID_SEED, "A referee has no seed; that of a match comes with match_assigned.")
    try:
        return new_referee(decode(options, referee_state.Options).referee_id)
    except Malformed as fault:
        return Rejection(Refusal.INVALID_OPTIONS, f"These are no options of a referee: {fault}.")


def read_referee(data: bytes) -> referee_state.State | Rejection:
    """A referee that can be in this state."""
    state = referee.read_state(data)
    fault = None if isinstance(state, Rejection) else referee_world.sound(state)
    return Rejection(Refusal.INVALID_STATE, fault) if fault else state


referee_stand = Stand(
    machine=referee,
    title="Referee",
    options=referee_state.Options,
    new=open_referee,
    read=read_referee,
    worlds=referee_world.worlds,
)
