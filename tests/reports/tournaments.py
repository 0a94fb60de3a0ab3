"""Small tournaments, played for real, in the file that `turnstile tournament` writes."""

from collections.abc import Sequence
from pathlib import Path

from turnstile.kernel import Seed
from turnstile.lab.contests import Contest, tournament_seatings
from turnstile.lab.contests.contest import play_matches
from turnstile.lab.contests.results_file import header_of, open_results
from turnstile.registry import find_game


def write_tournament(
    path: Path, name: str, bots: Sequence[str], deals: int, players: int = 2, options: str = "{}"
) -> Path:
    game = find_game(name)
    assert game is not None
    contest = Contest(name, tuple(bots), options.encode(), Seed("7"), deals, tournament_seatings(bots, players))
    with open_results(path, header_of(contest, game.version)) as file:
        file.append([match.result for match in play_matches(contest, range(contest.matches))])
    return path
