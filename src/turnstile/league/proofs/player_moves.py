"""The player in a match of another game than Even/Odd: one round, one match, up to three questions.

The questions may be repeated, come in any order, be for others, and have no number or no options; the strategy may
answer well, badly, late or never; the match may end at any time. All else is as in `player_world`.
"""

from collections.abc import Hashable, Iterator
from itertools import product

from msgspec import Raw
from msgspec.structs import replace

from turnstile.kernel.chance import Seed
from turnstile.kernel.check import World
from turnstile.kernel.machine import Rejection
from turnstile.kernel.values import Event, PlayerId, encode
from turnstile.league.player.machine import new, player
from turnstile.league.player.state import IN_MATCH, MoveMade, Options, PlayerStartup, PlayerTimeout, State
from turnstile.league.proofs.player import HAPPENINGS as ALL_HAPPENINGS
from turnstile.league.proofs.player import LEAGUE, ME, OTHER, REFEREE, announced, violation
from turnstile.league.proofs.player import state_key as common_essence
from turnstile.league.protocol.messages import GameMoveCall, LeagueRegisterResponse
from turnstile.league.protocol.values import MoveContext, MoveRequest
from turnstile.league.protocol.words import Awaited, MatchId, Registration

MATCH = MatchId("R1M1")
LEFT, RIGHT, NONSENSE = (Raw(b'{"type":"%s"}' % kind) for kind in (b"Left", b"Right", b"Nonsense"))
NUMBERS = (1, 2, 3)


def worlds() -> Iterator[World[State]]:
    yield World(
        machine=player,
        starts=[waiting()],
        moves=moves,
        over=lambda state: state.has_shut_down,
        violation=violation,
        state_key=state_key,
        setting="a round with one match, three questions for a move",
    )


def waiting() -> State:
    """A player that knows of its match."""
    state = new(Options(), Seed("a seed"))
    accepted = LeagueRegisterResponse(status=Registration.ACCEPTED, player_id=ME, league_id=LEAGUE)
    for event in (PlayerStartup(), accepted, announced(1, LEAGUE, "REF01")):
        after = player.apply(state, event)
        assert not isinstance(after, Rejection), after
        state = after
    return state


def moves(state: State) -> Iterator[Event]:
    """All of what may happen that the player does not turn down."""
    return (event for event in HAPPENINGS if not isinstance(player.apply(state, event), Rejection))


def happenings() -> Iterator[Event]:
    """Anything that may happen to this player: to any in its one round, and what has to do with moves."""
    for event in ALL_HAPPENINGS:
        if getattr(event, "round_id", 1) == 1 and getattr(event, "match_id", MATCH) == MATCH:
            yield event
    for number, addressee in product((*NUMBERS, None), (ME, OTHER)):
        yield question(number, addressee)
    yield question(NUMBERS[-1], ME, ())
    for number, choice in product(NUMBERS, (LEFT, NONSENSE)):
        yield MoveMade(match_id=MATCH, move_number=number, choice=choice)
    for number in NUMBERS:
        yield PlayerTimeout(match_id=MATCH, waiting_for=Awaited.GAME_MOVE_RESPONSE, retry_count=number)


def question(number: int | None, addressee: PlayerId, options: tuple[Raw, ...] = (RIGHT, LEFT)) -> GameMoveCall:
    context = MoveContext(opponent_id=OTHER, round_id=1, view=Raw(b'{"number":%d}' % (number or 0)))
    return GameMoveCall(
        sender=REFEREE,
        match_id=MATCH,
        player_id=addressee,
        game_type="a game",
        move_number=number,
        move_request=MoveRequest(move_type="any", valid_options=options, context=context),
    )


HAPPENINGS = tuple(happenings())


def state_key(state: State) -> Hashable:
    """As of any player, with the question and its answer."""
    match = encode(state.match) if state.phase in IN_MATCH else None
    return common_essence(replace(state, match=None)), match
