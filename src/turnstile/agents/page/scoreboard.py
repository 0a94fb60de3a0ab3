"""The scoreboard of a league: all that its page and its report show, as one value.

Everything on it is public. A choice stands on it only once its match is over, together with the seed that shows
where the number came from.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum

from msgspec import UNSET, UnsetType

from turnstile.games.evenodd import POINTS_FOR_A_DRAW, POINTS_FOR_A_WIN, Parity, drawn_number
from turnstile.kernel.chance import Commitment, Seed, verify
from turnstile.kernel.values import ByPlayer, PlayerId
from turnstile.league.protocol.words import GAME_TYPE, LeagueId, LeagueValue, MatchId, RefereeId, Status

MOST_NAMED = 4  # players in a sentence; of more the first are named, and the others counted


class Progress(StrEnum):
    """How far a league, or a match of it, has got."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"


class Verdict(StrEnum):
    """What checking a seed has shown, and in Even/Odd the number that was drawn from it."""

    FAIR = "fair"
    """The seed is the one that the referee was bound to before, and gives the number."""
    UNFAIR = "unfair"
    """It is another, or gives another number."""
    UNWITNESSED = "unwitnessed"
    """The seed gives the number, but the manager was not told before which seed it would be."""
    UNPROVEN = "unproven"
    """The referee has shown no number, or no seed."""
    NO_DRAW = "no draw"
    """A technical loss."""


class Place(LeagueValue, frozen=True, kw_only=True):
    """One line of the table."""

    rank: int
    player_id: PlayerId
    display_name: str
    played: int
    wins: int
    draws: int
    losses: int
    technical_losses: int
    points: int


class Result(LeagueValue, frozen=True, kw_only=True):
    """How a match ended, as its referee has reported it."""

    status: Status
    winner: PlayerId | None
    choices: ByPlayer[Parity | None]
    scores: ByPlayer[int] = ByPlayer()
    """Of another game than Even/Odd, as its rules count."""
    drawn_number: int | None = None
    seed: Seed | None = None
    commitment: Commitment | None = None
    """What the referee had told the manager before anybody chose."""


class MatchEntry(LeagueValue, frozen=True, kw_only=True):
    """A match of the schedule. A finished one may have no result to show, where only its score was kept."""

    match_id: MatchId
    player_a: PlayerId
    player_b: PlayerId
    referee: RefereeId | None = None
    progress: Progress = Progress.PENDING
    result: Result | None = None

    @property
    def players(self) -> tuple[PlayerId, PlayerId]:
        return (self.player_a, self.player_b)


class Round(LeagueValue, frozen=True, kw_only=True):
    round_id: int
    matches: tuple[MatchEntry, ...]
    sitting_out: PlayerId | None = None

    @property
    def finished(self) -> int:
        return sum(match.progress is Progress.COMPLETED for match in self.matches)


class Health(LeagueValue, frozen=True, kw_only=True):
    """An agent as the manager sees it."""

    address: str
    display_name: str
    condition: str
    """In words: "answers", "does not answer", "given up", "refuses its matches (error -32601)"."""
    is_well: bool
    refuses_matches: bool | UnsetType = UNSET
    """A referee has refused the matches that it was told, in every form. They go to another."""
    last_heard: str | None = None
    """When it last answered, in UTC: "2026-11-15T09:10:02Z"."""
    matches_under_way: int = 0


class Scoreboard(LeagueValue, frozen=True, kw_only=True):
    """A league at a glance."""

    league_id: LeagueId
    progress: Progress
    places: tuple[Place, ...]
    rounds: tuple[Round, ...]
    """Those that are wanted: of a large league not all."""
    agents: tuple[Health, ...] = ()
    current_round: int = 0
    total_rounds: int = 0
    matches_completed: int = 0
    total_matches: int = 0
    game_type: str = GAME_TYPE
    waits_for: str | None = None
    """What the league cannot go on without, in words: "1 more player and a referee"."""

    @property
    def names(self) -> Mapping[PlayerId, str]:
        return {place.player_id: place.display_name for place in self.places}

    @property
    def matches(self) -> Iterable[MatchEntry]:
        return (match for each in self.rounds for match in each.matches)

    def round(self, round_id: int) -> Round | None:
        return next((each for each in self.rounds if each.round_id == round_id), None)

    def match(self, match_id: str) -> MatchEntry | None:
        return next((match for match in self.matches if match.match_id == match_id), None)


def verdict(game_type: str, result: Result) -> Verdict:
    """Whether the number is the one that the seed gives, and the seed the one that the referee was bound to.

    That the players were shown the same commitment, each of them checks itself. Of another game than Even/Odd the
    manager is not told the moves: that they lead from the seed to the scores, the players check as well.
    """
    is_drawn = game_type == GAME_TYPE
    if result.status is Status.TECHNICAL_LOSS:
        return Verdict.NO_DRAW
    if not result.seed or (is_drawn and result.drawn_number is None):
        return Verdict.UNPROVEN
    if is_drawn and drawn_number(result.seed, 0) != result.drawn_number:
        return Verdict.UNFAIR
    if result.commitment is None:
        return Verdict.UNWITNESSED
    return Verdict.FAIR if verify(result.commitment, result.seed) else Verdict.UNFAIR


def quantity(count: int, thing: str) -> str:
    """`1 point`, `2,000 points`."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


# places that are shared: for programs every place has a rank of its own, for people equal players are equal


def shared_ranks(places: Sequence[Place]) -> list[int]:
    """The rank of each place of a table as people are shown it: equal points and wins share the better one."""
    ranks: list[int] = []
    for at, place in enumerate(places):
        is_shared = at > 0 and _record(place) == _record(places[at - 1])
        ranks.append(ranks[-1] if is_shared else at + 1)
    return ranks


def leaders(places: Sequence[Place]) -> list[Place]:
    """Those that share the first place."""
    return [place for place in places if _record(place) == _record(places[0])]


def champions_sentence(places: Sequence[Place], written: Callable[[str], str]) -> str:
    """Who has won a league that is over: one champion or several, by how much. `written` makes text of a name."""
    first, best = places[0], leaders(places)
    who = names_in_words(best, written)
    points = f"{quantity(first.points, 'point')}{' each' if len(best) > 1 else ''}"
    level = [place for place in places if place.points == first.points and place.wins < first.wins]
    behind = f" {quantity(len(level), 'other')} {'has' if len(level) == 1 else 'have'} as many points, and fewer wins."
    return f"Champion{'s' if len(best) > 1 else ''}: {who} with {points}.{behind if level else ''}"


def names_in_words(places: Sequence[Place], written: Callable[[str], str]) -> str:
    """The names of some players in words: "A, B and C", or "A, B, C and 5 others"."""
    named = places if len(places) <= MOST_NAMED else places[: MOST_NAMED - 1]
    words = [written(place.display_name) for place in named]
    if len(named) < len(places):
        words.append(quantity(len(places) - len(named), "other"))
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _record(place: Place) -> tuple[int, int]:
    return place.points, place.wins


def points_by_round(board: Scoreboard) -> dict[PlayerId, list[int]]:
    """How many points each player had after each finished round, from 0 before the first."""
    totals = {place.player_id: [0] for place in board.places}
    for each in board.rounds:
        if each.finished < len(each.matches):
            break
        gained = dict.fromkeys(totals, 0)
        for match in each.matches:
            for player, points in gains(match).items():
                gained[player] += points
        for player, line in totals.items():
            line.append(line[-1] + gained[player])
    return totals


def gains(match: MatchEntry) -> dict[PlayerId, int]:
    """The points that a finished match was worth."""
    result = match.result
    if result is None:
        return dict.fromkeys(match.players, 0)
    without = POINTS_FOR_A_DRAW if result.status is Status.DRAW else 0
    return {player: POINTS_FOR_A_WIN if player == result.winner else without for player in match.players}
