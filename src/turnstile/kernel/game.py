"""A game: the rules as a machine, and the few functions that a host needs to let players play it.

Each game module defines one `Game`. Tables, simulations, terminals and checks use nothing else of the module.
"""

import re
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, get_type_hints

from turnstile.kernel.chance import LONGEST_SEED, Seed
from turnstile.kernel.machine import Machine, Phased, Refusal, Rejection
from turnstile.kernel.schema import schema
from turnstile.kernel.values import LONGEST_ID, ByPlayer, Event, Malformed, Move, PlayerId, Value, decode

S = TypeVar("S", bound=Phased)
V = TypeVar("V", bound=Value)
O = TypeVar("O", bound=Value)  # noqa: E741
K = TypeVar("K", bound=Hashable)

Players = tuple[PlayerId, ...]
Tally = Mapping[str, tuple[int, int]]
"""Facts of a finished match worth counting: for each, how often it was true and out of how many times."""


class NoMove(AssertionError):
    """A match is not over, and no player can move. It is a bug of the game's author."""


class Outcome(Value, frozen=True):
    """How a match ended. Several winners share the win; none at all is a draw."""

    winners: Players
    scores: ByPlayer[int]


def places(players: Sequence[K], winners: Collection[K], scores: Mapping[K, float]) -> dict[K, int]:
    """The place of each player in an outcome, from 1. Equal players share a place.

    Winners share the first place, and without winners all do. The others are placed by their scores. A game says by its
    winners whether more points are better; if they do not say, the others share a place.
    """
    first = winners or players
    sign = _sign_of_better(first, scores)
    keys = {player: (0, 0) if player in first else (1, sign * scores.get(player, 0)) for player in players}
    return {player: 1 + sum(key < mine for key in keys.values()) for player, mine in keys.items()}


def _sign_of_better(winners: Collection[K], scores: Mapping[K, float]) -> int:
    """1 if fewer points are better, -1 if more are, 0 if the scores do not say."""
    best = [score for player, score in scores.items() if player in winners]
    rest = [score for player, score in scores.items() if player not in winners]
    if not best or not rest:
        return 0
    if min(best) >= max(rest):
        return -1
    return 1 if max(best) <= min(rest) else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Game(Generic[S, V, O]):
    """One game, as the rest of the system sees it."""

    machine: Machine[S]
    title: str
    version: int
    """Raise it whenever a record of the previous version would replay differently."""
    seats: range
    """How many players may play. A game may let fewer players wait, but a match never starts with them."""
    options: type[O]
    """Numbers in the options have bounds, in their type or in `new`, so that every open table can start a match."""
    new: Callable[[Sequence[PlayerId], O, Seed | None], S | Rejection]
    """A match before its first event.

    The seed `None` means that no seed is known yet. A game whose first event brings the seed opens the match, and its
    dealer waits for that event. A game that deals from the seed of `new` answers `NEEDS_A_SEED`. No game raises.
    """
    view: Callable[[S, PlayerId | None], V]
    """The match as a player sees it; `None` looks on from outside."""
    actions: Callable[[S, PlayerId], tuple[Move, ...]]
    """Every legal event of that player now."""
    dealer: Callable[[S], Event | None]
    """What the table itself does next, after all acknowledgements: deal, begin a round, go on."""
    players: Callable[[S], Players] = lambda state: state.players  # type: ignore[attr-defined]
    """Who sits at the table, in the order of the seats."""
    outcome: Callable[[S], Outcome | None]
    """How the match ended; `None` while it goes on."""
    gated: bool = False
    """Whether every batch of messages, and every move, waits until all have acknowledged the previous batch."""
    rules: str = ""
    """The rules for people, in Markdown, short enough for one screen; optional."""

    @property
    def name(self) -> str:
        return self.machine.name

    @property
    def view_type(self) -> type[V]:
        """The type that `view` returns; `Any`, if its annotation does not say."""
        try:
            found: type[V] = get_type_hints(self.view).get("return", Any)
        except (NameError, TypeError):  # an annotation for type checkers only, or a callable without any
            return Any  # type: ignore[return-value]
        return found

    def offered(self, state: S) -> list[Event]:
        """All events that may happen now: the table's own and the players' moves; none after the end."""
        if self.outcome(state) is not None:
            return []
        due = self.dealer(state)
        moves: list[Event] = [move for player in self.players(state) for move in self.actions(state, player)]
        return moves if due is None else [due, *moves]

    def next_to_act(self, state: S) -> tuple[PlayerId, tuple[Move, ...]]:
        """The first player, in the order of the seats, who may move, and its moves. There must be one."""
        for player in self.players(state):
            if moves := self.actions(state, player):
                return player, moves
        raise NoMove(f"No player can move in this match of {self.name}, and it is not over.")

    def schema(self) -> dict[str, Any]:
        """The JSON Schemas of everything that is sent over the wire."""
        return {
            **self.machine.schema(),
            "state": schema(self.machine.state),  # type: ignore[arg-type]
            "view": schema(self.view_type),
            "options": schema(self.options),
        }

    def read_options(self, data: bytes | str) -> O | Rejection:
        try:
            return decode(data, self.options)
        except Malformed as fault:
            return Rejection(Refusal.INVALID_OPTIONS, f"Invalid options for {self.name}: {_plain(str(fault))}.")

    def refuse_options(self, options: O) -> Rejection | None:
        """Why no number of players could play with these options; `None` when at least one could.

        Bounds that depend on the number of players are checked again when a match starts.
        """
        refused: list[Rejection] = []
        for count in self.seats:
            company = [PlayerId(f"player {seat + 1}") for seat in range(count)]
            answer = self.new(company, options, Seed("any"))
            if not isinstance(answer, Rejection):
                return None
            refused.append(answer)
        return refused[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subgame(Generic[S, V]):
    """A part of a match that is small enough to be solved: two players, and one wins what the other loses."""

    title: str
    """Such as "a decisive round"."""
    seats: tuple[str, str]
    """What the first and the second player are called, such as "the emperor's side"."""
    starts: Callable[[], Sequence[S]]
    """The states in which the part may begin, each equally likely. Chance that comes later is fixed by each of them."""
    payoffs: Callable[[S], Mapping[PlayerId, int] | None]
    """What each player has won, when the part is over; `None` while it goes on."""
    situation: Callable[[V], str]
    """What a player that has to choose sees, in a few words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Study(Generic[S, V]):
    """What checks, bots and statistics need to know about a game beyond its rules. All of it is optional."""

    violation: Callable[[S], str | None] = lambda _: None
    """What is wrong with a state, in a sentence; `None` for every state that can be reached."""
    redraw: Callable[[S, PlayerId | None, Seed], S] | None = None
    """The same state with everything that this player may not know redrawn from the seed (`None`: a spectator).

    It defines what is hidden from each player, so it must use the state and the player's seat, and never a view: the
    leak tests compare what a player gets in a state and in the redrawn one. Its result depends on nothing hidden: two
    states that the player cannot tell apart give the same result for the same seed.
    """
    sees_everything: Callable[[S, PlayerId | None], bool] = lambda state, player: False
    """Whether the rules hide nothing from this player in this state. In all other states, `redraw` must change some."""
    imagine: Callable[[V, PlayerId | None, Seed], S] | None = None
    """A state that this view could belong to, with everything that this player may not know drawn from the seed.

    Bots use it: they get views, never states. It usually rebuilds a state from the view, with arbitrary hidden values,
    and lets `redraw` draw those.
    """
    state_key: Callable[[S], Hashable] = lambda state: state
    """The part of a state that the rest of the match depends on: states with equal keys continue alike."""
    tally: Callable[[S], Tally] = lambda _: {}
    """What statistics count in a finished match, besides who won."""
    standing: Callable[[S], Outcome | None] = lambda _: None
    """The outcome if the match ended now, for bots that do not search to the end; `None` when it is unknown."""
    subgame: Subgame[S, V] | None = None
    """The part of a match that `turnstile solve` solves."""


AnyGame = Game[Any, Any, Any]
AnyStudy = Study[Any, Any]
AnySubgame = Subgame[Any, Any]
"""A game, study or subgame that was looked up by name, so its state and view types are not known."""


BOUND = re.compile(r"Expected `(?:int|float)` (<=|>=|<|>) (\S+) - at `\$\.(\S+)`")
BOUNDS = {"<=": "at most", ">=": "at least", "<": "less than", ">": "more than"}


def _plain(fault: str) -> str:
    """The fault in plain words, when a number is out of bounds; otherwise the fault as it is."""
    found = BOUND.fullmatch(fault)
    return f"{found[3]} must be {BOUNDS[found[1]]} {found[2]}" if found else fault


NEEDS_A_SEED = Rejection(Refusal.INVALID_SEED, "This game is dealt from a seed; open the match with one.")
"""For games that deal from the seed that is given to `new`."""


def refuse_players(players: Sequence[PlayerId], seats: range) -> Rejection | None:
    """Why these players cannot play a game with these numbers of seats; `None` when they can."""
    return refuse_count(len(players), seats) or refuse_ids(players)


def refuse_ids(players: Sequence[PlayerId]) -> Rejection | None:
    """Why players cannot have these ids; `None` when they can."""
    if any(not 1 <= len(player) <= LONGEST_ID or not player.isprintable() for player in players):
        return Rejection(Refusal.INVALID_PLAYERS, f"A player's id must have 1 to {LONGEST_ID} printable characters.")
    if len(set(players)) < len(players):
        return Rejection(Refusal.INVALID_PLAYERS, "Two players cannot have the same id.")
    return None


def refuse_count(count: int, seats: range) -> Rejection | None:
    """Why so many players cannot play; `None` when they can."""
    if count in seats:
        return None
    wanted = f"{seats[0]}" if len(seats) == 1 else f"{seats[0]} to {seats[-1]}"
    return Rejection(Refusal.INVALID_PLAYERS, f"This game takes {wanted} players, not {count}.")


def refuse_seed(seed: Seed | None) -> Rejection | None:
    """Why a match cannot be dealt from this seed; `None` when it can, or when none was given."""
    if seed is None or (1 <= len(seed) <= LONGEST_SEED and seed.isprintable()):
        return None
    return Rejection(Refusal.INVALID_SEED, f"A seed must have 1 to {LONGEST_SEED} printable characters.")
