"""Tables to look at, with a match that is open or about to begin: evenly over its phases and its observers."""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from random import Random

from msgspec import Raw

from tests.table.proofs.walks import happening, new_table
from turnstile.kernel import AnyGame, Event, Rejection, Seed, encode
from turnstile.table.machine import Table, table
from turnstile.table.play import thinking
from turnstile.table.values import Acknowledge, Act, Halt, Join, Phase, Resign, Start
from turnstile.testing.moments import LOOKS, Spot, any_kind, keep, times_met
from turnstile.testing.strategies import NAMES

MATCHES = 60
EVENTS = 60  # of a table
MOST_PLAYERS = 3
TROUBLE = 0.2  # how often anything at all happens, instead of what brings the match on

Place = Spot | int | None
"""A spot in a match; before the match the observer's seat alone, and `None` for a spectator."""


@lru_cache(maxsize=2)
def table_moments(game: AnyGame) -> dict[Place, list[Table]]:
    """States of random tables, by the phase of the match and the observer."""
    rng = Random(f"tables of {game.name}")
    found: dict[Place, list[Table]] = {}
    met: Counter[Spot] = Counter()
    times: Counter[Place] = Counter()
    seats = range(game.seats[0], min(game.seats[-1], MOST_PLAYERS) + 1)
    for number in range(MATCHES):
        for state in sitting(game, seats[number % len(seats)], met, rng):
            if state.match is not None:
                met[Spot(state.match.phase, None)] += 1
            for seat in (*range(len(state.seats)), None):
                place = seat if state.match is None else Spot(state.match.phase, seat)
                times[place] += 1
                keep(found.setdefault(place, []), times[place], state, rng)
    return found


def sitting(game: AnyGame, players: int, met: Counter[Spot], rng: Random) -> Iterator[Table]:
    """The states of one table from its start to the end of its match, or until it was looked at for long."""
    state = new_table(rng, game)
    for name in NAMES[:players]:
        state = after(state, Join(name, "join", state.now))
    state = after(state, Start(NAMES[0], "start", state.now, Seed(f"seed {rng.random()}")))
    for _ in range(EVENTS):
        if state.result is not None or (state.match is not None and game.outcome(state.match) is not None):
            return
        yield state
        tried = [next_event(game, state, rng) for _ in range(rng.choice((1, LOOKS)))]
        steps = [step for event in tried if not isinstance(step := table.apply(state, event), Rejection)]
        state = min(steps, key=lambda each: times_met(game, each.match, met) if each.match else 0, default=state)


def after(state: Table, event: Event) -> Table:
    following = table.apply(state, event)
    assert not isinstance(following, Rejection), following
    return following


def next_event(game: AnyGame, state: Table, rng: Random) -> Event:
    """Mostly what the table waits for; now and then anything that does not end the match."""
    if rng.random() < TROUBLE or (state.phase is Phase.PLAYING and not thinking(game, state)):
        while isinstance(event := happening(state, rng), Resign | Halt):
            pass
        return event
    if state.phase is not Phase.PLAYING:
        return Acknowledge(state.now, state.told)
    player = rng.choice(thinking(game, state))
    move = any_kind([*game.actions(state.match, player)], rng)
    return Act(player, "act", state.now, Raw(encode(move)), rng.choice([None, state.told[player]]))
