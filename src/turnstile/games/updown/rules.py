"""Up-Down: say how many hands you will win, then win exactly that many. Rules: docs/games/up-down.md."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec.structs import replace

from turnstile.games.updown.cards import DECK, Card, Hand
from turnstile.games.updown.hand import HandResult, HandState, PlayedCard, best_of, playable, start_hand, turned
from turnstile.games.updown.messages import (
    BetPlaced,
    CardPlayed,
    GameCompleted,
    GameStarted,
    HandCompleted,
    RoundCompleted,
    RoundDealt,
)
from turnstile.games.updown.rounds import PlayerResult, PlayerState, PlayerView, RoundResult, RoundState
from turnstile.games.updown.text import RULES
from turnstile.kernel.chance import Seed, commit, draw, shuffle
from turnstile.kernel.effects import Tell
from turnstile.kernel.game import NEEDS_A_SEED, Game, Outcome, Players, refuse_players, refuse_seed
from turnstile.kernel.machine import Machine, Next, Refusal, Rejection
from turnstile.kernel.values import ByPlayer, Event, Move, PlayerId, Value

# words


class Phase(StrEnum):
    WAITING = "waiting"
    DEALING = "dealing"
    BETTING = "betting"
    PLAYING_HAND = "playing_hand"
    HAND_COMPLETE = "hand_complete"
    ROUND_COMPLETE = "round_complete"
    GAME_COMPLETE = "game_complete"


class Code(StrEnum):
    """Why Up-Down turns an event down. Codes are protocol: add to them, never rename one."""

    UNKNOWN_PLAYER = "UnknownPlayer"
    ONLY_ADMIN_CAN_START = "OnlyAdminCanStart"
    TOO_FEW_PLAYERS = "TooFewPlayers"
    NOT_YOUR_TURN_TO_BET = "NotYourTurnToBet"
    BET_OUT_OF_RANGE = "BetOutOfRange"
    LAST_BET_MAKES_SUM = "LastBetMakesSum"
    NOT_YOUR_TURN = "NotYourTurn"
    CARD_NOT_IN_HAND = "CardNotInHand"
    MUST_FOLLOW_PINTA = "MustFollowPinta"


ONLY_ADMIN_CAN_START = Rejection(Code.ONLY_ADMIN_CAN_START, "Only admin can start game")
TOO_FEW_PLAYERS = Rejection(Code.TOO_FEW_PLAYERS, "At least two players are needed to start the game")
NOT_YOUR_TURN_TO_BET = Rejection(Code.NOT_YOUR_TURN_TO_BET, "Not your turn to bet")
LAST_BET_MAKES_SUM = Rejection(Code.LAST_BET_MAKES_SUM, "Last player cannot make sum equal to round size")
NOT_YOUR_TURN = Rejection(Code.NOT_YOUR_TURN, "Not your turn")
CARD_NOT_IN_HAND = Rejection(Code.CARD_NOT_IN_HAND, "Card not in hand")
MUST_FOLLOW_PINTA = Rejection(Code.MUST_FOLLOW_PINTA, "Must follow pinta suit")

SEATS = range(2, 11)
ALONE = range(1, 2)  # the admin may wait alone, but not start
LARGEST_ROUND = (len(DECK) - 1) // SEATS[0]
USUAL_MAX_ROUND_SIZE = 7
POINTS_FOR_THE_BET = 10
POINTS_A_HAND = 2


# values


class Options(Value, frozen=True):
    """`max_round_size` is the size of the largest round; by default 7, or less where the cards do not reach.

    The bound in its type is that of two players; for more, `new` knows a smaller one.
    """

    max_round_size: Annotated[int, msgspec.Meta(ge=1, le=LARGEST_ROUND)] | None = None


class State(Value, frozen=True):
    """The whole match. `players` sit in this order, the admin first; `player_order` is PG1, PG2, ..., once drawn."""

    phase: Phase = msgspec.field(name="status")
    players: tuple[PlayerState, ...]
    player_order: Players
    current_round: RoundState | None
    round_sequence: tuple[int, ...]
    completed_rounds: tuple[RoundResult, ...]
    seed: Seed


class StartGame(Move, frozen=True, tag="START_GAME"):
    """The admin starts the match."""


class PlaceBet(Move, frozen=True, tag="PLACE_BET"):
    """How many hands of this round a player says it will win."""

    bet: int


class PlayCard(Move, frozen=True, tag="PLAY_CARD"):
    card: Card


class View(Value, frozen=True):
    """The match as one player sees it: everything but the hands of the others and what is not dealt yet."""

    phase: Phase = msgspec.field(name="status")
    players: tuple[PlayerView, ...]
    player_order: Players
    current_round: RoundState | None
    round_sequence: tuple[int, ...]
    completed_rounds: tuple[RoundResult, ...]


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
        phase=Phase.WAITING,
        players=tuple(PlayerState(player, (), None, 0, 0) for player in players),
        player_order=(),
        current_round=None,
        round_sequence=up_and_down(size),
        completed_rounds=(),
        seed=seed,
    )


def largest_round(players: int) -> int:
    """How many cards each player can have when one more is needed for the mesa."""
    return (len(DECK) - 1) // players


def up_and_down(size: int) -> tuple[int, ...]:
    """The sizes of the rounds: 1, 2, ..., size, ..., 2, 1."""
    return (*range(1, size), *range(size, 0, -1))


# play

updown: Machine[State] = Machine(
    "up-down",
    Phase,
    start=Phase.WAITING,
    ends=(Phase.GAME_COMPLETE,),
    state=State,
    messages=GameStarted | RoundDealt | BetPlaced | CardPlayed | HandCompleted | RoundCompleted | GameCompleted,
    codes=Code,
)


@updown.on(Phase.WAITING, StartGame, to=Phase.DEALING)
def start_game(state: State, event: StartGame) -> Next[State] | Rejection:
    """The admin starts the match, and the natural order PG is drawn: the order of the seats, from a drawn one on."""
    if event.player != state.players[0].id:
        return _refuse_player(state, event.player, ONLY_ADMIN_CAN_START)
    if len(state.players) not in SEATS:
        return TOO_FEW_PLAYERS
    order = natural_order(_ids(state), state.seed)
    started = replace(state, phase=Phase.DEALING, player_order=order)
    return Next(started, lambda: Tell.all(_ids(state), GameStarted(order, state.round_sequence, commit(state.seed))))


def natural_order(players: Players, seed: Seed) -> Players:
    """PG: the order of the seats, turned so that PG1 is drawn from the seed."""
    return turned(players, draw(seed, "first player", 0, len(players)))


@updown.auto(Phase.DEALING, to=Phase.BETTING)
def deal(state: State) -> Next[State]:
    """Each round is dealt from a freshly shuffled deck."""
    dealt = deal_out(state, shuffle(state.seed, "deal", len(state.completed_rounds) + 1, range(len(DECK))))
    return Next(dealt, lambda: _tell_hands(dealt))


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
        phase=Phase.BETTING,
        players=tuple(players),
        current_round=RoundState(number, size, mesa, order[0], order, 0, None, ()),
    )


@updown.on(Phase.BETTING, PlaceBet, to={"more bets": Phase.BETTING, "last bet": Phase.PLAYING_HAND})
def place_bet(state: State, event: PlaceBet) -> Next[State] | Rejection:
    """Bets are made in the open, from PS1 to PSL. Only the last player may not make the sum equal to the round size.

    The last bet also starts the first hand, which PS2 leads. The spec draws that as a step of its own from playing_hand
    to itself; here it belongs to the transition that leads there, because a phase either waits or moves on by itself
    (docs/departures.md).
    """
    current = _round(state)
    if event.player != current.betting_order[current.current_betting_index]:
        return _refuse_player(state, event.player, NOT_YOUR_TURN_TO_BET)
    if not 0 <= event.bet <= current.cards_per_player:
        return Rejection(Code.BET_OUT_OF_RANGE, f"Bet must be from 0 to {current.cards_per_player}")
    if event.bet == forbidden_bet(state):
        return LAST_BET_MAKES_SUM
    placed = current.current_betting_index + 1
    is_last = placed == len(current.betting_order)
    first_hand = start_hand(1, current.betting_order, current.betting_order[1]) if is_last else None
    seat = _seat(state, event.player)
    bet = replace(
        state,
        phase=Phase.PLAYING_HAND if is_last else Phase.BETTING,
        players=_put(state.players, seat, replace(state.players[seat], bet=event.bet)),
        current_round=replace(current, current_betting_index=placed, current_hand=first_hand),
    )
    return Next(bet, lambda: Tell.all(_ids(state), BetPlaced(event.player, event.bet)))


def forbidden_bet(state: State) -> int | None:
    """The bet that would make the sum of all bets equal to the round size, when the last player is to bet.

    At most one bet is forbidden and a round has at least one card, so of the bets 0 to X at least one is always left.
    """
    current = _round(state)
    if current.current_betting_index < len(current.betting_order) - 1:
        return None
    return current.cards_per_player - sum(player.bet or 0 for player in state.players)


@updown.on(Phase.PLAYING_HAND, PlayCard, to={"more cards": Phase.PLAYING_HAND, "last card": Phase.HAND_COMPLETE})
def play_card(state: State, event: PlayCard) -> Next[State] | Rejection:
    """The current player plays a card. The first card of a hand sets the pinta; who holds it must follow it."""
    current, hand = _hand(state)
    if event.player != hand.hand_order[hand.current_player_index]:
        return _refuse_player(state, event.player, NOT_YOUR_TURN)
    seat = _seat(state, event.player)
    player = state.players[seat]
    if event.card not in player.hand:
        return CARD_NOT_IN_HAND
    if event.card not in playable(player.hand, hand.pinta):
        return MUST_FOLLOW_PINTA
    played = hand.current_player_index + 1
    laid = replace(
        hand,
        cards_played=(*hand.cards_played, PlayedCard(event.player, event.card)),
        pinta=hand.pinta or event.card.suit,
        current_player_index=played,
    )
    after = replace(
        state,
        phase=Phase.PLAYING_HAND if played < len(hand.hand_order) else Phase.HAND_COMPLETE,
        players=_put(state.players, seat, replace(player, hand=_without(player.hand, event.card))),
        current_round=replace(current, current_hand=laid),
    )
    return Next(after, lambda: Tell.all(_ids(state), CardPlayed(event.player, event.card)))


@updown.auto(Phase.HAND_COMPLETE, to={"more hands": Phase.PLAYING_HAND, "round done": Phase.ROUND_COMPLETE})
def complete_hand(state: State) -> Next[State]:
    """The hand's winner is determined, and leads the next hand of the round."""
    current, hand = _hand(state)
    assert hand.pinta is not None, "a complete hand has a first card"
    winner = best_of(hand.cards_played, current.mesa.suit).player_id
    result = HandResult(hand.hand_number, hand.cards_played, hand.pinta, winner)
    is_done = hand.hand_number == current.cards_per_player
    next_hand = None if is_done else start_hand(hand.hand_number + 1, hand.hand_order, winner)
    seat = _seat(state, winner)
    after = replace(
        state,
        phase=Phase.ROUND_COMPLETE if is_done else Phase.PLAYING_HAND,
        players=_put(state.players, seat, replace(state.players[seat], hands_won=state.players[seat].hands_won + 1)),
        current_round=replace(current, current_hand=next_hand, completed_hands=(*current.completed_hands, result)),
    )
    return Next(after, lambda: Tell.all(_ids(state), HandCompleted(result)))


@updown.auto(Phase.ROUND_COMPLETE, to={"more rounds": Phase.DEALING, "all rounds done": Phase.GAME_COMPLETE})
def complete_round(state: State) -> Next[State]:
    """Scores are calculated and the round is kept as history. After the last round the seed is shown."""
    current = _round(state)
    results = tuple(map(_result, state.players))
    done = RoundResult(
        current.round_number,
        current.cards_per_player,
        current.mesa,
        current.starting_player_id,
        results,
        current.completed_hands,
    )
    is_over = current.round_number == len(state.round_sequence)
    after = replace(
        state,
        phase=Phase.GAME_COMPLETE if is_over else Phase.DEALING,
        players=tuple(PlayerState(result.player_id, (), None, 0, result.score) for result in results),
        current_round=None,
        completed_rounds=(*state.completed_rounds, done),
    )
    ending = [lambda: _tell_end(after)] if is_over else []
    return Next(after, lambda: Tell.all(_ids(state), RoundCompleted(current.round_number, results)), *ending)


def points(bet: int, hands_won: int) -> int:
    """Ten and two for each hand won by whoever won exactly as many as it bet; nothing for the others."""
    return POINTS_FOR_THE_BET + POINTS_A_HAND * hands_won if bet == hands_won else 0


# sight


def view(state: State, player: PlayerId | None) -> View:
    """The match as `player` sees it; `None` looks on from outside. Never another's hand, never the seed."""
    return View(
        phase=state.phase,
        players=tuple(
            PlayerView(
                id=each.id,
                hand=each.hand if each.id == player else None,
                hand_size=len(each.hand),
                bet=each.bet,
                hands_won=each.hands_won,
                score=each.score,
            )
            for each in state.players
        ),
        player_order=state.player_order,
        current_round=state.current_round,
        round_sequence=state.round_sequence,
        completed_rounds=state.completed_rounds,
    )


def actions(state: State, player: PlayerId) -> tuple[StartGame, ...] | tuple[PlaceBet, ...] | tuple[PlayCard, ...]:
    """The start for the admin; every bet or card that is legal for whose turn it is; nothing while no phase waits."""
    match state.phase:
        case Phase.WAITING:
            is_due = len(state.players) in SEATS and player == state.players[0].id
            return (StartGame(player),) if is_due else ()
        case Phase.BETTING:
            return _bets(state, player)
        case Phase.PLAYING_HAND:
            return _cards(state, player)
    return ()


def _bets(state: State, player: PlayerId) -> tuple[PlaceBet, ...]:
    current = _round(state)
    if player != current.betting_order[current.current_betting_index]:
        return ()
    forbidden = forbidden_bet(state)
    return tuple([PlaceBet(player, bet) for bet in range(current.cards_per_player + 1) if bet != forbidden])


def _cards(state: State, player: PlayerId) -> tuple[PlayCard, ...]:
    _, hand = _hand(state)
    if player != hand.hand_order[hand.current_player_index]:
        return ()
    held = state.players[_seat(state, player)].hand
    return tuple([PlayCard(player, card) for card in playable(held, hand.pinta)])


def dealer(state: State) -> Event | None:
    """Once everybody sits there, the table starts on behalf of its admin, who may also do it without the table."""
    return next(iter(actions(state, state.players[0].id)), None) if state.phase is Phase.WAITING else None


# end


def outcome(state: State) -> Outcome | None:
    """The match ends with its last round."""
    return standing(state) if state.phase is Phase.GAME_COMPLETE else None


def standing(state: State) -> Outcome:
    """The highest total wins; equal totals share the win."""
    scores = ByPlayer({player.id: player.score for player in state.players})
    best = max(scores.values())
    return Outcome(tuple(player for player, score in scores.items() if score == best), scores)


# small things the functions above share


def _ids(state: State) -> Players:
    return tuple([player.id for player in state.players])


def _seat(state: State, player: PlayerId) -> int:
    """Where a player who is known to be there sits."""
    return [each.id for each in state.players].index(player)


def _refuse_player(state: State, player: PlayerId, otherwise: Rejection) -> Rejection:
    """Somebody without a seat is unknown; somebody else is refused for another reason."""
    if player in _ids(state):
        return otherwise
    return Rejection(Code.UNKNOWN_PLAYER, f"{player} has no seat in this match")


def _put(players: tuple[PlayerState, ...], seat: int, player: PlayerState) -> tuple[PlayerState, ...]:
    seated = list(players)
    seated[seat] = player
    return tuple(seated)


def _without(held: Hand, card: Card) -> Hand:
    gone = held.index(card)
    return held[:gone] + held[gone + 1 :]


def _sorted_hand(numbers: Sequence[int]) -> Hand:
    return tuple([DECK[number] for number in sorted(numbers)])


def _round(state: State) -> RoundState:
    assert state.current_round is not None, "a round has been dealt"
    return state.current_round


def _hand(state: State) -> tuple[RoundState, HandState]:
    current = _round(state)
    assert current.current_hand is not None, "a hand has been started"
    return current, current.current_hand


def _result(player: PlayerState) -> PlayerResult:
    assert player.bet is not None, "everybody has bet"
    gained = points(player.bet, player.hands_won)
    return PlayerResult(player.id, player.bet, player.hands_won, gained, player.score + gained)


def _tell_hands(state: State) -> Tell:
    """Each player learns its own hand, and everybody the mesa and who bets in which order."""
    current = _round(state)
    number, size, mesa, order = current.round_number, current.cards_per_player, current.mesa, current.betting_order
    return Tell((ByPlayer({each.id: RoundDealt(number, size, mesa, order, each.hand) for each in state.players}),))


def _tell_end(state: State) -> Tell:
    ended = outcome(state)
    assert ended is not None
    return Tell.all(_ids(state), GameCompleted(ended.winners, ended.scores, state.seed))


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
    players=_ids,
    outcome=outcome,
)
