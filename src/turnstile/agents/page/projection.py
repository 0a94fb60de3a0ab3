"""A league manager's state as a board: who meets whom, how it ended, who leads.

The state remembers one letter of each finished match; what else was reported of it is kept by whoever runs the manager,
who has the log, and is given here as `reports`.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from msgspec import UNSET
from msgspec.structs import replace

from turnstile.agents.page.scoreboard import Health, MatchEntry, Place, Progress, Result, Round, Scoreboard, counted
from turnstile.agents.process.contacts import Contact
from turnstile.agents.wire.envelope import format_time
from turnstile.kernel.chance import Commitment
from turnstile.kernel.values import ByPlayer, PlayerId
from turnstile.league.manager import schedule
from turnstile.league.manager.standings import standings, tally_of
from turnstile.league.manager.state import MatchOutcome, Phase, State, Tally, match_id
from turnstile.league.protocol.messages import MatchResultReport, StandingsRow
from turnstile.league.protocol.words import Address, MatchId, RefereeId, Status

Reports = Mapping[MatchId, MatchResultReport]
"""What was reported of the matches that are over."""
Commitments = Mapping[MatchId, Commitment]
"""What their referees had told the manager before: to which seeds they were bound."""
NONE_GIVEN: Commitments = {}

FEWEST_PLAYERS = 2
A_REFEREE = "a referee"
LAST_AGENT = "its last agent to listen"
START = "'turnstile league start'"

WINNERS = {
    MatchOutcome.A_WON: (Status.WIN, 0),
    MatchOutcome.B_WON: (Status.WIN, 1),
    MatchOutcome.DRAW: (Status.DRAW, None),
    MatchOutcome.A_BY_DEFAULT: (Status.TECHNICAL_LOSS, 0),
    MatchOutcome.B_BY_DEFAULT: (Status.TECHNICAL_LOSS, 1),
    MatchOutcome.BOTH_AT_FAULT: (Status.TECHNICAL_LOSS, None),
}
"""What a letter says: how the match ended, and which of its players won."""


def scoreboard_of(
    state: State,
    rounds: Iterable[int],
    reports: Reports,
    agents: tuple[Health, ...] = (),
    commitments: Commitments = NONE_GIVEN,
    over: dict[int, Round] | None = None,
) -> Scoreboard:
    """The board, with these rounds as far as they exist. In `over` those are kept that will not change any more.

    Before the league begins it has no rounds: who meets whom is not known while somebody may still register.
    """
    total = state.total_rounds
    over = {} if over is None else over
    return Scoreboard(
        league_id=state.league_id,
        progress=progress(state),
        places=places(state),
        rounds=tuple(
            over.get(number) or _round(state, number, reports, commitments, over)
            for number in rounds
            if state.round_id and 1 <= number <= total
        ),
        agents=agents,
        current_round=min(state.round_id, total),
        total_rounds=total,
        matches_completed=state.matches_completed,
        total_matches=schedule.matches(len(state.players)),
        game_type=state.options.game_type,
        waits_for=missing(state),
    )


def progress(state: State) -> Progress:
    if state.phase is Phase.ACCEPTING_REGISTRATIONS:
        return Progress.PENDING
    return Progress.COMPLETED if state.phase is Phase.LEAGUE_COMPLETE else Progress.RUNNING


def missing(state: State) -> str | None:
    """What the league waits for, if it does: players, a referee, its last agent, or the command to begin."""
    if state.phase is Phase.WAITING_FOR_REFEREE:
        return A_REFEREE
    if state.phase is not Phase.ACCEPTING_REGISTRATIONS:
        return None
    if state.is_complete:
        return LAST_AGENT
    wanted = (state.options.expected_players or FEWEST_PLAYERS) - len(state.players)
    players = [counted(wanted, "more player")] if wanted > 0 else []
    referee = [] if state.referees else [A_REFEREE]
    return " and ".join(players + referee) or START


def places(state: State) -> tuple[Place, ...]:
    """The table, with the technical losses that league.v2 has no column for."""
    return tuple(_place(row, tally_of(state, row.player_id)) for row in standings(state))


def _place(row: StandingsRow, tally: Tally) -> Place:
    return Place(
        rank=row.rank,
        player_id=row.player_id,
        display_name=row.display_name,
        played=tally.played,
        wins=tally.wins,
        draws=tally.draws,
        losses=tally.losses,
        technical_losses=tally.technical_losses,
        points=tally.points,
    )


# rounds


def _round(state: State, number: int, reports: Reports, commitments: Commitments, over: dict[int, Round]) -> Round:
    pairs = schedule.pairings(state.player_ids, number)
    meeting = {player for pair in pairs for player in pair}
    resting = next((player for player in state.player_ids if player not in meeting), None)
    matches = tuple(_match(state, number, index, pair, reports) for index, pair in enumerate(pairs, 1))
    bound = tuple(_bound(match, commitments) for match in matches)
    found = Round(round_id=number, matches=bound, sitting_out=resting)
    if number <= len(state.finished):
        over[number] = found
    return found


def _bound(match: MatchEntry, commitments: Commitments) -> MatchEntry:
    """A match that is over, with what its referee was bound to."""
    commitment = commitments.get(match.match_id)
    if match.result is None or commitment is None:
        return match
    return replace(match, result=replace(match.result, commitment=commitment))


def _match(state: State, number: int, index: int, pair: tuple[PlayerId, PlayerId], reports: Reports) -> MatchEntry:
    which = match_id(number, index)
    referee, letter = _known(state, number, index)
    report = reports.get(which)
    result = None if letter is None else _result(pair, letter, report)
    if report is not None and report.sender:
        referee = RefereeId(report.sender.partition(":")[2])
    if result is not None:
        done = Progress.COMPLETED
    else:
        done = Progress.RUNNING if number == state.round_id and state.phase is Phase.PLAYING_ROUND else Progress.PENDING
    return MatchEntry(match_id=which, player_a=pair[0], player_b=pair[1], referee=referee, progress=done, result=result)


def _known(state: State, number: int, index: int) -> tuple[RefereeId | None, MatchOutcome | None]:
    """Who referees a match, and how it ended, as far as the state says so."""
    if number <= len(state.finished):
        return None, MatchOutcome(state.finished[number - 1][index - 1])
    if number == state.round_id and state.matches:
        match = state.matches[index - 1]
        return match.referee_id, match.outcome
    return None, None


def _result(pair: tuple[PlayerId, PlayerId], letter: MatchOutcome, report: MatchResultReport | None) -> Result:
    """Who won is what the manager has booked; the rest is what the referee says."""
    status, winner = WINNERS[letter]
    booked = Result(status=status, winner=None if winner is None else pair[winner], choices=ByPlayer())
    if report is None:
        return booked
    told = report.result.details
    return replace(
        booked,
        choices=told.choices,
        scores=told.scores or ByPlayer(),
        drawn_number=told.drawn_number,
        seed=told.seed or None,
    )


# agents


def health_of(address: Address, name: str, contact: Contact, *, is_up: bool, load: int) -> Health:
    """An agent as its calls went, in words."""
    if contact.refusal is not None:
        condition = f"refuses its matches ({contact.refusal})"
    elif not is_up:
        condition = "given up"
    elif contact.failures:
        condition = f"has not answered {counted(contact.failures, 'time')}"
    else:
        condition = "not called yet" if contact.last_heard is None else "answers"
    heard = None if contact.last_heard is None else datetime.fromtimestamp(contact.last_heard / 1000, UTC)
    return Health(
        address=address,
        display_name=name,
        condition=condition,
        is_well=is_up and not contact.failures and contact.refusal is None,
        refuses_matches=contact.refusal is not None or UNSET,
        last_heard=None if heard is None else format_time(heard),
        matches_under_way=load,
    )
