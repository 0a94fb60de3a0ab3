"""What is written down about a simulated league, and what must hold at every envelope, every booking and the end."""

from collections import Counter
from collections.abc import Callable
from itertools import combinations

from turnstile.games.evenodd import drawn_number
from turnstile.kernel.chance import Commitment, verify
from turnstile.kernel.values import PlayerId
from turnstile.league.local.network import Agent, Envelope
from turnstile.league.local.player import LocalPlayer
from turnstile.league.local.referee import LocalReferee
from turnstile.league.protocol.messages import ChooseParityCall, ChooseParityResponse, GameOver, MatchResultReport
from turnstile.league.protocol.values import GameResult, StandingsRow
from turnstile.league.protocol.words import Address, MatchId, Status
from turnstile.league.referee.calls import score_of

Refereed = tuple[Address, MatchId, int]
"""A match as one referee runs it, with the number of its reassignments: it may have been begun before, and be again."""


class Audit:
    """Everything that was said and booked. `fail` is told which promise was broken, and how."""

    def __init__(self, fail: Callable[[str, str], None]) -> None:
        self.fail = fail
        self.bookings: dict[MatchId, MatchResultReport] = {}
        self._commitments: dict[Refereed, Commitment | None] = {}
        self._results: dict[Refereed, GameResult | None] = {}
        self._choices: dict[tuple[Address, Refereed], str] = {}

    # at every envelope

    def sent(self, envelope: Envelope, sender: Agent | None, is_honest: bool) -> None:
        """Look at what an agent says; `is_honest` tells whether it keeps to the rules."""
        said = envelope.message
        if isinstance(said, ChooseParityCall | GameOver):
            assert isinstance(sender, LocalReferee)
            match = sender.matches[said.match_id].state.given.match
            refereed: Refereed = envelope.sender, match.match_id, match.times_reassigned
            if isinstance(said, ChooseParityCall):
                self._called(refereed, said.context.commitment)
            else:
                self._ended(refereed, said.game_result)
        elif isinstance(said, ChooseParityResponse) and is_honest:
            assert isinstance(sender, LocalPlayer)
            refereed = envelope.to, said.match_id, sender.state.playing.reassignments
            self._chose(envelope.sender, refereed, said.parity_choice)

    def _called(self, match: Refereed, commitment: Commitment | None) -> None:
        if self._commitments.setdefault(match, commitment) != commitment:
            self.fail("fair", f"{match} was committed to twice")

    def _ended(self, match: Refereed, result: GameResult | None) -> None:
        if self._results.setdefault(match, result) != result:
            self.fail("one result", f"{match} ended twice: {self._results[match]} and {result}")
        if result is None or result.drawn_number is None:
            return
        commitment = self._commitments.get(match)
        if commitment is None or result.seed is None or not verify(commitment, result.seed):
            self.fail("fair", f"{match}: the seed is not the one that was committed to")
        elif result.drawn_number != drawn_number(result.seed, 0):
            self.fail("fair", f"{match}: {result.drawn_number} is not what the seed gives")

    def _chose(self, player: Address, match: Refereed, choice: str) -> None:
        if self._choices.setdefault((player, match), choice) != choice:
            self.fail("same answer", f"{player} has changed its mind in {match}")

    # at every booking

    def booked(self, event: MatchResultReport, assigned: Address | None, reassignments: int) -> None:
        """A result is in the books of the manager, for good. `assigned` is the referee that the match was given to."""
        if event.sender != assigned:
            self.fail("its referee", f"{event.match_id} of {assigned} was booked for {event.sender}")
        if event.match_id in self.bookings:
            self.fail("once", f"{event.match_id} was booked twice")
        self.bookings[event.match_id] = event
        assert isinstance(event.sender, str)
        told = self._results.get((event.sender, event.match_id, reassignments))
        if told is None:
            self.fail("same result", f"{event.match_id} was booked for {event.sender}, who never told its players")
        elif (told.status, told.winner_player_id, score_of(told)) != (
            event.result.details.status,
            event.result.winner,
            event.result.score,
        ):
            self.fail("same result", f"{event.match_id} was booked as {event.result}; its players know {told}")

    # at the end

    def finish(self, players: list[PlayerId], table: tuple[StandingsRow, ...]) -> None:
        pairs = Counter(frozenset(event.result.score) for event in self.bookings.values())
        if pairs != Counter(map(frozenset, combinations(players, 2))):
            self.fail("pairings", f"these have met: {pairs}")
        for row in table:
            if row != self._row(row):
                self.fail("standings", f"{row} is not the sum of its matches: {self._row(row)}")
        order = [(-(row.points or 0), -(row.wins or 0), row.player_id) for row in table]
        if sorted(order) != order or [row.rank for row in table] != list(range(1, len(table) + 1)):
            self.fail("standings", "the table is out of order")

    def _row(self, row: StandingsRow) -> StandingsRow:
        """The row that a player must have, by what was booked."""
        mine = [event.result for event in self.bookings.values() if row.player_id in event.result.score]
        wins = sum(result.winner == row.player_id for result in mine)
        draws = sum(result.details.status is Status.DRAW for result in mine)
        return StandingsRow(
            rank=row.rank,
            player_id=row.player_id,
            display_name=row.display_name,
            played=len(mine),
            wins=wins,
            draws=draws,
            losses=len(mine) - wins - draws,
            points=sum(result.score[row.player_id] for result in mine),
        )

    def technical_losers(self) -> set[PlayerId]:
        """Who has lost for not answering."""
        results = [event.result for event in self.bookings.values()]
        lost = [result for result in results if result.details.status is Status.TECHNICAL_LOSS]
        return {player for result in lost for player in result.score if player != result.winner}

    def ended_twice(self) -> int:
        """The matches that two referees have ended, for the first was lost before it could report."""
        return sum(times > 1 for times in Counter(match for _, match, _ in self._results).values())
