"""The table of the league: points, then wins, then the player's id, so that it is the same wherever it is made."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from turnstile.kernel.values import PlayerId
from turnstile.league.manager.state import State, Tally, player_id
from turnstile.league.protocol.messages import Champion, StandingsRow

MOST_ROWS = 128  # of a table that is sent; of a longer one everybody is sent the top, and its own row
TOP_ROWS = 100

Tallies = tuple[Tally, ...]
Ladder = tuple[int, ...]
"""The places of the players in the list of them, in the order of the table."""


def standings(state: State) -> tuple[StandingsRow, ...]:
    """The whole table, best first."""
    return tuple(_row(state, place, rank) for rank, place in enumerate(_ladder(state), 1))


def rows_of(state: State, players: Iterable[PlayerId]) -> tuple[StandingsRow, ...]:
    """The rows of some players, best first; who is not in the league has none."""
    tallies, ladder = _tallies(state), _ladder(state)
    places = {place for player in players if (place := state.player_at(player)) is not None}
    rows = (_row(state, place, _rank(ladder, tallies, place)) for place in places)
    return tuple(sorted(rows, key=lambda row: row.rank))


def climbed(ladder: Ladder, before: Tallies, after: Tallies, place: int) -> Ladder:
    """The order of the table, after the tally of one player has changed."""
    at = _rank(ladder, before, place) - 1
    others = ladder[:at] + ladder[at + 1 :]
    to = _rank(others, after, place) - 1
    return others[:to] + (place,) + others[to:]  # noqa: RUF005


def _rank(ladder: Ladder, tallies: Tallies, place: int) -> int:
    """Where a player stands, or would stand, in this order."""
    return 1 + bisect_left(ladder, _key(tallies, place), key=lambda other: _key(tallies, other))


def _key(tallies: Tallies, place: int) -> tuple[int, int, int]:
    tally = tallies[place]
    return -tally.points, -tally.wins, place


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


def champion(state: State) -> Champion:
    """The first of the table."""
    best = _ladder(state)[0]
    name, tally = state.players[best].display_name, _tallies(state)[best]
    return Champion(player_id=player_id(best + 1), display_name=name, points=tally.points)


def tally_of(state: State, player: PlayerId) -> Tally:
    """What a player of the league has got so far."""
    place = state.player_at(player)
    assert place is not None, "the player takes part"
    return _tallies(state)[place]


def _tallies(state: State) -> Tallies:
    """What all players have got so far; before the league begins, nothing."""
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
