"""Makes the scoreboard from the state of a league manager.

The state keeps one letter for each finished match. The details that the referees reported are in the manager's log; the
caller has read them from there, and gives them as `reports`.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from msgspec import UNSET

from turnstile.agents.page.scoreboard import Health, MatchEntry, Place, Progress, Result, Round, Scoreboard, quantity
from turnstile.agents.process.contacts import Contact
from turnstile.agents.wire.envelope import format_time
from turnstile.kernel.chance import Commitment
from turnstile.kernel.values import ByPlayer, PlayerId
from turnstile.league.manager import schedule
from turnstile.league.manager.standings import standings, tally_of
from turnstile.league.manager.state import MatchOutcome, Phase, State, match_id
from turnstile.league.protocol.messages import MatchResultReport
from turnstile.league.protocol.values import ReportDetails, StandingsRow, Tally
from turnstile.league.protocol.words import Address, MatchId, RefereeId, Status

Reports = Mapping[MatchId, MatchResultReport]
"""What the referees reported about finished matches."""
Commitments = Mapping[MatchId, Commitment]
"""The commitments to their seeds, which the referees sent before."""
NO_COMMITMENTS: Commitments = {}

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
"""What each letter means: how the match ended, and which of its two players won."""


def scoreboard_of(
    state: State,
    rounds: Iterable[int],
    reports: Reports,
    agents: tuple[Health, ...] = (),
    commitments: Commitments = NO_COMMITMENTS,
    over: dict[int, Round] | None = None,
) -> Scoreboard:
    """The scoreboard with these rounds, as far as they exist.

    `over` is a cache of finished rounds: they are taken from it and put into it. Before the league begins there are no
    rounds, because every further registration changes the pairings.
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
    """What the league waits for: players, a referee, its last agent, or the command to begin."""
    if state.phase is Phase.WAITING_FOR_REFEREE:
        return A_REFEREE
    if state.phase is not Phase.ACCEPTING_REGISTRATIONS:
        return None
    if state.is_complete:
        return LAST_AGENT
    wanted = (state.options.expected_players or FEWEST_PLAYERS) - len(state.players)
    players = [quantity(wanted, "more player")] if wanted > 0 else []
    referee = [] if state.referees else [A_REFEREE]
    return " and ".join(players + referee) or START


def places(state: State) -> tuple[Place, ...]:
    """The standings, with the technical losses, for which league.v2 has no column."""
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
    matches = tuple(_match(state, number, index, pair, reports, commitments) for index, pair in enumerate(pairs, 1))
    found = Round(round_id=number, matches=matches, sitting_out=resting)
    if number <= len(state.finished):
        over[number] = found
    return found


def _match(
    state: State,
    number: int,
    index: int,
    pair: tuple[PlayerId, PlayerId],
    reports: Reports,
    commitments: Commitments,
) -> MatchEntry:
    which = match_id(number, index)
    referee, letter = _referee_and_outcome(state, number, index)
    report = reports.get(which)
    result = None if letter is None else _result(pair, letter, report, commitments.get(which))
    if report is not None and report.sender:
        referee = RefereeId(report.sender.partition(":")[2])
    is_playing = number == state.round_id and state.phase is Phase.PLAYING_ROUND
    unfinished = Progress.RUNNING if is_playing else Progress.PENDING
    return MatchEntry(
        match_id=which,
        player_a=pair[0],
        player_b=pair[1],
        referee=referee,
        progress=unfinished if result is None else Progress.COMPLETED,
        result=result,
    )


def _referee_and_outcome(state: State, number: int, index: int) -> tuple[RefereeId | None, MatchOutcome | None]:
    """The referee and the outcome of a match, as far as the state knows them."""
    if number <= len(state.finished):
        return None, MatchOutcome(state.finished[number - 1][index - 1])
    if number == state.round_id and state.matches:
        match = state.matches[index - 1]
        return match.referee_id, match.outcome
    return None, None


def _result(
    pair: tuple[PlayerId, PlayerId],
    letter: MatchOutcome,
    report: MatchResultReport | None,
    commitment: Commitment | None,
) -> Result:
    """The outcome as the manager has recorded it, with the details as the referee has reported them."""
    status, winner = WINNERS[letter]
    details = ReportDetails() if report is None else report.result.details
    return Result(
        status=status,
        winner=None if winner is None else pair[winner],
        choices=details.choices,
        scores=details.scores or ByPlayer(),
        drawn_number=details.drawn_number,
        seed=details.seed or None,
        commitment=commitment,
    )


# agents


def health_of(address: Address, name: str, contact: Contact, *, is_up: bool, load: int) -> Health:
    """The state of an agent in words, from how its calls went."""
    if contact.refusal is not None:
        condition = f"refuses its matches ({contact.refusal})"
    elif not is_up:
        condition = "given up"
    elif contact.failures:
        condition = f"has not answered {quantity(contact.failures, 'time')}"
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
