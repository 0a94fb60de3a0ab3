"""A match as it is announced to its players and its referee, and the keys by which they know each other."""

from msgspec import UNSET, UnsetType

from turnstile.kernel.values import PlayerId
from turnstile.league.protocol.words import GAME_TYPE, LeagueValue, MatchId, Number, RefereeId, Url


class AnnouncedMatch(LeagueValue, frozen=True, kw_only=True):
    """A match of a round: who plays, who referees, and where they can be reached.

    The keys are ours, and secrets: a player is told its own, the referee of the match both, and nobody else any. All
    that a referee says to a player in a match it says with the key of that player. Other managers give none.

    `reassignments` is ours, too: how often the match was given to another referee, left out where it is 0. An agent
    that knows a lower number forgets what it knows of the match: it is begun anew, even if its first referee has it.
    """

    match_id: MatchId
    player_a_id: PlayerId
    player_b_id: PlayerId
    referee_endpoint: Url
    game_type: str = GAME_TYPE
    referee_id: RefereeId | None = None
    player_a_endpoint: Url | None = None
    player_b_endpoint: Url | None = None
    player_a_key: str | UnsetType | None = UNSET
    player_b_key: str | UnsetType | None = UNSET
    reassignments: Number | UnsetType | None = UNSET

    @property
    def times_reassigned(self) -> int:
        """`reassignments`, which other managers do not count."""
        return self.reassignments or 0

    def key_of(self, player: PlayerId) -> str | None:
        """The key of one of its players, as far as it is told."""
        return {self.player_a_id: self.player_a_key, self.player_b_id: self.player_b_key}.get(player) or None
