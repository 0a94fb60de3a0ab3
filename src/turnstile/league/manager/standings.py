"""The standings of the league, ordered by points, then wins, then player id, so that the order is always the same."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from turnstile.kernel.values import PlayerId
from turnstile.league.manager.state import State, player_id
from turnstile.league.protocol.values import Champion, StandingsRow, Tally

MOST_ROWS = 128  # in a message; of a longer table an agent is sent the top and its own row
TOP_ROWS = 100

Rows = tuple[StandingsRow, ...]
Tallies = tuple[Tally, ...]
Ladder = tuple[int, ...]
"""The places of the players in the list of players, in the order of the table."""


def standings(state: State) -> Rows:
    """The whole table, best first."""
    return tuple(_row(state, place, rank) for rank, place in enumerate(_ladder(state), 1))


def rows_of(state: State, players: Iterable[PlayerId]) -> Rows:
    """The rows of some players, best first. An unknown player has none."""
    tallies, ladder = _tallies(state), _ladder(state)
    places = {place for player in players if (place := state.player_at(player)) is not None}
    rows = (_row(state, place, _rank(ladder, tallies, place)) for place in places)
    return tuple(sorted(rows, key=lambda row: row.rank))


def move_in_ladder(ladder: Ladder, before: Tallies, after: Tallies, place: int) -> Ladder:
    """The order of the table after the tally of one player has changed."""
    at = _rank(ladder, before, place) - 1
    others = ladder[:at] + ladder[at + 1 :]
    to = _rank(others, after, place) - 1
    return others[:to] + (place,) + others[to:]  # noqa: RUF005


def _rank(ladder: Ladder, tallies: Tallies, place: int) -> int:
    """The rank that a player has, or would have, in this order."""
    return 1 + bisect_left(ladder, _key(tallies, place), key=lambda other: _key(tallies, other))


def _key(tallies: Tallies, place: int) -> tuple[int, int, int]:
    tally = tallies[place]
    return -tally.points, -tally.wins, place


def rows_for(table: Rows, own: StandingsRow | None) -> Rows:
    """The rows that an agent is sent: the whole table, or of a long one the top and the agent's own row."""
    if len(table) <= MOST_ROWS:
        return table
    top = table[:TOP_ROWS]
    return top if own is None or own.rank <= TOP_ROWS else (*top, own)


def player_tables(state: State) -> Iterator[tuple[PlayerId, Rows]]:
    """Every player with the rows that it is sent."""
    table = standings(state)
    own = {row.player_id: row for row in table}
    return ((player, rows_for(table, own[player])) for player in state.player_ids)


def champion(state: State) -> Champion:
    """The first player of the table."""
    best = _ladder(state)[0]
    name, tally = state.players[best].display_name, _tallies(state)[best]
    return Champion(player_id=player_id(best + 1), display_name=name, points=tally.points)


def tally_of(state: State, player: PlayerId) -> Tally:
    """The results of a player so far."""
    place = state.player_at(player)
    assert place is not None, "the player takes part"
    return _tallies(state)[place]


def _tallies(state: State) -> Tallies:
    """The results of all players so far; before the league begins, zeros."""
    return state.tallies or (Tally(),) * len(state.players)


def _ladder(state: State) -> Ladder:
    return state.ladder or tuple(range(len(state.players)))


def _row(state: State, place: int, rank: int) -> StandingsRow:
    tally = _tallies(state)[place]
    return StandingsRow(
        rank=rank,
        player_id=player_id(place + 1),
        display_name=state.players[place].display_name,
        played=tally.played,
        wins=tally.wins,
        draws=tally.draws,
        losses=tally.losses,
        points=tally.points,
    )
