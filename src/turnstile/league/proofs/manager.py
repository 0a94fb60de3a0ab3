"""The league manager in small worlds: two to four players, two referees, and every order of events.

Agents register in any order, with taken names and endpoints, again, and while the league runs. The league may start at
any time. Players acknowledge a round, or not, or too late. Referees answer, die and return. Every timer may run out,
even a stale one. Results may be valid, invalid, repeated, or from the wrong referee. Rejected events are not walked.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import product

from msgspec import UNSET
from msgspec.structs import replace

from turnstile.kernel.chance import Seed, commit
from turnstile.kernel.check import World
from turnstile.kernel.values import Event, PlayerId
from turnstile.league.manager import schedule
from turnstile.league.manager.machine import manager, new
from turnstile.league.manager.state import (
    AllAreHere,
    AnnouncementExpired,
    AnnouncementLost,
    Options,
    Phase,
    RefereeExpired,
    State,
    match_id,
    player_id,
    referee_id,
)
from turnstile.league.proofs.manager_invariants import violation
from turnstile.league.proofs.worlds import accepted_events, changing_events, state_after
from turnstile.league.protocol import messages
from turnstile.league.protocol.management import RefereeRegisterRequest, StartLeague
from turnstile.league.protocol.values import (
    GET_NEXT_MATCH,
    GET_SCHEDULE,
    PlayerMeta,
    QueryParams,
    RefereeMeta,
    ReportDetails,
    ReportedResult,
)
from turnstile.league.protocol.words import (
    DEFAULT_LEAGUE,
    GAME_TYPE,
    LeagueId,
    RefereeId,
    Status,
    player_address,
    referee_address,
)

PATIENCE = Options(most_unanswered=2, most_periods=4)
SECRET = Seed("a secret")
OWN = "a registration secret"
NAMES = ("Ana", "Bo", "Cy", "Di")
REFEREES = (referee_id(1), referee_id(2))
STRANGER, ANOTHER_LEAGUE = PlayerId("P09"), LeagueId("another")


def worlds() -> Iterator[World[State]]:
    """Two players and all events; three players, of whom one sits out; four players with two matches at a time."""
    yield _world("2 players, 2 referees, all that can happen", [open_league(2), open_league(2, expected=2)], _moves(2))
    yield _world(
        "3 players, 2 referees, all that changes something", [open_league(3)], changing_events(manager, _moves(3))
    )
    yield _world("4 players, 2 referees, the last round", [in_last_round()], changing_events(manager, _moves(4)))


def open_league(players: int, expected: int | None = None) -> State:
    """A league for this many players, whose manager soon gives up referees. It may begin by itself."""
    return new(replace(PATIENCE, most_players=players, expected_players=expected), SECRET)


def _world(setting: str, starts: list[State], moves: Callable[[State], Iterable[Event]]) -> World[State]:
    return World(
        machine=manager,
        starts=starts,
        moves=moves,
        over=lambda state: state.phase is Phase.LEAGUE_COMPLETE,
        violation=violation,
        state_key=state_key,
        setting=setting,
    )


# events


def _moves(players: int) -> Callable[[State], Iterator[Event]]:
    """All events that the manager accepts. While no referee is left, it calls referees for ever: that is left out."""
    events = tuple(happenings(players))
    any_event = accepted_events(manager, events)
    while_waiting = accepted_events(manager, [event for event in events if not isinstance(event, RefereeExpired)])
    return lambda state: (while_waiting if state.phase is Phase.WAITING_FOR_REFEREE else any_event)(state)


def happenings(players: int) -> Iterator[Event]:
    """All events of a manager, in any phase."""
    yield from _registrations(players)
    yield from (StartLeague(league_id=league) for league in (None, ANOTHER_LEAGUE))
    yield AllAreHere()
    for round_id in range(1, 4 if players > 2 else 2):
        yield from _hearing(players, round_id)
        yield from _watching(round_id)
        for number in range(1, 2 + players // 4):
            yield from _results(players, round_id, number)
    yield from _questions()
    yield from (messages.LeagueCompletedAck(player_id=player_id(number)) for number in range(1, players + 1))
    yield messages.LeagueCompletedAck(referee_id=referee_id(1))
    yield messages.LeagueCompletedAck()
    if players == 2:
        yield from _commitments()


def _registrations(players: int) -> Iterator[Event]:
    yield from (entering(name) for name in NAMES[:players])
    yield from (refereeing(name) for name in ("Ron", "Sue"))
    if players == 2:
        yield entering("ANA", at="elsewhere")
        yield entering("Eve", at="Ana")
        yield entering("Ana", secret=OWN)
        yield refereeing("Ron", secret=OWN)
    yield entering("Old", version="1.9.9")
    yield refereeing("Eve", at="Ron")


def entering(
    name: str, at: str | None = None, version: str = "2.1.0", secret: str | None = None
) -> messages.LeagueRegisterRequest:
    meta = PlayerMeta(
        display_name=name,
        version="1.0.0",
        game_types=(GAME_TYPE,),
        contact_endpoint=f"http://localhost/{at or name}/mcp",
        protocol_version=version,
        registration_secret=secret or UNSET,
    )
    return messages.LeagueRegisterRequest(player_meta=meta)


def refereeing(
    name: str, at: str | None = None, capacity: int = 1, secret: str | None = None
) -> RefereeRegisterRequest:
    meta = RefereeMeta(
        display_name=name,
        version="1.0.0",
        game_types=(GAME_TYPE,),
        contact_endpoint=f"http://localhost/{at or name}/mcp",
        max_concurrent_matches=capacity,
        registration_secret=secret or UNSET,
        shows_keys=True,
    )
    return RefereeRegisterRequest(referee_meta=meta)


def _hearing(players: int, round_id: int) -> Iterator[Event]:
    for player in _ids(players):
        yield messages.RoundAnnouncementAck(player_id=player, round_id=round_id)
        yield AnnouncementLost(player_id=player, round_id=round_id)
    yield AnnouncementExpired(round_id=round_id)


def _watching(round_id: int) -> Iterator[Event]:
    for referee in REFEREES:
        yield messages.RoundAnnouncementAck(referee_id=referee, round_id=round_id)
        for periods in range(PATIENCE.patience):
            yield RefereeExpired(referee_id=referee, round_id=round_id, periods=periods)


def _results(players: int, round_id: int, number: int) -> Iterator[Event]:
    """The winner matters only in the world with all events. Elsewhere Player A has won, or a stranger."""
    a, b = (player_id(place + 1) for place in schedule.pairing(players, round_id, number))
    for referee, winner in product(REFEREES, (a, STRANGER)):
        yield reported(referee, round_id, number, winner)
    if players == 2:
        yield from (reported(referee, round_id, number, b) for referee in REFEREES)
        yield from (reported(REFEREES[0], round_id, number, None, status) for status in (None, *Status))
        yield reported(REFEREES[1], round_id, number, a, Status.TECHNICAL_LOSS)


def reported(
    referee: RefereeId, round_id: int, number: int, winner: PlayerId | None, status: Status | None = None
) -> messages.MatchResultReport:
    return messages.MatchResultReport(
        sender=referee_address(referee),
        league_id=DEFAULT_LEAGUE,
        round_id=round_id,
        match_id=match_id(round_id, number),
        result=ReportedResult(winner=winner, details=ReportDetails(status=status)),
    )


def _questions() -> Iterator[Event]:
    ana = player_address(PlayerId("P01"))
    for kind in (GET_SCHEDULE, GET_NEXT_MATCH, "GET_LUCKY"):
        yield messages.LeagueQuery(sender=ana, league_id=DEFAULT_LEAGUE, query_type=kind)
    yield messages.LeagueQuery(sender=ana, league_id=ANOTHER_LEAGUE)


def _commitments() -> Iterator[Event]:
    """Either referee may send a commitment, and another one later."""
    for referee, seed in product(REFEREES, ("a seed", "another")):
        bound = QueryParams(match_id=match_id(1, 1), commitment=commit(Seed(seed)))
        yield messages.LeagueQuery(sender=referee_address(referee), league_id=DEFAULT_LEAGUE, query_params=bound)


def _ids(players: int) -> list[PlayerId]:
    return [player_id(number + 1) for number in range(players)]


def in_last_round() -> State:
    """A league of four players with one round left to play."""
    agents = (*map(entering, NAMES), refereeing("Ron"), refereeing("Sue"))
    state = state_after(manager, open_league(len(NAMES)), *agents, StartLeague())
    for round_id in (1, 2):
        state = state_after(manager, state, AnnouncementExpired(round_id=round_id))
        for number, match in enumerate(state.matches, 1):
            state = state_after(manager, state, reported(match.referee_id, round_id, number, match.player_a_id))
    return state


HAPPENINGS = tuple(dict.fromkeys((*happenings(2), *happenings(3))))


def state_key(state: State) -> Hashable:
    """What later events depend on: not the order of registration, and past results only with two players."""
    agents = frozenset(player.display_name for player in state.players), state.referees
    matches = tuple((match.referee_id, match.commitment is None, match.outcome is None) for match in state.matches)
    past = (state.finished, state.finished_by) if len(state.players) == 2 else len(state.finished)
    begins_by_itself = state.phase is Phase.ACCEPTING_REGISTRATIONS and state.options.expected_players is not None
    return state.phase, agents, begins_by_itself, state.round_id, matches, past, state.unheard
