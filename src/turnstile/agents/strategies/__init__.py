"""Strategies: who chooses for a player. Built-in ones, bots, and the users' own, each in a process of its own."""
