"""The study of 66: which states can be reached, what is hidden from a player, what statistics count."""

from collections import Counter
from collections.abc import Iterator
from itertools import count
from math import comb

from msgspec.structs import replace

from turnstile.games.sixtysix import rules as sixtysix
from turnstile.games.sixtysix.cards import DECK, HAND_SIZE, Card, Seat, total
from turnstile.games.sixtysix.moves import POWERS, ExchangeCards, PeekAnothersCard, PeekOwnCard
from turnstile.games.sixtysix.scores import HIGHEST_SCORE, LIMIT, lowest_total, round_scores
from turnstile.games.sixtysix.state import Options, Phase, Place, Round, Sight, State, View
from turnstile.kernel import Outcome, PlayerId, Players, Rejection, Seed, Study, Tally
from turnstile.kernel.chance import derive, draw, shuffle

# Groups of phases that have something in common

STOPPED_TOO_EARLY = "The round was stopped before it began."
OVER = {Phase.ROUND_FINISHED, Phase.GAME_FINISHED}
RESTING = set(Phase) - {row.phase for row in sixtysix.sixtysix.rows if row.event is None}
BEFORE_ANY_DRAW = {
    Phase.ROUND_STARTING,
    Phase.READY_FOR_TURN,
    Phase.REPLACING_CARD_BY_DISCARDED,
    Phase.ROUND_STOPPING,
    Phase.SHOWING_CARDS,
    Phase.REPLACING_CARDS,
    Phase.REPLACING_MULTIPLE_CARDS_BY_DISCARDED,
}
"""A turn begins with a card in the deck, and in these phases it has not drawn one."""
CLAIMED = {Phase.SHOWING_CARDS, Phase.REPLACING_CARDS}
MULTIPLE = {Phase.REPLACING_MULTIPLE_CARDS_FROM_DECK, Phase.REPLACING_MULTIPLE_CARDS_BY_DISCARDED}
ONE_OF_OWN = {Phase.REPLACING_CARD_FROM_DECK, Phase.REPLACING_CARD_BY_DISCARDED, Phase.PEEKING_OWN_CARD}
POWER_USED = {
    Phase.PEEKING_OWN_CARD: PeekOwnCard,
    Phase.PEEKING_ANOTHERS_CARD: PeekAnothersCard,
    Phase.EXCHANGING_CARDS: ExchangeCards,
}
MOST_TURNS = 2**53  # the largest whole number that every reader of JSON can count to


# sound


def violation(state: State) -> str | None:
    """A state is valid if its cards are the deck, its score sheet adds up, and its fields fit its phase.

    This does not check that the cards were dealt from the seed: a player that imagines a state knows neither. Replaying
    a record checks it.
    """
    fresh = sixtysix.new(state.players, Options(), state.seed)
    if isinstance(fresh, Rejection):
        return fresh.sentence
    if state.phase is Phase.NOT_STARTED:
        same = state == replace(fresh, commitment=state.commitment)
        return None if same else "Before the match has started there are no cards, turns and scores."
    return next(_faults(state), None)


def _faults(state: State) -> Iterator[str]:
    """What is wrong with a state. Later checks may rely on earlier ones."""
    seats = range(len(state.players))
    if state.phase not in RESTING:
        yield f"No match rests in {state.phase}."
    if len(state.hands) != len(seats) or not all(1 <= len(held) <= HAND_SIZE for held in state.hands):
        yield f"Every player holds 1 to {HAND_SIZE} cards."
    if sorted(_cards(state)) != sorted(DECK):
        yield f"The {len(DECK)} cards are not all there."
    if not all(
        _is_ascending(card.seen_by) and set(card.seen_by) <= set(seats) for held in state.hands for card in held
    ):
        yield "`seenBy` must name players of the match, each once and in the order of the seats."
    if not {state.turn, state.starter} <= set(seats) or state.stopper not in (None, *seats):
        yield "The turn, the starter or the stopper is not a seat of this match."
    if not 0 <= state.turn_count < MOST_TURNS:
        yield "No round has so many turns."
    yield from _faults_of_scores(state)
    yield from _faults_of_turn(state)
    yield from _faults_of_piles(state)
    if not _fits_phase(state):
        yield f"The last action was not one that leads to {state.phase}."


def _faults_of_scores(state: State) -> Iterator[str]:
    seats = len(state.players)
    if any(len(over.scores) != seats or over.stopper not in (None, *range(seats)) for over in state.rounds):
        yield "A round on the score sheet has another number of players."
    if not all(0 <= score <= HIGHEST_SCORE for over in state.rounds for score in over.scores):
        yield f"A round brings each player 0 to {HIGHEST_SCORE} points."
    if not all(1 <= over.turn_count < MOST_TURNS for over in state.rounds):
        yield "No round has so many turns."
    if state.totals != _totals(state, len(state.rounds)):
        yield "The totals are not the sums of the rounds."
    ended = state.phase is Phase.GAME_FINISHED
    if (max(state.totals) > LIMIT) != ended or max(_totals(state, len(state.rounds) - ended)) > LIMIT:
        yield f"A match ends with the first total over {LIMIT}, and with nothing else."


def _totals(state: State, rounds: int) -> tuple[int, ...]:
    """What each seat has after so many rounds."""
    return tuple(sum(over.scores[seat] for over in state.rounds[:rounds]) for seat in range(len(state.players)))


def _faults_of_turn(state: State) -> Iterator[str]:
    due = (state.starter + state.turn_count) % len(state.players)
    if state.phase in OVER:
        if state.turn != (state.starter + 1) % len(state.players):
            yield "The seat after the starter starts the next round."
        if state.stopper is not None and state.turn_count <= (state.stopper - state.starter) % len(state.players):
            yield STOPPED_TOO_EARLY
        if due != state.stopper and state.deck:
            yield "A round ends when the turn comes back to its stopper, or with an empty deck."
        scores = round_scores(state.hands, state.stopper)
        if not state.rounds or state.rounds[-1] != Round(state.turn_count, state.stopper, scores):
            yield "The last round on the score sheet is not the one on the table."
        return
    if state.turn != due:
        yield "The turn goes round from the starter, seat by seat."
    if (state.turn == state.stopper) != (state.phase is Phase.ROUND_STOPPING):
        yield "To stop the round is the stopper's last turn."
    if state.stopper is not None and state.turn_count < (state.turn - state.stopper) % len(state.players):
        yield STOPPED_TOO_EARLY


def _faults_of_piles(state: State) -> Iterator[str]:
    if not state.discarded:
        yield "The discard pile is never empty."
    if (state.taken is None) == (state.phase is Phase.DECK_CARD_TAKEN):
        yield f"A card is taken in {Phase.DECK_CARD_TAKEN}, and there alone."
    if state.phase in BEFORE_ANY_DRAW and not state.deck:
        yield "No turn begins with an empty deck."
    power = POWERS.get(state.discarded[-1])
    if (state.phase is Phase.DISCARDED and power is None) or POWER_USED.get(state.phase, power) is not power:
        yield "The card on top of the discard pile has another power."
    first = state.phase is Phase.ROUND_STARTING
    if first and (state.turn_count, len(state.discarded), {*state.hand_sizes}) != (0, 1, {HAND_SIZE}):
        yield "A round starts with full hands and one card face up."


def _fits_phase(state: State) -> bool:
    """Whether the touched places fit this phase."""
    own = [place.card_index for place in state.touched if place.player_index == state.turn]
    others = [place for place in state.touched if place.player_index != state.turn]
    if state.phase in MULTIPLE:
        before = len(state.hands[state.turn]) + len(own) - 1
        return not others and len(own) >= 2 and _is_ascending(own) and before <= HAND_SIZE and _within(own, before)
    if not _within(own, len(state.hands[state.turn])) or not all(_is_place(state, place) for place in others):
        return False
    if state.phase in CLAIMED:
        identical = state.phase is Phase.SHOWING_CARDS or state.is_identical
        return not others and len(own) >= 2 and _is_ascending(own) and identical
    if state.phase is Phase.EXCHANGING_CARDS:
        return (len(own), len(others)) == (1, 1) and state.touched[0].player_index == state.turn
    return (len(own), len(others)) == (state.phase in ONE_OF_OWN, state.phase is Phase.PEEKING_ANOTHERS_CARD)


def _is_place(state: State, place: Place) -> bool:
    seat = place.player_index
    return seat in range(len(state.hands)) and place.card_index in range(len(state.hands[seat]))


def _within(indexes: list[int], size: int) -> bool:
    return all(0 <= index < size for index in indexes)


def _is_ascending(numbers: list[int] | tuple[int, ...]) -> bool:
    return list(numbers) == sorted(set(numbers))


def _cards(state: State) -> Iterator[int]:
    """Every card there is: in the deck, on the discard pile, in the hands, and the one just taken."""
    yield from state.deck
    yield from state.discarded
    yield from (card.value for held in state.hands for card in held)
    if state.taken is not None:
        yield state.taken


# redraw and imagine

HIDDEN = -1
"""What `imagine` puts where a card is that its player has not seen; `redraw` takes its place."""


def redraw(state: State, player: PlayerId | None, seed: Seed) -> State:
    """A card that `player` has not seen could be any that lies where it cannot look, and the seed could be any.

    Cards that were just shown to others are drawn so that the claim turns out as it did.
    """
    seat = _seat_of(player, state.players)
    taken = state.taken if seat == state.turn else None
    values, unseen = _redrawn(state, seat, taken, seed)
    hands = tuple(
        tuple(Card(values[Place(Seat(owner), index)], card.seen_by) for index, card in enumerate(held))
        for owner, held in enumerate(state.hands)
    )
    return replace(
        state,
        seed=derive(seed, "imagined seed"),
        deck=unseen[: len(state.deck)],
        hands=hands,
        taken=unseen[-1] if state.taken is not None and taken is None else taken,
    )


def imagine(seen: View, player: PlayerId | None, seed: Seed) -> State:
    """A match that looks like this to `player`."""
    seat = _seat_of(player, seen.players)
    hands = tuple(
        tuple(_card_behind(sight, seen, Place(Seat(owner), index), seat) for index, sight in enumerate(row))
        for owner, row in enumerate(seen.seen)
    )
    is_hidden = seen.phase is Phase.DECK_CARD_TAKEN and seat != seen.turn
    state = State(
        phase=seen.phase,
        players=seen.players,
        seed=seed,
        commitment=seen.commitment,
        deck=(HIDDEN,) * seen.deck_size,
        discarded=seen.discarded,
        hands=hands,
        taken=HIDDEN if is_hidden else seen.taken,
        touched=seen.touched,
        turn=seen.turn,
        starter=seen.starter,
        stopper=seen.stopper,
        turn_count=seen.turn_count,
        totals=seen.totals,
        rounds=seen.rounds,
    )
    return redraw(state, player, seed)


def _seat_of(player: PlayerId | None, players: Players) -> Seat | None:
    return Seat(players.index(player)) if player in players else None


def _may_know(phase: Phase, seat: Seat | None, seen_by: tuple[Seat, ...]) -> bool:
    """Whether a seat may know a card of a hand: it has seen it, or the round is over and all hands are open."""
    return phase in OVER or seat in seen_by


def _card_behind(sight: Sight, seen: View, place: Place, seat: Seat | None) -> Card:
    """A card as this seat knows it. Hidden cards of a claim that has failed are not all alike."""
    if sight.value is not None and _may_know(seen.phase, seat, sight.seen_by):
        return Card(sight.value, sight.seen_by)
    is_first_of_different = seen.is_identical is False and place == seen.touched[0]
    return Card(HIDDEN - is_first_of_different, sight.seen_by)


def _redrawn(
    state: State, seat: Seat | None, taken: int | None, seed: Seed
) -> tuple[dict[Place, int], tuple[int, ...]]:
    """What may lie in each place of the hands, and all that is left for the deck and the card taken from it."""
    known = _known(state, seat)
    claim = state.is_identical if state.phase in CLAIMED else None
    pool = Counter(DECK if state.discarded else ()) - Counter(state.discarded) - Counter(known.values())
    if taken is not None:
        pool[taken] -= 1
    if claim and not known.keys() & set(state.touched):
        value = _claimed_value(pool, len(state.touched), seed)
        known |= dict.fromkeys(state.touched, value)
        pool[value] -= len(state.touched)
    hidden = [place for place, _ in _places(state) if place not in known]
    for attempt in count():
        unseen = shuffle(seed, "imagined cards", attempt, sorted(pool.elements()))
        values = known | dict(zip(hidden, unseen, strict=False))
        if claim is not False or len({values[place] for place in state.touched}) > 1:
            return values, unseen[len(hidden) :]
    raise AssertionError("unreachable")  # pragma: no cover


def _known(state: State, seat: Seat | None) -> dict[Place, int]:
    """The cards that this seat may know, by where they lie."""
    return {place: card.value for place, card in _places(state) if _may_know(state.phase, seat, card.seen_by)}


def _places(state: State) -> list[tuple[Place, Card]]:
    return [
        (Place(Seat(owner), index), card) for owner, held in enumerate(state.hands) for index, card in enumerate(held)
    ]


def _claimed_value(pool: Counter[int], size: int, seed: Seed) -> int:
    """What so many identical cards may be, each value as likely as there are ways to draw them from the pool."""
    ways = [value for value, copies in sorted(pool.items()) for _ in range(comb(copies, size))]
    return ways[draw(seed, "imagined claim", 0, len(ways))]


# tally


def tally(state: State) -> Tally:
    """How rounds ended, and whether stopping succeeded. A failed stop scores at least 10, so 0 means success."""
    stops = [(over.scores, over.stopper) for over in state.rounds if over.stopper is not None]
    paid = sum(scores[stopper] == 0 for scores, stopper in stops)
    return {
        "a round is stopped": (len(stops), len(state.rounds)),
        "... and its stopper scores 0": (paid, len(stops)),
        "a round ends with an empty deck": (len(state.rounds) - len(stops), len(state.rounds)),
    }


# standing


def standing(state: State) -> Outcome:
    """The outcome if the current hands were added to the totals now: the lowest total wins."""
    if state.phase in OVER:
        return lowest_total(state.players, state.totals)
    sums = [points + total(hand) for points, hand in zip(state.totals, state.hands, strict=True)]
    return lowest_total(state.players, sums)


study = Study(violation=violation, redraw=redraw, imagine=imagine, tally=tally, standing=standing)
