"""The game as a document: the `GameState` of the specification, as one caller may see it. It does no I/O.

The fields are those of the specification. They come from the view of Up-Down, which has the same names:

- `status` is the phase of the match; `waiting` until it has begun, and `game_complete` once the table has a result.
- `players` has the hand of the caller only. The hands of others are empty, and `handSize` says how large they are.
- `playerOrder`, `currentRound`, `roundSequence` and `completedRounds` are those of the view.
"""

from turnstile.games.updown.cards import Hand
from turnstile.games.updown.rounds import PlayerView, RoundResult, RoundState
from turnstile.games.updown.state import Phase, View
from turnstile.kernel.game import Players
from turnstile.kernel.values import PlayerId, Value


class PlayerDocument(Value, frozen=True):
    """A `PlayerState` of the specification. `hand` is empty unless it is the caller's own."""

    id: PlayerId
    hand: Hand
    hand_size: int
    bet: int | None
    hands_won: int
    score: int


class GameDocument(Value, frozen=True):
    """The `GameState` of the specification."""

    status: Phase
    players: tuple[PlayerDocument, ...]
    player_order: Players
    current_round: RoundState | None
    round_sequence: tuple[int, ...]
    completed_rounds: tuple[RoundResult, ...]


def waiting_document(seated: Players) -> GameDocument:
    """The game before its match: who sits there, and nothing else."""
    players = tuple(PlayerDocument(player, (), 0, None, 0, 0) for player in seated)
    return GameDocument(Phase.WAITING, players, (), None, (), ())


def document_of(view: View, *, is_over: bool) -> GameDocument:
    """The game as the caller of this view may see it. `is_over`: the table has a result, perhaps by resignation."""
    return GameDocument(
        status=Phase.GAME_COMPLETE if is_over else view.phase,
        players=tuple(map(_player, view.players)),
        player_order=view.player_order,
        current_round=view.current_round,
        round_sequence=view.round_sequence,
        completed_rounds=view.completed_rounds,
    )


def _player(player: PlayerView) -> PlayerDocument:
    return PlayerDocument(
        id=player.id,
        hand=player.hand or (),
        hand_size=player.hand_size,
        bet=player.bet,
        hands_won=player.hands_won,
        score=player.score,
    )
