"""The league's machines for `turnstile step`, `diagram` and `check`: how to open and read a state, and what to walk."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from turnstile.kernel.chance import Seed
from turnstile.kernel.game import refuse_seed
from turnstile.kernel.inspect import Inspectable
from turnstile.kernel.machine import Machine, Refusal, Rejection, S
from turnstile.kernel.values import Malformed, PlayerId, decode
from turnstile.league.manager import state as manager_state
from turnstile.league.manager.machine import manager
from turnstile.league.manager.machine import new as new_manager
from turnstile.league.player import state as player_state
from turnstile.league.player.machine import new as new_player
from turnstile.league.player.machine import player
from turnstile.league.proofs import manager as manager_world
from turnstile.league.proofs import manager_invariants
from turnstile.league.proofs import player as player_world
from turnstile.league.proofs import referee as referee_world
from turnstile.league.referee import state as referee_state
from turnstile.league.referee.machine import new as new_referee
from turnstile.league.referee.machine import referee

Given = TypeVar("Given")

Opening = Callable[[Sequence[PlayerId], bytes, Seed | None], S | Rejection]


def _with_options(kind: str, options: bytes, as_type: type[Given], new: Callable[[Given], S]) -> S | Rejection:
    try:
        return new(decode(options, as_type))
    except Malformed as fault:
        return Rejection(Refusal.INVALID_OPTIONS, f"Invalid options for a {kind}: {fault}.")


def _opening(
    kind: str, as_type: type[Given], new: Callable[[Given, Seed], S], *, no_players: str, no_seed: str
) -> Opening[S]:
    """Opens a machine that needs a seed and has no players."""

    def opened(players: Sequence[PlayerId], options: bytes, seed: Seed | None) -> S | Rejection:
        if players:
            return Rejection(Refusal.INVALID_PLAYERS, no_players)
        if seed is None:
            return Rejection(Refusal.INVALID_SEED, no_seed)
        return refuse_seed(seed) or _with_options(kind, options, as_type, lambda read: new(read, seed))

    return opened


def _reading(machine: Machine[S], violation: Callable[[S], str | None]) -> Callable[[bytes], S | Rejection]:
    """Reads a state, and rejects one that the machine cannot reach."""

    def read(data: bytes) -> S | Rejection:
        state = machine.read_state(data)
        fault = None if isinstance(state, Rejection) else violation(state)
        return Rejection(Refusal.INVALID_STATE, fault) if fault else state

    return read


def _open_referee(players: Sequence[PlayerId], options: bytes, seed: Seed | None) -> referee_state.State | Rejection:
    """A registered referee without a match."""
    if players:
        return Rejection(Refusal.INVALID_PLAYERS, "A referee has no players; they come with match_assigned.")
    if seed is not None:
        return Rejection(Refusal.INVALID_SEED, "A referee has no seed; that of a match comes with match_assigned.")
    return _with_options("referee", options, referee_state.Options, lambda read: new_referee(read.referee_id))


referee_inspectable = Inspectable(
    machine=referee,
    title="Referee",
    options=referee_state.Options,
    new=_open_referee,
    read=_reading(referee, referee_world.violation),
    worlds=referee_world.worlds,
)

player_inspectable = Inspectable(
    machine=player,
    title="Player",
    options=player_state.Options,
    new=_opening(
        "player",
        player_state.Options,
        new_player,
        no_players="A player has no players; its name is one of its options.",
        no_seed="A player draws suffixes for its name from a seed; open it with one.",
    ),
    read=_reading(player, player_world.violation),
    worlds=player_world.worlds,
)

manager_inspectable = Inspectable(
    machine=manager,
    title="League manager",
    options=manager_state.Options,
    new=_opening(
        "manager",
        manager_state.Options,
        new_manager,
        no_players="A manager has no players; they come with LEAGUE_REGISTER_REQUEST.",
        no_seed="A manager makes its tokens from a seed; open it with one.",
    ),
    read=_reading(manager, manager_invariants.violation),
    worlds=manager_world.worlds,
)
