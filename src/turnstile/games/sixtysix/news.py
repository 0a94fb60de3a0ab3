"""Who is told what in 66, and in which batch, as the sequence diagrams of its spec draw it.

The news follow from the state alone: each phase has its news, and a step tells them when it enters the phase. After a
deal, all players are first told what is public, before each looks at its own cards.
"""

from collections.abc import Callable

from turnstile.games.sixtysix.cards import Seat
from turnstile.games.sixtysix.messages import (
    AnothersCard,
    AnothersCardPeeked,
    CardDiscarded,
    CardReplacedByDiscarded,
    CardReplacedFromDeck,
    CardsExchanged,
    CardsReplacedByDiscarded,
    CardsReplacedFromDeck,
    DifferentCardsShown,
    DiscardedCard,
    ExchangedCards,
    ExchangingCards,
    FirstTwoCards,
    GameFinished,
    GameState,
    IdenticalCardsShown,
    InitiatedStop,
    NextTurn,
    OwnCard,
    OwnCardPeeked,
    PeekingAnothersCard,
    PeekingOwnCard,
    ReplacedCardByDiscarded,
    ReplacedCardFromDeck,
    ReplacedCardsByDiscarded,
    ReplacedCardsFromDeck,
    RoundFinished,
    ShowedDifferentCards,
    ShowedIdenticalCards,
    StopInitiated,
    TookDeckCard,
    YourTurn,
)
from turnstile.games.sixtysix.moves import POWERS, ExchangeCards, PeekAnothersCard, PeekOwnCard
from turnstile.games.sixtysix.state import Phase, State
from turnstile.kernel.effects import Tell
from turnstile.kernel.values import ByPlayer, Message, Move

INVITATIONS: dict[type[Move], type[PeekingOwnCard | PeekingAnothersCard | ExchangingCards]] = {
    PeekOwnCard: PeekingOwnCard,
    PeekAnothersCard: PeekingAnothersCard,
    ExchangeCards: ExchangingCards,
}


def news(state: State) -> list[Tell]:
    """What the players are told when a match enters this state. Phases that are not in `NEWS` have none."""
    tell = NEWS.get(state.phase)
    return [] if tell is None else [tell(state)]


def _together(state: State, others: Message, active: Message) -> Tell:
    """One batch: one message for the active player, another for all others."""
    me = state.players[state.turn]
    return Tell((ByPlayer({player: active if player == me else others for player in state.players}),))


def _others_first(state: State, others: Message, active: Message) -> Tell:
    """Two batches: all others, and when they know, the active player."""
    me = state.players[state.turn]
    rest = [player for player in state.players if player != me]
    return Tell((ByPlayer.same(rest, others), ByPlayer({me: active})))


# phases A and B


def game_states(state: State) -> Tell:
    """The public part of a deal, to all players."""
    public = (len(state.deck), state.discarded[-1], state.hand_sizes)
    states = {who: GameState(*public, Seat(seat), state.commitment) for seat, who in enumerate(state.players)}
    return Tell((ByPlayer(states),))


def _first_two_cards(state: State) -> Tell:
    """To each player its own first two cards."""
    firsts = {who: held[:2] for who, held in zip(state.players, state.hands, strict=True)}
    return Tell((ByPlayer({who: FirstTwoCards(one.value, two.value) for who, (one, two) in firsts.items()}),))


def _turn(state: State) -> Tell:
    return _others_first(state, NextTurn(state.turn), YourTurn())


# phase C


def _card_taken(state: State) -> Tell:
    """Only the player who drew is told."""
    assert state.taken is not None
    return Tell.all([state.players[state.turn]], TookDeckCard(state.taken, len(state.deck)))


def _card_replaced_by_discarded(state: State) -> Tell:
    index, top = state.touched[0].card_index, state.discarded[-1]
    return _together(state, CardReplacedByDiscarded(state.turn, index, top), ReplacedCardByDiscarded(index, top))


def _cards_shown(state: State) -> Tell:
    """The others see the values. The claiming player learns the result: after the others if right, else with them."""
    indexes, values = state.touched_indexes, state.touched_values
    if state.is_identical:
        others = IdenticalCardsShown(state.turn, indexes, values[0])
        return _others_first(state, others, ShowedIdenticalCards(indexes))
    return _together(state, DifferentCardsShown(state.turn, indexes, values), ShowedDifferentCards(indexes))


def _stopped(state: State) -> Tell:
    return _together(state, StopInitiated(state.turn), InitiatedStop())


# phase D


def _card_replaced_from_deck(state: State) -> Tell:
    index, top = state.touched[0].card_index, state.discarded[-1]
    return _together(state, CardReplacedFromDeck(state.turn, index, top), ReplacedCardFromDeck(index, top))


def _discarded(state: State) -> Tell:
    """A plain card is told to all at once; of a 7 to 12 the others hear first, then its player is invited to use it."""
    top = state.discarded[-1]
    others = CardDiscarded(state.turn, top)
    if top in POWERS:
        return _others_first(state, others, INVITATIONS[POWERS[top]](top))
    return _together(state, others, DiscardedCard(top))


def _own_card_peeked(state: State) -> Tell:
    index, value = state.touched[0].card_index, state.touched_values[0]
    return _together(state, OwnCardPeeked(state.turn, index), OwnCard(index, value))


def _anothers_card_peeked(state: State) -> Tell:
    other, index, value = state.touched[0].player_index, state.touched[0].card_index, state.touched_values[0]
    return _together(state, AnothersCardPeeked(state.turn, other, index), AnothersCard(other, index, value))


def _cards_exchanged(state: State) -> Tell:
    mine, theirs = state.touched
    told = (mine.card_index, theirs.player_index, theirs.card_index)
    return _together(state, CardsExchanged(state.turn, *told), ExchangedCards(*told))


# phase E


def _cards_replaced_from_deck(state: State) -> Tell:
    told = (state.touched_indexes, state.discarded[-1])
    return _together(state, CardsReplacedFromDeck(state.turn, *told), ReplacedCardsFromDeck(*told))


def _cards_replaced_by_discarded(state: State) -> Tell:
    told = (state.touched_indexes, state.discarded[-1])
    return _together(state, CardsReplacedByDiscarded(state.turn, *told), ReplacedCardsByDiscarded(*told))


# final phase


def _round_finished(state: State) -> Tell:
    """The player who starts the next round is told last."""
    last = state.rounds[-1]
    message = RoundFinished(last.turn_count, last.scores, state.totals, state.turn)
    return _others_first(state, message, message)


def _game_finished(state: State) -> Tell:
    message = GameFinished(len(state.rounds), state.rounds[-1].scores, state.totals, state.seed)
    return Tell.all(state.players, message)


NEWS: dict[Phase, Callable[[State], Tell]] = {
    Phase.ROUND_STARTING: _first_two_cards,
    Phase.READY_FOR_TURN: _turn,
    Phase.DECK_CARD_TAKEN: _card_taken,
    Phase.REPLACING_CARD_BY_DISCARDED: _card_replaced_by_discarded,
    Phase.SHOWING_CARDS: _cards_shown,
    Phase.ROUND_STOPPING: _stopped,
    Phase.REPLACING_CARD_FROM_DECK: _card_replaced_from_deck,
    Phase.DISCARDING: _discarded,
    Phase.PEEKING_OWN_CARD: _own_card_peeked,
    Phase.PEEKING_ANOTHERS_CARD: _anothers_card_peeked,
    Phase.EXCHANGING_CARDS: _cards_exchanged,
    Phase.REPLACING_MULTIPLE_CARDS_FROM_DECK: _cards_replaced_from_deck,
    Phase.REPLACING_MULTIPLE_CARDS_BY_DISCARDED: _cards_replaced_by_discarded,
    Phase.ROUND_FINISHED: _round_finished,
    Phase.GAME_FINISHED: _game_finished,
}
