"""Matches that are over, and their results and ratings, for tests."""

import asyncio
from collections.abc import Sequence
from typing import Any

from openskill.models import PlackettLuce

from tests.agents.loops import until
from tests.server.play.test_matches import play
from tests.server.servers import Guest, Site

Ratings = dict[tuple[str, str], tuple[float, float, int]]
"""mu, sigma and number of matches, by player and game."""


async def resign(loser: Guest, *others: Guest, **rest: Any) -> str:
    """A match that the first of these gives up. Returns the table."""
    table = await loser.site.table(loser, *others, **rest)
    await loser.command(table, "start")
    await loser.command(table, "resign")
    return table


async def play_to_the_end(*guests: Guest, **rest: Any) -> str:
    table = await guests[0].site.table(*guests, **rest)
    await guests[0].command(table, "start")
    await asyncio.gather(*[play(await guest.hello(table)) for guest in guests])
    return table


async def booked(here: Site, count: int) -> None:
    await until(lambda: here.server.counts.booked == count)


async def results_of(guest: Guest, query: str = "") -> list[Any]:
    found = (await guest.ask("GET", f"/api/me/results{query}"))["matches"]
    assert isinstance(found, list)
    return found


async def ratings_of(*guests: Guest) -> Ratings:
    """As the pages of the players show them."""
    found: Ratings = {}
    for guest in guests:
        for each in (await guest.site.ask("GET", f"/api/players/{guest.player}"))["ratings"]:
            assert each["rating"] == each["mu"] - 3 * each["sigma"]
            found[guest.player, each["game"]] = (each["mu"], each["sigma"], each["matches"])
    return found


def rated(matches: Sequence[tuple[str, Sequence[tuple[str, int]]]]) -> Ratings:
    """The ratings after these matches, each a game with players and places, by openskill alone."""
    model, ratings = PlackettLuce(), Ratings()
    for game, placed in matches:
        old = [ratings.get((player, game), (25.0, 25 / 3, 0)) for player, _ in placed]
        new = model.rate([[model.rating(mu, sigma)] for mu, sigma, _ in old], ranks=[float(at) for _, at in placed])
        for (player, _), (_, _, count), (after,) in zip(placed, old, new, strict=True):
            ratings[player, game] = (after.mu, after.sigma, count + 1)
    return ratings
