"""The table in small worlds, which the checker walks to their last states.

The first kind has few players, a few moves, and every order of all that can happen. What makes it small: the smallest
company of the game, the last of them a bot or an agent; two moves to choose from, a few events of the game, one outage,
one player's words; time passes only when a timer runs out. Nothing else is left out.

The second kind has every company that can sit down, from nobody to a full table, and a start is tried with each. What
makes it small: hardly anything goes wrong, and the match is left after a few events.
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
A_MOMENT = 1  # millisecond: how long the outage is, and the one time that is no whole second

GATES = (Phase.STARTING, Phase.GATHERING)
UNDER_WAY = (*GATES, Phase.PLAYING)


def worlds(most_events: int = MOST_EVENTS) -> Iterator[World[Table]]:
    """For each installed game one world for each thing that a clock may do when it runs out, and one of companies."""
    for game in filter(None, map(find_game, names())):
        for run_out in RunOut:
            yield world_of(game, run_out, most_events)
        yield companies_of(game)


def world_of(game: AnyGame, run_out: RunOut, most_events: int) -> World[Table]:
    """A table of this game and its smallest company, until so many events of the game have happened."""
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
    """A table of this game at which one player after the other sits down, and a match is started at every moment."""
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
    """All that can happen now at a table for this company."""
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
    """Players sit down in their order; the last of several is an agent or a bot, and is the one who is removed."""
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
    """The first and the last of a player's moves stand for all of them, the newest and the oldest update for others."""
    game = game_of(state)
    for player in thinking(game, state):
        offered = game.actions(state.match, player)
        choices = ((offered[0], state.told[player]), (offered[-1], _oldest_fresh(state, player)))
        for move, seen in dict.fromkeys(choices):
            yield Act(player, "act", state.now, Raw(encode(move)), seen)


def _oldest_fresh(state: Table, player: PlayerId) -> int:
    """The oldest update on which a move of this player may have been decided."""
    return min(state.actions_since[player], state.told[player])


def _finished(state: Table) -> Iterator[Event]:
    for seat in state.seats:
        if seat.kind is not Kind.BOT and seat.player not in state.agreed:
            yield Rematch(seat.player, "again", state.now, LogId("next"))


def _rematched(state: Table) -> Iterator[Event]:
    yield Succeeded(state.now)


CHOICES = {
    Phase.STARTING: _starting,
    Phase.GATHERING: _gathering,
    Phase.PLAYING: _playing,
    Phase.FINISHED: _finished,
    Phase.REMATCHED: _rematched,
}


def moves_of_companies(state: Table, company: Players) -> Iterator[Event]:
    """One more player sits down, or the match is started and goes its way, with everyone in time or nobody."""
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
    """Whether an event is one of a match that goes on: a player, the dealer or a timer does something.

    Giving up, going, coming back and an outage are not: a table that waits for nothing else is stuck.
    """
    return not isinstance(event, (Resign, Halt, Resume, Return, Leave, Remove, Close))


def refused(state: Table) -> Iterator[Event]:
    """What no table lets happen: a start with the wrong number of players, one player more than the game has seats,
    and a move that was decided on an update that is stale or yet to come."""
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
    """What is wrong with a table; `None` for every one that can be reached."""
    return next(_faults(state), None)


def _faults(state: Table) -> Iterator[str]:
    phase = state.phase
    if phase in (Phase.SEATING, Phase.STARTING) and state.match is not None:
        yield "Nothing is dealt before all have seen the commitment."
    if phase in (Phase.GATHERING, Phase.PLAYING) and state.match is None:
        yield "There is nothing to play."
    if (phase in UNDER_WAY or phase is Phase.SEATING) and state.result is not None:
        yield "A match that goes on has no result."
    if phase in (Phase.FINISHED, Phase.REMATCHED) and state.result is None:
        yield "A match that is over has a result."
    streams = (state.told, state.acked, state.awaited, state.actions_since)
    if phase in UNDER_WAY and any(set(state.players) != {*each} for each in streams):
        yield "Every seat has a stream."
    yield from _faults_of_streams(state)
    yield from _faults_of_timers(state)


def _faults_of_streams(state: Table) -> Iterator[str]:
    if not {*state.told} == {*state.acked} == {*state.awaited} == {*state.actions_since}:
        yield "Whatever is counted of one stream is counted of every stream."
    if any(not 0 <= state.acked[player] <= told for player, told in state.told.items()):
        yield "Somebody has acknowledged what it was never told."
    if any(not 0 <= state.awaited[player] <= told for player, told in state.told.items()):
        yield "Somebody is waited for with what it was never told."
    if any(not 0 <= state.actions_since[player] <= _next_offer(state, player) for player in state.told):
        yield "A player's actions have changed with an update that is not one of the next."
    if state.phase in GATES and not players_awaited(state):
        yield "The table waits for nobody."
    if state.pending and state.phase is not Phase.GATHERING:
        yield "Something waits to be told, and the table does not wait for what comes before it."


def _next_offer(state: Table, player: PlayerId) -> int:
    """The newest update with which a player's actions can have changed: the next, or the last that waits to be told."""
    return state.told[player] + max(1, updates_in(state.pending, player))


def _faults_of_timers(state: Table) -> Iterator[str]:
    running = [player for player in state.players if timer_of(state, clock_of(player))]
    if state.timers and state.phase not in UNDER_WAY:
        yield "A timer runs where nothing is played."
    if (state.phase in GATES) != bool(timer_of(state, ACKS)):
        yield "The deadline for acknowledgements runs at a gate, and there alone."
    if running and state.phase is not Phase.PLAYING:
        yield "A clock runs while nobody may move."
    if state.phase is Phase.PLAYING and not set(running) <= set(thinking(game_of(state), state)):
        yield "The clock of somebody who cannot move runs."


def state_key(study: AnyStudy, state: Table) -> Hashable:
    """What the rest depends on: of a match that is over, only who wants another; of others, not what is past."""
    kinds = tuple(seat.kind for seat in state.seats)
    if state.phase not in UNDER_WAY:
        return state.phase, state.now, kinds, state.agreed
    match: Any = None if state.match is None else study.state_key(state.match)
    timers = tuple((timer.name, timer.due, bytes(timer.event)) for timer in state.timers)
    play = (match, state.events, encode(state.pending), state.words)
    heard = tuple(player for player in state.players if state.acked[player] >= state.awaited[player])
    streams = (state.told, heard, state.actions_since)
    return state.phase, state.now, state.seats, play, streams, timers, state.left, state.late
