"""The machines of the league on their stands: how `turnstile step` opens and reads one, and what `check` walks."""

from collections.abc import Sequence

from turnstile.kernel.chance import Seed
from turnstile.kernel.game import refuse_seed
from turnstile.kernel.machine import Refusal, Rejection
from turnstile.kernel.stand import Stand
from turnstile.kernel.values import Malformed, PlayerId, decode
from turnstile.league import manager_state, manager_world, player_state, player_world, referee_state, referee_world
from turnstile.league.manager import manager
from turnstile.league.manager import new as new_manager
from turnstile.league.manager_sound import sound as sound_manager
from turnstile.league.player import new as new_player
from turnstile.league.player import player
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


def open_player(players: Sequence[PlayerId], options: bytes, seed: Seed | None) -> player_state.State | Rejection:
    """A player that nobody knows yet."""
    if players:
        return Rejection(Refusal.INVALID_PLAYERS, "A player has no players; its name is one of its options.")
    if seed is None:
        return Rejection(Refusal.INVALID_SEED, "A player draws suffixes for its name from a seed; open it with one.")
    if refused := refuse_seed(seed):
        return refused
    try:
        return new_player(decode(options, player_state.Options), seed)
    except Malformed as fault:
        return Rejection(Refusal.INVALID_OPTIONS, f"These are no options of a player: {fault}.")


def read_player(data: bytes) -> player_state.State | Rejection:
    """A player that can be in this state."""
    state = player.read_state(data)
    fault = None if isinstance(state, Rejection) else player_world.sound(state)
    return Rejection(Refusal.INVALID_STATE, fault) if fault else state


player_stand = Stand(
    machine=player,
    title="Player",
    options=player_state.Options,
    new=open_player,
    read=read_player,
    worlds=player_world.worlds,
)


def open_manager(players: Sequence[PlayerId], options: bytes, seed: Seed | None) -> manager_state.State | Rejection:
    """The manager of a league that nobody has joined yet."""
    if players:
        return Rejection(Refusal.INVALID_PLAYERS, "A manager has no players; they come with LEAGUE_REGISTER_REQUEST.")
    if seed is None:
        return Rejection(Refusal.INVALID_SEED, "A manager makes its tokens from a seed; open it with one.")
    if refused := refuse_seed(seed):
        return refused
    try:
        return new_manager(decode(options, manager_state.Options), seed)
    except Malformed as fault:
        return Rejection(Refusal.INVALID_OPTIONS, f"These are no options of a manager: {fault}.")


def read_manager(data: bytes) -> manager_state.State | Rejection:
    """A manager that can be in this state."""
    state = manager.read_state(data)
    fault = None if isinstance(state, Rejection) else sound_manager(state)
    return Rejection(Refusal.INVALID_STATE, fault) if fault else state


manager_stand = Stand(
    machine=manager,
    title="League manager",
    options=manager_state.Options,
    new=open_manager,
    read=read_manager,
    worlds=manager_world.worlds,
)
