"""E-Card without a kernel: one hand-written function over the same states and events.

It is what `apply` is measured against, written as a good programmer would. It tells nobody anything and keeps no trace.
"""

from msgspec.structs import replace

from turnstile.games.ecard import (
    EMPEROR_HAND,
    ROUNDS,
    ROUNDS_IN_SIDE,
    SLAVE_HAND,
    BeginPicking,
    Card,
    Code,
    Pair,
    Phase,
    Pick,
    Reset,
    Roles,
    Start,
    State,
    first_emperor,
)
from turnstile.kernel import ByPlayer, Event, PlayerId, Refusal, Rejection


def apply(state: State, event: Event) -> State | Rejection:
    phase = state.phase
    match event:
        case Pick(player=player, card=card):
            if phase is not Phase.PICKING:
                return Rejection(Refusal.WRONG_PHASE, "You cannot pick now.")
            return _pick(state, player, card)
        case BeginPicking():
            if phase is not Phase.ROUND_SETUP:
                return Rejection(Refusal.WRONG_PHASE, "Picking cannot begin now.")
            return replace(state, phase=Phase.PICKING)
        case Start(seed=seed):
            if phase is not Phase.LOBBY:
                return Rejection(Refusal.WRONG_PHASE, "The match has started.")
            one, other = state.players
            first = first_emperor(state.players, seed)
            roles = Roles(first, other if first == one else one)
            return _set_up(replace(state, seed=seed), roles)
        case Reset():
            if phase is not Phase.FINISHED:
                return Rejection(Refusal.WRONG_PHASE, "The match is not over.")
            return _reset(state)
        case _:
            return Rejection(Refusal.INVALID_EVENT, "There is no such event.")


def _pick(state: State, player: PlayerId, card: Card) -> State | Rejection:
    picks, hands = state.pending_picks, state.hands
    if player not in hands:
        return Rejection(Code.UNKNOWN_PLAYER, "You do not play here.")
    if picks[player] is not None:
        return Rejection(Code.ALREADY_PICKED, "You have picked.")
    if card not in hands[player]:
        return Rejection(Code.CARD_NOT_IN_HAND, "You have no such card.")
    picks = ByPlayer({**picks, player: card})
    if None in picks.values():
        return replace(state, pending_picks=picks)
    return _reveal(state, picks)


def _reveal(state: State, picks: ByPlayer[Card | None]) -> State:
    assert state.roles is not None
    emperor, slave = state.roles.emperor_player, state.roles.slave_player
    emperors, slaves = picks[emperor], picks[slave]
    assert emperors is not None
    assert slaves is not None
    if emperors is slaves:
        winner = None
    elif emperors is Card.EMPEROR:
        winner = emperor if slaves is Card.CITIZEN else slave
    else:
        winner = emperor
    pair = Pair(state.decisive_round_index + 1, emperor, ByPlayer({emperor: emperors, slave: slaves}), winner)
    revealed = (*state.revealed, pair)
    if winner is None:
        hands = {}
        for player, held in state.hands.items():
            left = list(held)
            left.remove(Card.CITIZEN)
            hands[player] = tuple(left)
        nobody = ByPlayer[Card | None](dict.fromkeys(state.players, None))
        return replace(state, phase=Phase.PICKING, hands=ByPlayer(hands), pending_picks=nobody, revealed=revealed)
    index = state.decisive_round_index + 1
    in_side = state.decisive_in_side if state.is_tie_break else state.decisive_in_side + 1
    score = ByPlayer({**state.score, winner: state.score[winner] + 1})
    state = replace(
        state,
        score=score,
        decisive_round_index=index,
        decisive_in_side=in_side,
        revealed=revealed,
        is_tie_break=state.is_tie_break,
    )
    if state.is_tie_break:
        return _finish(state, picks)
    if index == ROUNDS:
        if score[emperor] != score[slave]:
            return _finish(state, picks)
        return _set_up(replace(state, is_tie_break=True), state.roles)
    if in_side == ROUNDS_IN_SIDE:
        return _set_up(replace(state, decisive_in_side=0), Roles(slave, emperor))
    return _set_up(state, state.roles)


def _set_up(state: State, roles: Roles) -> State:
    return replace(
        state,
        phase=Phase.ROUND_SETUP,
        roles=roles,
        hands=ByPlayer({roles.emperor_player: EMPEROR_HAND, roles.slave_player: SLAVE_HAND}),
        pending_picks=ByPlayer(dict.fromkeys(state.players, None)),
    )


def _finish(state: State, picks: ByPlayer[Card | None]) -> State:
    hands = {}
    for player, held in state.hands.items():
        left = list(held)
        left.remove(picks[player])
        hands[player] = tuple(left)
    nobody = ByPlayer[Card | None](dict.fromkeys(state.players, None))
    return replace(state, phase=Phase.FINISHED, hands=ByPlayer(hands), pending_picks=nobody)


def _reset(state: State) -> State:
    zero = ByPlayer(dict.fromkeys(state.players, 0))
    return replace(
        state,
        phase=Phase.LOBBY,
        roles=None,
        hands=ByPlayer(dict.fromkeys(state.players, ())),
        pending_picks=ByPlayer(dict.fromkeys(state.players, None)),
        score=zero,
        seed=None,
        decisive_round_index=0,
        decisive_in_side=0,
        is_tie_break=False,
        revealed=(),
    )
