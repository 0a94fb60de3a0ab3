"""Who is told what in 66, in which order and in which batch: one test for each sequence diagram of the spec."""

from hashlib import sha256
from typing import get_args

import pytest

from tests.rules.sixtysix.matches import ALICE, BOB, CAROL, PLAYERS, act, lobby, play, step, turn, values
from turnstile.games.sixtysix import messages as m
from turnstile.games.sixtysix.cards import Seat
from turnstile.games.sixtysix.state import State
from turnstile.kernel import Commitment, Message, PlayerId, Seed, Step, encode, wire_name

A, B, C = Seat(0), Seat(1), Seat(2)
COMMITMENT = Commitment(sha256(b"7").hexdigest())


def together(taken: Step[State], others: Message, active: Message, player: PlayerId = ALICE) -> None:
    """One batch, with one message for the active player and another for all others."""
    assert taken.batches == [{who: active if who == player else others for who in PLAYERS}]


def others_first(taken: Step[State], others: Message, active: Message, player: PlayerId = ALICE) -> None:
    """Two batches: all others first, then the active player."""
    assert taken.batches == [{who: others for who in PLAYERS if who != player}, {player: active}]


# Phase A


def test_a_round_starts_with_the_game_state_for_everybody_and_then_two_cards_for_each() -> None:
    taken = step(lobby(), "alice start")
    public = (39, taken.state.discarded[-1], (4, 4, 4))
    cards = {who: values(taken.state, who) for who in PLAYERS}
    assert taken.batches == [
        {who: m.GameState(*public, Seat(seat), COMMITMENT) for seat, who in enumerate(PLAYERS)},
        {who: m.FirstTwoCards(cards[who][0], cards[who][1]) for who in PLAYERS},
    ]


def test_the_next_round_starts_in_the_same_way_and_with_the_same_commitment() -> None:
    taken = step(act(turn(CAROL), "carol stop", "alice pick 0", "bob pick 0"), "alice next")
    states, cards = taken.batches
    assert [type(message) for message in (*states.values(), *cards.values())] == [m.GameState] * 3 + [
        m.FirstTwoCards
    ] * 3
    assert all(isinstance(told, m.GameState) and told.commitment == COMMITMENT for told in states.values())


# Phase B


def test_a_turn_begins_with_next_turn_for_the_others_and_then_your_turn() -> None:
    others_first(step(play(turn(), "alice pick 0"), "acks"), m.NextTurn(B), m.YourTurn(), BOB)


def test_the_first_turn_begins_in_the_same_way() -> None:
    match = play(lobby(), "alice start")
    others_first(step(match, "acks"), m.NextTurn(match.turn), m.YourTurn(), PLAYERS[match.turn])


# Phase C


def test_who_takes_a_card_from_the_deck_is_told_its_value_and_nobody_else_is_told_anything() -> None:
    assert step(turn(draws="3"), "alice take").batches == [{ALICE: m.TookDeckCard(3, 38)}]


def test_a_card_is_replaced_by_the_discarded_one() -> None:
    taken = step(turn(alice="12 4 9 1", pile="7"), "alice pick 2")
    together(taken, m.CardReplacedByDiscarded(A, 2, 9), m.ReplacedCardByDiscarded(2, 9))


def test_a_claim_succeeds() -> None:
    taken = step(turn(alice="5 9 5 5", bob="4 8 3 10"), "alice show 0 2 3")
    others_first(taken, m.IdenticalCardsShown(A, (0, 2, 3), 5), m.ShowedIdenticalCards((0, 2, 3)))


def test_a_claim_fails_and_its_maker_is_not_told_the_values() -> None:
    taken = step(turn(alice="5 9 5 5", bob="4 8 3 10"), "alice show 1 2 3")
    together(taken, m.DifferentCardsShown(A, (1, 2, 3), (9, 5, 5)), m.ShowedDifferentCards((1, 2, 3)))


def test_after_a_successful_claim_nothing_more_is_told_until_the_player_chooses() -> None:
    assert step(play(turn(alice="5 9 5 5", bob="4 8 3 10"), "alice show 0 2"), "acks").batches == []


def test_the_round_is_stopped() -> None:
    together(step(turn(), "alice stop"), m.StopInitiated(A), m.InitiatedStop())


# Phase D


def test_a_card_is_replaced_from_the_deck_and_the_new_one_is_told_to_nobody() -> None:
    taken = step(play(turn(alice="12 4 9 1", draws="3"), "alice take"), "alice keep 0")
    together(taken, m.CardReplacedFromDeck(A, 0, 12), m.ReplacedCardFromDeck(0, 12))


def discarded(value: int) -> Step[State]:
    match = turn(alice="12 4 9 1", bob="8 8 3 10", carol="11 2 9 7", draws=str(value))
    return step(play(match, "alice take"), "alice discard")


@pytest.mark.parametrize("value", [0, 1, 2, 3, 4, 5, 6, 13])
def test_a_plain_card_is_discarded(value: int) -> None:
    together(discarded(value), m.CardDiscarded(A, value), m.DiscardedCard(value))


@pytest.mark.parametrize("value", [7, 8])
def test_a_7_or_8_is_discarded(value: int) -> None:
    taken = discarded(value)
    others_first(taken, m.CardDiscarded(A, value), m.PeekingOwnCard(value))
    waiting = step(taken.state, "acks")
    assert waiting.batches == []
    together(step(waiting.state, "alice peek 2"), m.OwnCardPeeked(A, 2), m.OwnCard(2, 9))


@pytest.mark.parametrize("value", [9, 10])
def test_a_9_or_10_is_discarded(value: int) -> None:
    taken = discarded(value)
    others_first(taken, m.CardDiscarded(A, value), m.PeekingAnothersCard(value))
    peeked = step(play(taken.state, "acks"), "alice peek 2.1")
    together(peeked, m.AnothersCardPeeked(A, C, 1), m.AnothersCard(C, 1, 2))


@pytest.mark.parametrize("value", [11, 12])
def test_an_11_or_12_is_discarded(value: int) -> None:
    taken = discarded(value)
    others_first(taken, m.CardDiscarded(A, value), m.ExchangingCards(value))
    exchanged = step(play(taken.state, "acks"), "alice exchange 3 1.2")
    together(exchanged, m.CardsExchanged(A, 3, B, 2), m.ExchangedCards(3, B, 2))


# Phase E


def test_shown_cards_are_replaced_by_a_card_from_the_deck_which_is_told_to_nobody() -> None:
    match = play(turn(alice="5 9 5 5", bob="4 8 3 10", draws="13"), "alice show 0 2", "acks")
    taken = step(match, "alice blind")
    together(taken, m.CardsReplacedFromDeck(A, (0, 2), 5), m.ReplacedCardsFromDeck((0, 2), 5))
    assert "13" not in encode(taken.effects).decode()


def test_shown_cards_are_replaced_by_the_discarded_one() -> None:
    match = play(turn(alice="5 9 5 5", bob="4 8 3 10"), "alice show 0 2", "acks")
    taken = step(match, "alice open")
    together(taken, m.CardsReplacedByDiscarded(A, (0, 2), 5), m.ReplacedCardsByDiscarded((0, 2), 5))


# Final phase


def last_turn(totals: tuple[int, int, int]) -> State:
    """Bob has started and stopped; Alice has had the last turn, and acknowledgements are awaited."""
    match = turn(BOB, alice="12 4 9 1", bob="5 8 3 6", carol="11 2 2 6", pile="12", totals=totals)
    return play(act(match, "bob stop", "carol show 0 1"), "alice show 0 1")


def test_a_round_is_finished_and_the_next_player_hears_of_it_last() -> None:
    taken = step(last_turn((10, 20, 30)), "acks")
    message = m.RoundFinished(3, (26, 32, 21), (36, 52, 51), C)
    others_first(taken, message, message, CAROL)


def test_the_game_is_finished_and_everybody_hears_of_it_at_once_and_is_shown_the_seed() -> None:
    taken = step(last_turn((60, 20, 30)), "acks")
    assert taken.batches == [dict.fromkeys(PLAYERS, m.GameFinished(3, (26, 32, 21), (86, 52, 51), Seed("7")))]


def test_the_seed_at_the_end_is_the_one_that_was_committed_to_at_the_start() -> None:
    first = step(lobby(), "alice start").batches[0][ALICE]
    last = step(last_turn((60, 20, 30)), "acks").batches[0][ALICE]
    assert isinstance(first, m.GameState)
    assert isinstance(last, m.GameFinished)
    assert sha256(last.seed.encode()).hexdigest() == first.commitment


# On the wire

NAMES = [
    "GameState",
    "FirstTwoCards",
    "NextTurn",
    "YourTurn",
    "TookDeckCard",
    "CardReplacedByDiscarded",
    "ReplacedCardByDiscarded",
    "IdenticalCardsShown",
    "ShowedIdenticalCards",
    "DifferentCardsShown",
    "ShowedDifferentCards",
    "StopInitiated",
    "InitiatedStop",
    "CardReplacedFromDeck",
    "ReplacedCardFromDeck",
    "CardDiscarded",
    "DiscardedCard",
    "PeekingOwnCard",
    "OwnCardPeeked",
    "OwnCard",
    "PeekingAnothersCard",
    "AnothersCardPeeked",
    "AnothersCard",
    "ExchangingCards",
    "CardsExchanged",
    "ExchangedCards",
    "CardsReplacedFromDeck",
    "ReplacedCardsFromDeck",
    "CardsReplacedByDiscarded",
    "ReplacedCardsByDiscarded",
    "RoundFinished",
    "GameFinished",
]


def test_the_messages_are_those_of_the_spec() -> None:
    assert [wire_name(kind) for kind in get_args(m.SixtySixMessage)] == NAMES


def test_parameters_have_the_names_of_the_spec() -> None:
    assert encode(m.GameState(39, 5, (4, 4), A, COMMITMENT)).decode() == (
        f'{{"type":"GameState","deckSize":39,"discardedValue":5,"handSizes":[4,4],"playerIndex":0,'
        f'"commitment":"{COMMITMENT}"}}'
    )
    assert encode(m.FirstTwoCards(1, 2)).decode() == '{"type":"FirstTwoCards","value1":1,"value2":2}'
    assert encode(m.CardsExchanged(A, 1, B, 2)).decode() == (
        '{"type":"CardsExchanged","playerIndex":0,"cardIndex":1,"anotherPlayerIndex":1,"anotherPlayerCardIndex":2}'
    )
    assert encode(m.RoundFinished(3, (1, 2), (3, 4), B)).decode() == (
        '{"type":"RoundFinished","turnCount":3,"scores":[1,2],"totalScores":[3,4],"nextPlayerIndex":1}'
    )
    assert encode(m.GameFinished(3, (1, 2), (3, 67), Seed("7"))).decode() == (
        '{"type":"GameFinished","roundCount":3,"scores":[1,2],"totalScores":[3,67],"seed":"7"}'
    )
