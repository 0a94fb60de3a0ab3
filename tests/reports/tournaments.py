"""Small tournaments, played for real, in the format in which `turnstile tournament` writes them."""

import json
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from random import Random

from turnstile.bots import bots_of
from turnstile.kernel import Move, PlayerId, Seed
from turnstile.kernel.chance import derive
from turnstile.lab.match import play_out, seated
from turnstile.registry import find_game


def write_tournament(
    path: Path, name: str, bots: Sequence[str], deals: int, players: int = 2, options: str = "{}"
) -> Path:
    """Each deal is played by all seatings of `players` different bots."""
    game = find_game(name)
    assert game is not None
    known, seatings = bots_of(game), list(permutations(bots, players))
    header = {
        "kind": "tournament",
        "version": 1,
        "game": name,
        "gameVersion": game.version,
        "options": json.loads(options),
        "bots": list(bots),
        "players": players,
        "seed": "7",
        "deals": deals,
    }
    lines = [header]
    company = [PlayerId(f"player {seat}") for seat in range(1, players + 1)]
    for deal in range(deals):
        for number, seats in enumerate(seatings):
            seed = derive(Seed("7"), "deal", deal)
            participants = {
                player: seated(known[bot], Random(derive(seed, f"bot of seating {number}", seat)))
                for seat, (player, bot) in enumerate(zip(company, seats, strict=True))
            }
            state, events = play_out(game, game.read_options(options), seed, participants)
            outcome = game.outcome(state)
            assert outcome is not None
            lines.append(
                {
                    "deal": deal,
                    "seating": number,
                    "seats": list(seats),
                    "winners": [seat for seat, player in enumerate(company) if player in outcome.winners],
                    "scores": [outcome.scores[player] for player in company],
                    "moves": sum(isinstance(event, Move) for event in events),
                }
            )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path
