"""The scoreboard of a league: all that its page, its report and the terminal show, as one value.

Everything in it is public. The choices of a match are in it only when the match is over, together with the seed from
which the number was drawn.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum

from msgspec import UNSET, UnsetType

from turnstile.games.evenodd import POINTS_FOR_A_DRAW, POINTS_FOR_A_WIN, Parity, drawn_number
from turnstile.kernel.chance import Commitment, Seed, verify
from turnstile.kernel.values import ByPlayer, PlayerId
from turnstile.league.protocol.words import GAME_TYPE, LeagueId, LeagueValue, MatchId, RefereeId, Status

MOST_NAMED = 4  # players in a sentence; if there are more, the first are named and the others counted


class Progress(StrEnum):
    """How far a league or a match has got."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"


class Verdict(StrEnum):
    """The result of checking a seed, and in Even/Odd the number that was drawn from it."""

    FAIR = "fair"
    """The seed matches the referee's commitment, and gives the number."""
    UNFAIR = "unfair"
    """The seed does not match the commitment, or gives another number."""
    UNWITNESSED = "unwitnessed"
    """The seed gives the number, but the referee had sent the manager no commitment to it."""
    UNPROVEN = "unproven"
    """The referee has reported no number or no seed."""
    NO_DRAW = "no draw"
    """The match ended with a technical loss."""


class Place(LeagueValue, frozen=True, kw_only=True):
    """One row of the standings."""

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
    """How a match ended, as its referee reported it."""

    status: Status
    winner: PlayerId | None
    choices: ByPlayer[Parity | None]
    scores: ByPlayer[int] = ByPlayer()
    """Empty in Even/Odd; in other games as their rules count."""
    drawn_number: int | None = None
    seed: Seed | None = None
    commitment: Commitment | None = None
    """To the seed. The referee sent it to the manager before the players chose."""


class MatchEntry(LeagueValue, frozen=True, kw_only=True):
    """A match of the schedule."""

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
    """The state of an agent, as the manager sees it."""

    address: str
    display_name: str
    condition: str
    """In words: "answers", "does not answer", "given up", "refuses its matches (error -32601)"."""
    is_well: bool
    refuses_matches: bool | UnsetType = UNSET
    """Whether a referee has refused its matches in every form. They go to another referee."""
    last_heard: str | None = None
    """When it last answered, in UTC: "2026-11-15T09:10:02Z"."""
    matches_under_way: int = 0


class Scoreboard(LeagueValue, frozen=True, kw_only=True):
    """A league at one moment."""

    league_id: LeagueId
    progress: Progress
    places: tuple[Place, ...]
    rounds: tuple[Round, ...]
    """The requested rounds. For a large league these are not all."""
    agents: tuple[Health, ...] = ()
    current_round: int = 0
    total_rounds: int = 0
    matches_completed: int = 0
    total_matches: int = 0
    game_type: str = GAME_TYPE
    waits_for: str | None = None
    """What must happen before the league can go on, in words: "1 more player and a referee"."""

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
    """Checks that the seed gives the number, and that the referee was committed to the seed.

    Each player checks for itself that it was shown the same commitment. In other games than Even/Odd the manager does
    not know the moves: the players check, too, that these lead from the seed to the scores.
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


# shared places: for programs each place has a different rank, for people equal players share one


def shared_ranks(places: Sequence[Place]) -> list[int]:
    """The rank of each place as people see it: players with equal points and wins share the better rank."""
    ranks: list[int] = []
    for at, place in enumerate(places):
        is_shared = at > 0 and _record(place) == _record(places[at - 1])
        ranks.append(ranks[-1] if is_shared else at + 1)
    return ranks


def leaders(places: Sequence[Place]) -> list[Place]:
    """The players that share the first place."""
    return [place for place in places if _record(place) == _record(places[0])]


def champions_sentence(places: Sequence[Place], format_name: Callable[[str], str]) -> str:
    """Who has won a completed league: one champion or several, and with how many points."""
    first, best = places[0], leaders(places)
    who = names_in_words(best, format_name)
    points = f"{quantity(first.points, 'point')}{' each' if len(best) > 1 else ''}"
    level = [place for place in places if place.points == first.points and place.wins < first.wins]
    behind = f" {quantity(len(level), 'other')} {'has' if len(level) == 1 else 'have'} as many points, and fewer wins."
    return f"Champion{'s' if len(best) > 1 else ''}: {who} with {points}.{behind if level else ''}"


def names_in_words(places: Sequence[Place], format_name: Callable[[str], str]) -> str:
    """The names of some players in words: "A, B and C", or "A, B, C and 5 others"."""
    named = places if len(places) <= MOST_NAMED else places[: MOST_NAMED - 1]
    words = [format_name(place.display_name) for place in named]
    if len(named) < len(places):
        words.append(quantity(len(places) - len(named), "other"))
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _record(place: Place) -> tuple[int, int]:
    return place.points, place.wins


def points_by_round(board: Scoreboard) -> dict[PlayerId, list[int]]:
    """The points of each player after each finished round, starting with 0 before the first."""
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
    """The points of each player from a match; 0 while it is not finished."""
    result = match.result
    if result is None:
        return dict.fromkeys(match.players, 0)
    without = POINTS_FOR_A_DRAW if result.status is Status.DRAW else 0
    return {player: POINTS_FOR_A_WIN if player == result.winner else without for player in match.players}
