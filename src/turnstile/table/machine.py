"""The table: a match being played, as a machine around the machine of its game. It waits, tells and keeps time.

Everything that happens arrives as an event with its time: players' commands and acknowledgements, timers that ran out,
outages of the server. The table knows no network, no store and no clock. See docs/table.md.
"""

from typing import Any

from msgspec.structs import replace

from turnstile.kernel.chance import commit
from turnstile.kernel.game import refuse_count
from turnstile.kernel.machine import Machine, Next, Refusal, Rejection
from turnstile.kernel.timers import postpone, stop_timer
from turnstile.kernel.values import ByPlayer, Event, Move
from turnstile.registry import find_game
from turnstile.table.clocks import ACKS, at, clock_of, full, refuse_ring, stopped, timer_of, with_clocks
from turnstile.table.messages import MatchEnded, MatchStarting
from turnstile.table.news import Telling
from turnstile.table.play import (
    apply_event,
    begin_match,
    deal,
    finish_match,
    for_all,
    game_of,
    options_of,
    refuse_version,
    result_of,
    ring_game_timer,
    with_clocks_of_thinking,
)
from turnstile.table.presence import (
    ACKS_MISSING,
    NOT_SEATED,
    mark_away,
    mark_back,
    mark_silent_away,
    refuse_acks,
    start_wait,
    take_acks,
)
from turnstile.table.seating import free_seat, refuse_company, take_seat
from turnstile.table.values import (
    VERSION,
    Acknowledge,
    Act,
    AddBot,
    AddWords,
    Batch,
    Close,
    Code,
    Command,
    Halt,
    Header,
    How,
    Join,
    Kind,
    Leave,
    Phase,
    Rematch,
    RematchFailed,
    Remove,
    Resign,
    Result,
    Resume,
    Return,
    Ring,
    RunOut,
    Seat,
    Start,
    State,
    Succeeded,
)

__all__ = ["Table", "open_table", "refuse_acks", "table"]

Table = State[Any]

MOST_DEALS = 1_000  # events in a row from a dealer

NOT_ADMIN = Rejection(Code.NOT_ADMIN, "Only the player who opened the table may do that.")


# start


def open_table(header: Header) -> Table | Rejection:
    """A new table. Its seats are empty, except after a rematch."""
    if header.version != VERSION:
        return Rejection(Code.OTHER_VERSION, f"This table was kept by version {header.version} of tables.")
    game = find_game(header.game)
    if game is None:
        return Rejection(Code.UNKNOWN_GAME, f"There is no game {header.game}.")
    if game.version != header.game_version:
        return Rejection(
            Code.OTHER_VERSION,
            f"This match began under version {header.game_version} of {game.name}; here is version {game.version}.",
        )
    options = game.read_options(bytes(header.options))
    if isinstance(options, Rejection):
        return options
    if fault := game.refuse_options(options) or refuse_company(game, header.seats):
        return fault
    return State(phase=Phase.SEATING, header=header, now=header.at, seats=header.seats)


table: Machine[Table] = Machine(
    "table",
    Phase,
    start=Phase.SEATING,
    ends=(Phase.FINISHED, Phase.CLOSED),
    state=State,
    messages=MatchStarting | MatchEnded,
    codes=Code,
    carries=True,
)


# seating


@table.on(Phase.SEATING, Join, to=Phase.SEATING)
def join(state: Table, event: Join) -> Table | Rejection:
    """A player, or a program that plays from elsewhere, takes the next free seat."""
    if event.kind is Kind.BOT:
        return Rejection(Refusal.INVALID_EVENT, "A bot cannot join: the player who opened the table adds it.")
    return take_seat(at(state, event), Seat(event.player, event.kind))


@table.on(Phase.SEATING, AddBot, to=Phase.SEATING)
def add_bot(state: Table, event: AddBot) -> Table | Rejection:
    """The admin seats a bot."""
    if event.player != state.header.admin:
        return NOT_ADMIN
    return take_seat(at(state, event), Seat(event.name, Kind.BOT, event.bot))


@table.on(Phase.SEATING, Leave, to=Phase.SEATING)
def leave(state: Table, event: Leave) -> Table | Rejection:
    """A player gives its seat back. The admin stays the admin, seated or not."""
    return free_seat(at(state, event), event.player)


@table.on(Phase.SEATING, Remove, to=Phase.SEATING)
def remove(state: Table, event: Remove) -> Table | Rejection:
    """The admin frees a seat."""
    return NOT_ADMIN if event.player != state.header.admin else free_seat(at(state, event), event.name)


@table.on(Phase.SEATING, Close, to=Phase.CLOSED)
def close(state: Table, event: Close) -> Table | Rejection:
    """The admin closes the table; nothing was played."""
    return NOT_ADMIN if event.player != state.header.admin else replace(at(state, event), phase=Phase.CLOSED)


@table.on(Phase.SEATING, Start, to=Phase.STARTING)
def start(state: Table, event: Start) -> Next[Table] | Rejection:
    """The admin starts the match: everyone is shown a commitment to the seed, before anything is drawn from it."""
    if event.player != state.header.admin:
        return NOT_ADMIN
    game, players = game_of(state), state.players
    if refused := refuse_count(len(players), game.seats):
        return refused
    if isinstance(refused := game.new(players, options_of(state), event.seed), Rejection):
        return refused
    nothing = ByPlayer.same(players, 0)
    state = replace(
        at(state, event), phase=Phase.STARTING, seed=event.seed, told=nothing, acked=nothing, awaited=nothing
    )
    state = replace(state, actions_since=nothing, left=full(state.header.settings.clock, players))
    telling = Telling(game, state)
    telling.add(for_all(state, MatchStarting(commit(event.seed), players)), None)
    return Next(telling.add_to(state, timers=start_wait(state)), *telling.effects())


# starting


@table.on(Phase.STARTING, AddWords, to=Phase.STARTING)
def add_words(state: Table, event: AddWords) -> Table | Rejection:
    """A player adds words to the seed, once, while the table waits for all to acknowledge the commitment."""
    if state.seat_of(event.player) is None:
        return NOT_SEATED
    if event.player in state.words:
        return Rejection(Code.WORDS_GIVEN, "You have added your words; they cannot be changed.")
    return replace(at(state, event), words=state.words.put(event.player, event.words))


@table.on(Phase.STARTING, Acknowledge, to=Phase.SETTLING)
def all_have_seen(state: Table, event: Acknowledge) -> Table | Rejection:
    """Everyone has seen the commitment: the match begins, from the seed and the words that were added."""
    after = take_acks(at(state, event), event.cursors)
    return after if isinstance(after, Rejection) else begin_match(after)


@table.on(Phase.STARTING, Ring, to=Phase.SETTLING)
def begin_without(state: Table, event: Ring) -> Table | Rejection:
    """Players who have not acknowledged the commitment in time are away, and the match begins."""
    if refused := refuse_ring(state, event) or refuse_acks(state, event.cursors):
        return refused
    return begin_match(mark_silent_away(at(state, event), event.cursors))


# gathering


@table.on(Phase.GATHERING, Acknowledge, to=Phase.SETTLING)
def all_have_heard(state: Table, event: Acknowledge) -> Table | Rejection:
    """All players for whom the table waits have acknowledged everything."""
    return take_acks(state, event.cursors, now=max(state.now, event.at), phase=Phase.SETTLING)


@table.on(Phase.GATHERING, Ring, to=Phase.SETTLING)
def go_on_without(state: Table, event: Ring) -> Table | Rejection:
    """Players who have not acknowledged in time are away, and the match goes on; or a timer of the game ran out."""
    if refused := refuse_ring(state, event) or refuse_acks(state, event.cursors):
        return refused
    state = at(state, event)
    if event.timer != ACKS:
        return ring_game_timer(state, event)
    return replace(mark_silent_away(state, event.cursors), phase=Phase.SETTLING)


def refuse_while_gathering(state: Table, event: Event) -> Rejection:
    """Players must wait. A sender without a seat is answered as in `Playing`: it may not learn that the table waits."""
    if not isinstance(event, Command) or state.seat_of(event.player) is not None:
        return ACKS_MISSING
    refused = table.apply(replace(state, phase=Phase.PLAYING), event)
    assert isinstance(refused, Rejection), "only players change a match"
    return refused


table.close([Phase.GATHERING], refuse_while_gathering)


# playing


@table.on(Phase.PLAYING, Act, to=Phase.SETTLING)
def act(state: Table, event: Act) -> Table | Rejection:
    """A player makes a move. The server vouches for the player; the game decides whether the move is legal.

    A player who is away stays away, for its stand-in bot may have made the move: only Return brings a player back.
    """
    if state.seat_of(event.player) is None:
        return NOT_SEATED
    if refused := refuse_version(event.seen, state.actions_since[event.player], state.told[event.player]):
        return refused
    game = game_of(state)
    move = game.machine.read_event(bytes(event.move))
    if type(move) is Rejection:  # faster than isinstance
        return move
    if not isinstance(move, Move):
        return Rejection(Code.NOT_A_MOVE, "Only the table itself can do that, not a player.")
    if move.player != event.player:
        return Rejection(Code.NOT_YOUR_SEAT, "You can move for yourself only.")
    if state.header.settings.clock is not None:
        state = stopped(at(state, event), event.player)
    return apply_event(game, state, move, now=max(state.now, event.at), rings=0)


@table.on(
    Phase.PLAYING,
    Ring,
    to={
        "a timer of the game": Phase.SETTLING,
        "a clock": Phase.PLAYING,
        "a clock, and it costs the match": Phase.FINISHED,
    },
)
def run_out(state: Table, event: Ring) -> Next[Table] | Table | Rejection:
    """A player's clock ran out: the table waits, or a bot moves from now on, or the match is lost."""
    if refused := refuse_ring(state, event):
        return refused
    clock, state = state.header.settings.clock, at(state, event)
    late = next((player for player in state.players if clock_of(player) == event.timer), None)
    if late is None or clock is None:
        return ring_game_timer(state, event)
    state = stopped(state, late)
    if clock.run_out is RunOut.FORFEIT:
        return finish_match(state, Result(How.OUT_OF_TIME, state.others(late), reason=late))
    return mark_away(state, (late,)) if clock.run_out is RunOut.BOT else replace(state, late=(*state.late, late))


# at any time during the match


@table.on(Phase.GATHERING, Return, to=Phase.GATHERING)
@table.on(Phase.PLAYING, Return, to=Phase.PLAYING)
def come_back(state: Table, event: Return) -> Table | Rejection:
    """A player who was away is back. It finds its stream as it left it, and the table waits for it again."""
    seat = state.seat_of(event.player)
    if seat is None:
        return NOT_SEATED
    if not seat.is_away:
        return Rejection(Code.ALREADY_HERE, f"{event.player} is not away.")
    here = mark_back(at(state, event), event.player)
    return with_clocks_of_thinking(game_of(here), here) if here.phase is Phase.PLAYING else here


@table.on(Phase.STARTING, Resume, to=Phase.STARTING)
@table.on(Phase.GATHERING, Resume, to=Phase.GATHERING)
@table.on(Phase.PLAYING, Resume, to=Phase.PLAYING)
def resume(state: Table, event: Resume) -> Table:
    """The server was away: every deadline moves by the lost time."""
    state = at(state, event)
    return replace(state, timers=postpone(state.timers, event.lost))


@table.on(Phase.STARTING, Resign, to=Phase.FINISHED)
@table.on(Phase.GATHERING, Resign, to=Phase.FINISHED)
@table.on(Phase.PLAYING, Resign, to=Phase.FINISHED)
def resign(state: Table, event: Resign) -> Next[Table] | Rejection:
    """A player gives up; all others share the win."""
    if state.seat_of(event.player) is None:
        return NOT_SEATED
    return finish_match(at(state, event), Result(How.RESIGNED, state.others(event.player), reason=event.player))


@table.on(Phase.STARTING, Halt, to=Phase.FINISHED)
@table.on(Phase.GATHERING, Halt, to=Phase.FINISHED)
@table.on(Phase.PLAYING, Halt, to=Phase.FINISHED)
def halt(state: Table, event: Halt) -> Next[Table]:
    """The match cannot go on: no player wins, and all are told why."""
    return finish_match(at(state, event), Result(How.HALTED, (), reason=event.reason))


# settling


@table.auto(
    Phase.SETTLING,
    to={"acks are missing": Phase.GATHERING, "a player is to move": Phase.PLAYING, "it is over": Phase.FINISHED},
)
def settle(state: Table) -> Next[Table]:
    """Decide what comes next: a waiting batch, the end, an event of the dealer, or the players' moves.

    Before the dealer acts, all must have acknowledged what they were told; in a gated game, before anything happens.
    """
    game = game_of(state)
    telling = Telling(game, state)
    was_awaited = telling.is_awaited
    for _ in range(MOST_DEALS):
        pending = telling.add_pending(state)
        if game.gated and telling.is_awaited:
            return _gather(state, telling, pending, was_awaited)
        if result := result_of(game, state):
            return finish_match(replace(state, pending=pending), result, telling)
        due = game.dealer(state.match)
        if due is None:
            timers = stop_timer(state.timers, ACKS)
            at_play = telling.add_to(state, phase=Phase.PLAYING, pending=pending, timers=timers)
            return Next(with_clocks_of_thinking(game, at_play), *telling.effects())
        if telling.is_awaited:
            return _gather(state, telling, pending, was_awaited)
        state = deal(game, replace(state, pending=pending), due, telling)
    raise AssertionError(f"The dealer of {game.name} never rests.")


def _gather(state: Table, telling: Telling, pending: tuple[Batch[Any], ...], was_awaited: bool) -> Next[Table]:
    """The table waits for acknowledgements. If it `was_awaited` before, the deadline that is running goes on."""
    state = with_clocks(state, ())
    timers = state.timers if was_awaited and timer_of(state, ACKS) else start_wait(state)
    return Next(telling.add_to(state, phase=Phase.GATHERING, pending=pending, timers=timers), *telling.effects())


# afterwards


@table.on(Phase.FINISHED, Rematch, to={"not all agree yet": Phase.FINISHED, "all agree": Phase.REMATCHED})
def rematch(state: Table, event: Rematch) -> Table | Rejection:
    """A player wants to play again. When all agree (bots always do), a new table follows."""
    if state.seat_of(event.player) is None:
        return NOT_SEATED
    if event.player in state.agreed:
        return Rejection(Code.ALREADY_AGREED, "You have asked for a rematch; wait for the others.")
    agreed = (*state.agreed, event.player)
    missing = [seat for seat in state.seats if seat.kind is not Kind.BOT and seat.player not in agreed]
    phase = Phase.FINISHED if missing else Phase.REMATCHED
    return replace(at(state, event), agreed=agreed, successor=state.successor or event.successor, phase=phase)


@table.on(Phase.REMATCHED, Succeeded, to=Phase.CLOSED)
def succeeded(state: Table, event: Succeeded) -> Table:
    """The next table exists; this one is done."""
    return replace(at(state, event), phase=Phase.CLOSED)


@table.on(Phase.REMATCHED, RematchFailed, to=Phase.CLOSED)
def rematch_failed(state: Table, event: RematchFailed) -> Table:
    """The next table cannot be opened; this one is done, and no table follows."""
    return replace(at(state, event), phase=Phase.CLOSED, successor=None)
