"""The cards of Up-Down and their short notation."""

from collections import Counter

import pytest

from turnstile.games.updown.cards import DECK, HEIGHT, Suit, card, hand, notation


def test_the_deck_has_52_different_cards_of_four_suits_and_thirteen_ranks() -> None:
    assert len(set(DECK)) == 52
    assert Counter(each.suit for each in DECK) == dict.fromkeys(Suit, 13)
    assert "".join(rank for rank, _ in sorted(HEIGHT.items(), key=lambda each: -each[1])) == "AKQJ1098765432"


@pytest.mark.parametrize("text", ["", "2C", "10H AS", " ".join(notation([each]) for each in DECK)])
def test_cards_read_and_write_themselves_in_short_notation(text: str) -> None:
    assert notation(hand(text)) == text


@pytest.mark.parametrize("text", ["1H", "AX", "A", "H", "10"])
def test_what_is_no_card_cannot_be_read(text: str) -> None:
    with pytest.raises(ValueError, match=r"suit|valid Rank"):
        card(text)
