"""Reported results: the match they are about, whether they are possible, and the points for both players.

Points follow from the status and the winner. The manager ignores the score that a referee sends.
"""

from itertools import product

from msgspec import UNSET
from msgspec.structs import replace

from turnstile.games.evenodd import NUMBERS, POINTS_FOR_A_DRAW, POINTS_FOR_A_WIN, Parity, judge
from turnstile.kernel.machine import Rejection
from turnstile.league.manager import schedule
from turnstile.league.manager.standings import move_in_ladder
from turnstile.league.manager.state import (
    Code,
    LeagueMatch,
    MatchOutcome,
    State,
    match_id,
    match_of,
    player_id,
    put,
    referee_with,
)
from turnstile.league.protocol.messages import MatchResultReport
from turnstile.league.protocol.values import ReportDetails, RoundSummary, Tally
from turnstile.league.protocol.words import GAME_TYPE, MatchId, Status

WINNER = {MatchOutcome.A_WON: 0, MatchOutcome.A_BY_DEFAULT: 0, MatchOutcome.B_WON: 1, MatchOutcome.B_BY_DEFAULT: 1}
"""The winning seat: 0 is Player A, 1 is Player B."""
BY_DEFAULT = (MatchOutcome.A_BY_DEFAULT, MatchOutcome.B_BY_DEFAULT)
TECHNICAL = (*BY_DEFAULT, MatchOutcome.BOTH_AT_FAULT)


# which match


def match_at(state: State, round_id: int, number: int) -> LeagueMatch | None:
    """A match of the current round or of a past one; `None` if there is no such match yet."""
    if not 0 < number <= schedule.matches_a_round(len(state.players)):
        return None
    if 0 < round_id <= len(state.finished):
        return past_match(state, round_id, number)
    return state.matches[number - 1] if state.matches and round_id == state.round_id else None


def past_match(state: State, round_id: int, number: int) -> LeagueMatch:
    """A match of a past round."""
    a, b = schedule.pairing(len(state.players), round_id, number)
    return LeagueMatch(
        match_id=match_id(round_id, number),
        player_a_id=player_id(a + 1),
        player_b_id=player_id(b + 1),
        referee_id=referee_with(state.finished_by[round_id - 1][number - 1]),
        outcome=MatchOutcome(state.finished[round_id - 1][number - 1]),
    )


def find_match(state: State, match: MatchId) -> LeagueMatch | None:
    """The match with this id, if its round has begun."""
    named = match_of(match)
    return None if named is None else match_at(state, *named)


def put_match(state: State, match: LeagueMatch) -> State:
    """The league with a changed match of the current round."""
    named = match_of(match.match_id)
    assert named is not None, "a match of this league has a valid id"
    return replace(state, matches=put(state.matches, named[1] - 1, match))


def match_reported(state: State, event: MatchResultReport) -> LeagueMatch | Rejection:
    """The match that a report is about."""
    match = find_match(state, event.match_id)
    is_ours = event.league_id == state.league_id and event.match_id.startswith(f"R{event.round_id}M")
    if match is None or not is_ours:
        return Rejection(Code.MATCH_NOT_FOUND, f"This league has no match {event.match_id[:20]} to report.")
    if event.game_type != state.options.game_type:
        return Rejection(Code.INVALID_RESULT, f"This league plays {state.options.game_type}.")
    return match


def places_of(state: State, match: LeagueMatch) -> tuple[int, int]:
    """The places of Player A and Player B in the list of players."""
    a, b = state.player_at(match.player_a_id), state.player_at(match.player_b_id)
    assert a is not None, "only registered players are paired"
    assert b is not None, "only registered players are paired"
    return a, b


def refuse_earlier_course(match: LeagueMatch, details: ReportDetails) -> Rejection | None:
    """Reject a result from before the match was given to another referee and back: the match has begun anew since.

    A repeated report of a booked result keeps the number that it had.
    """
    if match.outcome is not None or details.reassignments in (UNSET, match.reassignments):
        return None
    return Rejection(Code.WRONG_REFEREE, f"{match.match_id} was given to another referee since, and has begun anew.")


# how it ended


def outcome_of(match: LeagueMatch, event: MatchResultReport) -> MatchOutcome | Rejection:
    """How a match ended, as its referee reports it. A result that contradicts itself or the rules is rejected.

    A missing status follows from the winner: without a winner the match is a draw.
    """
    result, players = event.result, match.players
    winner = result.winner or None
    if winner is not None and winner not in players:
        return Rejection(Code.INVALID_RESULT, "The winner is not one of the two players.")
    seat = None if winner is None else players.index(winner)
    status = result.details.status or (Status.DRAW if winner is None else Status.WIN)
    if (status is Status.WIN and seat is None) or (status is Status.DRAW and seat is not None):
        return Rejection(Code.INVALID_RESULT, "A win has a winner, and a draw has none.")
    refuse = _refuse_even_odd if event.game_type == GAME_TYPE else _refuse_other_game
    if refused := refuse(match, result.details, status, seat):
        return refused
    if status is Status.DRAW:
        return MatchOutcome.DRAW
    if seat is None:
        return MatchOutcome.BOTH_AT_FAULT
    return (MatchOutcome.A_WON, MatchOutcome.B_WON)[seat] if status is Status.WIN else BY_DEFAULT[seat]


def _refuse_even_odd(match: LeagueMatch, details: ReportDetails, status: Status, seat: int | None) -> Rejection | None:
    """Why this result of Even/Odd is impossible. A technical loss needs no number, and 0 means none."""
    number = details.drawn_number
    is_technical = status is Status.TECHNICAL_LOSS
    if number is not None and number not in NUMBERS and not (is_technical and number == 0):
        return Rejection(Code.INVALID_RESULT, f"The number is drawn from {NUMBERS[0]} to {NUMBERS[-1]}.")
    if not is_technical and not _is_possible(match, details, seat):
        return Rejection(Code.INVALID_RESULT, "The number and the choices lead to another result.")
    return None


def _is_possible(match: LeagueMatch, details: ReportDetails, winning_seat: int | None) -> bool:
    """Whether the number and the choices lead to this winner. A missing one may have any value."""
    a, b = details.choices.get(match.player_a_id), details.choices.get(match.player_b_id)
    every = product(
        Parity if a is None else (a,),
        Parity if b is None else (b,),
        NUMBERS if details.drawn_number is None else (details.drawn_number,),
    )
    return any(judge(one, other, number).winning_seat == winning_seat for one, other, number in every)


def _refuse_other_game(
    match: LeagueMatch, details: ReportDetails, status: Status, seat: int | None
) -> Rejection | None:
    """Why this result of another game is impossible. The manager does not know the rules of that game."""
    if details.drawn_number or any(details.choices.values()):
        return Rejection(Code.INVALID_RESULT, "Numbers and choices belong to Even/Odd.")
    if not {*(details.scores or ())} <= {*match.players}:
        return Rejection(Code.INVALID_RESULT, "Only the two players have scores.")
    return None


# what it is worth


def credit(state: State, match: LeagueMatch, outcome: MatchOutcome) -> State:
    """The league with the points of both players of a match."""
    tallies, ladder = state.tallies, state.ladder
    for seat, place in enumerate(places_of(state, match)):
        after = put(tallies, place, _add_result(tallies[place], outcome, is_winner=WINNER.get(outcome) == seat))
        tallies, ladder = after, move_in_ladder(ladder, tallies, after, place)
    return replace(state, tallies=tallies, ladder=ladder)


def _add_result(tally: Tally, outcome: MatchOutcome, *, is_winner: bool) -> Tally:
    if outcome is MatchOutcome.DRAW:
        return replace(tally, draws=tally.draws + 1, points=tally.points + POINTS_FOR_A_DRAW)
    if is_winner:
        return replace(tally, wins=tally.wins + 1, points=tally.points + POINTS_FOR_A_WIN)
    technical = tally.technical_losses + (outcome in TECHNICAL)
    return replace(tally, losses=tally.losses + 1, technical_losses=technical)


def summary_of(outcomes: str) -> RoundSummary:
    """The number of wins, draws and technical losses in a round."""
    draws, technical = outcomes.count(MatchOutcome.DRAW), sum(map(outcomes.count, TECHNICAL))
    total = len(outcomes)
    return RoundSummary(total_matches=total, wins=total - draws - technical, draws=draws, technical_losses=technical)
