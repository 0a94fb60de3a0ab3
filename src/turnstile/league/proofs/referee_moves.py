"""The referee in a match of another game than Even/Odd: how such a match ends, in every order of what may happen.

A whole match has too many states to walk, so each of these begins a few answers before its end: one in which both
players choose at a time, one in which they take turns and the last cards play themselves, one that goes on with the
cards that are left. All else is as in `referee_world`: every answer may be good, bad, late, repeated or missing.
"""

from collections.abc import Hashable, Iterator

from msgspec import Raw

from turnstile.kernel.chance import Seed
from turnstile.kernel.check import World
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import Event
from turnstile.league.proofs.referee import ANA, BO, HAPPENINGS, MATCH, STRANGER, assigned, violation
from turnstile.league.protocol.messages import GameJoinAck, GameMoveResponse, LeagueQueryResponse
from turnstile.league.protocol.values import MoveData
from turnstile.league.protocol.words import Awaited, DeliveryFailed, RefereeId, player_address
from turnstile.league.referee.boards import options_of
from turnstile.league.referee.calls import call_count, expiry_of
from turnstile.league.referee.machine import new, referee
from turnstile.league.referee.state import CleanupComplete, MatchAssigned, MatchWithdrawn, Phase, Seat, State

NONSENSE = Raw(b'{"type":"Nonsense"}')
LAST_ANSWERS = {"even-odd": 4, "up-down": 3, "e-card": 2}  # before the end, along the way on which each began
SEED = Seed("1")


def worlds() -> Iterator[World[State]]:
    yield World(
        machine=referee,
        starts=[before_the_end(game, answers) for game, answers in LAST_ANSWERS.items()],
        moves=moves,
        over=lambda state: state.phase is Phase.MATCH_COMPLETE,
        violation=violation,
        state_key=state_key,
        setting=f"the ends of matches of {', '.join(LAST_ANSWERS)}",
    )


# where it begins


def before_the_end(game: str, answers: int) -> State:
    """A match so many answers before its end, on the way on which everybody always takes the last option."""
    way = [asking(game)]
    while way[-1].phase is Phase.COLLECTING_CHOICES:
        seat = next(seat for seat in way[-1].seats if seat.is_awaited)
        way.append(_after(way[-1], _answers(way[-1], seat)[-1]))
    return way[-1 - answers]


def asking(game: str, seed: Seed = SEED) -> State:
    """A match whose players are asked for their first move."""
    state = _after(new(RefereeId("REF01")), assigned(seed, game))
    for player in (ANA, BO):
        state = _after(state, GameJoinAck(match_id=MATCH, player_id=player, accept=True))
    return _after(state, LeagueQueryResponse(success=True))


def _after(state: State, event: Event) -> State:
    after = referee.apply(state, event)
    assert not isinstance(after, Rejection), after
    return after


# what can happen


def moves(state: State) -> Iterator[Event]:
    """All of what may happen that changes anything."""
    for event in happenings(state):
        after = referee.apply(state, event)
        if not isinstance(after, Rejection) and after != state:
            yield event


COMMON = tuple(
    event
    for event in HAPPENINGS
    if not isinstance(event, MatchAssigned | MatchWithdrawn | CleanupComplete)
    and getattr(event, "match_id", MATCH) == MATCH
    and getattr(event, "player_id", ANA) != STRANGER
    and getattr(event, "waiting_for", Awaited.GAME_OVER_ACK) in (Awaited.GAME_OVER_ACK, Awaited.MATCH_RESULT_ACK)
)
"""What may happen towards the end of any match. Strangers and other matches change nothing: see `referee_world`."""


def happenings(state: State) -> Iterator[Event]:
    """Anything that may happen to a referee during this match."""
    yield from COMMON
    for seat in state.seats:
        yield from _answers(state, seat)
        yield from _troubles(state, seat)


def _answers(state: State, seat: Seat) -> list[GameMoveResponse]:
    """Bad answers, answers to other questions, and at last every answer that is legal."""
    number, player = seat.move_number, seat.player_id
    options = () if state.board is None else options_of(state.board, player)
    data = [MoveData(choice=option) for option in (NONSENSE, *options)]
    answers = [(number, None), (number - 1, data[-1]), (number + 1, data[-1]), *((number, each) for each in data)]
    return [
        GameMoveResponse(match_id=MATCH, player_id=player, move_number=number, move_data=each)
        for number, each in answers
    ]


def _troubles(state: State, seat: Seat) -> Iterator[Event]:
    awaited, count = Awaited.GAME_MOVE_RESPONSE, call_count(seat)
    yield expiry_of(state, seat, awaited)
    for each in (count, count - 1):
        to = player_address(seat.player_id)
        yield DeliveryFailed(to=to, match_id=MATCH, waiting_for=awaited, retry_count=each)


def state_key(state: State) -> Hashable:
    """What the rest depends on: where the match stands, not which moves have led there; how it ended, but not why."""
    board = None if state.board is None else bytes(state.board.match)
    result = None if state.result is None else (state.result.status, state.result.winner_player_id)
    return state.phase, state.seats, board, result, state.retry_count, state.is_reported
