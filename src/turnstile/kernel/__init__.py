"""The kernel runs state machines: `State + Event -> State | Error`. It does no I/O and knows no particular game.

Games are written against the names that this package exports.
"""

from turnstile.kernel.chance import Commitment, Seed
from turnstile.kernel.effects import Arm, Disarm, Effect, Send, Tell
from turnstile.kernel.game import (
    NEEDS_A_SEED,
    AnyGame,
    AnyStudy,
    AnySubgame,
    Game,
    NoMove,
    Outcome,
    Players,
    Study,
    Subgame,
    Tally,
    refuse_players,
    refuse_seed,
)
from turnstile.kernel.machine import Hop, Machine, MachineError, Next, Refusal, Rejection, Step, Transition
from turnstile.kernel.values import (
    Acks,
    ByPlayer,
    Event,
    Malformed,
    Message,
    Move,
    PlayerId,
    Timeout,
    Value,
    decode,
    digest,
    encode,
    wire_name,
)

__all__ = [
    "PlayerId", "Value", "Event", "Move", "Timeout", "Acks", "Message", "ByPlayer",
    "Machine", "MachineError", "Next", "Step", "Hop", "Transition", "Rejection", "Refusal",
    "Effect", "Tell", "Send", "Arm", "Disarm",
    "Seed", "Commitment",
    "Game", "AnyGame", "Study", "AnyStudy", "Subgame", "AnySubgame", "Outcome", "NoMove", "Players", "Tally",
    "refuse_players", "refuse_seed", "NEEDS_A_SEED",
    "encode", "decode", "digest", "wire_name", "Malformed",
]  # fmt: skip
