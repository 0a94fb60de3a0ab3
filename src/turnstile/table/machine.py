"""The table: a match being played, as a machine around the machine of its game. It waits, tells and keeps time.

Everything that happens arrives as an event with its time: what players ask for, what they acknowledge, which timer ran
out, that the server was away. The table knows no network, no store and no clock. More about it: docs/table.md.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Raw
from msgspec.structs import replace

from turnstile.kernel.chance import commit, mix
from turnstile.kernel.effects import Effect
from turnstile.kernel.game import AnyGame, Players, refuse_players
from turnstile.kernel.machine import Deferred, Machine, Next, Rejection
from turnstile.kernel.values import ByPlayer, Event, Message, Move, PlayerId, encode
from turnstile.registry import find_game
from turnstile.table.clocks import (
    ACKS,
    armed,
    clock_of,
    disarmed,
    full,
    postponed,
    stopped,
    timer_of,
    with_clocks,
    with_timers,
)
from turnstile.table.news import News, batches_of, sees_another, shown, told
from turnstile.table.values import (
    NOTHING,
    VERSION,
    Accepted,
    Acknowledge,
    Act,
    AddBot,
    AddWords,
    Close,
    Code,
    Command,
    Halt,
    Header,
    How,
    Join,
    Kind,
    Leave,
    MatchEnded,
    MatchStarting,
    Noticed,
    Per,
    Phase,
    Rematch,
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

Table = State[Any]

MOST_EVENTS = 100_000  # in one match
MOST_RINGS = 1_000  # timers one after the other, with nobody moving
MOST_DEALS = 1_000  # that a dealer may do without anybody being told


# start


def opened(header: Header) -> Table | Rejection:
    """A new table, with nobody seated."""
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
    return State(phase=Phase.SEATING, header=header, now=header.at)


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
    """A player takes the next free seat."""
    seat = Seat(event.player, Kind.AGENT if event.kind is Kind.AGENT else Kind.PERSON)
    return _seated(state, event, seat)


@table.on(Phase.SEATING, AddBot, to=Phase.SEATING)
def add_bot(state: Table, event: AddBot) -> Table | Rejection:
    """The admin seats a bot."""
    if event.player != state.header.admin:
        return NOT_ADMIN
    return _seated(state, event, Seat(event.name, Kind.BOT, event.bot))


def _seated(state: Table, event: Command, seat: Seat) -> Table | Rejection:
    if fault := refuse_players([seat.player], range(1, 2)):
        return fault
    if state.seat_of(seat.player):
        return Rejection(Code.ALREADY_SEATED, f"{seat.player} has a seat at this table.")
    if len(state.seats) == _game(state).seats[-1]:
        return Rejection(Code.TABLE_FULL, "Every seat of this table is taken.")
    return replace(_at(state, event), seats=(*state.seats, seat))


@table.on(Phase.SEATING, Leave, to=Phase.SEATING)
def leave(state: Table, event: Leave) -> Table | Rejection:
    """A player gives its seat back."""
    return _unseated(state, event, event.player)


@table.on(Phase.SEATING, Remove, to=Phase.SEATING)
def remove(state: Table, event: Remove) -> Table | Rejection:
    """The admin frees a seat."""
    return NOT_ADMIN if event.player != state.header.admin else _unseated(state, event, event.name)


def _unseated(state: Table, event: Command, player: PlayerId) -> Table | Rejection:
    if state.seat_of(player) is None:
        return NOT_SEATED
    return replace(_at(state, event), seats=tuple(seat for seat in state.seats if seat.player != player))


@table.on(Phase.SEATING, Close, to=Phase.CLOSED)
def close(state: Table, event: Close) -> Table | Rejection:
    """The admin closes the table; nothing was played."""
    return NOT_ADMIN if event.player != state.header.admin else replace(_at(state, event), phase=Phase.CLOSED)


@table.on(Phase.SEATING, Start, to=Phase.STARTING)
def start(state: Table, event: Start) -> Next[Table] | Rejection:
    """The admin starts the match: everyone is shown a commitment to the seed, before anything is drawn from it."""
    if event.player != state.header.admin:
        return NOT_ADMIN
    game, players = _game(state), state.players
    if isinstance(refused := game.new(players, _options(state), event.seed), Rejection):
        return refused
    nothing = ByPlayer.same(players, 0)
    state = replace(_at(state, event), phase=Phase.STARTING, seed=event.seed, told=nothing, acked=nothing)
    state = replace(state, left=full(state.header.settings.clock, players))
    state, effects = _announced(game, state, MatchStarting(commit(event.seed), players))
    return Next(_waiting(state), *effects)


# starting


@table.on(Phase.STARTING, AddWords, to=Phase.STARTING)
def add_words(state: Table, event: AddWords) -> Table | Rejection:
    """A player adds words to the seed, once; it has until it acknowledges the commitment."""
    if state.seat_of(event.player) is None:
        return NOT_SEATED
    if event.player in state.words:
        return Rejection(Code.WORDS_GIVEN, "You have added your words; they cannot be changed.")
    return replace(_at(state, event), words=state.words.put(event.player, event.words))


@table.on(Phase.STARTING, Acknowledge, to=Phase.SETTLING)
def all_have_seen(state: Table, event: Acknowledge) -> Next[Table] | Rejection:
    """Everyone has seen the commitment: the match begins, from the seed and the words that were added."""
    heard = _heard(state, event)
    return heard if isinstance(heard, Rejection) else _begun(heard)


@table.on(Phase.STARTING, Ring, to=Phase.SETTLING)
def begin_without(state: Table, event: Ring) -> Next[Table] | Rejection:
    """Whoever has not acknowledged the commitment in time is away, and the match begins."""
    return _refused_ring(state, event) or _begun(_silent_away(_at(state, event)))


def _begun(state: Table) -> Next[Table]:
    """The match, before its first event. Where the dealer has nothing to do, players are shown that they have."""
    assert state.seed is not None, "the seed came with Start"
    game = _game(state)
    match = game.new(state.players, _options(state), mix(state.seed, state.words))
    assert not isinstance(match, Rejection), "Start has tried the same company and options"
    begun = replace(state, match=match, phase=Phase.SETTLING)
    if game.dealer(match) is not None:
        return Next(begun)
    begun, effects = told(game, begun, [ByPlayer.same(begun.players, NOTHING)])
    begun, more = shown(game, begun)
    return Next(begun, *effects, *more)


# gathering


@table.on(Phase.GATHERING, Acknowledge, to=Phase.SETTLING)
def all_have_heard(state: Table, event: Acknowledge) -> Table | Rejection:
    """Everyone who is waited for has acknowledged everything it was told."""
    heard = _heard(state, event)
    return heard if isinstance(heard, Rejection) else replace(heard, phase=Phase.SETTLING)


@table.on(Phase.GATHERING, Ring, to=Phase.SETTLING)
def go_on_without(state: Table, event: Ring) -> Next[Table] | Table | Rejection:
    """Whoever has not acknowledged in time is away, and the match goes on; or a timer of the game ran out."""
    if refused := _refused_ring(state, event):
        return refused
    if event.timer == ACKS:
        return replace(_silent_away(_at(state, event)), phase=Phase.SETTLING)
    return _rung(_at(state, event), event)


table.close([Phase.GATHERING], Rejection(Code.ACKS_MISSING, "Wait until everyone has received what was just told."))


# playing


@table.on(Phase.PLAYING, Act, to=Phase.SETTLING)
def act(state: Table, event: Act) -> Next[Table] | Rejection:
    """A player makes a move. Who it is, the server vouches for; whether the move is legal, the game says."""
    if state.seat_of(event.player) is None:
        return NOT_SEATED
    if event.seen is not None and event.seen != (newest := state.told[event.player]):
        if event.seen > newest or event.seen < 0:
            return Rejection(Code.FUTURE_VERSION, f"There is no update {event.seen} yet; the newest is {newest}.")
        return Rejection(Code.STALE_VERSION, f"Something has happened since: the newest update is {newest}.")
    game = _game(state)
    move = game.machine.read_event(bytes(event.move))
    if isinstance(move, Rejection):
        return move
    if not isinstance(move, Move):
        return Rejection(Code.NOT_A_MOVE, "That is for the table to do, not for a player.")
    if move.player != event.player:
        return Rejection(Code.NOT_YOUR_SEAT, "You can move for yourself only.")
    here = stopped(_present(_at(state, event), event.player), event.player)
    return _played(game, replace(here, rings=0), move)


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
    if refused := _refused_ring(state, event):
        return refused
    clock, state = state.header.settings.clock, _at(state, event)
    late = next((player for player in state.players if clock_of(player) == event.timer), None)
    if late is None or clock is None:
        return _rung(state, event)
    state = replace(disarmed(state, event.timer), left=state.left if clock.per is Per.MOVE else state.left.put(late, 0))
    if clock.run_out is RunOut.FORFEIT:
        return _finished(state, Result(How.OUT_OF_TIME, _others(state, late), reason=late))
    if clock.run_out is RunOut.BOT:
        return _with_seat(state, late, is_away=True)
    return replace(state, late=(*state.late, late))


def _rung(state: Table, event: Ring) -> Next[Table] | Table:
    """A timer of the game: its event happens, unless the game has no use for it any more."""
    game, timer = _game(state), timer_of(state, event.timer)
    assert timer is not None, "only a timer that is armed rings"
    happening = game.machine.read_event(bytes(timer.event))
    assert not isinstance(happening, Rejection), "the game armed it with an event of its own"
    state = replace(disarmed(state, event.timer), rings=state.rings + 1)
    after = _played(game, state, happening)
    return replace(state, phase=Phase.SETTLING) if isinstance(after, Rejection) else after


# at any time during the match


@table.on(Phase.STARTING, Return, to=Phase.STARTING)
@table.on(Phase.GATHERING, Return, to=Phase.GATHERING)
@table.on(Phase.PLAYING, Return, to=Phase.PLAYING)
def come_back(state: Table, event: Return) -> Table | Rejection:
    """A player who was away is here again, finds its stream as it left it, and is waited for."""
    seat = state.seat_of(event.player)
    if seat is None:
        return NOT_SEATED
    if not seat.is_away:
        return Rejection(Code.ALREADY_HERE, f"{event.player} is not away.")
    here = _present(_at(state, event), event.player)
    return with_clocks(here, _thinking(_game(here), here)) if here.phase is Phase.PLAYING else here


@table.on(Phase.STARTING, Resume, to=Phase.STARTING)
@table.on(Phase.GATHERING, Resume, to=Phase.GATHERING)
@table.on(Phase.PLAYING, Resume, to=Phase.PLAYING)
def resume(state: Table, event: Resume) -> Table:
    """The server was away: every deadline moves by the time that was lost."""
    return postponed(_at(state, event), event.lost)


@table.on(Phase.STARTING, Resign, to=Phase.FINISHED)
@table.on(Phase.GATHERING, Resign, to=Phase.FINISHED)
@table.on(Phase.PLAYING, Resign, to=Phase.FINISHED)
def resign(state: Table, event: Resign) -> Next[Table] | Rejection:
    """A player gives up; all others share the win."""
    if state.seat_of(event.player) is None:
        return NOT_SEATED
    return _finished(_at(state, event), Result(How.RESIGNED, _others(state, event.player), reason=event.player))


@table.on(Phase.STARTING, Halt, to=Phase.FINISHED)
@table.on(Phase.GATHERING, Halt, to=Phase.FINISHED)
@table.on(Phase.PLAYING, Halt, to=Phase.FINISHED)
def halt(state: Table, event: Halt) -> Next[Table]:
    """The match cannot go on: nobody wins, and everyone is told why."""
    return _finished(_at(state, event), Result(How.HALTED, (), reason=event.reason))


# settling


@table.auto(
    Phase.SETTLING,
    to={"acks are missing": Phase.GATHERING, "somebody is to move": Phase.PLAYING, "it is over": Phase.FINISHED},
)
def settle(state: Table) -> Next[Table]:
    """What comes next: a batch that is waiting, the end, the dealer's part, or the players'.

    The dealer acts, and a gated game goes on at all, only when everyone who is waited for has heard everything.
    """
    game, effects = _game(state), list[Effect | Deferred]()
    for _ in range(MOST_DEALS):
        news, due = None, game.dealer(state.match)
        is_over = game.outcome(state.match)
        if _unheard(state) and (game.gated or (due is not None and is_over is None)):
            return Next(_waiting(with_clocks(replace(state, phase=Phase.GATHERING), ())), *effects)
        if state.pending:
            news = told(game, replace(state, pending=state.pending[1:]), state.pending[:1])
        elif result := _over(game, state):
            ended = _finished(state, result)
            return Next(ended.state, *effects, *ended.effects)
        elif due is None:
            return Next(with_clocks(replace(state, phase=Phase.PLAYING), _thinking(game, state)), *effects)
        else:
            dealt = _played(game, state, due)
            assert not isinstance(dealt, Rejection), f"the dealer of {game.name} is refused: {dealt}"
            news = dealt.state, list(dealt.effects)
        state = news[0]
        effects += news[1]
    raise AssertionError(f"The dealer of {game.name} never rests.")


def _over(game: AnyGame, state: Table) -> Result | None:
    """How the match ends now, if it does."""
    if outcome := game.outcome(state.match):
        return Result(How.PLAYED, outcome.winners, outcome.scores)
    if state.events >= MOST_EVENTS:
        return Result(How.HALTED, (), reason=f"a match has at most {MOST_EVENTS:,} events")
    if state.rings >= MOST_RINGS:
        return Result(How.HALTED, (), reason=f"{MOST_RINGS:,} timers ran out and nobody moved")
    return None


# afterwards


@table.on(Phase.FINISHED, Rematch, to={"not all agree yet": Phase.FINISHED, "all agree": Phase.REMATCHED})
def rematch(state: Table, event: Rematch) -> Table | Rejection:
    """A player wants to play again. When all do (bots always do), they meet at a new table."""
    if state.seat_of(event.player) is None:
        return NOT_SEATED
    if event.player in state.agreed:
        return Rejection(Code.ALREADY_AGREED, "You have asked for a rematch; wait for the others.")
    agreed = (*state.agreed, event.player)
    missing = [seat for seat in state.seats if seat.kind is not Kind.BOT and seat.player not in agreed]
    phase = Phase.FINISHED if missing else Phase.REMATCHED
    return replace(_at(state, event), agreed=agreed, successor=state.successor or event.successor, phase=phase)


@table.on(Phase.REMATCHED, Succeeded, to=Phase.CLOSED)
def succeeded(state: Table, event: Succeeded) -> Table:
    """The next table is there; this one is done."""
    return replace(_at(state, event), phase=Phase.CLOSED)


# small things the handlers above share

NOT_ADMIN = Rejection(Code.NOT_ADMIN, "Only whoever opened the table may do that.")
NOT_SEATED = Rejection(Code.NOT_SEATED, "There is no such seat at this table.")


def _game(state: Table) -> AnyGame:
    game = find_game(state.header.game)
    assert game is not None, f"a table of {state.header.game} was opened"
    return game


def _options(state: Table) -> Any:
    return _game(state).read_options(bytes(state.header.options))


def _at(state: Table, event: Command | Noticed) -> Table:
    """The table when the event happens. Its time never goes back, whatever the server's clock does."""
    return replace(state, now=event.at) if event.at > state.now else state


def _others(state: Table, player: PlayerId) -> Players:
    return tuple(other for other in state.players if other != player)


def _with_seat(state: Table, player: PlayerId, *, is_away: bool) -> Table:
    seats = tuple(replace(seat, is_away=is_away) if seat.player == player else seat for seat in state.seats)
    return replace(state, seats=seats)


def _present(state: Table, player: PlayerId) -> Table:
    seat = state.seat_of(player)
    return _with_seat(state, player, is_away=False) if seat and seat.is_away else state


def _thinking(game: AnyGame, state: Table) -> Players:
    """Who may do something now."""
    return tuple(player for player in state.players if game.actions(state.match, player))


def _unheard(state: Table) -> Players:
    """Who is waited for: present, and with something that was not acknowledged when the table last asked."""
    return tuple(
        seat.player for seat in state.seats if not seat.is_away and state.acked[seat.player] < state.told[seat.player]
    )


def _waiting(state: Table) -> Table:
    """The table with the deadline for acknowledgements running."""
    return armed(state, ACKS, round(state.header.settings.ack_seconds * 1000))


def _heard(state: Table, event: Acknowledge) -> Table | Rejection:
    """The table after these acknowledgements, where nobody is waited for any more."""
    if refused := refuse_acks(state, event.cursors):
        return refused
    acked = ByPlayer({player: max(seq, event.cursors.get(player, 0)) for player, seq in state.acked.items()})
    heard = replace(disarmed(_at(state, event), ACKS), acked=acked)
    if missing := _unheard(heard):
        return Rejection(Code.ACKS_MISSING, f"Not everyone has acknowledged: {', '.join(missing)}.")
    return heard


def refuse_acks(state: Table, cursors: Mapping[PlayerId, int]) -> Rejection | None:
    """Why nobody can have acknowledged so much."""
    for player, seq in cursors.items():
        if player not in state.told:
            return NOT_SEATED
        if not 0 <= seq <= state.told[player]:
            return Rejection(Code.FUTURE_ACK, f"There is no update {seq}; the newest is {state.told[player]}.")
    return None


def _silent_away(state: Table) -> Table:
    """Everyone who is still waited for is away."""
    silent = _unheard(state)
    seats = tuple(replace(seat, is_away=True) if seat.player in silent else seat for seat in state.seats)
    return replace(disarmed(state, ACKS), seats=seats)


def _refused_ring(state: Table, event: Ring) -> Rejection | None:
    timer = timer_of(state, event.timer)
    if timer is None or timer.due != event.due:
        return Rejection(Code.STALE_TIMER, f"The timer {event.timer} was stopped or set anew.")
    if event.at < timer.due:
        return Rejection(Code.TOO_EARLY, f"The timer {event.timer} has not run out yet.")
    return None


def _played(game: AnyGame, state: Table, event: Event) -> Next[Table] | Rejection:
    """The table after an event of the game, with everyone told, or about to be."""
    step = game.machine.step(state.match, event)
    if isinstance(step, Rejection):
        return step
    batches = batches_of(game, state, step.state, step.batches)
    is_shown = sees_another(game, state.match, step.state, None)
    after = replace(state, phase=Phase.SETTLING, match=step.state, events=state.events + 1)
    after = with_timers(after, step.effects)
    effects: list[Effect | Deferred] = []
    if game.gated:
        after = replace(after, pending=(*after.pending, *batches))
    else:
        after, effects = told(game, after, batches)
    if is_shown:
        after, more = shown(game, after)
        effects += more
    return Next(after, *effects)


def _finished(state: Table, result: Result) -> Next[Table]:
    """The match is over: whatever waited is told, then the result, and the seed that the deal came from."""
    assert state.seed is not None, "the seed came with Start"
    game = _game(state)
    ended = replace(state, phase=Phase.FINISHED, result=result, timers=(), pending=())
    ended, effects = told(game, ended, state.pending)
    ended, more = _announced(game, ended, MatchEnded(result, state.seed, state.words))
    return Next(ended, *effects, *more)


def _announced(game: AnyGame, state: Table, message: Message) -> News:
    """A message of the table's own for everyone, spectators included."""
    written = Raw(encode(message))
    state, effects = told(game, state, [ByPlayer.same(state.players, written)])
    state, more = shown(game, state, written)
    return state, effects + more


def answer_of(state: Table, command: Command) -> Accepted:
    """The answer to a command that led to this state."""
    return Accepted(state.told.get(command.player, 0))
