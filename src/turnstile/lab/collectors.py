"""What the output file of a simulation gets of each match. It is made in the process that has played the match."""

from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from turnstile.lab.results import ResultLine, write_lines
from turnstile.registry import study_of

if TYPE_CHECKING:
    from turnstile.lab.simulation import SimulatedMatch


class Output(StrEnum):
    """What a simulation keeps of its matches."""

    RESULTS = "results"
    DECISIONS = "decisions"
    DECISIONS_AND_STATES = "decisions and states"
    """With hidden information."""


class Collector(Protocol):
    """Makes the content for the file from finished matches, in the process that plays them."""

    def add(self, match: "SimulatedMatch") -> None: ...
    def finish(self) -> bytes: ...


def collector_of(output: Output) -> Collector:
    if output is Output.RESULTS:
        return ResultLines()
    from turnstile.lab.decisions import DecisionBatches  # here, because pyarrow is optional and large

    return DecisionBatches(with_states=output is Output.DECISIONS_AND_STATES)


class ResultLines:
    """Collects the lines of a file of results."""

    def __init__(self) -> None:
        self._lines: list[ResultLine] = []

    def add(self, match: "SimulatedMatch") -> None:
        outcome, players = match.outcome, match.players
        self._lines.append(
            ResultLine(
                match=match.number,
                seats=players,
                winners=match.winning_seats,
                scores=tuple(outcome.scores[player] for player in players) if outcome.scores else (),
                moves=match.moves,
                facts=dict(study_of(match.game).tally(match.state)),
            )
        )

    def finish(self) -> bytes:
        return write_lines(self._lines)
