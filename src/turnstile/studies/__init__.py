"""Studies: for each game, which states are valid, what is hidden from a player, and what statistics count.

Checks, leak tests, bots and simulations use them.
"""
