"""What `suite` promises of every game it also notices in a short one, whose random matches are soon over."""

import sys
from collections.abc import Callable
from dataclasses import replace as with_fields
from itertools import count
from typing import Any

import pytest
from hypothesis import Phase, settings
from msgspec.structs import force_setattr, replace

from tests.testing import kuhn
from tests.testing.planter import rebuilt
from turnstile.kernel import AnyGame, Message, Move, Next, Outcome, PlayerId, Tell, Transition
from turnstile.testing import suite

pytestmark = pytest.mark.uncounted

numbers = count()


class Sneezed(Message, frozen=True):
    """A message that the machine does not name."""


def with_faulty_moves(change: Callable[[kuhn.State, Next[kuhn.State]], Any]) -> AnyGame:
    """Kuhn poker, in which every accepted move gives what `change` makes of its state and its result."""

    def faulty(row: Transition) -> Callable[..., Any]:
        def handler(state: kuhn.State, event: Any) -> Any:
            result = row.handler(state, event)
            return change(state, result) if isinstance(event, Move) and isinstance(result, Next) else result

        return handler

    return with_fields(kuhn.game, machine=rebuilt(kuhn.kuhn, faulty))


def change_the_state(state: kuhn.State, result: Next[kuhn.State]) -> Next[kuhn.State]:
    force_setattr(state, "passes", state.passes + 1)
    return result


def draw_from_elsewhere(state: kuhn.State, result: Next[kuhn.State]) -> kuhn.State:
    return replace(result.state, passes=next(numbers))


def tell_a_stranger(state: kuhn.State, result: Next[kuhn.State]) -> Next[kuhn.State]:
    return Next(result.state, Tell.all([PlayerId("zoe")], kuhn.CardDealt(1)))


def tell_another_message(state: kuhn.State, result: Next[kuhn.State]) -> Next[kuhn.State]:
    return Next(result.state, Tell.all(state.players, Sneezed()))


def offer_bets_only(state: kuhn.State, player: PlayerId) -> tuple[Move, ...]:
    return kuhn.actions(state, player)[:1]


def let_a_stranger_win(state: kuhn.State) -> Outcome | None:
    outcome = kuhn.outcome(state)
    return outcome and Outcome((PlayerId("zoe"),), outcome.scores)


ANSWERS = "test_any_event_in_any_state_answers_and_leaves_the_state_as_it_was"
FAULTS = {
    "changes the state that it is given": (ANSWERS, with_faulty_moves(change_the_state)),
    "tells zoe, who is not in the match": (ANSWERS, with_faulty_moves(tell_a_stranger)),
    "does not name the message of .*Sneezed": (ANSWERS, with_faulty_moves(tell_another_message)),
    ": the same event in the same state gives another result": (
        "test_the_same_step_twice_gives_the_same_to_the_bit",
        with_faulty_moves(draw_from_elsewhere),
    ),
    "Pass.* is accepted, but not offered": (
        "test_what_is_offered_is_accepted_and_what_is_not_is_refused",
        with_fields(kuhn.game, actions=offer_bets_only),
    ),
    "a stranger is in the result": (
        "test_every_state_is_sound_and_nobody_acts_after_the_end",
        with_fields(kuhn.game, outcome=let_a_stranger_win),
    ),
}


@pytest.mark.parametrize("sentence", FAULTS)
def test_the_suite_names_the_mistake_of_an_author(sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules[suite.__module__]
    is_enough = settings(module.SETTINGS, phases=[Phase.generate], derandomize=True, database=None)  # without shrinking
    monkeypatch.setattr(module, "SETTINGS", is_enough)
    test, game = FAULTS[sentence]
    with pytest.raises(AssertionError, match=sentence):
        getattr(suite(game)(), test)()
