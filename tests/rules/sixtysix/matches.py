"""Matches of 66 in its own notation: `act(turn(alice="12 4 9 1", draws="3"), "alice take", "alice keep 0")`.

A match made here is one that was dealt, with its 52 cards put in another order: any order can be dealt.
"""

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from tests.conformance import Departure
from tests.rules.notation import Notation
from turnstile.games.sixtysix.cards import DECK, Card, Hand, Seat, hand, notation
from turnstile.games.sixtysix.moves import (
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
from turnstile.games.sixtysix.rules import dealer, new, sixtysix
from turnstile.games.sixtysix.state import Options, Phase, Round, State
from turnstile.kernel import Acks, Event, PlayerId, Seed
from turnstile.studies.sixtysix import violation

ALICE, BOB, CAROL = PLAYERS = (PlayerId("alice"), PlayerId("bob"), PlayerId("carol"))
ALICE_SEAT, BOB_SEAT, CAROL_SEAT = Seat(0), Seat(1), Seat(2)
HANDS = {ALICE: "12 4 9 1", BOB: "5 8 3 10", CAROL: "11 2 6 6"}

# The edges of the diagram, as they are drawn: from where, on what, to where. Choices that decide by themselves are
# `auto`; `discarded` and `replacing_cards` wait for the player.
DIAGRAM = {
    ("[*]", "StartGame", "ROUND_STARTING"),
    ("ROUND_STARTING", "Acks", "READY_FOR_TURN"),
    ("READY_FOR_TURN", "TakeCardFromDeck", "DECK_CARD_TAKEN"),
    ("READY_FOR_TURN", "ReplaceCardByDiscarded", "REPLACING_CARD_BY_DISCARDED"),
    ("READY_FOR_TURN", "StopRound", "ROUND_STOPPING"),
    ("READY_FOR_TURN", "ShowCards", "SHOWING_CARDS"),
    ("SHOWING_CARDS", "Acks", "comparing_cards"),
    ("comparing_cards", "auto", "READY_FOR_TURN"),
    ("comparing_cards", "auto", "replacing_cards"),
    ("replacing_cards", "ReplaceCardsFromDeck", "REPLACING_MULTIPLE_CARDS_FROM_DECK"),
    ("replacing_cards", "ReplaceCardsByDiscarded", "REPLACING_MULTIPLE_CARDS_BY_DISCARDED"),
    ("DECK_CARD_TAKEN", "ReplaceCardFromDeck", "REPLACING_CARD_FROM_DECK"),
    ("REPLACING_CARD_FROM_DECK", "Acks", "turn_done"),
    ("DECK_CARD_TAKEN", "Discard", "DISCARDING"),
    ("DISCARDING", "Acks", "discarded"),
    ("discarded", "auto", "turn_done"),
    ("discarded", "PeekOwnCard", "PEEKING_OWN_CARD"),
    ("discarded", "PeekAnothersCard", "PEEKING_ANOTHERS_CARD"),
    ("discarded", "ExchangeCards", "EXCHANGING_CARDS"),
    ("REPLACING_CARD_BY_DISCARDED", "Acks", "READY_FOR_TURN"),
    ("REPLACING_MULTIPLE_CARDS_BY_DISCARDED", "Acks", "READY_FOR_TURN"),
    ("ROUND_STOPPING", "Acks", "READY_FOR_TURN"),
    ("REPLACING_MULTIPLE_CARDS_FROM_DECK", "Acks", "turn_done"),
    ("PEEKING_OWN_CARD", "Acks", "turn_done"),
    ("PEEKING_ANOTHERS_CARD", "Acks", "turn_done"),
    ("EXCHANGING_CARDS", "Acks", "turn_done"),
    ("turn_done", "auto", "READY_FOR_TURN"),
    ("turn_done", "auto", "round_done"),
    ("round_done", "auto", "ROUND_FINISHED"),
    ("round_done", "auto", "GAME_FINISHED"),
    ("ROUND_FINISHED", "StartNextRound", "ROUND_STARTING"),
}

DEPARTURES = (
    Departure(
        "Every end of a turn goes through `turn_done`",
        gone={
            ("comparing_cards", "auto", "READY_FOR_TURN"),
            ("REPLACING_CARD_BY_DISCARDED", "Acks", "READY_FOR_TURN"),
            ("REPLACING_MULTIPLE_CARDS_BY_DISCARDED", "Acks", "READY_FOR_TURN"),
            ("ROUND_STOPPING", "Acks", "READY_FOR_TURN"),
        },
        new={
            ("comparing_cards", "auto", "turn_done"),
            ("REPLACING_CARD_BY_DISCARDED", "Acks", "turn_done"),
            ("REPLACING_MULTIPLE_CARDS_BY_DISCARDED", "Acks", "turn_done"),
            ("ROUND_STOPPING", "Acks", "turn_done"),
        },
    ),
    Departure(
        "`discarded` always waits",
        gone={("discarded", "auto", "turn_done")},
        new={("DISCARDING", "Acks", "turn_done")},
    ),
    Departure(
        "`NOT_STARTED`",
        gone={("[*]", "StartGame", "ROUND_STARTING")},
        new={("NOT_STARTED", "StartGame", "ROUND_STARTING")},
    ),
)


def lobby(players: Sequence[PlayerId] = PLAYERS, seed: str = "7") -> State:
    """These players, before the match starts."""
    match = new(players, Options(), Seed(seed))
    assert isinstance(match, State), match
    return match


def turn(
    of: PlayerId = ALICE,
    *,
    alice: str = HANDS[ALICE],
    bob: str = HANDS[BOB],
    carol: str = HANDS[CAROL],
    pile: str = "7",
    draws: str = "",
    left: int | None = None,
    totals: tuple[int, int, int] = (0, 0, 0),
) -> State:
    """The first turn of a round. The `pile` has its top last, the first of `draws` is drawn first.

    A hand without marks is as dealt: its owner has seen the first two cards. With `left`, all but so many cards of the
    deck are under the top of the discard pile.
    """
    halves = tuple(points // 2 for points in totals), tuple(points - points // 2 for points in totals)
    before = tuple(Round(3, None, scores) for scores in halves) if any(totals) else ()
    hands = tuple(_hand(text, Seat(seat)) for seat, text in enumerate((alice, bob, carol)))
    fixed = [int(value) for value in f"{pile} {draws}".split()] + [card.value for held in hands for card in held]
    rest = sorted((Counter(DECK) - Counter(fixed)).elements())
    assert len(rest) + len(fixed) == len(DECK), "there are not so many cards of a value"
    deck = (*rest, *reversed([int(value) for value in draws.split()]))
    gone, deck = (deck[: len(deck) - left], deck[len(deck) - left :]) if left is not None else ((), deck)
    match = replace(
        lobby(),
        phase=Phase.READY_FOR_TURN,
        hands=hands,
        deck=deck,
        discarded=(*gone, *[int(value) for value in pile.split()]),
        turn=Seat(PLAYERS.index(of)),
        starter=Seat(PLAYERS.index(of)),
        totals=totals,
        rounds=before,
    )
    assert violation(match) is None, violation(match)
    return match


def _hand(text: str, seat: Seat) -> Hand:
    held = hand(text)
    if ":" in text:
        return held
    return tuple(Card(card.value, (seat,) if index < 2 else ()) for index, card in enumerate(held))


def event(text: str) -> Event:
    """An event in short notation: `acks`, or a player and what it does; another's card is written `1.3`."""
    if text == "acks":
        return Acks()
    name, verb, *words = text.split()
    player, numbers = PlayerId(name), [int(part) for word in words for part in word.split(".")]
    match verb, len(numbers):
        case "show", _:
            return ShowCards(player, tuple(numbers))
        case "peek", 2:
            return PeekAnothersCard(player, *numbers)
        case "exchange", 3:
            return ExchangeCards(player, *numbers)
        case _, 1:
            kinds = {"keep": ReplaceCardFromDeck, "pick": ReplaceCardByDiscarded, "peek": PeekOwnCard}
            return kinds[verb](player, numbers[0])
    return PLAIN[verb](player)


spoken = Notation(sixtysix, event)
step, play, refusal = spoken.step, spoken.play, spoken.refusal


PLAIN = {
    "start": StartGame,
    "take": TakeCardFromDeck,
    "stop": StopRound,
    "discard": Discard,
    "blind": ReplaceCardsFromDeck,
    "open": ReplaceCardsByDiscarded,
    "next": StartNextRound,
}


def act(match: State, *texts: str) -> State:
    """The match after these actions, each acknowledged by everybody."""
    for text in texts:
        match = play(match, text)
        while dealer(match):
            match = play(match, "acks")
    return match


def shown(match: State, player: PlayerId) -> str:
    """A hand in short notation."""
    return notation(match.hands[PLAYERS.index(player)])


def values(match: State, player: PlayerId) -> list[int]:
    return [card.value for card in match.hands[PLAYERS.index(player)]]


def in_phase(phase: Phase) -> State:
    """Some match that rests in this phase; it is Alice's turn, wherever it is somebody's."""
    pair = turn(alice="5 5 9 1", bob="4 8 3 10")
    power = {7: "peek 0", 9: "peek 1.0", 11: "exchange 0 1.0"}
    used = {value: play(turn(draws=str(value)), "alice take", "alice discard", "acks") for value in power}
    after = {value: play(used[value], f"alice {text}") for value, text in power.items()}
    taken = play(turn(), "alice take")
    stopped = act(turn(BOB), "bob stop", "carol take", "carol discard")
    return {
        Phase.NOT_STARTED: lobby(),
        Phase.ROUND_STARTING: play(lobby(), "alice start"),
        Phase.READY_FOR_TURN: turn(),
        Phase.DECK_CARD_TAKEN: taken,
        Phase.REPLACING_CARD_FROM_DECK: play(taken, "alice keep 0"),
        Phase.DISCARDING: play(taken, "alice discard"),
        Phase.DISCARDED: used[7],
        Phase.PEEKING_OWN_CARD: after[7],
        Phase.PEEKING_ANOTHERS_CARD: after[9],
        Phase.EXCHANGING_CARDS: after[11],
        Phase.REPLACING_CARD_BY_DISCARDED: play(turn(), "alice pick 0"),
        Phase.ROUND_STOPPING: play(turn(), "alice stop"),
        Phase.SHOWING_CARDS: play(pair, "alice show 0 1"),
        Phase.REPLACING_CARDS: play(pair, "alice show 0 1", "acks"),
        Phase.REPLACING_MULTIPLE_CARDS_FROM_DECK: play(pair, "alice show 0 1", "acks", "alice blind"),
        Phase.REPLACING_MULTIPLE_CARDS_BY_DISCARDED: play(pair, "alice show 0 1", "acks", "alice open"),
        Phase.ROUND_FINISHED: act(stopped, "alice take", "alice discard"),
        Phase.GAME_FINISHED: act(turn(BOB, totals=(66, 0, 0)), "bob stop", "carol pick 0", "alice pick 1"),
    }[phase]


RESTING = tuple(phase for phase in Phase if phase not in {row.phase for row in sixtysix.rows if row.event is None})
