"""Kuhn poker: three cards, one each, one bet. Small, and half of it is secret: a game for the nets to be tried on."""

from collections.abc import Sequence
from dataclasses import replace as with_fields
from enum import StrEnum

from msgspec.structs import replace

from tests.testing.planter import rebuilt
from turnstile.kernel import (
    NEEDS_A_SEED,
    AnyGame,
    ByPlayer,
    Event,
    Game,
    Machine,
    Message,
    Move,
    Next,
    Outcome,
    PlayerId,
    Players,
    Rejection,
    Seed,
    Study,
    Tell,
    Transition,
    Value,
    refuse_players,
)
from turnstile.kernel.chance import derive, draw, shuffle

SEATS = range(2, 3)
CARDS = (1, 2, 3)  # jack, queen, king


class Phase(StrEnum):
    DEALING = "Dealing"
    BETTING = "Betting"
    FACING_A_BET = "FacingABet"
    FINISHED = "Finished"


class Code(StrEnum):
    NOT_YOUR_TURN = "NotYourTurn"


class State(Value, frozen=True):
    """The cards lie in the order of the seats. `turn` acts; `bets` are what each has put in beside the ante."""

    phase: Phase
    players: Players
    seed: Seed
    cards: tuple[int, ...] = ()
    turn: int = 0
    bets: tuple[int, int] = (0, 0)
    passes: int = 0
    folded: int | None = None


class View(Value, frozen=True):
    phase: Phase
    players: Players
    card: int | None
    turn: int
    bets: tuple[int, int]
    passes: int


class Deal(Event, frozen=True):
    """The cards are shuffled, and each player gets one."""


class Bet(Move, frozen=True):
    """One coin more; against a bet, a call."""


class Pass(Move, frozen=True):
    """No coin; against a bet, a fold."""


class CardDealt(Message, frozen=True):
    """For its receiver alone."""

    card: int


class Moved(Message, frozen=True):
    player: PlayerId
    is_bet: bool


kuhn: Machine[State] = Machine(
    "kuhn", Phase, start=Phase.DEALING, ends=(Phase.FINISHED,), state=State, messages=CardDealt | Moved, codes=Code
)


def new(players: Sequence[PlayerId], options: Value, seed: Seed | None) -> State | Rejection:
    if fault := refuse_players(players, SEATS):
        return fault
    return NEEDS_A_SEED if seed is None else State(Phase.DEALING, tuple(players), seed)


@kuhn.on(Phase.DEALING, Deal, to=Phase.BETTING)
def deal(state: State, event: Deal) -> Next[State]:
    dealt = replace(state, phase=Phase.BETTING, cards=shuffle(state.seed, "deal", 0, CARDS)[:2])
    cards = zip(dealt.players, dealt.cards, strict=True)
    return Next(dealt, Tell((ByPlayer({player: CardDealt(card) for player, card in cards}),)))


@kuhn.on(Phase.BETTING, Bet, to=Phase.FACING_A_BET)
@kuhn.on(Phase.FACING_A_BET, Bet, to=Phase.FINISHED)
def bet(state: State, event: Bet) -> Next[State] | Rejection:
    if event.player != state.players[state.turn]:
        return Rejection(Code.NOT_YOUR_TURN, "Wait for your turn.")
    bets = (state.bets[0] + (state.turn == 0), state.bets[1] + (state.turn == 1))
    phase = Phase.FACING_A_BET if state.phase is Phase.BETTING else Phase.FINISHED
    return moved(replace(state, phase=phase, bets=bets, turn=1 - state.turn), event.player, True)


@kuhn.on(Phase.BETTING, Pass, to={"the first pass": Phase.BETTING, "both have passed": Phase.FINISHED})
def pass_on(state: State, event: Pass) -> Next[State] | Rejection:
    if event.player != state.players[state.turn]:
        return Rejection(Code.NOT_YOUR_TURN, "Wait for your turn.")
    phase = Phase.FINISHED if state.passes else Phase.BETTING
    return moved(replace(state, phase=phase, passes=state.passes + 1, turn=1 - state.turn), event.player, False)


@kuhn.on(Phase.FACING_A_BET, Pass, to=Phase.FINISHED)
def fold(state: State, event: Pass) -> Next[State] | Rejection:
    if event.player != state.players[state.turn]:
        return Rejection(Code.NOT_YOUR_TURN, "Wait for your turn.")
    return moved(replace(state, phase=Phase.FINISHED, folded=state.turn), event.player, False)


def moved(after: State, player: PlayerId, is_bet: bool) -> Next[State]:
    return Next(after, Tell.all(after.players, Moved(player, is_bet)))


def view(state: State, player: PlayerId | None) -> View:
    has_card = player in state.players and state.cards
    card = state.cards[state.players.index(player)] if player is not None and has_card else None
    return View(state.phase, state.players, card, state.turn, state.bets, state.passes)


def actions(state: State, player: PlayerId) -> tuple[Move, ...]:
    is_due = state.phase in (Phase.BETTING, Phase.FACING_A_BET) and player == state.players[state.turn]
    return (Bet(player), Pass(player)) if is_due else ()


def outcome(state: State) -> Outcome | None:
    """The player who did not fold wins, or the higher card, and with it what the other has put in."""
    if state.phase is not Phase.FINISHED:
        return None
    winner = 1 - state.folded if state.folded is not None else state.cards.index(max(state.cards))
    won = 1 + state.bets[1 - winner]
    scores = {player: won if seat == winner else -won for seat, player in enumerate(state.players)}
    return Outcome((state.players[winner],), ByPlayer(scores))


game = Game(
    machine=kuhn,
    title="Kuhn poker",
    version=1,
    seats=SEATS,
    options=Value,
    new=new,
    view=view,
    actions=actions,
    dealer=lambda state: Deal() if state.phase is Phase.DEALING else None,
    outcome=outcome,
)


def redraw(state: State, player: PlayerId | None, seed: Seed) -> State:
    """A card of another could be any that is not one's own; a spectator knows none."""
    seat = state.players.index(player) if player in state.players else None
    own = [card for index, card in enumerate(state.cards) if index == seat]
    others = iter(shuffle(seed, "cards", 0, [card for card in CARDS if card not in own]))
    cards = tuple(card if index == seat else next(others) for index, card in enumerate(state.cards))
    return replace(state, cards=cards, seed=derive(seed, "seed"))


study: Study[State, View] = Study(redraw=redraw)


# leaks


def deal_and_tell_the_first_card(state: State, event: Deal) -> Next[State]:
    dealt = deal(state, event)
    assert isinstance(dealt, Next)
    return Next(dealt.state, Tell.all(state.players, CardDealt(dealt.state.cards[0])))


def leaky_game() -> AnyGame:
    """Both players are told the card of the first, instead of each its own."""

    def handler(row: Transition) -> object:
        return deal_and_tell_the_first_card if row.event is Deal else row.handler

    return with_fields(game, machine=rebuilt(kuhn, handler))  # type: ignore[arg-type]


def forgetful_redraw(state: State, player: PlayerId | None, seed: Seed) -> State:
    """What `redraw` must never be: the card of the other stays."""
    return replace(state, seed=Seed(f"seed {draw(seed, 'seed', 0, 1_000_000)}"))
