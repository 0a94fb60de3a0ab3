"""What a move of Up-Down costs at the beginning and at the end of a match with four players.

The first three rounds and the last three have the same sizes, so that both contestants do the same work: before every
event the actions of all players, then the step, then the view of every player and its comparison with the view before.
The last event of the third round is left out, because in one case it deals and in the other it ends the match.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from msgspec.structs import astuple

from bench.harness import Aim, Contest, Contestant, Run
from turnstile.games.updown.moves import StartGame
from turnstile.games.updown.rules import game, new, updown
from turnstile.games.updown.sight import actions, view
from turnstile.games.updown.state import Options, State, View
from turnstile.kernel import Event, PlayerId, Rejection, Seed, Step

PLAYERS = tuple(PlayerId(name) for name in ("ana", "bo", "cy", "di"))
SIZES = (1, 2, 3)
EVENTS = len(PLAYERS) * (len(SIZES) + sum(SIZES)) - 1
TIMES = 20
MOST = 1.3  # times the cost of the first rounds


@dataclass(frozen=True, slots=True)
class Moment:
    """A state, its views, and the event that comes next."""

    state: State
    views: tuple[View, ...]
    event: Event


def contest() -> Contest:
    moments = tuple(match())
    last = next(number for number, moment in enumerate(moments) if _round(moment) == _round(moments[-1]) - 2)
    return Contest(
        name="up-down length",
        title=f"Up-Down, a step with views and actions early and late in a match ({len(PLAYERS)} players)",
        unit="event",
        units=EVENTS * TIMES,
        baseline="first rounds",
        contestants=(
            _contestant("first rounds", "rounds 1 to 3: step, actions, views", moments[:EVENTS]),
            _contestant("last rounds", "rounds 11 to 13, of the same sizes", moments[last : last + EVENTS]),
        ),
        aims=(
            Aim(contestant="last rounds", sentence=f"the length of a match costs at most {MOST} times", at_most=MOST),
        ),
    )


def match() -> Iterator[Moment]:
    """A random match, moment by moment, from its first bet on."""
    opened = new(PLAYERS, Options(), Seed("bench"))
    assert not isinstance(opened, Rejection)
    state, rng = updown.apply(opened, StartGame(PLAYERS[0])), Random(7)
    while not isinstance(state, Rejection) and game.outcome(state) is None:
        _, moves = game.next_to_act(state)
        event = rng.choice(moves)
        yield Moment(state, _views(state), event)
        state = updown.apply(state, event)


def _views(state: State) -> tuple[View, ...]:
    return tuple([view(state, player) for player in PLAYERS])


def _differ(now: View, before: View) -> bool:
    """Whether two neighbouring views differ; every field is compared."""
    return True in [one != other for one, other in zip(astuple(now), astuple(before), strict=True)]


def _round(moment: Moment) -> int:
    return len(moment.state.completed_rounds) + 1


def _contestant(name: str, about: str, moments: tuple[Moment, ...]) -> Contestant:
    def trail() -> Iterator[int]:
        """How many players see something new after each event: all of them."""
        for moment in moments:
            for player in PLAYERS:
                actions(moment.state, player)
            step = updown.step(moment.state, moment.event)
            assert type(step) is Step
            yield sum([_differ(now, before) for now, before in zip(_views(step.state), moment.views, strict=True)])

    def prepare() -> Run:
        return lambda: sum(sum(trail()) for _ in range(TIMES))

    return Contestant(name=name, about=about, trail=trail, prepare=prepare)
