"""The generic nets can see: a leak of each kind, in each resting phase of each game, is caught by what `suite` runs.

The table of plants is generated: kind by phase by game (`planter.py`). Beside it stand leaks that were missed once.
A leak in the timing of an update is planted in the table: tests/table/sight/test_secrecy.py.
"""

from dataclasses import replace as with_fields
from enum import StrEnum
from typing import Any

import pytest
from msgspec.structs import replace

from tests.testing import kuhn
from tests.testing.planter import SECRETS, Kind, planted, rebuilt
from turnstile.games import ecard, evenodd, updown
from turnstile.games.sixtysix import rules as sixtysix
from turnstile.games.sixtysix.sight import view as sixtysix_view
from turnstile.games.sixtysix.state import Phase as SixtySixPhase
from turnstile.games.sixtysix.state import Sight
from turnstile.kernel import AnyGame, AnyStudy, PlayerId, Rejection, Seed, Study
from turnstile.registry import find_game, names, study_of
from turnstile.testing import Leak, Overlooked, TooFew, forward_pairs, redraw_laws, suite, trace_pairs
from turnstile.testing.moments import Spot, open_phases

pytestmark = pytest.mark.uncounted


def found(name: str) -> AnyGame:
    game = find_game(name)
    assert game is not None
    return game


def run_leak_tests(game: AnyGame, study: AnyStudy) -> None:
    """The tests for leaks that `suite` gives to every game, and no others."""
    tests: Any = suite(game, study)()
    tests.test_forward_pairs_look_the_same()
    tests.test_trace_pairs_look_the_same()


PLANTS = [
    pytest.param(name, phase, kind, id=f"{name} {phase} {kind}")
    for name in names()
    for phase in open_phases(found(name))
    for kind in Kind
]


@pytest.mark.parametrize(("name", "phase", "kind"), PLANTS)
def test_a_leak_of_any_kind_in_any_phase_of_any_game_is_caught(name: str, phase: StrEnum, kind: Kind) -> None:
    game = found(name)
    with pytest.raises(Leak):
        run_leak_tests(planted(game, kind, phase, SECRETS[name]), study_of(game))


def test_the_table_of_plants_has_every_resting_phase_of_every_game_in_the_box() -> None:
    assert {name: len(open_phases(found(name))) for name in names()} == {
        "66": 17,
        "e-card": 3,
        "even-odd": 2,
        "up-down": 3,
    }
    assert len(PLANTS) == 25 * len(Kind)


# leaks that were missed once


def stopper_sees_all_hands(state: Any, player: PlayerId | None) -> Any:
    seen = sixtysix_view(state, player)
    if state.phase is not SixtySixPhase.READY_FOR_TURN or player is None or seen.player_index != state.stopper:
        return seen
    return replace(seen, seen=tuple(tuple(Sight(card.value, card.seen_by) for card in held) for held in state.hands))


def hands_are_shown_while_the_first_bets_are_made(state: Any, player: PlayerId | None) -> Any:
    seen = updown.view(state, player)
    if state.phase is not updown.Phase.BETTING or state.current_round.current_betting_index > 1:
        return seen
    hands = [replace(each, hand=held.hand) for each, held in zip(seen.players, state.players, strict=True)]
    return replace(seen, players=tuple(hands))


def choose_and_hint(state: Any, event: Any) -> Any:
    """An invalid choice is refused with a sentence that depends on what the other has chosen."""
    answer = evenodd.choose(state, event)
    if isinstance(answer, Rejection) and answer.code == evenodd.Code.INVALID_CHOICE:
        others = [choice for who, choice in state.choices.items() if who != event.player]
        return replace(answer, sentence=f"{answer.sentence} Now.") if evenodd.Parity.ODD in others else answer
    return answer


MISSED_ONCE: dict[str, tuple[AnyGame, AnyStudy]] = {
    "66: the stopper sees all hands when a turn begins": (
        with_fields(sixtysix.game, view=stopper_sees_all_hands),
        study_of(sixtysix.game),
    ),
    "Up-Down: hands are shown while the first bets are made": (
        with_fields(updown.game, view=hands_are_shown_while_the_first_bets_are_made),
        study_of(updown.game),
    ),
    "Even/Odd: the sentence of E004 depends on the other's choice": (
        with_fields(
            evenodd.game,
            machine=rebuilt(
                evenodd.evenodd, lambda row: choose_and_hint if row.event is evenodd.ChooseParity else row.handler
            ),
        ),
        study_of(evenodd.game),
    ),
    "Kuhn poker: both players are told the first player's card": (kuhn.leaky_game(), kuhn.study),
}


@pytest.mark.parametrize(("game", "study"), MISSED_ONCE.values(), ids=MISSED_ONCE)
def test_a_leak_that_was_missed_once_is_caught(game: AnyGame, study: AnyStudy) -> None:
    with pytest.raises(Leak):
        run_leak_tests(game, study)


# the honest games, and what was compared in them

HIDDEN: dict[str, dict[StrEnum, str]] = {
    "e-card": {ecard.Phase.PICKING: "pending_picks"},
    "even-odd": {evenodd.Phase.COLLECTING_CHOICES: "choices"},
    "up-down": {updown.Phase.BETTING: "players", updown.Phase.PLAYING_HAND: "players"},
    "66": {
        phase: "deck" if phase is SixtySixPhase.ROUND_FINISHED else "hands"
        for phase in open_phases(sixtysix.game)
        if phase is not SixtySixPhase.NOT_STARTED
    },
}
"""What is hidden in each phase beside the seed. Where nothing stands, there is the seed alone."""
FEWEST = 5  # pairs that differ in more than the seed

SECRET_STEPS: dict[str, set[StrEnum]] = {
    "e-card": {ecard.Phase.PICKING},
    "even-odd": {evenodd.Phase.COLLECTING_CHOICES},
    "up-down": {updown.Phase.WAITING, updown.Phase.PLAYING_HAND},
    "66": {SixtySixPhase.NOT_STARTED, SixtySixPhase.ROUND_FINISHED},
}
"""In which phases something is done or drawn that some may not know."""


@pytest.mark.parametrize("name", names())
def test_forward_pairs_differ_in_more_than_the_seed_for_every_phase_and_seat(name: str) -> None:
    counts = forward_pairs(found(name), study_of(found(name)))
    seats = found(name).seats[-1]
    assert len(counts.pairs) == len(open_phases(found(name))) * (seats + 1), counts
    for spot, hidden in counts.hidden.items():
        assert hidden[HIDDEN[name].get(spot.phase, "seed")] >= FEWEST, f"{spot}\n{counts}"


@pytest.mark.parametrize("name", names())
def test_trace_pairs_compare_moves_and_draws_that_really_differ(name: str) -> None:
    counts = trace_pairs(found(name), study_of(found(name)))
    assert {spot.phase for spot in counts.pairs} == SECRET_STEPS[name], counts
    wanted = [Spot(phase, seat) for phase in SECRET_STEPS[name] for seat in (*range(found(name).seats[-1]), None)]
    assert all(counts.pairs[spot] >= FEWEST for spot in wanted), counts


def test_kuhn_poker_as_it_should_be_passes() -> None:
    run_leak_tests(kuhn.game, kuhn.study)
    redraw_laws(kuhn.game, kuhn.study)


# the nets do not pass for want of something to compare


def test_a_redraw_that_forgets_something_hidden_is_found() -> None:
    with pytest.raises(Overlooked, match=r"kuhn tells .* nothing of a difference in cards"):
        trace_pairs(kuhn.game, Study(redraw=kuhn.forgetful_redraw))


def test_a_redraw_that_changes_nothing_is_found() -> None:
    with pytest.raises(TooFew, match="Dealing, seat 1: 0 pairs of different worlds, and 12 are demanded"):
        forward_pairs(kuhn.game, Study(redraw=lambda state, player, seed: state))


def test_a_game_that_hides_nothing_says_so() -> None:
    open_game: AnyStudy = Study(redraw=lambda state, player, seed: state, sees_everything=lambda state, player: True)
    counts = forward_pairs(kuhn.game, open_game)
    assert len(counts.nothing_hidden) == 9
    assert "Betting, seat 2: nothing is hidden" in str(counts)


def test_who_claims_to_hide_nothing_must_redraw_nothing() -> None:
    with pytest.raises(AssertionError, match="`redraw` finds something hidden"):
        redraw_laws(kuhn.game, Study(redraw=kuhn.redraw, sees_everything=lambda state, player: True))


def test_a_redraw_that_looks_at_what_is_hidden_is_found() -> None:
    def peeking(state: kuhn.State, player: PlayerId | None, seed: Seed) -> kuhn.State:
        return replace(kuhn.redraw(state, player, seed), seed=Seed(f"not {state.seed}"))

    with pytest.raises(AssertionError, match="`redraw` depends on something hidden"):
        redraw_laws(kuhn.game, Study(redraw=peeking))


def test_a_redraw_that_keeps_the_seed_is_found() -> None:
    def keeping(state: kuhn.State, player: PlayerId | None, seed: Seed) -> kuhn.State:
        return replace(kuhn.redraw(state, player, seed), seed=state.seed)

    with pytest.raises(Overlooked, match=r"kuhn tells .* nothing of a difference in seed"):
        redraw_laws(kuhn.game, Study(redraw=keeping))
