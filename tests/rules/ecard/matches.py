"""Matches of E-Card in its own notation: `play(picking(alice="ECCCC", bob="SCCCC"), "alice C", "bob C")`.

Every match made here was really played to where it stands, from Start on, so no test begins in a state that cannot be.
"""

from itertools import count

from tests.rules.notation import Notation
from turnstile.games.ecard import (
    BeginPicking,
    Card,
    Hand,
    Options,
    Phase,
    Pick,
    Reset,
    Start,
    State,
    ecard,
    new,
    notation,
)
from turnstile.games.ecard.rules import first_emperor
from turnstile.kernel import ByPlayer, Event, PlayerId, Seed

ALICE, BOB = PlayerId("alice"), PlayerId("bob")
PLAYERS = (ALICE, BOB)

# The transitions that the notes list: from where, on what, to where. Reveal moves on by itself.
TRANSITIONS = {
    ("Lobby", "Start", "RoundSetup"),
    ("RoundSetup", "BeginPicking", "Picking"),
    ("Picking", "Pick", "Picking"),  # the first of the two picks
    ("Picking", "Pick", "Reveal"),  # both players have a pending pick
    ("Reveal", "auto", "Picking"),  # a draw
    ("Reveal", "auto", "RoundSetup"),  # decisive, and the match goes on
    ("Reveal", "auto", "Finished"),  # decisive, and the match is over
    ("Finished", "Reset", "Lobby"),
}


def lobby(seed: Seed | None = None) -> State:
    """Alice and Bob, before the match starts."""
    match = new(PLAYERS, Options(), seed)
    assert isinstance(match, State), match
    return match


def seed_for(emperor: PlayerId) -> Seed:
    """The first of the seeds "0", "1", "2", ... that makes this player the first emperor."""
    return next(seed for seed in (Seed(str(n)) for n in count()) if first_emperor(PLAYERS, seed) == emperor)


def started(emperor: PlayerId = ALICE) -> State:
    """The first decisive round is set up; nobody may pick yet."""
    return play(lobby(), f"start {seed_for(emperor)}")


def picking(alice: str = "ECCCC", bob: str = "SCCCC") -> State:
    """The first decisive round with these hands left: whoever holds the E is the emperor, and all before was drawn."""
    match = play(started(ALICE if "E" in alice else BOB), "begin")
    for _ in range(5 - len(alice)):
        match = play(match, "alice C", "bob C")
    assert shown(match.hands) == (alice, bob), "no match leads to these hands"
    return match


def after_rounds(winners: str, emperor: PlayerId = ALICE) -> State:
    """The match after decisive rounds won by these players: `after_rounds("AAB")` has Alice win two and Bob one."""
    match = started(emperor)
    for winner in winners:
        match = decide(match, ALICE if winner == "A" else BOB)
    return match


def decide(match: State, winner: PlayerId) -> State:
    """One decisive round that `winner` wins at the first reveal."""
    return play(match, "begin", *winning_picks(match, winner))


def winning_picks(match: State, winner: PlayerId) -> tuple[str, str]:
    """Two picks that win the round for `winner`: citizen against slave for the emperor, slave against emperor."""
    assert match.roles is not None
    emperors, slaves = ("C", "S") if winner == match.roles.emperor_player else ("E", "S")
    return f"{match.roles.emperor_player} {emperors}", f"{match.roles.slave_player} {slaves}"


def event(text: str) -> Event:
    """An event in short notation: `start SEED`, `begin`, `reset`, or a player and the card it lays."""
    match text.split():
        case ["start", seed]:
            return Start(Seed(seed))
        case ["begin"]:
            return BeginPicking()
        case ["reset"]:
            return Reset()
        case [player, card]:
            return Pick(PlayerId(player), Card(card))
    raise ValueError(f"{text!r} is no event of E-Card")


spoken = Notation(ecard, event)
step, play, refusal = spoken.step, spoken.play, spoken.refusal


def shown(hands: ByPlayer[Hand]) -> tuple[str, str]:
    """Both hands in short notation, Alice's first."""
    return notation(hands[ALICE]), notation(hands[BOB])


def points(match: State) -> tuple[int, int]:
    """The score, Alice's first."""
    return match.score[ALICE], match.score[BOB]


def emperor_of(match: State) -> PlayerId:
    assert match.roles is not None
    assert {match.roles.emperor_player, match.roles.slave_player} == set(PLAYERS)
    return match.roles.emperor_player


def in_phase(phase: Phase) -> State:
    """Some match that rests in this phase."""
    return {
        Phase.LOBBY: lobby(),
        Phase.ROUND_SETUP: started(),
        Phase.PICKING: picking(),
        Phase.FINISHED: after_rounds("A" * 12),
    }[phase]
