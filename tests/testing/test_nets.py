"""Every installed game hangs in the nets: whoever adds a game has these tests without writing one."""

import pytest

from turnstile.registry import find_game, names, study_of
from turnstile.testing import suite

pytestmark = pytest.mark.uncounted

for name in names():
    game = find_game(name)
    assert game is not None
    globals()[f"Test_{name.replace('-', '_')}"] = suite(game, study_of(game))
