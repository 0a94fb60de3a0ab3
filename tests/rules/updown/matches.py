"""Matches of Up-Down in its own notation: `play(dealt("7H", ana="AS 2C", bo="KS 3D"), "ana bets 1", "bo bets 0")`.

Every match made here was started and played by accepted events; only the cards of the round in question are laid out by
hand, because no short seed would deal them.
"""

from itertools import count

from tests.conformance import Departure
from tests.rules.notation import Notation
from turnstile.games.updown.cards import DECK, card, hand, notation
from turnstile.games.updown.moves import PlaceBet, PlayCard, StartGame
from turnstile.games.updown.rounds import RoundState
from turnstile.games.updown.rules import deal_out, natural_order, new, updown
from turnstile.games.updown.sight import actions
from turnstile.games.updown.state import Options, Phase, State
from turnstile.kernel import Event, Move, PlayerId, Players, Seed, Step

ANA, BO, CY, DI = (PlayerId(name) for name in ("ana", "bo", "cy", "di"))
TWO, THREE, FOUR = (ANA, BO), (ANA, BO, CY), (ANA, BO, CY, DI)
SEED = Seed("7")
COMPANIES = [tuple(PlayerId(f"p{seat}") for seat in range(1, size + 1)) for size in range(2, 11)]

# The edges of the diagram: from where, on what, to where. Two of its lines that differ only in who acts are one edge.
DIAGRAM = {
    ("waiting", "START_GAME", "dealing"),
    ("dealing", "auto", "betting"),
    ("betting", "PLACE_BET", "betting"),  # PS1, PS2, ...
    ("betting", "PLACE_BET", "playing_hand"),  # PSL
    ("playing_hand", "auto", "playing_hand"),  # start hand
    ("playing_hand", "PLAY_CARD", "playing_hand"),  # PH1, PH2, ...
    ("playing_hand", "PLAY_CARD", "hand_complete"),  # PHL
    ("hand_complete", "auto", "playing_hand"),  # determine winner, more hands
    ("hand_complete", "auto", "round_complete"),  # determine winner, round done
    ("round_complete", "auto", "dealing"),  # calculate scores, more rounds
    ("round_complete", "auto", "game_complete"),  # calculate scores, all rounds done
}

DEPARTURES = (
    Departure("No automatic step from `playing_hand` to itself", gone={("playing_hand", "auto", "playing_hand")}),
)


def waiting(players: Players = THREE, size: int | None = None, seed: Seed = SEED) -> State:
    """The players wait for their admin to start."""
    match = new(players, Options(size), seed)
    assert isinstance(match, State), match
    return match


def seed_for(players: Players, first: PlayerId) -> Seed:
    """The first of the seeds "0", "1", "2", ... that makes this player PG1."""
    return next(seed for seed in (Seed(str(n)) for n in count()) if natural_order(players, seed)[0] == first)


def started(players: Players = THREE, size: int | None = None, first: PlayerId | None = None) -> State:
    """Round 1 is dealt, and PG1, which is the first player unless another is named, is to bet."""
    return play(waiting(players, size, seed_for(players, first or players[0])), f"{players[0]} starts")


def dealt(mesa: str, **hands: str) -> State:
    """The first round of so many cards, about to be bet on, with these hands. The first player named starts it."""
    players = tuple(PlayerId(name) for name in hands)
    size = len(hand(hands[players[0]]))
    match = through(started(players, first=players[(1 - size) % len(players)]), size - 1)
    cards = [each for held in hands.values() for each in hand(held)]
    assert [len(hand(held)) for held in hands.values()] == [size] * len(players), "everybody gets as many cards"
    return deal_out(match, [DECK.index(each) for each in (*cards, card(mesa))])


def betted(mesa: str, bets: str, **hands: str) -> State:
    """As `dealt`, with these bets made: the hand is led by the second player named."""
    match = dealt(mesa, **hands)
    return play(match, *(f"{name} bets {bet}" for name, bet in zip(hands, bets.split(), strict=True)))


def through(match: State, rounds: int) -> State:
    """The match after so many more rounds in which everybody did the first thing offered."""
    goal = len(match.completed_rounds) + rounds
    while len(match.completed_rounds) < goal:
        after = updown.apply(match, whose_turn(match)[0])
        assert isinstance(after, State), after
        match = after
    return match


def finished(players: Players = THREE, size: int = 2) -> State:
    """A whole match in which everybody did the first thing offered."""
    match = started(players, size)
    return through(match, len(match.round_sequence))


def last_step(players: Players = THREE) -> Step[State]:
    """The last step of a match of one hand in which everybody did the first thing offered."""
    match = started(players, 1)
    while True:
        taken = updown.step(match, whose_turn(match)[0])
        assert isinstance(taken, Step), taken
        if taken.state.phase is Phase.GAME_COMPLETE:
            return taken
        match = taken.state


def whose_turn(match: State) -> tuple[Move, ...]:
    """All that can be done now, by the one player who can do something."""
    offered = [actions(match, player.id) for player in match.players]
    (only,) = [each for each in offered if each]
    return only


def event(text: str) -> Event:
    """An event in short notation: `ana starts`, `ana bets 2`, or a player and the card it plays: `ana 10H`."""
    match text.split():
        case [player, "starts"]:
            return StartGame(PlayerId(player))
        case [player, "bets", bet]:
            return PlaceBet(PlayerId(player), int(bet))
        case [player, played]:
            return PlayCard(PlayerId(player), card(played))
    raise ValueError(f"{text!r} is no event of Up-Down")


spoken = Notation(updown, event)
step, play, refused, refusal = spoken.step, spoken.play, spoken.refused, spoken.refusal


def round_of(match: State) -> RoundState:
    assert match.current_round is not None
    return match.current_round


def held(match: State, player: PlayerId) -> str:
    """A player's hand in short notation."""
    return notation(next(each.hand for each in match.players if each.id == player))


def scores(match: State) -> tuple[int, ...]:
    return tuple(player.score for player in match.players)


def in_phase(phase: Phase) -> State:
    """Some match that rests in this phase."""
    return {
        Phase.WAITING: waiting(),
        Phase.BETTING: started(),
        Phase.PLAYING_HAND: betted("7H", "0 0 0", ana="AS", bo="KS", cy="2D"),
        Phase.GAME_COMPLETE: finished(),
    }[phase]
