"""The study of Even/Odd: which states can be reached, what is hidden from a player, what statistics count."""

from collections.abc import Hashable, Mapping
from itertools import count

from msgspec.structs import replace

from turnstile.games import evenodd
from turnstile.games.evenodd import ChooseParity, Options, Parity, Phase, Start, State, Status, View
from turnstile.kernel import ByPlayer, Event, Outcome, PlayerId, Rejection, Seed, Study, Subgame, Tally
from turnstile.kernel.chance import derive, draw
from turnstile.studies.replaying import after_events


def violation(state: State) -> str | None:
    """A state can be reached if its seed, results and choices tell the same story as its fields."""
    idle = evenodd.new(state.players, Options(state.draws), state.seed)
    if isinstance(idle, Rejection):
        return idle.sentence
    story = idle if state.phase is Phase.IDLE else _retold(idle, state)
    return None if story == state else "No match of Even/Odd can be in this state: its fields contradict each other."


def redraw(state: State, player: PlayerId | None, seed: Seed) -> State:
    """A choice of another that is not shown yet could be either, and the numbers to come are open.

    They come from another seed, which does not give the numbers of the past: one that gives them all cannot be found
    for a long series, which is what makes the commitment to the real one worth something.
    """
    choices = {
        who: choice if choice is None or who == player else _imagined_choice(seed, who)
        for who, choice in state.choices.items()
    }
    hidden_seed = None if state.seed is None else derive(seed, "imagined seed")
    return replace(state, seed=hidden_seed, choices=ByPlayer(choices))


def _imagined_choice(seed: Seed, who: PlayerId) -> Parity:
    return list(Parity)[draw(seed, f"imagined choice of {who}", 0, len(Parity))]


def imagine(seen: View, player: PlayerId | None, seed: Seed) -> State:
    """A match that looks like this to `player`."""
    choices = {who: Parity.EVEN if has_chosen else None for who, has_chosen in seen.has_chosen.items()}
    if player is not None and player in choices:
        choices[player] = seen.choice
    state = State(
        phase=seen.phase,
        players=seen.players,
        draws=seen.draws,
        choices=ByPlayer(choices),
        score=seen.score,
        results=seen.results,
        seed=seed,
    )
    return redraw(state, player, seed)


def state_key(state: State) -> Hashable:
    """The number of draws and the scores influence the rest of the match; the drawn numbers do not."""
    return state.phase, state.players, state.draws, state.choices, state.score, len(state.results), state.seed


def tally(state: State) -> Tally:
    """How often the choices differed, so one player won; how often the first player won; and what was drawn."""
    drawn, won = len(state.results), [result for result in state.results if result.status is Status.WIN]
    first = state.players[0]
    return {
        "the choices differ": (len(won), drawn),
        "... and the first player is right": (sum(result.winner_player_id == first for result in won), len(won)),
        "the number is even": (sum(result.number_parity is Parity.EVEN for result in state.results), drawn),
    }


def standing(state: State) -> Outcome:
    """The players with most points so far win."""
    return Outcome(evenodd.leaders(state), state.score)


def one_draw() -> list[State]:
    """A match of one draw when the players can choose: once an even number will be drawn, once an odd one."""
    players = (PlayerId("player 1"), PlayerId("player 2"))
    found: dict[Parity, State] = {}
    seeds = (derive(Seed("any"), "one draw", attempt) for attempt in count())
    while len(found) < len(Parity):
        seed = next(seeds)
        idle = evenodd.new(players, Options(1), seed)
        assert not isinstance(idle, Rejection)
        start = after_events(evenodd.evenodd, idle, [Start(seed)])
        drawn = after_events(evenodd.evenodd, start, [ChooseParity(player, Parity.EVEN) for player in players])
        found.setdefault(drawn.results[0].number_parity, start)
    return list(found.values())


def match_won(state: State) -> Mapping[PlayerId, int] | None:
    """Who has won the match: 1, or -1 for the other player; a draw is 0 for both."""
    if state.phase is not Phase.FINISHED:
        return None
    first, second = (state.score[player] for player in state.players)
    lead = (first > second) - (first < second)
    return dict(zip(state.players, (lead, -lead), strict=True))


def before_the_draw(view: View) -> str:
    """There is only one situation: nothing was drawn yet."""
    return "before the draw"


def _retold(idle: State, state: State) -> State:
    """The match replayed from its seed with the choices that were made."""
    made: list[Mapping[PlayerId, Parity | None]] = [*(result.choices for result in state.results), state.choices]
    events: list[Event] = [] if idle.seed is None else [Start(idle.seed)]
    events += [ChooseParity(who, choice) for choices in made for who, choice in choices.items() if choice is not None]
    return after_events(evenodd.evenodd, idle, events)


study = Study(
    violation=violation,
    redraw=redraw,
    imagine=imagine,
    state_key=state_key,
    tally=tally,
    standing=standing,
    subgame=Subgame(
        title="a match of one draw",
        seats=("the first player", "the second player"),
        starts=one_draw,
        payoffs=match_won,
        situation=before_the_draw,
    ),
)
