"""A client for a Turnstile server: register, open and join tables, play. It knows the network, and no game.

    async with Client("http://localhost:8000") as client:
        me = await client.register("Ana")
        table = await me.create_table("e-card", bots=["random"])
        async with me.play(table) as seat:
            async for turn in seat:
                if turn.actions:
                    await seat.act(random.choice(turn.actions))

A seat reconnects by itself, acknowledges what it gets, and sends a command again until it is answered.
"""

from turnstile.client.client import Client
from turnstile.client.errors import Closed, Refused, Unreachable
from turnstile.client.player import Player
from turnstile.client.seat import Notice, Seat
from turnstile.client.values import Invitation, NewTable, Turn

__all__ = [
    "Client",
    "Closed",
    "Invitation",
    "NewTable",
    "Notice",
    "Player",
    "Refused",
    "Seat",
    "Turn",
    "Unreachable",
]
