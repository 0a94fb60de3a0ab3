"""The match on the table: what an event of its game does, and how the match ends. `machine` decides who may do what."""

from collections.abc import Iterable
from typing import Any

from msgspec import Raw
from msgspec.structs import replace

from turnstile.kernel.chance import mix
from turnstile.kernel.game import AnyGame, Players
from turnstile.kernel.machine import Next, Rejection, Step
from turnstile.kernel.values import ByPlayer, Event, Message, Move, PlayerId, encode
from turnstile.registry import find_game
from turnstile.table.clocks import disarmed, timer_of, with_clocks, with_timers
from turnstile.table.messages import MatchEnded
from turnstile.table.news import Telling, batches_of, eyes_of, keep_as_shown, sight_of, updates_in
from turnstile.table.values import Batch, Code, How, Note, Phase, Result, Ring, State

MOST_EVENTS = 100_000  # in one match
MOST_RINGS = 1_000  # timers that run out in a row, without a move


def game_of(state: State[Any]) -> AnyGame:
    game = find_game(state.header.game)
    assert game is not None, f"a table of {state.header.game} was opened"
    return game


def options_of(state: State[Any]) -> Any:
    return game_of(state).read_options(bytes(state.header.options))


def thinking(game: AnyGame, state: State[Any]) -> Players:
    """The players who may move now."""
    return tuple(player for player in state.players if game.actions(state.match, player))


def with_clocks_of_thinking(game: AnyGame, state: State[Any]) -> State[Any]:
    """Run the clocks of the players who may move, and stop all others."""
    return state if state.header.settings.clock is None else with_clocks(state, thinking(game, state))


# the match


def begin_match(state: State[Any]) -> State[Any]:
    """Create the match from the seed and the words that players have added, and show it to everyone."""
    assert state.seed is not None, "the seed came with Start"
    game = game_of(state)
    match = game.new(state.players, options_of(state), mix(state.seed, state.words))
    assert not isinstance(match, Rejection), "Start has tried the same company and options"
    since = _actions_since(game, state, match, None, (), Telling(game, state))
    return replace(state, match=match, phase=Phase.SETTLING, actions_since=since, pending=(for_all(state),))


def apply_event(
    game: AnyGame, state: State[Any], event: Event, telling: Telling | None = None, **changes: Any
) -> State[Any] | Rejection:
    """The table after an event of the game, with these changes. What there is to tell waits in `pending`.

    `telling` has what this step of the table has told already.
    """
    step = game.machine.step(state.match, event)
    if type(step) is Rejection:  # faster than isinstance
        return step
    assert type(step) is Step
    batches = batches_of(game, state, event, step)
    since = _actions_since(game, state, step.state, event, batches, telling)
    after = replace(
        state,
        phase=Phase.SETTLING,
        match=step.state,
        events=state.events + 1,
        actions_since=since,
        pending=(*keep_as_shown(state.pending, state.match), *batches) if state.pending else batches,
        **changes,
    )
    return with_timers(after, step.effects)


def _actions_since(
    game: AnyGame,
    state: State[Any],
    match: Any,
    event: Event | None,
    batches: Iterable[Batch[Any]],
    telling: Telling | None,
) -> ByPlayer[int]:
    """The update from which on each player has the actions that it has in `match`.

    A move uses up its player's actions, even if the same ones are offered again. In open play the update of the step
    brings new actions, in a gated game the last one of several; that there are none any more is seen in the first. The
    result depends only on what each player knows: its own moves, its own actions and the number of its own updates.
    """
    mover = event.player if isinstance(event, Move) else None
    since: dict[PlayerId, int] = {}
    sight = sight_of(game, match)
    for player in state.players:
        offered = sight.actions(player)
        if player == mover or offered != (() if state.match is None else game.actions(state.match, player)):
            first = state.told[player] + 1 if telling is None else telling.number_for(player)
            waiting = updates_in((*state.pending, *batches), player) if game.gated and offered else 1
            since[player] = first + max(1, waiting) - 1
    return ByPlayer({**state.actions_since, **since}) if since else state.actions_since


def refuse_version(seen: int | None, since: int, newest: int) -> Rejection | None:
    """Why a move that was decided on the update `seen` is refused: the update does not exist, or is older than `since`.

    The newest update is never stale, because a player may have been told nothing since it moved. A move without `seen`
    is always accepted.
    """
    if seen is None or min(since, newest) <= seen <= newest:
        return None
    if 0 <= seen < newest:
        why = f"What you may do has changed since update {seen}; decide again on update {newest}."
        return Rejection(Code.STALE_VERSION, why)
    return Rejection(Code.FUTURE_VERSION, f"There is no update {seen}; the newest is {newest}.")


def deal(game: AnyGame, state: State[Any], event: Event, telling: Telling) -> State[Any]:
    """The table after an event of the dealer."""
    after = apply_event(game, state, event, telling)
    assert not isinstance(after, Rejection), f"the dealer of {game.name} is refused: {after}"
    return after


def ring_game_timer(state: State[Any], ring: Ring) -> State[Any]:
    """A timer of the game ran out: its event happens, unless the game refuses it."""
    game, timer = game_of(state), timer_of(state, ring.timer)
    assert timer is not None, "only a timer that is armed rings"
    happening = game.machine.read_event(bytes(timer.event))
    assert not isinstance(happening, Rejection), "the game armed it with an event of its own"
    state = replace(disarmed(state, ring.timer), rings=state.rings + 1, phase=Phase.SETTLING)
    after = apply_event(game, state, happening)
    return state if isinstance(after, Rejection) else after


# its end


def result_of(game: AnyGame, state: State[Any]) -> Result | None:
    """How the match ends now, if it does."""
    if outcome := game.outcome(state.match):
        return Result(How.PLAYED, outcome.winners, outcome.scores)
    if state.events >= MOST_EVENTS:
        return Result(How.HALTED, (), reason=f"a match has at most {MOST_EVENTS:,} events")
    if state.rings >= MOST_RINGS:
        return Result(How.HALTED, (), reason=f"{MOST_RINGS:,} timers ran out without a move")
    return None


def finish_match(state: State[Any], result: Result, telling: Telling | None = None) -> Next[State[Any]]:
    """The match is over: tell the waiting batches, then the result and the seed.

    `telling` has what this step of the table has told already.
    """
    assert state.seed is not None, "the seed came with Start"
    telling = telling or Telling(game_of(state), state)
    ended = with_clocks(state, ())
    for batch in (*state.pending, for_all(state, MatchEnded(result, state.seed, state.words))):
        telling.add(batch, state.match)
    ended = telling.add_to(ended, phase=Phase.FINISHED, result=result, timers=(), pending=())
    return Next(ended, *telling.effects(is_over=True))


def for_all(state: State[Any], *messages: Message) -> Batch[Any]:
    """The same messages for every seat and for the spectators."""
    written = tuple([Raw(encode(message)) for message in messages])
    return Batch(tuple([Note(eyes, written) for eyes in eyes_of(state)]))
