"""The invariants of a league: every player meets every other once, and every result counts once."""

from collections.abc import Iterator
from itertools import chain

from msgspec.structs import replace

from turnstile.kernel.values import PlayerId
from turnstile.league.manager import schedule
from turnstile.league.manager.register import name_key
from turnstile.league.manager.results import credit, past_match
from turnstile.league.manager.rounds import begin_league
from turnstile.league.manager.state import (
    IN_ROUND,
    MOST_CAPACITY,
    LeagueMatch,
    MatchOutcome,
    Phase,
    Referee,
    State,
    match_id,
    referee_id,
    referee_letter,
)
from turnstile.league.protocol.endpoints import home_of
from turnstile.league.protocol.words import MatchId


def violation(state: State) -> str | None:
    """The first invariant that a league violates; `None` for every reachable league."""
    return next(_faults(state), None)


def _faults(state: State) -> Iterator[str]:
    """The violated invariants. Only the first counts, so each may rely on those before it."""
    yield from _faults_of_agents(state)
    if state.phase is Phase.ACCEPTING_REGISTRATIONS:
        fresh = State(phase=state.phase, options=state.options, secret=state.secret)
        if state != replace(fresh, players=state.players, referees=state.referees):
            yield "A league that has not begun has only its agents."
        if any(referee != _unused(referee) for referee in state.referees):
            yield "A referee has matches before the league begins."
        return
    if len(state.players) < 2 or not state.referees:
        yield "A league has at least two players and a referee."
    yield from _faults_of_rounds(state)
    yield from _faults_of_referees(state)
    yield from _faults_of_table(state)


# agents


def _faults_of_agents(state: State) -> Iterator[str]:
    for taken in (
        [name_key(player.display_name) for player in state.players],
        [name_key(referee.display_name) for referee in state.referees],
        [home_of(endpoint) for endpoint in state.endpoints],
    ):
        if len(set(taken)) < len(taken):
            yield "A name or an endpoint is taken twice."
    if len(state.players) > state.options.most_players:
        yield "There are too many players."
    if any(referee.referee_id != referee_id(number) for number, referee in enumerate(state.referees, 1)):
        yield "Referees are numbered in the order of registration."
    if any(not 1 <= referee.capacity <= MOST_CAPACITY for referee in state.referees):
        yield f"A referee takes 1 to {MOST_CAPACITY:,} matches at a time."


def _unused(referee: Referee) -> Referee:
    return replace(referee, is_up=True, load=0, unanswered=0, periods=0)


# rounds


def _faults_of_rounds(state: State) -> Iterator[str]:
    a_round = schedule.matches_a_round(len(state.players))
    over, letters = len(state.finished), {*MatchOutcome}
    if any(len(outcomes) != a_round or not {*outcomes} <= letters for outcomes in state.finished):
        yield "A past round has the outcomes of all its matches."
    if [*map(len, state.finished_by)] != [a_round] * over or not _known_letters(state, *state.finished_by):
        yield "Every match of a past round had a referee of this league."
    if state.phase in IN_ROUND:
        if state.round_id != over + 1 or state.round_id > state.total_rounds:
            yield "The current round follows the past rounds."
        elif [(match.match_id, match.players) for match in state.matches] != [*_scheduled(state)]:
            yield "The matches of a round are those of the schedule."
    elif state.phase is not Phase.LEAGUE_COMPLETE or state.round_id != over or over != state.total_rounds:
        yield "A league is complete when all its rounds are over."
    elif state.matches:
        yield "A league that is complete has no matches to play."
    open_matches = sum(match.outcome is None for match in state.matches)
    if state.remaining != open_matches or (state.phase in IN_ROUND and not open_matches):
        yield "A round goes on while it has matches without a result."
    if state.revision < 0 or (state.revision and state.phase not in IN_ROUND):
        yield "Matches change their referee only during a round."
    if any(not 0 <= match.reassignments <= state.revision for match in state.matches):
        yield "A match changes its referee only when the round is announced anew."
    if [player for player in state.player_ids if player in state.unheard] != [*state.unheard]:
        yield "The manager waits only for players, for each once."
    if state.untold and state.phase is not Phase.LEAGUE_COMPLETE:
        yield "No agent is told that the league is over before it is."
    if bool(state.unheard) != (state.phase is Phase.ANNOUNCING_ROUND):
        yield "The manager waits for players only while it announces a round."


def _scheduled(state: State) -> Iterator[tuple[MatchId, tuple[PlayerId, PlayerId]]]:
    for number, players in enumerate(schedule.pairings(state.player_ids, state.round_id), 1):
        yield match_id(state.round_id, number), players


def _known_letters(state: State, *rounds: str) -> bool:
    known = {referee_letter(referee.referee_id) for referee in state.referees}
    return all({*letters} <= known for letters in rounds)


# referees


def _faults_of_referees(state: State) -> Iterator[str]:
    known = {referee.referee_id for referee in state.referees}
    if any(match.referee_id not in known for match in state.matches):
        yield "Every match of this round has a referee."
    for referee in state.referees:
        own = [match for match in state.matches if match.referee_id == referee.referee_id and match.outcome is None]
        if referee.load != len(own):
            yield "The load of a referee is its number of matches without a result."
        if not referee.load and (referee.unanswered or referee.periods):
            yield "A referee without matches is not watched."
        if not 0 <= referee.unanswered <= state.options.most_unanswered + 1:
            yield "A referee that does not answer is given up."
        if not 0 <= referee.periods < state.options.patience:
            yield "A referee that sends no result is given up."
        if referee.load and referee.is_up == (state.phase is Phase.WAITING_FOR_REFEREE):
            yield "Matches belong to a referee that is up, if there is one."
    if state.phase is Phase.WAITING_FOR_REFEREE and any(referee.is_up for referee in state.referees):
        yield "A round does not wait for a referee while one is up."


# standings


def _faults_of_table(state: State) -> Iterator[str]:
    true = begin_league(state)
    for match in chain(_past(state), state.matches):
        if match.outcome is not None:
            true = credit(true, match, match.outcome)
    if (state.tallies, state.ladder) != (true.tallies, true.ladder):
        yield "The standings are the sum of all results."


def _past(state: State) -> Iterator[LeagueMatch]:
    for round_id, outcomes in enumerate(state.finished, 1):
        for number in range(1, len(outcomes) + 1):
            yield past_match(state, round_id, number)
