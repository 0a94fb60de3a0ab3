"""The records of a league that its state does not keep: reports and commitments. The public scoreboard shows them."""

from collections.abc import Iterable

from turnstile.agents.page.projection import health_of, scoreboard_of
from turnstile.agents.page.scoreboard import Health, Round, Scoreboard
from turnstile.agents.process.contacts import Contacts
from turnstile.kernel.chance import Commitment
from turnstile.kernel.machine import Step
from turnstile.kernel.values import Event, Instant
from turnstile.league.manager.queries import commitment_of
from turnstile.league.manager.state import State
from turnstile.league.protocol.messages import MatchResultReport
from turnstile.league.protocol.words import MatchId, player_address


class MatchRecords:
    """The first report and the commitment of every match."""

    def __init__(self) -> None:
        self.reports: dict[MatchId, MatchResultReport] = {}
        self.commitments: dict[MatchId, Commitment] = {}
        self._past_rounds: dict[int, Round] = {}
        """Past rounds as the page shows them."""
        self._before: State | None = None
        """The league before the latest event: the last result of a round removes its commitments from the state."""

    def replay(self, at: Instant, event: Event, step: Step[State]) -> None:
        """Add an event that is read from the log after a restart."""
        self.add(event, step.state)

    def add(self, event: Event, state: State) -> None:
        """Add an event that has led to this state. A repeated report changes nothing."""
        if isinstance(event, MatchResultReport) and event.match_id not in self.reports:
            self.reports[event.match_id] = event
            if self._before is not None and (commitment := commitment_of(self._before, event.match_id)):
                self.commitments[event.match_id] = commitment
        self._before = state

    def scoreboard(self, state: State, rounds: Iterable[int], contacts: Contacts) -> Scoreboard:
        agents = _health_of_agents(state, contacts)
        return scoreboard_of(state, rounds, self.reports, agents, self.commitments, self._past_rounds)


def _health_of_agents(state: State, contacts: Contacts) -> tuple[Health, ...]:
    referees = (
        health_of(each.address, each.display_name, contacts[each.address], is_up=each.is_up, load=each.load)
        for each in state.referees
    )
    addresses = [player_address(player) for player in state.player_ids]
    players = (
        health_of(address, each.display_name, contacts[address], is_up=True, load=0)
        for address, each in zip(addresses, state.players, strict=True)
    )
    return (*referees, *players)
