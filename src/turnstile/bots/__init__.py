"""Bots: programs that play. A bot gets a view and the actions it may choose from, never a state."""

from turnstile.bots.bot import AnyBot, Bot, random_bot
from turnstile.bots.guide import GameBots, Guide
from turnstile.bots.names import bots_of

__all__ = ["AnyBot", "Bot", "Guide", "GameBots", "bots_of", "random_bot"]
