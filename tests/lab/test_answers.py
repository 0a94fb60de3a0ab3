"""What a bot answers: an action or its number, whatever library the number comes from."""

import numpy as np
import pytest

from turnstile.games.ecard import Card, Pick
from turnstile.kernel import PlayerId
from turnstile.lab.own_bots import BotFailed
from turnstile.lab.own_bots.answers import read_action

ACTIONS = [Pick(PlayerId("ana"), card) for card in (Card.EMPEROR, Card.CITIZEN)]


@pytest.mark.parametrize("said", [1, np.int64(1), np.array(1), np.argmax([0, 3]), Pick(PlayerId("ana"), Card.CITIZEN)])
def test_an_action_or_any_whole_number_is_an_answer(said: object) -> None:
    assert read_action("mine", said, ACTIONS) is ACTIONS[1]


@pytest.mark.parametrize("said", [True, 1.0, np.float64(1), np.array([1, 0]), [np.int64(1)], {"card": object()}, "1"])
def test_anything_else_is_refused_in_a_sentence(said: object) -> None:
    with pytest.raises(BotFailed, match="which is not one of its 2 actions, 0 to 1"):
        read_action("mine", said, ACTIONS)
