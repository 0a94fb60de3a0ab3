"""Contests between bots: each deal is played by all seatings, so that luck and seats favour no bot.

A tournament is a round robin of all bots. An arena lets one bot play against each of the others.
"""

from turnstile.lab.contests.contest import Contest, Played, play_contest
from turnstile.lab.contests.seatings import arena_seatings, tournament_seatings

__all__ = ["Contest", "Played", "play_contest", "arena_seatings", "tournament_seatings"]
