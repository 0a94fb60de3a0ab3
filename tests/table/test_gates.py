"""66 at a table: its messages come batch by batch, exactly as the sequence diagrams of its specification draw them.

Where only the active player is told something, the others see something else all the same (the deck is smaller): they
get an update without messages, which no gate waits for.
"""

from typing import Any

import pytest

from tests.rules.sixtysix.matches import ALICE, BOB, CAROL, act, turn
from tests.table.tables import Sitting, Update, around, batches, heard, play, refusal, started, starting
from turnstile.kernel import PlayerId
from turnstile.table.values import Code, Phase

ALICE_THEN_BOB = ["alice NextTurn, carol NextTurn", "bob YourTurn"]
"""Phase B: the others hear first whose turn it is, and when they know, that player."""
BOB_THEN_CAROL = ["alice NextTurn, bob NextTurn", "carol YourTurn"]


def all_told(active: str, others: str) -> str:
    """One batch, in which the active player is Bob."""
    return f"alice {others}, bob {active}, carol {others}"


def bobs_turn(**cards: str) -> Sitting:
    return around(turn(BOB, **cards))  # type: ignore[arg-type]


# phase A


def test_phase_A_everyone_is_told_the_state_then_its_first_two_cards_then_whose_turn_it_is() -> None:
    table = started("66", "alice bob carol")
    told = batches(table, "alice start")
    assert told[:2] == [all_told("GameState", "GameState"), all_told("FirstTwoCards", "FirstTwoCards")]
    starter = play(table, "alice start", "acks", "acks", "acks", "acks").match.turn
    names = ("alice", "bob", "carol")
    assert told[2:] == [
        ", ".join(f"{name} NextTurn" for name in names if name != names[starter]),
        f"{names[starter]} YourTurn",
    ]


def update_with(table: Sitting, player: PlayerId | None, message: str) -> Update:
    """The first update of a stream that brings this message."""
    return next(update for update in table.streams[player] if update.names == message)


def cards_of(update: Update, seat: int) -> list[dict[str, Any]]:
    """A hand as a view shows it."""
    assert update.view is not None
    cards: list[dict[str, Any]] = update.view["seen"][seat]
    return cards


FACE_DOWN: dict[str, Any] = {"value": None, "seenBy": []}


@pytest.mark.parametrize("seat", range(3))
def test_phase_A_no_player_sees_a_card_before_it_is_told_its_first_two(seat: int) -> None:
    names = ("alice", "bob", "carol")
    table = heard(play(started("66", " ".join(names)), "alice start"))
    told, me = table.streams[PlayerId(names[seat])], PlayerId(names[seat])
    before, after = update_with(table, me, "GameState"), update_with(table, me, "FirstTwoCards")
    assert told.index(after) == told.index(before) + 1
    assert [cards_of(before, other) for other in range(3)] == [[FACE_DOWN] * 4] * 3
    (message,) = after.messages
    first_two = [{"value": message[name], "seenBy": [seat]} for name in ("value1", "value2")]
    assert cards_of(after, seat) == [*first_two, FACE_DOWN, FACE_DOWN]


def test_phase_A_the_next_rounds_cards_are_not_seen_either_before_they_are_told() -> None:
    over = around(act(turn(BOB), "bob stop", "carol take", "carol discard", "alice take", "alice discard"))
    table = heard(play(over, "carol next"))
    assert cards_of(update_with(table, CAROL, "GameState"), 2) == [FACE_DOWN] * 4
    assert cards_of(update_with(table, CAROL, "FirstTwoCards"), 2)[0]["value"] is not None


def test_phase_A_spectators_look_again_when_the_last_batch_is_told() -> None:
    table = play(started("66", "alice bob carol"), "alice start")
    before = len(table.streams[None])
    table = play(table, "acks")
    assert [update.names for update in table.streams[None][before:]] == ["-"]
    assert cards_of(table.last(None), 0)[0] == {"value": None, "seenBy": [0]}


# phase C


def test_phase_C_only_who_takes_a_card_is_told_which() -> None:
    assert batches(bobs_turn(), "bob take") == ["bob TookDeckCard"]


def test_phase_C_the_others_see_that_the_deck_is_smaller_and_need_not_acknowledge_it() -> None:
    table = play(bobs_turn(), "bob take")
    assert table.stream(ALICE) == table.stream(CAROL) == ["-"]
    assert play(table, "acks bob 1").state.phase is Phase.PLAYING


def test_phase_C_replace_a_card_by_the_discarded_one() -> None:
    told = batches(bobs_turn(), "bob pick 0")
    assert told == [all_told("ReplacedCardByDiscarded", "CardReplacedByDiscarded"), *BOB_THEN_CAROL]


def test_phase_C_a_claim_that_succeeds_is_shown_to_the_others_first() -> None:
    told = batches(bobs_turn(bob="5 5 3 10"), "bob show 0 1")
    assert told == ["alice IdenticalCardsShown, carol IdenticalCardsShown", "bob ShowedIdenticalCards"]


def test_phase_C_a_claim_that_fails_is_told_to_all_at_once() -> None:
    told = batches(bobs_turn(), "bob show 0 1")
    assert told == [all_told("ShowedDifferentCards", "DifferentCardsShown"), *BOB_THEN_CAROL]


def test_phase_C_stop_the_round() -> None:
    assert batches(bobs_turn(), "bob stop") == [all_told("InitiatedStop", "StopInitiated"), *BOB_THEN_CAROL]


# phase D


def taken_by_bob(value: str) -> Sitting:
    return play(bobs_turn(draws=value), "bob take", "acks")


def test_phase_D_replace_a_card_by_the_one_from_the_deck() -> None:
    told = batches(taken_by_bob("3"), "bob keep 0")
    assert told == [all_told("ReplacedCardFromDeck", "CardReplacedFromDeck"), *BOB_THEN_CAROL]


def test_phase_D_a_plain_card_is_discarded_before_all_at_once() -> None:
    told = batches(taken_by_bob("3"), "bob discard")
    assert told == [all_told("DiscardedCard", "CardDiscarded"), *BOB_THEN_CAROL]


@pytest.mark.parametrize(
    ("value", "invited", "used", "mine", "theirs"),
    [
        ("7", "PeekingOwnCard", "bob peek 0", "OwnCard", "OwnCardPeeked"),
        ("8", "PeekingOwnCard", "bob peek 0", "OwnCard", "OwnCardPeeked"),
        ("9", "PeekingAnothersCard", "bob peek 0.1", "AnothersCard", "AnothersCardPeeked"),
        ("10", "PeekingAnothersCard", "bob peek 0.1", "AnothersCard", "AnothersCardPeeked"),
        ("11", "ExchangingCards", "bob exchange 0 0.1", "ExchangedCards", "CardsExchanged"),
        ("12", "ExchangingCards", "bob exchange 0 0.1", "ExchangedCards", "CardsExchanged"),
    ],
)
def test_phase_D_of_a_7_to_12_the_others_hear_first_then_its_player_uses_it(
    value: str, invited: str, used: str, mine: str, theirs: str
) -> None:
    told = batches(taken_by_bob(value), "bob discard", used)
    assert told == [
        "alice CardDiscarded, carol CardDiscarded",
        f"bob {invited}",
        all_told(mine, theirs),
        *BOB_THEN_CAROL,
    ]


# phase E


def test_phase_E_replace_several_cards_by_one_from_the_deck() -> None:
    table = play(bobs_turn(bob="5 5 3 10"), "bob show 0 1", "acks", "acks")
    assert batches(table, "bob blind") == [all_told("ReplacedCardsFromDeck", "CardsReplacedFromDeck"), *BOB_THEN_CAROL]


def test_phase_E_replace_several_cards_by_the_discarded_one() -> None:
    table = play(bobs_turn(bob="5 5 3 10"), "bob show 0 1", "acks", "acks")
    told = batches(table, "bob open")
    assert told == [all_told("ReplacedCardsByDiscarded", "CardsReplacedByDiscarded"), *BOB_THEN_CAROL]


# the final phase


def test_who_starts_the_next_round_hears_last_that_this_one_is_over_and_starts_it() -> None:
    last_turn = around(act(turn(BOB), "bob stop", "carol take", "carol discard", "alice take"))
    told = batches(last_turn, "alice discard", "carol next")
    assert told[:4] == [
        "alice DiscardedCard, bob CardDiscarded, carol CardDiscarded",
        "alice RoundFinished, bob RoundFinished",
        "carol RoundFinished",
        all_told("GameState", "GameState"),
    ]


def test_when_the_game_is_over_all_hear_of_it_and_acknowledge_and_then_comes_the_end_of_the_match() -> None:
    last_turn = around(act(turn(BOB, totals=(66, 0, 0)), "bob stop", "carol pick 0"))
    told = batches(last_turn, "alice pick 1")
    assert told[1:] == [all_told("GameFinished", "GameFinished"), all_told("MatchEnded", "MatchEnded")]


# the gate itself


def test_an_action_before_all_have_acknowledged_is_refused_from_every_player() -> None:
    table = play(bobs_turn(), "bob take")
    for early in ("bob discard", "alice take", "carol take"):
        assert refusal(table, early) == Code.ACKS_MISSING


def test_the_next_batch_waits_for_the_last_receiver_of_the_one_before() -> None:
    table = play(bobs_turn(), "bob stop")
    assert refusal(table, "acks alice 1 bob 1") == Code.ACKS_MISSING
    assert table.stream(CAROL) == ["StopInitiated"]
    assert play(table, "acks alice 1 bob 1 carol 1").stream(CAROL) == ["StopInitiated"]
    assert play(table, "acks", "acks").stream(CAROL) == ["StopInitiated", "YourTurn"]


def test_who_is_not_told_anything_by_a_batch_is_not_waited_for() -> None:
    table = play(bobs_turn(), "bob stop", "acks")
    assert play(table, "acks alice 2 bob 2").stream(CAROL) == ["StopInitiated", "YourTurn"]


def test_a_gate_passes_nothing_that_has_been_told_a_second_time() -> None:
    table = play(bobs_turn(), "bob stop", "acks", "acks")
    assert table.state.pending == ()
    assert [table.stream(player).count("StopInitiated") for player in (ALICE, CAROL)] == [1, 1]


def test_at_the_start_of_66_its_first_seat_starts_the_game() -> None:
    assert refusal(play(starting("66", "alice bob"), "acks"), "bob start") == "NotYourTurn"
