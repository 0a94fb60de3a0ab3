"""The messages that a league manager sends on its own: rounds, standings, the end of the league; and assignments.

The manager announces a round to the players first. When all have acknowledged it, the manager announces it to the
referees, so that no invitation comes before the announcement. For a referee the announcement is its assignment.
The manager calls a referee until all its matches have a result: it repeats the assignment until the referee answers,
then it sends PING. It gives up a referee that does not answer, or that answers but never sends a result.
"""

from collections.abc import Collection, Iterable
from heapq import heapify, heapreplace

from msgspec import UNSET
from msgspec.structs import replace

from turnstile.kernel.effects import Arm, Disarm, Effect, Send
from turnstile.kernel.machine import Next
from turnstile.kernel.values import PlayerId
from turnstile.league.manager import schedule
from turnstile.league.manager.results import places_of, summary_of
from turnstile.league.manager.standings import champion, player_tables, rows_for, standings
from turnstile.league.manager.state import (
    PERIODS_OF_A_MATCH,
    AnnouncementExpired,
    AnnouncementLost,
    LeagueMatch,
    Phase,
    Referee,
    RefereeExpired,
    State,
    match_id,
    put,
    update_referee,
)
from turnstile.league.protocol.management import Ping
from turnstile.league.protocol.messages import LeagueCompleted, LeagueStandingsUpdate, RoundAnnouncement, RoundCompleted
from turnstile.league.protocol.values import AnnouncedMatch
from turnstile.league.protocol.words import RefereeId, player_address
from turnstile.league.trust import match_key

ANNOUNCE_TIMER = "announcement"
MOST_ANNOUNCED = 64  # matches in one message; in a larger round a player hears only of its own match


# pairing and assigning


def pair_round(state: State) -> State:
    """The matches of the round, each with a referee."""
    ids = state.player_ids
    pairs = schedule.pairings(ids, state.round_id)
    state = replace(state, remaining=len(pairs), unheard=tuple(ids))
    state, chosen = _assign(state, len(pairs))
    matches = (
        LeagueMatch(
            match_id=match_id(state.round_id, number), player_a_id=a, player_b_id=b, referee_id=referee.referee_id
        )
        for number, ((a, b), referee) in enumerate(zip(pairs, chosen, strict=True), 1)
    )
    return replace(state, matches=tuple(matches))


def _assign(state: State, count: int) -> tuple[State, list[Referee]]:
    """Assign `count` matches to the referees with the lowest load for their capacity. The referees, match by match."""
    loads = [referee.load for referee in state.referees]
    heap = [(loads[at] / referee.capacity, at) for at, referee in enumerate(state.referees) if referee.is_up]
    heapify(heap)
    chosen = []
    for _ in range(count):
        at = heap[0][1]
        chosen.append(at)
        loads[at] += 1
        heapreplace(heap, (loads[at] / state.referees[at].capacity, at))
    referees = tuple(replace(each, load=load) for each, load in zip(state.referees, loads, strict=True))
    return replace(state, referees=referees), [referees[at] for at in chosen]


def reassign(state: State, gone: Collection[RefereeId]) -> State:
    """Give the unfinished matches of some referees to those that are up. The players concerned are to hear of it.

    The next announcement has a higher revision and replaces the earlier ones, in whatever order they arrive.
    """
    moved = [at for at, match in enumerate(state.matches) if match.outcome is None and match.referee_id in gone]
    freed = (replace(each, load=0) if each.referee_id in gone else each for each in state.referees)
    state, chosen = _assign(replace(state, referees=tuple(freed)), len(moved))
    matches, concerned = list(state.matches), set()
    for at, referee in zip(moved, chosen, strict=True):
        if matches[at].referee_id != referee.referee_id:  # which has another seed
            again = matches[at].reassignments + 1
            matches[at] = replace(matches[at], referee_id=referee.referee_id, commitment=None, reassignments=again)
        concerned |= {*matches[at].players}
    unheard = tuple(player for player in state.player_ids if player in concerned)
    return replace(state, matches=tuple(matches), revision=state.revision + 1, unheard=unheard)


# announcing


def announce(state: State) -> list[Effect]:
    """Announce the round to the players that have not heard of it, and start their common timer."""
    expiry = AnnouncementExpired(round_id=state.round_id)
    return [*announcements(state, state.unheard), Arm(ANNOUNCE_TIMER, state.options.announce_seconds, expiry)]


def announcements(state: State, players: Iterable[PlayerId]) -> list[Send]:
    """The announcement of the round for each of these players, with the key to its own match and no other."""
    is_small = len(state.matches) <= MOST_ANNOUNCED
    others = tuple(announced_match(state, match) for match in state.matches) if is_small else ()
    return [
        Send(
            player_address(player),
            _announcement(state, _with_own(state, player, others)),
            on_failure=AnnouncementLost(player_id=player, round_id=state.round_id),
        )
        for player in players
    ]


def _with_own(state: State, player: PlayerId, others: tuple[AnnouncedMatch, ...]) -> tuple[AnnouncedMatch, ...]:
    """All announced matches, the player's own with its key; in a large round the player's own match alone."""
    place = state.player_at(player)
    number = None if place is None else schedule.number_of(len(state.players), state.round_id, place)
    if number is None:  # the player sits out
        return others
    own = announced_match(state, state.matches[number - 1], [player])
    return put(others, number - 1, own) if others else (own,)


def _announcement(state: State, matches: tuple[AnnouncedMatch, ...]) -> RoundAnnouncement:
    """The current announcement. `revision` is an extension: it is left out until a match changes its referee."""
    revision = state.revision or UNSET
    return RoundAnnouncement(league_id=state.league_id, round_id=state.round_id, matches=matches, revision=revision)


def announced_match(state: State, match: LeagueMatch, keys: Collection[PlayerId] = ()) -> AnnouncedMatch:
    """A match of this round as it is announced, with the keys of these players if its referee shows keys."""
    a, b = places_of(state, match)
    referee = referee_of(state, match)
    known = keys if referee.shows_keys else ()
    one, other = (
        match_key(state.secret, match.match_id, match.referee_id, each) if each in known else UNSET
        for each in match.players
    )
    return AnnouncedMatch(
        match_id=match.match_id,
        player_a_id=match.player_a_id,
        player_b_id=match.player_b_id,
        referee_endpoint=referee.contact_endpoint,
        game_type=state.options.game_type,
        referee_id=referee.referee_id,
        player_a_endpoint=state.players[a].contact_endpoint,
        player_b_endpoint=state.players[b].contact_endpoint,
        player_a_key=one,
        player_b_key=other,
        reassignments=match.reassignments or UNSET,
    )


def referee_of(state: State, match: LeagueMatch) -> Referee:
    at = state.referee_at(match.referee_id)
    assert at is not None, "a match is given to a referee of this league"
    return state.referees[at]


# calling referees


def assign_matches(state: State, at: int) -> Next[State]:
    """Send a referee its unfinished matches, and watch it for a period."""
    return _call(state, at, assignment(state, state.referees[at]))


def call_referee(state: State, at: int) -> Next[State]:
    """Ask a referee that knows its matches whether it is there, and watch it for another period.

    Some referees take a repeated assignment for a new one. So the manager repeats it only when the referee has not
    answered, or when a match could have been played twice without a result: the referee may have forgotten it, or all
    its reports may have been lost.
    """
    referee = state.referees[at]
    if referee.unanswered or referee.periods % PERIODS_OF_A_MATCH == 0:
        return assign_matches(state, at)
    return _call(state, at, Send(referee.address, Ping(league_id=state.league_id, round_id=state.round_id)))


def _call(state: State, at: int, send: Send) -> Next[State]:
    called = update_referee(state, at, unanswered=state.referees[at].unanswered + 1)
    return Next(called, send, watch_referee(called, called.referees[at]))


def assignment(state: State, referee: Referee) -> Send:
    """The unfinished matches of a referee in this round."""
    own = tuple(
        announced_match(state, match, match.players)
        for match in state.matches
        if match.outcome is None and match.referee_id == referee.referee_id
    )
    return Send(referee.address, _announcement(state, own))


def watch_referee(state: State, referee: Referee) -> Arm:
    return Arm(_timer_of(referee), state.options.watch_seconds, expiry_of(state, referee))


def unwatch_referee(referee: Referee) -> Disarm:
    return Disarm(_timer_of(referee))


def _timer_of(referee: Referee) -> str:
    return f"referee {referee.referee_id}"


def expiry_of(state: State, referee: Referee) -> RefereeExpired:
    return RefereeExpired(referee_id=referee.referee_id, round_id=state.round_id, periods=referee.periods)


# the end of a round and of the league


def round_completed(state: State, round_id: int) -> list[Send]:
    """Send every player the standings, then the end of the round."""
    outcomes = state.finished[round_id - 1]
    completed = RoundCompleted(
        league_id=state.league_id,
        round_id=round_id,
        next_round_id=round_id + 1 if round_id < state.total_rounds else None,
        matches_played=len(outcomes),
        matches_completed=len(outcomes),
        summary=summary_of(outcomes),
    )
    sends = []
    for player, rows in player_tables(state):
        update = LeagueStandingsUpdate(league_id=state.league_id, round_id=round_id, standings=rows)
        sends += [Send(player_address(player), update), Send(player_address(player), completed)]
    return sends


def league_completed(state: State) -> list[Send]:
    """Tell every agent that the league is over, and who has won it."""
    completed = LeagueCompleted(
        league_id=state.league_id,
        total_rounds=state.total_rounds,
        total_matches=schedule.matches(len(state.players)),
        champion=champion(state),
        final_standings=rows_for(standings(state), None),
    )
    players = (
        Send(player_address(player), replace(completed, final_standings=rows)) for player, rows in player_tables(state)
    )
    return [*players, *(Send(referee.address, completed) for referee in state.referees)]


# for hosts


def resumed(state: State) -> list[Send]:
    """The messages to repeat after a restart: those without an answer, and the end of the league."""
    if state.phase is Phase.ANNOUNCING_ROUND:
        return announcements(state, state.unheard)
    if state.phase is Phase.PLAYING_ROUND:
        return [assignment(state, referee) for referee in state.referees if referee.unanswered]
    if state.phase is Phase.WAITING_FOR_REFEREE:
        return [assignment(state, referee) for referee in state.referees]
    return [end for end in league_completed(state) if end.to in state.untold] if state.untold else []
