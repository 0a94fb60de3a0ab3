"""Each game's transition table against the diagram of its specification, edge by edge, in both directions."""

import pytest

from tests.conformance import Spec, faults
from tests.rules.ecard import matches as ecard_matches
from tests.rules.evenodd import matches as evenodd_matches
from tests.rules.sixtysix import matches as sixtysix_matches
from tests.rules.updown import matches as updown_matches
from turnstile.registry import find_game, names

SPECS = {
    "e-card": Spec("E-Card", ecard_matches.TRANSITIONS),
    "66": Spec("66", sixtysix_matches.DIAGRAM, sixtysix_matches.DEPARTURES),
    "up-down": Spec("Up-Down", updown_matches.DIAGRAM, updown_matches.DEPARTURES),
    "even-odd": Spec("Even/Odd", evenodd_matches.TRANSITIONS, evenodd_matches.DEPARTURES),
}


def test_every_installed_game_is_held_against_its_specification() -> None:
    assert set(SPECS) == set(names())


@pytest.mark.parametrize("name", SPECS)
def test_every_edge_of_the_spec_exists_or_is_a_named_departure_and_nothing_else_exists(name: str) -> None:
    game = find_game(name)
    assert game is not None
    assert faults(game.machine, SPECS[name]) == []
