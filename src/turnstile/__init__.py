"""Turnstile: turn-based games with hidden information, run by pure state machines."""
