"""The nets under every game, for its author to import: `TestMyGame = suite(my_game)` in a test file is all."""

from turnstile.testing.leaks import Leak, forward_pair, trace_pair
from turnstile.testing.suite import suite

__all__ = ["suite", "Leak", "forward_pair", "trace_pair"]
