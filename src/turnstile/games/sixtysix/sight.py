"""What a player of 66 sees, and what it may do."""

from functools import lru_cache
from itertools import combinations

from turnstile.games.sixtysix.cards import Hand, Seat
from turnstile.games.sixtysix.moves import (
    POWERS,
    Discard,
    ExchangeCards,
    PeekAnothersCard,
    PeekOwnCard,
    ReplaceCardByDiscarded,
    ReplaceCardFromDeck,
    ReplaceCardsByDiscarded,
    ReplaceCardsFromDeck,
    ShowCards,
    StartGame,
    StartNextRound,
    StopRound,
    TakeCardFromDeck,
)
from turnstile.games.sixtysix.state import Phase, Sight, State, View
from turnstile.kernel.values import Move, PlayerId

HANDS_OPEN = frozenset((Phase.ROUND_FINISHED, Phase.GAME_FINISHED))
CLAIM_OPEN = frozenset((Phase.SHOWING_CARDS, Phase.REPLACING_CARDS))


def view(state: State, player: PlayerId | None) -> View:
    """The match as `player` sees it; `None` looks on from outside. When a round is finished all hands are open.

    Never a card that this player has not seen, never the order of the deck, never the seed.
    """
    seat = Seat(state.players.index(player)) if player in state.players else None
    hands_open = state.phase in HANDS_OPEN
    return View(
        phase=state.phase,
        players=state.players,
        player_index=seat,
        commitment=state.commitment,
        turn=state.turn,
        starter=state.starter,
        stopper=state.stopper,
        turn_count=state.turn_count,
        deck_size=len(state.deck),
        discarded=state.discarded,
        discarded_value=state.discarded[-1] if state.discarded else None,
        hand_sizes=state.hand_sizes,
        seen=tuple([_row(held, seat, hands_open) for held in state.hands]),
        taken=state.taken if seat == state.turn else None,
        touched=state.touched,
        is_identical=state.is_identical if state.phase in CLAIM_OPEN else None,
        totals=state.totals,
        rounds=state.rounds,
    )


@lru_cache(maxsize=4096)
def _row(held: Hand, seat: Seat | None, is_open: bool) -> tuple[Sight, ...]:
    """A hand as a player sees it. Cached, because few hands change: what two views share is compared at once."""
    return tuple([Sight(card.value if is_open or seat in card.seen_by else None, card.seen_by) for card in held])


def actions(state: State, player: PlayerId) -> tuple[Move, ...]:
    """All moves of a player now. Only one player at a time may move, and no player while acks are missing."""
    if state.players[state.turn] != player:
        return ()
    power = POWERS.get(state.discarded[-1]) if state.discarded else None
    return _offered(state.phase, player, state.turn, state.hand_sizes, power, state.stopper is None)


@lru_cache(maxsize=4096)
def _offered(
    phase: Phase, player: PlayerId, seat: Seat, sizes: tuple[int, ...], power: type[Move] | None, may_stop: bool
) -> tuple[Move, ...]:
    """Cached, because the same few lists are needed again and again."""
    own = range(sizes[seat])
    others = [(other, index) for other, size in enumerate(sizes) if other != seat for index in range(size)]
    moves: list[Move] = []
    match phase:
        case Phase.NOT_STARTED:
            moves += [StartGame(player)]
        case Phase.READY_FOR_TURN:
            moves += [TakeCardFromDeck(player)]
            moves += [ReplaceCardByDiscarded(player, index) for index in own]
            moves += [StopRound(player)] if may_stop else []
            moves += [ShowCards(player, claim) for size in own[1:] for claim in combinations(own, size + 1)]
        case Phase.DECK_CARD_TAKEN:
            moves += [ReplaceCardFromDeck(player, index) for index in own]
            moves += [Discard(player)]
        case Phase.DISCARDED if power is PeekOwnCard:
            moves += [PeekOwnCard(player, index) for index in own]
        case Phase.DISCARDED if power is PeekAnothersCard:
            moves += [PeekAnothersCard(player, other, index) for other, index in others]
        case Phase.DISCARDED:
            moves += [ExchangeCards(player, index, other, theirs) for index in own for other, theirs in others]
        case Phase.REPLACING_CARDS:
            moves += [ReplaceCardsFromDeck(player), ReplaceCardsByDiscarded(player)]
        case Phase.ROUND_FINISHED:
            moves += [StartNextRound(player)]
    return tuple(moves)
