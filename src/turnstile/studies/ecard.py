"""The study of E-Card: which states can be reached, what is hidden from a player, what statistics count."""

from collections.abc import Hashable, Sequence
from itertools import count

from msgspec.structs import replace

from turnstile.games import ecard
from turnstile.games.ecard import BeginPicking, Pair, Phase, Pick, Start, State, View
from turnstile.games.ecard.rules import first_emperor
from turnstile.games.ecard.state import ROUNDS, ROUNDS_IN_SIDE, SIDES
from turnstile.kernel import ByPlayer, Event, Outcome, PlayerId, Players, Rejection, Seed, Study, Subgame, Tally
from turnstile.kernel.chance import derive, draw
from turnstile.studies.replaying import after_events


def violation(state: State) -> str | None:
    """A state can be reached if its seed, revealed pairs and pending picks tell the same story as its fields."""
    lobby = ecard.new(state.players, ecard.Options(), state.seed)
    if isinstance(lobby, Rejection):
        return lobby.sentence
    laid = [Pick(who, card) for who, card in state.pending_picks.items() if card is not None]
    story = lobby if state.phase is Phase.LOBBY else _played(_retold(lobby, state.revealed, state.phase), *laid)
    return None if story == state else "No match of E-Card can be in this state: its fields contradict each other."


def redraw(state: State, player: PlayerId | None, seed: Seed) -> State:
    """The seed could be any that made the same first emperor, and a card of another that lies face down could be any of
    its owner's hand."""
    picks = {
        who: card if card is None or who == player else state.hands[who][_imagined_index(seed, who, state)]
        for who, card in state.pending_picks.items()
    }
    hidden_seed = None if state.seed is None else _fitting_seed(state.players, _first_emperor(state), seed)
    return replace(state, seed=hidden_seed, pending_picks=ByPlayer(picks))


def imagine(seen: View, player: PlayerId | None, seed: Seed) -> State:
    """A match that looks like this to `player`: told again from the pairs that were revealed, and then redrawn."""
    lobby = _lobby(seen, _fitting_seed(seen.players, _first_emperor(seen), seed))
    if seen.phase is Phase.LOBBY:
        return lobby
    state = _retold(lobby, seen.revealed, seen.phase)
    picks = {who: state.hands[who][0] if laid else None for who, laid in seen.has_picked.items()}
    if player is not None and player in picks:
        picks[player] = seen.pending_pick
    return redraw(replace(state, pending_picks=ByPlayer(picks)), player, seed)


def _imagined_index(seed: Seed, who: PlayerId, state: State) -> int:
    return draw(seed, f"imagined pick of {who}", 0, len(state.hands[who]))


def _first_emperor(match: State | View) -> PlayerId | None:
    """The emperor on the first side; `None` before the match has started."""
    if match.roles is None:
        return None
    roles = (match.roles.emperor_player, match.roles.slave_player)
    return roles[(min(match.decisive_round_index, ROUNDS - 1) // ROUNDS_IN_SIDE) % 2]


def _fitting_seed(players: Players, first: PlayerId | None, seed: Seed) -> Seed:
    """A seed that draws this first emperor; any seed, if none was drawn yet."""
    candidates = (derive(seed, "imagined seed", attempt) for attempt in count())
    return next(each for each in candidates if first in (None, first_emperor(players, each)))


def state_key(state: State) -> Hashable:
    """Once the first emperor is drawn, the seed and the history do not influence the rest of the match."""
    return state if state.phase is Phase.LOBBY else replace(state, seed=None, revealed=())


def tally(state: State) -> Tally:
    """How often each role won a decisive round, in all and on each side, and whether there was a tie break."""
    decided = [pair for pair in state.revealed if pair.winner is not None]
    won, rounds_played = _emperor_wins(decided)
    facts = {"the slave wins a round": (rounds_played - won, rounds_played)}
    facts["the emperor wins a round"] = (won, rounds_played)
    for side in range(SIDES):
        rounds = range(side * ROUNDS_IN_SIDE + 1, (side + 1) * ROUNDS_IN_SIDE + 1)
        facts[f"... on side {side + 1}"] = _emperor_wins([pair for pair in decided if pair.round in rounds])
    facts["... in the tie break"] = _emperor_wins([pair for pair in decided if pair.round > ROUNDS])
    facts["the match goes to a tie break"] = (int(state.is_tie_break), 1)
    return facts


def standing(state: State) -> Outcome:
    """The player with most points so far wins."""
    most = max(state.score.values())
    return Outcome(tuple(player for player in state.players if state.score[player] == most), state.score)


def decisive_round() -> tuple[State]:
    """The first decisive round, when the cards can be laid. The emperor's side is the first player."""
    players = (PlayerId("emperor's side"), PlayerId("slave's side"))
    seed = _fitting_seed(players, players[0], Seed("any"))
    lobby = ecard.new(players, ecard.Options(), seed)
    assert not isinstance(lobby, Rejection)
    return (_played(lobby, Start(seed), BeginPicking()),)


def round_won(state: State) -> ByPlayer[int] | None:
    """Who has won the first decisive round: 1 to 0."""
    return state.score if state.decisive_round_index > 0 else None


def hand_seen(view: View) -> str:
    """The cards that the player still holds, by their first letters."""
    return "".join(card.name[0] for card in view.hand)


def _emperor_wins(decided: Sequence[Pair]) -> tuple[int, int]:
    return sum(pair.winner == pair.emperor_player for pair in decided), len(decided)


def _lobby(seen: View, seed: Seed) -> State:
    lobby = ecard.new(seen.players, ecard.Options(), seed)
    assert not isinstance(lobby, Rejection), "a view shows players who were let in"
    return lobby


def _retold(lobby: State, revealed: Sequence[Pair], phase: Phase) -> State:
    """The match replayed from its seed through these pairs and, if possible, into this phase."""
    state = lobby if lobby.seed is None else _played(lobby, Start(lobby.seed))
    for pair in revealed:
        state = _played(state, BeginPicking(), *(Pick(player, card) for player, card in pair.cards.items()))
    return _played(state, BeginPicking()) if phase is Phase.PICKING else state


def _played(state: State, *events: Event) -> State:
    return after_events(ecard.ecard, state, events)


study = Study(
    violation=violation,
    redraw=redraw,
    imagine=imagine,
    state_key=state_key,
    tally=tally,
    standing=standing,
    subgame=Subgame(
        title="a decisive round",
        seats=("the emperor's side", "the slave's side"),
        starts=decisive_round,
        payoffs=round_won,
        situation=hand_seen,
    ),
)
