"""Bots: programs that play. A bot gets a view and the actions it may choose from, never a state."""

from turnstile.bots.bot import AnyBot, Bot, random_bot
from turnstile.bots.guide import Guide, OwnBots
from turnstile.bots.names import BOTS, bots_of

__all__ = ["BOTS", "AnyBot", "Bot", "Guide", "OwnBots", "bots_of", "random_bot"]
