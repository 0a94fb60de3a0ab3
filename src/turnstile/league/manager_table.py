"""The table of the league: points, then wins, then the player's id, so that it is the same wherever it is made."""

from collections.abc import Iterable, Iterator
from operator import attrgetter

from turnstile.kernel.values import PlayerId
from turnstile.league.manager_state import State, Tally, player_id
from turnstile.league.messages import Champion, StandingsRow

MOST_ROWS = 128  # of a table that is sent; of a longer one everybody is sent the top, and its own row
TOP_ROWS = 100

Key = tuple[int, int, int]
_POINTS = attrgetter("points")


def standings(state: State) -> tuple[StandingsRow, ...]:
    """The whole table, best first."""
    places = sorted(range(len(state.players)), key=lambda place: _key(tally_of(state, place), place))
    return tuple(_row(state, place, rank) for rank, place in enumerate(places, 1))


def rows_of(state: State, players: Iterable[PlayerId]) -> tuple[StandingsRow, ...]:
    """The rows of some players, best first, without making the whole table; who is not in the league has none."""
    places = {place for player in players if (place := state.player_at(player)) is not None}
    points = [*map(_POINTS, state.tallies)] or [0] * len(state.players)
    rows = (_row(state, place, _rank(state, place, points)) for place in places)
    return tuple(sorted(rows, key=lambda row: row.rank))


def _rank(state: State, place: int, points: list[int]) -> int:
    """How many have more points, or as many and come first. Referees ask for this at every match, so it is quick."""
    mine = points[place]
    rank, other = 1 + sum(map(mine.__lt__, points)), -1
    for _ in range(points.count(mine)):
        other = points.index(mine, other + 1)
        rank += _key(tally_of(state, other), other) < _key(tally_of(state, place), place)
    return rank


def shown_to(table: tuple[StandingsRow, ...], player: PlayerId | None) -> tuple[StandingsRow, ...]:
    """As much of the table as is sent to whoever asks: of a long one the top, and its own row."""
    if len(table) <= MOST_ROWS:
        return table
    return (*table[:TOP_ROWS], *(row for row in table[TOP_ROWS:] if row.player_id == player))


def sheets(state: State, table: tuple[StandingsRow, ...]) -> Iterator[tuple[PlayerId, tuple[StandingsRow, ...]]]:
    """For every player, as much of the table as it is sent: `shown_to`, for all at once."""
    whole = len(table) <= MOST_ROWS
    top = table if whole else table[:TOP_ROWS]
    own = {} if whole else {row.player_id: row for row in table[TOP_ROWS:]}
    for place in range(len(state.players)):
        player = player_id(place + 1)
        yield player, (*top, own[player]) if player in own else top


def champion(table: tuple[StandingsRow, ...]) -> Champion:
    best = table[0]
    return Champion(player_id=best.player_id, display_name=best.display_name, points=best.points)


def tally_of(state: State, place: int) -> Tally:
    """What a player has got so far; before the league begins, nothing."""
    return state.tallies[place] if state.tallies else Tally()


def _key(tally: Tally, place: int) -> Key:
    return -tally.points, -tally.wins, place


def _row(state: State, place: int, rank: int) -> StandingsRow:
    tally = tally_of(state, place)
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
