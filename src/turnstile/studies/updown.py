"""The study of Up-Down: which states can be reached, what is hidden from a player, what statistics count."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

from msgspec.structs import replace

from turnstile.games.updown import rules as updown
from turnstile.games.updown.cards import DECK, Card, Hand, Suit
from turnstile.games.updown.hand import HandResult, HandState, PlayedCard
from turnstile.games.updown.moves import PlaceBet, PlayCard, StartGame
from turnstile.games.updown.rounds import PlayerState, PlayerView, RoundResult, RoundState
from turnstile.games.updown.state import Options, Phase, State, View, highest_total
from turnstile.kernel import Event, PlayerId, Rejection, Seed, Study, Tally
from turnstile.kernel.chance import derive, shuffle
from turnstile.studies.replaying import after_events

CONTRADICTION = "No match of Up-Down can be in this state: its fields contradict each other."
NUMBER = {card: number for number, card in enumerate(DECK)}


@dataclass(frozen=True, slots=True)
class RoundFacts:
    """What a state says about a round: the mesa, the bets, the cards in the order of play, and the hands."""

    mesa: Card
    bets: Mapping[PlayerId, int | None]
    cards_played: Sequence[PlayedCard]
    held: Mapping[PlayerId, Hand]


def violation(state: State) -> str | None:
    """A state can be reached if the match, replayed with the cards it shows, comes to the same state.

    This does not check that these cards follow from the seed: a player that imagines the other hands cannot find a seed
    that deals them. Replaying a record checks it.
    """
    players = tuple(player.id for player in state.players)
    waiting = updown.new(players, Options(max(state.round_sequence, default=0)), state.seed)
    if isinstance(waiting, Rejection):
        return waiting.sentence
    if len(state.completed_rounds) > len(waiting.round_sequence):  # before replaying them all
        return CONTRADICTION
    story = waiting if state.phase is Phase.WAITING else _retold(waiting, state)
    return None if story == state else CONTRADICTION


def redraw(state: State, player: PlayerId | None, seed: Seed) -> State:
    """The seed could be any that drew the same order, and the cards of the others could be any that are not in sight,
    but of no suit that their owner has failed to follow."""
    ids = tuple(each.id for each in state.players)
    candidates = (derive(seed, "imagined seed", attempt) for attempt in count())
    fits = (each for each in candidates if state.player_order in ((), updown.natural_order(ids, each)))
    hands = _redrawn_hands(state, player, seed)
    players = tuple(each if each.id == player else replace(each, hand=hands[each.id]) for each in state.players)
    return replace(state, players=players, seed=next(fits))


def imagine(seen: View, player: PlayerId | None, seed: Seed) -> State:
    """A match that looks like this to `player`."""
    state = State(
        phase=seen.phase,
        players=tuple(
            PlayerState(each.id, _hand_behind(each, player), each.bet, each.hands_won, each.score)
            for each in seen.players
        ),
        player_order=seen.player_order,
        current_round=seen.current_round,
        round_sequence=seen.round_sequence,
        completed_rounds=seen.completed_rounds,
        seed=seed,
    )
    return redraw(state, player, seed)


def _hand_behind(seen: PlayerView, player: PlayerId | None) -> Hand:
    """The player's own hand; for another player, as many cards as it holds, for `redraw` to replace."""
    return seen.hand if seen.id == player and seen.hand is not None else DECK[: seen.hand_size]


def state_key(state: State) -> Hashable:
    """What was played before only tells how the scores came about; the number of completed rounds and the seed say what
    will be dealt."""
    current = state.current_round
    now = current and (current.mesa, current.betting_order, current.current_betting_index, current.current_hand)
    return state.phase, state.players, state.seed, state.round_sequence, len(state.completed_rounds), now


def tally(state: State) -> Tally:
    """How often a bet was made exactly, in all and by the size of the round, and what the bets added up to."""
    exact: dict[str, list[bool]] = {"a bet is made exactly": []}
    over: list[bool] = []
    for done in state.completed_rounds:
        made = [result.bet == result.hands_won for result in done.results]
        exact["a bet is made exactly"] += made
        exact.setdefault(f"... in rounds of {done.cards_per_player}", []).extend(made)
        over.append(sum(result.bet for result in done.results) > done.cards_per_player)
    facts = {fact: (sum(made), len(made)) for fact, made in exact.items()}
    facts["the bets of a round are too many"] = (sum(over), len(over))
    facts["... too few"] = (len(over) - sum(over), len(over))
    return facts


# replaying a match


def _retold(waiting: State, claim: State) -> State | None:
    """The match replayed with the cards and bets of a state; `None` if they are impossible."""
    story = _after_rounds(waiting, claim.completed_rounds)
    current = claim.current_round
    if story is None or current is None:
        return story
    bets = {player.id: player.bet for player in claim.players}
    held = {player.id: player.hand for player in claim.players}
    return _play_round(story, RoundFacts(current.mesa, bets, cards_played(current), held))


@lru_cache(maxsize=4096)  # consecutive calls mostly share the past
def _after_rounds(waiting: State, completed: tuple[RoundResult, ...]) -> State | None:
    """The match after these rounds, the next one dealt from its seed."""
    if not completed:
        return _played(waiting, [StartGame(waiting.players[0].id)])
    before, done = _after_rounds(waiting, completed[:-1]), completed[-1]
    bets = {result.player_id: result.bet for result in done.results}
    cards = tuple(card for each in done.completed_hands for card in each.cards_played)
    return before and _play_round(before, RoundFacts(done.mesa, bets, cards, {}))


def _play_round(dealt: State, told: RoundFacts) -> State | None:
    """A round replayed with these facts instead of the cards that were dealt."""
    deck = _deck(dealt, told)
    if deck is None:
        return None
    story = updown.deal_out(dealt, deck)
    order = story.current_round.betting_order if story.current_round else ()
    story = _played(story, [PlaceBet(who, bet) for who in order if (bet := told.bets.get(who)) is not None])
    return _played(story, [PlayCard(played.player_id, played.card) for played in told.cards_played])


def cards_played(current: RoundState) -> tuple[PlayedCard, ...]:
    """Every card of this round that was played, in order."""
    return tuple(played for hand in _hands(current) for played in hand.cards_played)


def _hands(current: RoundState) -> list[HandResult | HandState]:
    return [*current.completed_hands, *([current.current_hand] if current.current_hand else [])]


def _deck(story: State, told: RoundFacts) -> list[int] | None:
    """The numbers of the cards as they must have lain in the deck: each player's hand, then the mesa."""
    current = story.current_round
    if current is None or current.current_betting_index > 0:
        return None
    dealt: dict[PlayerId, Hand] = {player.id: () for player in story.players}
    for who, cards in (*told.held.items(), *((played.player_id, (played.card,)) for played in told.cards_played)):
        dealt[who] = (*dealt.get(who, ()), *cards)
    deck = [NUMBER[card] for cards in (*dealt.values(), (told.mesa,)) for card in cards]
    is_whole = all(len(cards) == current.cards_per_player for cards in dealt.values())
    return deck if is_whole and len(set(deck)) == len(deck) else None


def _played(state: State, events: Sequence[Event]) -> State:
    return after_events(updown.updown, state, events)


# the cards of the others


def _redrawn_hands(state: State, player: PlayerId | None, seed: Seed) -> Mapping[PlayerId, Hand]:
    """A hand for every player but this one, drawn from the cards that it does not see.

    Every place in a hand takes a card that it may hold. If none is left, places exchange cards until one is (bipartite
    matching). So a fitting deal is found if there is one, and there is: the real one.
    """
    places: list[PlayerId] = [each.id for each in state.players if each.id != player for _ in each.hand]
    order = shuffle(seed, "imagined places", 0, range(len(places)))
    in_sight = _in_sight(state, player)
    unseen = [card for card in shuffle(seed, "imagined cards", 0, DECK) if card not in in_sight]
    lacking = lacking_suits(state.current_round) if state.current_round else {}
    place_of: dict[Card, int] = {}

    def find_card(place: int, tried: set[Card]) -> bool:
        fitting = [card for card in unseen if card.suit not in lacking.get(places[place], ())]
        for card in sorted(fitting, key=place_of.__contains__):  # free ones first
            if card not in tried:
                tried.add(card)
                if card not in place_of or find_card(place_of[card], tried):
                    place_of[card] = place
                    return True
        return False

    for place in order:
        find_card(place, set())
    held = {who: [card for card, place in place_of.items() if places[place] == who] for who in dict.fromkeys(places)}
    return {each.id: tuple(sorted(held.get(each.id, ()), key=NUMBER.__getitem__)) for each in state.players}


def _in_sight(state: State, player: PlayerId | None) -> set[Card]:
    """The cards that this round shows a player: the mesa, what was played, its own hand."""
    if state.current_round is None:
        return set()
    played = [each.card for each in cards_played(state.current_round)]
    return {
        state.current_round.mesa,
        *played,
        *(card for each in state.players if each.id == player for card in each.hand),
    }


def lacking_suits(current: RoundState) -> Mapping[PlayerId, set[Suit]]:
    """The suits that players lack: they were led, and the player did not follow."""
    lacking: dict[PlayerId, set[Suit]] = {player: set() for player in current.betting_order}
    for hand in _hands(current):
        for played in hand.cards_played:
            if hand.pinta is not None and played.card.suit is not hand.pinta:
                lacking[played.player_id].add(hand.pinta)
    return lacking


study = Study(
    violation=violation, redraw=redraw, imagine=imagine, state_key=state_key, tally=tally, standing=highest_total
)
