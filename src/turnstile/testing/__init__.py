"""Tests for every game, for its author to import: put `TestMyGame = suite(my_game)` in a test file."""

from turnstile.testing.leaks import Leak
from turnstile.testing.nets import Overlooked, TooFew, forward_pairs, redraw_laws, trace_pairs
from turnstile.testing.suite import suite

__all__ = ["suite", "Leak", "TooFew", "Overlooked", "forward_pairs", "trace_pairs", "redraw_laws"]
