"""A match of E-Card as a value: its phases, its state, what one player sees of it, and who leads."""

from enum import StrEnum
from typing import Annotated

from turnstile.games.ecard.cards import EMPEROR_HAND, Card, Hand
from turnstile.kernel.chance import Seed
from turnstile.kernel.game import Players
from turnstile.kernel.marks import Within
from turnstile.kernel.values import ByPlayer, PlayerId, Value

SIDES = 4
ROUNDS_IN_SIDE = 3
ROUNDS = SIDES * ROUNDS_IN_SIDE

# words


class Phase(StrEnum):
    LOBBY = "Lobby"
    ROUND_SETUP = "RoundSetup"
    PICKING = "Picking"
    REVEAL = "Reveal"
    FINISHED = "Finished"


class Code(StrEnum):
    """Why E-Card refuses a move. Codes are protocol: add to them, never rename one."""

    UNKNOWN_PLAYER = "UnknownPlayer"
    ALREADY_PICKED = "AlreadyPicked"
    CARD_NOT_IN_HAND = "CardNotInHand"


# values


class Roles(Value, frozen=True):
    emperor_player: PlayerId
    slave_player: PlayerId


class Pair(Value, frozen=True):
    """Two cards that were turned over: in which decisive round (from 1), by whom, and who won; `None` is a draw."""

    round: Annotated[int, Within(1, ROUNDS + 1)]
    emperor_player: PlayerId
    cards: ByPlayer[Card]
    winner: PlayerId | None


class Options(Value, frozen=True):
    """E-Card has none."""


class State(Value, frozen=True):
    """The whole match. `decisive_round_index` counts the decisive rounds that are over: 13 after a tie break."""

    phase: Phase
    players: Players
    roles: Roles | None
    hands: ByPlayer[Hand]
    pending_picks: ByPlayer[Card | None]
    score: ByPlayer[int]
    seed: Seed | None
    decisive_round_index: int
    decisive_in_side: int
    is_tie_break: bool
    revealed: tuple[Pair, ...]


class View(Value, frozen=True):
    """The match as one player sees it. A spectator has no hand and no pick."""

    phase: Phase
    players: Players
    roles: Roles | None
    hand: Hand
    pending_pick: Card | None
    has_picked: ByPlayer[bool]
    hand_sizes: ByPlayer[Annotated[int, Within(0, len(EMPEROR_HAND))]]
    score: ByPlayer[Annotated[int, Within(0, ROUNDS + 1)]]
    decisive_round_index: Annotated[int, Within(0, ROUNDS + 1)]
    decisive_in_side: Annotated[int, Within(0, ROUNDS_IN_SIDE)]
    is_tie_break: bool
    revealed: tuple[Pair, ...]


# parts of a state


def roles_of(state: State) -> Roles:
    assert state.roles is not None, "roles are drawn by Start"
    return state.roles


def leader(state: State) -> PlayerId:
    return max(state.players, key=lambda player: state.score[player])
