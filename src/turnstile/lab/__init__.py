"""The laboratory plays matches between bots, one or a million, and computes statistics about them."""

from turnstile.lab.match import next_event, play_out
from turnstile.lab.simulation import Plan, Totals, simulate
from turnstile.lab.statistics import Summary, summary

__all__ = ["next_event", "play_out", "Plan", "Totals", "simulate", "Summary", "summary"]
