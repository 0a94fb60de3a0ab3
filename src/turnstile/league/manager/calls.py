"""What a league manager says of its own accord: rounds, tables and the end of the league; and whom it gives a match.

A round is announced to its players first and to its referees when all players have heard of it, so that no invitation
comes before the announcement. To a referee the announcement is the assignment. It is called again and again until all
of its matches have a result: told its matches until it answers, asked whether it is there from then on. It is given up
when it does not answer, or answers without ever sending a result.
"""

from collections.abc import Collection, Iterable
from heapq import heapify, heapreplace

from msgspec import UNSET
from msgspec.structs import replace

from turnstile.kernel.effects import Arm, Disarm, Effect, Send
from turnstile.kernel.values import PlayerId
from turnstile.league.manager import schedule
from turnstile.league.manager.results import places_of, summary_of
from turnstile.league.manager.standings import champion, sheets, shown_to, standings
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
)
from turnstile.league.protocol.management import Ping
from turnstile.league.protocol.messages import (
    AnnouncedMatch,
    LeagueCompleted,
    LeagueStandingsUpdate,
    RoundAnnouncement,
    RoundCompleted,
)
from turnstile.league.protocol.words import RefereeId, player_address
from turnstile.league.trust import match_key

ANNOUNCE_TIMER = "announcement"
MOST_ANNOUNCED = 64  # matches in one message; of a larger round a player is told its own match alone


# pairing and assigning


def paired(state: State) -> State:
    """The matches of the round, each with a referee."""
    ids = state.player_ids
    pairs = schedule.pairings(ids, state.round_id)
    state = replace(state, remaining=len(pairs), unheard=tuple(ids))
    state, chosen = _assigned(state, len(pairs))
    matches = (
        LeagueMatch(
            match_id=match_id(state.round_id, number), player_a_id=a, player_b_id=b, referee_id=referee.referee_id
        )
        for number, ((a, b), referee) in enumerate(zip(pairs, chosen, strict=True), 1)
    )
    return replace(state, matches=tuple(matches))


def _assigned(state: State, count: int) -> tuple[State, list[Referee]]:
    """So many matches go to the referees that have least to do, for what they can; and who they are, in order."""
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


def reassigned(state: State, gone: Collection[RefereeId]) -> State:
    """The unfinished matches of some referees go to whoever is there; their players are to hear of it.

    What is announced from now on replaces what was announced before, in whatever order it arrives.
    """
    moved = [at for at, match in enumerate(state.matches) if match.outcome is None and match.referee_id in gone]
    freed = (replace(each, load=0) if each.referee_id in gone else each for each in state.referees)
    state, chosen = _assigned(replace(state, referees=tuple(freed)), len(moved))
    matches, concerned = list(state.matches), set()
    for at, referee in zip(moved, chosen, strict=True):
        if matches[at].referee_id != referee.referee_id:  # who has another seed
            again = matches[at].reassignments + 1
            matches[at] = replace(matches[at], referee_id=referee.referee_id, commitment=None, reassignments=again)
        concerned |= {matches[at].player_a_id, matches[at].player_b_id}
    unheard = tuple(player for player in state.player_ids if player in concerned)
    return replace(state, matches=tuple(matches), revision=state.revision + 1, unheard=unheard)


# announcing


def announced(state: State, players: Iterable[PlayerId]) -> list[Effect]:
    """These players hear of the round, and all have 10 seconds."""
    expiry = AnnouncementExpired(round_id=state.round_id)
    return [*_announcements(state, players), Arm(ANNOUNCE_TIMER, state.options.announce_seconds, expiry)]


def _announcements(state: State, players: Iterable[PlayerId]) -> list[Send]:
    """The round, as each player is told of it: with the key to its own match, and no other."""
    is_small = len(state.matches) <= MOST_ANNOUNCED
    whole = tuple(entry(state, match) for match in state.matches) if is_small else None
    return [
        Send(
            player_address(player),
            _announcement(state, _shown(state, player, whole)),
            on_failure=AnnouncementLost(player_id=player, round_id=state.round_id),
        )
        for player in players
    ]


def _shown(state: State, player: PlayerId, whole: tuple[AnnouncedMatch, ...] | None) -> tuple[AnnouncedMatch, ...]:
    """What a player is told: of a large round its own match alone; none when it sits out."""
    number = _own(state, player)
    if number is None:
        return whole or ()
    own = entry(state, state.matches[number - 1], [player])
    return (own,) if whole is None else put(whole, number - 1, own)


def announced_to(state: State, player: PlayerId) -> Send:
    """One player hears of the round: it has been away."""
    return _announcements(state, [player])[0]


def _own(state: State, player: PlayerId) -> int | None:
    """The number of a player's match in this round; none when it sits out."""
    place = state.player_at(player)
    return None if place is None else schedule.number_of(len(state.players), state.round_id, place)


def _announcement(state: State, entries: tuple[AnnouncedMatch, ...]) -> RoundAnnouncement:
    """A round as it is announced now. `revision` is ours: it is left out as long as every referee is the first."""
    revision = state.revision or UNSET
    return RoundAnnouncement(league_id=state.league_id, round_id=state.round_id, matches=entries, revision=revision)


def entry(state: State, match: LeagueMatch, keys: Collection[PlayerId] = ()) -> AnnouncedMatch:
    """A match of this round as it is announced, with the keys of these players, if its referee shows them."""
    a, b = places_of(state, match)
    referee = referee_of(state, match)
    known = keys if referee.shows_keys else ()
    one, other = (
        match_key(state.secret, match.match_id, match.referee_id, each) if each in known else UNSET
        for each in players_of(match)
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


def players_of(match: LeagueMatch) -> tuple[PlayerId, PlayerId]:
    return match.player_a_id, match.player_b_id


def referee_of(state: State, match: LeagueMatch) -> Referee:
    at = state.referee_at(match.referee_id)
    assert at is not None, "a match is given to a referee of this league"
    return state.referees[at]


# watching referees


def told(state: State, at: int) -> tuple[State, list[Effect]]:
    """A referee is told which matches it still has, and watched for a period."""
    state, referee = _called(state, at)
    return state, [assignment(state, referee), watched(state, referee)]


def asked(state: State, at: int) -> tuple[State, list[Effect]]:
    """A referee that knows its matches is asked whether it is still there, and watched for another period.

    Not every referee knows a round that it is told twice from a new one. Only when a match could have been played twice
    over without a result is it told again: it may have forgotten, or its reports may all have been lost.
    """
    before = state.referees[at]
    if before.unanswered or before.periods % PERIODS_OF_A_MATCH == 0:
        return told(state, at)
    state, referee = _called(state, at)
    ping = Ping(league_id=state.league_id, round_id=state.round_id)
    return state, [Send(referee.address, ping), watched(state, referee)]


def _called(state: State, at: int) -> tuple[State, Referee]:
    referee = state.referees[at]
    called = replace(referee, unanswered=referee.unanswered + 1)
    return replace(state, referees=put(state.referees, at, called)), called


def all_told(state: State) -> tuple[State, list[Effect]]:
    """Every referee that has a match is told so."""
    effects: list[Effect] = []
    for at, referee in enumerate(state.referees):
        if referee.load:
            state, calls = told(state, at)
            effects += calls
    return state, effects


def assignment(state: State, referee: Referee) -> Send:
    """What a referee has to do in this round."""
    own = tuple(
        entry(state, match, players_of(match))
        for match in state.matches
        if match.outcome is None and match.referee_id == referee.referee_id
    )
    return Send(referee.address, _announcement(state, own))


def watched(state: State, referee: Referee) -> Arm:
    return Arm(timer_of(referee), state.options.watch_seconds, expiry_of(state, referee))


def unwatched(referee: Referee) -> Disarm:
    return Disarm(timer_of(referee))


def timer_of(referee: Referee) -> str:
    return f"referee {referee.referee_id}"


def expiry_of(state: State, referee: Referee) -> RefereeExpired:
    return RefereeExpired(referee_id=referee.referee_id, round_id=state.round_id, periods=referee.periods)


# the end of a round and of the league


def round_completed(state: State, round_id: int) -> list[Send]:
    """Every player is sent the table, and then told that the round is over."""
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
    for player, rows in sheets(state, standings(state)):
        table = LeagueStandingsUpdate(league_id=state.league_id, round_id=round_id, standings=rows)
        sends += [Send(player_address(player), table), Send(player_address(player), completed)]
    return sends


def league_completed(state: State) -> list[Send]:
    """Everybody is told that the league is over, and who has won it."""
    table = standings(state)
    over = LeagueCompleted(
        league_id=state.league_id,
        total_rounds=state.total_rounds,
        total_matches=schedule.matches(len(state.players)),
        champion=champion(state),
        final_standings=table,
    )
    shown = [(player_address(player), rows) for player, rows in sheets(state, table)]
    shown += [(referee.address, shown_to(table, None)) for referee in state.referees]
    return [Send(agent, replace(over, final_standings=rows)) for agent, rows in shown]


# for hosts


def resumed(state: State) -> list[Send]:
    """What is to be said again after a restart: whatever still waits for an answer, and that the league is over."""
    if state.phase is Phase.ANNOUNCING_ROUND:
        return _announcements(state, state.unheard)
    if state.phase is Phase.PLAYING_ROUND:
        return [assignment(state, referee) for referee in state.referees if referee.unanswered]
    if state.phase is Phase.WAITING_FOR_REFEREE:
        return [assignment(state, referee) for referee in state.referees]
    return [end for end in league_completed(state) if end.to in state.untold] if state.untold else []
