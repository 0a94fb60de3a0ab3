"""Secrecy through the referee: two matches that look alike to a player are told to it alike, to the byte.

The seed and its commitment are the same in both, and the match on the board is another that the player could be in.
Compared are all questions, errors and refusals, with probes at every moment. A pair is followed until the player may
rightly see the difference, or the match is over.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Raw
from msgspec.structs import replace

from tests.league.matches import MATCH, PLAYERS, assignment
from tests.league.referee.refereed import idle
from tests.testing.leaky import PLANTED
from turnstile.kernel import AnyGame, Event, PlayerId, Rejection, Seed, Send, Step, encode
from turnstile.league.protocol.messages import GameJoinAck, GameMoveResponse, LeagueQueryResponse
from turnstile.league.protocol.values import MoveData
from turnstile.league.protocol.words import Awaited, player_address
from turnstile.league.referee.boards import match_of, options_of
from turnstile.league.referee.calls import call_player, expiry_of
from turnstile.league.referee.machine import referee
from turnstile.league.referee.state import Phase, State
from turnstile.registry import find_game, lent, study_of
from turnstile.testing import Leak
from turnstile.testing.leaks import Eyes, forward, looks_alike

pytestmark = pytest.mark.uncounted

GAMES = ("e-card", "66", "up-down", "even-odd")
LENGTH = 12
SETTINGS = settings(
    max_examples=80,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def found(name: str) -> AnyGame:
    game = find_game(name)
    assert game is not None
    return game


def eyes_on_referee(game: AnyGame, observer: PlayerId) -> Eyes:
    """A player of a match, and all that the referee tells it, whatever it may try."""

    def sight(state: State) -> object:
        if state.board is None:
            return None
        seat = state.seat_of(observer)
        assert seat is not None
        asked = call_player(state, seat) if seat.is_awaited else None
        return [asked, [answered(state, probe) for probe in probes(state, observer)]]

    def answered(state: State, probe: Event) -> object:
        step = referee.step(state, probe)
        return step if isinstance(step, Rejection) else errors_to(step)

    def errors_to(step: Step[State]) -> list[object]:
        return [send for send in heard(step) if "GAME_ERROR" in encode(send).decode()]

    def heard(step: Step[State]) -> list[Any]:
        sends = [effect for effect in step.effects if isinstance(effect, Send)]
        return [send for send in sends if send.to == player_address(observer)]

    return Eyes(
        name=f"The referee of {game.name} tells {observer}",
        machine=referee,
        sight=sight,
        heard=lambda before, step: heard(step),
        asks=lambda event: getattr(event, "player_id", None) == observer,
        is_alike=lambda one, two: is_alike(game, observer, one.state, two.state),
    )


def is_alike(game: AnyGame, observer: PlayerId, one: State, two: State) -> bool:
    """Whether the player may not know which of these matches it is in. Silence is heard by the referee alone."""
    if one.board is None or two.board is None:
        return False
    return looks_alike(game, study_of(game), observer, match_of(one.board), match_of(two.board))


def probes(state: State, me: PlayerId) -> Iterator[GameMoveResponse]:
    """All that a player may send to find something out. What it sends depends on what it knows alone."""
    assert state.board is not None
    seat = state.seat_of(me)
    assert seat is not None
    choices = [*options_of(state.board, me)[:3], Raw(b'{"type":"Fly"}')]
    for choice in choices:
        for number in (seat.move_number - 1, seat.move_number, seat.move_number + 1, None):
            data = MoveData(choice=choice)
            yield GameMoveResponse(match_id=MATCH, player_id=me, move_number=number, move_data=data)


# pairs


def walked(name: str, rng: Random, length: int) -> tuple[list[State], list[Event]]:
    """A match as far as it got: its states while it was played, and what happened in each."""
    state = idle()
    joins = [GameJoinAck(match_id=MATCH, player_id=player, accept=True) for player in PLAYERS]
    start = assignment(name, Seed(str(rng.random())))
    for event in (start, *joins, LeagueQueryResponse(success=True)):
        state = after(state, event)
    states, events = [state], list[Event]()
    while len(events) < length:
        event = anything(states[-1], rng)
        following = after(states[-1], event)
        if following.phase is not Phase.COLLECTING_CHOICES:
            break
        events.append(event)
        states.append(following)
    return states, events


def after(state: State, event: Event) -> State:
    following = referee.apply(state, event)
    assert not isinstance(following, Rejection), following
    return following


def anything(state: State, rng: Random) -> Event:
    """Somebody who is asked moves, mostly; now and then badly, or not in time."""
    assert state.board is not None
    seat = rng.choice([seat for seat in state.seats if seat.is_awaited])
    if rng.random() < 0.1:
        return expiry_of(state, seat, Awaited.GAME_MOVE_RESPONSE)
    choices = [Raw(b"7")] if rng.random() < 0.1 else options_of(state.board, seat.player_id)
    data = MoveData(choice=rng.choice(choices))
    return GameMoveResponse(match_id=MATCH, player_id=seat.player_id, move_number=seat.move_number, move_data=data)


def forward_run(game: AnyGame, rng: Random, length: int) -> int:
    """One pair of matches that look alike to a player; how many events it could not tell them apart."""
    states, _ = walked(game.name, rng, length)
    state, observer = states[-1], rng.choice(PLAYERS)
    study = study_of(game)
    assert study.redraw is not None
    assert state.board is not None
    match = study.redraw(match_of(state.board), observer, Seed(str(rng.random())))
    other = replace(state, board=replace(state.board, match=Raw(encode(match))))
    return forward(eyes_on_referee(game, observer), state, other, lambda one, two: (anything(one, rng),) * 2, LENGTH)


def trace_run(game: AnyGame, rng: Random, length: int) -> int:
    """One pair of matches in which a player does one thing or another; how long the other player could not tell."""
    states, events = walked(game.name, rng, length)
    moves = [moment for moment, event in enumerate(events) if isinstance(event, GameMoveResponse)]
    if not moves:
        return 0
    moment = rng.choice(moves)
    state, event = states[moment], events[moment]
    assert isinstance(event, GameMoveResponse)
    assert state.board is not None
    instead = replace(event, move_data=MoveData(choice=rng.choice(options_of(state.board, event.player_id))))
    observer = next(player for player in PLAYERS if player != event.player_id)
    happening = iter([(event, instead), *((each, each) for each in events[moment + 1 :])])
    eyes = eyes_on_referee(game, observer)
    return forward(eyes, state, state, lambda one, two: next(happening, None), len(events))


@SETTINGS
@given(st.sampled_from(GAMES), st.integers(0, 2**32), st.integers(0, 60))
def test_A20_P3_what_a_player_is_told_does_not_depend_on_what_is_hidden_from_it(
    name: str, seed: int, length: int
) -> None:
    forward_run(found(name), Random(f"forward {seed}"), length)
    trace_run(found(name), Random(f"trace {seed}"), length)


@pytest.mark.parametrize(
    ("run", "name"),
    [*((forward_run, name) for name in ("e-card", "66", "even-odd")), (trace_run, "e-card"), (trace_run, "even-odd")],
)
def test_pairs_are_followed_for_a_while_before_they_part(run: Any, name: str) -> None:
    followed = [run(found(name), Random(f"{name} {seed}"), 18) for seed in range(80)]
    assert sum(count > 0 for count in followed) >= 5, followed


# the nets can see


def many_runs(game: AnyGame) -> None:
    for seed in range(400):
        forward_run(game, Random(f"planted {seed}"), 40)
        trace_run(game, Random(f"planted {seed}"), 40)


@pytest.mark.parametrize("game", PLANTED.values(), ids=PLANTED)
def test_a_leak_that_is_planted_in_a_game_is_seen_through_the_referee(game: AnyGame) -> None:
    with lent(game), pytest.raises(Leak):
        many_runs(game)


@pytest.mark.parametrize("name", GAMES)
def test_neither_the_seed_nor_the_match_is_told_before_the_end(name: str) -> None:
    states, events = walked(name, Random(f"said {name}"), 60)
    seed = states[0].given.seed
    for state, event in zip(states, events, strict=False):
        step = referee.step(state, event)
        assert isinstance(step, Step)
        said = b"".join(encode(effect) for effect in step.effects if isinstance(effect, Send))
        assert encode(seed)[1:-1] not in said
        assert state.board is not None
        assert bytes(state.board.match) not in said
