"""What a table tells: its own messages beside the game's, and the effect that carries an update to a stream."""

from typing import Any

from msgspec import Raw

from turnstile.kernel.chance import Commitment, Seed
from turnstile.kernel.effects import Effect
from turnstile.kernel.game import Players
from turnstile.kernel.values import ByPlayer, Message, PlayerId
from turnstile.table.values import Result


class MatchStarting(Message, frozen=True):
    """The match is about to begin. The server commits to its seed; players may add words before they acknowledge."""

    commitment: Commitment
    players: Players


class MatchEnded(Message, frozen=True):
    """The last update of every stream: the result, and the proof that the deal was fair."""

    result: Result
    seed: Seed
    words: ByPlayer[str]


class Told(Effect, frozen=True):
    """An update for one player (`None`: for all spectators): what one step tells it, with its view and actions."""

    player: PlayerId | None
    seq: int
    messages: tuple[Raw, ...]
    view: Any
    actions: Any
