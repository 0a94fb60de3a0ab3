"""66: four cards face down, two of them known, and a low hand in the end. Rules: docs/games/66.md.

All rules are here. Beside them stand the cards and who has seen them (sixtysix_cards), phases, state and view
(sixtysix_state), what players do (sixtysix_moves), what they are told (sixtysix_messages) and who is told it
(sixtysix_news), and what a player sees and may do (sixtysix_sight).
"""

from collections.abc import Sequence

from msgspec.structs import replace

from turnstile.games.sixtysix.cards import DECK, HAND_SIZE, Card, Hand, Seat, closed_up, put, total
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
from turnstile.games.sixtysix.sight import actions, view
from turnstile.games.sixtysix.state import Code, Options, Phase, Place, Round, State
from turnstile.games.sixtysix.text import RULES
from turnstile.kernel.chance import Seed, commit, draw, shuffle
from turnstile.kernel.game import NEEDS_A_SEED, Game, Outcome, Players, refuse_players, refuse_seed
from turnstile.kernel.machine import Machine, Next, Rejection
from turnstile.kernel.values import Acks, ByPlayer, Event, Move, PlayerId, wire_name

SEATS = range(2, 6)
FAILED_STOP = 10  # what a stopper pays on top of its hand when somebody holds less
LIMIT = 66

Answer = Next[State] | Rejection


# start


def new(players: Sequence[PlayerId], options: Options, seed: Seed | None) -> State | Rejection:
    """Two to five players before the first deal. Every deal comes from the seed, so there must be one."""
    if fault := refuse_players(players, SEATS) or refuse_seed(seed):
        return fault
    if seed is None:
        return NEEDS_A_SEED
    return State(
        phase=Phase.NOT_STARTED,
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
    start=Phase.NOT_STARTED,
    ends=(Phase.GAME_FINISHED,),
    state=State,
    messages=SixtySixMessage,
    codes=Code,
)


@sixtysix.on(Phase.NOT_STARTED, StartGame, to=Phase.ROUND_STARTING)
def start_game(state: State, event: StartGame) -> Answer:
    """The first seat starts the match. Who starts the first round is drawn from the seed.

    The spec does not say who may send StartGame; its diagram shows Client 1, so it is the first seat.
    """
    return _refuse(state, event) or deal(state, Seat(draw(state.seed, "first player", 0, len(state.players))))


def deal(state: State, starter: Seat) -> Next[State]:
    """Four cards each, face down in a row, then one face up. Everybody is told so before anyone looks at a card."""
    cards = shuffle(state.seed, "deal", len(state.rounds) + 1, DECK)
    hands = tuple([_face_down(cards[seat * HAND_SIZE :]) for seat in range(len(state.players))])
    *deck, face_up = cards[len(hands) * HAND_SIZE :]
    dealt = replace(
        state,
        phase=Phase.ROUND_STARTING,
        deck=tuple(deck),
        discarded=(face_up,),
        hands=hands,
        turn=starter,
        starter=starter,
        stopper=None,
        turn_count=0,
    )
    return Next(dealt, lambda: game_states(dealt), then=look_at_first_two)


def look_at_first_two(state: State) -> Next[State]:
    """Each player looks at its own cards 0 and 1."""
    hands = [_looked_at(held, Seat(seat)) for seat, held in enumerate(state.hands)]
    return _told(replace(state, hands=tuple(hands)))


@sixtysix.on(Phase.ROUND_STARTING, Acks, to=Phase.READY_FOR_TURN)
def begin_round(state: State, event: Acks) -> Next[State]:
    """Everybody knows its first two cards: the starter has the first turn."""
    return _told(replace(state, phase=Phase.READY_FOR_TURN))


@sixtysix.on(Phase.READY_FOR_TURN, TakeCardFromDeck, to=Phase.DECK_CARD_TAKEN)
def take_card_from_deck(state: State, event: TakeCardFromDeck) -> Answer:
    """The player draws a card; nobody else learns its value."""
    if fault := _refuse(state, event):
        return fault
    return _told(replace(state, phase=Phase.DECK_CARD_TAKEN, deck=state.deck[:-1], taken=state.deck[-1]))


@sixtysix.on(Phase.READY_FOR_TURN, ReplaceCardByDiscarded, to=Phase.REPLACING_CARD_BY_DISCARDED)
def replace_card_by_discarded(state: State, event: ReplaceCardByDiscarded) -> Answer:
    """The top of the discard pile takes the place of a card of the hand, which is discarded: all have seen both."""
    if fault := _refuse(state, event) or _refuse_cards(state, state.turn, event.card_index):
        return fault
    pile, card = state.discarded[:-1], Card(state.discarded[-1], _seats(state))
    return _told(replace(_swapped(state, event.card_index, card, pile), phase=Phase.REPLACING_CARD_BY_DISCARDED))


@sixtysix.on(Phase.READY_FOR_TURN, ShowCards, to=Phase.SHOWING_CARDS)
def show_cards(state: State, event: ShowCards) -> Answer:
    """The player claims that two or more cards of its hand are identical, and shows them to the others.

    The player itself sees no card. It learns whether they are identical, and so, if it knew one, what all are.
    """
    indexes = event.card_indexes
    if fault := _refuse(state, event) or _refuse_claim(indexes) or _refuse_cards(state, state.turn, *indexes):
        return fault
    touched = tuple([Place(state.turn, index) for index in indexes])
    claim = replace(state, phase=Phase.SHOWING_CARDS, touched=touched)
    knew_one = any(state.turn in state.hands[state.turn][index].seen_by for index in indexes)
    learns = claim.is_identical and knew_one
    return _told(_shown(claim, [seat for seat in _seats(state) if seat != state.turn or learns]))


@sixtysix.on(Phase.SHOWING_CARDS, Acks, to=Phase.COMPARING_CARDS)
def compare_cards(state: State, event: Acks) -> State:
    """Everybody knows how the claim turned out."""
    return replace(state, phase=Phase.COMPARING_CARDS)


@sixtysix.auto(
    Phase.COMPARING_CARDS,
    to={"some cards are different": Phase.TURN_DONE, "all cards are identical": Phase.REPLACING_CARDS},
)
def comparing_cards(state: State) -> State:
    """Identical cards are replaced; a failed claim ends the turn.

    The spec's diagram leads a failed claim straight to READY_FOR_TURN. It goes through turn_done: otherwise
    a stopped round whose last turn ends that way would never finish (docs/departures.md).
    """
    return replace(state, phase=Phase.REPLACING_CARDS if state.is_identical else Phase.TURN_DONE)


@sixtysix.on(Phase.REPLACING_CARDS, ReplaceCardsFromDeck, to=Phase.REPLACING_MULTIPLE_CARDS_FROM_DECK)
def replace_cards_from_deck(state: State, event: ReplaceCardsFromDeck) -> Answer:
    """One card from the deck, seen by nobody, takes the place of all that were shown."""
    if fault := _refuse(state, event):
        return fault
    after = _cleared(state, Card(state.deck[-1]), state.discarded)
    return _told(replace(after, phase=Phase.REPLACING_MULTIPLE_CARDS_FROM_DECK, deck=state.deck[:-1]))


@sixtysix.on(Phase.REPLACING_CARDS, ReplaceCardsByDiscarded, to=Phase.REPLACING_MULTIPLE_CARDS_BY_DISCARDED)
def replace_cards_by_discarded(state: State, event: ReplaceCardsByDiscarded) -> Answer:
    """The card that lay on top of the discard pile takes the place of all that were shown."""
    if fault := _refuse(state, event):
        return fault
    after = _cleared(state, Card(state.discarded[-1], _seats(state)), state.discarded[:-1])
    return _told(replace(after, phase=Phase.REPLACING_MULTIPLE_CARDS_BY_DISCARDED))


@sixtysix.on(Phase.READY_FOR_TURN, StopRound, to=Phase.ROUND_STOPPING)
def stop_round(state: State, event: StopRound) -> Answer:
    """Once in a round the active player stops it. This was its last turn; every other player has exactly one more."""
    if fault := _refuse(state, event):
        return fault
    if state.stopper is not None:
        return Rejection(Code.ALREADY_STOPPED, "The round is stopped already; use your last turn for something else.")
    return _told(replace(state, phase=Phase.ROUND_STOPPING, stopper=state.turn))


@sixtysix.on(Phase.DECK_CARD_TAKEN, ReplaceCardFromDeck, to=Phase.REPLACING_CARD_FROM_DECK)
def replace_card_from_deck(state: State, event: ReplaceCardFromDeck) -> Answer:
    """The drawn card takes the place of a card of the hand, which is discarded. Only its owner has seen the new one."""
    if fault := _refuse(state, event) or _refuse_cards(state, state.turn, event.card_index):
        return fault
    after = _swapped(state, event.card_index, Card(_taken(state), (state.turn,)), state.discarded)
    return _told(replace(after, phase=Phase.REPLACING_CARD_FROM_DECK, taken=None))


@sixtysix.on(Phase.DECK_CARD_TAKEN, Discard, to=Phase.DISCARDING)
def discard(state: State, event: Discard) -> Answer:
    """The drawn card is discarded. The power of a 7 to 12 works only so."""
    if fault := _refuse(state, event):
        return fault
    return _told(replace(state, phase=Phase.DISCARDING, discarded=(*state.discarded, _taken(state)), taken=None))


@sixtysix.on(Phase.DISCARDING, Acks, to={"plain card": Phase.TURN_DONE, "7 to 12": Phase.DISCARDED})
def discarding(state: State, event: Acks) -> State:
    """A plain card ends the turn; the power of a 7 to 12 must be used first.

    The spec's `discarded` is a choice that decides by itself for a plain card and waits for the player for a 7
    to 12. A phase here does one or the other: a plain card goes straight on to turn_done, and `discarded` always
    waits (docs/departures.md).
    """
    return replace(state, phase=Phase.DISCARDED if state.discarded[-1] in POWERS else Phase.TURN_DONE)


@sixtysix.on(Phase.DISCARDED, PeekOwnCard, to={"7 or 8": Phase.PEEKING_OWN_CARD})
def peek_own_card(state: State, event: PeekOwnCard) -> Answer:
    """7 or 8: the player looks at a card of its own; the others learn at which."""
    if (
        fault := _refuse(state, event)
        or _refuse_power(state, event)
        or _refuse_cards(state, state.turn, event.card_index)
    ):
        return fault
    peek = replace(state, phase=Phase.PEEKING_OWN_CARD, touched=(Place(state.turn, event.card_index),))
    return _told(_shown(peek, [state.turn]))


@sixtysix.on(Phase.DISCARDED, PeekAnothersCard, to={"9 or 10": Phase.PEEKING_ANOTHERS_CARD})
def peek_anothers_card(state: State, event: PeekAnothersCard) -> Answer:
    """9 or 10: the player looks at a card of another; everybody learns at which, and nobody else what it is."""
    other, index = Seat(event.another_player_index), event.card_index
    if fault := _refuse(state, event) or _refuse_power(state, event):
        return fault
    if fault := _refuse_other(state, other) or _refuse_cards(state, other, index):
        return fault
    peek = replace(state, phase=Phase.PEEKING_ANOTHERS_CARD, touched=(Place(other, index),))
    return _told(_shown(peek, [state.turn]))


@sixtysix.on(Phase.DISCARDED, ExchangeCards, to={"11 or 12": Phase.EXCHANGING_CARDS})
def exchange_cards(state: State, event: ExchangeCards) -> Answer:
    """11 or 12: a card of one's own for one of another, unlooked-at; who knew one of them knows where it lies now."""
    other, mine, theirs = Seat(event.another_player_index), event.card_index, event.another_player_card_index
    if fault := _refuse(state, event) or _refuse_power(state, event):
        return fault
    if fault := _refuse_cards(state, state.turn, mine) or _refuse_other(state, other):
        return fault
    if fault := _refuse_cards(state, other, theirs):
        return fault
    given, got = state.hands[state.turn][mine], state.hands[other][theirs]
    hands = _with_card(_with_card(state.hands, state.turn, mine, got), other, theirs, given)
    touched = (Place(state.turn, mine), Place(other, theirs))
    return _told(replace(state, phase=Phase.EXCHANGING_CARDS, hands=hands, touched=touched))


@sixtysix.on(Phase.REPLACING_CARD_FROM_DECK, Acks, to=Phase.TURN_DONE)
@sixtysix.on(Phase.PEEKING_OWN_CARD, Acks, to=Phase.TURN_DONE)
@sixtysix.on(Phase.PEEKING_ANOTHERS_CARD, Acks, to=Phase.TURN_DONE)
@sixtysix.on(Phase.EXCHANGING_CARDS, Acks, to=Phase.TURN_DONE)
@sixtysix.on(Phase.REPLACING_CARD_BY_DISCARDED, Acks, to=Phase.TURN_DONE)
@sixtysix.on(Phase.ROUND_STOPPING, Acks, to=Phase.TURN_DONE)
@sixtysix.on(Phase.REPLACING_MULTIPLE_CARDS_FROM_DECK, Acks, to=Phase.TURN_DONE)
@sixtysix.on(Phase.REPLACING_MULTIPLE_CARDS_BY_DISCARDED, Acks, to=Phase.TURN_DONE)
def end_turn(state: State, event: Acks) -> State:
    """Everybody knows what was done, and the turn is done.

    The spec's diagram leads REPLACING_CARD_BY_DISCARDED, REPLACING_MULTIPLE_CARDS_BY_DISCARDED and
    ROUND_STOPPING straight to READY_FOR_TURN. They go through turn_done like every other end of a turn: otherwise
    a stopped round whose last turns end that way would never finish (docs/departures.md).
    """
    return replace(state, phase=Phase.TURN_DONE)


@sixtysix.auto(Phase.TURN_DONE, to={"not last turn": Phase.READY_FOR_TURN, "last turn": Phase.ROUND_DONE})
def turn_done(state: State) -> State | Next[State]:
    """The next seat has its turn, unless it is the stopper's again or the deck is empty: then the round is over."""
    after = replace(state, turn=_next_seat(state, state.turn), turn_count=state.turn_count + 1, touched=())
    if after.turn == after.stopper or not after.deck:
        return replace(after, phase=Phase.ROUND_DONE)
    return _told(replace(after, phase=Phase.READY_FOR_TURN))


@sixtysix.auto(
    Phase.ROUND_DONE,
    to={"nobody's score exceeds 66": Phase.ROUND_FINISHED, "someone's score exceeds 66": Phase.GAME_FINISHED},
)
def round_done(state: State) -> Next[State]:
    """The hands are counted. A total over 66 ends the match; else the seat after this starter starts the next round."""
    scores = round_scores(state.hands, state.stopper)
    totals = tuple([before + score for before, score in zip(state.totals, scores, strict=True)])
    return _told(
        replace(
            state,
            phase=Phase.GAME_FINISHED if max(totals) > LIMIT else Phase.ROUND_FINISHED,
            turn=_next_seat(state, state.starter),
            totals=totals,
            rounds=(*state.rounds, Round(state.turn_count, state.stopper, scores)),
        )
    )


def round_scores(hands: Sequence[Hand], stopper: Seat | None) -> tuple[int, ...]:
    """The sum of each hand. The stopper scores 0 when no one holds less, otherwise its sum plus 10."""
    sums = [total(held) for held in hands]
    if stopper is not None:
        sums[stopper] = 0 if sums[stopper] == min(sums) else sums[stopper] + FAILED_STOP
    return tuple(sums)


@sixtysix.on(Phase.ROUND_FINISHED, StartNextRound, to=Phase.ROUND_STARTING)
def start_next_round(state: State, event: StartNextRound) -> Answer:
    """The player who starts the next round, and nobody else, lets it be dealt."""
    return _refuse(state, event) or deal(state, state.turn)


ACKS_DUE = frozenset(row.phase for row in sixtysix.rows if row.event is Acks)
sixtysix.close(
    ACKS_DUE, Rejection(Code.ACKS_MISSING, "Not everybody has acknowledged what was told last; wait a moment.")
)


# sight (view and actions are in sixtysix_sight)


def dealer(state: State) -> Event | None:
    """The table goes on by itself wherever it only waits until everybody knows what happened."""
    return Acks() if state.phase in ACKS_DUE else None


# end


def outcome(state: State) -> Outcome | None:
    """The match ends with the round that takes a total over 66."""
    return lowest(state.players, state.totals) if state.phase is Phase.GAME_FINISHED else None


def lowest(players: Players, totals: Sequence[int]) -> Outcome:
    """The lowest total wins; equal totals share the win."""
    scores = ByPlayer(zip(players, totals, strict=True))
    return Outcome(tuple([player for player in players if scores[player] == min(totals)]), scores)


# small things the functions above share: refusals


def _refuse(state: State, event: Move) -> Rejection | None:
    """Why this player may not act now."""
    active = state.players[state.turn]
    if event.player == active:
        return None
    if event.player not in state.players:
        return Rejection(Code.UNKNOWN_PLAYER, f"{event.player} has no seat in this match.")
    return Rejection(Code.NOT_YOUR_TURN, f"It is for {active} to act now; wait for your turn.")


def _refuse_power(state: State, event: Move) -> Rejection | None:
    value = state.discarded[-1]
    if POWERS[value] is type(event):
        return None
    return Rejection(Code.WRONG_POWER, f"The {value} you have discarded asks for {wire_name(POWERS[value])}.")


def _refuse_other(state: State, seat: Seat) -> Rejection | None:
    if not 0 <= seat < len(state.players):
        return Rejection(
            Code.NO_SUCH_PLAYER, f"There is no such player; indexes go from 0 to {len(state.players) - 1}."
        )
    if seat == state.turn:
        return Rejection(Code.NOT_ANOTHERS_CARD, "This is your own hand; choose a card of another player.")
    return None


def _refuse_cards(state: State, seat: Seat, *indexes: int) -> Rejection | None:
    size = len(state.hands[seat])
    if all(0 <= index < size for index in indexes):
        return None
    return Rejection(Code.NO_SUCH_CARD, f"There is no such card; the indexes of this hand go from 0 to {size - 1}.")


def _refuse_claim(indexes: Sequence[int]) -> Rejection | None:
    if len(indexes) < 2:
        return Rejection(Code.TOO_FEW_CARDS, "Show two cards at least.")
    if len(set(indexes)) < len(indexes):
        return Rejection(Code.REPEATED_CARD, "Name each card that you show once.")
    return None


# small things the functions above share: seats and cards


def _told(state: State) -> Next[State]:
    """This state, and the news that it makes."""
    return Next(state, lambda: news(state))


def _seats(state: State) -> tuple[Seat, ...]:
    return tuple(map(Seat, range(len(state.players))))


def _next_seat(state: State, seat: Seat) -> Seat:
    return Seat((seat + 1) % len(state.players))


def _taken(state: State) -> int:
    assert state.taken is not None, "a card was taken from the deck"
    return state.taken


def _face_down(cards: Sequence[int]) -> Hand:
    """A hand from these cards; nobody has seen one of them."""
    return tuple([Card(value) for value in cards[:HAND_SIZE]])


def _looked_at(held: Hand, seat: Seat) -> Hand:
    """A hand whose owner has looked at its first two cards."""
    return (*[card.shown_to([seat]) for card in held[:2]], *held[2:])


def _with_card(hands: tuple[Hand, ...], seat: Seat, index: int, card: Card) -> tuple[Hand, ...]:
    return (*hands[:seat], put(hands[seat], index, card), *hands[seat + 1 :])


def _shown(state: State, eyes: Sequence[Seat]) -> State:
    """The seats `eyes` have seen the cards that this action is about."""
    hands = state.hands
    for seat, index in [(place.player_index, place.card_index) for place in state.touched]:
        hands = _with_card(hands, seat, index, hands[seat][index].shown_to(eyes))
    return replace(state, hands=hands)


def _swapped(state: State, index: int, card: Card, pile: Sequence[int]) -> State:
    """`card` takes the place of a card of the active player, which goes face up on the pile."""
    gone = state.hands[state.turn][index].value
    hands = _with_card(state.hands, state.turn, index, card)
    return replace(state, hands=hands, discarded=(*pile, gone), touched=(Place(state.turn, index),))


def _cleared(state: State, card: Card, pile: Sequence[int]) -> State:
    """The cards that were shown go face up on the pile; `card` takes the lowest place, and the row closes up."""
    held = closed_up(state.hands[state.turn], state.touched_indexes, card)
    hands = (*state.hands[: state.turn], held, *state.hands[state.turn + 1 :])
    return replace(state, hands=hands, discarded=(*pile, *state.touched_values))


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
