"""Matches of Even/Odd in its own notation: `play(collecting(4, 7), "alice even", "bob odd")`.

Every match made here was really played to where it stands, from Start on, so no test begins in a state that cannot be.
"""

from functools import cache
from itertools import count

from tests.conformance import Departure
from tests.rules.notation import Notation
from turnstile.games.evenodd import ChooseParity, Options, Phase, Start, State, drawn_number, evenodd, new
from turnstile.kernel import Event, PlayerId, Seed

ALICE, BOB = PlayerId("alice"), PlayerId("bob")
PLAYERS = (ALICE, BOB)

# The referee's diagram. `GAME_JOIN_ACK` and `CHOOSE_PARITY_RESPONSE` are events, the rest is internal.
TRANSITIONS = {
    ("IDLE", "match_assigned", "WAITING_FOR_PLAYERS"),
    ("WAITING_FOR_PLAYERS", "GAME_JOIN_ACK", "WAITING_FOR_PLAYERS"),  # one player
    ("WAITING_FOR_PLAYERS", "GAME_JOIN_ACK", "COLLECTING_CHOICES"),  # both players
    ("WAITING_FOR_PLAYERS", "timeout", "WAITING_FOR_PLAYERS"),
    ("WAITING_FOR_PLAYERS", "timeout exhausted", "NOTIFYING_PLAYERS"),
    ("COLLECTING_CHOICES", "CHOOSE_PARITY_RESPONSE", "COLLECTING_CHOICES"),  # one player
    ("COLLECTING_CHOICES", "CHOOSE_PARITY_RESPONSE", "DRAWING_NUMBER"),  # both players
    ("COLLECTING_CHOICES", "timeout", "COLLECTING_CHOICES"),
    ("COLLECTING_CHOICES", "timeout exhausted", "NOTIFYING_PLAYERS"),
    ("DRAWING_NUMBER", "number_drawn", "NOTIFYING_PLAYERS"),
    ("NOTIFYING_PLAYERS", "players_notified", "REPORTING_RESULT"),
    ("REPORTING_RESULT", "MATCH_RESULT_ACK", "MATCH_COMPLETE"),
    ("REPORTING_RESULT", "timeout", "REPORTING_RESULT"),
    ("REPORTING_RESULT", "timeout exhausted", "MATCH_COMPLETE"),
    ("MATCH_COMPLETE", "cleanup_complete", "IDLE"),
}
OF_THE_GAME = {edge for edge in TRANSITIONS if edge[1] == "CHOOSE_PARITY_RESPONSE"}
DEPARTURES = (
    Departure(
        "The referee's part",
        gone=TRANSITIONS - OF_THE_GAME,
        new={("IDLE", "Start", "COLLECTING_CHOICES"), ("DRAWING_NUMBER", "the last draw", "FINISHED")},
    ),
    Departure("A series of draws", new={("DRAWING_NUMBER", "draws are left", "COLLECTING_CHOICES")}),
)


def idle(draws: int = 10, seed: Seed | None = None) -> State:
    """Alice and Bob, before the match starts."""
    match = new(PLAYERS, Options(draws), seed)
    assert isinstance(match, State), match
    return match


@cache
def seed_for(*numbers: int) -> Seed:
    """The first of the seeds "0", "1", "2", ... from which these numbers are drawn first."""
    seeds = (Seed(str(number)) for number in count())
    return next(seed for seed in seeds if all(drawn_number(seed, i) == number for i, number in enumerate(numbers)))


def collecting(*numbers: int, draws: int = 10) -> State:
    """A match that has just started, in which these numbers are drawn first."""
    return play(idle(draws), f"start {seed_for(*numbers)}")


def finished(*numbers: int, alice: str, bob: str) -> State:
    """A match over as many draws as there are numbers, with these choices: `alice="eo"` is even, then odd."""
    match = collecting(*numbers, draws=len(numbers))
    for hers, his in zip(alice, bob, strict=True):
        match = play(match, f"alice {LETTERS[hers]}", f"bob {LETTERS[his]}")
    assert match.phase is Phase.FINISHED
    return match


LETTERS = {"e": "even", "o": "odd"}


def event(text: str) -> Event:
    """An event in short notation: `start SEED`, or a player and what it says."""
    who, said = text.split(maxsplit=1)
    return Start(Seed(said)) if who == "start" else ChooseParity(PlayerId(who), said)


spoken = Notation(evenodd, event)
step, play, refused = spoken.step, spoken.play, spoken.refused


def points(match: State) -> tuple[int, int]:
    """The score, Alice's first."""
    return match.score[ALICE], match.score[BOB]
