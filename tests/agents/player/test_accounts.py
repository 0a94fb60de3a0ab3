"""What a player says of itself when all is over."""

import pytest
from msgspec.structs import replace

from turnstile.agents.player.accounts import of_league
from turnstile.kernel.chance import Seed
from turnstile.kernel.values import PlayerId
from turnstile.league.player.machine import new
from turnstile.league.player.state import Options, State
from turnstile.league.protocol.messages import LeagueCompleted
from turnstile.league.protocol.values import Champion, StandingsRow, Tally
from turnstile.league.protocol.words import LeagueId

ME = PlayerId("P500")


def me() -> State:
    return replace(new(Options(), Seed("any")), player_id=ME, statistics=Tally(wins=1, draws=2, points=5))


def end(rows: int, total_matches: int, *, has_me: bool = True) -> LeagueCompleted:
    counts = {"played": 999, "wins": 7, "draws": 2, "losses": 990, "points": 23}
    ids = [PlayerId(f"P{number:03}") for number in range(1, rows + 1 - has_me)]
    table = [StandingsRow(rank=rank, player_id=each, display_name=each, **counts) for rank, each in enumerate(ids, 1)]
    mine = [StandingsRow(rank=500, player_id=ME, display_name="Me", **counts)] if has_me else []
    return LeagueCompleted(
        league_id=LeagueId("league"),
        total_rounds=999,
        total_matches=total_matches,
        champion=Champion(player_id=PlayerId("P001"), display_name="First", points=23),
        final_standings=(*table, *mine),
    )


@pytest.mark.parametrize(
    ("rows", "total_matches", "players"),
    [(2, 1, 2), (4, 6, 4), (101, 499_500, 1_000), (4, 12, 4), (4, 0, 4), (100, 4_950, 100), (4, -3, 4)],
)
def test_how_many_took_part_is_known_though_the_table_is_cut(rows: int, total_matches: int, players: int) -> None:
    account = of_league(me(), end(rows, total_matches))
    assert (account["rank"], account["players"], account["matches_played"]) == (500, players, 999)


def test_what_a_table_with_fewer_columns_does_not_say_the_player_has_counted_itself() -> None:
    whole = end(4, 6)
    mine = StandingsRow(rank=2, player_id=ME, display_name="Me", points=11)
    account = of_league(me(), replace(whole, final_standings=(*whole.final_standings[:3], mine)))
    told = {"rank": 2, "players": 4, "points": 11, "wins": 1, "draws": 2, "losses": 0}
    assert account == {**told, "technical_losses": 0, "matches_played": 3}


def test_technical_losses_are_those_of_all_matches() -> None:
    lost = replace(me(), statistics=Tally(losses=180, technical_losses=150))
    assert of_league(lost, end(4, 6))["technical_losses"] == 150


def test_who_is_not_in_the_table_says_what_it_has_counted_itself() -> None:
    account = of_league(me(), end(0, 0, has_me=False))
    told = {"points": 5, "wins": 1, "draws": 2, "losses": 0, "technical_losses": 0, "matches_played": 3}
    assert account == {"rank": None, "players": None, **told}
