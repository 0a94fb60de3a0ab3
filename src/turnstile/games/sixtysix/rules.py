"""66: four cards face down, two of them known, and a low hand in the end. Rules: docs/games/66.md.

This module is the machine. The other modules hold what it works with: the cards and who has seen them (`cards`), the
phases, state and view (`state`), how hands change (`hands`), the points (`scores`), what players do (`moves`) and why a
move is refused (`refusals`), what players are told (`messages`) and who is told it (`news`), and what a player sees and
may do (`sight`).
"""

from collections.abc import Sequence

from msgspec.structs import replace

from turnstile.games.sixtysix.cards import DECK, HAND_SIZE, Card, Seat
from turnstile.games.sixtysix.hands import (
    deal_hand,
    exchange,
    look_at_own_first_two,
    replace_shown,
    show_touched,
    swap_card,
)
from turnstile.games.sixtysix.messages import SixtySixMessage
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
from turnstile.games.sixtysix.news import game_states, news
from turnstile.games.sixtysix.refusals import refuse_cards, refuse_claim, refuse_other, refuse_player, refuse_power
from turnstile.games.sixtysix.scores import LIMIT, lowest_total, round_scores
from turnstile.games.sixtysix.sight import actions, view
from turnstile.games.sixtysix.state import Code, Options, Phase, Place, Round, State
from turnstile.games.sixtysix.text import RULES
from turnstile.kernel.chance import Seed, commit, draw, shuffle
from turnstile.kernel.game import NEEDS_A_SEED, Game, Outcome, refuse_players, refuse_seed
from turnstile.kernel.machine import Machine, Next, Rejection
from turnstile.kernel.values import Acks, Event, PlayerId

SEATS = range(2, 6)
Answer = State | Rejection

# The phases by their names alone: in Python 3.11, looking up `Phase.DISCARDED` takes as long as a whole `replace`.
(
    NOT_STARTED, ROUND_STARTING, READY_FOR_TURN, DECK_CARD_TAKEN, REPLACING_CARD_FROM_DECK, DISCARDING, DISCARDED,
    PEEKING_OWN_CARD, PEEKING_ANOTHERS_CARD, EXCHANGING_CARDS, REPLACING_CARD_BY_DISCARDED, ROUND_STOPPING,
    SHOWING_CARDS, COMPARING_CARDS, REPLACING_CARDS, REPLACING_MULTIPLE_CARDS_FROM_DECK,
    REPLACING_MULTIPLE_CARDS_BY_DISCARDED, TURN_DONE, ROUND_DONE, ROUND_FINISHED, GAME_FINISHED,
) = Phase  # fmt: skip


# start


def new(players: Sequence[PlayerId], options: Options, seed: Seed | None) -> State | Rejection:
    """Two to five players before the first deal. Every deal comes from the seed, so there must be one."""
    if fault := refuse_players(players, SEATS) or refuse_seed(seed):
        return fault
    if seed is None:
        return NEEDS_A_SEED
    return State(
        phase=NOT_STARTED,
        players=tuple(players),
        seed=seed,
        commitment=commit(seed),
        deck=(),
        discarded=(),
        hands=((),) * len(players),
        taken=None,
        touched=(),
        turn=Seat(0),
        starter=Seat(0),
        stopper=None,
        turn_count=0,
        totals=(0,) * len(players),
        rounds=(),
    )


# play

sixtysix: Machine[State] = Machine(
    "66",
    Phase,
    start=NOT_STARTED,
    ends=(GAME_FINISHED,),
    state=State,
    messages=SixtySixMessage,
    codes=Code,
)


@sixtysix.on(NOT_STARTED, StartGame, to=ROUND_STARTING, tell=news)
def start_game(state: State, event: StartGame) -> Next[State] | Rejection:
    """The first seat starts the match. Who starts the first round is drawn from the seed.

    The spec does not say who may send StartGame; its diagram shows Client 1, so it is the first seat.
    """
    return refuse_player(state, event) or deal(state, Seat(draw(state.seed, "first player", 0, len(state.players))))


def deal(state: State, starter: Seat) -> Next[State]:
    """Four cards each, face down in a row, then one face up. All players are told so before they look at a card."""
    cards = shuffle(state.seed, "deal", len(state.rounds) + 1, DECK)
    hands = tuple([deal_hand(cards[seat * HAND_SIZE :]) for seat in range(len(state.players))])
    *deck, face_up = cards[len(hands) * HAND_SIZE :]
    dealt = replace(
        state,
        phase=ROUND_STARTING,
        deck=tuple(deck),
        discarded=(face_up,),
        hands=hands,
        turn=starter,
        starter=starter,
        stopper=None,
        turn_count=0,
    )
    return Next(dealt, lambda: game_states(dealt), then=look_at_first_two)


def look_at_first_two(state: State) -> State:
    """Each player looks at its own cards 0 and 1."""
    hands = [look_at_own_first_two(held, Seat(seat)) for seat, held in enumerate(state.hands)]
    return replace(state, hands=tuple(hands))


@sixtysix.on(ROUND_STARTING, Acks, to=READY_FOR_TURN, tell=news)
def begin_round(state: State, event: Acks) -> State:
    """All players know their first two cards: the starter has the first turn."""
    return replace(state, phase=READY_FOR_TURN)


@sixtysix.on(READY_FOR_TURN, TakeCardFromDeck, to=DECK_CARD_TAKEN, tell=news)
def take_card_from_deck(state: State, event: TakeCardFromDeck) -> Answer:
    """The player draws a card; the others do not learn its value."""
    if fault := refuse_player(state, event):
        return fault
    return replace(state, phase=DECK_CARD_TAKEN, deck=state.deck[:-1], taken=state.deck[-1])


@sixtysix.on(READY_FOR_TURN, ReplaceCardByDiscarded, to=REPLACING_CARD_BY_DISCARDED, tell=news)
def replace_card_by_discarded(state: State, event: ReplaceCardByDiscarded) -> Answer:
    """The top of the discard pile takes the place of a card of the hand, which is discarded: all have seen both."""
    if fault := refuse_player(state, event) or refuse_cards(state, state.turn, event.card_index):
        return fault
    pile, card = state.discarded[:-1], Card(state.discarded[-1], state.seats)
    return replace(swap_card(state, event.card_index, card, pile), phase=REPLACING_CARD_BY_DISCARDED)


@sixtysix.on(READY_FOR_TURN, ShowCards, to=SHOWING_CARDS, tell=news)
def show_cards(state: State, event: ShowCards) -> Answer:
    """The player claims that two or more cards of its hand are identical, and shows them to the others.

    The player itself sees no card. It learns whether they are identical, and so, if it knew one, what all are.
    """
    turn, indexes = state.turn, event.card_indexes
    if fault := refuse_player(state, event) or refuse_claim(indexes) or refuse_cards(state, turn, *indexes):
        return fault
    claim = replace(state, phase=SHOWING_CARDS, touched=tuple([Place(turn, index) for index in indexes]))
    held, others = state.hands[turn], tuple([seat for seat in state.seats if seat != turn])
    learns_value = claim.is_identical and any(turn in held[index].seen_by for index in indexes)
    return show_touched(claim, state.seats if learns_value else others)


@sixtysix.on(SHOWING_CARDS, Acks, to=COMPARING_CARDS)
def compare_cards(state: State, event: Acks) -> State:
    """All players know the result of the claim."""
    return replace(state, phase=COMPARING_CARDS)


@sixtysix.auto(
    COMPARING_CARDS,
    to={"some cards are different": TURN_DONE, "all cards are identical": REPLACING_CARDS},
)
def comparing_cards(state: State) -> State:
    """Identical cards are replaced; a failed claim ends the turn.

    The spec's diagram leads a failed claim straight to READY_FOR_TURN. It goes through turn_done: otherwise
    a stopped round whose last turn ends that way would never finish (docs/departures.md).
    """
    return replace(state, phase=REPLACING_CARDS if state.is_identical else TURN_DONE)


@sixtysix.on(REPLACING_CARDS, ReplaceCardsFromDeck, to=REPLACING_MULTIPLE_CARDS_FROM_DECK, tell=news)
def replace_cards_from_deck(state: State, event: ReplaceCardsFromDeck) -> Answer:
    """One card from the deck, which no player sees, replaces all shown cards."""
    if fault := refuse_player(state, event):
        return fault
    after = replace_shown(state, Card(state.deck[-1]), state.discarded)
    return replace(after, phase=REPLACING_MULTIPLE_CARDS_FROM_DECK, deck=state.deck[:-1])


@sixtysix.on(REPLACING_CARDS, ReplaceCardsByDiscarded, to=REPLACING_MULTIPLE_CARDS_BY_DISCARDED, tell=news)
def replace_cards_by_discarded(state: State, event: ReplaceCardsByDiscarded) -> Answer:
    """The card that lay on top of the discard pile takes the place of all that were shown."""
    if fault := refuse_player(state, event):
        return fault
    after = replace_shown(state, Card(state.discarded[-1], state.seats), state.discarded[:-1])
    return replace(after, phase=REPLACING_MULTIPLE_CARDS_BY_DISCARDED)


@sixtysix.on(READY_FOR_TURN, StopRound, to=ROUND_STOPPING, tell=news)
def stop_round(state: State, event: StopRound) -> Answer:
    """Once in a round the active player stops it. This was its last turn; every other player has exactly one more."""
    if fault := refuse_player(state, event):
        return fault
    if state.stopper is not None:
        return Rejection(Code.ALREADY_STOPPED, "The round is stopped already; use your last turn for something else.")
    return replace(state, phase=ROUND_STOPPING, stopper=state.turn)


@sixtysix.on(DECK_CARD_TAKEN, ReplaceCardFromDeck, to=REPLACING_CARD_FROM_DECK, tell=news)
def replace_card_from_deck(state: State, event: ReplaceCardFromDeck) -> Answer:
    """The drawn card takes the place of a card of the hand, which is discarded. Only its owner has seen the new one."""
    if fault := refuse_player(state, event) or refuse_cards(state, state.turn, event.card_index):
        return fault
    after = swap_card(state, event.card_index, Card(state.taken_card, (state.turn,)), state.discarded)
    return replace(after, phase=REPLACING_CARD_FROM_DECK, taken=None)


@sixtysix.on(DECK_CARD_TAKEN, Discard, to=DISCARDING, tell=news)
def discard(state: State, event: Discard) -> Answer:
    """The drawn card is discarded. The power of a 7 to 12 works only so."""
    if fault := refuse_player(state, event):
        return fault
    return replace(state, phase=DISCARDING, discarded=(*state.discarded, state.taken_card), taken=None)


@sixtysix.on(DISCARDING, Acks, to={"plain card": TURN_DONE, "7 to 12": DISCARDED})
def discarding(state: State, event: Acks) -> State:
    """A plain card ends the turn; the power of a 7 to 12 must be used first.

    The spec's `discarded` is a choice that decides by itself for a plain card and waits for the player for a 7
    to 12. A phase here does one or the other: a plain card goes straight on to turn_done, and `discarded` always
    waits (docs/departures.md).
    """
    return replace(state, phase=DISCARDED if state.discarded[-1] in POWERS else TURN_DONE)


@sixtysix.on(DISCARDED, PeekOwnCard, to={"7 or 8": PEEKING_OWN_CARD}, tell=news)
def peek_own_card(state: State, event: PeekOwnCard) -> Answer:
    """7 or 8: the player looks at a card of its own; the others learn at which."""
    if (
        fault := refuse_player(state, event)
        or refuse_power(state, event)
        or refuse_cards(state, state.turn, event.card_index)
    ):
        return fault
    peek = replace(state, phase=PEEKING_OWN_CARD, touched=(Place(state.turn, event.card_index),))
    return show_touched(peek, (state.turn,))


@sixtysix.on(DISCARDED, PeekAnothersCard, to={"9 or 10": PEEKING_ANOTHERS_CARD}, tell=news)
def peek_anothers_card(state: State, event: PeekAnothersCard) -> Answer:
    """9 or 10: the player looks at a card of another player; the others learn which card, but not its value."""
    other, index = Seat(event.another_player_index), event.card_index
    if fault := refuse_player(state, event) or refuse_power(state, event):
        return fault
    if fault := refuse_other(state, other) or refuse_cards(state, other, index):
        return fault
    peek = replace(state, phase=PEEKING_ANOTHERS_CARD, touched=(Place(other, index),))
    return show_touched(peek, (state.turn,))


@sixtysix.on(DISCARDED, ExchangeCards, to={"11 or 12": EXCHANGING_CARDS}, tell=news)
def exchange_cards(state: State, event: ExchangeCards) -> Answer:
    """11 or 12: the player exchanges a card for one of another player, unseen. Seats that know a card still know it."""
    other, mine, theirs = Seat(event.another_player_index), event.card_index, event.another_player_card_index
    if fault := refuse_player(state, event) or refuse_power(state, event):
        return fault
    if fault := refuse_cards(state, state.turn, mine) or refuse_other(state, other):
        return fault
    if fault := refuse_cards(state, other, theirs):
        return fault
    exchanged = exchange(state, Place(state.turn, mine), Place(other, theirs))
    return replace(exchanged, phase=EXCHANGING_CARDS)


@sixtysix.on(REPLACING_CARD_FROM_DECK, Acks, to=TURN_DONE)
@sixtysix.on(PEEKING_OWN_CARD, Acks, to=TURN_DONE)
@sixtysix.on(PEEKING_ANOTHERS_CARD, Acks, to=TURN_DONE)
@sixtysix.on(EXCHANGING_CARDS, Acks, to=TURN_DONE)
@sixtysix.on(REPLACING_CARD_BY_DISCARDED, Acks, to=TURN_DONE)
@sixtysix.on(ROUND_STOPPING, Acks, to=TURN_DONE)
@sixtysix.on(REPLACING_MULTIPLE_CARDS_FROM_DECK, Acks, to=TURN_DONE)
@sixtysix.on(REPLACING_MULTIPLE_CARDS_BY_DISCARDED, Acks, to=TURN_DONE)
def end_turn(state: State, event: Acks) -> State:
    """All players know what was done, and the turn is done.

    The spec's diagram leads REPLACING_CARD_BY_DISCARDED, REPLACING_MULTIPLE_CARDS_BY_DISCARDED and
    ROUND_STOPPING straight to READY_FOR_TURN. They go through turn_done like every other end of a turn: otherwise
    a stopped round whose last turns end that way would never finish (docs/departures.md).
    """
    return replace(state, phase=TURN_DONE)


@sixtysix.auto(TURN_DONE, to={"not last turn": READY_FOR_TURN, "last turn": ROUND_DONE}, tell=news)
def turn_done(state: State) -> State:
    """The next seat has its turn, unless it is the stopper's again or the deck is empty: then the round is over."""
    turn = state.seat_after(state.turn)
    is_last = turn == state.stopper or not state.deck
    phase = ROUND_DONE if is_last else READY_FOR_TURN
    return replace(state, phase=phase, turn=turn, turn_count=state.turn_count + 1, touched=())


@sixtysix.auto(
    ROUND_DONE,
    to={"nobody's score exceeds 66": ROUND_FINISHED, "someone's score exceeds 66": GAME_FINISHED},
    tell=news,
)
def round_done(state: State) -> State:
    """The hands are counted. A total over 66 ends the match; else the seat after this starter starts the next round."""
    scores = round_scores(state.hands, state.stopper)
    totals = tuple([before + score for before, score in zip(state.totals, scores, strict=True)])
    return replace(
        state,
        phase=GAME_FINISHED if max(totals) > LIMIT else ROUND_FINISHED,
        turn=state.seat_after(state.starter),
        totals=totals,
        rounds=(*state.rounds, Round(state.turn_count, state.stopper, scores)),
    )


@sixtysix.on(ROUND_FINISHED, StartNextRound, to=ROUND_STARTING, tell=news)
def start_next_round(state: State, event: StartNextRound) -> Next[State] | Rejection:
    """Only the player who starts the next round may have it dealt."""
    return refuse_player(state, event) or deal(state, state.turn)


ACKS_DUE = frozenset(row.phase for row in sixtysix.rows if row.event is Acks)
sixtysix.close(
    ACKS_DUE, Rejection(Code.ACKS_MISSING, "Not all players have acknowledged the last messages; wait a moment.")
)


# sight (`view` and `actions` are in `sight`)


def dealer(state: State) -> Event | None:
    """The table goes on by itself in all phases that only wait for acknowledgements."""
    return Acks() if state.phase in ACKS_DUE else None


# end


def outcome(state: State) -> Outcome | None:
    """The match ends with the round that takes a total over 66."""
    return lowest_total(state.players, state.totals) if state.phase is GAME_FINISHED else None


game = Game(
    machine=sixtysix,
    title="66",
    rules=RULES,
    version=1,
    seats=SEATS,
    options=Options,
    new=new,
    view=view,
    actions=actions,
    dealer=dealer,
    outcome=outcome,
    gated=True,
)
