"""E-Card: one emperor, one slave, four citizens each, and the nerve to choose. Rules: docs/games/e-card.md.

This module is the machine, in the order that a match runs through it. The other modules hold what it works with: the
cards (`cards`), the phases, state and view (`state`), and what players are told (`messages`).
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from turnstile.games.ecard.cards import BEATS, EMPEROR_HAND, SLAVE_HAND, Card, Hand, without
from turnstile.games.ecard.messages import (
    EcardMessage,
    MatchFinished,
    MatchStarted,
    OpponentPicked,
    PairRevealed,
    RoundSetUp,
    SideSwitched,
    TieBreak,
)
from turnstile.games.ecard.state import ROUNDS, ROUNDS_IN_SIDE, Code, Options, Pair, Phase, Roles, State, View
from turnstile.games.ecard.text import RULES
from turnstile.kernel.chance import LONGEST_SEED, Seed, commit, draw
from turnstile.kernel.effects import Tell
from turnstile.kernel.game import Game, Outcome, Players, refuse_players, refuse_seed
from turnstile.kernel.machine import Machine, Next, Rejection
from turnstile.kernel.values import ByPlayer, Event, Move, PlayerId

SEATS = range(2, 3)

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
        phase=Phase.LOBBY,
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
    start=Phase.LOBBY,
    ends=(Phase.FINISHED,),
    state=State,
    messages=EcardMessage,
    codes=Code,
)


@ecard.on(Phase.LOBBY, Start, to=Phase.ROUND_SETUP)
def start(state: State, event: Start) -> Next[State]:
    """The first emperor is drawn from the seed, and the first decisive round is set up."""
    first = first_emperor(state.players, event.seed)
    roles = Roles(first, _other(state.players, first))
    ready = set_up(replace(state, seed=event.seed), roles)
    return Next(
        ready, lambda: Tell.all(state.players, MatchStarted(roles, commit(event.seed))), lambda: _tell_hands(ready)
    )


def set_up(state: State, roles: Roles) -> State:
    """Each decisive round starts with fresh full hands for its roles, and no card laid."""
    emperor = roles.emperor_player
    return replace(
        state,
        phase=Phase.ROUND_SETUP,
        roles=roles,
        hands=ByPlayer({player: EMPEROR_HAND if player == emperor else SLAVE_HAND for player in state.players}),
        pending_picks=ByPlayer.same(state.players, None),
    )


@ecard.on(Phase.ROUND_SETUP, BeginPicking, to=Phase.PICKING)
def begin_picking(state: State, event: BeginPicking) -> State:
    """Both players may now lay a card."""
    return replace(state, phase=Phase.PICKING)


@ecard.on(Phase.PICKING, Pick, to={"one pick": Phase.PICKING, "both picked": Phase.REVEAL})
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
    phase = Phase.PICKING if picks[opponent] is None else Phase.REVEAL
    laid = replace(state, pending_picks=picks, phase=phase)
    return Next(laid, lambda: Tell.all([opponent], OpponentPicked()))


@ecard.auto(Phase.REVEAL, to={"draw": Phase.PICKING, "decisive": Phase.ROUND_SETUP, "match over": Phase.FINISHED})
def reveal(state: State) -> Next[State]:
    """Both cards are turned over. A draw goes on with the hands that are left; a winner ends the decisive round."""
    roles = _roles(state)
    cards = ByPlayer({player: card for player, card in state.pending_picks.items() if card is not None})
    winner = winning_player(roles, cards)
    pair = Pair(state.decisive_round_index + 1, roles.emperor_player, cards, winner)
    if winner is None:
        left = replace(remove_picks(state), phase=Phase.PICKING, revealed=(*state.revealed, pair))
        return Next(left, lambda: Tell.all(state.players, PairRevealed(pair, state.score)))
    scored = score_point(state, winner, pair)
    after = next_round(scored)
    return Next(after.state, lambda: Tell.all(state.players, PairRevealed(pair, scored.score)), *after.effects)


def winning_player(roles: Roles, cards: ByPlayer[Card]) -> PlayerId | None:
    """Emperor beats citizen, citizen beats slave, slave beats emperor; citizen against citizen is a draw."""
    emperors, slaves = cards[roles.emperor_player], cards[roles.slave_player]
    if emperors is slaves:
        return None
    return roles.emperor_player if BEATS[emperors] is slaves else roles.slave_player


def remove_picks(state: State) -> State:
    """The cards that were laid are gone from both hands."""
    hands = ByPlayer({player: without(held, state.pending_picks[player]) for player, held in state.hands.items()})
    return replace(state, hands=hands, pending_picks=ByPlayer.same(state.players, None))


def score_point(state: State, winner: PlayerId, pair: Pair) -> State:
    """A decisive round is worth one point. The extra round of a tie break belongs to no side."""
    return replace(
        state,
        score=state.score.put(winner, state.score[winner] + 1),
        decisive_round_index=state.decisive_round_index + 1,
        decisive_in_side=state.decisive_in_side + (not state.is_tie_break),
        revealed=(*state.revealed, pair),
    )


def next_round(state: State) -> Next[State]:
    """After a decisive round: the end, a tie break, a new side with switched roles, or one more round of this side.

    Roles switch after rounds 3, 6 and 9 only. Read literally, the spec's rule for switching would apply after round 12
    too; the rules say that roles do not switch before the tie break, and they win (docs/departures.md).
    """
    roles = _roles(state)
    is_tied = len(set(state.score.values())) == 1
    if state.is_tie_break or (state.decisive_round_index == ROUNDS and not is_tied):
        return finish(state)
    if state.decisive_round_index == ROUNDS:
        extra = set_up(replace(state, is_tie_break=True), roles)
        return Next(extra, lambda: Tell.all(state.players, TieBreak(state.score)), lambda: _tell_hands(extra))
    if state.decisive_in_side < ROUNDS_IN_SIDE:
        ready = set_up(state, roles)
        return Next(ready, lambda: _tell_hands(ready))
    switched = Roles(emperor_player=roles.slave_player, slave_player=roles.emperor_player)
    ready = set_up(replace(state, decisive_in_side=0), switched)
    side = state.decisive_round_index // ROUNDS_IN_SIDE + 1
    return Next(ready, lambda: Tell.all(state.players, SideSwitched(side, switched)), lambda: _tell_hands(ready))


def finish(state: State) -> Next[State]:
    """The higher score wins the match, and the seed is shown."""
    assert state.seed is not None, "the seed came with Start"
    finished = MatchFinished(leader(state), state.score, state.seed)
    return Next(replace(remove_picks(state), phase=Phase.FINISHED), lambda: Tell.all(state.players, finished))


@ecard.on(Phase.FINISHED, Reset, to=Phase.LOBBY)
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
    if state.phase is not Phase.PICKING or player not in state.players or state.pending_picks[player] is not None:
        return ()
    return _picks(player, state.hands[player])


@lru_cache(maxsize=4096)
def _picks(player: PlayerId, held: Hand) -> tuple[Pick, ...]:
    """Cached, because the same few hands come again and again."""
    return tuple(Pick(player, card) for card in dict.fromkeys(held))


def dealer(state: State) -> Event | None:
    """The table starts the match with the seed it committed to, and begins each round once both know their hands."""
    if state.phase is Phase.LOBBY and state.seed is not None:
        return Start(state.seed)
    if state.phase is Phase.ROUND_SETUP:
        return BeginPicking()
    return None


# end


def outcome(state: State) -> Outcome | None:
    """The higher score wins; after a tie break it cannot be equal."""
    return Outcome((leader(state),), state.score) if state.phase is Phase.FINISHED else None


# helpers


def first_emperor(players: Players, seed: Seed) -> PlayerId:
    """Who is the emperor on the first side, drawn from the seed."""
    return players[draw(seed, "first emperor", 0, len(players))]


def leader(state: State) -> PlayerId:
    return max(state.players, key=lambda player: state.score[player])


def _other(players: Players, player: PlayerId) -> PlayerId:
    return players[1] if player == players[0] else players[0]


def _tell_hands(state: State) -> Tell:
    """Each player learns its own hand for the decisive round that is about to begin."""
    number, roles = state.decisive_round_index + 1, _roles(state)
    return Tell((ByPlayer({player: RoundSetUp(number, roles, held) for player, held in state.hands.items()}),))


def _roles(state: State) -> Roles:
    assert state.roles is not None, "roles are drawn by Start"
    return state.roles


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
