"""The transitions of the league manager: registration, rounds, referees, results and the end of the league.

Every result counts once, even if messages are repeated or lost. The manager replaces lost referees, and agents that
return get their places again. The specification leaves the manager open; docs/league.md describes this one.
"""

from msgspec import UnsetType
from msgspec.structs import replace

from turnstile.kernel.chance import Seed
from turnstile.kernel.effects import Send
from turnstile.kernel.machine import Machine, Next, Rejection
from turnstile.kernel.values import PlayerId, wire_name
from turnstile.league.manager import calls, entry, queries, results, rounds
from turnstile.league.manager.rounds import UNAWAITED
from turnstile.league.manager.state import (
    IN_ROUND,
    RESTING,
    AllAreHere,
    AnnouncementExpired,
    AnnouncementLost,
    Code,
    Options,
    Phase,
    RefereeExpired,
    State,
    mark_present,
    referee_letter,
    update_referee,
)
from turnstile.league.protocol.errors import LeagueErrorName, league_error
from turnstile.league.protocol.management import (
    LeagueError,
    LeagueStatus,
    Ping,
    RefereeRegisterRequest,
    RefereeRegisterResponse,
    StartLeague,
)
from turnstile.league.protocol.messages import (
    LeagueCompleted,
    LeagueCompletedAck,
    LeagueQuery,
    LeagueQueryResponse,
    LeagueRegisterRequest,
    LeagueRegisterResponse,
    LeagueStandingsUpdate,
    MatchResultAck,
    MatchResultReport,
    RoundAnnouncement,
    RoundAnnouncementAck,
    RoundCompleted,
)
from turnstile.league.protocol.words import Address, RefereeId, Registration, player_address, referee_address

FromManager = (
    LeagueRegisterResponse
    | RefereeRegisterResponse
    | LeagueStatus
    | LeagueError
    | LeagueQueryResponse
    | MatchResultAck
    | RoundAnnouncement
    | LeagueStandingsUpdate
    | RoundCompleted
    | LeagueCompleted
    | Ping
)
"""All messages that a league manager sends."""

LAUNCHER = Address("launcher")
NOT_COMPLETE = Rejection(Code.IGNORED, "The league is not complete yet.")
STALE = Rejection(Code.STALE_TIMER, "The manager no longer waits for this.")

IS_BACK = "is back"


# start


def new(options: Options, secret: Seed) -> State:
    """A league without agents."""
    return State(phase=Phase.ACCEPTING_REGISTRATIONS, options=options, secret=secret)


manager: Machine[State] = Machine(
    "manager",
    Phase,
    start=Phase.ACCEPTING_REGISTRATIONS,
    ends=(Phase.LEAGUE_COMPLETE,),
    state=State,
    messages=FromManager,
    codes=Code,
)


# registration

_ENTRY = Phase.ACCEPTING_REGISTRATIONS
manager.on(_ENTRY, LeagueRegisterRequest, to=_ENTRY)(entry.register_player)
manager.on(_ENTRY, RefereeRegisterRequest, to=_ENTRY)(entry.register_referee)

for _phase in IN_ROUND:
    manager.on(_phase, LeagueRegisterRequest, to=_phase)(entry.register_player_again)
for _phase in (Phase.ANNOUNCING_ROUND, Phase.PLAYING_ROUND):
    manager.on(_phase, RefereeRegisterRequest, to=_phase)(entry.register_referee_in_round)
_AWAITED = {"takes over": Phase.ANNOUNCING_ROUND, "refused": Phase.WAITING_FOR_REFEREE}
manager.on(Phase.WAITING_FOR_REFEREE, RefereeRegisterRequest, to=_AWAITED)(entry.register_awaited_referee)
manager.on(Phase.LEAGUE_COMPLETE, LeagueRegisterRequest, to=Phase.LEAGUE_COMPLETE)(entry.register_after_league)
manager.on(Phase.LEAGUE_COMPLETE, RefereeRegisterRequest, to=Phase.LEAGUE_COMPLETE)(entry.register_after_league)


# the beginning


@manager.on(
    Phase.ACCEPTING_REGISTRATIONS,
    StartLeague,
    to={"begins": Phase.PAIRING_PLAYERS, "too few are here": Phase.ACCEPTING_REGISTRATIONS},
)
def start(state: State, event: StartLeague) -> Next[State] | Rejection:
    """The league begins, if it has at least two players and a referee."""
    if refused := _refuse_league(state, event):
        return refused
    if len(state.players) < 2:
        return _not_yet(state, LeagueErrorName.PLAYER_NOT_REGISTERED, "A league needs at least two players.")
    if not state.referees:
        return _not_yet(state, LeagueErrorName.REFEREE_NOT_REGISTERED, "A league needs a referee; none has registered.")
    after = rounds.begin_league(state)
    return Next(after, Send(LAUNCHER, queries.status_of(after)))


@manager.on(Phase.ACCEPTING_REGISTRATIONS, AllAreHere, to=Phase.PAIRING_PLAYERS)
def begin(state: State, event: AllAreHere) -> State | Rejection:
    """The league begins by itself, with the expected number of players and a referee."""
    return rounds.begin_league(state) if state.is_complete else NOT_COMPLETE


def tell_status(state: State, event: StartLeague) -> Next[State] | Rejection:
    """A league begins once. A second START_LEAGUE is answered with the progress of the league."""
    return _refuse_league(state, event) or Next(state, Send(LAUNCHER, queries.status_of(state)))


for _phase in (*IN_ROUND, Phase.LEAGUE_COMPLETE):
    manager.on(_phase, StartLeague, to=_phase)(tell_status)


def _not_yet(state: State, name: LeagueErrorName, reason: str) -> Next[State]:
    return Next(state, Send(LAUNCHER, league_error(name, reason, wire_name(StartLeague))))


def _refuse_league(state: State, event: StartLeague | LeagueQuery) -> Rejection | None:
    if event.league_id in (None, state.league_id):
        return None
    return Rejection(Code.WRONG_LEAGUE, f"This is the manager of {state.league_id}.")


# announcing a round


@manager.auto(Phase.PAIRING_PLAYERS, to={"paired": Phase.ANNOUNCING_ROUND})
def pair_players(state: State) -> Next[State]:
    """The manager makes the matches of the round, assigns them to referees, and announces them to all players."""
    after = replace(calls.pair_round(state), phase=Phase.ANNOUNCING_ROUND)
    return Next(after, *calls.announce(after))


HEARING = {"waits for others": Phase.ANNOUNCING_ROUND, "all have heard": Phase.PLAYING_ROUND}


@manager.on(Phase.ANNOUNCING_ROUND, RoundAnnouncementAck, to=HEARING)
def hear_player(state: State, event: RoundAnnouncementAck) -> Next[State] | State | Rejection:
    """A player has acknowledged the round. When all have, the manager tells the referees their matches."""
    if isinstance(event.player_id, UnsetType):
        return hear_referee(state, event)
    return rounds.note_heard(state, event.player_id) if event.round_id == state.round_id else UNAWAITED


@manager.on(Phase.ANNOUNCING_ROUND, AnnouncementLost, to=HEARING)
def go_on_without(state: State, event: AnnouncementLost) -> Next[State] | Rejection:
    """The manager does not wait for a player that it cannot reach."""
    return rounds.note_heard(state, event.player_id) if event.round_id == state.round_id else UNAWAITED


@manager.on(Phase.ANNOUNCING_ROUND, AnnouncementExpired, to=Phase.PLAYING_ROUND)
def go_on_unheard(state: State, event: AnnouncementExpired) -> Next[State] | Rejection:
    """After 10 seconds the round begins, even if some players have not acknowledged it."""
    return rounds.begin_round(state) if event.round_id == state.round_id else STALE


# watching referees


@manager.on(Phase.PLAYING_ROUND, RoundAnnouncementAck, to=Phase.PLAYING_ROUND)
def hear_referee(state: State, event: RoundAnnouncementAck) -> State | Rejection:
    """A referee has answered, so it is up."""
    at = _acknowledging_referee(state, event)
    if at is None or not state.referees[at].unanswered:
        return UNAWAITED
    return update_referee(state, at, unanswered=0)


def _acknowledging_referee(state: State, event: RoundAnnouncementAck) -> int | None:
    """The place of the referee that acknowledges the current round."""
    if isinstance(event.referee_id, UnsetType) or event.round_id != state.round_id:
        return None
    return state.referee_at(event.referee_id)


WATCHING = {
    "called again": Phase.PLAYING_ROUND,
    "another takes over": Phase.ANNOUNCING_ROUND,
    "none is left": Phase.WAITING_FOR_REFEREE,
}


@manager.on(Phase.PLAYING_ROUND, RefereeExpired, to=WATCHING)
def watch(state: State, event: RefereeExpired) -> Next[State] | Rejection:
    """The manager calls a referee that sends no result.

    It gives up a referee that has left four calls in a row unanswered, or was called 25 times without a result.
    """
    at = _expired_referee(state, event)
    if at is None or not state.referees[at].load:
        return STALE
    periods = event.periods + 1
    if state.referees[at].unanswered >= state.options.most_unanswered or periods >= state.options.patience:
        return rounds.give_up(state, at)
    return calls.call_referee(update_referee(state, at, periods=periods), at)


def _expired_referee(state: State, event: RefereeExpired) -> int | None:
    """The place of the referee whose timer has run out; `None` if the timer is stale."""
    at = state.referee_at(event.referee_id)
    return None if at is None or event != calls.expiry_of(state, state.referees[at]) else at


@manager.on(Phase.WAITING_FOR_REFEREE, RefereeExpired, to=Phase.WAITING_FOR_REFEREE)
def call_absent(state: State, event: RefereeExpired) -> Next[State] | Rejection:
    """While no referee is left, the manager calls all: one may have been out of reach without knowing it."""
    at = _expired_referee(state, event)
    if at is None:
        return STALE
    return Next(state, calls.assignment(state, state.referees[at]), calls.watch_referee(state, state.referees[at]))


@manager.on(Phase.WAITING_FOR_REFEREE, RoundAnnouncementAck, to={IS_BACK: Phase.ANNOUNCING_ROUND})
def hear_absent(state: State, event: RoundAnnouncementAck) -> Next[State] | Rejection:
    """A lost referee has answered, and takes over the matches of the round."""
    at = _acknowledging_referee(state, event)
    return UNAWAITED if at is None else rounds.resume_round(mark_present(state, at))


# results


BOOKED, LAST = "booked", {"the last of the round": Phase.COMPLETING_ROUND}
REPORTED_LATE = {IS_BACK: Phase.ANNOUNCING_ROUND, **LAST, "nothing new": Phase.WAITING_FOR_REFEREE}


@manager.on(Phase.ANNOUNCING_ROUND, MatchResultReport, to={BOOKED: Phase.ANNOUNCING_ROUND, **LAST})
@manager.on(Phase.PLAYING_ROUND, MatchResultReport, to={BOOKED: Phase.PLAYING_ROUND, **LAST})
@manager.on(Phase.WAITING_FOR_REFEREE, MatchResultReport, to=REPORTED_LATE)
@manager.on(Phase.LEAGUE_COMPLETE, MatchResultReport, to=Phase.LEAGUE_COMPLETE)
def take_result(state: State, event: MatchResultReport) -> Next[State] | Rejection:
    """The referee of a match reports its result, which counts once.

    The manager acknowledges a repeat of the same result, and rejects another result.
    """
    match = results.match_reported(state, event)
    if isinstance(match, Rejection):
        return match
    at = _referee_at(state, event)
    if at is None or match.referee_id != state.referees[at].referee_id:
        return Rejection(Code.WRONG_REFEREE, f"Another referee has {match.match_id}.")
    outcome = results.refuse_earlier_course(match, event.result.details) or results.outcome_of(match, event)
    if isinstance(outcome, Rejection):
        return outcome
    if match.outcome not in (None, outcome):
        return Rejection(Code.ALREADY_REPORTED, f"{match.match_id} has another result.")
    ack = MatchResultAck(status=Registration.ACCEPTED, match_id=match.match_id, round_id=event.round_id)
    reply = Send(state.referees[at].address, ack)
    return Next(state, reply) if match.outcome else rounds.book(state, match, outcome, at, reply)


def _referee_at(state: State, event: MatchResultReport) -> int | None:
    """The place of the referee that reports. The host has authenticated it."""
    role, _, agent = (event.sender or "").partition(":")
    return state.referee_at(RefereeId(agent)) if role == "referee" else None


# the end of a round


NEXT_ROUND = {"next round": Phase.PAIRING_PLAYERS, "no round is left": Phase.LEAGUE_COMPLETE}


@manager.auto(Phase.COMPLETING_ROUND, to=NEXT_ROUND)
def complete_round(state: State) -> Next[State]:
    """The manager sends the standings and the end of the round. Then the next round follows, or the league is over."""
    outcomes = "".join(str(match.outcome) for match in state.matches)
    referees = "".join(referee_letter(match.referee_id) for match in state.matches)
    after = replace(
        state,
        finished=(*state.finished, outcomes),
        finished_by=(*state.finished_by, referees),
        matches=(),
        revision=0,
    )
    completed = calls.round_completed(after, state.round_id)
    if state.round_id < state.total_rounds:
        return Next(replace(after, phase=Phase.PAIRING_PLAYERS, round_id=state.round_id + 1), *completed)
    ends = calls.league_completed(after)
    over = replace(after, phase=Phase.LEAGUE_COMPLETE, untold=tuple(Address(end.to) for end in ends))
    return Next(over, *completed, *ends)


@manager.on(Phase.LEAGUE_COMPLETE, LeagueCompletedAck, to=Phase.LEAGUE_COMPLETE)
def hear_of_end(state: State, event: LeagueCompletedAck) -> State | Rejection:
    """An agent knows that the league is over, and does not hear it again."""
    who = referee_address(event.referee_id) if event.referee_id else player_address(event.player_id or PlayerId(""))
    if who not in state.untold:
        return UNAWAITED
    return replace(state, untold=tuple(each for each in state.untold if each != who))


# queries


def answer_query(state: State, event: LeagueQuery) -> Next[State] | Rejection:
    """An agent asks about the league. Nothing changes but the commitment of a referee."""
    if refused := _refuse_league(state, event):
        return refused
    return Next(queries.record_commitment(state, event), Send(event.sender or LAUNCHER, queries.answer(state, event)))


for _phase in RESTING:
    manager.on(_phase, LeagueQuery, to=_phase)(answer_query)


# ignored events

WHY = {
    Phase.ACCEPTING_REGISTRATIONS: "The league has not begun.",
    Phase.ANNOUNCING_ROUND: "A round is being announced.",
    Phase.PLAYING_ROUND: "A round is being played.",
    Phase.WAITING_FOR_REFEREE: "The round waits for a referee.",
    Phase.LEAGUE_COMPLETE: "The league is over.",
}
for _phase, _why in WHY.items():
    manager.close([_phase], Rejection(Code.IGNORED, _why))
