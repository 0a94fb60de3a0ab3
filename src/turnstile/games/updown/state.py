"""A match of Up-Down as a value: its phases, its state, what one player sees of it, and who leads."""

from enum import StrEnum
from typing import Annotated

import msgspec

from turnstile.games.updown.hand import HandState
from turnstile.games.updown.rounds import LARGEST_ROUND, PlayerState, PlayerView, RoundResult, RoundSize, RoundState
from turnstile.kernel.chance import Seed
from turnstile.kernel.game import Outcome, Players
from turnstile.kernel.marks import SEATED
from turnstile.kernel.values import ByPlayer, PlayerId, Value

# words


class Phase(StrEnum):
    WAITING = "waiting"
    DEALING = "dealing"
    BETTING = "betting"
    PLAYING_HAND = "playing_hand"
    HAND_COMPLETE = "hand_complete"
    ROUND_COMPLETE = "round_complete"
    GAME_COMPLETE = "game_complete"


class Code(StrEnum):
    """Why Up-Down refuses a move. Codes are protocol: add to them, never rename one."""

    UNKNOWN_PLAYER = "UnknownPlayer"
    ONLY_ADMIN_CAN_START = "OnlyAdminCanStart"
    TOO_FEW_PLAYERS = "TooFewPlayers"
    NOT_YOUR_TURN_TO_BET = "NotYourTurnToBet"
    BET_OUT_OF_RANGE = "BetOutOfRange"
    LAST_BET_MAKES_SUM = "LastBetMakesSum"
    NOT_YOUR_TURN = "NotYourTurn"
    CARD_NOT_IN_HAND = "CardNotInHand"
    MUST_FOLLOW_PINTA = "MustFollowPinta"


# values


class Options(Value, frozen=True):
    """`max_round_size` is the size of the largest round; by default 7, or less if the deck is too small.

    The bound in its type is for two players; for more players, `new` checks a smaller one.
    """

    max_round_size: Annotated[int, msgspec.Meta(ge=1, le=LARGEST_ROUND)] | None = None


class State(Value, frozen=True):
    """The whole match. `players` sit in this order, the admin first; `player_order` is PG1, PG2, ..., once drawn."""

    phase: Phase = msgspec.field(name="status")
    players: tuple[PlayerState, ...]
    player_order: Players
    current_round: RoundState | None
    round_sequence: tuple[int, ...]
    completed_rounds: tuple[RoundResult, ...]
    seed: Seed


class View(Value, frozen=True):
    """The match as one player sees it: everything but the hands of the others and what is not dealt yet."""

    phase: Phase = msgspec.field(name="status")
    players: Annotated[tuple[PlayerView, ...], SEATED]
    player_order: Players
    current_round: RoundState | None
    round_sequence: tuple[RoundSize, ...]
    completed_rounds: tuple[RoundResult, ...]


# parts of a state


def ids_of(state: State) -> Players:
    return tuple([player.id for player in state.players])


def player_of(state: State, player: PlayerId) -> PlayerState:
    """The player with this id, who must have a seat."""
    for each in state.players:
        if each.id == player:
            return each
    raise ValueError(f"{player} has no seat in this match")


def round_of(state: State) -> RoundState:
    assert state.current_round is not None, "a round has been dealt"
    return state.current_round


def hand_of(state: State) -> tuple[RoundState, HandState]:
    current = state.current_round
    assert current is not None, "a round has been dealt"
    assert current.current_hand is not None, "a hand has been started"
    return current, current.current_hand


# end


def highest_total(state: State) -> Outcome:
    """The highest total wins; equal totals share the win."""
    scores = ByPlayer({player.id: player.score for player in state.players})
    best = max(scores.values())
    return Outcome(tuple(player for player, score in scores.items() if score == best), scores)
