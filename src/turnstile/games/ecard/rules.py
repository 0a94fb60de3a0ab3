"""E-Card: one emperor, one slave, four citizens each, and the nerve to choose. Rules: docs/games/e-card.md.

This module is the machine, in the order that a match runs through it. The other modules hold what it works with: the
cards (`cards`), the phases, state and view (`state`), what players are told (`messages`) and when (`news`).
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, cast

from msgspec import Meta
from msgspec.structs import replace

from turnstile.games.ecard.cards import BEATS, EMPEROR_HAND, SLAVE_HAND, Card, Hand, without
from turnstile.games.ecard.messages import EcardMessage, OpponentPicked
from turnstile.games.ecard.news import match_started, pair_revealed
from turnstile.games.ecard.state import (
    ROUNDS,
    ROUNDS_IN_SIDE,
    Code,
    Options,
    Pair,
    Phase,
    Roles,
    State,
    View,
    leader,
    roles_of,
)
from turnstile.games.ecard.text import RULES
from turnstile.kernel.chance import LONGEST_SEED, Seed, draw
from turnstile.kernel.effects import Tell
from turnstile.kernel.game import Game, Outcome, Players, refuse_players, refuse_seed
from turnstile.kernel.machine import Machine, Next, Rejection
from turnstile.kernel.values import ByPlayer, Event, Move, PlayerId

SEATS = range(2, 3)

# The phases by their names alone: in Python 3.11, looking up `Phase.PICKING` takes as long as a whole `replace`.
LOBBY, ROUND_SETUP, PICKING, REVEAL, FINISHED = Phase

# events


class Start(Event, frozen=True):
    """The match begins; the first emperor is drawn from the seed."""

    seed: Annotated[Seed, Meta(min_length=1, max_length=LONGEST_SEED)]


class BeginPicking(Event, frozen=True):
    """Both players know their hands for this decisive round."""


class Pick(Move, frozen=True):
    card: Card


class Reset(Event, frozen=True):
    """The same two players again."""


# start


def new(players: Sequence[PlayerId], options: Options, seed: Seed | None) -> State | Rejection:
    """Two players in the lobby. A seed given here waits there for the table's Start; the seed of the Start counts."""
    return refuse_players(players, SEATS) or refuse_seed(seed) or _lobby(tuple(players), seed)


def _lobby(players: Players, seed: Seed | None) -> State:
    return State(
        phase=LOBBY,
        players=players,
        roles=None,
        hands=ByPlayer.same(players, ()),
        pending_picks=ByPlayer.same(players, None),
        score=ByPlayer.same(players, 0),
        seed=seed,
        decisive_round_index=0,
        decisive_in_side=0,
        is_tie_break=False,
        revealed=(),
    )


# play

ecard: Machine[State] = Machine(
    "e-card",
    Phase,
    start=LOBBY,
    ends=(FINISHED,),
    state=State,
    messages=EcardMessage,
    codes=Code,
)


@ecard.on(LOBBY, Start, to=ROUND_SETUP, tell=match_started)
def start(state: State, event: Start) -> State:
    """The first emperor is drawn from the seed, and the first decisive round is set up."""
    first = first_emperor(state.players, event.seed)
    roles = Roles(first, _other(state.players, first))
    return set_up(replace(state, seed=event.seed), roles)


def set_up(state: State, roles: Roles) -> State:
    """Each decisive round starts with fresh full hands for its roles, and no card laid."""
    return replace(
        state,
        phase=ROUND_SETUP,
        roles=roles,
        hands=full_hands(state.players, roles.emperor_player),
        pending_picks=no_picks(state.players),
    )


@lru_cache(maxsize=4096)
def full_hands(players: Players, emperor: PlayerId) -> ByPlayer[Hand]:
    """The emperor and four citizens for one player, the slave and four citizens for the other.

    Cached like `no_picks`, because all rounds of a match start with the same few values.
    """
    return ByPlayer({player: EMPEROR_HAND if player == emperor else SLAVE_HAND for player in players})


@lru_cache(maxsize=4096)
def no_picks(players: Players) -> ByPlayer[Card | None]:
    return ByPlayer.same(players, None)


@ecard.on(ROUND_SETUP, BeginPicking, to=PICKING)
def begin_picking(state: State, event: BeginPicking) -> State:
    """Both players may now lay a card."""
    return replace(state, phase=PICKING)


@ecard.on(PICKING, Pick, to={"one pick": PICKING, "both picked": REVEAL})
def pick(state: State, event: Pick) -> Next[State] | Rejection:
    """A player lays a card face down. When both have, the cards are turned over."""
    if event.player not in state.players:
        return Rejection(Code.UNKNOWN_PLAYER, f"{event.player} has no seat in this match.")
    if state.pending_picks[event.player] is not None:
        return Rejection(Code.ALREADY_PICKED, "You have laid your card; wait for the other player.")
    if event.card not in state.hands[event.player]:
        return Rejection(Code.CARD_NOT_IN_HAND, f"You hold no {event.card.name.lower()}; lay a card of your hand.")
    picks = state.pending_picks.put(event.player, event.card)
    opponent = _other(state.players, event.player)
    phase = PICKING if picks[opponent] is None else REVEAL
    laid = replace(state, pending_picks=picks, phase=phase)
    return Next(laid, lambda: Tell.all([opponent], OpponentPicked()))


@ecard.auto(REVEAL, to={"draw": PICKING, "decisive": ROUND_SETUP, "match over": FINISHED}, tell=pair_revealed)
def reveal(state: State) -> State:
    """Both cards are turned over. A draw goes on with the hands that are left; a winner ends the decisive round."""
    roles, cards = roles_of(state), _laid_cards(state)
    winner = winning_player(roles, cards)
    pair = Pair(state.decisive_round_index + 1, roles.emperor_player, cards, winner)
    if winner is None:
        return replace(remove_picks(state), phase=PICKING, revealed=(*state.revealed, pair))
    return next_round(score_point(state, winner, pair))


def winning_player(roles: Roles, cards: ByPlayer[Card]) -> PlayerId | None:
    """Emperor beats citizen, citizen beats slave, slave beats emperor; citizen against citizen is a draw."""
    emperors, slaves = cards[roles.emperor_player], cards[roles.slave_player]
    if emperors is slaves:
        return None
    return roles.emperor_player if BEATS[emperors] is slaves else roles.slave_player


def remove_picks(state: State) -> State:
    """The cards that were laid are gone from both hands."""
    hands = ByPlayer({player: without(held, state.pending_picks[player]) for player, held in state.hands.items()})
    return replace(state, hands=hands, pending_picks=no_picks(state.players))


def score_point(state: State, winner: PlayerId, pair: Pair) -> State:
    """A decisive round is worth one point. The extra round of a tie break belongs to no side."""
    return replace(
        state,
        score=state.score.put(winner, state.score[winner] + 1),
        decisive_round_index=state.decisive_round_index + 1,
        decisive_in_side=state.decisive_in_side + (not state.is_tie_break),
        revealed=(*state.revealed, pair),
    )


def next_round(state: State) -> State:
    """After a decisive round: the end, a tie break, a new side with switched roles, or one more round of this side.

    Roles switch after rounds 3, 6 and 9 only. Read literally, the spec's rule for switching would apply after round 12
    too; the rules say that roles do not switch before the tie break, and they win (docs/departures.md).
    """
    roles = roles_of(state)
    if state.is_tie_break or (state.decisive_round_index == ROUNDS and not is_tied(state)):
        return replace(remove_picks(state), phase=FINISHED)
    if state.decisive_round_index == ROUNDS:
        return set_up(replace(state, is_tie_break=True), roles)
    if state.decisive_in_side < ROUNDS_IN_SIDE:
        return set_up(state, roles)
    switched = Roles(emperor_player=roles.slave_player, slave_player=roles.emperor_player)
    return set_up(replace(state, decisive_in_side=0), switched)


def is_tied(state: State) -> bool:
    return len(set(state.score.values())) == 1


@ecard.on(FINISHED, Reset, to=LOBBY)
def reset(state: State, event: Reset) -> State:
    """Back to the lobby, as if nothing had been played; the next Start brings a new seed."""
    return _lobby(state.players, None)


# sight


def view(state: State, player: PlayerId | None) -> View:
    """The match as `player` sees it; `None` looks on from outside. Never the other's pending pick, never the seed."""
    return View(
        phase=state.phase,
        players=state.players,
        roles=state.roles,
        hand=state.hands.get(player, ()) if player else (),
        pending_pick=state.pending_picks.get(player) if player else None,
        has_picked=ByPlayer({who: card is not None for who, card in state.pending_picks.items()}),  # that, never what
        hand_sizes=ByPlayer({who: len(held) for who, held in state.hands.items()}),
        score=state.score,
        decisive_round_index=state.decisive_round_index,
        decisive_in_side=state.decisive_in_side,
        is_tie_break=state.is_tie_break,
        revealed=state.revealed,
    )


def actions(state: State, player: PlayerId) -> tuple[Pick, ...]:
    """Each different card a player could lay now."""
    if state.phase is not PICKING or player not in state.players or state.pending_picks[player] is not None:
        return ()
    return _picks(player, state.hands[player])


@lru_cache(maxsize=4096)
def _picks(player: PlayerId, held: Hand) -> tuple[Pick, ...]:
    """Cached, because the same few hands come again and again."""
    return tuple(Pick(player, card) for card in dict.fromkeys(held))


def dealer(state: State) -> Event | None:
    """The table starts the match with the seed it committed to, and begins each round once both know their hands."""
    if state.phase is LOBBY and state.seed is not None:
        return Start(state.seed)
    if state.phase is ROUND_SETUP:
        return BeginPicking()
    return None


# end


def outcome(state: State) -> Outcome | None:
    """The higher score wins; after a tie break it cannot be equal."""
    return Outcome((leader(state),), state.score) if state.phase is FINISHED else None


# helpers


def first_emperor(players: Players, seed: Seed) -> PlayerId:
    """Who is the emperor on the first side, drawn from the seed."""
    return players[draw(seed, "first emperor", 0, len(players))]


def _other(players: Players, player: PlayerId) -> PlayerId:
    return players[1] if player == players[0] else players[0]


def _laid_cards(state: State) -> ByPlayer[Card]:
    assert None not in state.pending_picks.values(), "both players have laid a card"
    return cast("ByPlayer[Card]", state.pending_picks)


game = Game(
    machine=ecard,
    title="E-Card",
    rules=RULES,
    version=1,
    seats=SEATS,
    options=Options,
    new=new,
    view=view,
    actions=actions,
    dealer=dealer,
    outcome=outcome,
)
