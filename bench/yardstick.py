"""E-Card without a kernel: one hand-written function over the same states and events.

It is what `apply` is measured against, written as a good programmer would write it who needs no table, no trace and
nobody told. It shares the values and the draw of the first emperor with the game, and none of its rules.
"""

from msgspec.structs import replace

from turnstile.games.ecard import BeginPicking, Card, Code, Hand, Pair, Phase, Pick, Reset, Roles, Start, State
from turnstile.games.ecard.cards import EMPEROR_HAND, SLAVE_HAND
from turnstile.games.ecard.rules import first_emperor
from turnstile.games.ecard.state import ROUNDS, ROUNDS_IN_SIDE
from turnstile.kernel import ByPlayer, Event, PlayerId, Refusal, Rejection, Seed


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
            return _start(state, seed)
        case Reset():
            if phase is not Phase.FINISHED:
                return Rejection(Refusal.WRONG_PHASE, "The match is not over.")
            return _reset(state)
        case _:
            return Rejection(Refusal.INVALID_EVENT, "There is no such event.")


def _start(state: State, seed: Seed) -> State:
    one, other = state.players
    first = first_emperor(state.players, seed)
    return _set_up(replace(state, seed=seed), Roles(first, other if first == one else one))


def _set_up(state: State, roles: Roles) -> State:
    return replace(
        state,
        phase=Phase.ROUND_SETUP,
        roles=roles,
        hands=ByPlayer({roles.emperor_player: EMPEROR_HAND, roles.slave_player: SLAVE_HAND}),
        pending_picks=ByPlayer(dict.fromkeys(state.players, None)),
    )


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
    roles = state.roles
    assert roles is not None
    emperors, slaves = picks[roles.emperor_player], picks[roles.slave_player]
    assert emperors is not None
    assert slaves is not None
    if emperors is slaves:
        winner = None
    elif emperors is Card.EMPEROR and slaves is Card.SLAVE:
        winner = roles.slave_player
    else:
        winner = roles.emperor_player
    cards = ByPlayer({roles.emperor_player: emperors, roles.slave_player: slaves})
    pair = Pair(state.decisive_round_index + 1, roles.emperor_player, cards, winner)
    if winner is None:
        return _lay_aside(state, Phase.PICKING, cards, (*state.revealed, pair))
    scored = replace(
        state,
        score=ByPlayer({**state.score, winner: state.score[winner] + 1}),
        decisive_round_index=state.decisive_round_index + 1,
        decisive_in_side=state.decisive_in_side if state.is_tie_break else state.decisive_in_side + 1,
        revealed=(*state.revealed, pair),
    )
    return _next_round(scored, roles, cards)


def _next_round(state: State, roles: Roles, cards: ByPlayer[Card]) -> State:
    if state.is_tie_break:
        return _lay_aside(state, Phase.FINISHED, cards, state.revealed)
    if state.decisive_round_index == ROUNDS:
        if state.score[roles.emperor_player] != state.score[roles.slave_player]:
            return _lay_aside(state, Phase.FINISHED, cards, state.revealed)
        return _set_up(replace(state, is_tie_break=True), roles)
    if state.decisive_in_side == ROUNDS_IN_SIDE:
        return _set_up(replace(state, decisive_in_side=0), Roles(roles.slave_player, roles.emperor_player))
    return _set_up(state, roles)


def _lay_aside(state: State, phase: Phase, cards: ByPlayer[Card], revealed: tuple[Pair, ...]) -> State:
    return replace(
        state,
        phase=phase,
        hands=ByPlayer({player: _without(held, cards[player]) for player, held in state.hands.items()}),
        pending_picks=ByPlayer(dict.fromkeys(state.players, None)),
        revealed=revealed,
    )


def _without(held: Hand, card: Card) -> Hand:
    left = list(held)
    left.remove(card)
    return tuple(left)


def _reset(state: State) -> State:
    return replace(
        state,
        phase=Phase.LOBBY,
        roles=None,
        hands=ByPlayer(dict.fromkeys(state.players, ())),
        pending_picks=ByPlayer(dict.fromkeys(state.players, None)),
        score=ByPlayer(dict.fromkeys(state.players, 0)),
        seed=None,
        decisive_round_index=0,
        decisive_in_side=0,
        is_tie_break=False,
        revealed=(),
    )
