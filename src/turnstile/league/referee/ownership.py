"""Whether a match still belongs to a referee: what it asks the league manager when it comes back, and what that means.

While a referee is away its matches may be given to another, and back. So it asks before it goes on with any of them.
"""

from enum import Enum

from turnstile.league.protocol.endpoints import home_of
from turnstile.league.protocol.messages import LeagueMessage, LeagueQuery, LeagueQueryResponse
from turnstile.league.protocol.values import GET_SCHEDULE, AnnouncedMatch, QueryData, ScheduledMatch
from turnstile.league.protocol.words import LeagueId, RefereeId
from turnstile.league.referee.state import Assignment, MatchAssigned, Phase

Given = Assignment | MatchAssigned


class Owner(Enum):
    """The referee that has a match now, as seen by a referee that was given it before."""

    SAME = "the referee has had it all the time"
    ANOTHER = "another referee has it, or its round is over"
    SAME_AGAIN = "it was given to another, and back"


def schedule_query(league: LeagueId) -> LeagueQuery:
    """The question which matches are whose."""
    return LeagueQuery(league_id=league, query_type=GET_SCHEDULE)


def may_go_on(given: Given, phase: Phase, answer: LeagueMessage | None, me: RefereeId, endpoint: str) -> bool:
    """Whether a referee that comes back goes on with a match, by what the league manager answers.

    A result that only waits to be reported is reported, though another has the match: it may have been booked already.
    """
    if phase is Phase.MATCH_COMPLETE:
        return True
    owner = owner_of(given, answer, me, endpoint)
    return owner is Owner.SAME or (owner is Owner.ANOTHER and phase is Phase.REPORTING_RESULT)


def owner_of(given: Given, answer: LeagueMessage | None, me: RefereeId, endpoint: str) -> Owner:
    """The owner of a match now. If the manager does not say, it is the referee that asks.

    Our manager names the referees of all rounds that have begun. No round before the current one is played any more.
    """
    if not isinstance(answer, LeagueQueryResponse) or not isinstance(answer.data, QueryData) or not answer.data.rounds:
        return Owner.SAME
    if isinstance(answer.current_round, int) and answer.current_round > given.round_id:
        return Owner.ANOTHER
    here = next((each for each in answer.data.rounds if each.round_id == given.round_id), None)
    if here is None:
        return Owner.SAME
    match = next((each for each in here.matches if each.match_id == given.match.match_id), None)
    if match is None or not is_for(match, me, endpoint):
        return Owner.ANOTHER
    return Owner.SAME_AGAIN if (match.reassignments or 0) > given.match.times_reassigned else Owner.SAME


def is_for(match: AnnouncedMatch | ScheduledMatch, me: RefereeId, endpoint: str) -> bool:
    """Whether a match is given to this referee: by its id, else by its address."""
    if match.referee_id is not None:
        return match.referee_id == me
    return match.referee_endpoint is None or home_of(match.referee_endpoint) == home_of(endpoint)
