"""Up-Down: say how many hands you will win, then win exactly that many. Rules: docs/games/up-down.md.

This module is the machine. The other modules hold what it works with: the cards (`cards`), a hand in play (`hand`), a
round with its bets and points (`rounds`), phases, state and view (`state`), what players do (`moves`), what they are
told (`messages`) and when (`news`), and what a player sees and may do (`sight`).
"""

from collections.abc import Sequence

from msgspec.structs import replace

from turnstile.games.updown.cards import DECK, Hand
from turnstile.games.updown.hand import HandResult, PlayedCard, best_of, playable, start_hand, turned, without
from turnstile.games.updown.messages import UpDownMessage
from turnstile.games.updown.moves import PlaceBet, PlayCard, StartGame
from turnstile.games.updown.news import (
    bet_placed,
    card_played,
    game_started,
    hand_completed,
    hands_dealt,
    round_completed,
)
from turnstile.games.updown.rounds import (
    SEATS,
    PlayerState,
    RoundResult,
    RoundState,
    exchange,
    forbidden_bet,
    largest_round,
    result_of,
    up_and_down,
)
from turnstile.games.updown.sight import actions, view
from turnstile.games.updown.state import (
    Code,
    Options,
    Phase,
    State,
    hand_of,
    highest_total,
    ids_of,
    player_of,
    round_of,
)
from turnstile.games.updown.text import RULES
from turnstile.kernel.chance import Seed, draw, shuffle
from turnstile.kernel.game import NEEDS_A_SEED, Game, Outcome, Players, refuse_players, refuse_seed
from turnstile.kernel.machine import Machine, Refusal, Rejection
from turnstile.kernel.values import Event, PlayerId

ONLY_ADMIN_CAN_START = Rejection(Code.ONLY_ADMIN_CAN_START, "Only admin can start game")
TOO_FEW_PLAYERS = Rejection(Code.TOO_FEW_PLAYERS, "At least two players are needed to start the game")
NOT_YOUR_TURN_TO_BET = Rejection(Code.NOT_YOUR_TURN_TO_BET, "Not your turn to bet")
LAST_BET_MAKES_SUM = Rejection(Code.LAST_BET_MAKES_SUM, "Last player cannot make sum equal to round size")
NOT_YOUR_TURN = Rejection(Code.NOT_YOUR_TURN, "Not your turn")
CARD_NOT_IN_HAND = Rejection(Code.CARD_NOT_IN_HAND, "Card not in hand")
MUST_FOLLOW_PINTA = Rejection(Code.MUST_FOLLOW_PINTA, "Must follow pinta suit")

ALONE = range(1, 2)  # the admin may wait alone, but not start
USUAL_MAX_ROUND_SIZE = 7

# The phases by their names alone: in Python 3.11, looking up `Phase.BETTING` takes as long as a whole `replace`.
WAITING, DEALING, BETTING, PLAYING_HAND, HAND_COMPLETE, ROUND_COMPLETE, GAME_COMPLETE = Phase


# start


def new(players: Sequence[PlayerId], options: Options, seed: Seed | None) -> State | Rejection:
    """The players wait for their admin, who is the first of them, to start."""
    if fault := refuse_players(players, ALONE if len(players) == 1 else SEATS) or refuse_seed(seed):
        return fault
    most = largest_round(len(players))
    size = min(USUAL_MAX_ROUND_SIZE, most) if options.max_round_size is None else options.max_round_size
    if not 1 <= size <= most:
        return Rejection(Refusal.INVALID_OPTIONS, f"With {len(players)} players maxRoundSize is from 1 to {most}.")
    if seed is None:
        return NEEDS_A_SEED
    return State(
        phase=WAITING,
        players=tuple(PlayerState(player, (), None, 0, 0) for player in players),
        player_order=(),
        current_round=None,
        round_sequence=up_and_down(size),
        completed_rounds=(),
        seed=seed,
    )


# play

updown: Machine[State] = Machine(
    "up-down",
    Phase,
    start=WAITING,
    ends=(GAME_COMPLETE,),
    state=State,
    messages=UpDownMessage,
    codes=Code,
)


@updown.on(WAITING, StartGame, to=DEALING, tell=game_started)
def start_game(state: State, event: StartGame) -> State | Rejection:
    """The admin starts the match, and the natural order PG is drawn: the order of the seats, from a drawn one on."""
    if event.player != state.players[0].id:
        return _refuse_player(state, event.player, ONLY_ADMIN_CAN_START)
    if len(state.players) not in SEATS:
        return TOO_FEW_PLAYERS
    return replace(state, phase=DEALING, player_order=natural_order(ids_of(state), state.seed))


def natural_order(players: Players, seed: Seed) -> Players:
    """PG: the order of the seats, turned so that PG1 is drawn from the seed."""
    return turned(players, draw(seed, "first player", 0, len(players)))


@updown.auto(DEALING, to=BETTING, tell=hands_dealt)
def deal(state: State) -> State:
    """Each round is dealt from a freshly shuffled deck."""
    return deal_out(state, shuffle(state.seed, "deal", len(state.completed_rounds) + 1, range(len(DECK))))


def deal_out(state: State, deck: Sequence[int]) -> State:
    """X cards to each player, then the mesa face up. PG passes the start on: round r is started by its r-th player."""
    number = len(state.completed_rounds) + 1
    size = state.round_sequence[number - 1]
    order = turned(state.player_order, (number - 1) % len(state.players))
    players = [
        PlayerState(player.id, _sorted_hand(deck[first : first + size]), None, 0, player.score)
        for player, first in zip(state.players, range(0, len(deck), size), strict=False)
    ]
    mesa = DECK[deck[len(players) * size]]
    return replace(
        state,
        phase=BETTING,
        players=tuple(players),
        current_round=RoundState(number, size, mesa, order[0], order, 0, None, ()),
    )


@updown.on(BETTING, PlaceBet, to={"more bets": BETTING, "last bet": PLAYING_HAND}, tell=bet_placed)
def place_bet(state: State, event: PlaceBet) -> State | Rejection:
    """Bets are made in the open, from PS1 to PSL. Only the last player may not make the sum equal to the round size.

    The last bet also starts the first hand, which PS2 leads. The spec draws that as a step of its own from playing_hand
    to itself; here it belongs to the transition that leads there, because a phase either waits or moves on by itself
    (docs/departures.md).
    """
    current = round_of(state)
    if event.player != current.betting_order[current.current_betting_index]:
        return _refuse_player(state, event.player, NOT_YOUR_TURN_TO_BET)
    if not 0 <= event.bet <= current.cards_per_player:
        return Rejection(Code.BET_OUT_OF_RANGE, f"Bet must be from 0 to {current.cards_per_player}")
    if event.bet == forbidden_bet(current, state.players):
        return LAST_BET_MAKES_SUM
    placed = current.current_betting_index + 1
    is_last = placed == len(current.betting_order)
    first_hand = start_hand(1, current.betting_order, current.betting_order[1]) if is_last else None
    player = player_of(state, event.player)
    return replace(
        state,
        phase=PLAYING_HAND if is_last else BETTING,
        players=exchange(state.players, player, replace(player, bet=event.bet)),
        current_round=replace(current, current_betting_index=placed, current_hand=first_hand),
    )


@updown.on(
    PLAYING_HAND,
    PlayCard,
    to={"more cards": PLAYING_HAND, "last card": HAND_COMPLETE},
    tell=card_played,
)
def play_card(state: State, event: PlayCard) -> State | Rejection:
    """The current player plays a card. The first card of a hand sets the pinta; who holds it must follow it."""
    current, hand = hand_of(state)
    if event.player != hand.hand_order[hand.current_player_index]:
        return _refuse_player(state, event.player, NOT_YOUR_TURN)
    player = player_of(state, event.player)
    if event.card not in player.hand:
        return CARD_NOT_IN_HAND
    is_of_another_suit = hand.pinta is not None and event.card.suit is not hand.pinta
    if is_of_another_suit and event.card not in playable(player.hand, hand.pinta):
        return MUST_FOLLOW_PINTA
    played = hand.current_player_index + 1
    laid = replace(
        hand,
        cards_played=(*hand.cards_played, PlayedCard(event.player, event.card)),
        pinta=hand.pinta or event.card.suit,
        current_player_index=played,
    )
    return replace(
        state,
        phase=HAND_COMPLETE if played == len(hand.hand_order) else state.phase,
        players=exchange(state.players, player, replace(player, hand=without(player.hand, event.card))),
        current_round=replace(current, current_hand=laid),
    )


@updown.auto(
    HAND_COMPLETE,
    to={"more hands": PLAYING_HAND, "round done": ROUND_COMPLETE},
    tell=hand_completed,
)
def complete_hand(state: State) -> State:
    """The hand's winner is determined, and leads the next hand of the round."""
    current, hand = hand_of(state)
    assert hand.pinta is not None, "a complete hand has a first card"
    winner = player_of(state, best_of(hand.cards_played, current.mesa.suit).player_id)
    result = HandResult(hand.hand_number, hand.cards_played, hand.pinta, winner.id)
    is_done = hand.hand_number == current.cards_per_player
    next_hand = None if is_done else start_hand(hand.hand_number + 1, hand.hand_order, winner.id)
    return replace(
        state,
        phase=ROUND_COMPLETE if is_done else PLAYING_HAND,
        players=exchange(state.players, winner, replace(winner, hands_won=winner.hands_won + 1)),
        current_round=replace(current, current_hand=next_hand, completed_hands=(*current.completed_hands, result)),
    )


@updown.auto(
    ROUND_COMPLETE,
    to={"more rounds": DEALING, "all rounds done": GAME_COMPLETE},
    tell=round_completed,
)
def complete_round(state: State) -> State:
    """Scores are calculated and the round is kept as history. After the last round the seed is shown."""
    current = round_of(state)
    results = tuple(map(result_of, state.players))
    done = RoundResult(
        current.round_number,
        current.cards_per_player,
        current.mesa,
        current.starting_player_id,
        results,
        current.completed_hands,
    )
    is_over = current.round_number == len(state.round_sequence)
    return replace(
        state,
        phase=GAME_COMPLETE if is_over else DEALING,
        players=tuple(PlayerState(result.player_id, (), None, 0, result.score) for result in results),
        current_round=None,
        completed_rounds=(*state.completed_rounds, done),
    )


# sight (`view` and `actions` are in `sight`)


def dealer(state: State) -> Event | None:
    """The table starts the match for its admin, who may also start it without a table."""
    return next(iter(actions(state, state.players[0].id)), None) if state.phase is WAITING else None


# end


def outcome(state: State) -> Outcome | None:
    """The match ends with its last round."""
    return highest_total(state) if state.phase is GAME_COMPLETE else None


# helpers


def _refuse_player(state: State, player: PlayerId, otherwise: Rejection) -> Rejection:
    """A player without a seat is unknown; a seated player is refused for another reason."""
    if player in ids_of(state):
        return otherwise
    return Rejection(Code.UNKNOWN_PLAYER, f"{player} has no seat in this match")


def _sorted_hand(numbers: Sequence[int]) -> Hand:
    return tuple([DECK[number] for number in sorted(numbers)])


game = Game(
    machine=updown,
    title="Up-Down",
    rules=RULES,
    version=1,
    seats=SEATS,
    options=Options,
    new=new,
    view=view,
    actions=actions,
    dealer=dealer,
    players=ids_of,
    outcome=outcome,
)
