"""The table in small worlds, whose states the checker walks completely.

The first kind of world has few players, a few moves, and every order of everything that can happen. It is small because
it has the smallest number of players, the last of them a bot or an agent; two moves to choose from; a few events of the
game; one outage; and one player's words. Time passes only when a timer runs out. Nothing else is left out.

The second kind has every number of players, from an empty to a full table, and tries a start with each. It is small
because almost nothing goes wrong, and the match ends after a few events.
"""

from collections.abc import Hashable, Iterator
from typing import Any

from msgspec import Raw

from turnstile.kernel.chance import Seed
from turnstile.kernel.check import World
from turnstile.kernel.game import AnyGame, AnyStudy, Players
from turnstile.kernel.values import Event, Instant, LogId, PlayerId, encode
from turnstile.registry import find_game, names, study_of
from turnstile.table.clocks import ACKS, clock_of, timer_of
from turnstile.table.machine import Table, table
from turnstile.table.news import updates_in
from turnstile.table.play import game_of, thinking
from turnstile.table.presence import players_awaited
from turnstile.table.values import (
    Acknowledge,
    Act,
    AddBot,
    AddWords,
    Clock,
    Close,
    Halt,
    Header,
    Join,
    Kind,
    Leave,
    Per,
    Phase,
    Rematch,
    RematchFailed,
    Remove,
    Resign,
    Resume,
    Return,
    Ring,
    RunOut,
    Settings,
    Start,
    State,
    Succeeded,
)

ANA, STRANGER = PlayerId("ana"), PlayerId("a stranger")
MOST_EVENTS = 5  # of the game, before the walk has seen enough
MOST_EVENTS_OF_A_COMPANY = 4
MOST_PLAYERS = 12  # of the companies that are walked; a game may have more seats
A_MOMENT = 1  # millisecond: the length of the outage; all other times are whole seconds

GATES = (Phase.STARTING, Phase.GATHERING)
UNDER_WAY = (*GATES, Phase.PLAYING)


def worlds(most_events: int = MOST_EVENTS) -> Iterator[World[Table]]:
    """For each installed game: one world for each rule for a clock that runs out, and one of all numbers of players."""
    for game in filter(None, map(find_game, names())):
        for run_out in RunOut:
            yield world_of(game, run_out, most_events)
        yield companies_of(game)


def world_of(game: AnyGame, run_out: RunOut, most_events: int) -> World[Table]:
    """A table of this game with its smallest number of players, until `most_events` events of the game."""
    study, company = study_of(game), _company(game.seats[0])
    return World(
        machine=table,
        starts=[_empty_table(game, Settings(clock=Clock(60.0, Per.MATCH, run_out)))],
        moves=lambda state: moves(state, company),
        over=lambda state: state.phase is Phase.CLOSED or _has_had(most_events, state),
        carries_on=carries_on,
        refused=refused,
        violation=violation,
        state_key=lambda state: state_key(study, state),
        setting=f"{game.title}, {len(company)} seats, clock per match and then {run_out.value}, "
        f"{most_events} events of the game",
    )


def companies_of(game: AnyGame) -> World[Table]:
    """A table of this game at which players sit down one after the other, with a start tried after each."""
    study, largest = study_of(game), game.seats[-1]
    company = _company(max(game.seats[0], min(largest, MOST_PLAYERS)))
    not_walked = f", larger companies up to {largest} not walked" if len(company) < largest else ""
    return World(
        machine=table,
        starts=[_empty_table(game, Settings())],
        moves=lambda state: moves_of_companies(state, company),
        over=lambda state: state.phase is Phase.FINISHED or _has_had(MOST_EVENTS_OF_A_COMPANY, state),
        carries_on=carries_on,
        refused=refused,
        violation=violation,
        state_key=lambda state: state_key(study, state),
        setting=f"{game.title}, 0 to {len(company)} players{not_walked}, {MOST_EVENTS_OF_A_COMPANY} events of the game",
    )


def _company(count: int) -> Players:
    return (ANA, *(PlayerId(f"player {number}") for number in range(2, count + 1)))


def _empty_table(game: AnyGame, settings: Settings) -> Table:
    header = Header(LogId("table"), game.name, game.version, Raw(b"{}"), ANA, Instant(0), settings)
    return State(phase=Phase.SEATING, header=header, now=header.at)


def _has_had(most_events: int, state: Table) -> bool:
    return state.phase in UNDER_WAY and state.events >= most_events


# what can happen


def moves(state: Table, company: Players) -> Iterator[Event]:
    """Everything that can happen now at a table for these players."""
    now = state.now
    yield from _seating(state, company) if state.phase is Phase.SEATING else CHOICES[state.phase](state)
    if state.phase not in UNDER_WAY:
        return
    yield from (Ring(max(now, timer.due), timer.name, timer.due) for timer in state.timers)
    yield from (Resign(player, "resign", now) for player in state.players)
    yield Halt(now, "a reason")
    if now % 1000 == 0:
        yield Resume(Instant(now + A_MOMENT), A_MOMENT)
    if state.phase is not Phase.STARTING:
        yield from (Return(now, seat.player) for seat in state.seats if seat.is_away)


def _seating(state: Table, company: Players) -> Iterator[Event]:
    """Players sit down in order. The last of several is an agent or a bot, and may be removed again."""
    now, seated, last = state.now, len(state.seats), company[-1]
    if seated == len(company):
        yield Remove(ANA, "remove", now, last)
        yield Start(ANA, "start", now, Seed("a seed"))
    elif (player := company[seated]) == last != ANA:
        yield Join(last, "join", now, Kind.AGENT)
        yield AddBot(ANA, "bot", now, last, PlayerId("random"))
    else:
        yield Join(player, "join", now)
    if 0 < seated < len(company):
        yield Leave(state.players[-1], "leave", now)
    yield Close(ANA, "close", now)


def _starting(state: Table) -> Iterator[Event]:
    yield Acknowledge(state.now, state.told)
    if not state.words:
        yield AddWords(state.players[-1], "words", state.now, "luck")


def _gathering(state: Table) -> Iterator[Event]:
    yield Acknowledge(state.now, state.told)


def _playing(state: Table) -> Iterator[Event]:
    """The first and the last move of a player stand for all its moves; the newest and oldest update for all updates."""
    game = game_of(state)
    for player in thinking(game, state):
        offered = game.actions(state.match, player)
        choices = ((offered[0], state.told[player]), (offered[-1], _oldest_fresh(state, player)))
        for move, seen in dict.fromkeys(choices):
            yield Act(player, "act", state.now, Raw(encode(move)), seen)


def _oldest_fresh(state: Table, player: PlayerId) -> int:
    """The oldest update on which this player may base a move."""
    return min(state.actions_since[player], state.told[player])


def _finished(state: Table) -> Iterator[Event]:
    for seat in state.seats:
        if seat.kind is not Kind.BOT and seat.player not in state.agreed:
            yield Rematch(seat.player, "again", state.now, LogId("next"))


def _rematched(state: Table) -> Iterator[Event]:
    yield Succeeded(state.now)
    yield RematchFailed(state.now)


CHOICES = {
    Phase.STARTING: _starting,
    Phase.GATHERING: _gathering,
    Phase.PLAYING: _playing,
    Phase.FINISHED: _finished,
    Phase.REMATCHED: _rematched,
}


def moves_of_companies(state: Table, company: Players) -> Iterator[Event]:
    """One more player sits down, or the match starts and goes on, with all players in time or none."""
    now, seated = state.now, len(state.seats)
    if state.phase is not Phase.SEATING:
        yield from CHOICES[state.phase](state)
        yield from (Ring(max(now, timer.due), timer.name, timer.due) for timer in state.timers)
        yield Resign(state.players[0], "resign", now)
        yield Halt(now, "a reason")
        return
    if seated < len(company):
        yield Join(company[seated], "join", now)
    if seated in game_of(state).seats:
        yield Start(ANA, "start", now, Seed("a seed"))


def carries_on(event: Event) -> bool:
    """Whether an event makes progress: a move, an event of the dealer, or a timer.

    Resigning, leaving, coming back and an outage do not: a table that waits for these alone is stuck.
    """
    return not isinstance(event, (Resign, Halt, Resume, Return, Leave, Remove, Close))


def refused(state: Table) -> Iterator[Event]:
    """Events that every table must refuse: a start with the wrong number of players, one player too many, and a move
    that was based on a stale update or on one that does not exist yet."""
    if state.phase is Phase.SEATING:
        seats = game_of(state).seats
        if len(state.seats) not in seats:
            yield Start(ANA, "start", state.now, Seed("a seed"))
        if len(state.seats) == seats[-1]:
            yield Join(STRANGER, "join", state.now)
    if state.phase is Phase.PLAYING:
        game = game_of(state)
        for player in thinking(game, state):
            move = Raw(encode(game.actions(state.match, player)[0]))
            for seen in (_oldest_fresh(state, player) - 1, state.told[player] + 1):
                yield Act(player, "act", state.now, move, seen)


# what must be so


def violation(state: Table) -> str | None:
    """What is wrong with a table; `None` for every table that can be reached."""
    return next(_faults(state), None)


def _faults(state: Table) -> Iterator[str]:
    phase = state.phase
    if phase in (Phase.SEATING, Phase.STARTING) and state.match is not None:
        yield "The match exists before all players have seen the commitment."
    if phase in (Phase.GATHERING, Phase.PLAYING) and state.match is None:
        yield "The table is playing without a match."
    if (phase in UNDER_WAY or phase is Phase.SEATING) and state.result is not None:
        yield "A match that is not over has a result."
    if phase in (Phase.FINISHED, Phase.REMATCHED) and state.result is None:
        yield "A match that is over has no result."
    streams = (state.told, state.acked, state.awaited, state.actions_since)
    if phase in UNDER_WAY and any(set(state.players) != {*each} for each in streams):
        yield "A seat has no stream."
    yield from _faults_of_streams(state)
    yield from _faults_of_timers(state)


def _faults_of_streams(state: Table) -> Iterator[str]:
    if not {*state.told} == {*state.acked} == {*state.awaited} == {*state.actions_since}:
        yield "The counters of the streams are for different players."
    if any(not 0 <= state.acked[player] <= told for player, told in state.told.items()):
        yield "A player has acknowledged an update that it was never sent."
    if any(not 0 <= state.awaited[player] <= told for player, told in state.told.items()):
        yield "The table waits for an update that was never sent."
    if any(not 0 <= state.actions_since[player] <= _next_offer(state, player) for player in state.told):
        yield "A player's actions changed with an update that is not one of the next."
    if state.phase in GATES and not players_awaited(state):
        yield "The table waits at a gate, but for no player."
    if state.pending and state.phase is not Phase.GATHERING:
        yield "A batch is pending, and the table does not wait for the batch before it."


def _next_offer(state: Table, player: PlayerId) -> int:
    """The newest update that can bring a player new actions: the next one, or the last pending one."""
    return state.told[player] + max(1, updates_in(state.pending, player))


def _faults_of_timers(state: Table) -> Iterator[str]:
    running = [player for player in state.players if timer_of(state, clock_of(player))]
    if state.timers and state.phase not in UNDER_WAY:
        yield "A timer runs, but there is no match in progress."
    if (state.phase in GATES) != bool(timer_of(state, ACKS)):
        yield "The deadline for acknowledgements must run at a gate, and nowhere else."
    if running and state.phase is not Phase.PLAYING:
        yield "A clock runs while no player may move."
    if state.phase is Phase.PLAYING and not set(running) <= set(thinking(game_of(state), state)):
        yield "A clock runs for a player who cannot move."


def state_key(study: AnyStudy, state: Table) -> Hashable:
    """What the rest depends on: after the match, only who wants a rematch; before that, everything but the past."""
    kinds = tuple(seat.kind for seat in state.seats)
    if state.phase not in UNDER_WAY:
        return state.phase, state.now, kinds, state.agreed
    match: Any = None if state.match is None else study.state_key(state.match)
    timers = tuple((timer.name, timer.due, bytes(timer.event)) for timer in state.timers)
    play = (match, state.events, encode(state.pending), state.words)
    heard = tuple(player for player in state.players if state.acked[player] >= state.awaited[player])
    streams = (state.told, heard, state.actions_since)
    return state.phase, state.now, state.seats, play, streams, timers, state.left, state.late
